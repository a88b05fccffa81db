#include "contact/penalty.h"
#include "contact/fold.h"

typedef struct {
	double eta, stiffness, offset;
	const Vec3 *x;
} Layer;

/* Adds `share` of the potential of a feature, whose corners are these of the pair's. */
static void add_feature(const Layer *layer, double share, const Closest *closest, const int *corner, int n, Penalty *penalty)
{
	double depth = layer->eta - (closest->distance - layer->offset);
	if (!(depth > 0.0) || share == 0.0)
		return;
	penalty->energy += 0.5 * share * layer->stiffness * depth * depth;
	for (int c = 0; c < n; c++) {
		penalty->force[corner[c]] = vec3_madd(
		    penalty->force[corner[c]], share * layer->stiffness * depth * closest->weight[c], closest->normal);
		/* A row of the stiffness: |w_c| times the sum of all |w|, which is 2. Features that stand for the same point cancel,
		 * as they do in the force. */
		penalty->row[corner[c]] += 2.0 * share * fabs(closest->weight[c]);
	}
}

static void add_vertex(const Layer *layer, double share, int corner, Penalty *penalty)
{
	Vec3 x[2] = {layer->x[0], layer->x[corner]};
	if (share == 0.0)
		return;
	Closest closest = distance_closest(PAIR_VERTEX_VERTEX, x);
	add_feature(layer, share, &closest, (const int[]){0, corner}, 2, penalty);
}

static void add_side(const Layer *layer, double share, int a, int b, Penalty *penalty)
{
	Vec3 x[3] = {layer->x[0], layer->x[a], layer->x[b]};
	if (share == 0.0)
		return;
	Closest closest = distance_closest(PAIR_VERTEX_EDGE, x);
	add_feature(layer, share, &closest, (const int[]){0, a, b}, 3, penalty);
}

static void add_triangle(const Surface *surface, const ContactPair *pair, const Layer *layer, Penalty *penalty)
{
	const Element *triangle = &surface->element[surface_second(pair)];
	for (int c = 0; c < 3; c++) {
		add_side(layer, surface->edge_share[triangle->edge[c]], 1 + c, 1 + (c + 1) % 3, penalty);
		add_vertex(layer, surface->vertex_share[pair->vertex[1 + c]], 1 + c, penalty);
	}
}

/* A factor of the potential, with its slope at some of the vertices. */
static void weigh(double weight, const Vec3 *slope, const int *at, int n, Penalty *penalty)
{
	for (int i = 0; i < penalty->n; i++)
		penalty->force[i] = vec3_scale(weight, penalty->force[i]);
	for (int i = 0; i < n; i++)
		penalty->force[at[i]] = vec3_madd(penalty->force[at[i]], -penalty->energy, slope[i]);
	for (int c = 0; c < PAIR_MOST_CORNERS; c++)
		penalty->row[c] *= weight;
	penalty->energy *= weight;
	penalty->push = vec3_scale(weight, penalty->push);
}

static void weigh_parallel(const ContactPair *pair, const Vec3 *x, Penalty *penalty)
{
	Vec3 slope[PAIR_MOST_CORNERS];
	double weight = distance_mollifier(x, pair->mollifier, slope);
	if (weight < 1.0)
		weigh(weight, slope, (const int[]){0, 1, 2, 3}, 4, penalty);
}

static Fold fold_at(const PenaltySite *site, uint32_t edge)
{
	const uint32_t *end = site->surface->edge[edge].v, *wing = site->surface->edge_wing[edge];
	Vec3 x[FOLD_CORNERS];
	for (int i = 0; i < 2; i++) {
		x[i] = flight_position(&site->flight[end[i]], site->time);
		x[2 + i] = flight_position(&site->flight[wing[i]], site->time);
	}
	return fold_of(x);
}

/* The edge whose first corner is this. */
static void weigh_fold(const PenaltySite *site, uint32_t edge, int corner, Penalty *penalty)
{
	const uint32_t *wing = site->surface->edge_wing[edge];
	if (wing[0] == SURFACE_NO_WING)
		return;
	Fold fold = fold_at(site, edge);
	if (!(fold.weight < 1.0))
		return;
	penalty->vertex[penalty->n] = wing[0];
	penalty->vertex[penalty->n + 1] = wing[1];
	penalty->n += 2;
	weigh(fold.weight, fold.slope, (const int[]){corner, corner + 1, penalty->n - 2, penalty->n - 1}, FOLD_CORNERS, penalty);
}

/* A vertex of held ground counts as much as it stands out from it: by any fold that it is on. What holds it does not feel
 * the slope. */
static void weigh_ground(const PenaltySite *site, uint32_t vertex, Penalty *penalty)
{
	const uint32_t *begin = &site->surface->ground_begin[vertex];
	if (begin[0] == begin[1])
		return;
	double flat = 1.0;
	for (uint32_t i = begin[0]; i < begin[1]; i++)
		flat *= 1.0 - fold_at(site, site->surface->ground_edge[i]).weight;
	weigh(1.0 - flat, NULL, NULL, 0, penalty);
}

/* How many pairs of elements have a primitive pair. */
static uint32_t n_sharing(const Surface *surface, const ContactPair *pair)
{
	if (pair->kind == PAIR_EDGE_EDGE)
		return surface->edge_elements[surface_first(pair)] * surface->edge_elements[surface_second(pair)];
	uint32_t n = surface->vertex_elements[pair->vertex[0]];
	return pair->kind == PAIR_VERTEX_VERTEX ? n * surface->vertex_elements[pair->vertex[1]] : n;
}

static Vec3 in_parts(Vec3 whole, uint32_t n)
{
	Vec3 part = vec3_scale(1.0 / n, whole), sum = vec3(0, 0, 0);
	for (uint32_t i = 0; i < n; i++)
		sum = vec3_add(sum, part);
	return sum;
}

/* What the pairs of elements that share a primitive pair give, one after the other. */
static void share_out(const Surface *surface, const ContactPair *pair, Penalty *penalty)
{
	uint32_t n = n_sharing(surface, pair);
	for (int i = 0; i < penalty->n; i++)
		penalty->force[i] = in_parts(penalty->force[i], n);
	penalty->push = in_parts(penalty->push, n);
}

Penalty penalty_of(const PenaltySite *site, const ContactPair *pair, uint32_t l, const Vec3 *x, const Closest *closest)
{
	const Surface *surface = site->surface;
	Penalty penalty = {.n = distance_corners[pair->kind]};
	Layer layer = {site->layers->eta[l], site->layers->stiffness[l], pair->offset, x};
	for (int c = 0; c < penalty.n; c++)
		penalty.vertex[c] = pair->vertex[c];
	add_feature(&layer, 1.0, closest, (const int[]){0, 1, 2, 3}, penalty.n, &penalty);
	if (pair->kind == PAIR_VERTEX_TRIANGLE) {
		add_triangle(surface, pair, &layer, &penalty);
	} else if (pair->kind == PAIR_VERTEX_EDGE) {
		add_vertex(&layer, surface->chain_share[pair->vertex[1]], 1, &penalty);
		add_vertex(&layer, surface->chain_share[pair->vertex[2]], 2, &penalty);
	}
	for (int c = 0; c < distance_first[pair->kind]; c++)
		penalty.push = vec3_add(penalty.push, penalty.force[c]);
	if (pair->kind == PAIR_EDGE_EDGE) {
		weigh_parallel(pair, x, &penalty);
		weigh_fold(site, surface_first(pair), 0, &penalty);
		weigh_fold(site, surface_second(pair), 2, &penalty);
	} else {
		weigh_ground(site, pair->vertex[0], &penalty);
	}
	if (surface->vertex_elements != NULL)
		share_out(surface, pair, &penalty);
	return penalty;
}

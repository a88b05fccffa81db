#include "contact/penalty.h"

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
		/* A row of the stiffness: |w_c| times the sum of all |w|, which is 2. */
		penalty->row[corner[c]] += 2.0 * fabs(share * closest->weight[c]);
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

static void mollify(const ContactPair *pair, const Vec3 *x, Penalty *penalty)
{
	Vec3 slope[PAIR_MOST_CORNERS];
	double weight = distance_mollifier(x, pair->mollifier, slope);
	if (weight == 1.0)
		return;
	for (int c = 0; c < 4; c++) {
		penalty->force[c] = vec3_madd(vec3_scale(weight, penalty->force[c]), -penalty->energy, slope[c]);
		penalty->row[c] *= weight;
	}
	penalty->energy *= weight;
}

Penalty penalty_of(const Surface *surface, const Layers *layers, const ContactPair *pair, uint32_t l, const Vec3 *x,
    const Closest *closest)
{
	Penalty penalty = {0};
	Layer layer = {layers->eta[l], layers->stiffness[l], pair->offset, x};
	add_feature(&layer, 1.0, closest, (const int[]){0, 1, 2, 3}, distance_corners[pair->kind], &penalty);
	if (pair->kind == PAIR_VERTEX_TRIANGLE) {
		add_triangle(surface, pair, &layer, &penalty);
	} else if (pair->kind == PAIR_VERTEX_EDGE) {
		add_vertex(&layer, surface->chain_share[pair->vertex[1]], 1, &penalty);
		add_vertex(&layer, surface->chain_share[pair->vertex[2]], 2, &penalty);
	} else if (pair->mollifier > 0.0) {
		mollify(pair, x, &penalty);
	}
	return penalty;
}

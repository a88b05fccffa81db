#include "kds/hierarchy.h"
#include <stdlib.h>
#include <string.h>

/* An element on its way into the tree. */
typedef struct {
	Vec3 centre;
	uint32_t element;
} Seed;

static double component(Vec3 x, int axis)
{
	return axis == 0 ? x.x : axis == 1 ? x.y : x.z;
}

#define DEFINE_COMPARE(axis) \
	static int compare_##axis(const void *a, const void *b) \
	{ \
		const Seed *p = a, *q = b; \
		if (p->centre.axis != q->centre.axis) \
			return p->centre.axis < q->centre.axis ? -1 : 1; \
		return p->element < q->element ? -1 : p->element > q->element; \
	}
DEFINE_COMPARE(x)
DEFINE_COMPARE(y)
DEFINE_COMPARE(z)

static int longest_axis(const Seed *seed, size_t n)
{
	int longest = 0;
	double length = -1.0;
	for (int axis = 0; axis < 3; axis++) {
		double low = INFINITY, high = -INFINITY;
		for (size_t i = 0; i < n; i++) {
			low = fmin(low, component(seed[i].centre, axis));
			high = fmax(high, component(seed[i].centre, axis));
		}
		if (high - low > length) {
			length = high - low;
			longest = axis;
		}
	}
	return longest;
}

static void refit_leaf(const Hierarchy *hierarchy, Node *node, double time)
{
	const Element *element = &hierarchy->surface->element[node->left];
	node->dop = dop_of_vertices(hierarchy->flight, element->vertex, element->corners,
	    hierarchy->surface->half_thickness[element->body], time);
}

static void refit_node(const Hierarchy *hierarchy, Node *node, double time)
{
	if (hierarchy_is_leaf(node))
		refit_leaf(hierarchy, node, time);
	else
		node->dop = dop_join(&hierarchy->node[node->left].dop, &hierarchy->node[node->right].dop, time);
}

/* Puts n elements below a new node; returns it. The seeds are sorted. */
static uint32_t build(Hierarchy *hierarchy, Seed *seed, size_t n, uint32_t parent, double time)
{
	static int (*const compare[])(const void *, const void *) = {compare_x, compare_y, compare_z};
	uint32_t index = hierarchy->n_nodes++;
	Node *node = &hierarchy->node[index];
	node->parent = parent;
	if (n == 1) {
		const Element *element = &hierarchy->surface->element[seed->element];
		node->left = seed->element;
		node->right = HIERARCHY_NONE;
		node->body = element->body;
		node->moves = element->moves;
	} else {
		qsort(seed, n, sizeof *seed, compare[longest_axis(seed, n)]);
		node->left = build(hierarchy, seed, n / 2, index, time);
		node->right = build(hierarchy, seed + n / 2, n - n / 2, index, time);
		const Node *left = &hierarchy->node[node->left], *right = &hierarchy->node[node->right];
		node->body = left->body == right->body ? left->body : HIERARCHY_NONE;
		node->moves = left->moves || right->moves;
	}
	refit_node(hierarchy, node, time);
	return index;
}

/* For each vertex the leaves of its elements. */
static void list_leaves(Hierarchy *hierarchy)
{
	const Surface *surface = hierarchy->surface;
	uint32_t n = world_vertex_count(surface->world), sum = 0;
	hierarchy->leaf_begin = g_new0(uint32_t, n + 2u);
	for (uint32_t e = 0; e < surface->n_elements; e++)
		for (int c = 0; c < surface->element[e].corners; c++)
			hierarchy->leaf_begin[surface->element[e].vertex[c] + 2]++;
	for (uint32_t i = 0; i < n + 2u; i++)
		hierarchy->leaf_begin[i] = sum += hierarchy->leaf_begin[i];
	hierarchy->leaf_of = g_new0(uint32_t, sum + 1u);
	for (uint32_t i = 0; i < hierarchy->n_nodes; i++) {
		if (!hierarchy_is_leaf(&hierarchy->node[i]))
			continue;
		const Element *element = &surface->element[hierarchy->node[i].left];
		for (int c = 0; c < element->corners; c++)
			hierarchy->leaf_of[hierarchy->leaf_begin[element->vertex[c] + 1]++] = i;
	}
}

Hierarchy *hierarchy_new(const Surface *surface, const Flight *flight, double time)
{
	Hierarchy *hierarchy = g_new0(Hierarchy, 1);
	size_t n = surface->n_elements;
	hierarchy->surface = surface;
	hierarchy->flight = flight;
	hierarchy->node = g_new0(Node, 2 * n + 1);
	hierarchy->stale = g_new0(uint32_t, 2 * n + 1);
	g_autofree Seed *seed = g_new0(Seed, n + 1);
	for (uint32_t e = 0; e < n; e++) {
		const Element *element = &surface->element[e];
		seed[e].element = e;
		for (int c = 0; c < element->corners; c++)
			seed[e].centre = vec3_madd(
			    seed[e].centre, 1.0 / element->corners, flight_position(&flight[element->vertex[c]], time));
	}
	if (n > 0)
		build(hierarchy, seed, n, HIERARCHY_NONE, time);
	list_leaves(hierarchy);
	return hierarchy;
}

void hierarchy_free(Hierarchy *hierarchy)
{
	if (hierarchy == NULL)
		return;
	g_free(hierarchy->node);
	g_free(hierarchy->stale);
	g_free(hierarchy->leaf_begin);
	g_free(hierarchy->leaf_of);
	g_free(hierarchy);
}

static int compare_descending(const void *a, const void *b)
{
	const uint32_t *p = a, *q = b;
	return *p > *q ? -1 : *p < *q;
}

/* Lists the nodes above a vertex that are not listed yet. */
static void list_stale(Hierarchy *hierarchy, uint32_t vertex)
{
	for (uint32_t i = hierarchy->leaf_begin[vertex]; i < hierarchy->leaf_begin[vertex + 1]; i++)
		for (uint32_t at = hierarchy->leaf_of[i]; at != HIERARCHY_NONE; at = hierarchy->node[at].parent) {
			if (hierarchy->node[at].stamp == hierarchy->stamp)
				break;
			hierarchy->node[at].stamp = hierarchy->stamp;
			hierarchy->stale[hierarchy->n_stale++] = at;
		}
}

void hierarchy_touch(Hierarchy *hierarchy, const uint32_t *vertex, size_t n)
{
	hierarchy->stamp++;
	hierarchy->n_stale = 0;
	for (size_t i = 0; i < n; i++)
		list_stale(hierarchy, vertex[i]);
	if (hierarchy->n_stale > hierarchy->n_nodes / 8) {
		hierarchy->n_stale = 0;
		for (uint32_t i = hierarchy->n_nodes; i-- > 0;)
			if (hierarchy->node[i].stamp == hierarchy->stamp)
				hierarchy->stale[hierarchy->n_stale++] = i;
	} else {
		qsort(hierarchy->stale, hierarchy->n_stale, sizeof(uint32_t), compare_descending);
	}
}

void hierarchy_refit(Hierarchy *hierarchy, double time, const uint32_t *vertex, size_t n)
{
	hierarchy_touch(hierarchy, vertex, n);
	for (uint32_t i = 0; i < hierarchy->n_stale; i++)
		refit_node(hierarchy, &hierarchy->node[hierarchy->stale[i]], time);
}

static bool holds(const Dop *dop, const Flight *plan, double time)
{
	double x[DOP_AXES], rounding = DOP_ROUNDING * (dop->size + dop_size(plan, time));
	dop_project(flight_position(plan, time), x);
	for (int axis = 0; axis < DOP_AXES; axis++) {
		double elapsed = time - dop->time;
		if (x[axis] < dop->low[axis] + elapsed * dop->low_rate[axis] - rounding ||
		    x[axis] > dop->high[axis] + elapsed * dop->high_rate[axis] + rounding)
			return false;
	}
	return true;
}

bool hierarchy_validate(const Hierarchy *hierarchy, double time)
{
	for (uint32_t v = 0; v < world_vertex_count(hierarchy->surface->world); v++)
		for (uint32_t i = hierarchy->leaf_begin[v]; i < hierarchy->leaf_begin[v + 1]; i++)
			for (uint32_t at = hierarchy->leaf_of[i]; at != HIERARCHY_NONE; at = hierarchy->node[at].parent)
				if (!holds(&hierarchy->node[at].dop, &hierarchy->flight[v], time))
					return false;
	return true;
}

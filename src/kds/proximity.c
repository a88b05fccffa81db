#include "kds/proximity.h"
#include "kds/hierarchy.h"

typedef struct {
	const Hierarchy *hierarchy;
	double time, below;
	GArray *found;
} Search;

static void examine(const Search *search, uint32_t first, uint32_t second)
{
	ContactPair pairs[SURFACE_MOST_PAIRS];
	int n = surface_element_pairs(search->hierarchy->surface, first, second, pairs);
	for (int i = 0; i < n; i++) {
		Vec3 x[PAIR_MOST_CORNERS];
		for (int c = 0; c < distance_corners[pairs[i].kind]; c++)
			x[c] = flight_position(&search->hierarchy->flight[pairs[i].vertex[c]], search->time);
		Proximity near = {pairs[i], distance_closest(pairs[i].kind, x).distance - pairs[i].offset};
		if (near.gap < search->below)
			g_array_append_val(search->found, near);
	}
}

static void descend(const Search *search, uint32_t a, uint32_t b)
{
	const Node *p = &search->hierarchy->node[a], *q = &search->hierarchy->node[b];
	if (!p->moves && !q->moves)
		return;
	if (a == b) {
		if (hierarchy_is_leaf(p))
			return;
		descend(search, p->left, p->left);
		descend(search, p->right, p->right);
		descend(search, p->left, p->right);
		return;
	}
	if (dop_failure(&p->dop, &q->dop, search->below, search->time) >= search->time)
		return;
	if (hierarchy_is_leaf(p) && hierarchy_is_leaf(q)) {
		examine(search, p->left, q->left);
	} else if (hierarchy_is_leaf(q) || (!hierarchy_is_leaf(p) && a < b)) {
		descend(search, p->left, b);
		descend(search, p->right, b);
	} else {
		descend(search, a, q->left);
		descend(search, a, q->right);
	}
}

static int compare_keys(const void *a, const void *b)
{
	const Proximity *p = a, *q = b;
	return p->pair.key < q->pair.key ? -1 : p->pair.key > q->pair.key;
}

GArray *proximity_find(const Surface *surface, const Flight *flight, double time, double below)
{
	Search search = {hierarchy_new(surface, flight, time), time, below, g_array_new(FALSE, FALSE, sizeof(Proximity))};
	if (search.hierarchy->n_nodes > 0)
		descend(&search, 0, 0);
	g_array_sort(search.found, compare_keys);
	hierarchy_free((Hierarchy *)search.hierarchy);
	return search.found;
}

#include "kds/chord.h"
#include "kds/hierarchy.h"
#include <string.h>

/* More than the rounding of a double to a float. */
#define FLOAT_ROUNDING 2.4e-7

ChordTree *chord_new(const Surface *surface, const Flight *flight, double time)
{
	ChordTree *tree = g_new0(ChordTree, 1);
	Hierarchy *hierarchy = hierarchy_new(surface, flight, time);
	tree->surface = surface;
	tree->n_nodes = hierarchy->n_nodes;
	tree->node = g_new0(ChordNode, tree->n_nodes + 1u);
	tree->bound = g_new0(ChordBound, tree->n_nodes + 1u);
	tree->leaf = g_new0(uint32_t, surface->n_elements + 1u);
	for (uint32_t i = 0; i < tree->n_nodes; i++) {
		const Node *node = &hierarchy->node[i];
		tree->node[i] = (ChordNode){node->parent, node->left, node->right, node->body, node->moves};
		if (hierarchy_is_leaf(node))
			tree->leaf[node->left] = i;
	}
	hierarchy_free(hierarchy);
	return tree;
}

void chord_free(ChordTree *tree)
{
	if (tree == NULL)
		return;
	g_free(tree->node);
	g_free(tree->bound);
	g_free(tree->leaf);
	g_free(tree);
}

size_t chord_memory(const ChordTree *tree)
{
	return sizeof *tree + tree->n_nodes * (sizeof *tree->node + sizeof *tree->bound) +
	       tree->surface->n_elements * sizeof *tree->leaf;
}

static bool is_leaf(const ChordNode *node)
{
	return node->right == HIERARCHY_NONE;
}

static void bound_leaf(const ChordTree *tree, const ChordWindow *window, uint32_t element, ChordBound *bound)
{
	const Element *e = &tree->surface->element[element];
	double radius = window->radius + tree->surface->half_thickness[e->body];
	for (int end = 0; end < 2; end++) {
		double low[CHORD_AXES], high[CHORD_AXES], time = end ? window->end : window->begin;
		for (int c = 0; c < e->corners; c++) {
			double along[CHORD_AXES];
			const Flight *line = &window->reference[e->vertex[c]];
			double reach = radius + DOP_ROUNDING * dop_size(line, time);
			dop_project(vec3_sub(flight_position(line, time), tree->origin), along);
			for (int axis = 0; axis < CHORD_AXES; axis++) {
				double least = along[axis] - reach, most = along[axis] + reach;
				low[axis] = c && low[axis] < least ? low[axis] : least;
				high[axis] = c && high[axis] > most ? high[axis] : most;
			}
		}
		for (int axis = 0; axis < CHORD_AXES; axis++) {
			bound->low[end][axis] = (float)(low[axis] - FLOAT_ROUNDING * fabs(low[axis]));
			bound->high[end][axis] = (float)(high[axis] + FLOAT_ROUNDING * fabs(high[axis]));
		}
	}
}

static inline float lower(float a, float b)
{
	return a < b ? a : b;
}

static inline float higher(float a, float b)
{
	return a > b ? a : b;
}

static void join(ChordBound *out, const ChordBound *a, const ChordBound *b)
{
	for (int end = 0; end < 2; end++) {
		for (int axis = 0; axis < CHORD_ROOM; axis++) {
			out->low[end][axis] = lower(a->low[end][axis], b->low[end][axis]);
			out->high[end][axis] = higher(a->high[end][axis], b->high[end][axis]);
		}
	}
}

void chord_fit(ChordTree *tree, const ChordWindow *window)
{
	tree->tests = 0;
	if (tree->n_nodes > 0)
		tree->origin = flight_position(&window->reference[tree->surface->element[0].vertex[0]], window->begin);
	for (uint32_t i = tree->n_nodes; i-- > 0;) {
		const ChordNode *node = &tree->node[i];
		if (is_leaf(node))
			bound_leaf(tree, window, node->left, &tree->bound[i]);
		else
			join(&tree->bound[i], &tree->bound[node->left], &tree->bound[node->right]);
	}
}

void chord_refit(ChordTree *tree, const ChordWindow *window, uint32_t element)
{
	ChordBound bound = {0};
	bound_leaf(tree, window, element, &bound);
	for (uint32_t at = tree->leaf[element]; at != HIERARCHY_NONE; at = tree->node[at].parent)
		join(&tree->bound[at], &tree->bound[at], &bound);
}

/* Whether an axis keeps two apart all the time. Without a branch, so that it becomes vector instructions; beyond
 * CHORD_AXES there are zeros, which are never apart. */
static inline bool apart(const ChordBound *a, const ChordBound *b, float gap)
{
	int found = 0;
	for (int axis = 0; axis < CHORD_ROOM; axis++) {
		int above = (b->low[0][axis] - a->high[0][axis] > gap) & (b->low[1][axis] - a->high[1][axis] > gap);
		int below = (a->low[0][axis] - b->high[0][axis] > gap) & (a->low[1][axis] - b->high[1][axis] > gap);
		found |= above | below;
	}
	return found;
}

/* Whether the elements of two nodes never meet, whatever happens. */
static bool never_meet(const ChordTree *tree, const ChordNode *a, const ChordNode *b)
{
	if (!a->moves && !b->moves)
		return true;
	return a->body != HIERARCHY_NONE && b->body != HIERARCHY_NONE &&
	       !tree->surface->meets[a->body * tree->surface->world->bodies->len + b->body];
}

typedef struct {
	ChordTree *tree;
	float gap;
	ChordVisitor *visit;
	ChordExcuse *excuse;
	void *data;
} Search;

static float extent(const ChordBound *bound)
{
	return bound->high[0][0] - bound->low[0][0] + bound->high[0][1] - bound->low[0][1] + bound->high[0][2] - bound->low[0][2];
}

static void between(const Search *search, uint32_t a, uint32_t b)
{
	ChordTree *tree = search->tree;
	const ChordNode *p = &tree->node[a], *q = &tree->node[b];
	tree->tests++;
	if (apart(&tree->bound[a], &tree->bound[b], search->gap) || never_meet(tree, p, q) || search->excuse(search->data, a, b))
		return;
	if (is_leaf(p) && is_leaf(q)) {
		search->visit(search->data, p->left, q->left);
	} else if (is_leaf(q) || (!is_leaf(p) && extent(&tree->bound[a]) >= extent(&tree->bound[b]))) {
		between(search, p->left, b);
		between(search, p->right, b);
	} else {
		between(search, a, q->left);
		between(search, a, q->right);
	}
}

static void within(const Search *search, uint32_t a)
{
	const ChordNode *node = &search->tree->node[a];
	if (is_leaf(node) || never_meet(search->tree, node, node) || search->excuse(search->data, a, a))
		return;
	within(search, node->left);
	within(search, node->right);
	between(search, node->left, node->right);
}

/* As a float, not below what it was. */
static float gap_above(double gap)
{
	return (float)(gap + FLOAT_ROUNDING * fabs(gap));
}

void chord_pairs(ChordTree *tree, double gap, ChordVisitor *visit, ChordExcuse *excuse, void *data)
{
	Search search = {tree, gap_above(gap), visit, excuse, data};
	if (tree->n_nodes > 0)
		within(&search, 0);
}

/* Some elements, together. */
typedef struct {
	const uint32_t *element;
	uint32_t n;
	ChordNode node;
	ChordBound bound;
} Cluster;

static void against_leaf(const Search *search, const Cluster *cluster, uint32_t b)
{
	ChordTree *tree = search->tree;
	const ChordNode *node = &tree->node[b];
	for (uint32_t i = 0; i < cluster->n; i++) {
		uint32_t leaf = tree->leaf[cluster->element[i]];
		tree->tests++;
		if (leaf != b && !apart(&tree->bound[leaf], &tree->bound[b], search->gap) && !never_meet(tree, &tree->node[leaf], node))
			search->visit(search->data, cluster->element[i], node->left);
	}
}

static void against(const Search *search, const Cluster *cluster, uint32_t b)
{
	ChordTree *tree = search->tree;
	const ChordNode *node = &tree->node[b];
	tree->tests++;
	if (apart(&cluster->bound, &tree->bound[b], search->gap) || never_meet(tree, &cluster->node, node) ||
	    search->excuse(search->data, HIERARCHY_NONE, b))
		return;
	if (is_leaf(node)) {
		against_leaf(search, cluster, b);
		return;
	}
	against(search, cluster, node->left);
	against(search, cluster, node->right);
}

void chord_query(ChordTree *tree, const uint32_t *elements, uint32_t n, double gap, ChordVisitor *visit, ChordExcuse *excuse,
    void *data)
{
	Search search = {tree, gap_above(gap), visit, excuse, data};
	if (n == 0)
		return;
	Cluster cluster = {.element = elements, .n = n, .node = tree->node[tree->leaf[elements[0]]]};
	cluster.bound = tree->bound[tree->leaf[elements[0]]];
	for (uint32_t i = 1; i < n; i++) {
		uint32_t leaf = tree->leaf[elements[i]];
		join(&cluster.bound, &cluster.bound, &tree->bound[leaf]);
		cluster.node.moves |= tree->node[leaf].moves;
	}
	against(&search, &cluster, 0);
}

bool chord_holds(const ChordTree *tree, const ChordWindow *window, uint32_t element)
{
	ChordBound bound = {0};
	bound_leaf(tree, window, element, &bound);
	for (uint32_t at = tree->leaf[element]; at != HIERARCHY_NONE; at = tree->node[at].parent)
		for (int end = 0; end < 2; end++)
			for (int axis = 0; axis < CHORD_AXES; axis++)
				if (bound.low[end][axis] < tree->bound[at].low[end][axis] ||
				    bound.high[end][axis] > tree->bound[at].high[end][axis])
					return false;
	return true;
}

#include "kds/chord.h"
#include "kds/hierarchy.h"
#include <string.h>

/* More than the rounding of a double to a float. */
#define FLOAT_ROUNDING 2.4e-7

enum {
	FEWEST_NODES = 1000, /* that are worth a team */
	FIT_DEPTH = 5, FIT_PARTS = 1 << FIT_DEPTH
};

static bool is_leaf(const ChordNode *node)
{
	return node->right == HIERARCHY_NONE;
}

ChordTree *chord_new(const Surface *surface, const Flight *flight, double time)
{
	ChordTree *tree = g_new0(ChordTree, 1);
	Hierarchy *hierarchy = hierarchy_new(surface, flight, time);
	tree->surface = surface;
	tree->n_nodes = hierarchy->n_nodes;
	tree->node = g_new0(ChordNode, tree->n_nodes + 1u);
	tree->bound = g_new0(ChordBound, tree->n_nodes + 1u);
	tree->leaf = g_new0(uint32_t, surface->n_elements + 1u);
	tree->end = g_new0(uint32_t, tree->n_nodes + 1u);
	for (uint32_t i = 0; i < tree->n_nodes; i++) {
		const Node *node = &hierarchy->node[i];
		tree->node[i] = (ChordNode){node->parent, node->left, node->right, node->body, node->moves};
		if (hierarchy_is_leaf(node))
			tree->leaf[node->left] = i;
	}
	for (uint32_t i = tree->n_nodes; i-- > 0;)
		tree->end[i] = is_leaf(&tree->node[i]) ? i + 1 : tree->end[tree->node[i].right];
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
	g_free(tree->end);
	g_free(tree);
}

size_t chord_memory(const ChordTree *tree)
{
	return sizeof *tree + tree->n_nodes * (sizeof *tree->node + sizeof *tree->bound + sizeof *tree->end) +
	       tree->surface->n_elements * sizeof *tree->leaf;
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

/* The bounds of the nodes [begin, end), children before parents. */
static void fit_nodes(ChordTree *tree, const ChordWindow *window, uint32_t begin, uint32_t end)
{
	for (uint32_t i = end; i-- > begin;) {
		const ChordNode *node = &tree->node[i];
		if (is_leaf(node))
			bound_leaf(tree, window, node->left, &tree->bound[i]);
		else
			join(&tree->bound[i], &tree->bound[node->left], &tree->bound[node->right]);
	}
}

typedef struct {
	ChordTree *tree;
	const ChordWindow *window;
	uint32_t root[FIT_PARTS]; /* subtrees that are fitted by themselves */
	uint32_t n;
} Fit;

static void fit_some(void *data, size_t begin, size_t end, unsigned thread)
{
	(void)thread;
	const Fit *fit = data;
	for (size_t i = begin; i < end; i++)
		fit_nodes(fit->tree, fit->window, fit->root[i], fit->tree->end[fit->root[i]]);
}

/* Lists the subtrees below a node, down to a depth, in the order of nodes. */
static void list_parts(Fit *fit, uint32_t node, int depth)
{
	if (depth == 0 || is_leaf(&fit->tree->node[node])) {
		fit->root[fit->n++] = node;
		return;
	}
	list_parts(fit, fit->tree->node[node].left, depth - 1);
	list_parts(fit, fit->tree->node[node].right, depth - 1);
}

void chord_fit(ChordTree *tree, const ChordWindow *window, unsigned threads)
{
	if (tree->n_nodes == 0)
		return;
	tree->origin = flight_position(&window->reference[tree->surface->element[0].vertex[0]], window->begin);
	if (!team_is_worth(threads, tree->n_nodes, FEWEST_NODES)) {
		fit_nodes(tree, window, 0, tree->n_nodes);
		return;
	}
	Fit fit = {.tree = tree, .window = window};
	list_parts(&fit, 0, FIT_DEPTH);
	team_share(&tree->team, threads, fit.n, (TeamCut){.fewest = 2, .grain = 1, .work = tree->n_nodes}, fit_some, &fit);
	/* What is above them: between one and the next, and before the first. */
	uint32_t end = tree->n_nodes;
	for (uint32_t i = fit.n; i-- > 0; end = fit.root[i])
		fit_nodes(tree, window, tree->end[fit.root[i]], end);
	fit_nodes(tree, window, 0, end);
}

static bool is_within(const ChordBound *inner, const ChordBound *outer)
{
	int outside = 0;
	for (int end = 0; end < 2; end++)
		for (int axis = 0; axis < CHORD_ROOM; axis++)
			outside |= !(inner->low[end][axis] >= outer->low[end][axis]) | !(inner->high[end][axis] <= outer->high[end][axis]);
	return !outside;
}

void chord_refit(ChordTree *tree, const ChordWindow *window, uint32_t element)
{
	ChordBound bound = {0};
	bound_leaf(tree, window, element, &bound);
	for (uint32_t at = tree->leaf[element]; at != HIERARCHY_NONE; at = tree->node[at].parent) {
		if (is_within(&bound, &tree->bound[at])) /* and so in what is above */
			return;
		join(&tree->bound[at], &tree->bound[at], &bound);
	}
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
	const ChordTree *tree;
	float gap;
	ChordSearch *search;
} Descent;

static float extent(const ChordBound *bound)
{
	return bound->high[0][0] - bound->low[0][0] + bound->high[0][1] - bound->low[0][1] + bound->high[0][2] - bound->low[0][2];
}

/* What has to be searched in place of two nodes: 0 tasks when they keep apart, or two. Two leaves are left as they are. */
static int split_two(const Descent *descent, uint32_t a, uint32_t b, ChordTask *out)
{
	const ChordTree *tree = descent->tree;
	const ChordNode *p = &tree->node[a], *q = &tree->node[b];
	descent->search->tests++;
	if (apart(&tree->bound[a], &tree->bound[b], descent->gap) || never_meet(tree, p, q) ||
	    descent->search->excuse(descent->search->data, a, b))
		return 0;
	if (is_leaf(p) && is_leaf(q)) {
		out[0] = (ChordTask){a, b};
		return 1;
	}
	bool first = is_leaf(q) || (!is_leaf(p) && extent(&tree->bound[a]) >= extent(&tree->bound[b]));
	out[0] = first ? (ChordTask){p->left, b} : (ChordTask){a, q->left};
	out[1] = first ? (ChordTask){p->right, b} : (ChordTask){a, q->right};
	return 2;
}

static int split_one(const Descent *descent, uint32_t a, ChordTask *out)
{
	const ChordNode *node = &descent->tree->node[a];
	if (is_leaf(node) || never_meet(descent->tree, node, node) || descent->search->excuse(descent->search->data, a, a))
		return 0;
	out[0] = (ChordTask){node->left, node->left};
	out[1] = (ChordTask){node->right, node->right};
	out[2] = (ChordTask){node->left, node->right};
	return 3;
}

static void descend(const Descent *descent, uint32_t a, uint32_t b)
{
	ChordTask task[3];
	int n = a == b ? split_one(descent, a, task) : split_two(descent, a, b, task);
	if (n == 1) {
		descent->search->visit(descent->search->data, descent->tree->node[a].left, descent->tree->node[b].left);
		return;
	}
	for (int i = 0; i < n; i++)
		descend(descent, task[i].a, task[i].b);
}

/* As a float, not below what it was. */
static float gap_above(double gap)
{
	return (float)(gap + FLOAT_ROUNDING * fabs(gap));
}

void chord_tasks(const ChordTree *tree, double gap, uint32_t n, ChordSearch *search, GArray *tasks)
{
	Descent descent = {tree, gap_above(gap), search};
	ChordTask whole = {0, 0};
	if (tree->n_nodes == 0)
		return;
	g_array_append_val(tasks, whole);
	/* Each time all of them are split, so that they come to about the same size. */
	for (guint before = 0; tasks->len < n && tasks->len != before;) {
		before = tasks->len;
		for (guint i = 0; i < before; i++) {
			ChordTask at = g_array_index(tasks, ChordTask, i), out[3];
			int parts = at.a == at.b ? split_one(&descent, at.a, out) : split_two(&descent, at.a, at.b, out);
			g_array_append_vals(tasks, out, (guint)parts);
		}
		g_array_remove_range(tasks, 0, before);
	}
}

void chord_do(const ChordTree *tree, double gap, ChordTask task, ChordSearch *search)
{
	descend(&(Descent){tree, gap_above(gap), search}, task.a, task.b);
}

/* Some elements, together. */
typedef struct {
	const uint32_t *element;
	uint32_t n;
	ChordNode node;
	ChordBound bound;
} Cluster;

static void against_leaf(const Descent *descent, const Cluster *cluster, uint32_t b)
{
	const ChordTree *tree = descent->tree;
	const ChordNode *node = &tree->node[b];
	for (uint32_t i = 0; i < cluster->n; i++) {
		uint32_t leaf = tree->leaf[cluster->element[i]];
		descent->search->tests++;
		if (leaf != b && !apart(&tree->bound[leaf], &tree->bound[b], descent->gap) && !never_meet(tree, &tree->node[leaf], node))
			descent->search->visit(descent->search->data, cluster->element[i], node->left);
	}
}

static void against(const Descent *descent, const Cluster *cluster, uint32_t b)
{
	const ChordTree *tree = descent->tree;
	const ChordNode *node = &tree->node[b];
	descent->search->tests++;
	if (apart(&cluster->bound, &tree->bound[b], descent->gap) || never_meet(tree, &cluster->node, node) ||
	    descent->search->excuse(descent->search->data, HIERARCHY_NONE, b))
		return;
	if (is_leaf(node)) {
		against_leaf(descent, cluster, b);
		return;
	}
	against(descent, cluster, node->left);
	against(descent, cluster, node->right);
}

void chord_query(const ChordTree *tree, const uint32_t *elements, uint32_t n, double gap, ChordSearch *search)
{
	Descent descent = {tree, gap_above(gap), search};
	if (n == 0)
		return;
	Cluster cluster = {.element = elements, .n = n, .node = tree->node[tree->leaf[elements[0]]]};
	cluster.bound = tree->bound[tree->leaf[elements[0]]];
	for (uint32_t i = 1; i < n; i++) {
		uint32_t leaf = tree->leaf[elements[i]];
		join(&cluster.bound, &cluster.bound, &tree->bound[leaf]);
		cluster.node.moves |= tree->node[leaf].moves;
	}
	against(&descent, &cluster, 0);
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

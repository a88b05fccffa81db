/* The tree is kept from window to window, its boxes are computed anew, and it is made anew when it has come to cost twice of
 * what it did at first. Where a side of a node is the least of those below at both ends, a linear function between these is
 * not above any of them in between: so a node holds what the boxes below it hold, at any time. */
#include "verify/moving.h"
#include <glib.h>

enum { LEAF = 4 }; /* boxes */

typedef struct {
	MovingBox box;
	uint32_t begin, end; /* in the order */
	uint32_t right;      /* of the second child; the first is the next node. 0: a leaf */
} Node;

struct Moving {
	uint32_t n;
	bool built;
	uint64_t cost_at_first;
	uint32_t *order; /* (n) boxes, leaf by leaf */
	Node *node;      /* (n_nodes) parents before children */
	uint32_t n_nodes;
	/* of the visit under way: */
	const MovingBox *box;
	double distance;
	uint64_t cost;
	MovingVisit *visit;
	void *data;
};

Moving *moving_new(uint32_t n)
{
	Moving *moving = g_new0(Moving, 1);
	moving->n = n;
	moving->order = g_new0(uint32_t, n + (size_t)1);
	moving->node = g_new0(Node, 2 * (size_t)n + 1);
	return moving;
}

void moving_free(Moving *moving)
{
	if (moving == NULL)
		return;
	g_free(moving->order);
	g_free(moving->node);
	g_free(moving);
}

/* ---- the tree ---- */

static double middle(const Moving *moving, uint32_t i, int axis)
{
	const MovingBox *box = &moving->box[moving->order[i]];
	return box->low[0][axis] + box->high[0][axis];
}

/* Hoare's FIND: afterwards what is before the k-th of begin ... end - 1 is not above it, and what is behind not below. */
static void select_middle(Moving *moving, uint32_t begin, uint32_t end, uint32_t k, int axis)
{
	int64_t low = begin, high = (int64_t)end - 1;
	while (low < high) {
		double pivot = middle(moving, k, axis);
		int64_t i = low, j = high;
		do {
			while (middle(moving, (uint32_t)i, axis) < pivot)
				i++;
			while (pivot < middle(moving, (uint32_t)j, axis))
				j--;
			if (i <= j) {
				uint32_t other = moving->order[i];
				moving->order[i++] = moving->order[j];
				moving->order[j--] = other;
			}
		} while (i <= j);
		low = j < k ? i : low;
		high = k < i ? j : high;
	}
}

static int widest_axis(const Moving *moving, uint32_t begin, uint32_t end)
{
	int axis = 0;
	double widest = -1.0;
	for (int k = 0; k < 3; k++) {
		double least = middle(moving, begin, k), most = least;
		for (uint32_t i = begin + 1; i < end; i++) {
			double here = middle(moving, i, k);
			least = here < least ? here : least;
			most = here > most ? here : most;
		}
		if (most - least > widest) {
			widest = most - least;
			axis = k;
		}
	}
	return axis;
}

/* Returns the number of the node; boxes come later. */
static uint32_t build(Moving *moving, uint32_t begin, uint32_t end)
{
	uint32_t index = moving->n_nodes++;
	moving->node[index] = (Node){.begin = begin, .end = end};
	if (end - begin <= LEAF)
		return index;
	uint32_t half = begin + (end - begin) / 2;
	select_middle(moving, begin, end, half, widest_axis(moving, begin, end));
	build(moving, begin, half);
	uint32_t right = build(moving, half, end);
	moving->node[index].right = right;
	return index;
}

static void hold(MovingBox *box, const MovingBox *other)
{
	for (int e = 0; e < 2; e++)
		for (int k = 0; k < 3; k++) {
			box->low[e][k] = other->low[e][k] < box->low[e][k] ? other->low[e][k] : box->low[e][k];
			box->high[e][k] = other->high[e][k] > box->high[e][k] ? other->high[e][k] : box->high[e][k];
		}
}

static void refit(Moving *moving)
{
	for (uint32_t i = moving->n_nodes; i-- > 0;) {
		Node *node = &moving->node[i];
		if (node->right != 0) {
			node->box = moving->node[i + 1].box;
			hold(&node->box, &moving->node[node->right].box);
			continue;
		}
		node->box = moving->box[moving->order[node->begin]];
		for (uint32_t k = node->begin + 1; k < node->end; k++)
			hold(&node->box, &moving->box[moving->order[k]]);
	}
}

/* ---- pairs ---- */

static bool is_apart(Moving *moving, const MovingBox *a, const MovingBox *b)
{
	double distance = moving->distance;
	moving->cost++;
	for (int k = 0; k < 3; k++)
		if ((a->low[0][k] - b->high[0][k] > distance && a->low[1][k] - b->high[1][k] > distance) ||
		    (b->low[0][k] - a->high[0][k] > distance && b->low[1][k] - a->high[1][k] > distance))
			return true;
	return false;
}

static void visit_leaves(Moving *moving, const Node *a, const Node *b)
{
	for (uint32_t i = a->begin; i < a->end; i++)
		for (uint32_t j = a == b ? i + 1 : b->begin; j < b->end; j++) {
			uint32_t one = moving->order[i], other = moving->order[j];
			if (!is_apart(moving, &moving->box[one], &moving->box[other]))
				moving->visit(one < other ? one : other, one < other ? other : one, moving->data);
		}
}

static void join(Moving *moving, uint32_t first, uint32_t second)
{
	const Node *a = &moving->node[first], *b = &moving->node[second];
	if (first == second) {
		if (a->right == 0) {
			visit_leaves(moving, a, a);
			return;
		}
		join(moving, first + 1, first + 1);
		join(moving, a->right, a->right);
		join(moving, first + 1, a->right);
		return;
	}
	if (is_apart(moving, &a->box, &b->box))
		return;
	if (a->right == 0 && b->right == 0) {
		visit_leaves(moving, a, b);
	} else if (b->right == 0 || (a->right != 0 && a->end - a->begin >= b->end - b->begin)) {
		join(moving, first + 1, second);
		join(moving, a->right, second);
	} else {
		join(moving, first, second + 1);
		join(moving, first, b->right);
	}
}

uint64_t moving_visit(Moving *moving, const MovingBox *box, double distance, MovingVisit *visit, void *data)
{
	if (moving->n == 0)
		return 0;
	moving->box = box;
	moving->distance = distance;
	moving->visit = visit;
	moving->data = data;
	moving->cost = 0;
	bool anew = !moving->built;
	if (anew) {
		for (uint32_t i = 0; i < moving->n; i++)
			moving->order[i] = i;
		moving->n_nodes = 0;
		build(moving, 0, moving->n);
	}
	refit(moving);
	join(moving, 0, 0);
	if (anew)
		moving->cost_at_first = moving->cost;
	moving->built = moving->cost <= 2 * moving->cost_at_first;
	return moving->cost;
}

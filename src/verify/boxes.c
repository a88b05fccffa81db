/* A node is a range of the boxes in `order`, split at the median of the middles along the axis on which these spread
 * most. Comparisons are exact, so no pair is lost whatever the tree looks like. */
#include "verify/boxes.h"
#include <glib.h>
#include <math.h>
#include <stdbool.h>

enum { LEAF = 4 }; /* boxes; below that a split costs more than it saves */

typedef struct {
	Box box;
	uint32_t begin, end; /* in order */
	uint32_t right;      /* node; the left one comes next. 0: a leaf */
} Node;

typedef struct {
	const Box *box;
	uint32_t *order;
	GArray *nodes;
	BoxesVisit *visit;
	void *data;
} Tree;

static double middle(const Tree *tree, uint32_t i, int axis)
{
	const Box *box = &tree->box[tree->order[i]];
	return box->least[axis] + box->most[axis];
}

/* Hoare's FIND: afterwards what is before the k-th of begin ... end - 1 is not above it, and what is behind not below. */
static void select_middle(Tree *tree, uint32_t begin, uint32_t end, uint32_t k, int axis)
{
	int64_t low = begin, high = (int64_t)end - 1;
	while (low < high) {
		double pivot = middle(tree, k, axis);
		int64_t i = low, j = high;
		do {
			while (middle(tree, (uint32_t)i, axis) < pivot)
				i++;
			while (pivot < middle(tree, (uint32_t)j, axis))
				j--;
			if (i <= j) {
				uint32_t other = tree->order[i];
				tree->order[i++] = tree->order[j];
				tree->order[j--] = other;
			}
		} while (i <= j);
		low = j < k ? i : low;
		high = k < i ? j : high;
	}
}

static Box box_of(const Tree *tree, uint32_t begin, uint32_t end, int *axis)
{
	Box box = tree->box[tree->order[begin]];
	double widest = -1.0;
	for (int k = 0; k < 3; k++) {
		double least = middle(tree, begin, k), most = least;
		for (uint32_t i = begin + 1; i < end; i++) {
			const Box *other = &tree->box[tree->order[i]];
			box.least[k] = fmin(box.least[k], other->least[k]);
			box.most[k] = fmax(box.most[k], other->most[k]);
			least = fmin(least, middle(tree, i, k));
			most = fmax(most, middle(tree, i, k));
		}
		if (most - least > widest) {
			widest = most - least;
			*axis = k;
		}
	}
	return box;
}

/* Returns the number of the node. */
static uint32_t build(Tree *tree, uint32_t begin, uint32_t end)
{
	int axis = 0;
	Node node = {box_of(tree, begin, end, &axis), begin, end, 0};
	uint32_t index = tree->nodes->len;
	g_array_append_val(tree->nodes, node);
	if (end - begin <= LEAF)
		return index;
	uint32_t half = begin + (end - begin) / 2;
	select_middle(tree, begin, end, half, axis);
	build(tree, begin, half);
	uint32_t right = build(tree, half, end);
	g_array_index(tree->nodes, Node, index).right = right;
	return index;
}

static bool overlap(const Box *a, const Box *b)
{
	return a->least[0] <= b->most[0] && b->least[0] <= a->most[0] && a->least[1] <= b->most[1] &&
	       b->least[1] <= a->most[1] && a->least[2] <= b->most[2] && b->least[2] <= a->most[2];
}

static void visit_leaves(const Tree *tree, const Node *a, const Node *b)
{
	for (uint32_t i = a->begin; i < a->end; i++)
		for (uint32_t j = a == b ? i + 1 : b->begin; j < b->end; j++)
			if (overlap(&tree->box[tree->order[i]], &tree->box[tree->order[j]]))
				tree->visit(tree->order[i], tree->order[j], tree->data);
}

static void join(const Tree *tree, uint32_t first, uint32_t second)
{
	const Node *a = &g_array_index(tree->nodes, Node, first), *b = &g_array_index(tree->nodes, Node, second);
	if (first == second) {
		if (a->right == 0) {
			visit_leaves(tree, a, a);
			return;
		}
		join(tree, first + 1, first + 1);
		join(tree, a->right, a->right);
		join(tree, first + 1, a->right);
		return;
	}
	if (!overlap(&a->box, &b->box))
		return;
	if (a->right == 0 && b->right == 0) {
		visit_leaves(tree, a, b);
	} else if (b->right == 0 || (a->right != 0 && a->end - a->begin >= b->end - b->begin)) {
		join(tree, first + 1, second);
		join(tree, a->right, second);
	} else {
		join(tree, first, second + 1);
		join(tree, first, b->right);
	}
}

void boxes_visit_overlaps(const Box *box, uint32_t n, BoxesVisit *visit, void *data)
{
	if (n == 0)
		return;
	g_autofree uint32_t *order = g_new(uint32_t, n);
	g_autoptr(GArray) nodes = g_array_sized_new(FALSE, FALSE, sizeof(Node), n);
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	Tree tree = {box, order, nodes, visit, data};
	join(&tree, 0, build(&tree, 0, n));
}

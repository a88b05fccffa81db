/* A tree of the boxes of the elements finds those that overlap (boxes.h). Comparisons of boxes are exact, so no pair is
 * lost. */
#include "verify/intersections.h"
#include "verify/boxes.h"
#include "verify/exact.h"
#include "verify/sweep.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int intersections_corners(const IntersectionsInput *input, uint32_t element, uint32_t corner[3])
{
	if (element < input->n_triangles) {
		for (int i = 0; i < 3; i++)
			corner[i] = input->triangle[element][i];
		return 3;
	}
	element -= input->n_triangles;
	if (element < input->n_edges) {
		corner[0] = input->edge[element][0];
		corner[1] = input->edge[element][1];
		return 2;
	}
	corner[0] = input->particle[element - input->n_edges];
	return 1;
}

static Box box_of(const IntersectionsInput *input, uint32_t element)
{
	Box box;
	uint32_t corner[3];
	int n = intersections_corners(input, element, corner);
	for (int k = 0; k < 3; k++) {
		box.least[k] = box.most[k] = input->x[corner[0]][k];
		for (int i = 1; i < n; i++) {
			box.least[k] = fmin(box.least[k], input->x[corner[i]][k]);
			box.most[k] = fmax(box.most[k], input->x[corner[i]][k]);
		}
		for (int i = 0; i < n && input->moved; i++) {
			box.least[k] = fmin(box.least[k], input->moved[corner[i]][k]);
			box.most[k] = fmax(box.most[k], input->moved[corner[i]][k]);
		}
	}
	return box;
}

static int compare_pairs(const void *a, const void *b)
{
	const Intersection *first = a, *second = b;
	if (first->a != second->a)
		return first->a < second->a ? -1 : 1;
	return first->b < second->b ? -1 : first->b > second->b;
}

static bool primitives_meet(const IntersectionsInput *input, SweepKind kind, const uint32_t *corner, int n)
{
	double from[SWEEP_MOST_CORNERS][3], to[SWEEP_MOST_CORNERS][3];
	for (int i = 0; i < n; i++) {
		memcpy(from[i], input->x[corner[i]], sizeof from[i]);
		memcpy(to[i], input->moved[corner[i]], sizeof to[i]);
	}
	return sweep_meets(kind, (const double(*)[3])from, (const double(*)[3])to, NULL);
}

/* Whether a vertex of one meets the other on the way. */
static bool vertices_meet(const IntersectionsInput *input, const uint32_t *a, int n_a, const uint32_t *b, int n_b)
{
	static const SweepKind kinds[] = {SWEEP_VERTEX_VERTEX, SWEEP_VERTEX_EDGE, SWEEP_VERTEX_TRIANGLE};
	for (int i = 0; i < n_a; i++) {
		uint32_t corner[SWEEP_MOST_CORNERS] = {a[i]};
		memcpy(corner + 1, b, (size_t)n_b * sizeof *b);
		if (primitives_meet(input, kinds[n_b - 1], corner, 1 + n_b))
			return true;
	}
	return false;
}

static bool edges_meet(const IntersectionsInput *input, const uint32_t *a, int n_a, const uint32_t *b, int n_b)
{
	static const int n_edges[] = {0, 0, 1, 3};
	for (int i = 0; i < n_edges[n_a]; i++)
		for (int j = 0; j < n_edges[n_b]; j++) {
			const uint32_t corner[] = {a[i], a[(i + 1) % n_a], b[j], b[(j + 1) % n_b]};
			if (primitives_meet(input, SWEEP_EDGE_EDGE, corner, 4))
				return true;
		}
	return false;
}

bool intersections_share_vertex(const uint32_t *a, int n_a, const uint32_t *b, int n_b)
{
	for (int i = 0; i < n_a; i++)
		for (int j = 0; j < n_b; j++)
			if (a[i] == b[j])
				return true;
	return false;
}

/* Elements that are apart at first meet first with a vertex, or with two edges. */
static bool meet_on_the_way(const IntersectionsInput *input, const uint32_t *a, int n_a, const uint32_t *b, int n_b)
{
	return input->moved && !intersections_share_vertex(a, n_a, b, n_b) &&
	       (vertices_meet(input, a, n_a, b, n_b) || vertices_meet(input, b, n_b, a, n_a) ||
	           edges_meet(input, a, n_a, b, n_b));
}

typedef struct {
	const IntersectionsInput *input;
	GArray *found;
} Search;

static void test_pair(uint32_t a, uint32_t b, void *data)
{
	const Search *search = data;
	const IntersectionsInput *input = search->input;
	uint32_t corner_a[3], corner_b[3];
	int n_a = intersections_corners(input, a, corner_a), n_b = intersections_corners(input, b, corner_b);
	if (!exact_meet(input->x, corner_a, n_a, corner_b, n_b) && !meet_on_the_way(input, corner_a, n_a, corner_b, n_b))
		return;
	Intersection pair = {MIN(a, b), MAX(a, b)};
	g_array_append_val(search->found, pair);
}

GArray *intersections_find(const IntersectionsInput *input)
{
	uint32_t n = input->n_triangles + input->n_edges + input->n_particles;
	g_autofree Box *box = g_new(Box, n);
	for (uint32_t i = 0; i < n; i++)
		box[i] = box_of(input, i);
	Search search = {input, g_array_new(FALSE, FALSE, sizeof(Intersection))};
	boxes_visit_overlaps(box, n, test_pair, &search);
	g_array_sort(search.found, compare_pairs);
	return search.found;
}

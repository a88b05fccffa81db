#include "shells/topology.h"
#include <stdlib.h>

/* A triangle's side: from low to high vertex, with the corner opposite to it. */
typedef struct {
	uint32_t low, high, opposite;
	bool forward; /* the triangle runs from low to high */
} HalfEdge;

static int compare(const void *a, const void *b)
{
	const HalfEdge *p = a, *q = b;
	if (p->low != q->low)
		return p->low < q->low ? -1 : 1;
	if (p->high != q->high)
		return p->high < q->high ? -1 : 1;
	return (int)q->forward - (int)p->forward;
}

void topology_find(const Triangle *triangle, size_t n, GArray *sides, GArray *hinges)
{
	g_autofree HalfEdge *half = g_new(HalfEdge, 3 * n);
	for (size_t t = 0; t < n; t++) {
		for (int c = 0; c < 3; c++) {
			uint32_t a = triangle[t].v[c], b = triangle[t].v[(c + 1) % 3];
			half[3 * t + (size_t)c] = (HalfEdge){MIN(a, b), MAX(a, b), triangle[t].v[(c + 2) % 3], a < b};
		}
	}
	if (n > 0)
		qsort(half, 3 * n, sizeof(HalfEdge), compare);
	for (size_t i = 0; i < 3 * n; i++) {
		const HalfEdge *this = &half[i];
		if (i > 0 && half[i - 1].low == this->low && half[i - 1].high == this->high) {
			HingeStencil hinge = {{this->low, this->high, half[i - 1].opposite, this->opposite}};
			g_array_append_val(hinges, hinge);
		} else {
			Edge side = {{this->low, this->high}};
			g_array_append_val(sides, side);
		}
	}
}

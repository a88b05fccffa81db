/* The sides of a triangle mesh, and its hinges: sides between two triangles. */
#ifndef CINCH_SHELLS_TOPOLOGY_H
#define CINCH_SHELLS_TOPOLOGY_H

#include "shells/shape.h"

/* Vertices (start, end, left, right): the triangles are (start, end, left) and (end, start, right). */
typedef struct {
	uint32_t v[4];
} HingeStencil;

/* Sides (Edge, start < end) in ascending order; hinges (HingeStencil) in the order of their sides. The mesh is a manifold
 * with consistent orientation (shape_check). */
void topology_find(const Triangle *triangle, size_t n, GArray *sides, GArray *hinges);

#endif

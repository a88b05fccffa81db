/* A binary tree of bounds over all elements. Made once from where the elements are; then only its bounds move.
 *
 * A node comes before its children. Bounds are linear in time (dop.h), and are made anew for all nodes above a vertex
 * whose flight plan changes. */
#ifndef CINCH_KDS_HIERARCHY_H
#define CINCH_KDS_HIERARCHY_H

#include "contact/surface.h"
#include "kds/dop.h"

#define HIERARCHY_NONE UINT32_MAX

typedef struct {
	Dop dop;
	uint32_t parent;      /* HIERARCHY_NONE for the root */
	uint32_t left, right; /* children; a leaf has right = HIERARCHY_NONE and its element in left */
	uint32_t body;        /* of all its elements; HIERARCHY_NONE when they are of several */
	uint32_t stamp;       /* of the last refit */
	bool moves;           /* whether any of its vertices is not held */
} Node;

typedef struct {
	const Surface *surface;
	const Flight *flight;
	uint32_t n_nodes;
	Node *node;            /* (n_nodes) */
	uint32_t *leaf_begin;  /* (vertices + 1) in leaf_of */
	uint32_t *leaf_of;     /* leaves of the elements of each vertex */
	uint32_t stamp;
	uint32_t n_stale;
	uint32_t *stale;       /* (n_nodes) nodes of the last refit, children before parents */
} Hierarchy;

Hierarchy *hierarchy_new(const Surface *surface, const Flight *flight, double time);
void hierarchy_free(Hierarchy *hierarchy);

static inline bool hierarchy_is_leaf(const Node *node)
{
	return node->right == HIERARCHY_NONE;
}

/* Lists the nodes above these vertices in `stale`, without new bounds: for whoever keeps bounds of another kind (volume.h). */
void hierarchy_touch(Hierarchy *hierarchy, const uint32_t *vertex, size_t n);
/* New bounds, at `time`, for all nodes above these vertices; they are listed in `stale`. */
void hierarchy_refit(Hierarchy *hierarchy, double time, const uint32_t *vertex, size_t n);

/* Whether every vertex is within the bounds of its nodes at a time: for tests. */
bool hierarchy_validate(const Hierarchy *hierarchy, double time);

#endif

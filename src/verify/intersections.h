/* All pairs of elements that meet, exactly, at rest or while their vertices move on straight lines.
 *
 * Elements are counted through: triangles, then loose edges, then particles. Touching is meeting; elements that share
 * vertices meet only outside of what they share (see meet.h). */
#ifndef CINCH_VERIFY_INTERSECTIONS_H
#define CINCH_VERIFY_INTERSECTIONS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
	const double (*x)[3];     /* [length] (vertices) finite */
	const double (*moved)[3]; /* [length] (vertices) finite: where they go, all in the same time; NULL: they rest */
	uint32_t n_triangles;
	const uint32_t (*triangle)[3];
	uint32_t n_edges;
	const uint32_t (*edge)[2];
	uint32_t n_particles;
	const uint32_t *particle;
} IntersectionsInput;

typedef struct {
	uint32_t a, b; /* elements, a < b */
} Intersection;

/* The corners of an element; returns how many there are. */
int intersections_corners(const IntersectionsInput *input, uint32_t element, uint32_t corner[3]);

/* Whether two elements, as lists of corners, have one in common. */
bool intersections_share_vertex(const uint32_t *a, int n_a, const uint32_t *b, int n_b);

/* GArray of Intersection, in ascending order; empty when nothing meets. Elements that share vertices are looked at only
 * where they are at first: what shares a vertex touches on all of its way. */
GArray *intersections_find(const IntersectionsInput *input);

#endif

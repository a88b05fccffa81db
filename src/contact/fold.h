/* Folds: how much a side between two triangles stands out from them.
 *
 * Vertices over flat ground feel its distance, however it is cut into triangles (penalty.h). Edges that cross over it would
 * count besides, and their number changes as one slides: flat ground would be a washboard. They are not needed there. On a
 * flat patch the distance from another straight edge is linear along that edge, so it is least where one of them ends or
 * where the patch does: a vertex, a rim, or a fold guards it. So an edge counts by how much it is one: 0 where its
 * triangles are in one plane, 1 from a fold of about 26 degrees on, and smooth between,
 *
 *   q (2 - q),  q = (1 - cos(angle))/0.1,  cos(angle) = n1 . n2 of the triangles' normals.
 *
 * Edges with one triangle, with none, or with more than two always count. Vertices of ground that is held count in the same
 * way, by the folds that they are on: what moves has vertices of its own, which feel the ground. Of two that move, the
 * vertices of both count always. The weight has a slope, which belongs to the
 * force: it acts on the two triangles' vertices, adds up to nothing, and turns nothing. */
#ifndef CINCH_CONTACT_FOLD_H
#define CINCH_CONTACT_FOLD_H

#include "core/vec.h"

enum { FOLD_CORNERS = 4 }; /* start and end of the edge, the vertices across it on either side */

typedef struct {
	double weight;
	Vec3 slope[FOLD_CORNERS]; /* [1/length] */
} Fold;

/* Of an edge whose two triangles have their corners at x. */
Fold fold_of(const Vec3 x[FOLD_CORNERS]);

#endif

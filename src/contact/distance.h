/* Distances of primitives: how close, where, and in which direction.
 *
 * A primitive pair has up to four corners, those of its first primitive before those of its second:
 *   vertex-triangle  v | a b c      edge-edge  a b | c d      vertex-edge  v | a b      vertex-vertex  v | w
 * The closest points are clamped to the primitives, so a vertex-triangle pair also stands for the triangle's sides and
 * corners. With the weights w of the closest points (those of the first primitive sum to 1, those of the second to -1),
 * the difference of the closest points is sum w_i x_i, and the gradient of the distance is w_i n at corner i: the weights
 * are a minimum, so their own change does not count. */
#ifndef CINCH_CONTACT_DISTANCE_H
#define CINCH_CONTACT_DISTANCE_H

#include "core/vec.h"

typedef enum {
	PAIR_VERTEX_TRIANGLE,
	PAIR_EDGE_EDGE,
	PAIR_VERTEX_EDGE,
	PAIR_VERTEX_VERTEX,
	PAIR_N_KINDS
} PairKind;

enum { PAIR_MOST_CORNERS = 4 };

/* How many corners the pair has, and how many of them are the first primitive's. */
extern const int distance_corners[PAIR_N_KINDS];
extern const int distance_first[PAIR_N_KINDS];

typedef struct {
	double distance;                  /* [length] of the closest points, from 0 */
	double weight[PAIR_MOST_CORNERS]; /* of the corners; 0 beyond the pair's */
	Vec3 normal;                      /* unit vector from the second primitive to the first; zero at distance 0 */
} Closest;

/* The closest points of two primitives with corners at x. Degenerate primitives (a triangle without area, an edge without
 * length, parallel edges) give a pair of points that is as close as any to within rounding, never an invalid one. */
Closest distance_closest(PairKind kind, const Vec3 *x);

/* A smooth weight of edge-edge pairs, for the direction between closest points of parallel edges jumps when they turn:
 * 0 when parallel, 1 from |e1 x e2|^2 = scale on, q (2 - q) with q = |e1 x e2|^2/scale between. What it takes away
 * near the parallel is guarded by the corners of the edges, in vertex-triangle or vertex-edge pairs. gradient (4 corners)
 * may be NULL. */
double distance_mollifier(const Vec3 x[4], double scale, Vec3 *gradient);

#endif

/* Convex hulls of points, by Qhull. */
#ifndef CINCH_SCENE_GENERATE_HULL_H
#define CINCH_SCENE_GENERATE_HULL_H

#include "shells/shape.h"

/* Points evenly over the sphere of radius 1 (GArray of Vec3): Fibonacci's lattice, from pole to pole in equal steps of y and by the
 * golden angle around. */
GArray *generate_hull_lattice(uint32_t count);

/* Adds the hull of the points (GArray of Vec3) to a shape, facing outward: the corners in the order of the points, without those
 * that are inside. False when the points have no volume. */
bool generate_hull_add(Shape *shape, const GArray *points);

#endif

/* What the OBJ reader keeps apart from its statements: dividing a polygon into triangles. */
#ifndef CINCH_IO_OBJ_INTERNAL_H
#define CINCH_IO_OBJ_INTERNAL_H

#include "shells/shape.h"

/* Adds the triangles of a polygon whose corners are vertices of the shape. A convex one becomes a fan around its first
 * corner. False when it is not a simple polygon: nothing is then added. */
bool obj_add_polygon(Shape *shape, const uint32_t *corner, size_t n_corners);

#endif

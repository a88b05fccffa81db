/* Wavefront OBJ: vertices, polygons (triangulated), lines (loose edges) and points (particles) in; frames out. */
#ifndef CINCH_IO_OBJ_H
#define CINCH_IO_OBJ_H

#include "shells/shape.h"

/* Reads a file into a new shape whose vertex order is the file's. Groups ("g", "o") become vertex sets of their names.
 * Errors name the file and the line. */
Shape *obj_read(const char *path, GError **error);

/* Like obj_read, from text in memory. */
Shape *obj_parse(const char *name, const char *text, size_t length, GError **error);

/* Replaces shape->rest by the vertex positions of a second file, which must have as many vertices. */
bool obj_read_rest(Shape *shape, const char *path, GError **error);
/* The same when that file, `name` in messages, has been read. */
bool obj_take_rest(Shape *shape, const Shape *rest, const char *name, GError **error);

/* Writes positions (3 per vertex, 17 significant digits, so that reading gives the same bits) with the elements.
 * Written under a temporary name and renamed when complete. */
bool obj_write(const char *path, const char *comment, const double *position, size_t n_vertices,
    const uint32_t (*triangle)[3], size_t n_triangles, const uint32_t (*edge)[2], size_t n_edges,
    const uint32_t *particle, size_t n_particles, GError **error);

#endif

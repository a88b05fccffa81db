/* PLY files: vertices, polygons (triangulated) and edges in. */
#ifndef CINCH_IO_PLY_H
#define CINCH_IO_PLY_H

#include "shells/shape.h"

/* Reads a file, in text or in little-endian binary, into a new shape whose vertex order is the file's. */
Shape *ply_read(const char *path, GError **error);

/* Like ply_read, from bytes in memory. */
Shape *ply_parse(const char *name, const void *data, size_t size, GError **error);

#endif

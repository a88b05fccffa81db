/* Wavefront OBJ: vertices, polygons (triangulated), lines (loose edges) and points (particles) in; frames out. */
#ifndef CINCH_IO_OBJ_H
#define CINCH_IO_OBJ_H

#include "shells/shape.h"

/* Reads a file into a new shape whose vertex order is the file's. Groups ("g", "o") become vertex sets of their names.
 * Errors name the file and the line. */
Shape *obj_read(const char *path, GError **error);

/* Like obj_read, from text in memory. */
Shape *obj_parse(const char *name, const char *text, size_t length, GError **error);

/* The faces of a file as they stand in it, before they are divided into triangles. */
typedef struct {
	GArray *first;      /* uint32_t: where each face begins among the corners */
	GArray *corner;     /* uint32_t: vertices */
	GArray *texture;    /* uint32_t: beside each corner, among the coordinates; OBJ_NONE */
	GArray *coordinate; /* double, two each: "vt" */
	GArray *group;      /* uint32_t: of each face, among the names; OBJ_NONE */
	GPtrArray *name;    /* char *: what stood behind "g", or else behind "o" */
} ObjFaces;

#define OBJ_NONE UINT32_MAX

/* Like obj_parse, and tells the faces besides. */
Shape *obj_parse_faces(const char *name, const char *text, size_t length, ObjFaces **faces, GError **error);
void obj_faces_free(ObjFaces *faces);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ObjFaces, obj_faces_free)

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

/* A shape: the geometry of one body as it was generated or read, before it enters the world.
 *
 * Triangles, loose edges and particles all refer to the shape's own vertices, counted from 0. `rest` is the shape in
 * which nothing is strained or bent; `position` is where the vertices are at time zero. Generators also name vertex
 * sets that only they know (the ends of a ribbon, the sides of a sheet). */
#ifndef CINCH_SHELLS_SHAPE_H
#define CINCH_SHELLS_SHAPE_H

#include "core/vec.h"
#include <glib.h>
#include <stdint.h>

typedef struct {
	uint32_t v[3];
} Triangle;

typedef struct {
	uint32_t v[2];
} Edge;

typedef struct {
	GArray *position; /* Vec3 [length], one per vertex */
	GArray *rest;     /* Vec3 [length], one per vertex; as long as position */
	GArray *triangle; /* Triangle */
	GArray *edge;     /* Edge: loose edges (springs), not sides of triangles */
	GArray *particle; /* uint32_t: vertices that are particles */
	GHashTable *sets; /* char * -> GArray of uint32_t: vertex sets by name, ascending */
} Shape;

Shape *shape_new(void);
void shape_free(Shape *shape);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Shape, shape_free)

/* Appends a vertex whose rest position is its position; returns its index. */
uint32_t shape_add_vertex(Shape *shape, Vec3 position);
void shape_add_triangle(Shape *shape, uint32_t a, uint32_t b, uint32_t c);
void shape_add_edge(Shape *shape, uint32_t a, uint32_t b);
void shape_add_particle(Shape *shape, uint32_t vertex);
/* Adds a vertex to the set of that name, made when it is new. */
void shape_add_to_set(Shape *shape, const char *name, uint32_t vertex);

static inline uint32_t shape_vertex_count(const Shape *shape)
{
	return shape->position->len;
}

/* Adds the set "boundary": the vertices of sides that belong to one triangle only. */
void shape_name_boundary(Shape *shape);

/* Checks the shape: indices in range, finite coordinates, no triangle that repeats a vertex or has no area at rest, no
 * side shared by more than two triangles or by two triangles of opposite orientation, no vertex without an element.
 * `where` ("cloth.obj", "meshes[0]") begins the message. */
bool shape_check(const Shape *shape, const char *where, GError **error);

#endif

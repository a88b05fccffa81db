/* The world: all bodies in one set of arrays, what they are made of, and what acts on them. Made by the scene, constant
 * during a run. */
#ifndef CINCH_SHELLS_WORLD_H
#define CINCH_SHELLS_WORLD_H

#include "avi/flight.h"
#include "core/units.h"
#include "shells/field.h"
#include "shells/material.h"
#include "shells/script.h"
#include "shells/shape.h"

typedef enum {
	HELD_NOT,
	HELD_PINNED,
	HELD_SCRIPTED
} Held;

typedef struct {
	char *name;
	const Material *material;
	uint32_t first_vertex, n_vertices;
	uint32_t first_triangle, n_triangles;
	uint32_t first_edge, n_edges; /* loose */
	uint32_t first_particle, n_particles;
	double thickness; /* [length] in contact: surfaces stay this far apart, half of it on either side */
	bool no_self;     /* it does not meet itself */
	double remove_at; /* [s] when it is taken away; INFINITY: never */
	GHashTable *sets; /* char * -> GArray of uint32_t: the shape's own vertex sets, as indices in the world */
} Body;

typedef enum {
	LOAD_FORCE,
	LOAD_PRESSURE,
	LOAD_WIND
} LoadKind;

typedef struct {
	LoadKind kind;
	Profile *profile;    /* NULL: constant */
	GArray *vertices;    /* uint32_t, of LOAD_FORCE */
	Vec3 force;          /* [force] on each vertex; [length/s] velocity of the wind */
	GArray *bodies;      /* uint32_t, of the others: indices of bodies */
	double pressure;     /* [force/area] */
	double air_density;  /* [mass/volume] */
	double drag, friction; /* coefficients of the wind */
} Load;

/* A set that something holds, moves or pulls at. */
typedef struct {
	char *name;
	GArray *vertices; /* uint32_t */
} WorldEnd;

typedef struct {
	const UnitSystem *units;
	Vec3 gravity; /* [length/s^2] */

	GArray *rest;     /* Vec3 [length], one per vertex */
	GArray *position; /* Vec3 [length], at time zero */
	GArray *velocity; /* Vec3 [length/s], at time zero */
	GArray *mass;     /* double [mass] */
	GArray *held;     /* uint8_t: Held */
	GArray *triangle; /* Triangle, of all bodies */
	GArray *edge;     /* Edge: loose edges */
	GArray *particle; /* uint32_t */

	GPtrArray *bodies;    /* Body */
	GPtrArray *materials; /* Material */
	GPtrArray *loads;     /* Load */
	GPtrArray *scripts;   /* Script */
	GPtrArray *ends;      /* WorldEnd, in the order of pins, loads and scripts; each name once */
} World;

/* Remembers the set as an end, unless one of that name is known. */
void world_add_end(World *world, const char *name, const GArray *vertices);

World *world_new(void);
void world_free(World *world);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(World, world_free)

/* Adds a checked shape as a body: its elements, its vertices' masses (a third of each triangle, half of each loose edge,
 * the whole of a particle) and its vertex sets. */
Body *world_add_body(World *world, const char *name, const Material *material, const Shape *shape);

Body *world_find_body(const World *world, const char *name);
static inline uint32_t world_vertex_count(const World *world)
{
	return world->position->len;
}

/* Flight plans of all vertices at time zero. */
Flight *world_flights(const World *world);

/* The name of the body that a vertex belongs to. */
const char *world_body_of(const World *world, uint32_t vertex);

/* Bytes of its arrays: what is there, without what containers keep in reserve. */
size_t world_memory(const World *world);

/* The fields of all forces (GPtrArray of Field, not empty of elements), in a fixed order, sealed with their clocks.
 * Elements all of whose vertices are held do nothing and are left out. */
GPtrArray *world_assemble(const World *world, const StepRule *rule, const Flight *flight);

#endif

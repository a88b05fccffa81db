/* What can be known of a scene's contact before it is run: whether anything intersects, what is close, whether the
 * meshes can live with layers that thick, and whether bodies that are moved by scripts are moved through each other. */
#ifndef CINCH_SIM_PREFLIGHT_H
#define CINCH_SIM_PREFLIGHT_H

#include "contact/surface.h"
#include "kds/proximity.h"
#include "scene/scene.h"
#include "verify/intersections.h"

typedef struct {
	const Scene *scene;
	Surface *surface;      /* NULL: contact is off */
	GArray *intersections; /* Intersection: elements that meet, exactly, and should not */
	GArray *overlaps;      /* Proximity: apart, but not by their thickness */
	GArray *close;         /* Proximity: apart by less than eta1; allowed */
	GArray *rest;          /* Proximity: pairs of one body that are closer than eta1 at rest: the mesh fights itself */
	double largest_eta1;   /* [length] that the rest shapes allow; INFINITY: any */
	Proximity clearance;   /* the closest pair of those that are not neighbours of one mesh; its gap INFINITY: none within the reach */
	double reach;          /* [length] how far that was looked for */
	double held_time;      /* [s] of the first collision of held bodies; negative: none */
	Intersection held;     /* that collision */
	uint32_t held_samples; /* how many stretches of time were looked at */
} Preflight;

/* `thorough` looks at rest shapes and scripts too. */
Preflight *preflight_new(const Scene *scene, bool thorough);
void preflight_free(Preflight *preflight);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Preflight, preflight_free)

/* Whether the scene may be run; one sentence with the first offenders when not. */
bool preflight_allows(const Preflight *preflight, GError **error);

/* The elements of a world, at rest or on the way to `moved`; both may be NULL. */
IntersectionsInput preflight_mesh(const World *world, const Vec3 *position, const Vec3 *moved);

/* "triangle 12 of cloth"; free with g_free. */
char *preflight_element_name(const Preflight *preflight, uint32_t element);
/* "vertex 3 of cloth and triangle 4-5-6 of ball" */
char *preflight_pair_name(const Preflight *preflight, const ContactPair *pair);

/* Writes all elements that intersect or overlap as an OBJ file. */
bool preflight_write_offenders(const Preflight *preflight, const char *path, GError **error);

#endif

/* Light: a sky, brighter above, and a lamp that is not a point. Both are many distant lamps, each with a shadow map: what
 * is near other things gets less sky (ambient occlusion that knows what the camera does not see), and shadows are
 * soft. The lamps stand still while the camera and the scene move, and the maps lie on a grid that is fixed for the
 * whole motion: shades do not flicker. */
#ifndef CINCH_LOOK_LIGHT_H
#define CINCH_LOOK_LIGHT_H

#include "core/vec.h"
#include "look/model.h"

typedef struct Light Light;

typedef struct {
	Vec3 centre;      /* [length] of all that will ever cast a shadow */
	double radius;    /* [length] */
	Vec3 up;          /* where the sky is */
	Vec3 lamp;        /* unit vector towards the lamp */
	unsigned quality; /* 1 draft, 2 good, 3 best */
} LightPlan;

/* How much arrives at a place with a normal: 1 is what a plane in the open gets that is level or faces the lamp. */
typedef struct {
	float sky, lamp;
} Illumination;

Light *light_new(const LightPlan *plan);
void light_free(Light *light);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Light, light_free)

/* Makes the shadow maps of the model as it stands. */
void light_cast(Light *light, const Model *model);
/* The unit vector towards the lamp. */
Vec3 light_lamp(const Light *light);
Illumination light_at(const Light *light, Vec3 point, Vec3 normal);

#endif

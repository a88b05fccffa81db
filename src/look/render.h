/* A model, seen by a camera, in light: the picture.
 *
 * Faces are drawn into a raster of several samples per pixel, a band of rows at a time; then each face that a pixel shows is
 * shaded once, and counts by its samples. Both sides of a face are seen, the back one in a paler colour. */
#ifndef CINCH_LOOK_RENDER_H
#define CINCH_LOOK_RENDER_H

#include "look/camera.h"
#include "look/image.h"
#include "look/light.h"

typedef struct {
	Camera camera;
	const Light *light;
	unsigned samples;      /* of a pixel, along each side; at most RENDER_MOST_SAMPLES */
	const Colour *body;    /* (bodies) */
	const float *value;    /* (vertices) 0 to 1, for colour_scale(); NULL: all bodies have their colours ... */
	const bool *plain;     /* (bodies) ... and these in any case */
	bool wireframe;        /* sides of the mesh are drawn */
	Colour top, bottom;    /* of the background */
	bool ground;           /* a floor that shows nothing but shadows ... */
	Vec3 up;               /* ... at this height along this unit vector ... */
	double height;         /* [length] */
	Vec3 centre;           /* ... and around this, fading out at some radii */
	double radius;         /* [length] */
} RenderPlan;

enum { RENDER_MOST_SAMPLES = 4 };

void render_draw(const RenderPlan *plan, const Model *model, Image *image);

#endif

/* Where one looks from. */
#ifndef CINCH_LOOK_CAMERA_H
#define CINCH_LOOK_CAMERA_H

#include "core/vec.h"
#include "look/raster.h"

typedef struct {
	Vec3 eye, right, up, back; /* unit vectors of the view; back points from the scene to the eye */
	double scale;              /* [pixels] of a length of 1 at the distance 1 */
	double centre_x, centre_y; /* [pixels] where the axis of view meets the picture */
	double nearest;            /* [length] what is nearer than this is cut off */
} Camera;

/* A view in a direction, in degrees: around `vertical` from `front`, and above the horizon. The distance and the place are
 * such that all points are in the picture, as large as can be, with a margin. */
typedef struct {
	Vec3 vertical, front; /* unit vectors at right angles */
	double azimuth, elevation;
	double zoom;  /* 1: all is in the picture */
	double angle; /* [degrees] of the field of view, along the shorter side */
	int width, height;
	double aside; /* [pixels] of the width, on the right, that are for something else */
} CameraView;

Camera camera_frame(const CameraView *view, const Vec3 *point, size_t n);

/* The vector from the eye's place to a point, in the coordinates of the view: right, up, and ahead. */
Vec3 camera_look(const Camera *camera, Vec3 point);
/* Where a point of the view is on the picture; its front is 1/distance ahead. */
RasterCorner camera_project(const Camera *camera, Vec3 look, double samples);
/* The direction from the eye through a place on the picture [pixels]; its part ahead is 1. */
Vec3 camera_ray(const Camera *camera, double x, double y);

#endif

#include "look/camera.h"

#define MARGIN 0.05 /* of the picture, on each side */

/* The least place of the eye, along one axis, from which all points are between two planes through it that make the slopes
 * +-k with the axis of view. A point at (s, a), s sideways and a ahead, is above one plane and below the other when
 * |s - s0| <= k (a - a0): so s0 and a0 follow from the extremes of s - k a and s + k a. */
typedef struct {
	double sideways, ahead;
} Fit;

static Fit fit_axis(const Camera *camera, Vec3 side, double slope, const Vec3 *point, size_t n)
{
	double most = -INFINITY, least = INFINITY;
	for (size_t i = 0; i < n; i++) {
		double s = vec3_dot(side, point[i]), a = -vec3_dot(camera->back, point[i]);
		most = fmax(most, s - slope * a);
		least = fmin(least, s + slope * a);
	}
	return (Fit){0.5 * (most + least), (least - most) / (2.0 * slope)};
}

static void orient(Camera *camera, const CameraView *view)
{
	double azimuth = view->azimuth * (G_PI / 180.0), elevation = view->elevation * (G_PI / 180.0);
	Vec3 side = vec3_cross(view->vertical, view->front);
	Vec3 level = vec3_madd(vec3_scale(cos(azimuth), view->front), sin(azimuth), side);
	camera->back = vec3_madd(vec3_scale(cos(elevation), level), sin(elevation), view->vertical);
	camera->right = vec3_madd(vec3_scale(cos(azimuth), side), -sin(azimuth), view->front);
	camera->up = vec3_cross(camera->back, camera->right);
}

Camera camera_frame(const CameraView *view, const Vec3 *point, size_t n)
{
	double width = view->width - view->aside;
	Camera camera = {.centre_x = 0.5 * width, .centre_y = 0.5 * view->height};
	orient(&camera, view);
	double shorter = fmin(width, view->height);
	camera.scale = 0.5 * shorter / tan(0.5 * view->angle * (G_PI / 180.0));
	double half = (0.5 - MARGIN) / camera.scale;
	Fit x = fit_axis(&camera, camera.right, half * width, point, n);
	Fit y = fit_axis(&camera, camera.up, half * view->height, point, n);
	double ahead = fmin(x.ahead, y.ahead), nearest = INFINITY, farthest = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		double a = -vec3_dot(camera.back, point[i]);
		nearest = fmin(nearest, a);
		farthest = fmax(farthest, a);
	}
	/* Nothing, or one point: any distance will do. */
	double size = n > 0 ? farthest - nearest + fabs(nearest - ahead) : 1.0;
	ahead = n > 0 && nearest - ahead > 0.0 ? ahead : (n > 0 ? nearest : 0.0) - fmax(size, 1e-9);
	camera.eye = vec3_scale(-ahead, camera.back);
	if (n > 0)
		camera.eye = vec3_add(camera.eye,
		    vec3_madd(vec3_scale(x.sideways, camera.right), y.sideways, camera.up));
	camera.nearest = 1e-3 * fmax(size, 1e-9);
	camera.scale *= view->zoom; /* a narrower view of the same middle */
	return camera;
}

Vec3 camera_look(const Camera *camera, Vec3 point)
{
	Vec3 d = vec3_sub(point, camera->eye);
	return vec3(vec3_dot(d, camera->right), vec3_dot(d, camera->up), -vec3_dot(d, camera->back));
}

RasterCorner camera_project(const Camera *camera, Vec3 look, double samples)
{
	double scale = camera->scale / look.z;
	return (RasterCorner){(camera->centre_x + scale * look.x) * samples, (camera->centre_y - scale * look.y) * samples,
	    1.0 / look.z};
}

Vec3 camera_ray(const Camera *camera, double x, double y)
{
	double right = (x - camera->centre_x) / camera->scale, up = (camera->centre_y - y) / camera->scale;
	return vec3_sub(vec3_madd(vec3_scale(right, camera->right), up, camera->up), camera->back);
}

/* Polygons into triangles by clipping ears, seen along the polygon's own normal.
 *
 * An ear is a corner with positive area whose closed triangle holds no other corner: the closed test keeps corners that
 * lie on a side from being left behind in a triangle without area. Corners are tried in the order of the file, starting
 * with the second, so that the result depends on the file alone and is a fan for a convex polygon.
 *
 * A corner that is no ear stays none until one of its neighbours is clipped: a corner that its triangle holds and that
 * is an ear itself has a neighbour in the triangle too, which is there still. So a polygon of n corners takes about n^2
 * steps, not n^3. */
#include "io/obj_internal.h"

/* Relative to twice the area of the polygon: coordinates with 15 digits make a straight row of corners bend less. */
#define FLATNESS 1e-12

typedef struct {
	uint32_t vertex;
	bool no_ear; /* and will be none before a neighbour is clipped; set by is_ear() */
} Corner;

typedef struct {
	const Vec3 *position;
	GArray *corner; /* Corner: what is left of the polygon */
	Vec3 normal;    /* unit */
	double least;   /* [length^2] twice the area below which a triangle counts as flat */
} Polygon;

static Corner *corner_of(const Polygon *polygon, size_t i)
{
	return &g_array_index(polygon->corner, Corner, i % polygon->corner->len);
}

static Vec3 corner_at(const Polygon *polygon, size_t i)
{
	return polygon->position[corner_of(polygon, i)->vertex];
}

/* Newell's normal; its length is twice the area of the polygon. Taken about the first corner to lose no digits far from
 * the origin. */
static Vec3 area_normal(const Polygon *polygon)
{
	Vec3 origin = corner_at(polygon, 0), sum = vec3(0, 0, 0);
	for (size_t i = 1; i + 1 < polygon->corner->len; i++) {
		Vec3 a = vec3_sub(corner_at(polygon, i), origin), b = vec3_sub(corner_at(polygon, i + 1), origin);
		sum = vec3_add(sum, vec3_cross(a, b));
	}
	return sum;
}

/* Twice the signed area of the triangle as seen along the normal. */
static double signed_area(const Polygon *polygon, Vec3 a, Vec3 b, Vec3 c)
{
	return vec3_dot(polygon->normal, vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
}

static bool is_ear(const Polygon *polygon, size_t i)
{
	size_t n = polygon->corner->len;
	Corner *corner = corner_of(polygon, i);
	if (corner->no_ear)
		return false;
	Vec3 a = corner_at(polygon, i + n - 1), b = corner_at(polygon, i), c = corner_at(polygon, i + 1);
	corner->no_ear = signed_area(polygon, a, b, c) <= polygon->least;
	for (size_t k = i + 2; k < i + n - 1 && !corner->no_ear; k++) {
		Vec3 p = corner_at(polygon, k);
		corner->no_ear = signed_area(polygon, a, b, p) >= -polygon->least &&
		                 signed_area(polygon, b, c, p) >= -polygon->least &&
		                 signed_area(polygon, c, a, p) >= -polygon->least;
	}
	return !corner->no_ear;
}

static bool clip_ear(Polygon *polygon, GArray *triangles)
{
	size_t n = polygon->corner->len;
	for (size_t tried = 1; tried <= n; tried++) {
		size_t i = tried % n;
		if (!is_ear(polygon, i))
			continue;
		Triangle triangle = {{corner_of(polygon, i + n - 1)->vertex, corner_of(polygon, i)->vertex,
		    corner_of(polygon, i + 1)->vertex}};
		g_array_append_val(triangles, triangle);
		corner_of(polygon, i + n - 1)->no_ear = false;
		corner_of(polygon, i + 1)->no_ear = false;
		g_array_remove_index(polygon->corner, (guint)i);
		return true;
	}
	return false;
}

bool obj_add_polygon(Shape *shape, const uint32_t *corner, size_t n_corners)
{
	if (n_corners == 3) {
		/* Whether its area is enough is the shape's own check, not a question of dividing. */
		shape_add_triangle(shape, corner[0], corner[1], corner[2]);
		return true;
	}
	g_autoptr(GArray) left = g_array_sized_new(false, true, sizeof(Corner), (guint)n_corners);
	g_array_set_size(left, (guint)n_corners);
	for (size_t i = 0; i < n_corners; i++)
		g_array_index(left, Corner, i).vertex = corner[i];
	g_autoptr(GArray) triangles = g_array_new(false, false, sizeof(Triangle));
	Polygon polygon = {(const Vec3 *)shape->position->data, left, vec3(0, 0, 0), 0};
	Vec3 normal = area_normal(&polygon);
	double area = vec3_norm(normal);
	if (!(area > 0.0) || !isfinite(area))
		return false;
	polygon.normal = vec3_scale(1.0 / area, normal);
	polygon.least = FLATNESS * area;
	while (left->len >= 3 && clip_ear(&polygon, triangles))
		;
	if (left->len > 2)
		return false;
	for (guint i = 0; i < triangles->len; i++) {
		const Triangle *triangle = &g_array_index(triangles, Triangle, i);
		shape_add_triangle(shape, triangle->v[0], triangle->v[1], triangle->v[2]);
	}
	return true;
}

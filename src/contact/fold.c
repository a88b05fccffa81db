#include "contact/fold.h"

/* Narrower, and the weight would change so fast with the angle that it, not the layer, would set the step: its second
 * derivative adds about (eta/height)^2/(2 * 0.1) times the layer's stiffness, where eta is a quarter of the triangles'
 * height at the most. */
#define FOLD_RANGE 0.1

/* Less than this is rounding: an angle of 4e-11. */
#define FOLD_LEAST 1e-20

/* Twice the area of the triangle (start, end, tip), as a vector, and its unit vector. */
typedef struct {
	Vec3 side, across; /* from start to end, from start to the tip */
	Vec3 unit;
	double area;
} Face;

static Face face_of(Vec3 start, Vec3 end, Vec3 tip)
{
	Face face = {.side = vec3_sub(end, start), .across = vec3_sub(tip, start)};
	Vec3 normal = vec3_cross(face.side, face.across);
	face.area = vec3_norm(normal);
	face.unit = face.area > 0.0 ? vec3_scale(1.0 / face.area, normal) : normal;
	return face;
}

/* Adds the slope of `scale` times unit . other at the corners start, end and tip of the face. */
static void add_slope(const Face *face, Vec3 other, double scale, Vec3 *start, Vec3 *end, Vec3 *tip)
{
	/* d(unit) = (d normal - unit (unit . d normal))/area, so only what of `other` is across the unit counts. */
	Vec3 across = vec3_madd(other, -vec3_dot(other, face->unit), face->unit);
	Vec3 p = vec3_scale(scale / face->area, across);
	Vec3 at_end = vec3_cross(face->across, p), at_tip = vec3_cross(p, face->side);
	*end = vec3_add(*end, at_end);
	*tip = vec3_add(*tip, at_tip);
	*start = vec3_sub(*start, vec3_add(at_end, at_tip));
}

Fold fold_of(const Vec3 x[FOLD_CORNERS])
{
	Fold fold = {.weight = 1.0};
	Face one = face_of(x[0], x[1], x[2]), other = face_of(x[1], x[0], x[3]);
	/* A triangle without area has no angle: in doubt the edge counts. */
	if (!(one.area > 0.0) || !(other.area > 0.0))
		return fold;
	/* |n1 - n2|^2/2 is 1 - n1 . n2 without the loss of digits. */
	double q = 0.5 * vec3_norm2(vec3_sub(one.unit, other.unit)) / FOLD_RANGE;
	if (!(q < 1.0))
		return fold;
	if (q < FOLD_LEAST)
		return (Fold){0};
	fold.weight = q * (2.0 - q);
	double slope = -(2.0 - 2.0 * q) / FOLD_RANGE;
	add_slope(&one, other.unit, slope, &fold.slope[0], &fold.slope[1], &fold.slope[2]);
	add_slope(&other, one.unit, slope, &fold.slope[1], &fold.slope[0], &fold.slope[3]);
	return fold;
}

/* Curves that strips follow. */
#ifndef CINCH_SCENE_GENERATE_CURVE_H
#define CINCH_SCENE_GENERATE_CURVE_H

#include "core/vec.h"
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define CURVE_SAMPLES_PER_SPAN 64u

typedef enum {
	CURVE_LINEAR,
	CURVE_SPLINE, /* centripetal Catmull-Rom, through the points */
	CURVE_SMOOTH  /* cubic B-spline, near the points */
} CurveKind;

typedef struct {
	const Vec3 *point; /* (n) control points */
	uint32_t n;
	bool closed;
	CurveKind kind;
} CurvePath;

typedef struct {
	Vec3 point, tangent, normal;
	double length; /* of the curve up to here */
} CurveSample;

uint32_t generate_curve_spans(const CurvePath *path);
/* Control point i, continued beyond the ends: around when closed, otherwise by reflection. */
Vec3 generate_curve_control(const CurvePath *path, int64_t i);

/* GArray of CurveSample, CURVE_SAMPLES_PER_SPAN to a span and one more, without normals. */
GArray *generate_curve_sample(const CurvePath *path);

/* The part of v across the tangent, of length 1. */
Vec3 generate_curve_across(Vec3 v, Vec3 tangent);
/* Any direction across the tangent. */
Vec3 generate_curve_normal(Vec3 tangent);

/* Carries the first sample's normal along, turning about the curve as little as possible. */
void generate_curve_carry(GArray *samples);
/* Turns the normals by `twist` [rad] in all, evenly along the curve, and by what a closed curve misses. */
void generate_curve_twist(GArray *samples, bool closed, double twist);

/* Normals with which a strip of that width, flat at rest, strains least along an open curve. The first sample must have one, which
 * stays when it is `given`. */
void generate_curve_ease(GArray *samples, double width, bool given);

#endif

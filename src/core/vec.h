/* Vectors of three doubles.
 *
 * Every operation is a fixed sequence of IEEE additions, multiplications, divisions and square roots, so that a result
 * is the same on every machine (the build forbids contraction and fast math). */
#ifndef CINCH_CORE_VEC_H
#define CINCH_CORE_VEC_H

#include <math.h>
#include <stdbool.h>

typedef struct {
	double x, y, z;
} Vec3;

static inline Vec3 vec3(double x, double y, double z)
{
	return (Vec3){x, y, z};
}

static inline Vec3 vec3_add(Vec3 a, Vec3 b)
{
	return vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline Vec3 vec3_sub(Vec3 a, Vec3 b)
{
	return vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline Vec3 vec3_scale(double s, Vec3 a)
{
	return vec3(s * a.x, s * a.y, s * a.z);
}

/* a + s b */
static inline Vec3 vec3_madd(Vec3 a, double s, Vec3 b)
{
	return vec3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline double vec3_dot(Vec3 a, Vec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline Vec3 vec3_cross(Vec3 a, Vec3 b)
{
	return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double vec3_norm2(Vec3 a)
{
	return vec3_dot(a, a);
}

static inline double vec3_norm(Vec3 a)
{
	return sqrt(vec3_norm2(a));
}

static inline double vec3_distance(Vec3 a, Vec3 b)
{
	return vec3_norm(vec3_sub(a, b));
}

static inline bool vec3_is_zero(Vec3 a)
{
	return a.x == 0.0 && a.y == 0.0 && a.z == 0.0;
}

static inline bool vec3_is_finite(Vec3 a)
{
	return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/* The unit vector of a; zero stays zero. */
static inline Vec3 vec3_unit(Vec3 a)
{
	double n = vec3_norm(a);
	return n > 0.0 ? vec3_scale(1.0 / n, a) : a;
}

#endif

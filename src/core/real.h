/* The few transcendental functions that the engine needs, made of IEEE + - * / and sqrt alone.
 *
 * The motion must be the same bits on every machine, and the functions of libm differ in the last bit between
 * processors and versions: so none of them is used below src/ outside of src/cli (tests/house/test_symbols.py says so).
 * Each of these is within 4 ulp of the true value over the stated range, or within 1e-15 of it near zeros (tests/core/test_real.c).
 *
 * isfinite, sqrt, fabs, floor, ceil, fmin, fmax, ldexp, frexp, nextafter are exact by definition and allowed. */
#ifndef CINCH_CORE_REAL_H
#define CINCH_CORE_REAL_H

#define REAL_PI 3.14159265358979323846

/* Radians; |a| up to 1e6. */
double real_sin(double a);
double real_cos(double a);

/* The angle of the point (x, y) in (-pi, pi]; 0 for the origin. */
double real_atan2(double y, double x);

/* The angle between 0 and pi whose cosine is c, |c| <= 1 (clamped). */
double real_acos(double c);

/* The number whose cube is a; a may be negative, infinite or NaN. */
double real_cube_root(double a);

/* 3t^2 - 2t^3 clamped to [0, 1]: no velocity at either end. */
double real_smoothstep(double t);

#endif

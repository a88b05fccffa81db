/* Exact tests of points at rest. Coordinates are doubles, taken as the numbers that they are; all are finite.
 *
 * A sign is first computed in floating point with a bound of its error; where that does not decide, with integers of
 * any length (GMP). This folder shares no geometry with the engine: it is the judge of it. */
#ifndef CINCH_VERIFY_EXACT_H
#define CINCH_VERIFY_EXACT_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sign of (b - a) x (c - a) . (d - a): positive when d is on the side from which a, b, c run counterclockwise. */
int exact_orient3(const double a[3], const double b[3], const double c[3], const double d[3]);

/* The sign of the component along `axis` of (b - a) x (c - a). */
int exact_orient2(int axis, const double a[3], const double b[3], const double c[3]);

/* Whether two elements meet (see meet.h): lists of 1, 2 or 3 corners, which are rows of x. Equal corners are shared
 * vertices. */
bool exact_meet(const double (*x)[3], const uint32_t *a, int n_a, const uint32_t *b, int n_b);

/* The values times a common power of two that makes all of them integers. The integers are initialised. */
void exact_integers(const double *value, size_t n, mpz_t *integer);

#endif

/* Where two primitives are closest, in plain floating point: a guess for a direction that separates them. Nothing rests
 * on it; whoever uses the direction proves it (narrow.c). */
#ifndef CINCH_VERIFY_CLOSEST_H
#define CINCH_VERIFY_CLOSEST_H

#include "verify/sweep.h"

/* The way from the closest point of the second primitive to that of the first: its length, and its direction, a unit
 * vector but for rounding; some other unit vector where they touch. `place` (may be NULL): the middle of it. */
double closest_direction(SweepKind kind, const double (*x)[3], double direction[3], double place[3]);

#endif

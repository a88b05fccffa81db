/* Flight plans: where each vertex is and where it is heading.
 *
 * A vertex moves on a straight line from its last commit: x(s) = x + (s - t) v. Reading a position at any time stores
 * nothing. Only a non-zero impulse, or a script's own tick, commits (x, t): so the motion does not depend on who looks
 * at it, or when. */
#ifndef CINCH_AVI_FLIGHT_H
#define CINCH_AVI_FLIGHT_H

#include "core/vec.h"
#include <stddef.h>

/* All that an event needs of a vertex, in one cache line: elements visit vertices in no order that arrays of x, of v
 * and of t could profit from, and would touch three lines instead of one. */
typedef struct {
	Vec3 x;              /* [length] position at time t */
	Vec3 v;              /* [length/s] velocity from t on */
	double t;            /* [s] time of the last commit */
	double inverse_mass; /* [1/mass] 0: held, by a pin or a script */
} Flight;

_Static_assert(sizeof(Flight) == 64, "a flight plan is one cache line");

static inline Vec3 flight_position(const Flight *flight, double time)
{
	return vec3_madd(flight->x, time - flight->t, flight->v);
}

/* Moves the record of the vertex to `time` and gives it a new velocity. */
static inline void flight_commit(Flight *flight, double time, Vec3 velocity)
{
	flight->x = flight_position(flight, time);
	flight->t = time;
	flight->v = velocity;
}

/* Applies an impulse; an impulse that changes nothing (or a held vertex) leaves the record alone. */
static inline void flight_kick(Flight *flight, double time, Vec3 impulse)
{
	Vec3 change = vec3_scale(flight->inverse_mass, impulse);
	if (!vec3_is_zero(change))
		flight_commit(flight, time, vec3_add(flight->v, change));
}

/* n flight plans, each on a cache line of its own, all zero. Free with free(). */
Flight *flight_allocate(size_t n);

#endif

/* Tubes: how far each vertex is from a straight line, whatever shakes it.
 *
 * Every vertex has a reference, a flight plan that nothing changes for a while, and a level: until the horizon it stays within
 * radius[level] of its reference. It also has a speed: until the horizon its velocity differs from its reference's by no more
 * than that. A vertex flies straight between two changes of its plan, so its distance from the reference, also straight, is a
 * convex function of time: inside now and inside at the horizon is inside all the time between. So a new plan costs one look
 * at where it leads at the horizon, and a vertex whose plan does not change costs nothing until then: no vertex relies on
 * anybody touching it.
 *
 * Radii and speeds are kept with a margin for rounding (DOP_ROUNDING of |x| + |v| t). */
#ifndef CINCH_KDS_TUBE_H
#define CINCH_KDS_TUBE_H

#include "kds/dop.h"
#include <glib.h>

enum { TUBE_LEVELS = 4 };

typedef struct {
	const Flight *flight; /* (n) as they are */
	Flight *reference;    /* (n) written by tube_centre() */
	double *reach2;       /* [length^2] (n) square of radius[level], less rounding; negative: never inside */
	double *speed;        /* [length/s] (n) by how much velocities may differ; written by tube_allow() */
	uint8_t *level;       /* (n) */
	size_t n;
	double radius[TUBE_LEVELS]; /* [length] ascending */
	double horizon;       /* [s] */
	double end;           /* [s] until when references are used: rounding is sized for it */
	double rounding;      /* [length] at most, of the difference of two positions of vertices; see tube_rounding() */
} Tubes;

void tube_init(Tubes *tubes, const Flight *flight, size_t n, const double *radius);
void tube_free(Tubes *tubes);

/* Each of these is about one vertex, and may be done to several at once. What they do can make tube_rounding() of the vertex
 * larger than `rounding`, which then is the caller's to raise. */

/* A reference from where the vertex is at `time`, with a velocity; the vertex is on it, at level 0. */
void tube_centre(Tubes *tubes, uint32_t vertex, double time, Vec3 velocity);
/* Lets the velocity differ by this much. */
void tube_allow(Tubes *tubes, uint32_t vertex, double speed);

/* What is no longer true of a vertex until the horizon, on its present flight plan. */
static inline bool tube_keeps_place(const Tubes *tubes, uint32_t vertex)
{
	Vec3 at = flight_position(&tubes->flight[vertex], tubes->horizon);
	Vec3 off = vec3_sub(at, flight_position(&tubes->reference[vertex], tubes->horizon));
	return vec3_norm2(off) <= tubes->reach2[vertex];
}

static inline bool tube_keeps_speed(const Tubes *tubes, uint32_t vertex)
{
	return vec3_norm2(vec3_sub(tubes->flight[vertex].v, tubes->reference[vertex].v)) <=
	       tubes->speed[vertex] * tubes->speed[vertex];
}

/* By how much the velocity differs now. */
static inline double tube_speed(const Tubes *tubes, uint32_t vertex)
{
	return vec3_distance(tubes->flight[vertex].v, tubes->reference[vertex].v);
}

/* Moves a vertex that does not keep its place up to the least level at which it does; false when there is none. */
bool tube_widen(Tubes *tubes, uint32_t vertex);

/* [length] of the difference of its position and another's that has as much. */
double tube_rounding(const Tubes *tubes, uint32_t vertex);

#endif

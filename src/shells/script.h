/* Scripted motion: vertices that are moved by keyframes instead of forces.
 *
 * A script has a clock of its own. At each tick its vertices set out for where the keyframes want them at the next tick,
 * from where they are: their flight plans are straight and join without jumps, so contact sees nothing special. */
#ifndef CINCH_SHELLS_SCRIPT_H
#define CINCH_SHELLS_SCRIPT_H

#include "avi/clock.h"
#include "avi/flight.h"
#include <stdint.h>

typedef struct {
	Clock clock;
	size_t n_vertices;
	uint32_t *vertex; /* (n_vertices) */
	Vec3 *home;       /* [length] (n_vertices) positions at time zero */
	size_t n_keys;    /* at least 2; the first is at time zero and has neither translation nor rotation */
	double *time;     /* [s] (n_keys) ascending */
	Vec3 *translate;  /* [length] (n_keys) from home */
	double *angle;    /* [rad] (n_keys) about the axis through the centre */
	Vec3 axis, centre; /* axis: unit vector */
	bool smooth;
} Script;

void script_free(Script *script);

/* Where the i-th vertex of the script is to be at a time. */
Vec3 script_target(const Script *script, size_t i, double time);

/* The next tick: new velocities for its vertices, but those that are gone (by vertex). Returns the time of the tick after
 * it, INFINITY when the script has reached its last keyframe. */
double script_tick(Script *script, Flight *flight, const uint8_t *gone);

/* The time of its next tick, INFINITY when it has reached its last keyframe. */
double script_next(const Script *script);

#endif

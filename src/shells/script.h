/* Scripted motion: vertices that are moved by keyframes, frames or a body that they follow, instead of forces.
 *
 * A script has a clock of its own. At each tick its vertices set out for where they are to be at the next tick, from where they
 * are: their flight plans are straight and join without jumps, so contact sees nothing special. Where they are to be is a
 * function of time alone: so a state has nothing of a script but its tick. */
#ifndef CINCH_SHELLS_SCRIPT_H
#define CINCH_SHELLS_SCRIPT_H

#include "avi/clock.h"
#include "avi/flight.h"
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A point that moves with a triangle: its first corner and parts of two sides, and a height above it. */
typedef struct {
	uint32_t corner[3]; /* among the vertices of the leader */
	double along[2];    /* of the sides from the first corner to the second and third */
	double height;      /* [length] along the normal */
} ScriptHold;

typedef struct Script {
	Clock clock;
	size_t n_vertices;
	uint32_t *vertex; /* (n_vertices) */
	size_t n_keys;    /* at least 2 */
	double *time;     /* [s] (n_keys) ascending; the first is zero */
	bool smooth;

	/* By keyframes: the first has neither translation nor rotation. */
	Vec3 *home;        /* [length] (n_vertices) positions at time zero */
	Vec3 *translate;   /* [length] (n_keys) from home */
	double *angle;     /* [rad] (n_keys) about the axis through the centre */
	Vec3 axis, centre; /* axis: unit vector */

	/* Or by frames. */
	Vec3 *frame; /* [length] (n_keys, n_vertices) positions; the first are those at time zero; NULL: not by frames */

	/* Or by what another moves. */
	const struct Script *leader; /* by keyframes or frames; the world's; NULL: by itself */
	ScriptHold *hold;            /* (n_vertices) */
} Script;

void script_free(Script *script);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Script, script_free)

/* Where the i-th vertex of the script is to be at a time. */
Vec3 script_target(const Script *script, size_t i, double time);

/* The point of a triangle (corners x) that is at `point`, `corner` left to the caller. */
ScriptHold script_hold(const Vec3 x[3], Vec3 point);

/* Whether it turns its vertices, so that an edge between two of them changes its direction. */
bool script_turns(const Script *script);

/* Bytes that it holds. */
size_t script_memory(const Script *script);

/* The next tick: new velocities for its vertices, but those that are gone (by vertex). Returns the time of the tick after
 * it, INFINITY when the script has reached its last keyframe. */
double script_tick(Script *script, Flight *flight, const uint8_t *gone);

/* The time of its next tick, INFINITY when it has reached its last keyframe. */
double script_next(const Script *script);

#endif

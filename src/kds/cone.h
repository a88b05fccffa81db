/* Velocity cones (thesis §8.2): certificates that stay valid while velocities change a little.
 *
 * A slab is scheduled for less than the whole interval t until it would fail, tau = (1 - quality_loss) t, and what that
 * leaves is given to the velocities: with room r between two corners that close at rate c, both may be off by
 *
 *   e = (r/tau - c)/2,  since then  r - (c + 2e) tau = 0  (the interval, not the time, stands here).
 *
 * Only what a corner does along the slab's direction counts, so it has a limit there instead of a ball: the rate at which an
 * upper corner rises may not fall below a value, nor that of a lower one exceed one. A slab whose corners keep their limits is
 * valid until its time, whoever touches them or not; one that breaks its limit is scheduled anew.
 *
 * To see that all limits of a vertex are kept takes one look: around a reference velocity there is a ball in which they all
 * are. Only when the vertex leaves it, its certificates are asked one by one, and a new ball is put around the new velocity.
 *
 * What is never going to fail, or not for long, is scheduled for a horizon: the longer that is, the narrower the limits. It
 * belongs to the certificate, which learns it from whether it lives until its time.
 *
 * All or nothing (thesis §8.5): every velocity may differ from its reference by the same speed, the width. While none differs
 * by more, no certificate is asked; when one does, all are scheduled anew. */
#ifndef CINCH_KDS_CONE_H
#define CINCH_KDS_CONE_H

#include "avi/flight.h"
#include <float.h>
#include <stdint.h>

typedef struct {
	const Flight *flight;
	size_t n;
	double quality_loss; /* 0: as exact as can be, so that every change counts; below 1 */
	double width;        /* [length/s] of all or nothing; 0: each certificate has its own */
	Vec3 *reference;     /* [length/s] (n) */
	double *radius;      /* [length/s] (n) of the ball; not above 0: every change counts */
} Cones;

void cone_init(Cones *cones, const Flight *flight, size_t n, double quality_loss);
void cone_free(Cones *cones);

/* A ball without limits around the present velocity; with all or nothing, of the width. */
void cone_centre(Cones *cones, uint32_t vertex);
/* A certificate allows the present velocity to change by `slack`. */
void cone_narrow(Cones *cones, uint32_t vertex, double slack);

static inline bool cone_keeps(const Cones *cones, uint32_t vertex)
{
	double radius = cones->radius[vertex];
	return radius > 0.0 && vec3_norm2(vec3_sub(cones->flight[vertex].v, cones->reference[vertex])) <= radius * radius;
}

/* A slab: corners of one convex thing, then of another that is below it along `normal`. */
enum { CONE_MOST_CORNERS = 6 };
typedef struct {
	int first, corners;     /* how many the upper one has, and both */
	const uint32_t *vertex; /* (corners) */
	Vec3 normal;            /* unit vector */
	double gap;             /* [length] that is kept */
} ConeSlab;

/* What a slab's certificate rests on. */
typedef struct {
	double rate[CONE_MOST_CORNERS]; /* [length/s] along the normal at least; of lower corners, against it */
	double speed;                   /* [length/s] the most that |v| may be in any corner: rounding is sized for it */
} ConeLimit;

/* Until when the slab keeps the two apart while corners are within the limits, which it sets; at most about `horizon` [s]
 * from now. -INFINITY when it does not at `time`. */
double cone_schedule(const Cones *cones, const ConeSlab *slab, double horizon, double time, ConeLimit *limit);

/* By how much the velocity of a corner may change within the limits; negative: it is beyond them. */
double cone_slack(const Cones *cones, const ConeSlab *slab, const ConeLimit *limit, int corner);

#endif

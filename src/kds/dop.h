/* 18-DOPs that move: bounds of a set of vertices along nine axes, linear in time.
 *
 * At a time s after `time` every vertex of the set has its position along axis i between low[i] + (s - time) low_rate[i]
 * and high[i] + (s - time) high_rate[i]: the rates are the least and the greatest velocity along the axis. This holds
 * until the flight plan of one of the vertices changes. Axes are unit vectors, so that a gap along one of them is a
 * lower bound of the distance. */
#ifndef CINCH_KDS_DOP_H
#define CINCH_KDS_DOP_H

#include "avi/flight.h"
#include <float.h>
#include <stdint.h>

enum { DOP_AXES = 9 };

typedef struct {
	double low[DOP_AXES], high[DOP_AXES];           /* [length] at `time` */
	double low_rate[DOP_AXES], high_rate[DOP_AXES]; /* [length/s] */
	double time;                                    /* [s] */
	double size; /* [length] largest |x| + |v| time of its vertices: rounding is in proportion to it */
} Dop;

/* Rounding of a position along an axis, evaluated any time while the flight plans last: coordinates are sums of a few
 * terms, each off by half a unit in the last place of the largest. */
#define DOP_ROUNDING (64.0 * DBL_EPSILON)

static inline void dop_project(Vec3 x, double *along)
{
	const double s = 0.70710678118654752440;
	along[0] = x.x;
	along[1] = x.y;
	along[2] = x.z;
	along[3] = s * (x.x + x.y);
	along[4] = s * (x.x - x.y);
	along[5] = s * (x.x + x.z);
	along[6] = s * (x.x - x.z);
	along[7] = s * (x.y + x.z);
	along[8] = s * (x.y - x.z);
}

static inline double dop_size(const Flight *flight, double time)
{
	return fabs(flight->x.x) + fabs(flight->x.y) + fabs(flight->x.z) +
	       (fabs(flight->v.x) + fabs(flight->v.y) + fabs(flight->v.z)) * fabs(time);
}

/* The bounds of n vertices at a time, widened by `radius`. */
Dop dop_of_vertices(const Flight *flight, const uint32_t *vertex, int n, double radius, double time);

/* The bounds of two sets together, at a time not before either's own. */
Dop dop_join(const Dop *a, const Dop *b, double time);

/* The latest time until which some axis keeps the two at least `gap` apart; -INFINITY when none does at `time`. */
double dop_failure(const Dop *a, const Dop *b, double gap, double time);

/* The earliest time at which some axis may separate the two by more than `gap`, as long as the extreme vertices stay
 * extreme: an estimate, for work that may be late. */
double dop_parting(const Dop *a, const Dop *b, double gap, double time);

#endif

/* One primitive pair in one window of a motion: certainly apart, and by how much, or touching, and when.
 *
 * What is proved: a direction n separates the pair over a stretch of time when all that the first primitive's corners reach
 * in it is ahead of all that the second's reach, along n. Which direction is tried does not matter for the proof. */
#ifndef CINCH_VERIFY_NARROW_H
#define CINCH_VERIFY_NARROW_H

#include "verify/pairs.h"
#include "verify/track.h"

/* A pair, and what is kept of it. */
typedef struct {
	uint32_t vertex[SWEEP_MOST_CORNERS]; /* corners that the kind does not have repeat the last one */
	float offset;       /* [length] rounded up */
	float direction[3]; /* that separated it last; about a unit vector, or zero at first */
	uint8_t kind;       /* SweepKind */
} NarrowPair;

typedef struct {
	uint64_t by_chord;  /* apart although each vertex is only known to be near a straight way through the window */
	uint64_t by_way;    /* apart by all points of the window ... */
	uint64_t pieces;    /* ... or by these pieces of it */
	uint64_t exactly;   /* pieces in exact arithmetic */
	uint64_t points;    /* that were looked at: the work */
	double distance;    /* [length] the pair was never closer; the least of all pairs */
	double gap;         /* [length] less the thickness */
	bool touches;
	double when;        /* [s] first */
} NarrowResult;

/* No corner 0 ... n_first - 1 comes nearer to a corner of the rest than this over the window that the track has closed, along
 * the direction, nor does any point between them: by what is known of each vertex. May be negative. */
double narrow_chord_bound(const Track *track, const uint32_t *vertex, int n_first, int n, const float direction[3]);

/* As a float that is not below it. */
float narrow_round_up(double value);

/* Both look at a pair over the window that the track has closed, and add to the result. `enough`: no use to know that the
 * pair is farther apart than this. The first is by what is known of each vertex, and false when that is not enough; *found: how
 * far apart that shows the pair to be. The second
 * is by all points of the window, which must have been gathered; it ends at the first touch. */
bool narrow_by_chord(NarrowPair *pair, const Track *track, double enough, double *found, NarrowResult *result);
void narrow_by_way(NarrowPair *pair, const Track *track, double enough, NarrowResult *result);

#endif

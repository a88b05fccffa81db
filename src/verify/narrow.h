/* One primitive pair in one window of a motion: certainly apart, and by how much, or touching, and when.
 *
 * What is proved: a direction n separates the pair over a stretch of time when all that the first primitive's corners reach
 * in it is ahead of all that the second's reach, along n. Which direction is tried does not matter for the proof. */
#ifndef CINCH_VERIFY_NARROW_H
#define CINCH_VERIFY_NARROW_H

#include "verify/pairs.h"
#include "verify/track.h"

/* A pair that is near, while the list of these lasts. */
typedef struct {
	uint32_t vertex[SWEEP_MOST_CORNERS]; /* corners that the kind does not have repeat the last one */
	float apart;         /* [length] proved where the vertices were when the list was made; rounded down */
	float offset;        /* [length] rounded up */
	uint8_t kind;        /* SweepKind */
	double direction[3]; /* that separated it last; about a unit vector */
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

/* The distance of a pair at rest, never above the true one; 0 when it could not be shown to be apart. `largest`: of all
 * coordinates, without sign. The direction that shows it is stored. */
double narrow_apart(SweepKind kind, const double (*x)[3], double largest, double direction[3]);

/* Both look at a pair over the window that the track has closed, and add to the result. `enough`: no use to know that the
 * pair is farther apart than this. The first is by what is known of each vertex, and false when that is not enough. The second
 * is by all points of the window, which must have been gathered; it ends at the first touch. */
bool narrow_by_chord(NarrowPair *pair, const Track *track, double enough, NarrowResult *result);
void narrow_by_way(NarrowPair *pair, const Track *track, double enough, NarrowResult *result);

#endif

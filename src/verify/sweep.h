/* Exact tests of points in linear motion: whether a primitive pair meets at any time of it.
 *
 * The corners move from x0 to x1 while t goes from 0 to 1. Coordinates are doubles, taken as the numbers that they are.
 * Corners are given in the order of the pair: vertex-triangle  v | a b c      edge-edge  a b | c d      vertex-edge  v
 * | a b      vertex-vertex  v | w Primitives are closed: touching is meeting, at the start and at the end too. */
#ifndef CINCH_VERIFY_SWEEP_H
#define CINCH_VERIFY_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
	SWEEP_VERTEX_TRIANGLE,
	SWEEP_EDGE_EDGE,
	SWEEP_VERTEX_EDGE,
	SWEEP_VERTEX_VERTEX,
	SWEEP_N_KINDS
} SweepKind;

enum { SWEEP_MOST_CORNERS = 4 };

/* How many corners a pair has, and how many of these are of its first primitive. */
extern const int sweep_corners[SWEEP_N_KINDS], sweep_first[SWEEP_N_KINDS];

/* How many pairs were decided, and by what. */
typedef struct {
	uint64_t by_box;       /* the boxes of the motions are apart */
	uint64_t by_direction; /* some direction separates them, by more than rounding */
	uint64_t exactly;
	uint64_t meeting; /* of all of these; none by box or direction */
} SweepCount;

/* count (may be NULL) is added to. Coordinates that are not finite meet everything: doubt is never "no contact". */
bool sweep_meets(SweepKind kind, const double (*x0)[3], const double (*x1)[3], SweepCount *count);

/* The same without the filter. Coordinates are finite. */
bool sweep_meets_exactly(SweepKind kind, const double (*x0)[3], const double (*x1)[3]);

/* A corner on its way from x0 at time t0 to x1 at the later time t1. */
typedef struct {
	double t0, t1;
	const double *x0, *x1;
} SweepSegment;

/* Whether the pair meets at any time between `from` and the later `to`, which are within the times of all segments; exact,
 * although corners that set out at different times are where no double is. *first: the first time, rounded. */
bool sweep_first_meeting(SweepKind kind, const SweepSegment *segment, double from, double to, double *first);

#endif

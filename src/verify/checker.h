/* The judge of a whole motion: given every commit (vertex, time, position), does anything ever touch?
 *
 * The motion is the polyline through the commits of each vertex. It is judged window by window, with memory for one window.
 * Everything between the first and the last window is covered, with no gap between frames or events. Touching is a violation.
 *
 * Every primitive pair, in every window, is accounted for in one of these ways:
 * - it is not near: boxes of its elements, which move along with them, stay apart (moving.h);
 * - a direction separates it, proved with a bound of rounding (narrow.h), in the whole window or piece by piece;
 * - exact arithmetic decides (sweep.h). */
#ifndef CINCH_VERIFY_CHECKER_H
#define CINCH_VERIFY_CHECKER_H

#include "verify/narrow.h"

typedef enum {
	CHECKER_PASS,       /* so far */
	CHECKER_INTERSECTS, /* at the very start */
	CHECKER_TOUCHES,
	CHECKER_MALFORMED /* no motion: a place that is no number, time that runs backward, a jump */
} CheckerOutcome;

enum { CHECKER_MOST_CORNERS = 6 };

/* What was found, and where. */
typedef struct {
	CheckerOutcome outcome;
	TrackFault fault;                      /* of a motion that is none */
	double time;                           /* [s] */
	int n_first, n;                        /* corners of the first primitive or element, and of both */
	uint32_t vertex[CHECKER_MOST_CORNERS]; /* of a fault: the first */
	double x[CHECKER_MOST_CORNERS][3];     /* [length] where they are at that time */
	double place[3];                       /* [length] */
} CheckerFinding;

typedef struct {
	uint64_t commits;   /* that bend a polyline: segments are these and one more per vertex */
	uint64_t windows;
	uint64_t near;      /* primitive pairs of elements whose boxes came near, summed over windows */
	uint64_t examined;  /* of these, those whose elements no direction kept apart as a whole */
	uint64_t by_chord, by_way, pieces, exactly; /* see NarrowResult */
	uint64_t work;      /* in arbitrary units; a function of the motion alone */
} CheckerCount;

typedef struct {
	CheckerFinding finding;
	CheckerCount count;
	double from, to; /* [s] that was judged */
	double reach;    /* [length] beyond which separations are not measured */
	double distance; /* [length] no pair was ever closer, unless this is `reach` */
	double gap;      /* [length] the same less the thickness of bodies */
} CheckerVerdict;

typedef struct Checker Checker;

/* The arrays of triangles, edges and particles must stay. `reach`: see CheckerVerdict; 0: an eighth of a typical edge. */
Checker *checker_new(const PairsInput *input, const double (*x)[3], double time, double reach, unsigned threads);
void checker_free(Checker *checker);

/* All of these return false once something was found; the verdict says what. */
bool checker_commit(Checker *checker, uint32_t vertex, double time, const double x[3]);
/* Whether the window has become long enough. */
bool checker_is_due(const Checker *checker);
/* Ends the window at `time`, with the positions of all vertices, and judges it. Nothing happens when no time has passed. */
bool checker_end_window(Checker *checker, double time, const double (*x)[3]);
/* Tests the elements where they are in x, whether or not the motion has them there: exactly, at rest. */
bool checker_test_at_rest(Checker *checker, double time, const double (*x)[3]);
/* A body takes no part from now on: right after a window has ended. */
void checker_remove_body(Checker *checker, uint32_t body);

const CheckerVerdict *checker_verdict(const Checker *checker);
/* The largest number of bytes that it held so far. */
size_t checker_memory(const Checker *checker);

#endif

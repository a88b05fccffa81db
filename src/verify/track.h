/* The motion of all vertices in a window of time: the polylines through their commits.
 *
 * A window begins and ends with a position of every vertex; in between come commits, in the order of time, as many as
 * there are for each vertex. The end of a window is the beginning of the next, so that together they are the whole motion,
 * and only one of them is in memory.
 *
 * Each vertex is expected to go on as it did in the window before. What is kept of it while commits come in is a box of how
 * far it has been from there; so most tests need neither the commits themselves nor any order of them. */
#ifndef CINCH_VERIFY_TRACK_H
#define CINCH_VERIFY_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A vertex in a window: all that most tests need, in one cache line. At every time of the window it is within `deviation` of
 * where it would be on its straight way from `start` to `end`, a way that it need not go. */
typedef struct {
	double start[3], end[3]; /* [length] */
	double deviation;        /* [length] */
} TrackVertex;

/* A vertex in the window under way. */
typedef struct {
	double begin[3];          /* [length] where the window began */
	double velocity[3];       /* [length/s] expected */
	double low[3], high[3];   /* [length] what it was found to be ahead of that */
	double last[3];           /* [length] of its last commit */
	double time;              /* [s] of its last commit */
} TrackState;

typedef struct {
	double time, x[3];
} TrackCommit;

/* The commits of a vertex in a window, the last one first. */
typedef struct {
	uint32_t last, n; /* last: its place + 1 */
} TrackChain;

typedef enum {
	TRACK_GOOD,
	TRACK_NOT_FINITE,
	TRACK_BACKWARD, /* in time */
	TRACK_JUMP      /* two places at one time */
} TrackFault;

typedef struct {
	uint32_t n;
	double from, to;     /* [s] of the window that was closed last */
	TrackVertex *vertex; /* (n) in it */
	double largest;      /* [length] no coordinate in it is larger, without sign */

	/* After track_gather(), the points of vertex i, if it was asked for, are those from first[i] up to but without
	 * first[i + 1]: at least two, those at both ends of the window included. */
	size_t *first;  /* (n + 1) */
	double *time;   /* [s] (points) ascending for each vertex */
	double (*x)[3]; /* [length] (points) */
	size_t capacity;

	TrackState *state;    /* (n) of the window under way */
	double start_time;    /* [s] when it began */
	size_t n_commits, most_commits; /* under way; room for */
	size_t expected;      /* commits in a window: room for these is made at once */
	TrackCommit *commit;  /* (most_commits) of both, which are never there at the same time */
	uint32_t *before;     /* (most_commits) of a commit: the place + 1 of the one before of the same vertex; 0: none */
	TrackChain *chain, *closed; /* (n) of the window under way; of the one that was closed */
	double (*start)[3];   /* [length] (n) where the window that was closed began */
} Track;

Track *track_new(uint32_t n);
void track_free(Track *track);

/* Where all vertices are at first. */
TrackFault track_start(Track *track, double time, const double (*x)[3], uint32_t *culprit);
TrackFault track_commit(Track *track, uint32_t vertex, double time, const double x[3]);
/* Ends the window with a position of every vertex; the next one begins. *culprit: the vertex of a fault. */
TrackFault track_close(Track *track, double time, const double (*x)[3], uint32_t *culprit);

/* How many commits there will be in a window, about, from the next on; before any of them. What is far beyond that is given
 * back: so memory is for the windows of now, not for the longest that ever was. */
void track_expect(Track *track, size_t commits);

/* Sorts out the points of the vertices that are wanted, in the window that was closed; before the next commit. */
void track_gather(Track *track, const uint8_t *wanted);

/* Where a vertex is at a time of the window: `point` is the last of its points that is not later. Off by no more than
 * TRACK_ERROR times the largest coordinate. */
#define TRACK_ERROR 0x1p-48
void track_position(const Track *track, size_t point, double time, double x[3]);

#endif

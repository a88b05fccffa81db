/* The motion of all vertices in a window of time: the polylines through their commits.
 *
 * A window begins and ends with a position of every vertex; in between come commits, in the order of time, as many as
 * there are for each vertex. The end of a window is the beginning of the next, so that together they are the whole motion,
 * and only one of them is in memory. */
#ifndef CINCH_VERIFY_TRACK_H
#define CINCH_VERIFY_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A vertex in a window: all that most tests need, in one cache line. */
typedef struct {
	double start[3], end[3]; /* [length] at the ends of the window */
	double deviation;        /* [length] how far at most it is, at any time, from where the straight way would have it */
	double moved;            /* [length] how far at most it is from its place of reference; written by the checker */
} TrackVertex;

typedef enum {
	TRACK_GOOD,
	TRACK_NOT_FINITE,
	TRACK_BACKWARD, /* in time */
	TRACK_JUMP      /* two places at one time */
} TrackFault;

typedef struct {
	uint32_t n;
	double from, to; /* [s] of the window; set by track_close() */

	/* The points of vertex i are those from first[i] up to but without first[i + 1]: at least two, the ends included. */
	size_t *first; /* (n + 1) */
	double *time;  /* [s] (points) ascending for each vertex */
	double (*x)[3]; /* [length] (points) */
	TrackVertex *vertex; /* (n) */
	double largest; /* [length] of all coordinates in the window, without sign */

	/* Commits of the window under way, as they came. */
	size_t n_arrived, capacity;
	uint32_t *arrived_vertex;
	double *arrived_time;
	double (*arrived_x)[3];
	double *last_time;    /* [s] (n) */
	double (*last_x)[3];  /* [length] (n) */
	double (*start)[3];   /* [length] (n) where the window under way begins ... */
	double start_time;    /* [s] ... and when */
	size_t point_capacity;
} Track;

Track *track_new(uint32_t n);
void track_free(Track *track);

/* Where all vertices are at first. */
TrackFault track_start(Track *track, double time, const double (*x)[3], uint32_t *culprit);
TrackFault track_commit(Track *track, uint32_t vertex, double time, const double x[3]);
/* Ends the window with a position of every vertex, and sorts its points. The next one begins. *culprit: the vertex of a
 * fault. */
TrackFault track_close(Track *track, double time, const double (*x)[3], uint32_t *culprit);

/* Where a vertex is at a time of the window: `point` is the last of its points that is not later. Off by no more than
 * TRACK_ERROR times the largest coordinate. */
#define TRACK_ERROR 0x1p-48
void track_position(const Track *track, size_t point, double time, double x[3]);

#endif

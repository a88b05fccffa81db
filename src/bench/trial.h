/* One row of a benchmark: a stretch of a run from a state, with some options, and what it cost.
 *
 * The motion must not depend on the options: every trial leaves a checksum of where everything is, and how fast, at a
 * time that all rows of a table reach. */
#ifndef CINCH_BENCH_TRIAL_H
#define CINCH_BENCH_TRIAL_H

#include "bench/subject.h"

enum { TRIAL_MOST_OVERRIDES = 6, TRIAL_AXES = sizeof ((DetectorCount *)NULL)->by_axes / sizeof(uint64_t) };

typedef struct {
	const char *name;
	const char *overrides[TRIAL_MOST_OVERRIDES + 1]; /* of the scene; NULL-terminated */
	unsigned threads;
	double share; /* of the stretch that it runs for: less where it is slow */
} TrialRow;

/* What there is at one time of a stretch. */
typedef struct {
	double time;    /* [s] */
	double queue;   /* events in it */
	double alive;   /* certificates */
	double processors; /* [s] of processors since the stretch began */
} TrialSample;

/* Rates are per simulated second. */
typedef struct {
	double simulated;     /* [s] */
	double seconds;       /* of processors, per simulated second */
	double wall;          /* [s] per simulated second */
	double floor;         /* [s] of wall time in forces and layers, likewise */
	double certificates;  /* [s] of wall time in finding contact, likewise */
	double share;         /* of the wall time that certificates take */
	double forces, events, failed, rescheduled; /* force events and so on, per simulated second */
	double reschedules;   /* per force event */
	double asked;         /* certificates looked at because a velocity changed, whether still valid */
	double evaluations;   /* of pairs at ticks of layers */
	double queue, most_queue; /* events in it: mean and most of the samples */
	uint32_t deepest;     /* layer in range since time zero */
	DetectorCount last;   /* at the end */
	double by_axes[TRIAL_AXES]; /* share of the pairs of bounds that were looked at by the number of axes that it took */
	GArray *samples;      /* TrialSample */
	char *motion;         /* checksum at the common time */
} TrialResult;

typedef struct {
	double length;   /* [s] of a row with share 1 */
	double common;   /* [s] after which motions are compared: not longer than any row */
	unsigned slices; /* between samples */
} TrialPlan;

bool trial_run(Subject *subject, const TrialRow *row, const TrialPlan *plan, TrialResult *result, GError **error);
void trial_clear(TrialResult *result);

/* The least share of some rows. */
double trial_least_share(const TrialRow *rows, size_t n);

/* A checksum of the motion of a simulation as it is now; free with g_free. */
char *trial_motion(const Simulation *simulation);

#endif

/* The examples of the thesis (chapters 6 to 8), on scenes of ours: what its tables say of them, a state of each in which much
 * touches, and stretches from there, which several tables share.
 *
 * What the thesis says is hours on one thread of a 2.33 GHz Xeon of its time, with widths, forces and meshes that it does not
 * give. So tables have both, and what does not depend on machines: ratios to the plain method on the same scene. */
#ifndef CINCH_BENCH_THESIS_H
#define CINCH_BENCH_THESIS_H

#include "bench/bench.h"

typedef enum {
	THESIS_BALLS,
	THESIS_CRUSH,
	THESIS_REEF,
	THESIS_BOWLINE,
	THESIS_DRAPE,
	THESIS_SCENES
} ThesisScene;

typedef enum {
	SIZE_FULL,
	SIZE_PREVIEW,
	SIZE_SMALL, /* to see that it works */
	N_SIZES
} ThesisSize;

/* One of its examples: table 6.2, and our scene for it. */
typedef struct {
	const char *name;    /* as the thesis calls it */
	const char *scene;   /* in the program */
	const char *overrides[N_SIZES][4]; /* NULL-terminated */
	double at, small_at; /* [s] of the state in which much touches */
	double stretch;      /* of a row from there, as a multiple of the bench's: less where time costs more */
	double end;          /* [s] of our scene */
	double vertices, seconds, hours; /* of the thesis; NaN: it does not say */
} ThesisExample;

extern const ThesisExample thesis_examples[THESIS_SCENES];

/* What has been measured so far; the bench's. */
typedef struct Thesis Thesis;
Thesis *thesis_new(void);
void thesis_free(Thesis *thesis); /* NULL is allowed */

/* Of a number of the thesis in hours: seconds of its processor per simulated second. NaN where it does not give the span. */
double thesis_rate(ThesisScene scene, double hours);

/* The subject of an example, with its state still to be made. The thesis'. */
Subject *thesis_subject(Bench *bench, ThesisScene scene);
/* Another, from time zero; of a small bench always in the smallest size. Free with subject_free(). */
Subject *thesis_start(const Bench *bench, ThesisScene scene, ThesisSize size);

/* A row from the state of an example: measured when it is first asked for, and the thesis'. NULL when it failed. */
const TrialResult *thesis_trial(Bench *bench, ThesisScene scene, const TrialRow *row, GError **error);

/* Whether the motion of a row was that of the first row of its example. */
bool thesis_same_motion(const Bench *bench, ThesisScene scene, const TrialResult *result);

/* The least share of a row of its tables. */
#define THESIS_SLOW 0.2

/* Below a table: that the scenes and the machine are others. */
void thesis_note(Table *table);

#endif

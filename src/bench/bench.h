/* cinch bench: the parts that it has, and what they share.
 *
 * A part measures something, adds its tables to the bench, and says so when a motion depended on how contact was found. A new
 * part is one function in a file part_NAME.c and a line in the table of bench.c; a new option of detection is a row in the
 * tables of part_ablation.c. */
#ifndef CINCH_BENCH_BENCH_H
#define CINCH_BENCH_BENCH_H

#include "bench/table.h"
#include "bench/trial.h"

typedef struct {
	Subject *tight;    /* the state in which much touches: the user's scene or the knot */
	double length;     /* [s] of a stretch */
	bool small;        /* coarse scenes and few of them: to see that it works, not for figures */
	bool whole;        /* runs of the thesis to their ends, and in full size */
	struct Thesis *thesis; /* see thesis.h */
	bool differs;      /* some motion depended on options that must not matter */
	GPtrArray *tables; /* Table: found so far */
} Bench;

typedef bool PartFunction(Bench *bench, GError **error);

typedef struct {
	const char *name, *what;
	PartFunction *run;
	bool by_default; /* when no names are given */
	bool of_scene;   /* measures bench->tight, whichever scene that is */
} Part;

extern const Part bench_parts[];
size_t bench_n_parts(void);
/* Whether a name means this part: its own, or that of its group, which ends at a colon ("thesis" for "thesis:8.3"). */
bool bench_part_matches(const Part *part, const char *name);
/* The first that the name means; NULL: there is none. */
const Part *bench_part(const char *name);

PartFunction part_ablation, part_broad, part_scaling, part_fall;
PartFunction part_thesis_6_2, part_thesis_6_7, part_thesis_6_9, part_thesis_7_1, part_thesis_8_1, part_thesis_8_2, part_thesis_8_3,
    part_thesis_8_4, part_thesis_8_5;

/* The options that there are: rows of the tables of part_ablation.c. */
const TrialRow *part_ablation_rows(size_t *n);
const TrialRow *part_broad_rows(size_t *n);

/* An override with which a row has a motion of its own. */
#define BENCH_OTHER_MOTION "contact.shares=valence"
bool bench_has_other_motion(const TrialRow *row);

/* Adds a table; the bench's from then on. */
Table *bench_add(Bench *bench, Table *table);

/* Runs rows from the state of a subject, and compares their motions with that of the first row. */
bool bench_rows(Bench *bench, Subject *subject, const TrialRow *rows, size_t n, const TrialPlan *plan,
    TrialResult *results, GError **error);
void bench_clear(TrialResult *results, size_t n);

#endif

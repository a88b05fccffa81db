/* Where an archive comes from: a JSON list, which the archive keeps, of what it was resumed or branched from, the oldest
 * first. A run from the start has an empty one. */
#ifndef CINCH_SIM_LINEAGE_H
#define CINCH_SIM_LINEAGE_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
	const char *archive;    /* as the user named it */
	const char *checkpoint; /* likewise; NULL: from the start */
	double time;            /* [s] of the checkpoint */
	size_t frames;          /* that were taken over */
	const char *const *set; /* NULL-terminated overrides; NULL or empty: went on as it was */
} LineageStep;

/* The list with one more step (g_free); what is no such list counts as empty. */
char *lineage_extend(const char *lineage, const LineageStep *step);

/* Whether the archive's frames begin with those of another scene, so that its own scene alone cannot make them again. */
bool lineage_has_branch(const char *lineage);

/* A line per step, for the reader: "resumed from run.h5 at 0.5 s". Free with g_strfreev. */
char **lineage_describe(const char *lineage);

#endif

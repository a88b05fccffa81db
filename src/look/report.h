/* The page of `cinch report`: what there is to say of one run, or of several side by side, in one file without scripts:
 * scene, parameters, verdict, key frames, plots, ledger, counters. */
#ifndef CINCH_LOOK_REPORT_H
#define CINCH_LOOK_REPORT_H

#include "io/selection.h"

typedef struct {
	Selection *selection;
	const char *name;       /* of the archive */
	const char *comes_from; /* what it was resumed or branched from; NULL: it is a run from the start */
} ReportRun;

/* The page; NULL with an error set. */
GString *report_page(const ReportRun *runs, size_t n, GError **error);

#endif

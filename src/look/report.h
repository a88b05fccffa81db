/* The page of `cinch report`: what there is to say of one run, or of several side by side, in one file without scripts:
 * scene, parameters, verdict, key frames, plots, ledger, counters. */
#ifndef CINCH_LOOK_REPORT_H
#define CINCH_LOOK_REPORT_H

#include "io/selection.h"

/* `names` are those of the archives. The page; NULL with an error set. */
GString *report_page(Selection *const *runs, const char *const *names, size_t n, GError **error);

#endif

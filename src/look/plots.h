/* What there is to plot of a run: curves over the time of its frames, from the ledger and from the fields of frames. */
#ifndef CINCH_LOOK_PLOTS_H
#define CINCH_LOOK_PLOTS_H

#include "io/archive.h"

typedef struct {
	char *name;
	double *value; /* (n_frames) NaN: none */
} PlotSeries;

typedef struct {
	char *title, *unit;
	bool logarithmic;
	GPtrArray *series; /* PlotSeries */
} Plot;

/* GPtrArray of Plot; curves that are zero throughout are left out, unless nothing else is in their plot. */
GPtrArray *plots_of(Archive *archive, GError **error);

#endif

/* Plots as drawings (SVG) for pages that are to be read and printed: no script is needed to see them. */
#ifndef CINCH_LOOK_FIGURE_H
#define CINCH_LOOK_FIGURE_H

#include "look/plots.h"

/* What the axes span. */
typedef struct {
	double begin, end; /* [s] */
	double low, high;  /* in the plot's unit; of a logarithmic one above zero */
} FigureRange;

/* Of nothing; figure_extend() makes it hold a plot. */
FigureRange figure_range_empty(void);
void figure_extend(FigureRange *range, const Plot *plot, const double *time, size_t n);

/* Adds the drawing and, below it, the names of the curves. */
void figure_draw(GString *html, const Plot *plot, const double *time, size_t n, const FigureRange *range);

/* At most four significant digits, and as few as the number needs; free with g_free. */
char *figure_number(double value);

#endif

/* A curve as text, for terminals. */
#ifndef CINCH_CLI_CHART_H
#define CINCH_CLI_CHART_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
	const char *title;
	const double *time, *value; /* (n) NaN: none */
	size_t n;
	double begin, end;          /* of the axis of time */
	bool logarithmic;
} Chart;

/* Adds `rows` lines of `width` columns, with a heading and the numbers of both ends beside them. Curves are drawn in
 * Braille, two by four dots to a character; with `ascii` in stars. */
void chart_draw(GString *text, const Chart *chart, int width, int rows, bool ascii);

#endif

#include "cli/chart.h"

#include <math.h>
#include <string.h>

enum { MARGIN = 11 /* columns for numbers */, MOST_COLUMNS = 400, MOST_ROWS = 40 };

/* Dots of the curve: (rows, columns). */
typedef struct {
	int columns, rows;
	bool *dot;
} Dots;

static double height_of(const Chart *chart, double value)
{
	return chart->logarithmic ? log10(value) : value;
}

static bool is_shown(const Chart *chart, size_t k)
{
	return isfinite(chart->value[k]) && (!chart->logarithmic || chart->value[k] > 0.0);
}

static bool find_range(const Chart *chart, double *low, double *high)
{
	*low = INFINITY;
	*high = -INFINITY;
	for (size_t k = 0; k < chart->n; k++)
		if (is_shown(chart, k)) {
			*low = fmin(*low, chart->value[k]);
			*high = fmax(*high, chart->value[k]);
		}
	return *low <= *high;
}

static void set_dot(Dots *dots, int x, int y)
{
	if (x >= 0 && x < dots->columns && y >= 0 && y < dots->rows)
		dots->dot[y * dots->columns + x] = true;
}

/* A stroke from one dot to the next, without gaps. */
static void draw_stroke(Dots *dots, int x0, int y0, int x1, int y1)
{
	int steps = MAX(MAX(ABS(x1 - x0), ABS(y1 - y0)), 1);
	for (int i = 0; i <= steps; i++)
		set_dot(dots, x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps);
}

static void draw_curve(Dots *dots, const Chart *chart, double low, double high)
{
	double bottom = height_of(chart, low), span = height_of(chart, high) - bottom,
	       length = chart->end - chart->begin;
	int last_x = 0, last_y = 0;
	bool joined = false;
	for (size_t k = 0; k < chart->n; k++) {
		if (!is_shown(chart, k)) {
			joined = false;
			continue;
		}
		double across = length > 0.0 ? (chart->time[k] - chart->begin) / length : 0.0;
		double up = span > 0.0 ? (height_of(chart, chart->value[k]) - bottom) / span : 0.5;
		int x = (int)lrint(across * (dots->columns - 1)), y = (int)lrint((1.0 - up) * (dots->rows - 1));
		draw_stroke(dots, joined ? last_x : x, joined ? last_y : y, x, y);
		last_x = x;
		last_y = y;
		joined = true;
	}
}

/* The character of two by four dots (or, in ASCII, of one by one). */
static void add_character(GString *text, const Dots *dots, int column, int row, bool ascii)
{
	static const int bit[4][2] = {{0, 3}, {1, 4}, {2, 5}, {6, 7}};
	if (ascii) {
		g_string_append_c(text, dots->dot[row * dots->columns + column] ? '*' : ' ');
		return;
	}
	gunichar pattern = 0;
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 2; x++)
			if (dots->dot[(4 * row + y) * dots->columns + 2 * column + x])
				pattern |= 1u << bit[y][x];
	g_string_append_unichar(text, 0x2800 + pattern);
}

static void add_lines(GString *text, const Dots *dots, int width, int rows, bool ascii, const char *const number[2])
{
	for (int row = 0; row < rows; row++) {
		const char *side = row == 0 ? number[0] : row == rows - 1 ? number[1] : "";
		g_string_append_printf(text, "%*s ", MARGIN - 1, side);
		for (int column = 0; column < width; column++)
			add_character(text, dots, column, row, ascii);
		/* What is only space says nothing, and copies badly. */
		while (ascii && text->len > 0 && text->str[text->len - 1] == ' ')
			g_string_truncate(text, text->len - 1);
		g_string_append_c(text, '\n');
	}
}

void chart_draw(GString *text, const Chart *chart, int width, int rows, bool ascii)
{
	double low, high;
	width = CLAMP(width - MARGIN, 8, MOST_COLUMNS);
	rows = CLAMP(rows, 2, MOST_ROWS);
	g_string_append_printf(text, "%*s %s\n", MARGIN - 1, "", chart->title);
	if (!find_range(chart, &low, &high)) {
		g_string_append_printf(text, "%*s (nothing yet)\n", MARGIN - 1, "");
		return;
	}
	Dots dots = {ascii ? width : 2 * width, ascii ? rows : 4 * rows, NULL};
	dots.dot = g_new0(bool, (gsize)dots.columns *(gsize)dots.rows);
	draw_curve(&dots, chart, low, high);
	g_autofree char *top = g_strdup_printf("%.4g", high), *bottom = g_strdup_printf("%.4g", low);
	const char *const number[2] = {top, low < high ? bottom : ""};
	add_lines(text, &dots, width, rows, ascii, number);
	g_free(dots.dot);
}

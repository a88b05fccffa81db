#include "look/figure.h"
#include "look/page.h"
#include <math.h>

enum { WIDTH = 440, HEIGHT = 190, LEFT = 58, RIGHT = 12, TOP = 8, BOTTOM = 24, MOST_STRETCHES = 300 };

static const char *const inks[] = {
    "#d2694a", "#3f8f94", "#b98519", "#6478b4", "#5f8743", "#9a6596", "#23272e", "#a0a7b2"};

FigureRange figure_range_empty(void)
{
	return (FigureRange){INFINITY, -INFINITY, INFINITY, -INFINITY};
}

void figure_extend(FigureRange *range, const Plot *plot, const double *time, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		range->begin = fmin(range->begin, time[k]);
		range->end = fmax(range->end, time[k]);
	}
	for (guint i = 0; i < plot->series->len; i++) {
		const PlotSeries *series = plot->series->pdata[i];
		for (size_t k = 0; k < n; k++) {
			double value = series->value[k];
			if (!isfinite(value) || (plot->logarithmic && value <= 0.0))
				continue;
			range->low = fmin(range->low, value);
			range->high = fmax(range->high, value);
		}
	}
}

char *figure_number(double value)
{
	if (fabs(value) < 1e-12)
		value = 0.0;
	return g_strdup_printf("%.4g", value);
}

/* From values to places on the drawing. */
typedef struct {
	FigureRange range;
	bool logarithmic;
} Axes;

static double height_of(const Axes *axes, double value)
{
	return axes->logarithmic ? log10(fmax(value, 1e-300)) : value;
}

static double place_x(const Axes *axes, double time)
{
	double span = axes->range.end - axes->range.begin;
	return LEFT + (WIDTH - LEFT - RIGHT) * (span > 0.0 ? (time - axes->range.begin) / span : 0.5);
}

static double place_y(const Axes *axes, double value)
{
	double low = height_of(axes, axes->range.low), high = height_of(axes, axes->range.high);
	return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (height_of(axes, value) - low) / (high - low);
}

/* Something to see between the ends, whatever the values are. */
static Axes make_axes(const FigureRange *range, bool logarithmic)
{
	Axes axes = {*range, logarithmic};
	if (!(axes.range.low <= axes.range.high))
		axes.range.low = logarithmic ? 0.1 : 0.0, axes.range.high = 1.0;
	if (logarithmic) {
		axes.range.low /= 1.1;
		axes.range.high *= 1.1;
		return axes;
	}
	double span = axes.range.high - axes.range.low, about = fmax(fabs(axes.range.low), fabs(axes.range.high));
	double margin = span > 1e-9 * about ? 0.05 * span : about > 0.0 ? 0.1 * about : 1.0;
	axes.range.low -= axes.range.low == 0.0 ? 0.0 : margin;
	axes.range.high += margin;
	return axes;
}

/* A round distance that divides a span into about n parts. */
static double round_step(double span, double n)
{
	double raw = span / n, power = pow(10.0, floor(log10(raw))), lead = raw / power;
	return power * (lead < 1.5 ? 1.0 : lead < 3.5 ? 2.0 : lead < 7.5 ? 5.0 : 10.0);
}

static void add_tick_y(GString *html, const Axes *axes, double value)
{
	g_autofree char *number = figure_number(value);
	double y = place_y(axes, value);
	g_string_append_printf(html,
	    "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT,
	    y, WIDTH - RIGHT, LEFT - 5, y + 3.5, number);
}

static void add_ticks(GString *html, const Axes *axes)
{
	const FigureRange *range = &axes->range;
	if (axes->logarithmic && range->high > 10.0 * range->low) {
		double low = floor(log10(range->low)), high = ceil(log10(range->high)),
		       stride = ceil((high - low) / 5.0);
		for (double power = low; power <= high; power += stride)
			for (int lead = 1; lead < (high - low < 2.0 ? 6 : 2); lead += lead == 1 ? 1 : 3) {
				double value = lead * pow(10.0, power);
				if (value >= range->low && value <= range->high)
					add_tick_y(html, axes, value);
			}
	} else {
		double step = round_step(range->high - range->low, 4.5);
		for (double k = ceil(range->low / step); k * step <= range->high; k++)
			add_tick_y(html, axes, k * step);
	}
	double span = range->end - range->begin, step = span > 0.0 ? round_step(span, 6.0) : 1.0;
	for (double k = ceil(range->begin / step - 1e-9); k * step <= range->end + 1e-9 * step; k++) {
		g_autofree char *number = figure_number(k * step);
		g_string_append_printf(html, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
		    place_x(axes, k * step), HEIGHT - 8, number);
	}
}

static void add_point(GString *path, const Axes *axes, double time, double value, bool *drawn)
{
	g_string_append_printf(path, "%c%.1f %.1f", *drawn ? 'L' : 'M', place_x(axes, time), place_y(axes, value));
	*drawn = true;
}

/* Of many frames that fall on the same place the least and the largest are drawn: no spike is lost. */
static void add_curve(
    GString *html, const Axes *axes, const double *value, const double *time, size_t n, const char *ink)
{
	g_autoptr(GString) path = g_string_new(NULL);
	size_t stride = 1 + n / MOST_STRETCHES;
	bool drawn = false;
	for (size_t from = 0; from < n; from += stride) {
		size_t to = MIN(from + stride, n), least = SIZE_MAX, most = SIZE_MAX;
		for (size_t k = from; k < to; k++) {
			if (!isfinite(value[k]) || (axes->logarithmic && value[k] <= 0.0))
				continue;
			least = least == SIZE_MAX || value[k] < value[least] ? k : least;
			most = most == SIZE_MAX || value[k] > value[most] ? k : most;
		}
		if (least == SIZE_MAX) {
			drawn = false;
			continue;
		}
		size_t first = MIN(least, most), last = MAX(least, most);
		add_point(path, axes, time[first], value[first], &drawn);
		if (last != first)
			add_point(path, axes, time[last], value[last], &drawn);
	}
	g_string_append_printf(html, "<path class=\"curve\" stroke=\"%s\" d=\"%s\"/>\n", ink, path->str);
}

void figure_draw(GString *html, const Plot *plot, const double *time, size_t n, const FigureRange *range)
{
	Axes axes = make_axes(range, plot->logarithmic);
	g_string_append_printf(html, "<svg viewBox=\"0 0 %d %d\" class=\"figure\">\n", WIDTH, HEIGHT);
	add_ticks(html, &axes);
	g_string_append_printf(
	    html, "<path class=\"frame\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT);
	for (guint i = 0; i < plot->series->len; i++)
		add_curve(html, &axes, ((const PlotSeries *)plot->series->pdata[i])->value, time, n,
		    inks[i % G_N_ELEMENTS(inks)]);
	g_string_append(html, "</svg>\n");
	if (plot->series->len < 2)
		return;
	g_string_append(html, "<p class=\"curves\">");
	for (guint i = 0; i < plot->series->len; i++) {
		g_autofree char *name = page_escape(((const PlotSeries *)plot->series->pdata[i])->name);
		g_string_append_printf(
		    html, "<span><i style=\"background:%s\"></i>%s</span> ", inks[i % G_N_ELEMENTS(inks)], name);
	}
	g_string_append(html, "</p>\n");
}

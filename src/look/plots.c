#include "look/plots.h"
#include <math.h>
#include <string.h>

static void series_free(gpointer data)
{
	PlotSeries *series = data;
	g_free(series->name);
	g_free(series->value);
	g_free(series);
}

static void plot_free(gpointer data)
{
	Plot *plot = data;
	g_free(plot->title);
	g_free(plot->unit);
	g_ptr_array_unref(plot->series);
	g_free(plot);
}

static Plot *add_plot(GPtrArray *plots, const char *title, const char *unit)
{
	Plot *plot = g_new0(Plot, 1);
	plot->title = g_strdup(title);
	plot->unit = g_strdup(unit);
	plot->series = g_ptr_array_new_with_free_func(series_free);
	g_ptr_array_add(plots, plot);
	return plot;
}

/* Takes the values. */
static void add_series(Plot *plot, const char *name, double *value)
{
	PlotSeries *series = g_new0(PlotSeries, 1);
	series->name = g_strdelimit(g_strdup(name), "_", ' ');
	series->value = value;
	g_ptr_array_add(plot->series, series);
}

static bool is_zero(const double *value, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (value[k] != 0.0)
			return false;
	return true;
}

static double *column_of(const Archive *archive, size_t column)
{
	double *value = g_new(double, archive->n_frames + 1);
	for (size_t k = 0; k < archive->n_frames; k++)
		value[k] = archive->ledger[k * archive->header.n_columns + column];
	return value;
}

/* Where a column of the ledger belongs; energies that are named nowhere are works or losses. */
typedef enum {
	GROUP_STORES,
	GROUP_WORK,
	GROUP_BALANCE,
	GROUP_NONE
} Group;

static Group group_of(const ArchiveColumn *column, const char *energy)
{
	static const char *const stores[] = {
	    "kinetic", "stretching", "bending", "gravitational", "contact", "total", NULL};
	if (g_strv_contains(stores, column->name))
		return GROUP_STORES;
	if (strcmp(column->name, "balance") == 0)
		return GROUP_BALANCE;
	return strcmp(column->unit, energy) == 0 ? GROUP_WORK : GROUP_NONE;
}

static void add_ledger(GPtrArray *plots, const Archive *archive)
{
	static const char *const titles[] = {
	    [GROUP_STORES] = "Energy", [GROUP_WORK] = "Work and losses", [GROUP_BALANCE] = "Balance of energy"};
	const ArchiveHeader *header = &archive->header;
	int total = archive_column(header, "total");
	const char *energy = total >= 0 ? header->columns[total].unit : "";
	for (Group group = GROUP_STORES; group < GROUP_NONE; group++) {
		Plot *plot = NULL;
		for (size_t i = 0; i < header->n_columns; i++) {
			g_autofree double *value = NULL;
			if (group_of(&header->columns[i], energy) != group)
				continue;
			value = column_of(archive, i);
			if (is_zero(value, archive->n_frames) && group != GROUP_BALANCE)
				continue;
			if (plot == NULL)
				plot = add_plot(plots, titles[group], energy);
			add_series(plot, header->columns[i].name, g_steal_pointer(&value));
		}
	}
}

/* From sums to rates over the interval before each frame. */
static void make_rate(const Archive *archive, double *value)
{
	for (size_t k = archive->n_frames; k-- > 1;) {
		double rate = (value[k] - value[k - 1]) / (archive->time[k] - archive->time[k - 1]);
		value[k] = rate >= 0.0 ? rate : NAN; /* counters begin anew in a branch */
	}
	if (archive->n_frames > 0)
		value[0] = NAN;
}

static bool add_fields(GPtrArray *plots, Archive *archive, GError **error)
{
	static const struct {
		const char *name, *title;
		bool rate, logarithmic;
	} known[] = {
	    {"events", "Events per simulated second", true, false},
	    {"wall_seconds", "Seconds of wall time per simulated second", true, false},
	    {"smallest_gap", "Smallest gap", false, true},
	    {"deepest_layer", "Deepest layer", false, false},
	    {"touching", "Pairs in contact", false, false},
	};
	for (size_t i = 0; i < archive->header.n_fields; i++) {
		const ArchiveField *field = &archive->header.fields[i];
		if (field->shape != ARCHIVE_FIELD_FRAME)
			continue;
		size_t k = 0;
		while (k < G_N_ELEMENTS(known) && strcmp(known[k].name, field->name) != 0)
			k++;
		bool is_known = k < G_N_ELEMENTS(known);
		g_autofree double *value = g_new(double, archive->n_frames + 1);
		for (size_t frame = 0; frame < archive->n_frames; frame++)
			if (!archive_read_field(archive, i, frame, &value[frame], error))
				return false;
		if (is_known && known[k].rate)
			make_rate(archive, value);
		Plot *plot = add_plot(plots, is_known ? known[k].title : field->name, is_known && known[k].rate ? "" : field->unit);
		plot->logarithmic = is_known && known[k].logarithmic;
		add_series(plot, field->name, g_steal_pointer(&value));
	}
	return true;
}

/* Curves from lists: of some of their rows one of the numbers. */
typedef struct {
	const char *name, *title;
	uint32_t column;
	bool layers; /* rows are layers, of which there may be many: 1, 2, 4, 8, ...; where there is none it is zero */
	const char *unit; /* NULL: the field's */
} ListPlot;

/* All values of a list: by frame, row and number. */
static double *list_of(Archive *archive, size_t i, GError **error)
{
	const ArchiveField *field = &archive->header.fields[i];
	size_t size = (size_t)field->rows * field->width;
	double *value = g_new(double, archive->n_frames * size + 1);
	for (size_t frame = 0; frame < archive->n_frames; frame++)
		if (!archive_read_field(archive, i, frame, value + frame * size, error)) {
			g_free(value);
			return NULL;
		}
	return value;
}

/* Whether there is anything in it. */
static bool take_row(const double *list, const ArchiveField *field, const ListPlot *plot, size_t row, double *out, size_t n_frames)
{
	bool any = false;
	for (size_t frame = 0; frame < n_frames; frame++) {
		double value = list[(frame * field->rows + row) * field->width + plot->column];
		out[frame] = plot->layers && isnan(value) ? 0.0 : value;
		any |= isfinite(value) && value != 0.0;
	}
	return any;
}

static void add_list(GPtrArray *plots, const Archive *archive, const ArchiveField *field, const ListPlot *how, const double *list)
{
	enum { MOST_SERIES = 8 };
	Plot *plot = NULL;
	guint n = 0;
	g_auto(GStrv) labels = archive_field_labels(field);
	for (size_t row = 0; row < field->rows && n < MOST_SERIES; row = how->layers ? 2 * row + 1 : row + 1) {
		g_autofree double *value = g_new(double, archive->n_frames + 1);
		if (!take_row(list, field, how, row, value, archive->n_frames))
			continue;
		g_autofree char *name = how->layers ? g_strdup_printf("layer %zu", row + 1) : g_strdup(labels[row]);
		if (n++ == 0)
			plot = add_plot(plots, how->title, how->unit ? how->unit : field->unit);
		add_series(plot, name, g_steal_pointer(&value));
	}
}

static bool add_lists(GPtrArray *plots, Archive *archive, GError **error)
{
	static const ListPlot known[] = {
	    {"in_knot", "Length in the knot", 0, false, NULL},
	    {"tension", "Tension at the ends", 3, false, NULL},
	    {"layers", "Share of free vertices in this layer or deeper", 1, true, ""},
	    {"layers", "Pairs in this layer or deeper", 2, true, ""},
	};
	enum { MOST_ROWS = 4096 }; /* of a file that may lie */
	for (size_t i = 0; i < archive->header.n_fields; i++) {
		const ArchiveField *field = &archive->header.fields[i];
		g_autofree double *list = NULL;
		for (size_t k = 0; k < G_N_ELEMENTS(known); k++) {
			if (field->shape != ARCHIVE_FIELD_LIST || field->rows > MOST_ROWS || strcmp(known[k].name, field->name) != 0 ||
			    known[k].column >= field->width)
				continue;
			if (list == NULL && (list = list_of(archive, i, error)) == NULL)
				return false;
			add_list(plots, archive, field, &known[k], list);
		}
	}
	return true;
}

GPtrArray *plots_of(Archive *archive, GError **error)
{
	GPtrArray *plots = g_ptr_array_new_with_free_func(plot_free);
	add_ledger(plots, archive);
	if (add_fields(plots, archive, error) && add_lists(plots, archive, error))
		return plots;
	g_ptr_array_unref(plots);
	return NULL;
}

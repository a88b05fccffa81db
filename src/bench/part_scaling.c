/* Cost over size, at equal size of triangles and equal density of contact: four sheets in a pile are draped over a bed of
 * blunt nails, and both get larger. The sheets are turned against each other, so that edges cross at all angles. */
#include "bench/bench.h"
#include <math.h>
#include <string.h>

enum { LAYERS = 4, MOST_SIZES = 8 };
#define CELL 0.3 /* [cm] */

static const int sizes[MOST_SIZES] = {10, 15, 22, 31, 44, 61, 86, 0}; /* cells along a side: 484 to 30,276 vertices */
static const int small_sizes[MOST_SIZES] = {6, 10, 15, 0};

static char *sheets_text(int cells)
{
	static const double turn[LAYERS] = {0, 31, 12, 47};
	double side = cells * CELL;
	int nails = (int)ceil(1.5 * side / 2.0) + 2;
	GString *text = g_string_new(NULL);
	g_string_append_printf(text,
	    "{\"title\": \"A pile of sheets over nails\", \"units\": \"cgs\","
	    " \"materials\": {\"cloth\": {\"stretch_stiffness\": 750, \"bend_stiffness\": 1, \"density\": 0.1, \"stretch_damping\": 0.0003,"
	    "   \"mass_damping\": 1}, \"iron\": {\"density\": 1}},"
	    " \"meshes\": [{\"name\": \"nails\", \"generate\": \"nails\", \"count\": [%d, %d], \"spacing\": 2, \"height\": 1, \"base\": 0.8,"
	    "   \"material\": \"iron\", \"pinned\": true}",
	    nails, nails);
	for (int i = 0; i < LAYERS; i++)
		g_string_append_printf(text,
		    ", {\"name\": \"sheet%d\", \"generate\": \"sheet\", \"size\": [%.17g, %.17g], \"cells\": [%d, %d], \"material\": \"cloth\","
		    "  \"rotate\": [{\"axis\": [1, 0, 0], \"angle\": -90}, {\"axis\": [0, 1, 0], \"angle\": %g}], \"at\": [0, %.17g, 0]}",
		    i + 1, side, side, cells, cells, turn[i], 1.12 + 0.11 * i);
	g_string_append(text, "], \"contact\": {\"eta1\": 0.1, \"r1\": 1000, \"restitution\": 0}, \"time\": {\"end\": 1, \"frame\": 0.05}}");
	return g_string_free(text, FALSE);
}

/* What is known of one size. */
typedef struct {
	double vertices, awake;
	TrialResult one, two; /* threads */
	double crowd;         /* layers of pairs awake, per vertex */
} Size;

static double free_vertices(Subject *subject, GError **error)
{
	double n = 0.0;
	Simulation *simulation = subject_load(subject, NULL, error);
	for (uint32_t i = 0; simulation && i < world_vertex_count(simulation->scene->world); i++)
		n += simulation->flight[i].inverse_mass > 0.0;
	simulation_free(simulation);
	return n;
}

static bool measure(Bench *bench, int cells, Size *size, GError **error)
{
	static const TrialRow rows[] = {{"1 thread", {NULL}, 1, 1.0}, {"2 threads", {NULL}, 2, 1.0}};
	g_autofree char *text = sheets_text(cells), *name = g_strdup_printf("%d sheets of %d by %d cells", LAYERS, cells, cells);
	Subject *subject = subject_of_text(name, text, bench->small ? 0.1 : 0.2);
	TrialPlan plan = {0.5 * bench->length, 0.5 * bench->length, 1};
	TrialResult results[2] = {{0}};
	size->vertices = free_vertices(subject, error);
	bool good = size->vertices > 0.0 && bench_rows(bench, subject, rows, 2, &plan, results, error);
	size->one = results[0];
	size->two = results[1];
	size->crowd = (double)results[0].last.awake / size->vertices;
	subject_free(subject);
	return good;
}

/* The slope of log y over log x by least squares; NaN for fewer than two points. */
static double exponent(const double *x, const double *y, size_t n)
{
	double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
	for (size_t i = 0; i < n; i++) {
		double a = log(x[i]), b = log(y[i]);
		sx += a;
		sy += b;
		sxx += a * a;
		sxy += a * b;
	}
	return n > 1 ? ((double)n * sxy - sx * sy) / ((double)n * sxx - sx * sx) : NAN;
}

/* Of those with at least `least` vertices. */
static double exponent_from(const Size *found, size_t n, double least, bool two)
{
	double x[MOST_SIZES], y[MOST_SIZES];
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		if (found[i].vertices < least)
			continue;
		x[kept] = found[i].vertices;
		y[kept++] = two ? found[i].two.wall : found[i].one.seconds;
	}
	return exponent(x, y, kept);
}

static void report(Bench *bench, const Size *found, size_t n)
{
	double least = bench->small ? 0.0 : 2000.0;
	Table *table = bench_add(bench,
	    table_new("scaling", "Cost over size: a pile of %d sheets draped over nails, at equal size of triangles and density of contact", LAYERS));
	table_column(table, "vertices", "vertices", "%.0f");
	table_column(table, "seconds", "CPU s per s, 1 thread", "%.4g");
	table_column(table, "microseconds_per_vertex", "us per vertex", "%.4g");
	table_column(table, "certificate_share", "certificates", "%.3f");
	table_column(table, "over_floor", "over floor", "%.3g");
	table_column(table, "awake_per_vertex", "awake per vertex", "%.3g");
	table_column(table, "wall", "wall, 1 thread", "%.4g");
	table_column(table, "wall_2_threads", "wall, 2 threads", "%.4g");
	table_column(table, "speedup", "ratio", "%.2f");
	table_column(table, "same_motion", "motion", NULL);
	for (size_t i = 0; i < n; i++) {
		const Size *size = &found[i];
		table_number(table, size->vertices);
		table_number(table, size->one.seconds);
		table_number(table, 1e6 * size->one.seconds / size->vertices);
		table_number(table, size->one.share);
		table_number(table, size->one.wall / size->one.floor);
		table_number(table, size->crowd);
		table_number(table, size->one.wall);
		table_number(table, size->two.wall);
		table_number(table, size->one.wall / size->two.wall);
		table_flag(table, strcmp(size->one.motion, size->two.motion) == 0, "the same", "DIFFERENT");
	}
	double one = exponent_from(found, n, least, false), two = exponent_from(found, n, least, true);
	table_fact(table, "exponent", one);
	table_fact(table, "exponent_2_threads", two);
	table_note(table, "Per simulated second. From %.0f vertices on CPU time on one thread grows as n^%.3f, wall time on two as n^%.3f.", least,
	    one, two);
}

bool part_scaling(Bench *bench, GError **error)
{
	const int *wanted = bench->small ? small_sizes : sizes;
	Size found[MOST_SIZES] = {{0}};
	size_t n = 0;
	bool good = true;
	for (; good && wanted[n] > 0; n++)
		good = measure(bench, wanted[n], &found[n], error);
	if (good)
		report(bench, found, n);
	for (size_t i = 0; i < n; i++) {
		trial_clear(&found[i].one);
		trial_clear(&found[i].two);
	}
	return good;
}

/* What finding contact costs: the same stretch of a run, from one state, with one option after the other. */
#include "cli/command.h"
#include "core/error.h"
#include "core/stopwatch.h"
#include "sim/state.h"
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

/* A row of the ablation. */
typedef struct {
	const char *name;
	const char *overrides[3]; /* of the scene; NULL-terminated */
	unsigned threads;
	double share; /* of the stretch that it runs for: less where it is slow */
} BenchRow;

static const BenchRow rows[] = {
    {"naive", {"contact.detect=naive"}, 1, 0.1},
    {"tube, without charts", {"contact.detect=tube", "contact.near_field=false"}, 1, 1.0},
    {"tube", {"contact.detect=tube", "contact.near_field=true"}, 1, 1.0},
    {"tube, 2 threads", {"contact.detect=tube", "contact.near_field=true"}, 2, 1.0},
};
enum { N_ROWS = G_N_ELEMENTS(rows), BASE = 2 /* the row whose forces are the floor */ };

typedef struct {
	double seconds;     /* of processors, per simulated second */
	double wall, floor; /* [s] per simulated second; in forces and layers */
	double certificates; /* share of the wall time */
	double reschedules;  /* per force event */
	uint64_t alive;
	char *motion; /* checksum of the state after the shortest stretch */
} BenchResult;

typedef struct {
	const char *scene;
	char **overrides;
	double at, length; /* [s] */
	State *state;
} Bench;

static Simulation *load(const Bench *bench, const char *const *more, GError **error)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new();
	for (char **own = bench->overrides; own && *own; own++)
		g_ptr_array_add(all, *own);
	for (; *more; more++)
		g_ptr_array_add(all, (gpointer)*more);
	g_ptr_array_add(all, NULL);
	Scene *scene = scene_load(bench->scene, (const char *const *)all->pdata, error);
	if (scene != NULL && !scene->contact.enabled) {
		scene_free(scene);
		error_set(error, CINCH_ERROR_INPUT, "%s: there is no contact whose cost could be measured", bench->scene);
		return NULL;
	}
	return scene ? simulation_new(scene, error) : NULL;
}

/* The state from which all rows set out, made with the default options. */
static bool make_state(Bench *bench, GError **error)
{
	static const char *const none[] = {NULL};
	Simulation *simulation = load(bench, none, error);
	if (simulation == NULL)
		return false;
	if (simulation_advance(simulation, bench->at, error))
		bench->state = state_capture(simulation, error);
	simulation_free(simulation);
	return bench->state != NULL;
}

static double processor_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Counters of work, in seconds of wall time and events. */
typedef struct {
	double floor, certificates;
	uint64_t forces, rescheduled;
} BenchCount;

static BenchCount count_of(const Simulation *simulation)
{
	BenchCount count = {.forces = simulation->avi->count[AVI_FORCE].events};
	DetectorCount detector;
	simulation->contact->detector->class->count(simulation->contact->detector, &detector);
	for (guint i = 0; i < simulation->fields->len; i++)
		count.floor += ((const Field *)simulation->fields->pdata[i])->seconds;
	count.floor += simulation->contact->count.layer_seconds;
	count.certificates = simulation->contact->count.certificate_seconds;
	count.rescheduled = detector.rescheduled;
	return count;
}

static double shortest_share(void)
{
	double least = 1.0;
	for (size_t i = 0; i < N_ROWS; i++)
		least = MIN(least, rows[i].share);
	return least;
}

static bool measure(const Bench *bench, const BenchRow *row, Simulation *simulation, BenchResult *result, GError **error)
{
	double common = bench->at + shortest_share() * bench->length, end = bench->at + row->share * bench->length;
	size_t n = world_vertex_count(simulation->scene->world);
	simulation->threads = row->threads;
	if (!state_restore(simulation, bench->state, STATE_BRANCH, bench->scene, error))
		return false;
	BenchCount before = count_of(simulation);
	double began = processor_seconds(), wall = stopwatch_seconds();
	if (!simulation_advance(simulation, common, error))
		return false;
	result->motion =
	    g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)simulation->flight, n * sizeof *simulation->flight);
	if (!simulation_advance(simulation, end, error))
		return false;
	double spent = stopwatch_seconds() - wall, simulated = end - bench->at;
	result->seconds = (processor_seconds() - began) / simulated;
	BenchCount after = count_of(simulation);
	DetectorCount detector;
	simulation->contact->detector->class->count(simulation->contact->detector, &detector);
	result->wall = spent / simulated;
	result->floor = (after.floor - before.floor) / simulated;
	result->certificates = (after.certificates - before.certificates) / spent;
	result->reschedules = (double)(after.rescheduled - before.rescheduled) / (double)MAX(after.forces - before.forces, 1);
	result->alive = detector.alive;
	return true;
}

static bool run_row(const Bench *bench, const BenchRow *row, BenchResult *result, GError **error)
{
	Simulation *simulation = load(bench, row->overrides, error);
	bool good = simulation != NULL && measure(bench, row, simulation, result, error);
	simulation_free(simulation);
	return good;
}

static bool is_same(const BenchResult *results, size_t i)
{
	return strcmp(results[i].motion, results[BASE].motion) == 0;
}

static void print_table(const Bench *bench, const BenchResult *results)
{
	printf("%s from t = %g s, for %g s (slow rows for less)\n", bench->scene, bench->at, bench->length);
	printf("%-22s %10s %10s %12s %14s %12s %10s\n", "contact", "seconds", "over floor", "certificates", "rescheduled",
	    "alive", "motion");
	for (size_t i = 0; i < N_ROWS; i++)
		printf("%-22s %10.4g %10.3g %11.1f%% %14.4g %12" G_GUINT64_FORMAT " %10s\n", rows[i].name, results[i].seconds,
		    results[i].wall / results[BASE].floor, 100.0 * results[i].certificates, results[i].reschedules, results[i].alive,
		    is_same(results, i) ? "the same" : "DIFFERENT");
	printf("seconds: of processors, per simulated second. Over floor: wall time over that of forces and layers of \"%s\" (%.4g s\n"
	       "per simulated second). Rescheduled: certificates per force event.\n",
	    rows[BASE].name, results[BASE].floor);
}

static void put_number(JsonBuilder *builder, const char *name, double value)
{
	json_builder_set_member_name(builder, name);
	json_builder_add_double_value(builder, value);
}

static void print_json(const Bench *bench, const BenchResult *results)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();
	json_builder_begin_object(builder);
	json_builder_set_member_name(builder, "scene");
	json_builder_add_string_value(builder, bench->scene);
	put_number(builder, "from", bench->at);
	put_number(builder, "for", bench->length);
	put_number(builder, "floor", results[BASE].floor);
	json_builder_set_member_name(builder, "ablation");
	json_builder_begin_array(builder);
	for (size_t i = 0; i < N_ROWS; i++) {
		json_builder_begin_object(builder);
		json_builder_set_member_name(builder, "name");
		json_builder_add_string_value(builder, rows[i].name);
		put_number(builder, "seconds", results[i].seconds);
		put_number(builder, "reschedules_per_force_event", results[i].reschedules);
		put_number(builder, "certificate_share", results[i].certificates);
		put_number(builder, "over_floor", results[i].wall / results[BASE].floor);
		put_number(builder, "certificates", (double)results[i].alive);
		json_builder_set_member_name(builder, "same_motion");
		json_builder_add_boolean_value(builder, is_same(results, i));
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
	json_builder_end_object(builder);
	g_autoptr(JsonNode) root = json_builder_get_root(builder);
	g_autofree char *text = json_to_string(root, TRUE);
	printf("%s\n", text);
}

/* Exit status 1 when the motion depends on how contact was found. */
static int run_bench(Bench *bench, bool json)
{
	GError *error = NULL;
	BenchResult results[N_ROWS] = {{0}};
	bool good = make_state(bench, &error), same = true;
	for (size_t i = 0; good && i < N_ROWS; i++)
		good = run_row(bench, &rows[i], &results[i], &error);
	for (size_t i = 0; good && i < N_ROWS; i++)
		same &= is_same(results, i);
	if (good)
		(json ? print_json : print_table)(bench, results);
	for (size_t i = 0; i < N_ROWS; i++)
		g_free(results[i].motion);
	state_free(bench->state);
	return error != NULL ? command_fail(error) : same ? 0 : 1;
}

int command_bench(int argc, char **argv)
{
	int status;
	gboolean json = FALSE;
	Bench bench = {.length = 0.05};
	g_auto(GStrv) overrides = NULL;
	GOptionEntry entries[] = {
	    {"at", 0, 0, G_OPTION_ARG_DOUBLE, &bench.at, "Simulate up to here first, and measure from there (0)", "T"},
	    {"for", 0, 0, G_OPTION_ARG_DOUBLE, &bench.length, "Measure for this long (0.05 s)", "S"},
	    {"set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &overrides,
	        "Override a value of the scene, such as contact.eta1=0.01; may be repeated", "KEY=VALUE"},
	    {"json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON", NULL},
	    G_OPTION_ENTRY_NULL,
	};
	if (!command_parse("SCENE",
	        "Measures what finding contact costs: simulates a scene up to a time, then the same stretch from there with\n"
	        "one option after the other, and sees that the motion is the same, bit for bit. Exit status 1 if it is not.",
	        entries, &argc, &argv, &status))
		return status;
	if (argc != 2)
		return command_fail_usage("bench", "expected one scene file");
	if (!(bench.at >= 0.0) || !(bench.length > 0.0) || !isfinite(bench.at + bench.length))
		return command_fail_usage("bench", "expected a time from 0 on (--at) and a length above 0 (--for)");
	bench.scene = argv[1];
	bench.overrides = overrides;
	return run_bench(&bench, json);
}

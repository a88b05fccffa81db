#include "cli/command.h"
#include "cli/progress.h"
#include "cli/summary.h"
#include "core/error.h"
#include "core/stopwatch.h"
#include "sim/ledger.h"
#include "sim/simulation.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

typedef struct {
	char *archive; /* NULL: named after the scene */
	char *until;   /* as given; NULL: the scene's own end */
	int threads;   /* 0: all processors */
	char **overrides;
	char *trace; /* file for a line per event, "-" for standard output; NULL: none */
	gboolean quiet;
} Options;

static volatile sig_atomic_t caught; /* the signal that asks the run to end, or 0 */

static void catch_signal(int number)
{
	caught = number;
	signal(number, SIG_DFL); /* a second one ends the program at once */
}

/* "dir/knot.json" to "knot.h5" in the current directory. */
static char *default_archive(const char *scene)
{
	g_autofree char *base = g_path_get_basename(scene);
	char *dot = strrchr(base, '.');
	if (dot != NULL && dot != base)
		*dot = '\0';
	return g_strconcat(base, ".h5", NULL);
}

/* Advances in slices of about a tenth of a second of wall time. Where the slices end does not touch the motion. */
static bool advance(Simulation *simulation, bool quiet, GError **error)
{
	Progress progress;
	double until = simulation->scene->end;
	/* However far away the end is: the first slice must not take long, or signals go unheard. */
	double slice = fmin((until - simulation->avi->time) / 1000.0, simulation->scene->rule.load_step);
	progress_begin(&progress, !quiet, simulation->avi->time, until);
	bool good = true;
	while (good && !caught && simulation->avi->time < until) {
		double began = stopwatch_seconds(), next = simulation->avi->time + slice;
		good = simulation_advance(simulation, next < until ? next : until, error);
		double took = stopwatch_seconds() - began;
		slice *= took < 0.05 ? 2.0 : took > 0.2 ? 0.5 : 1.0;
		progress_update(&progress, simulation->avi->time, avi_event_count(simulation->avi));
	}
	progress_end(&progress);
	return good;
}

static void print_start(const Simulation *simulation, const char *archive)
{
	const Scene *scene = simulation->scene;
	const World *world = scene->world;
	double least, most;
	simulation_steps(simulation, &least, &most);
	printf("%s%s%s\n", scene->name, scene->title[0] ? ": " : "", scene->title);
	printf("%u bodies, %u vertices, %u triangles, %u loose edges, %u particles; ", world->bodies->len,
	    world_vertex_count(world), world->triangle->len, world->edge->len, world->particle->len);
	if (simulation->force_events->len > 0)
		printf("%u clocks from %.3g to %.3g s\n", simulation->force_events->len, least, most);
	else
		printf("no forces\n");
	printf("writing %" G_GUINT64_FORMAT " frames to %s\n", scene_frame_count(scene) + 1, archive);
	fflush(stdout);
}

static void print_end(const Simulation *simulation, const double *first)
{
	double last[LEDGER_N];
	const char *names[LEDGER_N + 1] = {0}, *units[LEDGER_N + 1] = {0};
	ledger_compute(simulation, simulation->avi->time, last);
	int most = LEDGER_BALANCE;
	for (int i = 0; i <= most; i++) {
		names[i] = ledger_name(i);
		units[i] = ledger_unit(i, simulation->scene->world->units);
	}
	g_autofree char *summary = simulation_summary(simulation);
	summary_print(summary);
	summary_print_ledger(names, units, first, last);
}

static int run(Simulation *simulation, const Options *options, const char *archive)
{
	GError *error = NULL;
	double first[LEDGER_N];
	ledger_compute(simulation, simulation->avi->time, first);
	if (!simulation_record(simulation, archive, &error))
		return command_fail(error);
	if (!options->quiet)
		print_start(simulation, archive);
	if (!advance(simulation, options->quiet, &error)) {
		simulation_finish(simulation, NULL);
		return command_fail(error);
	}
	size_t frames = simulation->archive ? archive_frames_written(simulation->archive) : 0;
	if (!simulation_finish(simulation, &error))
		return command_fail(error);
	if (!options->quiet)
		print_end(simulation, first);
	if (caught) {
		fprintf(stderr, "cinch: interrupted at t = %.6g s; %zu frames are in %s\n", simulation->avi->time, frames,
		    archive);
		return 128 + caught;
	}
	if (!options->quiet)
		printf("%zu frames in %s (cinch info, cinch export)\n", frames, archive);
	return 0;
}

static void options_clear(Options *options)
{
	g_free(options->archive);
	g_free(options->until);
	g_free(options->trace);
	g_strfreev(options->overrides);
}

/* Checks the options as far as they can be without the scene; false after a message. */
static bool check_options(const Options *options, double *until)
{
	char *end = NULL;
	*until = options->until ? g_ascii_strtod(options->until, &end) : INFINITY;
	if (options->until && (end == options->until || *end != '\0' || !(*until > 0.0) || *until > 1e9)) {
		command_fail_usage("run", "--until %s: expected a time above zero, up to 1e9", options->until);
		return false;
	}
	if (options->threads < 0 || options->threads > 1024) {
		command_fail_usage("run", "--threads %d: expected a number from 1 to 1024, or 0 for all processors",
		    options->threads);
		return false;
	}
	return true;
}

/* Also when one is a link to the other. */
static bool is_same_file(const char *a, const char *b)
{
	GStatBuf first, second;
	return g_stat(a, &first) == 0 && g_stat(b, &second) == 0 && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

static Simulation *load(const char *path, const Options *options, double until, GError **error)
{
	g_autoptr(Scene) scene = scene_load(path, (const char *const *)options->overrides, error);
	if (scene == NULL)
		return NULL;
	scene->end = isfinite(until) ? until : scene->end;
	if (scene->end / scene->frame > 1e7) {
		error_set(
		    error, CINCH_ERROR_INPUT, "--until %s: more than ten million frames until then", options->until);
		return NULL;
	}
	Simulation *simulation = simulation_new(g_steal_pointer(&scene), error);
	if (simulation != NULL && options->threads > 0)
		simulation->threads = (unsigned)options->threads;
	return simulation;
}

static FILE *open_trace(const char *path, GError **error)
{
	if (g_str_equal(path, "-"))
		return stdout;
	FILE *file = g_fopen(path, "w");
	if (file == NULL)
		error_set(error, CINCH_ERROR_FAILED, "%s: cannot be written: %s", path, g_strerror(errno));
	return file;
}

/* What was written must have arrived; standard output is looked after by main(). */
static bool close_trace(FILE *file, const char *path, GError **error)
{
	if (file == stdout)
		return true;
	bool failed = ferror(file);
	if (fclose(file) == 0 && !failed)
		return true;
	return error_set(error, CINCH_ERROR_FAILED, "%s: the trace could not be written: %s", path, g_strerror(errno));
}

static int run_traced(Simulation *simulation, const Options *options, const char *archive)
{
	GError *error = NULL;
	if (options->trace == NULL)
		return run(simulation, options, archive);
	FILE *trace = open_trace(options->trace, &error);
	if (trace == NULL)
		return command_fail(error);
	simulation_trace(simulation, trace);
	int status = run(simulation, options, archive);
	simulation->avi->trace = NULL;
	if (!close_trace(trace, options->trace, &error)) {
		int failed = command_fail(error);
		status = status == 0 ? failed : status;
	}
	return status;
}

static int load_and_run(const char *path, const Options *options)
{
	double until;
	if (!check_options(options, &until))
		return 2;
	g_autofree char *archive = options->archive ? g_strdup(options->archive) : default_archive(path);
	if (is_same_file(path, archive))
		return command_fail_usage("run", "--output %s: this is the scene itself", archive);
	if (options->trace != NULL && (is_same_file(path, options->trace) || g_str_equal(archive, options->trace)))
		return command_fail_usage("run", "--trace %s: this is the scene or the archive", options->trace);
	GError *error = NULL;
	Simulation *simulation = load(path, options, until, &error);
	if (simulation == NULL)
		return command_fail(error);
	signal(SIGINT, catch_signal);
	signal(SIGTERM, catch_signal);
	int status = run_traced(simulation, options, archive);
	simulation_free(simulation);
	return status;
}

int command_run(int argc, char **argv)
{
	Options options = {0};
	GOptionEntry entries[] = {
	    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.archive,
	        "Archive to write (default: the scene's name with .h5, here)", "A.h5"},
	    {"until", 0, 0, G_OPTION_ARG_STRING, &options.until,
	        "Stop at this simulated time [s] instead of time.end", "T"},
	    {"threads", 0, 0, G_OPTION_ARG_INT, &options.threads, "Threads (default: all processors)", "N"},
	    {"set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.overrides,
	        "Override a value of the scene, such as time.end=2; may be repeated", "KEY=VALUE"},
	    {"trace", 0, 0, G_OPTION_ARG_FILENAME, &options.trace,
	        "Write a line of plain words for every event; - for standard output", "FILE"},
	    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &options.quiet, "Print nothing but errors", NULL},
	    G_OPTION_ENTRY_NULL,
	};
	int status;
	if (!command_parse("SCENE", "Simulates a scene file (JSON, see docs/scene-format.md) and writes its archive (HDF5).",
	        entries, &argc, &argv, &status)) {
		options_clear(&options);
		return status;
	}
	status = argc == 2 ? load_and_run(argv[1], &options) : command_fail_usage("run", "expected one scene file");
	options_clear(&options);
	return status;
}

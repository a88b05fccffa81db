#include "cli/command.h"
#include "cli/progress.h"
#include "cli/summary.h"
#include "core/error.h"
#include "core/stopwatch.h"
#include "sim/ledger.h"
#include "sim/simulation.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>

typedef struct {
	char *archive;
	double until;
	int threads;
	char **overrides;
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
static bool advance(Simulation *simulation, double until, bool quiet, GError **error)
{
	Progress progress;
	double slice = (until - simulation->avi->time) / 1000.0;
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
	printf("%u bodies, %u vertices, %u triangles, %u loose edges, %u particles; %u clocks from %.3g to %.3g s\n",
	    world->bodies->len, world_vertex_count(world), world->triangle->len, world->edge->len, world->particle->len,
	    simulation->force_events->len, least, most);
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
	double until = isnan(options->until) ? simulation->scene->end : options->until;
	ledger_compute(simulation, simulation->avi->time, first);
	if (!simulation_record(simulation, archive, &error))
		return command_fail(error);
	if (!options->quiet)
		print_start(simulation, archive);
	if (!advance(simulation, until, options->quiet, &error)) {
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

int command_run(int argc, char **argv)
{
	Options options = {.until = NAN, .threads = 0};
	GOptionEntry entries[] = {
	    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.archive,
	        "Archive to write (default: the scene's name with .h5, here)", "A.h5"},
	    {"until", 0, 0, G_OPTION_ARG_DOUBLE, &options.until, "Stop at this simulated time [s] instead of time.end", "T"},
	    {"threads", 0, 0, G_OPTION_ARG_INT, &options.threads, "Threads (default: all processors)", "N"},
	    {"set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.overrides,
	        "Override a value of the scene, such as time.end=2; may be repeated", "KEY=VALUE"},
	    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &options.quiet, "Print nothing but errors", NULL},
	    G_OPTION_ENTRY_NULL,
	};
	int status;
	if (!command_parse("SCENE", "Simulates a scene file (JSON, see docs/scene-format.md) and writes its archive (HDF5).",
	        entries, &argc, &argv, &status))
		return status;
	if (argc != 2)
		return command_fail_usage("run", "expected one scene file");
	if (options.threads < 0 || options.threads > 1024)
		return command_fail_usage("run", "--threads %d: expected a number from 1 to 1024", options.threads);
	GError *error = NULL;
	Scene *scene = scene_load(argv[1], (const char *const *)options.overrides, &error);
	if (scene != NULL && !isnan(options.until)) {
		if (!(options.until > 0.0) || options.until > 1e9) {
			scene_free(scene);
			return command_fail_usage("run", "--until: expected a time above zero");
		}
		scene->end = options.until;
	}
	Simulation *simulation = scene ? simulation_new(scene, &error) : NULL;
	if (simulation == NULL)
		return command_fail(error);
	if (options.threads > 0)
		simulation->threads = (unsigned)options.threads;
	signal(SIGINT, catch_signal);
	signal(SIGTERM, catch_signal);
	g_autofree char *archive = options.archive ? g_strdup(options.archive) : default_archive(argv[1]);
	status = run(simulation, &options, archive);
	simulation_free(simulation);
	g_free(options.archive);
	g_strfreev(options.overrides);
	return status;
}

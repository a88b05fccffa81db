#include "cli/runner.h"
#include "cli/command.h"
#include "cli/memory.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/summary.h"
#include "core/error.h"
#include "core/stopwatch.h"
#include "sim/checkpoint.h"
#include "sim/ledger.h"
#include "sim/witness.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

/* Seconds between checkpoints by wall time, unless told otherwise: what a night's run can lose. */
#define USUAL_WALL 600.0

void runner_entries(RunnerOptions *options, GOptionEntry entries[RUNNER_N_ENTRIES])
{
	const GOptionEntry all[RUNNER_N_ENTRIES] = {
	    {"until", 0, 0, G_OPTION_ARG_STRING, &options->until_text,
	        "Stop at this simulated time [s] instead of time.end", "T"},
	    {"threads", 0, 0, G_OPTION_ARG_INT, &options->threads, "Threads (default: all processors)", "N"},
	    {"set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->overrides,
	        "Override a value of the scene, such as time.end=2; may be repeated", "KEY=VALUE"},
	    {"checkpoint-every", 0, 0, G_OPTION_ARG_STRING, &options->every_text,
	        "Write A.h5.checkpoint at every multiple of this simulated time [s]", "T"},
	    {"checkpoint-keep", 0, 0, G_OPTION_ARG_NONE, &options->keep,
	        "Keep each of them as well, as A.h5.checkpoint.1, .2, ...", NULL},
	    {"checkpoint-last", 0, 0, G_OPTION_ARG_INT, &options->last, "Keep only the last N of these", "N"},
	    {"checkpoint-wall", 0, 0, G_OPTION_ARG_STRING, &options->wall_text,
	        "Write one also whenever this many seconds have gone by (default: 600; 0: never)", "S"},
	    {"trace", 0, 0, G_OPTION_ARG_FILENAME, &options->trace,
	        "Write a line of plain words for every event; - for standard output", "FILE"},
	    {"prove", 0, 0, G_OPTION_ARG_NONE, &options->prove,
	        "Prove for the whole motion that nothing touches; exit status 4 when it does", NULL},
	    {"log", 0, 0, G_OPTION_ARG_FILENAME, &options->log,
	        "Write the motion itself: every commit (docs/archive-format.md); cinch verify judges it", "FILE"},
	    {"log-from", 0, 0, G_OPTION_ARG_STRING, &options->log_from_text, "Begin the log at this simulated time [s]", "T"},
	    {"log-until", 0, 0, G_OPTION_ARG_STRING, &options->log_until_text, "End it at this time [s]", "T"},
	    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &options->quiet, "Print nothing but errors", NULL},
	    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options->archive, "Archive to write", "A.h5"},
	};
	memcpy(entries, all, sizeof all);
}

static bool read_time(const char *text, double least, double *value)
{
	char *end = NULL;
	*value = g_ascii_strtod(text, &end);
	return end != text && *end == '\0' && *value >= least && *value <= 1e9;
}

static bool check_log(RunnerOptions *options)
{
	const char *command = options->command;
	options->log_from = 0.0;
	options->log_until = INFINITY;
	if (options->log == NULL && (options->log_from_text || options->log_until_text))
		return command_fail_usage(command, "--log-from and --log-until: are for a log, --log FILE") == 0;
	if (options->log_from_text && !read_time(options->log_from_text, 0.0, &options->log_from))
		return command_fail_usage(command, "--log-from %s: expected a time, up to 1e9", options->log_from_text) == 0;
	if (options->log_until_text && !read_time(options->log_until_text, 0.0, &options->log_until))
		return command_fail_usage(command, "--log-until %s: expected a time, up to 1e9", options->log_until_text) == 0;
	return options->log_from < options->log_until ||
	       command_fail_usage(command, "--log-until %s: expected a time after that of --log-from, %.15g",
	           options->log_until_text, options->log_from) == 0;
}

bool runner_check(RunnerOptions *options)
{
	const char *command = options->command;
	if (!check_log(options))
		return false;
	options->until = NAN;
	options->every = 0.0;
	options->wall = USUAL_WALL;
	if (options->until_text && !read_time(options->until_text, 0x1p-1074, &options->until))
		return command_fail_usage(
		           command, "--until %s: expected a time above zero, up to 1e9", options->until_text) == 0;
	if (options->every_text && !read_time(options->every_text, 1e-9, &options->every))
		return command_fail_usage(command, "--checkpoint-every %s: expected a time from 1e-9 to 1e9",
		           options->every_text) == 0;
	if (options->wall_text && !read_time(options->wall_text, 0.0, &options->wall))
		return command_fail_usage(command, "--checkpoint-wall %s: expected seconds, up to 1e9, or 0 for never",
		           options->wall_text) == 0;
	if ((options->keep || options->last != 0) && options->every_text == NULL)
		return command_fail_usage(command, "--checkpoint-%s: is for checkpoints by --checkpoint-every T",
		           options->keep ? "keep" : "last") == 0;
	if (options->last < 0)
		return command_fail_usage(command, "--checkpoint-last %d: expected a number from 1 on", options->last) == 0;
	if (options->threads < 0 || options->threads > 1024)
		return command_fail_usage(command,
		           "--threads %d: expected a number from 1 to 1024, or 0 for all processors",
		           options->threads) == 0;
	return true;
}

void runner_clear(RunnerOptions *options)
{
	g_free(options->archive);
	g_free(options->until_text);
	g_free(options->every_text);
	g_free(options->wall_text);
	g_free(options->trace);
	g_free(options->log);
	g_free(options->log_from_text);
	g_free(options->log_until_text);
	g_strfreev(options->overrides);
}

bool runner_is_same_file(const char *a, const char *b)
{
	GStatBuf first, second;
	return g_stat(a, &first) == 0 && g_stat(b, &second) == 0 && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

bool runner_check_log(const Simulation *simulation, const RunnerOptions *options, const char *archive, const char *input)
{
	const char *log = options->log;
	if (log == NULL)
		return true;
	if (g_str_equal(log, archive) || runner_is_same_file(log, archive) || runner_is_same_file(log, input) ||
	    (options->trace != NULL && g_str_equal(log, options->trace)))
		return command_fail_usage(options->command, "--log %s: this is the scene, the archive or the trace", log) == 0;
	if (options->log_from >= simulation->scene->end || options->log_until <= simulation->avi->time)
		return command_fail_usage(options->command, "--log %s: the run is from %.9g to %.9g s, and nothing of it would be in the log",
		           log, simulation->avi->time, simulation->scene->end) == 0;
	return true;
}

/* After an event has failed: what was whole before goes into the checkpoint, and the message says so. */
static void save_before_failure(Simulation *simulation, const State *before, GError **error)
{
	g_autoptr(GError) problem = NULL;
	bool limit = simulation->contact != NULL && simulation->contact->limit.reached;
	simulation->avi->trace = NULL; /* it goes the last steps again, which have been told */
	bool saved = limit ? checkpoint_write_before_limit(simulation, before, &problem)
	                   : checkpoint_save(before, simulation->checkpoint_path, &problem);
	int code = (*error)->code;
	g_autofree char *message =
	    saved ? g_strdup_printf("%s; the state %s is in %s", (*error)->message, limit ? "just before" : "before",
	                simulation->checkpoint_path)
	          : g_strdup_printf("%s; its checkpoint failed: %s", (*error)->message, problem->message);
	g_clear_error(error);
	g_set_error_literal(error, CINCH_ERROR, code, message);
}

/* A whole state from a while ago. Taking one of a crowded contact costs much, so it stays until the run has gone on for
 * SAFE_SHARE times as long as that took. */
typedef struct {
	State *state;
	double taken, cost; /* [s] of the stopwatch */
} Safe;

#define SAFE_SHARE 25.0

static bool stay_safe(const Simulation *simulation, Safe *safe, GError **error)
{
	double now = stopwatch_seconds();
	if (safe->state != NULL && now - safe->taken < SAFE_SHARE * safe->cost)
		return true;
	g_clear_pointer(&safe->state, state_free);
	safe->state = state_capture(simulation, error);
	safe->taken = stopwatch_seconds();
	safe->cost = safe->taken - now;
	return safe->state != NULL;
}

/* One call of simulation_advance(), after which there is a whole state, if only that from before it. */
static bool advance_safely(Simulation *simulation, Safe *safe, double until, GError **error)
{
	if (!stay_safe(simulation, safe, error))
		return false;
	if (simulation_advance(simulation, until, error))
		return true;
	save_before_failure(simulation, safe->state, error);
	return false;
}

/* When the last checkpoint by wall time or on demand was due. */
typedef struct {
	double last; /* [s] of the stopwatch */
	bool any;    /* there was one, or a resumed run has one */
} Watch;

/* A checkpoint that fails is told of, and the run goes on: the one before is still good, and the next may succeed. */
static void watch_over(Simulation *simulation, const RunnerOptions *options, Watch *watch)
{
	bool asked = signals_take_checkpoint();
	if (!asked && (options->wall == 0.0 || stopwatch_seconds() - watch->last < options->wall))
		return;
	g_autoptr(GError) error = NULL;
	watch->last = stopwatch_seconds();
	watch->any = true;
	if (!checkpoint_write(simulation, &error))
		command_warn(error->message);
	else if (asked && !options->quiet)
		printf("checkpoint of t = %.9g s in %s\n", simulation->avi->time, simulation->checkpoint_path);
	fflush(stdout);
}

/* A run stops where its log begins and ends; that does not touch the motion. */
static double next_stop(const Simulation *simulation, const RunnerOptions *options, double next)
{
	double now = simulation->avi->time;
	if (options->log == NULL)
		return next;
	next = options->log_from > now && options->log_from < next ? options->log_from : next;
	return options->log_until > now && options->log_until < next ? options->log_until : next;
}

/* Begins the log where its time has come, and ends it. */
static bool keep_log(Simulation *simulation, const RunnerOptions *options, bool *begun, GError **error)
{
	double now = simulation->avi->time;
	if (options->log == NULL)
		return true;
	if (!*begun && now >= options->log_from && now < options->log_until) {
		*begun = true;
		return witness_begin_log(simulation->witness, options->log, error);
	}
	return now < options->log_until || witness_end_log(simulation->witness, true, true, error);
}

enum { FIRST_DEEP_LAYER = 32 };

/* Contact that gets deeper and deeper slows down, and may come to the limit. */
typedef struct {
	uint32_t told;   /* layer */
	double time;     /* [s] simulated, and events, when that was */
	uint64_t events;
	double rate;     /* events per simulated second then */
} Depth;

/* The closest pair in contact, of all that contact_visit() shows. */
static void find_closest(const ContactVisit *visit, void *data)
{
	ContactVisit *closest = data;
	if (closest->pair == NULL || visit->layer > closest->layer)
		*closest = *visit;
}

/* Says which contact has come to a layer twice as deep as was told last, and by how much more work a simulated second takes. */
static void watch_depth(const Simulation *simulation, Depth *depth)
{
	ContactVisit closest = {0};
	double time = simulation->avi->time;
	if (simulation->contact == NULL || simulation->contact->count.deepest < 2 * depth->told)
		return;
	contact_visit(simulation->contact, time, find_closest, &closest);
	if (closest.pair == NULL || closest.layer < 2 * depth->told)
		return;
	uint64_t events = avi_event_count(simulation->avi);
	double rate = (double)(events - depth->events) / (time - depth->time);
	g_autofree char *name = surface_pair_name(simulation->contact->surface, closest.pair);
	g_autofree char *faster = depth->rate > 0.0 && rate > depth->rate
	                              ? g_strdup_printf("; %.2g times as many events per simulated second as before", rate / depth->rate)
	                              : g_strdup("");
	g_autofree char *message = g_strdup_printf("t = %.6g s: %s are in layer %u of %u, %.3g %s apart%s", time, name, closest.layer,
	    simulation->scene->contact.max_layer, closest.gap, simulation->scene->world->units->length, faster);
	command_warn(message);
	*depth = (Depth){closest.layer, time, events, rate};
}

/* How long a slice may be: where contact is deep already, the limit may be near, and is not to come unforetold. */
static double slice_within(const Simulation *simulation, double slice)
{
	bool deep = simulation->contact != NULL && simulation->contact->count.deepest >= FIRST_DEEP_LAYER / 4;
	return deep ? fmin(slice, simulation->scene->end / 4000.0) : slice;
}

/* Advances in slices of about a tenth of a second of wall time. Where the slices end does not touch the motion. */
static bool advance(Simulation *simulation, const RunnerOptions *options, Watch *watch, GError **error)
{
	Progress progress;
	double until = simulation->scene->end;
	/* However far away the end is: the first slice must not take long, or signals go unheard. */
	double slice = fmin((until - simulation->avi->time) / 1000.0, simulation->scene->rule.load_step);
	bool begun = false, good = keep_log(simulation, options, &begun, error);
	Depth depth = {FIRST_DEEP_LAYER / 2, simulation->avi->time, avi_event_count(simulation->avi), 0.0};
	Safe safe = {0};
	progress_begin(&progress, !options->quiet, simulation->avi->time, until);
	while (good && !signals_end() && simulation->avi->time < until) {
		double began = stopwatch_seconds(), next = simulation->avi->time + slice_within(simulation, slice);
		next = next_stop(simulation, options, next < until ? next : until);
		good = advance_safely(simulation, &safe, next, error) && keep_log(simulation, options, &begun, error);
		double took = stopwatch_seconds() - began;
		slice *= took < 0.05 ? 2.0 : took > 0.2 ? 0.5 : 1.0;
		progress_update(&progress, simulation->avi->time, avi_event_count(simulation->avi),
		    simulation->contact ? simulation->contact->count.deepest : 0);
		if (good)
			watch_over(simulation, options, watch);
		if (good && !options->quiet)
			watch_depth(simulation, &depth);
	}
	progress_end(&progress);
	state_free(safe.state);
	return good;
}

static bool settle_under_way(const Simulation *simulation, void *data)
{
	RunnerSettling *settling = data;
	Progress *progress = &settling->progress;
	double time = simulation->avi->time, end = simulation->scene->end;
	if (progress->end_time == 0.0) {
		progress_begin(progress, !settling->quiet, 0.0, end);
		progress->what = "settling: ";
	}
	progress_update(progress, time, avi_event_count(simulation->avi),
	    simulation->contact ? simulation->contact->count.deepest : 0);
	if (time >= end || signals_end())
		progress_end(progress);
	return !signals_end();
}

SettleWatch runner_settle(RunnerSettling *settling, const RunnerOptions *options)
{
	*settling = (RunnerSettling){.quiet = options->quiet};
	signals_begin();
	return (SettleWatch){(unsigned)options->threads, options->prove, settle_under_way, settling};
}

int runner_fail_start(RunnerSettling *settling, GError *error)
{
	progress_end(&settling->progress);
	if (g_error_matches(error, CINCH_ERROR, CINCH_ERROR_PROOF))
		g_prefix_error(&error, "NOT PROVED: ");
	int status = command_fail(error);
	return signals_end() ? 128 + signals_end() : status;
}

static void print_settled(const Settled *settled, const UnitSystem *units)
{
	if (settled != NULL)
		printf("settled for %.6g s (%" G_GUINT64_FORMAT " events, %.2f s): in the end at %.3g %s/%s in the mean%s\n", settled->time,
		    settled->events, settled->wall_seconds, settled->speed, units->length, units->time,
		    settled->proof ? "; nothing touched" : "");
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
	print_settled(simulation->settled, world->units);
	if (simulation->avi->time > 0.0)
		printf("going on from t = %.9g s\n", simulation->avi->time);
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

/* The way to its end, or until a signal; the archive stays open. Who had checkpoints, or wanted them, gets one of the end,
 * from which the run can go on to a later one. */
static bool go(Simulation *simulation, const RunnerOptions *options, GError **error)
{
	Watch watch = {stopwatch_seconds(), simulation->avi->time > 0.0};
	if (!advance(simulation, options, &watch, error))
		return false;
	if (simulation->witness != NULL && !witness_finish(simulation->witness, error))
		return false;
	if (simulation->witness != NULL && !witness_end_log(simulation->witness, true, !signals_end(), error))
		return false;
	return (!signals_end() && options->every == 0.0 && !watch.any) || checkpoint_write(simulation, error);
}

/* Adds to the message of a violation where it can be looked at. */
static void keep_evidence(const Witness *witness, const char *archive, GError **error)
{
	g_autoptr(GError) problem = NULL;
	g_autofree char *path = g_strconcat(archive, ".violation.obj", NULL);
	if (!witness_has_evidence(witness)) { /* a whole ribbon */
		g_prefix_error(error, "NOT PROVED: ");
		return;
	}
	bool saved = witness_write_evidence(witness, path, &problem);
	g_autofree char *message =
	    saved ? g_strdup_printf("NOT PROVED: %s; both are in %s", (*error)->message, path)
	          : g_strdup_printf("NOT PROVED: %s; %s", (*error)->message, problem->message);
	g_clear_error(error);
	g_set_error_literal(error, CINCH_ERROR, CINCH_ERROR_PROOF, message);
}

static int run(Simulation *simulation, const RunnerOptions *options, const char *archive)
{
	GError *error = NULL;
	bool watched = options->prove || options->log != NULL;
	g_autoptr(Witness) witness = watched ? witness_new(simulation, options->prove) : NULL;
	double first[LEDGER_N];
	g_autofree char *checkpoint = checkpoint_name(archive);
	signals_begin();
	memory_advise(archive);
	ledger_compute(simulation, simulation->avi->time, first);
	uint64_t keep = options->last > 0 ? (uint64_t)options->last : options->keep ? UINT64_MAX : 0;
	checkpoint_begin(simulation, checkpoint, options->every, keep);
	if (!options->quiet)
		print_start(simulation, archive);
	if (!go(simulation, options, &error)) {
		bool refuted = g_error_matches(error, CINCH_ERROR, CINCH_ERROR_PROOF);
		if (witness != NULL)
			witness_end_log(witness, refuted, false, NULL);
		if (witness != NULL && refuted)
			keep_evidence(witness, archive, &error);
		simulation_finish(simulation, NULL);
		return command_fail(error);
	}
	size_t frames = simulation->archive ? archive_frames_written(simulation->archive) : 0;
	if (!simulation_finish(simulation, &error))
		return command_fail(error);
	if (!options->quiet)
		print_end(simulation, first);
	if (signals_end()) {
		fprintf(stderr, "cinch: interrupted at t = %.6g s; %zu frames are in %s ('cinch resume %s' goes on)\n",
		    simulation->avi->time, frames, archive, archive);
		return 128 + signals_end();
	}
	if (!options->quiet)
		printf("%zu frames in %s (cinch info, cinch export)\n", frames, archive);
	return 0;
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

int runner_run(Simulation *simulation, const RunnerOptions *options, const char *archive)
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

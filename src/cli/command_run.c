#include "cli/command.h"
#include "cli/runner.h"
#include "core/error.h"
#include "sim/checkpoint.h"
#include <string.h>

/* "dir/knot.json" to "knot.h5" in the current directory. */
static char *default_archive(const char *scene)
{
	g_autofree char *base = g_path_get_basename(scene);
	char *dot = strrchr(base, '.');
	if (dot != NULL && dot != base)
		*dot = '\0';
	return g_strconcat(base, ".h5", NULL);
}

static Simulation *load(const char *path, const RunnerOptions *options, RunnerSettling *settling, GError **error)
{
	g_autoptr(Scene) scene = scene_load(path, (const char *const *)options->overrides, error);
	if (scene == NULL)
		return NULL;
	scene->end = isfinite(options->until) ? options->until : scene->end;
	if (scene->end / scene->frame > 1e7) {
		error_set(error, CINCH_ERROR_INPUT, "--until %s: more than ten million frames until then",
		    options->until_text);
		return NULL;
	}
	SettleWatch watch = runner_settle(settling, options);
	return simulation_new_watched(g_steal_pointer(&scene), &watch, error);
}

static int load_and_run(const char *path, RunnerOptions *options)
{
	if (!runner_check(options))
		return 2;
	g_autofree char *archive = options->archive ? g_strdup(options->archive) : default_archive(path);
	if (runner_is_same_file(path, archive))
		return command_fail_usage("run", "--output %s: this is the scene itself", archive);
	if (options->trace != NULL && (runner_is_same_file(path, options->trace) || g_str_equal(archive, options->trace)))
		return command_fail_usage("run", "--trace %s: this is the scene or the archive", options->trace);
	GError *error = NULL;
	RunnerSettling settling = {0};
	Simulation *simulation = load(path, options, &settling, &error);
	if (simulation == NULL)
		return runner_fail_start(&settling, error);
	if (options->threads > 0)
		simulation->threads = (unsigned)options->threads;
	int status;
	if (!runner_check_log(simulation, options, archive, path)) {
		status = 2;
	} else if (simulation_record(simulation, archive, &error)) {
		checkpoint_remove(archive); /* of an archive that has just been replaced: it belongs to nothing */
		status = runner_run(simulation, options, archive);
	} else {
		status = command_fail(error);
	}
	simulation_free(simulation);
	return status;
}

int command_run(int argc, char **argv)
{
	RunnerOptions options = {.command = "run"};
	GOptionEntry entries[RUNNER_N_ENTRIES + 1] = {0};
	runner_entries(&options, entries);
	int status;
	if (!command_parse("SCENE",
	        "Simulates a scene file (JSON, see docs/scene-format.md) and writes its archive (HDF5), by default "
	        "the\n"
	        "scene's name with .h5, here. A run that is interrupted can go on: see 'cinch resume --help'.",
	        entries, &argc, &argv, &status)) {
		runner_clear(&options);
		return status;
	}
	status = argc == 2 ? load_and_run(argv[1], &options) : command_fail_usage("run", "expected one scene file");
	runner_clear(&options);
	return status;
}

#include "cli/command.h"
#include "cli/runner.h"
#include "sim/resume.h"

static bool is_branch(const RunnerOptions *options)
{
	return options->overrides != NULL && options->overrides[0] != NULL;
}

/* A branch must not take the place of what it branches from. */
static bool check_output(const char *path, const RunnerOptions *options)
{
	if (options->trace != NULL && runner_is_same_file(path, options->trace))
		return command_fail_usage("resume", "--trace %s: this is the archive", options->trace) == 0;
	if (!is_branch(options))
		return true;
	if (options->archive == NULL)
		return command_fail_usage(
		           "resume", "--set: a branch is another run, so expected -o with its archive") == 0;
	return !runner_is_same_file(path, options->archive) ||
	       command_fail_usage("resume", "--output %s: a branch cannot replace the run that it branches from",
	           options->archive) == 0;
}

static int go_on(const char *path, Archive *archive, const char *checkpoint, const RunnerOptions *options)
{
	GError *error = NULL;
	RunnerSettling settling = {0};
	ResumeOptions wanted = {
	    checkpoint, (const char *const *)options->overrides, options->until, runner_settle(&settling, options)};
	g_auto(ResumeSource) source = {0};
	Simulation *simulation = resume_load(path, archive, &wanted, &source, &error);
	if (simulation == NULL)
		return runner_fail_start(&settling, error);
	if (source.passed_over != NULL)
		command_warn(source.passed_over);
	if (options->threads > 0)
		simulation->threads = (unsigned)options->threads;
	const char *output = options->archive ? options->archive : path;
	if (!runner_check_log(simulation, options, output, path)) {
		simulation_free(simulation);
		return 2;
	}
	int status = resume_record(simulation, output, path, archive, &source, &wanted, &error)
	                 ? runner_run(simulation, options, output)
	                 : command_fail(error);
	simulation_free(simulation);
	return status;
}

static int open_and_go_on(const char *path, const char *checkpoint, RunnerOptions *options)
{
	if (!runner_check(options) || !check_output(path, options))
		return 2;
	GError *error = NULL;
	g_autoptr(Archive) archive = archive_open(path, &error);
	return archive ? go_on(path, archive, checkpoint, options) : command_fail(error);
}

int command_resume(int argc, char **argv)
{
	RunnerOptions options = {.command = "resume"};
	g_autofree char *checkpoint = NULL;
	GOptionEntry entries[RUNNER_N_ENTRIES + 2] = {
	    [RUNNER_N_ENTRIES] = {"from", 0, 0, G_OPTION_ARG_FILENAME, &checkpoint,
	        "Checkpoint to go on from (default: the newest beside the archive that is whole)", "FILE"}};
	runner_entries(&options, entries);
	int status;
	if (!command_parse("A.h5",
	        "Goes on from a checkpoint of a run, with the same bits as if it had not been interrupted. Frames "
	        "later\n"
	        "than the checkpoint are dropped and made again. Without -o the archive itself is replaced, in one "
	        "step.\n"
	        "With --set it branches: another run, in the archive that -o names, with the frames up to there.",
	        entries, &argc, &argv, &status)) {
		runner_clear(&options);
		return status;
	}
	status = argc == 2 ? open_and_go_on(argv[1], checkpoint, &options)
	                   : command_fail_usage("resume", "expected one archive");
	runner_clear(&options);
	return status;
}

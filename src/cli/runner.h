/* What `run` and `resume` share: the options, and the run itself with its progress, checkpoints and signals. */
#ifndef CINCH_CLI_RUNNER_H
#define CINCH_CLI_RUNNER_H

#include "cli/progress.h"
#include "sim/settle.h"

typedef struct {
	const char *command; /* "run": for messages */
	char *archive;       /* -o; NULL: not given */
	char *until_text;    /* as given; NULL: not given */
	char *every_text;
	char *wall_text;
	int threads; /* 0: all processors */
	char **overrides;
	char *log;   /* file for all commits; NULL: none */
	char *log_from_text, *log_until_text;
	char *trace; /* file for a line per event, "-" for standard output; NULL: none */
	gboolean keep, quiet, prove;
	int last; /* how many checkpoints at every `every` stay; 0: not given */

	/* From the texts, by runner_check(). */
	double until; /* [s] NAN: not given */
	double every; /* [s] 0: not given */
	double wall;  /* [s] of wall time between checkpoints; 0: none */
	double log_from, log_until; /* [s] */
} RunnerOptions;

enum { RUNNER_N_ENTRIES = 14 };
/* Writes the entries for the command line. */
void runner_entries(RunnerOptions *options, GOptionEntry entries[RUNNER_N_ENTRIES]);
/* Checks what can be checked without a scene; false after a message. */
bool runner_check(RunnerOptions *options);
void runner_clear(RunnerOptions *options);

/* Also when one is a link to the other. */
bool runner_is_same_file(const char *a, const char *b);

/* Whether there would be something in the log, and it takes the place of nothing else; false after a message. */
bool runner_check_log(const Simulation *simulation, const RunnerOptions *options, const char *archive, const char *input);

/* While a scene settles, before there is a run: a progress line, and signals that end it. */
typedef struct {
	Progress progress;
	bool quiet;
} RunnerSettling;
SettleWatch runner_settle(RunnerSettling *settling, const RunnerOptions *options);
/* There is no simulation. Returns the exit status. */
int runner_fail_start(RunnerSettling *settling, GError *error);

/* Runs a simulation that is being recorded to its end and finishes the archive. Returns the exit status. */
int runner_run(Simulation *simulation, const RunnerOptions *options, const char *archive);

#endif

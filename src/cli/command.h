/* The subcommands of `cinch`: each is one file command_NAME.c and a line in the table of main.c. */
#ifndef CINCH_CLI_COMMAND_H
#define CINCH_CLI_COMMAND_H

#include <glib.h>
#include <stdbool.h>

/* argv[0] is "cinch run"; returns the exit status of the program. */
typedef int CommandFunction(int argc, char **argv);

CommandFunction command_run, command_resume, command_check, command_bound, command_info, command_export, command_diff, command_bench,
    command_picture, command_report, command_view, command_watch, command_verify, command_salvage;

/* Prints "cinch: message" to standard error, frees the error and returns its exit status. */
int command_fail(GError *error);
/* Prints "cinch: message" to standard error; the program goes on. */
void command_warn(const char *message);
/* The same for a wrong call of a subcommand: adds where help is. */
int command_fail_usage(const char *command, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Parses options; false with *status set when the program should end (help was printed, or an error). */
bool command_parse(const char *arguments, const char *summary, const GOptionEntry *entries, int *argc, char ***argv,
    int *status);

#endif

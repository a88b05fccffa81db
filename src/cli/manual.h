/* Man pages, made of the same tables as --help. */
#ifndef CINCH_CLI_MANUAL_H
#define CINCH_CLI_MANUAL_H

#include <glib.h>

/* The page of a subcommand, "cinch run": what command_parse() knows of it. */
void manual_print(const char *command, const char *arguments, const char *summary, const GOptionEntry *entries);

/* The page of the program: pairs of a command's name and what it does, NULL at the end. */
void manual_print_program(const char *const *commands);

#endif

/* The options that say which part of an archive is meant: bodies and times. Commands that show or export share them. */
#ifndef CINCH_CLI_CHOICE_H
#define CINCH_CLI_CHOICE_H

#include "io/selection.h"

typedef struct {
	char *bodies, *from, *to, *rate;
	int every;
} Choice;

enum { CHOICE_N_ENTRIES = 5 };
void choice_entries(Choice *choice, GOptionEntry *entries);
/* Opens an archive's part; *archive and the selection are the caller's. NULL with an error set. */
Selection *choice_select(const Choice *choice, const char *path, Archive **archive, GError **error);
void choice_clear(Choice *choice);

/* A number of an option, within limits; else the error says what was expected. */
bool choice_number(const char *option, const char *text, double least, double most, double *value, GError **error);

/* "dir/knot.h5" to "knot" + suffix: what a command writes without -o. Free with g_free. */
char *choice_output(const char *archive, const char *suffix);

#endif

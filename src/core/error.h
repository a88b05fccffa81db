/* Errors that reach the user. Each message is one sentence that names the file and the key or element. */
#ifndef CINCH_CORE_ERROR_H
#define CINCH_CORE_ERROR_H

#include <cinch/cinch.h>
#include <glib.h>

/* Sets *error to a CINCH_ERROR of this code and returns false, so that `return error_set(...)` is one line. */
bool error_set(GError **error, CinchError code, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* The exit status of the command line for an error (1 failure, 2 usage or input, 3 limit). */
int error_exit_status(const GError *error);

#endif

/* Is it safe to read this file? HDF5 is not made for files that somebody wrote to do harm: it can crash on them, or go round in
 * circles. So a child process with limits reads the file first, and what befalls it befalls nobody else. */
#ifndef CINCH_IO_ARCHIVE_VET_H
#define CINCH_IO_ARCHIVE_VET_H

#include <glib.h>
#include <stdbool.h>

/* False with a sentence when a child that reads the file does not live to tell. Whether it is an archive, and whole, is for
 * whoever opens it to find out. */
bool archive_vet(const char *path, GError **error);

#endif

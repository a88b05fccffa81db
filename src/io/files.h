/* Text files that are replaced in one step: a reader sees the old file or the new one, never half of it. */
#ifndef CINCH_IO_FILES_H
#define CINCH_IO_FILES_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* The temporary name beside `path` under which it is written: path + ".part" (g_free). */
char *files_part_name(const char *path);

/* Says whether `path` can be replaced by renaming: it is absent or a regular file. A device, a pipe or a directory
 * must not be renamed over. */
bool files_is_replaceable(const char *path);

/* Writes `text` to the temporary name, syncs it and renames it to `path`. A pipe or a device (/dev/stdout) is written
 * directly. The message of a failure begins with the path and ends with the reason of the system. */
bool files_replace(const char *path, const char *text, size_t length, GError **error);

/* The same piece by piece, for what should not be in memory as a whole. A failure is remembered and told at the end, which
 * frees the part in any case. */
typedef struct FilesPart FilesPart;
FilesPart *files_begin(const char *path);
void files_put(FilesPart *part, const char *text, size_t length);
bool files_end(FilesPart *part, GError **error);

#endif

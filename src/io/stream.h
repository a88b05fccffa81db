/* A file that is written piece by piece and takes its name when it is whole: a reader sees the old file or the new one.
 * Failures are kept until the end, so that writing needs no checks. */
#ifndef CINCH_IO_STREAM_H
#define CINCH_IO_STREAM_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Stream Stream;

Stream *stream_open(const char *path);
void stream_bytes(Stream *stream, const void *data, size_t length);
void stream_text(Stream *stream, const char *text);
void stream_format(Stream *stream, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* A number so that it can be read back: 17 digits keep every double, 9 every float. The point is a point everywhere. */
void stream_number(Stream *stream, int digits, double number);
void stream_count(Stream *stream, guint64 number);
/* Whether all went well so far: who writes for long may stop early. */
bool stream_good(const Stream *stream);
/* Ends and frees it. With `keep` the file takes its name; else, and after a failure, nothing is left of it. */
bool stream_close(Stream *stream, bool keep, GError **error);

#endif

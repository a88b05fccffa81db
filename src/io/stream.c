#include "io/stream.h"

#include "core/error.h"
#include "io/files.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

struct Stream {
	char *path;
	char *part; /* the name that it has until it is whole; NULL: a pipe or a device, written directly */
	FILE *file;
	int reason; /* errno of the first failure; 0: none */
};

Stream *stream_open(const char *path)
{
	Stream *stream = g_new0(Stream, 1);
	stream->path = g_strdup(path);
	if (files_is_replaceable(path))
		stream->part = files_part_name(path);
	stream->file = g_fopen(stream->part ? stream->part : path, "wb");
	stream->reason = stream->file ? 0 : errno;
	return stream;
}

void stream_bytes(Stream *stream, const void *data, size_t length)
{
	if (stream->reason == 0 && length > 0 && fwrite(data, 1, length, stream->file) != length)
		stream->reason = errno ? errno : EIO;
}

void stream_text(Stream *stream, const char *text)
{
	stream_bytes(stream, text, strlen(text));
}

void stream_format(Stream *stream, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	g_autofree char *text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	stream_text(stream, text);
}

void stream_number(Stream *stream, int digits, double number)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];
	stream_text(stream, g_ascii_formatd(text, sizeof text, digits > 9 ? "%.17g" : "%.9g", number));
}

void stream_count(Stream *stream, guint64 number)
{
	char text[24], *digit = text + sizeof text;
	do
		*--digit = (char)('0' + number % 10);
	while (number /= 10);
	stream_bytes(stream, digit, (size_t)(text + sizeof text - digit));
}

bool stream_good(const Stream *stream)
{
	return stream->reason == 0;
}

bool stream_close(Stream *stream, bool keep, GError **error)
{
	if (stream->file != NULL && fclose(stream->file) != 0 && stream->reason == 0)
		stream->reason = errno;
	if (keep && stream->reason == 0 && stream->part != NULL && g_rename(stream->part, stream->path) != 0)
		stream->reason = errno;
	bool good = stream->reason == 0;
	if ((!good || !keep) && stream->file != NULL && stream->part != NULL)
		g_unlink(stream->part);
	if (keep && !good)
		error_set(error, CINCH_ERROR_FAILED, "%s: could not be written: %s", stream->path,
		    g_strerror(stream->reason));
	g_free(stream->path);
	g_free(stream->part);
	g_free(stream);
	return keep && good;
}

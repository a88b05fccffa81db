#include "io/motion.h"
#include "core/error.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#define MAGIC "CINCHLOG"
#define LARGEST ((uint64_t)4 << 30) /* bytes of a block */

enum { VERSION = 1, START = 16, HEAD = 24, HASH = 32, LEVEL = 1 };

/* ---- numbers ---- */

static void put_number(uint8_t *at, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get_number(const uint8_t *at, int bytes)
{
	uint64_t value = 0;
	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

void motion_put_record(uint8_t record[MOTION_RECORD], uint32_t vertex, double time, const double x[3])
{
	const double value[4] = {time, x[0], x[1], x[2]};
	for (int i = 0; i < 4; i++) {
		uint64_t bits;
		memcpy(&bits, &value[i], sizeof bits);
		put_number(record + 8 * i, bits, 8);
	}
	put_number(record + 32, vertex, 4);
}

void motion_get_record(const uint8_t record[MOTION_RECORD], uint32_t *vertex, double *time, double x[3])
{
	double value[4];
	for (int i = 0; i < 4; i++) {
		uint64_t bits = get_number(record + 8 * i, 8);
		memcpy(&value[i], &bits, sizeof bits);
	}
	*time = value[0];
	memcpy(x, value + 1, 3 * sizeof *x);
	*vertex = (uint32_t)get_number(record + 32, 4);
}

/* All first bytes of records, then all second ones, and so on; or back. */
static void transpose(const uint8_t *from, uint8_t *to, size_t rows, size_t columns)
{
	for (size_t row = 0; row < rows; row++)
		for (size_t column = 0; column < columns; column++)
			to[column * rows + row] = from[row * columns + column];
}

/* A block's hash becomes what the next one begins with. */
static void seal(uint8_t *chain, size_t *length, const uint8_t head[HEAD], const uint8_t *data, size_t size)
{
	gsize digest = HASH;
	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
	g_checksum_update(sum, chain, (gssize)*length);
	g_checksum_update(sum, head, HEAD);
	g_checksum_update(sum, data, (gssize)size);
	g_checksum_get_digest(sum, chain, &digest);
	g_checksum_free(sum);
	*length = HASH;
}

static void put_start(uint8_t start[START])
{
	memset(start, 0, START);
	memcpy(start, MAGIC, strlen(MAGIC));
	put_number(start + 8, VERSION, 4);
}

/* ---- writing ---- */

struct MotionWriter {
	FILE *file;
	char *path;
	uint8_t chain[HASH];
	size_t chain_length;
};

static bool fail_to_write(const MotionWriter *writer, int reason, GError **error)
{
	return error_set(error, CINCH_ERROR_FAILED, "%s: the log could not be written: %s", writer->path, g_strerror(reason));
}

MotionWriter *motion_create(const char *path, GError **error)
{
	FILE *file = g_fopen(path, "wb");
	if (file == NULL) {
		error_set(error, CINCH_ERROR_FAILED, "%s: cannot be written: %s", path, g_strerror(errno));
		return NULL;
	}
	MotionWriter *writer = g_new0(MotionWriter, 1);
	writer->file = file;
	writer->path = g_strdup(path);
	writer->chain_length = START;
	put_start(writer->chain);
	if (fwrite(writer->chain, 1, START, file) == START)
		return writer;
	fail_to_write(writer, errno, error);
	motion_close(writer, NULL);
	return NULL;
}

bool motion_write(MotionWriter *writer, const char kind[MOTION_KIND], size_t width, const void *data, size_t size,
    GError **error)
{
	uint8_t head[HEAD];
	uLongf stored = compressBound(size);
	g_autofree uint8_t *packed = g_malloc(stored), *shuffled = width > 1 ? g_malloc(size + 1) : NULL;
	if (width > 1)
		transpose(data, shuffled, size / width, width);
	if (compress2(packed, &stored, shuffled ? shuffled : data, size, LEVEL) != Z_OK)
		return error_set(error, CINCH_ERROR_FAILED, "%s: a block of the log could not be compressed", writer->path);
	memcpy(head, kind, MOTION_KIND);
	put_number(head + 4, width, 4);
	put_number(head + 8, stored, 8);
	put_number(head + 16, size, 8);
	seal(writer->chain, &writer->chain_length, head, packed, stored);
	return (fwrite(head, 1, HEAD, writer->file) == HEAD && fwrite(writer->chain, 1, HASH, writer->file) == HASH &&
	           fwrite(packed, 1, stored, writer->file) == stored && fflush(writer->file) == 0) ||
	       fail_to_write(writer, errno, error);
}

bool motion_close(MotionWriter *writer, GError **error)
{
	bool good = !ferror(writer->file);
	good = fclose(writer->file) == 0 && good;
	if (!good)
		fail_to_write(writer, errno, error);
	g_free(writer->path);
	g_free(writer);
	return good;
}

/* ---- reading ---- */

struct MotionReader {
	FILE *file;
	char *path;
	uint8_t chain[HASH];
	size_t chain_length;
	uint64_t number, at, size; /* of the next block; where it begins; bytes of the file */
	uint8_t *data, *shuffled, *packed;
	bool ended;
};

bool motion_is_log(const char *path)
{
	char start[8] = {0};
	/* To open a pipe would be to wait for whoever writes into it. */
	FILE *file = g_file_test(path, G_FILE_TEST_IS_REGULAR) ? g_fopen(path, "rb") : NULL;
	bool is = file != NULL && fread(start, 1, sizeof start, file) == sizeof start && memcmp(start, MAGIC, sizeof start) == 0;
	if (file != NULL)
		fclose(file);
	return is;
}

MotionReader *motion_open(const char *path, GError **error)
{
	uint8_t start[START], expected[START];
	GStatBuf status;
	FILE *file = g_fopen(path, "rb");
	put_start(expected);
	if (file == NULL)
		error_set(error, CINCH_ERROR_INPUT, "%s: could not be opened: %s", path, g_strerror(errno));
	else if (fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode))
		error_set(error, CINCH_ERROR_INPUT, "%s: is not a regular file", path);
	else if (fread(start, 1, START, file) != START || memcmp(start, expected, 8) != 0)
		error_set(error, CINCH_ERROR_INPUT, "%s: is not a log of Cinch", path);
	else if (memcmp(start, expected, START) != 0)
		error_set(error, CINCH_ERROR_INPUT, "%s: is a log of version %u; expected %d", path,
		    (unsigned)get_number(start + 8, 4), VERSION);
	else {
		MotionReader *reader = g_new0(MotionReader, 1);
		reader->file = file;
		reader->path = g_strdup(path);
		reader->chain_length = reader->at = START;
		reader->size = (uint64_t)status.st_size;
		memcpy(reader->chain, start, START);
		return reader;
	}
	if (file != NULL)
		fclose(file);
	return NULL;
}

static void free_block(MotionReader *reader)
{
	g_clear_pointer(&reader->data, g_free);
	g_clear_pointer(&reader->shuffled, g_free);
	g_clear_pointer(&reader->packed, g_free);
}

void motion_reader_free(MotionReader *reader)
{
	if (reader == NULL)
		return;
	free_block(reader);
	fclose(reader->file);
	g_free(reader->path);
	g_free(reader);
}

static bool refuse(const MotionReader *reader, GError **error, const char *why)
{
	return error_set(error, CINCH_ERROR_PROOF,
	    "the log is not whole: block %" G_GUINT64_FORMAT ", at byte %" G_GUINT64_FORMAT ", %s", reader->number, reader->at, why);
}

/* What zlib makes of a byte is at most a thousand and some: so a header cannot ask for more memory than its data stand for. */
static bool is_size_possible(uint64_t stored, uint64_t size)
{
	return size <= LARGEST && size <= stored * 1100;
}

static bool unpack(MotionReader *reader, uint64_t stored, MotionBlock *block, GError **error)
{
	uLongf size = block->size;
	reader->data = g_try_malloc(block->size + 1);
	reader->shuffled = block->width > 1 ? g_try_malloc(block->size + 1) : NULL;
	if (reader->data == NULL || (block->width > 1 && reader->shuffled == NULL))
		return error_set(error, CINCH_ERROR_FAILED, "%s: there is not enough memory for a block of %zu bytes", reader->path,
		    block->size);
	uint8_t *to = block->width > 1 ? reader->shuffled : reader->data;
	if (uncompress(to, &size, reader->packed, stored) != Z_OK || size != block->size)
		return refuse(reader, error, "cannot be unpacked");
	if (block->width > 1)
		transpose(reader->shuffled, reader->data, block->width, block->size / block->width);
	block->data = reader->data;
	return true;
}

bool motion_read(MotionReader *reader, MotionBlock *block, GError **error)
{
	uint8_t head[HEAD], hash[HASH];
	free_block(reader);
	size_t got = fread(head, 1, HEAD, reader->file);
	if (got == 0 && feof(reader->file))
		return false;
	if (got != HEAD || fread(hash, 1, HASH, reader->file) != HASH)
		return refuse(reader, error, "is cut");
	uint64_t stored = get_number(head + 8, 8);
	memcpy(block->kind, head, MOTION_KIND);
	block->kind[MOTION_KIND] = '\0';
	block->width = get_number(head + 4, 4);
	block->size = get_number(head + 16, 8);
	block->number = reader->number;
	block->at = reader->at;
	if (stored > reader->size - reader->at - HEAD - HASH)
		return refuse(reader, error, "is cut");
	if (!is_size_possible(stored, block->size) || block->width == 0 || block->size % block->width != 0)
		return refuse(reader, error, "says of itself what cannot be");
	reader->packed = g_try_malloc(stored + 1);
	if (reader->packed == NULL)
		return error_set(error, CINCH_ERROR_FAILED, "%s: there is not enough memory for a block", reader->path);
	if (fread(reader->packed, 1, stored, reader->file) != stored)
		return refuse(reader, error, "is cut");
	seal(reader->chain, &reader->chain_length, head, reader->packed, stored);
	if (memcmp(reader->chain, hash, HASH) != 0)
		return refuse(reader, error, "is not what was written: its hash is another");
	if (!unpack(reader, stored, block, error))
		return false;
	reader->number++;
	reader->at += HEAD + HASH + stored;
	return true;
}

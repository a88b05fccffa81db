/* A log of a motion: blocks in a file, each compressed and sealed by a hash over all that came before, so that a log that was
 * cut, or of which a bit was changed, is known. docs/archive-format.md has the format. */
#ifndef CINCH_IO_MOTION_H
#define CINCH_IO_MOTION_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOTION_KIND = 4 }; /* letters that say what a block is */

/* ---- records of a block of motion ---- */

enum { MOTION_RECORD = 36 }; /* bytes: the time, three coordinates, the vertex */
void motion_put_record(uint8_t record[MOTION_RECORD], uint32_t vertex, double time, const double x[3]);
void motion_get_record(const uint8_t record[MOTION_RECORD], uint32_t *vertex, double *time, double x[3]);

/* ---- writing ---- */

typedef struct MotionWriter MotionWriter;

MotionWriter *motion_create(const char *path, GError **error);
/* `width`: bytes per record, which compress better side by side; 1: none. */
bool motion_write(MotionWriter *writer, const char kind[MOTION_KIND], size_t width, const void *data, size_t size,
    GError **error);
/* Frees the writer whether or not all has arrived. */
bool motion_close(MotionWriter *writer, GError **error);

/* ---- reading ---- */

typedef struct MotionReader MotionReader;

typedef struct {
	char kind[MOTION_KIND + 1];
	size_t width, size;
	const uint8_t *data; /* (size) until the next one is read */
	uint64_t number;     /* of the block, from 0 */
	uint64_t at;         /* where it begins in the file */
} MotionBlock;

/* Whether a file begins as a log does. */
bool motion_is_log(const char *path);
MotionReader *motion_open(const char *path, GError **error);
void motion_reader_free(MotionReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MotionReader, motion_reader_free)

/* The next block. False at the end of the file, without an error, and for what is no log (CINCH_ERROR_INPUT) or has been cut or
 * changed (CINCH_ERROR_PROOF). */
bool motion_read(MotionReader *reader, MotionBlock *block, GError **error);

#endif

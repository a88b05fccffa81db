/* Datasets and attributes of a file that may lie: each is opened only when its type, shape and size are what the
 * format says, and nothing is allocated that the file does not really hold. */
#ifndef CINCH_IO_ARCHIVE_SOURCE_H
#define CINCH_IO_ARCHIVE_SOURCE_H

#include "io/archive_private.h"

#define ARCHIVE_ANY ((hsize_t)-1) /* an extent that the file decides */

typedef struct {
	hid_t file;
	char *path;      /* begins every message */
	uint64_t size;   /* [byte] of the file when it was opened */
	GPtrArray *kept; /* memory that lives as long as the archive (g_free) */
	bool lenient;    /* rows of numbers that cannot be read are NaN, and what is behind the end of the file reads as zeros */
} ArchiveSource;

/* Opens the file, also while another process writes it or after its writer was killed. */
bool archive_source_open(ArchiveSource *source, const char *path, GError **error);
void archive_source_clear(ArchiveSource *source);

/* Sets an error "PATH: message" of code CINCH_ERROR_INPUT and returns false. */
bool archive_source_fail(const ArchiveSource *source, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Opens a dataset of exactly this type and rank. An extent of ARCHIVE_ANY in dims is replaced by the file's; any other
 * must be equal to it. Negative with an error set. */
hid_t archive_source_dataset(
    const ArchiveSource *source, const char *name, hid_t file_type, int rank, hsize_t *dims, GError **error);

/* Says whether the dataset's first `bytes` bytes can be in the file at all. */
bool archive_source_holds(const ArchiveSource *source, hid_t dataset, uint64_t bytes);

typedef struct {
	const char *name;
	hid_t file_type, memory_type;
	size_t size; /* of an element in memory [byte] */
	int rank;
} ArchiveTable;

/* Reads a whole dataset, or its first dims[0] rows when that is fewer, into memory that `kept` owns; never NULL unless
 * an error is set. Checks the shape as archive_source_dataset() does. */
void *archive_source_table(ArchiveSource *source, ArchiveTable table, hsize_t *dims, GError **error);

/* A copy of a text of at most `size` bytes, owned by `kept`. It is cut at its first NUL, and what is not UTF-8 in it is
 * replaced: texts go to terminals and reports. */
char *archive_source_keep_text(ArchiveSource *source, const char *bytes, size_t size);

/* /fields, into the header and *dataset (n_fields + 1 of them, owned by the caller); none where there is no such group. */
bool archive_source_fields(ArchiveSource *source, ArchiveHeader *header, hid_t **dataset, GError **error);

/* Texts, owned by `kept`; NULL with an error set. The column has one text per row. */
const char *archive_source_text(ArchiveSource *source, const char *dataset, GError **error);
const char **archive_source_text_column(ArchiveSource *source, const char *dataset, size_t *n_texts, GError **error);
const char *archive_source_text_attribute(ArchiveSource *source, const char *object, const char *name, GError **error);
bool archive_source_number_attribute(
    const ArchiveSource *source, const char *name, hid_t memory_type, void *value, GError **error);

#endif

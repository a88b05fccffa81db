/* What the files of the archive share among themselves: the names in the file, HDF5's errors, the text of the sidecar.
 *
 * HDF5 prints its own error stacks; here they are silenced for the length of each public call, and the reason of the
 * operating system is dug out of them instead. */
#ifndef CINCH_IO_ARCHIVE_PRIVATE_H
#define CINCH_IO_ARCHIVE_PRIVATE_H

#include "io/archive.h"
#include <hdf5.h>

#define ARCHIVE_FORMAT "cinch"
#define ARCHIVE_FORMAT_VERSION 1

/* Closes any HDF5 identifier when it leaves its scope; all of them count references in the same way. */
void archive_id_clear(hid_t *id);
#define ARCHIVE_ID __attribute__((cleanup(archive_id_clear))) hid_t

typedef struct {
	H5E_auto2_t function; /* what the process had before; restored at the end of the call */
	void *data;
	bool saved;
} ArchiveQuiet;

ArchiveQuiet archive_quiet_begin(void);
void archive_quiet_end(ArchiveQuiet *quiet);
#define ARCHIVE_QUIET __attribute__((cleanup(archive_quiet_end), unused)) ArchiveQuiet quiet = archive_quiet_begin()

/* Why HDF5 failed last within this public call: the system's reason when there was one ("No space left on device"),
 * else HDF5's own innermost description. Valid until the next call. */
const char *archive_reason(void);

/* Whether any call of HDF5 has failed within this public call, be it one whose result nobody looks at: what could not be written
 * when a dataset was closed is lost without another word. */
bool archive_any_failure(void);

/* Whether there is the memory that HDF5 takes for opening a file or for a frame: where there is none, it crashes. Sets errno. */
bool archive_has_room(void);

/* The access that readers and writers share; the formats that it allows are fixed, so that a newer HDF5 does not write
 * what an older one cannot read. Negative when HDF5 fails. */
hid_t archive_access(void);

/* Eight counts and two names: one record of /topology/bodies, with the integer type of file or memory. */
#define ARCHIVE_BODY_COUNTS 8
extern const char *const archive_body_count_names[ARCHIVE_BODY_COUNTS];
hid_t archive_body_type(size_t name_size, size_t material_size, hid_t count_type);

/* A string of fixed length: the single-writer mode does not allow variable ones. */
hid_t archive_string_type(size_t size);

/* Writes everything of the header that never changes. */
bool archive_write_header(hid_t file, const ArchiveHeader *header);

/* Writes a string attribute; negative or NULL never happens for valid text. */
bool archive_write_text_attribute(hid_t object, const char *name, const char *text);

/* A dataset of numbers or bytes that is empty now and grows along its first axis. */
typedef struct {
	const char *name;
	hid_t type;
	int rank;
	hsize_t width[2]; /* extent of the axes after the first */
	hsize_t chunk[3];
	bool compressed;
	const char *unit; /* attribute, NULL for none */
} ArchiveGrowing;

hid_t archive_create_growing(hid_t group, ArchiveGrowing growing);
/* The most rows of a frame that a chunk holds: a large frame is cut into equal parts. */
hsize_t archive_rows_per_chunk(size_t n_rows, size_t row_bytes);
/* Writes rows behind the last and flushes them. */
bool archive_append_rows(
    hid_t dataset, hid_t memory_type, size_t row, size_t rows, const size_t width[2], const void *data);

/* /fields: the datasets that the header asks for (n_fields of them). */
bool archive_create_fields(hid_t file, const ArchiveHeader *header, hid_t *dataset);
bool archive_write_fields(
    const ArchiveHeader *header, const hid_t *dataset, size_t frame, double *const *values);

/* What the XDMF sidecar says about an archive. */
typedef struct {
	const char *archive_path;
	const ArchiveHeader *header; /* numbers, bodies and when they are removed; nothing else of it */
	const double *time;          /* [s] (n_frames) */
	size_t n_frames;
} ArchiveSidecar;

bool archive_write_sidecar(const ArchiveSidecar *sidecar, GError **error);

#endif

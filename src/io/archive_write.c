/* Writing an archive.
 *
 * Invariant: at every instant after archive_create(), the first n frames are whole in the file on disk, where n is the
 * length of /motion/time. It holds because time is extended and flushed last, because the single-writer mode of HDF5
 * orders its own writes (what is pointed to before what points), and because no byte of an earlier frame is moved:
 * compressed chunks hold one frame each, and chunks that are shared by frames are not compressed.
 *
 * After a failed write nothing more is sent to the file: it stays as a killed writer would have left it. */
#include "io/archive_private.h"

#include "core/error.h"
#include "io/files.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define FRAME_CHUNK_BYTES (1024 * 1024) /* the most of a frame that one chunk holds: HDF5's own cache is as large */
#define ROW_CHUNK_BYTES 16384
#define DEFLATE_LEVEL 4
enum { PAGE_SIZE = 4096 };

struct ArchiveWriter {
	char *path;
	hid_t file;
	hid_t time, position, velocity, ledger; /* datasets that grow by one row per frame */
	hid_t summary, complete;                /* datasets that stay empty until the end */
	hid_t *field;                           /* (header.n_fields) datasets of /fields */
	ArchiveHeader header; /* numbers, bodies (without names), when they are removed, fields, and the end; nothing else of it */
	GArray *times;   /* double [s], one per frame written; for the sidecar */
	bool is_named;   /* by `path`: not while it is made under its temporary name */
	bool failed;     /* the file must not be touched any more */
};

static bool set_creation(hid_t creation, const ArchiveGrowing *growing, const hsize_t *chunk)
{
	if (H5Pset_chunk(creation, growing->rank, chunk) < 0)
		return false;
	if (growing->compressed && (H5Pset_shuffle(creation) < 0 || H5Pset_deflate(creation, DEFLATE_LEVEL) < 0))
		return false;
	/* A value that was never written must not look like a number. */
	double nothing = NAN;
	return H5Tget_class(growing->type) != H5T_FLOAT ||
	       H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &nothing) >= 0;
}

hid_t archive_create_growing(hid_t group, ArchiveGrowing growing)
{
	hsize_t dims[3] = {0}, limit[3] = {H5S_UNLIMITED}, chunk[3] = {growing.chunk[0]};
	for (int axis = 1; axis < growing.rank; axis++) {
		dims[axis] = growing.width[axis - 1];
		/* Chunks have no zero extent, and must not exceed the limit: so an empty axis could grow to one. */
		limit[axis] = MAX(dims[axis], 1);
		chunk[axis] = MAX(growing.chunk[axis], 1);
	}
	ARCHIVE_ID space = H5Screate_simple(growing.rank, dims, limit);
	ARCHIVE_ID creation = H5Pcreate(H5P_DATASET_CREATE);
	if (!set_creation(creation, &growing, chunk))
		return H5I_INVALID_HID;
	hid_t dataset = H5Dcreate2(group, growing.name, growing.type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
	if (dataset >= 0 && growing.unit && !archive_write_text_attribute(dataset, "unit", growing.unit))
		archive_id_clear(&dataset);
	return dataset;
}

hsize_t archive_rows_per_chunk(size_t n_rows, size_t row_bytes)
{
	size_t bytes = n_rows * row_bytes;
	size_t parts = MAX((bytes + FRAME_CHUNK_BYTES - 1) / FRAME_CHUNK_BYTES, 1);
	return (n_rows + parts - 1) / parts;
}

static bool create_motion(ArchiveWriter *writer, const ArchiveHeader *header)
{
	hsize_t n = header->n_vertices, part = archive_rows_per_chunk(header->n_vertices, 3 * sizeof(double));
	g_autofree char *speed_unit = g_strdup_printf("%s/%s", header->length_unit, header->time_unit);
	ARCHIVE_ID group = H5Gcreate2(writer->file, "motion", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	ArchiveGrowing time = {"time", H5T_IEEE_F64LE, 1, {0}, {ROW_CHUNK_BYTES / sizeof(double)}, false, header->time_unit};
	ArchiveGrowing position = {"position", H5T_IEEE_F64LE, 3, {n, 3}, {1, part, 3}, true, header->length_unit};
	ArchiveGrowing velocity = {"velocity", H5T_IEEE_F64LE, 3, {n, 3}, {1, part, 3}, true, speed_unit};
	writer->time = archive_create_growing(group, time);
	writer->position = archive_create_growing(group, position);
	writer->velocity = archive_create_growing(group, velocity);
	return writer->time >= 0 && writer->position >= 0 && writer->velocity >= 0;
}

static bool create_ledger(ArchiveWriter *writer, const ArchiveHeader *header)
{
	hsize_t row_bytes = MAX(header->n_columns, 1) * sizeof(double), rows = MAX(ROW_CHUNK_BYTES / row_bytes, 1);
	ArchiveGrowing values = {
	    "ledger/values", H5T_IEEE_F64LE, 2, {header->n_columns}, {rows, header->n_columns}, false, NULL};
	writer->ledger = archive_create_growing(writer->file, values);
	return writer->ledger >= 0;
}

static bool create_run(ArchiveWriter *writer)
{
	ARCHIVE_ID group = H5Gcreate2(writer->file, "run", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	writer->summary = archive_create_growing(group, (ArchiveGrowing){"summary", H5T_STD_U8LE, 1, {0}, {4096}, false, NULL});
	writer->complete = archive_create_growing(group, (ArchiveGrowing){"complete", H5T_STD_U8LE, 1, {0}, {1}, false, NULL});
	return writer->summary >= 0 && writer->complete >= 0;
}

/* Makes the header durable before the final name shows it. */
static bool sync_file(hid_t file)
{
	int *descriptor = NULL;
	return H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&descriptor) >= 0 && fsync(*descriptor) == 0;
}

/* Whether the file still has its name. A disk that was unplugged, or a file that was removed, takes what is written without a
 * word, and all is lost at the end. */
static bool is_in_place(const ArchiveWriter *writer)
{
	GStatBuf named, open;
	int *descriptor = NULL;
	return !writer->is_named || (H5Fget_vfd_handle(writer->file, H5P_DEFAULT, (void **)&descriptor) >= 0 &&
	                                fstat(*descriptor, &open) == 0 && g_stat(writer->path, &named) == 0 &&
	                                named.st_dev == open.st_dev && named.st_ino == open.st_ino);
}

static void close_datasets(ArchiveWriter *writer)
{
	hid_t *const datasets[] = {
	    &writer->complete, &writer->summary, &writer->ledger, &writer->velocity, &writer->position, &writer->time};
	for (size_t i = 0; i < G_N_ELEMENTS(datasets); i++)
		archive_id_clear(datasets[i]);
	for (size_t i = 0; i < writer->header.n_fields; i++)
		archive_id_clear(&writer->field[i]);
}

/* Frees the memory; what HDF5 holds is closed only when `close` says so. */
static bool release(ArchiveWriter *writer, bool close)
{
	bool closed = true;
	if (close) {
		close_datasets(writer);
		closed = writer->file <= 0 || H5Fclose(writer->file) >= 0;
	}
	g_array_unref(writer->times);
	g_free((void *)writer->header.bodies);
	g_free((void *)writer->header.removed);
	g_free((void *)writer->header.fields);
	g_free(writer->field);
	g_free(writer->path);
	g_free(writer);
	return closed;
}

static ArchiveWriter *writer_new(const char *path, const ArchiveHeader *header)
{
	ArchiveWriter *writer = g_new0(ArchiveWriter, 1);
	writer->path = g_strdup(path);
	writer->times = g_array_new(false, false, sizeof(double));
	ArchiveBody *bodies = g_memdup2(header->bodies, header->n_bodies * sizeof *header->bodies);
	for (size_t i = 0; i < header->n_bodies; i++)
		bodies[i].name = bodies[i].material = NULL;
	writer->header = (ArchiveHeader){
	    .n_vertices = header->n_vertices,
	    .n_triangles = header->n_triangles,
	    .n_edges = header->n_edges,
	    .n_particles = header->n_particles,
	    .n_bodies = header->n_bodies,
	    .n_columns = header->n_columns,
	    .end_time = header->end_time,
	    .bodies = bodies,
	    .removed = header->removed ? g_memdup2(header->removed, header->n_bodies * sizeof *header->removed) : NULL,
	    .n_fields = header->n_fields,
	    .fields = g_memdup2(header->fields, header->n_fields * sizeof *header->fields),
	};
	writer->field = g_new0(hid_t, header->n_fields + 1);
	return writer;
}

/* Metadata in pages: a process that is killed in the middle of a write leaves it cut at a boundary between pages of
 * memory, so a piece of metadata that crosses none is either old or new, and never damaged. */
static hid_t paged_creation(void)
{
	hid_t creation = H5Pcreate(H5P_FILE_CREATE);
	if (creation >= 0 && H5Pset_file_space_strategy(creation, H5F_FSPACE_STRATEGY_PAGE, false, 1) >= 0)
		H5Pset_file_space_page_size(creation, PAGE_SIZE);
	return creation;
}

static bool open_part(ArchiveWriter *writer, const char *part)
{
	if (!archive_has_room())
		return false;
	ARCHIVE_ID access = archive_access(), creation = paged_creation();
	/* A left-over of a run that died here may be locked or be a link: it is never written into. */
	g_unlink(part);
	writer->file = H5Fcreate(part, H5F_ACC_TRUNC, creation, access);
	return writer->file >= 0;
}

bool archive_append_rows(
    hid_t dataset, hid_t memory_type, size_t row, size_t rows, const size_t width[2], const void *data)
{
	hsize_t dims[3] = {row + rows, width[0], width[1]}, start[3] = {row}, count[3] = {rows, width[0], width[1]};
	if (H5Dset_extent(dataset, dims) < 0)
		return false;
	if (rows * width[0] * width[1] > 0) {
		ARCHIVE_ID space = H5Dget_space(dataset);
		int rank = H5Sget_simple_extent_ndims(space);
		ARCHIVE_ID memory = H5Screate_simple(rank, count, NULL);
		if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
		    H5Dwrite(dataset, memory_type, memory, space, H5P_DEFAULT, data) < 0)
			return false;
	}
	return H5Dflush(dataset) >= 0;
}

static bool write_sidecar(const ArchiveWriter *writer, GError **error)
{
	ArchiveSidecar sidecar = {
	    .archive_path = writer->path,
	    .header = &writer->header,
	    .time = (const double *)writer->times->data,
	    .n_frames = writer->times->len,
	};
	return archive_write_sidecar(&sidecar, error);
}

static bool fail_frame(ArchiveWriter *writer, const char *reason, GError **error)
{
	size_t frame = writer->times->len;
	writer->failed = true;
	return error_set(error, CINCH_ERROR_FAILED, "%s: could not write frame %zu: %s; the %zu frames before it are readable",
	    writer->path, frame, reason, frame);
}

bool archive_append_fields(ArchiveWriter *writer, double *const *values, GError **error)
{
	ARCHIVE_QUIET;
	if (writer->failed)
		return fail_frame(writer, "writing has failed before", error);
	return (archive_has_room() && archive_write_fields(&writer->header, writer->field, writer->times->len, values)) ||
	       fail_frame(writer, archive_reason(), error);
}

bool archive_append(ArchiveWriter *writer, double time, const double *position, const double *velocity,
    const double *ledger, GError **error)
{
	ARCHIVE_QUIET;
	size_t frame = writer->times->len;
	if (writer->failed)
		return fail_frame(writer, "writing has failed before", error);
	if (!is_in_place(writer))
		return fail_frame(writer, "the file is not there any more: it was moved or removed, or its disk is gone", error);
	const size_t vertices[2] = {writer->header.n_vertices, 3}, columns[2] = {writer->header.n_columns, 1}, one[2] = {1, 1};
	hid_t real = H5T_NATIVE_DOUBLE;
	/* Time is last: a frame exists when its time does. */
	if (!archive_has_room() || !archive_append_rows(writer->position, real, frame, 1, vertices, position) ||
	    !archive_append_rows(writer->velocity, real, frame, 1, vertices, velocity) ||
	    !archive_append_rows(writer->ledger, real, frame, 1, columns, ledger) ||
	    !archive_append_rows(writer->time, real, frame, 1, one, &time))
		return fail_frame(writer, archive_reason(), error);
	g_array_append_val(writer->times, time);
	size_t n = writer->times->len;
	/* Powers of two: the whole cost stays proportional to the frames. The sidecar is a convenience that can be
	 * written again at any time, so that a failure here does not stop a run; archive_finish() reports one. */
	if ((n & (n - 1)) == 0)
		write_sidecar(writer, NULL);
	return true;
}

/* Those of an earlier archive, by their names; NaN for one that it has not. */
static bool copy_fields(ArchiveWriter *writer, Archive *earlier, size_t frame, double **values, GError **error)
{
	for (size_t i = 0; i < writer->header.n_fields; i++) {
		const ArchiveField *field = &writer->header.fields[i];
		size_t size = archive_field_size(&writer->header, i);
		int from = archive_field(&earlier->header, field->name, field->shape);
		if (from >= 0 && archive_field_size(&earlier->header, (size_t)from) == size) {
			if (!archive_read_field(earlier, (size_t)from, frame, values[i], error))
				return false;
			continue;
		}
		for (size_t k = 0; k < size; k++)
			values[i][k] = NAN;
	}
	return archive_append_fields(writer, values, error);
}

/* The first frames of an earlier archive. */
static bool copy_frames(ArchiveWriter *writer, Archive *earlier, size_t n_frames, GError **error)
{
	size_t n = earlier->header.n_vertices, n_columns = earlier->header.n_columns;
	g_autofree double *position = g_new(double, 3 * n + 1), *velocity = g_new(double, 3 * n + 1);
	g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func(g_free);
	for (size_t i = 0; i < writer->header.n_fields; i++)
		g_ptr_array_add(values, g_new(double, archive_field_size(&writer->header, i) + 1));
	for (size_t k = 0; k < n_frames; k++)
		if (!copy_fields(writer, earlier, k, (double **)values->pdata, error) ||
		    !archive_read_positions(earlier, k, position, error) ||
		    !archive_read_velocities(earlier, k, velocity, error) ||
		    !archive_append(
		        writer, earlier->time[k], position, velocity, earlier->ledger + k * n_columns, error))
			return false;
	return true;
}

static bool open_datasets(ArchiveWriter *writer, const ArchiveHeader *header)
{
	const struct {
		const char *name;
		hid_t *dataset;
	} all[] = {{"motion/time", &writer->time}, {"motion/position", &writer->position},
	    {"motion/velocity", &writer->velocity}, {"ledger/values", &writer->ledger}, {"run/summary", &writer->summary},
	    {"run/complete", &writer->complete}};
	bool good = true;
	for (size_t i = 0; good && i < G_N_ELEMENTS(all); i++)
		good = (*all[i].dataset = H5Dopen2(writer->file, all[i].name, H5P_DEFAULT)) >= 0;
	for (size_t i = 0; good && i < header->n_fields; i++) {
		g_autofree char *name = g_strconcat("fields/", header->fields[i].name, NULL);
		good = (writer->field[i] = H5Dopen2(writer->file, name, H5P_DEFAULT)) >= 0;
	}
	return good;
}

/* With datasets open, HDF5 1.10 crashes when a write fails in it. */
static bool start_single_writer(ArchiveWriter *writer, const ArchiveHeader *header)
{
	close_datasets(writer);
	return H5Fflush(writer->file, H5F_SCOPE_GLOBAL) >= 0 && H5Fstart_swmr_write(writer->file) >= 0 &&
	       open_datasets(writer, header);
}

/* Everything that comes before the first frame, under the temporary name. */
static bool write_start(ArchiveWriter *writer, const char *part, const ArchiveHeader *header, GError **error)
{
	if (open_part(writer, part) && archive_write_header(writer->file, header) && create_motion(writer, header) &&
	    create_ledger(writer, header) && archive_create_fields(writer->file, header, writer->field) && create_run(writer) &&
	    start_single_writer(writer, header) && !archive_any_failure())
		return true;
	return error_set(error, CINCH_ERROR_FAILED, "%s: could not be created: %s", writer->path, archive_reason());
}

ArchiveWriter *archive_create_after(
    const char *path, const ArchiveHeader *header, Archive *earlier, size_t n_frames, GError **error)
{
	ARCHIVE_QUIET;
	if (!files_is_replaceable(path)) {
		error_set(
		    error, CINCH_ERROR_FAILED, "%s: could not be created: it exists and is not a regular file", path);
		return NULL;
	}
	ArchiveWriter *writer = writer_new(path, header);
	g_autofree char *part = files_part_name(path);
	errno = 0;
	if (write_start(writer, part, header, error) &&
	    (earlier == NULL || copy_frames(writer, earlier, n_frames, error))) {
		if (sync_file(writer->file) && g_rename(part, path) == 0) {
			writer->is_named = true;
			return writer;
		}
		error_set(error, CINCH_ERROR_FAILED, "%s: could not be created: %s", path, g_strerror(errno));
	}
	/* Not closed, for the reason given at archive_abandon(). */
	release(writer, false);
	g_unlink(part);
	return NULL;
}

ArchiveWriter *archive_create(const char *path, const ArchiveHeader *header, GError **error)
{
	return archive_create_after(path, header, NULL, 0, error);
}

bool archive_sync(ArchiveWriter *writer)
{
	ARCHIVE_QUIET;
	errno = 0;
	return !writer->failed && sync_file(writer->file);
}

size_t archive_frames_written(const ArchiveWriter *writer)
{
	return writer->times->len;
}

static bool write_end(ArchiveWriter *writer, const char *summary)
{
	const size_t one[2] = {1, 1};
	size_t n = writer->times->len;
	uint8_t complete = n > 0 && g_array_index(writer->times, double, n - 1) >= writer->header.end_time;
	size_t length = summary ? strlen(summary) : 0;
	return archive_append_rows(writer->summary, H5T_NATIVE_UINT8, 0, length, one, summary) &&
	       archive_append_rows(writer->complete, H5T_NATIVE_UINT8, 0, 1, one, &complete) &&
	       H5Fflush(writer->file, H5F_SCOPE_GLOBAL) >= 0;
}

bool archive_finish(ArchiveWriter *writer, const char *summary, GError **error)
{
	ARCHIVE_QUIET;
	g_autofree char *path = g_strdup(writer->path);
	size_t frames = writer->times->len;
	bool failed_before = writer->failed;
	bool written = !failed_before && archive_has_room() && write_end(writer, summary);
	g_autoptr(GError) sidecar_error = NULL;
	bool sidecar = written && write_sidecar(writer, &sidecar_error);
	bool closed = release(writer, written);
	if (!written || !closed)
		return error_set(error, CINCH_ERROR_FAILED,
		    "%s: could not be finished: %s; its %zu frames are readable", path,
		    failed_before ? "writing has failed before" : archive_reason(), frames);
	if (!sidecar)
		g_propagate_error(error, g_steal_pointer(&sidecar_error));
	return sidecar;
}

/* A file whose last write failed is not closed but left to the process's end: closing would try the failed writes
 * again in another order, could so break what is whole on disk, and HDF5 1.10 frees its file twice when a close fails.
 */
void archive_abandon(ArchiveWriter *writer)
{
	if (writer == NULL)
		return;
	ARCHIVE_QUIET;
	release(writer, !writer->failed && H5Fflush(writer->file, H5F_SCOPE_GLOBAL) >= 0);
}

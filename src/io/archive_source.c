#include "io/archive_source.h"

#include "core/error.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Deflate makes nothing more than 1032 times smaller (zlib's technical notes), so that a file of s bytes cannot hold
 * more than about this many times s. */
#define LARGEST_COMPRESSION 1100
#define LONGEST_TEXT_ATTRIBUTE 65536

bool archive_source_fail(const ArchiveSource *source, GError **error, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	g_autofree char *message = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	return error_set(error, CINCH_ERROR_INPUT, "%s: %s", source->path, message);
}

/* The flags of HDF5's superblock of version 3: set while a writer has the file open, and left by one that was killed.
 * Only then may a file be opened in the mode that does not check its length. */
static bool is_being_written(const char *path)
{
	static const unsigned char signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
	unsigned char start[12] = {0};
	FILE *file = g_fopen(path, "rb");
	if (file == NULL)
		return false;
	size_t length = fread(start, 1, sizeof start, file);
	fclose(file);
	return length == sizeof start && memcmp(start, signature, sizeof signature) == 0 && start[8] == 3 &&
	       (start[11] & 5) != 0;
}

static bool find_file(ArchiveSource *source, GError **error)
{
	GStatBuf status;
	if (g_stat(source->path, &status) != 0)
		return archive_source_fail(source, error, "could not be opened: %s", g_strerror(errno));
	if (!S_ISREG(status.st_mode))
		return archive_source_fail(source, error, "is not a regular file");
	if (g_access(source->path, R_OK) != 0)
		return archive_source_fail(source, error, "could not be opened: %s", g_strerror(errno));
	source->size = (uint64_t)status.st_size;
	return true;
}

bool archive_source_open(ArchiveSource *source, const char *path, GError **error)
{
	*source = (ArchiveSource){
	    .file = H5I_INVALID_HID, .path = g_strdup(path), .kept = g_ptr_array_new_with_free_func(g_free)};
	if (!find_file(source, error))
		return false;
	if (!archive_has_room())
		return archive_source_fail(source, error, "could not be opened: %s", archive_reason());
	ARCHIVE_ID access = archive_access();
	/* A writer may finish between the look at the flags and the opening: look again. */
	for (int attempt = 0; attempt < 3 && source->file < 0; attempt++) {
		unsigned flags = H5F_ACC_RDONLY | (is_being_written(path) ? H5F_ACC_SWMR_READ : 0);
		source->file = H5Fopen(path, flags, access);
	}
	if (source->file >= 0)
		return find_file(source, error);
	if (H5Fis_hdf5(path) == 0)
		return archive_source_fail(source, error, "is not an HDF5 file");
	return archive_source_fail(source, error, "is damaged or incomplete: %s ('cinch salvage' saves what is whole)",
	    archive_reason());
}

void archive_source_clear(ArchiveSource *source)
{
	archive_id_clear(&source->file);
	g_clear_pointer(&source->kept, g_ptr_array_unref);
	g_clear_pointer(&source->path, g_free);
}

hid_t archive_source_dataset(
    const ArchiveSource *source, const char *name, hid_t file_type, int rank, hsize_t *dims, GError **error)
{
	hid_t dataset = H5Dopen2(source->file, name, H5P_DEFAULT);
	if (dataset < 0) {
		archive_source_fail(source, error, "%s is missing or damaged: %s", name, archive_reason());
		return dataset;
	}
	ARCHIVE_ID type = H5Dget_type(dataset);
	ARCHIVE_ID space = H5Dget_space(dataset);
	hsize_t found[3] = {0};
	bool fits = type >= 0 && (file_type < 0 || H5Tequal(type, file_type) > 0) && rank <= 3 &&
	            H5Sget_simple_extent_ndims(space) == rank && H5Sget_simple_extent_dims(space, found, NULL) == rank;
	for (int axis = 0; fits && axis < rank; axis++) {
		fits = dims[axis] == ARCHIVE_ANY || dims[axis] == found[axis];
		dims[axis] = found[axis];
	}
	if (!fits) {
		archive_source_fail(source, error, "%s has not the type or shape of a Cinch archive", name);
		archive_id_clear(&dataset);
	}
	return dataset;
}

/* The byte behind the last chunk in the file, or UINT64_MAX when the index makes no sense. */
static uint64_t end_of_chunks(hid_t dataset)
{
	ARCHIVE_ID space = H5Dget_space(dataset);
	hsize_t n_chunks = 0;
	uint64_t end = 0;
	if (H5Dget_num_chunks(dataset, space, &n_chunks) < 0)
		return UINT64_MAX;
	for (hsize_t i = 0; i < n_chunks; i++) {
		haddr_t address = HADDR_UNDEF;
		hsize_t size = 0, offset[H5S_MAX_RANK];
		unsigned mask = 0;
		if (H5Dget_chunk_info(dataset, space, i, offset, &mask, &address, &size) < 0 ||
		    address == HADDR_UNDEF || size > UINT64_MAX - address)
			return UINT64_MAX;
		end = MAX(end, address + size);
	}
	return end;
}

/* Chunks that the index places behind the end of the file would be read as zeros. The size of the file is taken after
 * the index was read: a writer puts chunks into the file before it tells of them. */
static bool chunks_are_inside(const ArchiveSource *source, hid_t dataset, uint64_t bytes)
{
	uint64_t stored = H5Dget_storage_size(dataset);
	uint64_t end = end_of_chunks(dataset);
	GStatBuf status;
	return g_stat(source->path, &status) == 0 && (source->lenient || end <= (uint64_t)status.st_size) && stored <= end &&
	       stored > 0 && bytes / LARGEST_COMPRESSION <= stored;
}

bool archive_source_holds(const ArchiveSource *source, hid_t dataset, uint64_t bytes)
{
	if (bytes == 0)
		return true;
	ARCHIVE_ID creation = H5Dget_create_plist(dataset);
	if (creation < 0 || H5Pget_external_count(creation) != 0)
		return false;
	haddr_t offset;
	switch (H5Pget_layout(creation)) {
	case H5D_CONTIGUOUS:
		offset = H5Dget_offset(dataset);
		return offset != HADDR_UNDEF && bytes <= source->size && offset <= source->size - bytes;
	case H5D_CHUNKED:
		return chunks_are_inside(source, dataset, bytes);
	case H5D_COMPACT:
		return bytes <= 65536;
	default:
		return false;
	}
}

static void *keep(ArchiveSource *source, void *memory)
{
	if (memory)
		g_ptr_array_add(source->kept, memory);
	return memory;
}

/* The size of so many elements [byte]; UINT64_MAX when that is more than any file has. */
static uint64_t table_bytes(int rank, const hsize_t *dims, size_t element)
{
	uint64_t bytes = element;
	for (int axis = 0; axis < rank; axis++)
		if (!g_uint64_checked_mul(&bytes, bytes, dims[axis]))
			return UINT64_MAX;
	return bytes;
}

/* Rows from `first` on, as many as dims says. */
static bool read_rows(hid_t dataset, const ArchiveTable *table, hsize_t first, const hsize_t *dims, void *out)
{
	hsize_t start[3] = {first};
	ARCHIVE_ID space = H5Dget_space(dataset);
	ARCHIVE_ID memory = table->rank > 0 ? H5Screate_simple(table->rank, dims, NULL) : H5Screate(H5S_SCALAR);
	if (table->rank > 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, dims, NULL) < 0)
		return false;
	return H5Dread(dataset, table->memory_type, memory, space, H5P_DEFAULT, out) >= 0;
}

/* Row by row; those that cannot be read are NaN. */
static bool read_good_rows(hid_t dataset, const ArchiveTable *table, const hsize_t *dims, double *out)
{
	if (table->rank < 1 || H5Tequal(table->memory_type, H5T_NATIVE_DOUBLE) <= 0)
		return false;
	hsize_t one[3] = {1, dims[1], dims[2]};
	size_t width = table->rank > 1 ? (size_t)dims[1] : 1;
	for (hsize_t row = 0; row < dims[0]; row++) {
		double *place = out + row * width;
		if (read_rows(dataset, table, row, one, place))
			continue;
		for (size_t i = 0; i < width; i++)
			place[i] = NAN;
	}
	return true;
}

void *archive_source_table(ArchiveSource *source, ArchiveTable table, hsize_t *dims, GError **error)
{
	hsize_t wanted = table.rank > 0 ? dims[0] : ARCHIVE_ANY;
	if (table.rank > 0)
		dims[0] = ARCHIVE_ANY;
	ARCHIVE_ID dataset = archive_source_dataset(source, table.name, table.file_type, table.rank, dims, error);
	if (dataset < 0)
		return NULL;
	if (wanted != ARCHIVE_ANY && dims[0] < wanted) {
		archive_source_fail(source, error, "%s is shorter than it must be", table.name);
		return NULL;
	}
	if (wanted != ARCHIVE_ANY)
		dims[0] = wanted;
	uint64_t bytes = table_bytes(table.rank, dims, table.size);
	/* The size is trusted only after the file was seen to hold it. One byte more: texts want a NUL. */
	g_autofree void *memory =
	    bytes < G_MAXINT64 && archive_source_holds(source, dataset, bytes) ? g_try_malloc0(bytes + 1) : NULL;
	if (memory == NULL) {
		archive_source_fail(source, error, "%s is larger than what the file holds", table.name);
		return NULL;
	}
	if (bytes > 0 && !read_rows(dataset, &table, 0, dims, memory) &&
	    !(source->lenient && read_good_rows(dataset, &table, dims, memory))) {
		archive_source_fail(source, error, "%s could not be read: %s", table.name, archive_reason());
		return NULL;
	}
	return keep(source, g_steal_pointer(&memory));
}

/* The size of a string type of fixed length in the file, or 0 when it is something else. */
static size_t fixed_text_size(hid_t type)
{
	if (type < 0 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
		return 0;
	return H5Tget_size(type);
}

char *archive_source_keep_text(ArchiveSource *source, const char *bytes, size_t size)
{
	return keep(source, g_utf8_make_valid(bytes, (gssize)strnlen(bytes, size)));
}

static const char **read_texts(ArchiveSource *source, const char *name, int rank, size_t *n_texts, GError **error)
{
	hsize_t dims[3] = {ARCHIVE_ANY};
	size_t size = 0;
	{
		ARCHIVE_ID dataset = archive_source_dataset(source, name, H5I_INVALID_HID, rank, dims, error);
		if (dataset < 0)
			return NULL;
		ARCHIVE_ID type = H5Dget_type(dataset);
		size = fixed_text_size(type);
	}
	if (size == 0) {
		archive_source_fail(source, error, "%s is not a text of fixed length", name);
		return NULL;
	}
	ARCHIVE_ID type = archive_string_type(size);
	ArchiveTable table = {name, H5I_INVALID_HID, type, size, rank};
	const char *packed = archive_source_table(source, table, dims, error);
	if (packed == NULL)
		return NULL;
	*n_texts = rank > 0 ? (size_t)dims[0] : 1;
	const char **texts = keep(source, g_new0(const char *, *n_texts + 1));
	for (size_t i = 0; i < *n_texts; i++)
		texts[i] = archive_source_keep_text(source, packed + i * size, size);
	return texts;
}

const char *archive_source_text(ArchiveSource *source, const char *dataset, GError **error)
{
	size_t n_texts = 0;
	const char **texts = read_texts(source, dataset, 0, &n_texts, error);
	return texts ? texts[0] : NULL;
}

const char **archive_source_text_column(ArchiveSource *source, const char *dataset, size_t *n_texts, GError **error)
{
	return read_texts(source, dataset, 1, n_texts, error);
}

static bool is_scalar(hid_t attribute)
{
	ARCHIVE_ID space = H5Aget_space(attribute);
	return H5Sget_simple_extent_npoints(space) == 1;
}

const char *archive_source_text_attribute(ArchiveSource *source, const char *object, const char *name, GError **error)
{
	ARCHIVE_ID attribute = H5Aopen_by_name(source->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
	ARCHIVE_ID type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
	size_t size = fixed_text_size(type);
	if (size == 0 || size > LONGEST_TEXT_ATTRIBUTE || !is_scalar(attribute)) {
		archive_source_fail(source, error, "the attribute %s of %s is missing or not a text", name, object);
		return NULL;
	}
	g_autofree char *bytes = g_malloc0(size + 1);
	ARCHIVE_ID memory_type = archive_string_type(size);
	if (H5Aread(attribute, memory_type, bytes) < 0) {
		archive_source_fail(
		    source, error, "the attribute %s of %s could not be read: %s", name, object, archive_reason());
		return NULL;
	}
	return archive_source_keep_text(source, bytes, size);
}

bool archive_source_number_attribute(
    const ArchiveSource *source, const char *name, hid_t memory_type, void *value, GError **error)
{
	ARCHIVE_ID attribute = H5Aopen(source->file, name, H5P_DEFAULT);
	ARCHIVE_ID type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
	if (type < 0 || H5Tget_class(type) != H5Tget_class(memory_type) || !is_scalar(attribute) ||
	    H5Aread(attribute, memory_type, value) < 0)
		return archive_source_fail(source, error, "the attribute %s is missing or not a number", name);
	return true;
}

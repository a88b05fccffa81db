/* /fields: what frames tell besides motion and ledger. Which fields there are is the writer's choice; a reader finds them by
 * name, and their shape by their rank. They are no part of what `cinch diff` compares. */
#include "io/archive_source.h"

#include <string.h>

#define FRAME_CHUNK 2048      /* numbers of one per frame: 16 KiB */
#define MOST_WIDTH 64         /* of a list, in a file that may lie */
#define MOST_ROWS (1 << 24)

int archive_field(const ArchiveHeader *header, const char *name, ArchiveFieldShape shape)
{
	for (size_t i = 0; i < header->n_fields; i++)
		if (strcmp(header->fields[i].name, name) == 0 && header->fields[i].shape == shape)
			return (int)i;
	return -1;
}

size_t archive_field_size(const ArchiveHeader *header, size_t field)
{
	const ArchiveField *found = &header->fields[field];
	switch (found->shape) {
	case ARCHIVE_FIELD_VERTEX:
		return header->n_vertices;
	case ARCHIVE_FIELD_LIST:
		return (size_t)found->rows * found->width;
	case ARCHIVE_FIELD_FRAME:
	default:
		return 1;
	}
}

/* Numbers of frames keep all their bits, for they may be counts. What there is much of is for the eye: half of them, and
 * compressed, in chunks that hold one frame. */
static hid_t create_field(hid_t group, const ArchiveHeader *header, const ArchiveField *field)
{
	hsize_t n = header->n_vertices, rows = field->rows, width = field->width;
	ArchiveGrowing growing = {field->name, H5T_IEEE_F32LE, 2, {n}, {1, archive_rows_per_chunk(n, sizeof(float))}, true,
	    field->unit};
	if (field->shape == ARCHIVE_FIELD_FRAME)
		growing = (ArchiveGrowing){field->name, H5T_IEEE_F64LE, 1, {0}, {FRAME_CHUNK}, false, field->unit};
	if (field->shape == ARCHIVE_FIELD_LIST)
		growing = (ArchiveGrowing){field->name, H5T_IEEE_F32LE, 3, {rows, width},
		    {1, archive_rows_per_chunk(rows, width * sizeof(float)), width}, true, field->unit};
	hid_t dataset = archive_create_growing(group, growing);
	if (dataset >= 0 && !archive_write_text_attribute(dataset, "about", field->about))
		archive_id_clear(&dataset);
	return dataset;
}

bool archive_create_fields(hid_t file, const ArchiveHeader *header, hid_t *dataset)
{
	ARCHIVE_ID group = H5Gcreate2(file, "fields", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	bool good = group >= 0;
	for (size_t i = 0; good && i < header->n_fields; i++) {
		dataset[i] = create_field(group, header, &header->fields[i]);
		good = dataset[i] >= 0;
	}
	return good;
}

bool archive_write_fields(const ArchiveHeader *header, const hid_t *dataset, size_t frame, double *const *values)
{
	for (size_t i = 0; i < header->n_fields; i++) {
		const ArchiveField *field = &header->fields[i];
		bool is_list = field->shape == ARCHIVE_FIELD_LIST;
		const size_t width[2] = {
		    is_list ? field->rows : archive_field_size(header, i), is_list ? field->width : 1};
		if (!archive_append_rows(dataset[i], H5T_NATIVE_DOUBLE, frame, 1, width, values[i]))
			return false;
	}
	return true;
}

/* The name of the i-th link, owned by `kept`; NULL when it is none that a field could have. */
static const char *link_name(ArchiveSource *source, hid_t group, hsize_t i)
{
	char name[256];
	ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
	if (length <= 0 || length >= (ssize_t)sizeof name)
		return NULL;
	return archive_source_keep_text(source, name, sizeof name);
}

/* Opens a dataset of the rank that it has. */
static hid_t open_any(
    const ArchiveSource *source, const char *path, size_t n_vertices, ArchiveField *field, GError **error)
{
	hsize_t dims[3] = {ARCHIVE_ANY, ARCHIVE_ANY, ARCHIVE_ANY};
	ARCHIVE_ID peek = H5Dopen2(source->file, path, H5P_DEFAULT);
	ARCHIVE_ID space = peek >= 0 ? H5Dget_space(peek) : H5I_INVALID_HID;
	int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
	if (rank < 1 || rank > 3) {
		archive_source_fail(source, error, "%s is missing or damaged", path);
		return H5I_INVALID_HID;
	}
	field->shape = rank == 1 ? ARCHIVE_FIELD_FRAME : rank == 2 ? ARCHIVE_FIELD_VERTEX : ARCHIVE_FIELD_LIST;
	dims[1] = rank == 2 ? n_vertices : ARCHIVE_ANY;
	hid_t dataset =
	    archive_source_dataset(source, path, rank == 1 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE, rank, dims, error);
	if (dataset >= 0 && rank == 3 && (dims[1] > MOST_ROWS || dims[2] > MOST_WIDTH)) {
		archive_source_fail(source, error, "%s is larger than any list of a Cinch archive", path);
		archive_id_clear(&dataset);
	}
	field->rows = rank == 3 ? (uint32_t)dims[1] : 0;
	field->width = rank == 3 ? (uint32_t)dims[2] : 0;
	return dataset;
}

static bool read_field(ArchiveSource *source, hid_t group, hsize_t i, ArchiveHeader *header, ArchiveField *field,
    hid_t *dataset, GError **error)
{
	field->name = link_name(source, group, i);
	if (field->name == NULL)
		return archive_source_fail(source, error, "/fields is damaged");
	g_autofree char *path = g_strconcat("/fields/", field->name, NULL);
	*dataset = open_any(source, path, header->n_vertices, field, error);
	if (*dataset < 0)
		return false;
	field->unit = archive_source_text_attribute(source, path, "unit", error);
	field->about = field->unit ? archive_source_text_attribute(source, path, "about", error) : NULL;
	return field->about != NULL;
}

bool archive_source_fields(ArchiveSource *source, ArchiveHeader *header, hid_t **dataset, GError **error)
{
	H5G_info_t info = {0};
	if (H5Lexists(source->file, "/fields", H5P_DEFAULT) <= 0) /* of a version that had none */
		return true;
	ARCHIVE_ID group = H5Gopen2(source->file, "/fields", H5P_DEFAULT);
	/* Every dataset takes some bytes, which bounds the count before it is believed. */
	if (group < 0 || H5Gget_info(group, &info) < 0 || info.nlinks > source->size)
		return archive_source_fail(source, error, "/fields is damaged");
	ArchiveField *fields = g_new0(ArchiveField, info.nlinks + 1);
	g_ptr_array_add(source->kept, fields);
	header->fields = fields;
	*dataset = g_new0(hid_t, info.nlinks + 1);
	for (hsize_t i = 0; i < info.nlinks; i++) {
		header->n_fields = (size_t)i + 1; /* before it is read: so that it is closed in any case */
		if (!read_field(source, group, i, header, &fields[i], &(*dataset)[i], error))
			return false;
	}
	return true;
}

char **archive_field_labels(const ArchiveField *field)
{
	const char *colon = strstr(field->about, ": ");
	char **labels = g_strsplit(colon ? colon + 2 : "", ", ", -1);
	if (g_strv_length(labels) == field->rows)
		return labels;
	g_strfreev(labels);
	labels = g_new0(char *, field->rows + 1u);
	for (uint32_t row = 0; row < field->rows; row++)
		labels[row] = g_strdup_printf("%u", row + 1);
	return labels;
}

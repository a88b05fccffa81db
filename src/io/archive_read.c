/* Reading an archive: finished, still growing, or left by a writer that died.
 *
 * Invariant: after archive_open() every index of the header is in range, and frames below n_frames were whole when the
 * file was opened (the writer extends time last; see archive_write.c). */
#include "io/archive_source.h"

#include "io/archive_vet.h"
#include <math.h>
#include <string.h>

struct ArchivePrivate {
	ArchiveSource source;
	hid_t position, velocity;
	hid_t *field; /* (header.n_fields) */
	bool lenient; /* what is damaged is left out, where that is possible */
};

static bool read_root(Archive *archive, GError **error)
{
	ArchiveSource *source = &archive->private->source;
	ArchiveHeader *header = &archive->header;
	g_autoptr(GError) foreign = NULL;
	const char *format = archive_source_text_attribute(source, "/", "format", &foreign);
	if (format == NULL || strcmp(format, ARCHIVE_FORMAT) != 0)
		return archive_source_fail(source, error, "is an HDF5 file but not a Cinch archive");
	uint32_t version = 0;
	if (!archive_source_number_attribute(source, "format_version", H5T_NATIVE_UINT32, &version, error))
		return false;
	if (version != ARCHIVE_FORMAT_VERSION)
		return archive_source_fail(source, error, "is an archive of format %u, but only format %d can be read",
		    version, ARCHIVE_FORMAT_VERSION);
	const struct {
		const char *object, *name, **text;
	} texts[] = {
	    {"/", "version", &header->version},
	    {"/", "build", &header->build},
	    {"/", "units", &header->units},
	    {"/", "length_unit", &header->length_unit},
	    {"/", "time_unit", &header->time_unit},
	    {"/scene", "name", &header->scene_name},
	};
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		*texts[i].text = archive_source_text_attribute(source, texts[i].object, texts[i].name, error);
		if (*texts[i].text == NULL)
			return false;
	}
	return archive_source_number_attribute(
	           source, "frame_interval", H5T_NATIVE_DOUBLE, &header->frame_interval, error) &&
	       archive_source_number_attribute(source, "end_time", H5T_NATIVE_DOUBLE, &header->end_time, error);
}

static bool read_files(Archive *archive, GError **error)
{
	ArchiveSource *source = &archive->private->source;
	ARCHIVE_ID group = H5Gopen2(source->file, "/scene/files", H5P_DEFAULT);
	H5G_info_t info = {0};
	/* Every file takes some bytes, which bounds the count before it is believed. */
	if (group < 0 || H5Gget_info(group, &info) < 0 || info.nlinks > source->size)
		return archive_source_fail(source, error, "/scene/files is missing or damaged");
	g_autoptr(GArray) files = g_array_new(false, false, sizeof(ArchiveFile));
	for (hsize_t i = 0; i < info.nlinks; i++) {
		g_autofree char *name = g_strdup_printf("/scene/files/%llu", (unsigned long long)i);
		hsize_t length = ARCHIVE_ANY;
		ArchiveTable table = {name, H5T_STD_U8LE, H5T_NATIVE_UINT8, 1, 1};
		ArchiveFile file = {0};
		file.data = archive_source_table(source, table, &length, error);
		file.length = (size_t)length;
		if (file.data == NULL)
			return false;
		file.name = archive_source_text_attribute(source, name, "name", error);
		if (file.name == NULL)
			return false;
		g_array_append_val(files, file);
	}
	archive->header.n_files = files->len;
	archive->header.files = (const ArchiveFile *)g_array_free(g_steal_pointer(&files), false);
	g_ptr_array_add(source->kept, (void *)archive->header.files);
	return true;
}

static bool read_scene(Archive *archive, GError **error)
{
	ArchiveSource *source = &archive->private->source;
	archive->header.scene_source = archive_source_text(source, "/scene/source", error);
	if (archive->header.scene_source == NULL)
		return false;
	archive->header.scene_effective = archive_source_text(source, "/scene/effective", error);
	if (archive->header.scene_effective == NULL || !read_files(archive, error))
		return false;
	/* Archives of earlier versions have none. */
	archive->header.lineage = "[]";
	if (H5Lexists(source->file, "/scene/lineage", H5P_DEFAULT) > 0)
		archive->header.lineage = archive_source_text(source, "/scene/lineage", error);
	return archive->header.lineage != NULL;
}

static bool check_indices(
    const Archive *archive, const char *name, const uint32_t *index, size_t n_rows, size_t n_corners, GError **error)
{
	for (size_t i = 0; i < n_rows * n_corners; i++)
		if (index[i] >= archive->header.n_vertices)
			return archive_source_fail(&archive->private->source, error,
			    "%s: row %zu refers to vertex %u, but there are %zu vertices", name, i / n_corners,
			    index[i], archive->header.n_vertices);
	return true;
}

/* Reads rows of vertex indices and checks them. */
static const uint32_t *read_indices(
    Archive *archive, const char *name, hsize_t n_corners, size_t *n_rows, GError **error)
{
	hsize_t dims[3] = {ARCHIVE_ANY, n_corners};
	ArchiveTable table = {name, H5T_STD_U32LE, H5T_NATIVE_UINT32, sizeof(uint32_t), n_corners > 1 ? 2 : 1};
	const uint32_t *index = archive_source_table(&archive->private->source, table, dims, error);
	if (index == NULL || !check_indices(archive, name, index, (size_t)dims[0], (size_t)n_corners, error))
		return NULL;
	*n_rows = (size_t)dims[0];
	return index;
}

static bool read_vertices(Archive *archive, GError **error)
{
	ArchiveSource *source = &archive->private->source;
	ArchiveHeader *header = &archive->header;
	hsize_t dims[3] = {ARCHIVE_ANY, 3};
	ArchiveTable rest = {"/topology/rest", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, sizeof(double), 2};
	ArchiveTable mass = {"/topology/mass", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, sizeof(double), 1};
	ArchiveTable held = {"/topology/held", H5T_STD_U8LE, H5T_NATIVE_UINT8, 1, 1};
	header->rest = archive_source_table(source, rest, dims, error);
	if (header->rest == NULL)
		return false;
	if (dims[0] > UINT32_MAX)
		return archive_source_fail(source, error, "/topology/rest has more vertices than can be counted");
	header->n_vertices = (size_t)dims[0];
	header->mass = archive_source_table(source, mass, dims, error);
	if (header->mass == NULL)
		return false;
	header->held = archive_source_table(source, held, dims, error);
	if (header->held == NULL)
		return false;
	for (size_t i = 0; i < header->n_vertices; i++)
		if (header->held[i] > 2)
			return archive_source_fail(
			    source, error, "/topology/held: vertex %zu has the unknown value %u", i, header->held[i]);
	return true;
}

static bool range_fits(uint32_t first, uint32_t count, size_t total)
{
	return (uint64_t)first + count <= total;
}

static bool check_body(const Archive *archive, const ArchiveBody *body, GError **error)
{
	const ArchiveHeader *header = &archive->header;
	if (range_fits(body->first_vertex, body->n_vertices, header->n_vertices) &&
	    range_fits(body->first_triangle, body->n_triangles, header->n_triangles) &&
	    range_fits(body->first_edge, body->n_edges, header->n_edges) &&
	    range_fits(body->first_particle, body->n_particles, header->n_particles))
		return true;
	return archive_source_fail(
	    &archive->private->source, error, "/topology/bodies: body \"%s\" reaches outside of the mesh", body->name);
}

/* The lengths of the two names in the records of the file; false when the records are something else. */
static bool body_text_sizes(const Archive *archive, size_t sizes[2], GError **error)
{
	hsize_t dims[3] = {ARCHIVE_ANY};
	const ArchiveSource *source = &archive->private->source;
	ARCHIVE_ID dataset = archive_source_dataset(source, "/topology/bodies", H5I_INVALID_HID, 1, dims, error);
	if (dataset < 0)
		return false;
	ARCHIVE_ID type = H5Dget_type(dataset);
	bool fits = H5Tget_class(type) == H5T_COMPOUND && H5Tget_nmembers(type) == 2 + ARCHIVE_BODY_COUNTS;
	for (unsigned k = 0; fits && k < 2; k++) {
		ARCHIVE_ID member = H5Tget_member_type(type, k);
		fits = H5Tget_class(member) == H5T_STRING && H5Tis_variable_str(member) == 0;
		sizes[k] = H5Tget_size(member);
	}
	if (fits) {
		ARCHIVE_ID expected = archive_body_type(sizes[0], sizes[1], H5T_STD_U32LE);
		fits = H5Tequal(type, expected) > 0;
	}
	return fits || archive_source_fail(source, error, "/topology/bodies has not the type of a Cinch archive");
}

/* Archives from before bodies could be removed have no such table. */
static bool read_removed(Archive *archive, hsize_t n_bodies, GError **error)
{
	ArchiveTable removed = {"/topology/removed", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, sizeof(double), 1};
	if (H5Lexists(archive->private->source.file, removed.name, H5P_DEFAULT) <= 0)
		return true;
	archive->header.removed = archive_source_table(&archive->private->source, removed, &n_bodies, error);
	return archive->header.removed != NULL;
}

static bool read_bodies(Archive *archive, GError **error)
{
	ArchiveSource *source = &archive->private->source;
	size_t sizes[2] = {0};
	if (!body_text_sizes(archive, sizes, error))
		return false;
	hsize_t n_bodies = ARCHIVE_ANY;
	ARCHIVE_ID type = archive_body_type(sizes[0], sizes[1], H5T_NATIVE_UINT32);
	ArchiveTable table = {"/topology/bodies", H5I_INVALID_HID, type, H5Tget_size(type), 1};
	const char *records = archive_source_table(source, table, &n_bodies, error);
	if (records == NULL)
		return false;
	ArchiveBody *bodies = g_new0(ArchiveBody, n_bodies + 1);
	g_ptr_array_add(source->kept, bodies);
	for (size_t i = 0; i < n_bodies; i++) {
		const char *record = records + i * table.size;
		uint32_t counts[ARCHIVE_BODY_COUNTS];
		memcpy(counts, record + sizes[0] + sizes[1], sizeof counts);
		bodies[i] = (ArchiveBody){archive_source_keep_text(source, record, sizes[0]),
		    archive_source_keep_text(source, record + sizes[0], sizes[1]), counts[0], counts[1], counts[2],
		    counts[3], counts[4], counts[5], counts[6], counts[7]};
		if (!check_body(archive, &bodies[i], error))
			return false;
	}
	archive->header.bodies = bodies;
	archive->header.n_bodies = (size_t)n_bodies;
	return read_removed(archive, n_bodies, error);
}

static bool read_topology(Archive *archive, GError **error)
{
	ArchiveHeader *header = &archive->header;
	if (!read_vertices(archive, error))
		return false;
	header->triangle =
	    (const uint32_t(*)[3])read_indices(archive, "/topology/triangle", 3, &header->n_triangles, error);
	if (header->triangle == NULL)
		return false;
	header->edge = (const uint32_t(*)[2])read_indices(archive, "/topology/edge", 2, &header->n_edges, error);
	if (header->edge == NULL)
		return false;
	header->particle = read_indices(archive, "/topology/particle", 1, &header->n_particles, error);
	return header->particle != NULL && read_bodies(archive, error);
}

static bool read_columns(Archive *archive, GError **error)
{
	ArchiveSource *source = &archive->private->source;
	size_t n_columns = 0, n_units = 0;
	const char **names = archive_source_text_column(source, "/ledger/column", &n_columns, error);
	if (names == NULL)
		return false;
	const char **units = archive_source_text_column(source, "/ledger/unit", &n_units, error);
	if (units == NULL)
		return false;
	if (n_columns != n_units)
		return archive_source_fail(source, error, "/ledger has %zu columns but %zu units", n_columns, n_units);
	ArchiveColumn *columns = g_new0(ArchiveColumn, n_columns + 1);
	g_ptr_array_add(source->kept, columns);
	for (size_t i = 0; i < n_columns; i++)
		columns[i] = (ArchiveColumn){names[i], units[i]};
	archive->header.columns = columns;
	archive->header.n_columns = n_columns;
	return true;
}

/* Opens what grows and counts the frames that all of it has. */
static bool open_motion(Archive *archive, hsize_t *n_frames, GError **error)
{
	struct ArchivePrivate *private = archive->private;
	hsize_t n = archive->header.n_vertices;
	hsize_t position[3] = {ARCHIVE_ANY, n, 3}, velocity[3] = {ARCHIVE_ANY, n, 3}, time[3] = {ARCHIVE_ANY},
	        ledger[3] = {ARCHIVE_ANY, archive->header.n_columns};
	hid_t real = H5T_IEEE_F64LE;
	private->position = archive_source_dataset(&private->source, "/motion/position", real, 3, position, error);
	if (private->position < 0)
		return false;
	private->velocity = archive_source_dataset(&private->source, "/motion/velocity", real, 3, velocity, error);
	if (private->velocity < 0)
		return false;
	ARCHIVE_ID time_dataset = archive_source_dataset(&private->source, "/motion/time", real, 1, time, error);
	if (time_dataset < 0)
		return false;
	ARCHIVE_ID ledger_dataset = archive_source_dataset(&private->source, "/ledger/values", real, 2, ledger, error);
	if (ledger_dataset < 0)
		return false;
	*n_frames = MIN(MIN(position[0], velocity[0]), MIN(time[0], ledger[0]));
	return true;
}

static bool read_frames(Archive *archive, GError **error)
{
	ArchiveSource *source = &archive->private->source;
	hsize_t n_frames = 0;
	source->lenient = archive->private->lenient;
	if (!open_motion(archive, &n_frames, error))
		return false;
	hsize_t time_dims[3] = {n_frames}, ledger_dims[3] = {n_frames, archive->header.n_columns};
	ArchiveTable time = {"/motion/time", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, sizeof(double), 1};
	ArchiveTable ledger = {"/ledger/values", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, sizeof(double), 2};
	archive->time = archive_source_table(source, time, time_dims, error);
	if (archive->time == NULL)
		return false;
	archive->ledger = archive_source_table(source, ledger, ledger_dims, error);
	if (archive->ledger == NULL)
		return false;
	/* NaN is what stands where no time was written yet: such a frame does not exist. */
	while (archive->n_frames < n_frames && (source->lenient || isfinite(archive->time[archive->n_frames])))
		archive->n_frames++;
	return true;
}

static bool read_end(Archive *archive, GError **error)
{
	ArchiveSource *source = &archive->private->source;
	hsize_t n_marks = ARCHIVE_ANY, length = ARCHIVE_ANY;
	ArchiveTable complete = {"/run/complete", H5T_STD_U8LE, H5T_NATIVE_UINT8, 1, 1};
	ArchiveTable summary = {"/run/summary", H5T_STD_U8LE, H5T_NATIVE_UINT8, 1, 1};
	const uint8_t *mark = archive_source_table(source, complete, &n_marks, error);
	if (mark == NULL)
		return false;
	archive->closed = n_marks > 0;
	archive->complete = archive->closed && mark[0] == 1;
	if (!archive->closed)
		return true;
	const char *text = archive_source_table(source, summary, &length, error);
	if (text == NULL)
		return false;
	archive->summary = archive_source_keep_text(source, text, (size_t)length);
	return true;
}

Archive *archive_open(const char *path, GError **error)
{
	return archive_vet(path, error) ? archive_open_trusting(path, error) : NULL;
}

static void close_fields(Archive *archive)
{
	for (size_t i = 0; archive->private->field != NULL && i < archive->header.n_fields; i++)
		archive_id_clear(&archive->private->field[i]);
	g_clear_pointer(&archive->private->field, g_free);
}

static bool read_fields(Archive *archive, GError **error)
{
	if (archive_source_fields(&archive->private->source, &archive->header, &archive->private->field, error))
		return true;
	if (!archive->private->lenient)
		return false;
	/* Fields are for the eye: what matters does without them. */
	g_clear_error(error);
	close_fields(archive);
	archive->header.n_fields = 0;
	return true;
}

static Archive *open_archive(const char *path, bool lenient, GError **error)
{
	ARCHIVE_QUIET;
	Archive *archive = g_new0(Archive, 1);
	archive->private = g_new0(struct ArchivePrivate, 1);
	archive->private->lenient = lenient;
	if (archive_source_open(&archive->private->source, path, error) && read_root(archive, error) &&
	    read_scene(archive, error) && read_topology(archive, error) && read_columns(archive, error) &&
	    read_fields(archive, error) && read_frames(archive, error)) {
		if (read_end(archive, lenient ? NULL : error))
			return archive;
		archive->closed = archive->complete = false;
		if (lenient)
			return archive;
	}
	archive_close(archive);
	return NULL;
}

Archive *archive_open_trusting(const char *path, GError **error)
{
	return open_archive(path, false, error);
}

Archive *archive_open_lenient(const char *path, GError **error)
{
	return open_archive(path, true, error);
}

void archive_close(Archive *archive)
{
	if (archive == NULL)
		return;
	ARCHIVE_QUIET;
	archive_id_clear(&archive->private->position);
	archive_id_clear(&archive->private->velocity);
	close_fields(archive);
	archive_source_clear(&archive->private->source);
	g_free(archive->private);
	g_free(archive);
}

static bool read_frame(Archive *archive, hid_t dataset, const char *name, size_t frame, double *out, GError **error)
{
	ARCHIVE_QUIET;
	const ArchiveSource *source = &archive->private->source;
	hsize_t start[3] = {frame}, count[3] = {1}, dims[3] = {0};
	if (frame >= archive->n_frames)
		return archive_source_fail(
		    source, error, "has no frame %zu: it has %zu frames", frame, archive->n_frames);
	ARCHIVE_ID space = H5Dget_space(dataset);
	int rank = H5Sget_simple_extent_dims(space, dims, NULL);
	for (int axis = 1; axis < rank; axis++)
		count[axis] = dims[axis];
	if (rank < 1 || count[0] * (rank > 1 ? count[1] : 1) * (rank > 2 ? count[2] : 1) == 0)
		return true;
	ARCHIVE_ID memory = H5Screate_simple(rank, count, NULL);
	if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
	    H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out) < 0)
		return archive_source_fail(
		    source, error, "%s of frame %zu could not be read: %s", name, frame, archive_reason());
	return true;
}

bool archive_read_positions(Archive *archive, size_t frame, double *out, GError **error)
{
	return read_frame(archive, archive->private->position, "/motion/position", frame, out, error);
}

bool archive_read_velocities(Archive *archive, size_t frame, double *out, GError **error)
{
	return read_frame(archive, archive->private->velocity, "/motion/velocity", frame, out, error);
}

bool archive_shows(const ArchiveHeader *header, size_t body, double time)
{
	return header->removed == NULL || time < header->removed[body];
}

int archive_column(const ArchiveHeader *header, const char *name)
{
	for (size_t i = 0; i < header->n_columns; i++)
		if (strcmp(header->columns[i].name, name) == 0)
			return (int)i;
	return -1;
}

bool archive_read_field(Archive *archive, size_t field, size_t frame, double *out, GError **error)
{
	ARCHIVE_QUIET;
	hid_t dataset = archive->private->field[field];
	ARCHIVE_ID space = H5Dget_space(dataset);
	hsize_t dims[3] = {0};
	H5Sget_simple_extent_dims(space, dims, NULL);
	if (frame < dims[0])
		return read_frame(archive, dataset, archive->header.fields[field].name, frame, out, error);
	for (size_t i = 0; i < archive_field_size(&archive->header, field); i++)
		out[i] = NAN;
	return true;
}

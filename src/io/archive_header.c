/* The part of an archive that never changes: attributes of the root, /scene, /topology, the ledger's columns.
 *
 * Every function says only whether it worked; archive_reason() knows why not. */
#include "io/archive_private.h"

#include <string.h>

/* A run's texts come from file names and scenes: what is not UTF-8 in them is replaced, so that any reader can decode
 * what the file declares to be UTF-8. */
static char *valid_text(const char *text)
{
	return g_utf8_make_valid(text ? text : "", -1);
}

bool archive_write_text_attribute(hid_t object, const char *name, const char *text)
{
	g_autofree char *valid = valid_text(text);
	ARCHIVE_ID type = archive_string_type(strlen(valid) + 1);
	ARCHIVE_ID space = H5Screate(H5S_SCALAR);
	ARCHIVE_ID attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
	return attribute >= 0 && H5Awrite(attribute, type, valid) >= 0;
}

static bool write_number_attribute(
    hid_t object, const char *name, hid_t file_type, hid_t memory_type, const void *value)
{
	ARCHIVE_ID space = H5Screate(H5S_SCALAR);
	ARCHIVE_ID attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
	return attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
}

typedef struct {
	const char *name;
	hid_t file_type, memory_type;
	int rank;
	hsize_t dims[2];
	const char *unit; /* attribute, NULL for none */
} Table;

/* Returns the open dataset, negative when it failed. */
static hid_t write_table(hid_t group, Table table, const void *data)
{
	ARCHIVE_ID space = table.rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(table.rank, table.dims, NULL);
	hid_t dataset = H5Dcreate2(group, table.name, table.file_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	if (dataset < 0)
		return dataset;
	bool ok = true;
	/* HDF5 asks for a buffer even when there is nothing to write. */
	if (H5Sget_simple_extent_npoints(space) > 0)
		ok = H5Dwrite(dataset, table.memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
	if (ok && table.unit)
		ok = archive_write_text_attribute(dataset, "unit", table.unit);
	if (!ok)
		archive_id_clear(&dataset);
	return dataset;
}

static bool put_table(hid_t group, Table table, const void *data)
{
	ARCHIVE_ID dataset = write_table(group, table, data);
	return dataset >= 0;
}

static bool put_text(hid_t group, const char *name, const char *text)
{
	g_autofree char *valid = valid_text(text);
	ARCHIVE_ID type = archive_string_type(strlen(valid) + 1);
	return put_table(group, (Table){name, type, type, 0, {0}, NULL}, valid);
}

static bool put_root(hid_t file, const ArchiveHeader *header)
{
	uint32_t format_version = ARCHIVE_FORMAT_VERSION;
	return archive_write_text_attribute(file, "format", ARCHIVE_FORMAT) &&
	       write_number_attribute(file, "format_version", H5T_STD_U32LE, H5T_NATIVE_UINT32, &format_version) &&
	       archive_write_text_attribute(file, "version", header->version) &&
	       archive_write_text_attribute(file, "build", header->build) &&
	       archive_write_text_attribute(file, "units", header->units) &&
	       archive_write_text_attribute(file, "length_unit", header->length_unit) &&
	       archive_write_text_attribute(file, "time_unit", header->time_unit) &&
	       write_number_attribute(
	           file, "frame_interval", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &header->frame_interval) &&
	       write_number_attribute(file, "end_time", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &header->end_time);
}

/* The datasets are called "0", "1", ...: a file's own name may hold slashes, which HDF5 takes for groups. */
static bool put_files(hid_t scene, const ArchiveHeader *header)
{
	ARCHIVE_ID group = H5Gcreate2(scene, "files", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	for (size_t i = 0; i < header->n_files; i++) {
		const ArchiveFile *file = &header->files[i];
		g_autofree char *name = g_strdup_printf("%zu", i);
		Table table = {name, H5T_STD_U8LE, H5T_NATIVE_UINT8, 1, {file->length}, NULL};
		ARCHIVE_ID dataset = write_table(group, table, file->data);
		if (dataset < 0 || !archive_write_text_attribute(dataset, "name", file->name))
			return false;
	}
	return group >= 0;
}

static bool put_scene(hid_t file, const ArchiveHeader *header)
{
	ARCHIVE_ID group = H5Gcreate2(file, "scene", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	return group >= 0 && archive_write_text_attribute(group, "name", header->scene_name) &&
	       put_text(group, "source", header->scene_source) &&
	       put_text(group, "effective", header->scene_effective) &&
	       put_text(group, "lineage", header->lineage ? header->lineage : "[]") && put_files(group, header);
}

/* One text per row, each padded with NUL to the longest. */
static bool put_text_column(hid_t group, const char *name, char **texts, size_t n_texts)
{
	size_t size = 1;
	for (size_t i = 0; i < n_texts; i++)
		size = MAX(size, strlen(texts[i]) + 1);
	g_autofree char *packed = g_malloc0(MAX(n_texts, 1) * size);
	for (size_t i = 0; i < n_texts; i++)
		memcpy(packed + i * size, texts[i], strlen(texts[i]));
	ARCHIVE_ID type = archive_string_type(size);
	return put_table(group, (Table){name, type, type, 1, {n_texts}, NULL}, packed);
}

static bool put_bodies(hid_t group, const ArchiveHeader *header)
{
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
	size_t name_size = 1, material_size = 1;
	for (size_t i = 0; i < header->n_bodies; i++) {
		char *name = valid_text(header->bodies[i].name), *material = valid_text(header->bodies[i].material);
		g_ptr_array_add(texts, name);
		g_ptr_array_add(texts, material);
		name_size = MAX(name_size, strlen(name) + 1);
		material_size = MAX(material_size, strlen(material) + 1);
	}
	size_t record_size = name_size + material_size + ARCHIVE_BODY_COUNTS * sizeof(uint32_t);
	g_autofree char *records = g_malloc0(MAX(header->n_bodies, 1) * record_size);
	for (size_t i = 0; i < header->n_bodies; i++) {
		const ArchiveBody *body = &header->bodies[i];
		char *record = records + i * record_size;
		const char *name = texts->pdata[2 * i], *material = texts->pdata[2 * i + 1];
		uint32_t counts[ARCHIVE_BODY_COUNTS] = {body->first_vertex, body->n_vertices, body->first_triangle,
		    body->n_triangles, body->first_edge, body->n_edges, body->first_particle, body->n_particles};
		memcpy(record, name, strlen(name));
		memcpy(record + name_size, material, strlen(material));
		memcpy(record + name_size + material_size, counts, sizeof counts);
	}
	ARCHIVE_ID file_type = archive_body_type(name_size, material_size, H5T_STD_U32LE);
	ARCHIVE_ID memory_type = archive_body_type(name_size, material_size, H5T_NATIVE_UINT32);
	return put_table(group, (Table){"bodies", file_type, memory_type, 1, {header->n_bodies}, NULL}, records);
}

/* When each body is taken away, if any is. */
static bool put_removed(hid_t group, const ArchiveHeader *header)
{
	Table table = {"removed", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, {header->n_bodies}, header->time_unit};
	return header->removed == NULL || put_table(group, table, header->removed);
}

static bool put_topology(hid_t file, const ArchiveHeader *header)
{
	const char *mass_unit = g_strcmp0(header->units, "cgs") == 0 ? "g" : "kg";
	hid_t index = H5T_STD_U32LE, index_here = H5T_NATIVE_UINT32;
	hid_t real = H5T_IEEE_F64LE, real_here = H5T_NATIVE_DOUBLE;
	ARCHIVE_ID group = H5Gcreate2(file, "topology", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	Table triangle = {"triangle", index, index_here, 2, {header->n_triangles, 3}, NULL};
	Table edge = {"edge", index, index_here, 2, {header->n_edges, 2}, NULL};
	Table particle = {"particle", index, index_here, 1, {header->n_particles}, NULL};
	Table rest = {"rest", real, real_here, 2, {header->n_vertices, 3}, header->length_unit};
	Table mass = {"mass", real, real_here, 1, {header->n_vertices}, mass_unit};
	Table held = {"held", H5T_STD_U8LE, H5T_NATIVE_UINT8, 1, {header->n_vertices}, NULL};
	return group >= 0 && put_table(group, triangle, header->triangle) && put_table(group, edge, header->edge) &&
	       put_table(group, particle, header->particle) && put_table(group, rest, header->rest) &&
	       put_table(group, mass, header->mass) && put_table(group, held, header->held) &&
	       put_bodies(group, header) && put_removed(group, header);
}

static bool put_columns(hid_t file, const ArchiveHeader *header)
{
	ARCHIVE_ID group = H5Gcreate2(file, "ledger", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) units = g_ptr_array_new_with_free_func(g_free);
	for (size_t i = 0; i < header->n_columns; i++) {
		g_ptr_array_add(names, valid_text(header->columns[i].name));
		g_ptr_array_add(units, valid_text(header->columns[i].unit));
	}
	return group >= 0 && put_text_column(group, "column", (char **)names->pdata, header->n_columns) &&
	       put_text_column(group, "unit", (char **)units->pdata, header->n_columns);
}

bool archive_write_header(hid_t file, const ArchiveHeader *header)
{
	return put_root(file, header) && put_scene(file, header) && put_topology(file, header) &&
	       put_columns(file, header);
}

/* PC2 point caches, which Blender's modifier "Mesh Cache" and others lay over a mesh: for each body NAME.pc2, and
 * NAME.obj with the mesh at the first time, whose vertices have the same order. */
#include "io/export.h"

#include <string.h>

static void write_int(Stream *stream, size_t value)
{
	uint32_t number = GUINT32_TO_LE((uint32_t)value);
	stream_bytes(stream, &number, sizeof number);
}

static void write_floats(Stream *stream, const float *value, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t bits;
		memcpy(&bits, value + i, sizeof bits);
		write_int(stream, bits);
	}
}

static bool write_cache(
    ExportMotion *motion, const Selection *selection, const ArchiveBody *body, const char *path, GError **error)
{
	const float begin_and_step[2] = {0.0f, 1.0f}; /* in frames */
	Stream *stream = stream_open(path);
	stream_bytes(stream, "POINTCACHE2\0", 12);
	write_int(stream, 1);
	write_int(stream, body->n_vertices);
	write_floats(stream, begin_and_step, 2);
	write_int(stream, selection->n_times);
	bool good = true;
	for (size_t k = 0; good && k < selection->n_times && stream_good(stream); k++) {
		const float *position = export_motion_at(motion, k, error);
		good = position != NULL;
		if (good)
			write_floats(stream, position + 3 * (size_t)body->first_vertex, 3 * (size_t)body->n_vertices);
	}
	return stream_close(stream, good, error) && good;
}

static void write_corners(Stream *stream, const char *keyword, const uint32_t *corner, size_t n, uint32_t first)
{
	stream_text(stream, keyword);
	for (size_t c = 0; c < n; c++) {
		stream_text(stream, " ");
		stream_count(stream, (guint64)(corner[c] - first) + 1);
	}
	stream_text(stream, "\n");
}

static void write_polygons(const Export *export, size_t b, Stream *stream)
{
	const Faces *faces = export->faces;
	uint32_t first = export->selection->bodies[b].first_vertex;
	for (size_t face = faces->of_body[b]; face < faces->of_body[b + 1]; face++) {
		size_t n, start = g_array_index(faces->first, uint32_t, face);
		const uint32_t *corner = faces_corners(faces, face, &n);
		double coordinate[2];
		/* Each corner its own: what a face shares with others is the mesh's affair. */
		bool textured = faces_texture(faces, start, coordinate);
		for (size_t c = 0; textured && c < n; c++) {
			faces_texture(faces, start + c, coordinate);
			stream_text(stream, "vt ");
			stream_number(stream, 9, coordinate[0]);
			stream_text(stream, " ");
			stream_number(stream, 9, coordinate[1]);
			stream_text(stream, "\n");
		}
		stream_text(stream, "f");
		for (size_t c = 0; c < n; c++) {
			stream_format(stream, " %u", corner[c] - first + 1);
			if (textured)
				stream_format(stream, "/-%zu", n - c);
		}
		stream_text(stream, "\n");
	}
}

static bool write_mesh(Export *export, ExportMotion *motion, size_t b, const char *path, GError **error)
{
	const Selection *selection = export->selection;
	const ArchiveBody *body = &selection->bodies[b];
	const float *position = export_motion_at(motion, 0, error);
	if (position == NULL)
		return false;
	Stream *stream = stream_open(path);
	for (size_t i = 3 * (size_t)body->first_vertex; i < 3 * ((size_t)body->first_vertex + body->n_vertices); i++) {
		stream_text(stream, i % 3 == 0 ? "v " : " ");
		stream_number(stream, 9, position[i]);
		stream_text(stream, i % 3 == 2 ? "\n" : "");
	}
	write_polygons(export, b, stream);
	for (uint32_t i = 0; i < body->n_edges; i++)
		write_corners(stream, "l", selection->edge[body->first_edge + i], 2, body->first_vertex);
	for (uint32_t i = 0; i < body->n_particles; i++)
		write_corners(stream, "p", selection->particle + body->first_particle + i, 1, body->first_vertex);
	return stream_close(stream, true, error);
}

static bool write_all(Export *export, const char *path, GError **error)
{
	g_autoptr(ExportMotion) motion = export_motion_new(export, NULL);
	if (!export_directory(path, error))
		return false;
	for (size_t b = 0; b < export->selection->n_bodies; b++) {
		g_autofree char *name = export_identifier(export, b);
		g_autofree char *cache = g_strdup_printf("%s/%s.pc2", path, name),
		                *mesh = g_strdup_printf("%s/%s.obj", path, name);
		if (!write_cache(motion, export->selection, &export->selection->bodies[b], cache, error) ||
		    !write_mesh(export, motion, b, mesh, error))
			return false;
		if (export_vanishes(export, b))
			g_string_append_printf(export->notes,
			    "%s is removed on the way: its cache goes on, standing still\n",
			    export->selection->bodies[b].name);
	}
	return true;
}

const ExportFormat export_pc2 = {.name = "pc2",
    .about = "point caches and meshes, for Blender",
    .ending = "_pc2",
    .takes_rate = true,
    .write = write_all};

/* Wavefront OBJ, one file per frame, in 17 digits: reading one gives the bits of the archive. Faces, texture
 * coordinates and groups are those of the mesh files that the bodies came from. */
#include "io/export.h"

static void write_coordinates(Stream *stream, const Faces *faces)
{
	for (guint i = 0; i < faces->coordinate->len; i += 2) {
		stream_text(stream, "vt ");
		stream_number(stream, 17, g_array_index(faces->coordinate, double, i));
		stream_text(stream, " ");
		stream_number(stream, 17, g_array_index(faces->coordinate, double, i + 1));
		stream_text(stream, "\n");
	}
}

static void write_face(Stream *stream, const Faces *faces, size_t face)
{
	size_t n, first = g_array_index(faces->first, uint32_t, face);
	const uint32_t *corner = faces_corners(faces, face, &n);
	stream_text(stream, "f");
	for (size_t c = 0; c < n; c++) {
		uint32_t texture = g_array_index(faces->texture, uint32_t, first + c);
		stream_text(stream, " ");
		stream_count(stream, (guint64)corner[c] + 1);
		if (texture == FACES_NONE)
			continue;
		stream_text(stream, "/");
		stream_count(stream, (guint64)texture + 1);
	}
	stream_text(stream, "\n");
}

/* `grouped` says whether a group's name holds from the body before. */
static void write_faces(Stream *stream, const Faces *faces, size_t body, bool *grouped)
{
	const char *last = *grouped ? "" : NULL;
	for (size_t face = faces->of_body[body]; face < faces->of_body[body + 1]; face++) {
		const char *group = faces_group(faces, face);
		if (group != last)
			stream_format(stream, group ? "g %s\n" : "g\n", group);
		last = group;
		write_face(stream, faces, face);
	}
	*grouped = last != NULL;
}

static void write_elements(
    Stream *stream, const char *keyword, const uint32_t *vertex, size_t n_elements, size_t n_corners)
{
	for (size_t i = 0; i < n_elements; i++) {
		stream_text(stream, keyword);
		for (size_t c = 0; c < n_corners; c++) {
			stream_text(stream, " ");
			stream_count(stream, (guint64)vertex[i * n_corners + c] + 1);
		}
		stream_text(stream, "\n");
	}
}

/* What has been removed keeps its vertices, so that all frames count them alike. */
static void write_frame(Export *export, size_t k, Stream *stream)
{
	const Selection *selection = export->selection;
	bool grouped = false;
	stream_format(stream, "# t = %.17g %s, lengths in %s\n", selection->time[k], export->header->time_unit,
	    export->header->length_unit);
	for (size_t i = 0; i < selection->n_vertices; i++)
		for (size_t axis = 0; axis < 3; axis++) {
			stream_text(stream, axis == 0 ? "v " : " ");
			stream_number(stream, 17, export->position[3 * i + axis]);
			stream_text(stream, axis == 2 ? "\n" : "");
		}
	write_coordinates(stream, export->faces);
	for (size_t b = 0; b < selection->n_bodies; b++) {
		const ArchiveBody *body = &selection->bodies[b];
		if (!export_shows(export, b, k))
			continue;
		if (selection->n_bodies > 1)
			stream_format(stream, "o %s\n", body->name);
		write_faces(stream, export->faces, b, &grouped);
		write_elements(stream, "l", selection->edge[body->first_edge], body->n_edges, 2);
		write_elements(stream, "p", selection->particle + body->first_particle, body->n_particles, 1);
	}
}

static bool write_all(Export *export, const char *path, GError **error)
{
	return export_sequence(export, path, ".obj", write_frame, error);
}

const ExportFormat export_obj = {
    .name = "obj", .about = "Wavefront, a file per frame", .ending = "_obj", .takes_rate = true, .write = write_all};

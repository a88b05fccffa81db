/* PLY, binary, one file per frame: vertices as doubles with their velocities and fields, polygons with the number of
 * their group (the names are in comments), loose edges. Texture coordinates belong to vertices, or, where they have
 * seams, to the corners of polygons. */
#include "io/export.h"

#include <string.h>

/* Counts of what is shown. */
typedef struct {
	size_t faces, edges;
	double *texture; /* (n_vertices, 2); NULL: there is none, or it has seams */
	bool seams;
	bool wide; /* polygons have so many corners that a byte does not count them, nor two numbers for each */
} Shown;

static Shown count_shown(const Export *export, size_t k)
{
	Shown shown = {0};
	for (size_t b = 0; b < export->selection->n_bodies; b++) {
		if (!export_shows(export, b, k))
			continue;
		shown.faces += export->faces->of_body[b + 1] - export->faces->of_body[b];
		shown.edges += export->selection->bodies[b].n_edges;
	}
	size_t n_vertices = export->selection->n_vertices;
	if (export->faces->coordinate->len > 0) {
		shown.texture = g_new(double, 2 * n_vertices + 1);
		shown.seams = !faces_smooth_texture(export->faces, n_vertices, shown.texture);
	}
	if (shown.seams)
		g_clear_pointer(&shown.texture, g_free);
	for (size_t face = 0; face < export->faces->group->len && !shown.wide; face++) {
		size_t n;
		faces_corners(export->faces, face, &n);
		shown.wide = 2 * n > UINT8_MAX;
	}
	return shown;
}

static void write_header(const Export *export, size_t k, const Shown *shown, Stream *stream)
{
	const Selection *selection = export->selection;
	const Faces *faces = export->faces;
	stream_format(stream, "ply\nformat binary_little_endian 1.0\ncomment t = %.17g %s, lengths in %s\n",
	    selection->time[k], export->header->time_unit, export->header->length_unit);
	for (guint i = 0; i < faces->name->len; i++)
		stream_format(stream, "comment group %u is %s\n", i, (const char *)faces->name->pdata[i]);
	stream_format(stream, "element vertex %zu\nproperty double x\nproperty double y\nproperty double z\n",
	    selection->n_vertices);
	for (size_t i = 0; i < export->n_attributes; i++) {
		if (export->attribute[i].width == 3)
			stream_text(stream, "property double vx\nproperty double vy\nproperty double vz\n");
		else
			stream_format(stream, "property double %s\n", export->attribute[i].name);
	}
	if (shown->texture != NULL)
		stream_text(stream, "property double s\nproperty double t\n");
	const char *count = shown->wide ? "uint" : "uchar";
	stream_format(stream, "element face %zu\nproperty list %s int vertex_indices\n", shown->faces, count);
	if (shown->seams)
		stream_format(stream, "property list %s float texcoord\n", count);
	if (faces->name->len > 0)
		stream_text(stream, "property int group\n");
	if (shown->edges > 0)
		stream_format(stream, "element edge %zu\nproperty int vertex1\nproperty int vertex2\n", shown->edges);
	stream_text(stream, "end_header\n");
}

/* Numbers are little-endian in the file; so are those of all machines that this is built for. */
static void write_number(Stream *stream, uint32_t number)
{
	number = GUINT32_TO_LE(number);
	stream_bytes(stream, &number, sizeof number);
}

static void write_count(Stream *stream, size_t n, bool wide)
{
	uint8_t byte = (uint8_t)n;
	if (wide)
		write_number(stream, (uint32_t)n);
	else
		stream_bytes(stream, &byte, 1);
}

static void write_float(Stream *stream, double value)
{
	float single = (float)value;
	uint32_t bits;
	memcpy(&bits, &single, sizeof bits);
	write_number(stream, bits);
}

static void write_double(Stream *stream, double value)
{
	guint64 bits;
	memcpy(&bits, &value, sizeof bits);
	bits = GUINT64_TO_LE(bits);
	stream_bytes(stream, &bits, sizeof bits);
}

static void write_vertices(const Export *export, const double *texture, Stream *stream)
{
	for (size_t i = 0; i < export->selection->n_vertices; i++) {
		for (size_t axis = 0; axis < 3; axis++)
			write_double(stream, export->position[3 * i + axis]);
		for (size_t a = 0; a < export->n_attributes; a++)
			for (size_t c = 0; c < export->attribute[a].width; c++)
				write_double(stream, export->attribute[a].value[export->attribute[a].width * i + c]);
		for (size_t c = 0; texture != NULL && c < 2; c++)
			write_double(stream, texture[2 * i + c]);
	}
}

static void write_face(const Faces *faces, size_t face, const Shown *shown, Stream *stream)
{
	size_t n, first = g_array_index(faces->first, uint32_t, face);
	const uint32_t *corner = faces_corners(faces, face, &n);
	write_count(stream, n, shown->wide);
	for (size_t c = 0; c < n; c++)
		write_number(stream, corner[c]);
	if (shown->seams)
		write_count(stream, 2 * n, shown->wide);
	for (size_t c = 0; shown->seams && c < n; c++) {
		double coordinate[2] = {0.0, 0.0};
		faces_texture(faces, first + c, coordinate);
		write_float(stream, coordinate[0]);
		write_float(stream, coordinate[1]);
	}
	if (faces->name->len > 0)
		write_number(stream, g_array_index(faces->group, uint32_t, face)); /* none is -1 */
}

static void write_frame(Export *export, size_t k, Stream *stream)
{
	const Selection *selection = export->selection;
	Shown shown = count_shown(export, k);
	write_header(export, k, &shown, stream);
	write_vertices(export, shown.texture, stream);
	for (size_t b = 0; b < selection->n_bodies; b++)
		for (size_t face = export->faces->of_body[b]; face < export->faces->of_body[b + 1]; face++)
			if (export_shows(export, b, k))
				write_face(export->faces, face, &shown, stream);
	for (size_t b = 0; b < selection->n_bodies; b++)
		for (uint32_t i = 0; i < selection->bodies[b].n_edges && export_shows(export, b, k); i++)
			for (int c = 0; c < 2; c++)
				write_number(stream, selection->edge[selection->bodies[b].first_edge + i][c]);
	g_free(shown.texture);
}

static bool write_all(Export *export, const char *path, GError **error)
{
	return export_sequence(export, path, ".ply", write_frame, error);
}

const ExportFormat export_ply = {.name = "ply",
    .about = "PLY, a binary file per frame",
    .ending = "_ply",
    .holds_numbers = true,
    .takes_rate = true,
    .write = write_all};

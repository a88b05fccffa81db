/* glTF 2.0: a mesh per body with a morph target per frame, and one animation that goes through them; between frames it
 * interpolates linearly, which is how viewers weigh neighbours. Metres, y up, triangles: that is the format's. A .glb
 * file is binary; one that is called .gltf has the same bytes as text. */
#include "io/export.h"

#include "core/error.h"
#include <math.h>
#include <string.h>

#define MOST_BYTES 2e9 /* of the buffer: its lengths are below 2^31 for most readers */

enum {
	FLOATS = 5126,
	INDICES = 5125,
	FOR_VERTICES = 34962,
	FOR_INDICES = 34963,
	AS_POINTS = 0,
	AS_LINES = 1,
	AS_TRIANGLES = 4
};

typedef struct {
	Export *export;
	ExportMotion *motion;
	GByteArray *bytes;
	GString *accessors, *views, *meshes, *nodes, *materials, *samplers, *channels;
	unsigned n_accessors, n_samplers;
	int times, weights; /* accessors of the animation; -1: none */
} Gltf;

/* The points of a body: its vertices, those once more that have several texture coordinates. */
typedef struct {
	GArray *vertex;  /* uint32_t: of the selection */
	GArray *texture; /* uint32_t: FACES_NONE */
	GArray *next;    /* uint32_t: another point of the same vertex; FACES_NONE */
	bool textured;
} Points;

static void next_entry(GString *list)
{
	if (list->len > 0)
		g_string_append(list, ",\n");
}

static void add_number(GString *text, double number)
{
	char digits[G_ASCII_DTOSTR_BUF_SIZE];
	g_string_append(text, g_ascii_formatd(digits, sizeof digits, "%.9g", number));
}

static void add_limits(GString *text, const char *key, const float *value, size_t n, size_t width, bool largest)
{
	g_string_append_printf(text, ",\"%s\":[", key);
	for (size_t c = 0; c < width; c++) {
		float found = n > 0 ? value[c] : 0.0f;
		for (size_t i = 1; i < n; i++)
			found = largest ? MAX(found, value[i * width + c]) : MIN(found, value[i * width + c]);
		g_string_append(text, c ? "," : "");
		add_number(text, found);
	}
	g_string_append_c(text, ']');
}

/* n rows of numbers of four bytes each; returns the accessor's number. */
static unsigned add_accessor(Gltf *gltf, const void *data, size_t n, size_t width, int component, int target)
{
	static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3"};
	next_entry(gltf->views);
	g_string_append_printf(
	    gltf->views, "{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%zu", gltf->bytes->len, 4 * n * width);
	g_string_append_printf(gltf->views, target ? ",\"target\":%d}" : "}", target);
	next_entry(gltf->accessors);
	g_string_append_printf(gltf->accessors, "{\"bufferView\":%u,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"",
	    gltf->n_accessors, component, n, types[width]);
	if (component == FLOATS) {
		add_limits(gltf->accessors, "min", data, n, width, false);
		add_limits(gltf->accessors, "max", data, n, width, true);
	}
	g_string_append_c(gltf->accessors, '}');
	g_byte_array_append(gltf->bytes, data, (guint)(4 * n * width));
	return gltf->n_accessors++;
}

static Points points_of(const Export *export, size_t b)
{
	const ArchiveBody *body = &export->selection->bodies[b];
	Points points = {g_array_new(false, false, sizeof(uint32_t)), g_array_new(false, false, sizeof(uint32_t)),
	    g_array_new(false, false, sizeof(uint32_t)), false};
	const uint32_t none = FACES_NONE;
	for (uint32_t i = 0; i < body->n_vertices; i++) {
		uint32_t vertex = body->first_vertex + i;
		g_array_append_val(points.vertex, vertex);
		g_array_append_val(points.texture, none);
		g_array_append_val(points.next, none);
	}
	return points;
}

static void points_clear(Points *points)
{
	g_array_unref(points->vertex);
	g_array_unref(points->texture);
	g_array_unref(points->next);
}

/* The point of a vertex, counted in its body, with a texture coordinate; a new one when all of its points have others.
 */
static uint32_t point_with(Points *points, uint32_t vertex, uint32_t texture)
{
	uint32_t *of = (uint32_t *)(void *)points->texture->data, at = vertex;
	for (; texture != FACES_NONE; at = g_array_index(points->next, uint32_t, at)) {
		points->textured = true;
		if (of[at] == FACES_NONE)
			of[at] = texture;
		if (of[at] == texture)
			return at;
		if (g_array_index(points->next, uint32_t, at) == FACES_NONE)
			break;
	}
	if (texture == FACES_NONE)
		return vertex;
	const uint32_t none = FACES_NONE, added = points->vertex->len;
	uint32_t which = g_array_index(points->vertex, uint32_t, vertex);
	g_array_index(points->next, uint32_t, at) = added;
	g_array_append_val(points->vertex, which);
	g_array_append_val(points->texture, texture);
	g_array_append_val(points->next, none);
	return added;
}

static uint32_t texture_at(const Faces *faces, size_t face, uint32_t vertex)
{
	size_t n, first = g_array_index(faces->first, uint32_t, face);
	const uint32_t *corner = faces_corners(faces, face, &n);
	for (size_t c = 0; c < n; c++)
		if (corner[c] == vertex)
			return g_array_index(faces->texture, uint32_t, first + c);
	return FACES_NONE;
}

/* Corners of the triangles of a body's faces in one group, as points. */
static GArray *triangles_of(const Export *export, size_t b, uint32_t group, Points *points)
{
	const Selection *selection = export->selection;
	const Faces *faces = export->faces;
	GArray *index = g_array_new(false, false, sizeof(uint32_t));
	for (size_t face = faces->of_body[b]; face < faces->of_body[b + 1]; face++) {
		if (g_array_index(faces->group, uint32_t, face) != group)
			continue;
		for (uint32_t t = g_array_index(faces->triangle, uint32_t, face);
		     t < g_array_index(faces->triangle, uint32_t, face + 1); t++)
			for (int c = 0; c < 3; c++) {
				uint32_t vertex = selection->triangle[t][c];
				uint32_t point = point_with(points, vertex - selection->bodies[b].first_vertex,
				    texture_at(faces, face, vertex));
				g_array_append_val(index, point);
			}
	}
	return index;
}

/* What there is to draw of a body; the accessors of points come later, when their number is known. */
typedef struct {
	GArray *index;
	int mode;
	const char *group;
} Part;

static void add_part(GArray *parts, GArray *index, int mode, const char *group)
{
	Part part = {index, mode, group};
	if (index->len > 0)
		g_array_append_val(parts, part);
	else
		g_array_unref(index);
}

static GArray *elements_of(const uint32_t *vertex, size_t n, uint32_t first)
{
	GArray *index = g_array_new(false, false, sizeof(uint32_t));
	for (size_t i = 0; i < n; i++) {
		uint32_t point = vertex[i] - first;
		g_array_append_val(index, point);
	}
	return index;
}

static GArray *parts_of(const Export *export, size_t b, Points *points)
{
	const Selection *selection = export->selection;
	const ArchiveBody *body = &selection->bodies[b];
	GArray *parts = g_array_new(false, false, sizeof(Part));
	add_part(parts, triangles_of(export, b, FACES_NONE, points), AS_TRIANGLES, NULL);
	for (guint g = 0; g < export->faces->name->len; g++)
		add_part(parts, triangles_of(export, b, g, points), AS_TRIANGLES, export->faces->name->pdata[g]);
	add_part(parts,
	    elements_of(
	        (const uint32_t *)(selection->edge + body->first_edge), 2 * (size_t)body->n_edges, body->first_vertex),
	    AS_LINES, NULL);
	add_part(parts, elements_of(selection->particle + body->first_particle, body->n_particles, body->first_vertex),
	    AS_POINTS, NULL);
	return parts;
}

/* Positions at the k-th time; from the second on, how far they are from those of the first. */
static bool add_positions(Gltf *gltf, const Points *points, size_t k, unsigned *accessor, GError **error)
{
	size_t n = points->vertex->len;
	g_autofree float *out = g_new(float, 3 * n + 1);
	for (size_t pass = 0; pass < (k > 0 ? 2 : 1); pass++) {
		const float *x = export_motion_at(gltf->motion, pass == 0 ? k : 0, error);
		if (x == NULL)
			return false;
		for (size_t i = 0; i < 3 * n; i++) {
			float value = x[3 * (size_t)g_array_index(points->vertex, uint32_t, i / 3) + i % 3];
			out[i] = pass == 0 ? value : out[i] - value;
		}
	}
	*accessor = add_accessor(gltf, out, n, 3, FLOATS, FOR_VERTICES);
	return true;
}

/* The format counts v from above. */
static unsigned add_textures(Gltf *gltf, const Points *points)
{
	const Faces *faces = gltf->export->faces;
	g_autofree float *out = g_new0(float, 2 * points->vertex->len + 1);
	for (guint i = 0; i < points->vertex->len; i++) {
		uint32_t texture = g_array_index(points->texture, uint32_t, i);
		if (texture == FACES_NONE)
			continue;
		out[2 * i] = (float)g_array_index(faces->coordinate, double, 2 * texture);
		out[2 * i + 1] = (float)(1.0 - g_array_index(faces->coordinate, double, 2 * texture + 1));
	}
	return add_accessor(gltf, out, points->vertex->len, 2, FLOATS, FOR_VERTICES);
}

static void add_primitive(
    Gltf *gltf, const Part *part, const char *attributes, const char *targets, size_t b, bool first)
{
	unsigned index = add_accessor(gltf, part->index->data, part->index->len, 1, INDICES, FOR_INDICES);
	g_string_append_printf(gltf->meshes, "%s{\"attributes\":{%s},\"indices\":%u,\"mode\":%d,\"material\":%zu%s",
	    first ? "" : ",\n", attributes, index, part->mode, b, targets);
	if (part->group != NULL) {
		g_autofree char *group = export_quote(part->group);
		g_string_append_printf(gltf->meshes, ",\"extras\":{\"group\":%s}", group);
	}
	g_string_append_c(gltf->meshes, '}');
}

static bool add_mesh(Gltf *gltf, size_t b, GError **error)
{
	Export *export = gltf->export;
	const ArchiveBody *body = &export->selection->bodies[b];
	Points points = points_of(export, b);
	g_autoptr(GArray) parts = parts_of(export, b, &points);
	g_autoptr(GString) attributes = g_string_new(NULL), targets = g_string_new(NULL);
	unsigned accessor = 0;
	bool good = true;
	for (size_t k = 0; good && k < export->selection->n_times; k++) {
		good = add_positions(gltf, &points, k, &accessor, error);
		g_string_append_printf(k == 0 ? attributes : targets,
		    k == 0   ? "\"POSITION\":%u"
		    : k == 1 ? ",\"targets\":[{\"POSITION\":%u}"
		             : ",{\"POSITION\":%u}",
		    accessor);
	}
	if (export->selection->n_times > 1)
		g_string_append_c(targets, ']');
	if (points.textured)
		g_string_append_printf(attributes, ",\"TEXCOORD_0\":%u", add_textures(gltf, &points));
	g_autofree char *name = export_quote(body->name);
	next_entry(gltf->meshes);
	g_string_append_printf(gltf->meshes, "{\"name\":%s,\"primitives\":[\n", name);
	for (guint i = 0; i < parts->len; i++) {
		Part *part = &g_array_index(parts, Part, i);
		add_primitive(gltf, part, attributes->str, targets->str, b, i == 0);
		g_array_unref(part->index);
	}
	g_string_append(gltf->meshes, "]");
	if (export->selection->n_times > 1) {
		g_string_append(gltf->meshes, ",\"weights\":[");
		for (size_t k = 1; k < export->selection->n_times; k++)
			g_string_append(gltf->meshes, k > 1 ? ",0" : "0");
		g_string_append_c(gltf->meshes, ']');
	}
	g_string_append_c(gltf->meshes, '}');
	points_clear(&points);
	return good;
}

static void add_sampler(
    Gltf *gltf, unsigned input, unsigned output, const char *interpolation, size_t node, const char *path)
{
	next_entry(gltf->samplers);
	g_string_append_printf(
	    gltf->samplers, "{\"input\":%u,\"output\":%u,\"interpolation\":\"%s\"}", input, output, interpolation);
	next_entry(gltf->channels);
	g_string_append_printf(gltf->channels, "{\"sampler\":%u,\"target\":{\"node\":%zu,\"path\":\"%s\"}}",
	    gltf->n_samplers++, node, path);
}

/* A body that goes away shrinks to nothing: nodes have no switch. */
static void add_end(Gltf *gltf, size_t b)
{
	const Export *export = gltf->export;
	size_t k = 0;
	while (export_shows(export, b, k))
		k++;
	const float time[2] = {(float)export->selection->time[0], (float)export->selection->time[k]},
	            scale[6] = {1, 1, 1, 0, 0, 0};
	size_t skip = k == 0 ? 1 : 0;
	unsigned input = add_accessor(gltf, time + skip, 2 - skip, 1, FLOATS, 0);
	add_sampler(gltf, input, add_accessor(gltf, scale + 3 * skip, 2 - skip, 3, FLOATS, 0), "STEP", b + 1, "scale");
}

/* The weights of all targets at all times: at the k-th the (k - 1)-th alone. */
static void add_clock(Gltf *gltf)
{
	const Selection *selection = gltf->export->selection;
	size_t n = selection->n_times;
	gltf->times = gltf->weights = -1;
	if (n < 2)
		return;
	g_autofree float *time = g_new(float, n), *weight = g_new0(float, n *(n - 1));
	for (size_t k = 0; k < n; k++) {
		time[k] = (float)selection->time[k];
		if (k > 0)
			weight[k * (n - 1) + k - 1] = 1.0f;
	}
	gltf->times = (int)add_accessor(gltf, time, n, 1, FLOATS, 0);
	gltf->weights = (int)add_accessor(gltf, weight, n * (n - 1), 1, FLOATS, 0);
}

static bool add_body(Gltf *gltf, size_t b, GError **error)
{
	const ArchiveBody *body = &gltf->export->selection->bodies[b];
	g_autofree char *name = export_quote(body->name), *material = export_quote(body->material);
	next_entry(gltf->nodes);
	g_string_append_printf(gltf->nodes, "{\"name\":%s,\"mesh\":%zu}", name, b);
	next_entry(gltf->materials);
	g_string_append_printf(gltf->materials,
	    "{\"name\":%s,\"doubleSided\":true,\"pbrMetallicRoughness\":{\"metallicFactor\":0,\"roughnessFactor\":0.8}"
	    "}",
	    material);
	if (!add_mesh(gltf, b, error))
		return false;
	if (gltf->times >= 0)
		add_sampler(gltf, (unsigned)gltf->times, (unsigned)gltf->weights, "LINEAR", b + 1, "weights");
	if (export_vanishes(gltf->export, b))
		add_end(gltf, b);
	return true;
}

static GString *make_json(const Gltf *gltf, const char *buffer)
{
	const Export *export = gltf->export;
	double turn[4], metres = export_metres(export);
	export_turn(export, turn);
	g_autofree char *title =
	    export_quote(export->origin->title[0] ? export->origin->title : export->header->scene_name);
	g_autofree char *version = export_quote(export->header->version);
	GString *json = g_string_new(NULL);
	g_string_append_printf(json,
	    "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Cinch\",\"extras\":{\"version\":%s}},\n\"scene\":0,"
	    "\"scenes\":[{\"name\":%s,\"nodes\":[0]}],\n\"nodes\":[{\"name\":\"run\",\"rotation\":[",
	    version, title);
	for (int i = 0; i < 4; i++) {
		g_string_append(json, i ? "," : "");
		add_number(json, turn[i]);
	}
	g_string_append(json, "],\"scale\":[");
	for (int i = 0; i < 3; i++) {
		g_string_append(json, i ? "," : "");
		add_number(json, metres);
	}
	g_string_append(json, "],\"children\":[");
	for (size_t b = 0; b < export->selection->n_bodies; b++)
		g_string_append_printf(json, b ? ",%zu" : "%zu", b + 1);
	g_string_append_printf(json, "]},\n%s],\n\"meshes\":[\n%s],\n\"materials\":[\n%s],\n", gltf->nodes->str,
	    gltf->meshes->str, gltf->materials->str);
	if (gltf->samplers->len > 0)
		g_string_append_printf(json,
		    "\"animations\":[{\"name\":\"motion\",\"samplers\":[\n%s],\n\"channels\":[\n%s]}],\n",
		    gltf->samplers->str, gltf->channels->str);
	g_string_append_printf(json,
	    "\"accessors\":[\n%s],\n\"bufferViews\":[\n%s],\n\"buffers\":[{%s\"byteLength\":%u}]}",
	    gltf->accessors->str, gltf->views->str, buffer, gltf->bytes->len);
	return json;
}

static void write_word(Stream *stream, guint32 word)
{
	word = GUINT32_TO_LE(word);
	stream_bytes(stream, &word, sizeof word);
}

static bool write_file(const Gltf *gltf, const char *path, GError **error)
{
	bool text = g_str_has_suffix(path, ".gltf");
	g_autofree char *base64 = text ? g_base64_encode(gltf->bytes->data, gltf->bytes->len) : NULL;
	g_autofree char *buffer =
	    text ? g_strdup_printf("\"uri\":\"data:application/octet-stream;base64,%s\",", base64) : g_strdup("");
	g_autoptr(GString) json = make_json(gltf, buffer);
	Stream *stream = stream_open(path);
	while (!text && json->len % 4 != 0)
		g_string_append_c(json, ' ');
	if (!text) {
		stream_bytes(stream, "glTF", 4);
		write_word(stream, 2);
		write_word(stream, (guint32)(12 + 8 + json->len + 8 + gltf->bytes->len));
		write_word(stream, (guint32)json->len);
		stream_bytes(stream, "JSON", 4);
	}
	stream_bytes(stream, json->str, json->len);
	if (!text) {
		write_word(stream, gltf->bytes->len);
		stream_bytes(stream, "BIN\0", 4);
		stream_bytes(stream, gltf->bytes->data, gltf->bytes->len);
	}
	return stream_close(stream, true, error);
}

static bool write_all(Export *export, const char *path, GError **error)
{
	const Selection *selection = export->selection;
	double times = (double)selection->n_times,
	       bytes = 12.0 * (double)selection->n_vertices * times + 4.0 * times * times;
	if (bytes > MOST_BYTES)
		return error_set(error, CINCH_ERROR_INPUT,
		    "--format gltf: %zu frames of %zu vertices are more than its buffer can hold (2 GB); take fewer "
		    "with --every or --bodies",
		    selection->n_times, selection->n_vertices);
	Gltf gltf = {.export = export, .motion = export_motion_new(export, NULL), .bytes = g_byte_array_new()};
	GString **texts[] = {
	    &gltf.accessors, &gltf.views, &gltf.meshes, &gltf.nodes, &gltf.materials, &gltf.samplers, &gltf.channels};
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
		*texts[i] = g_string_new(NULL);
	add_clock(&gltf);
	bool good = true;
	for (size_t b = 0; good && b < selection->n_bodies; b++)
		good = add_body(&gltf, b, error);
	good = good && write_file(&gltf, path, error);
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
		g_string_free(*texts[i], TRUE);
	g_byte_array_unref(gltf.bytes);
	export_motion_free(gltf.motion);
	return good;
}

const ExportFormat export_gltf = {.name = "gltf",
    .about = "glTF 2.0, one file with a morph target per frame",
    .ending = ".glb",
    .takes_rate = true,
    .write = write_all};

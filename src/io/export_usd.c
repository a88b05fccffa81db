/* USD as text: one stage with a prim per body, whose points (velocities, fields) have a sample per frame. Time codes
 * count the frames; velocities are per second, as renderers want them for motion blur. Lengths stay those of the scene,
 * which the stage names. */
#include "io/export.h"

#include <math.h>
#include <string.h>

typedef struct {
	Export *export;
	Stream *stream;
	double rate; /* [1/s] time codes per second */
	ExportMotion *motion;
	ExportMotion **number; /* (n_attributes) */
	GError **error;
	bool good;
} Usd;

static double code_of(const Usd *usd, size_t k)
{
	return usd->export->selection->time[k] * usd->rate;
}

static bool names_axis(Vec3 up, const char **axis)
{
	*axis = up.z > 1.0 - 1e-9 ? "Z" : "Y";
	return up.z > 1.0 - 1e-9 || up.y > 1.0 - 1e-9;
}

static void write_stage(Usd *usd)
{
	const Export *export = usd->export;
	const char *axis;
	names_axis(origin_up(export->origin), &axis);
	g_autofree char *title =
	    export_quote(export->origin->title[0] ? export->origin->title : export->header->scene_name);
	stream_format(
	    usd->stream, "#usda 1.0\n(\n    defaultPrim = \"run\"\n    doc = %s\n    metersPerUnit = ", title);
	stream_number(usd->stream, 9, export_metres(export));
	stream_format(usd->stream, "\n    upAxis = \"%s\"\n    startTimeCode = ", axis);
	stream_number(usd->stream, 9, code_of(usd, 0));
	stream_text(usd->stream, "\n    endTimeCode = ");
	stream_number(usd->stream, 9, code_of(usd, export->selection->n_times - 1));
	stream_text(usd->stream, "\n    timeCodesPerSecond = ");
	stream_number(usd->stream, 9, usd->rate);
	stream_text(usd->stream, "\n    framesPerSecond = ");
	stream_number(usd->stream, 9, usd->rate);
	stream_text(usd->stream, "\n)\n\n");
}

/* Where up is no axis that a stage can have, all is turned. */
static void write_turn(Usd *usd)
{
	const char *axis;
	double turn[4];
	if (names_axis(origin_up(usd->export->origin), &axis))
		return;
	export_turn(usd->export, turn);
	stream_text(usd->stream, "    quatd xformOp:orient = (");
	for (int i = 0; i < 4; i++) {
		stream_text(usd->stream, i ? ", " : "");
		stream_number(usd->stream, 17, turn[(i + 3) % 4]);
	}
	stream_text(usd->stream, ")\n    uniform token[] xformOpOrder = [\"xformOp:orient\"]\n");
}

static void write_row(Stream *stream, const float *value, size_t width)
{
	for (size_t c = 0; c < width; c++) {
		stream_text(stream, c ? ", " : width > 1 ? "(" : "");
		stream_number(stream, 9, value[c]);
	}
	stream_text(stream, width > 1 ? ")" : "");
}

/* An array of numbers for each time. */
static void write_samples(
    Usd *usd, const ArchiveBody *body, const char *type, const char *name, ExportMotion *motion, size_t width)
{
	stream_format(usd->stream, "        %s %s.timeSamples = {\n", type, name);
	for (size_t k = 0; usd->good && k < usd->export->selection->n_times && stream_good(usd->stream); k++) {
		const float *value = export_motion_at(motion, k, usd->error);
		usd->good = value != NULL;
		stream_text(usd->stream, "            ");
		stream_number(usd->stream, 9, code_of(usd, k));
		stream_text(usd->stream, ": [");
		for (uint32_t i = 0; usd->good && i < body->n_vertices; i++) {
			stream_text(usd->stream, i ? ", " : "");
			write_row(usd->stream, value + width * ((size_t)body->first_vertex + i), width);
		}
		stream_text(usd->stream, "],\n");
	}
	stream_text(usd->stream, "        }\n");
}

/* Renderers ask for the box around the points. */
static void write_extent(Usd *usd, const ArchiveBody *body)
{
	stream_text(usd->stream, "        float3[] extent.timeSamples = {\n");
	for (size_t k = 0; usd->good && k < usd->export->selection->n_times; k++) {
		const float *x = export_motion_at(usd->motion, k, usd->error);
		float box[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
		usd->good = x != NULL;
		for (size_t i = 3 * (size_t)body->first_vertex;
		     usd->good && i < 3 * ((size_t)body->first_vertex + body->n_vertices); i++) {
			box[0][i % 3] = MIN(box[0][i % 3], x[i]);
			box[1][i % 3] = MAX(box[1][i % 3], x[i]);
		}
		stream_text(usd->stream, "            ");
		stream_number(usd->stream, 9, code_of(usd, k));
		stream_text(usd->stream, ": [");
		write_row(usd->stream, box[0], 3);
		stream_text(usd->stream, ", ");
		write_row(usd->stream, box[1], 3);
		stream_text(usd->stream, "],\n");
	}
	stream_text(usd->stream, "        }\n");
}

static void write_visibility(Usd *usd, size_t body)
{
	const Export *export = usd->export;
	if (!export_vanishes(export, body))
		return;
	stream_text(usd->stream, "        token visibility.timeSamples = {\n");
	bool last = false;
	for (size_t k = 0; k < export->selection->n_times; k++) {
		bool shown = export_shows(export, body, k);
		if (k > 0 && shown == last)
			continue;
		stream_text(usd->stream, "            ");
		stream_number(usd->stream, 9, code_of(usd, k));
		stream_format(usd->stream, ": \"%s\",\n", shown ? "inherited" : "invisible");
		last = shown;
	}
	stream_text(usd->stream, "        }\n");
}

static void write_names(Usd *usd, const ArchiveBody *body)
{
	g_autofree char *name = export_quote(body->name), *material = export_quote(body->material);
	stream_format(usd->stream, "        custom string cinch:body = %s\n        custom string cinch:material = %s\n",
	    name, material);
}

static void write_points(Usd *usd, size_t b)
{
	const Export *export = usd->export;
	const ArchiveBody *body = &export->selection->bodies[b];
	write_names(usd, body);
	write_samples(usd, body, "point3f[]", "points", usd->motion, 3);
	write_extent(usd, body);
	for (size_t i = 0; i < export->n_attributes; i++) {
		const ExportAttribute *attribute = &export->attribute[i];
		if (attribute->width == 3) {
			write_samples(usd, body, "vector3f[]", "velocities", usd->number[i], 3);
			continue;
		}
		g_autofree char *primvar = g_strdup_printf("primvars:%s", attribute->name);
		stream_format(
		    usd->stream, "        float[] %s (\n            interpolation = \"vertex\"\n        )\n", primvar);
		write_samples(usd, body, "float[]", primvar, usd->number[i], 1);
	}
	write_visibility(usd, b);
}

static void write_counts(Stream *stream, const char *declaration, const uint32_t *value, size_t n, uint32_t less)
{
	stream_format(stream, "        %s = [", declaration);
	for (size_t i = 0; i < n; i++) {
		stream_text(stream, i ? ", " : "");
		stream_count(stream, value[i] - less);
	}
	stream_text(stream, "]");
}

/* The coordinates of a body's corners; a corner without has 0. */
static void write_textures(Usd *usd, size_t begin, size_t end)
{
	const Faces *faces = usd->export->faces;
	double coordinate[2];
	bool any = false;
	for (size_t c = begin; c < end && !any; c++)
		any = faces_texture(faces, c, coordinate);
	if (!any)
		return;
	stream_text(usd->stream, "        texCoord2f[] primvars:st = [");
	for (size_t c = begin; c < end; c++) {
		if (!faces_texture(faces, c, coordinate))
			coordinate[0] = coordinate[1] = 0.0;
		const float single[2] = {(float)coordinate[0], (float)coordinate[1]};
		stream_text(usd->stream, c > begin ? ", " : "");
		write_row(usd->stream, single, 2);
	}
	stream_text(usd->stream, "] (\n            interpolation = \"faceVarying\"\n        )\n");
}

static bool is_in_group(const char *groups, const char *name)
{
	g_auto(GStrv) words = g_strsplit(groups, " ", -1);
	return g_strv_contains((const char *const *)words, name);
}

/* Each word of the names of groups: a face may be in several. */
static GHashTable *group_words(const Faces *faces, size_t begin, size_t end)
{
	GHashTable *words = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	for (size_t face = begin; face < end; face++) {
		const char *group = faces_group(faces, face);
		if (group == NULL || (face > begin && group == faces_group(faces, face - 1)))
			continue;
		g_auto(GStrv) parts = g_strsplit(group, " ", -1);
		for (char **part = parts; *part != NULL; part++)
			g_hash_table_add(words, g_strdup(*part));
	}
	return words;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void write_groups(Usd *usd, size_t begin, size_t end)
{
	const Faces *faces = usd->export->faces;
	g_autoptr(GHashTable) words = group_words(faces, begin, end);
	guint n = 0;
	g_autofree char **name = (char **)g_hash_table_get_keys_as_array(words, &n);
	qsort(name, n, sizeof *name, compare_names);
	for (guint i = 0; i < n; i++) {
		g_autoptr(GArray) member = g_array_new(false, false, sizeof(uint32_t));
		for (size_t face = begin; face < end; face++) {
			const char *group = faces_group(faces, face);
			uint32_t number = (uint32_t)(face - begin);
			if (group != NULL && is_in_group(group, name[i]))
				g_array_append_val(member, number);
		}
		g_autofree char *prim = g_strcanon(g_strdup(name[i]), G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_", '_');
		g_autofree char *quoted = export_quote(name[i]);
		stream_format(usd->stream,
		    "\n        def GeomSubset \"group_%u_%s\"\n        {\n            custom string cinch:group = %s\n"
		    "            uniform token elementType = \"face\"\n    ",
		    i, prim, quoted);
		write_counts(usd->stream, "int[] indices", (const uint32_t *)(void *)member->data, member->len, 0);
		stream_text(usd->stream, "\n        }\n");
	}
}

static void write_mesh(Usd *usd, size_t b)
{
	const Faces *faces = usd->export->faces;
	uint32_t first = usd->export->selection->bodies[b].first_vertex;
	size_t begin = faces->of_body[b], end = faces->of_body[b + 1];
	const uint32_t *start = (const uint32_t *)(void *)faces->first->data,
	               *corner = (const uint32_t *)(void *)faces->corner->data;
	g_autofree uint32_t *count = g_new(uint32_t, end - begin + 1);
	for (size_t face = begin; face < end; face++)
		count[face - begin] = start[face + 1] - start[face];
	stream_text(
	    usd->stream, "        uniform token subdivisionScheme = \"none\"\n        uniform bool doubleSided = 1\n");
	write_counts(usd->stream, "int[] faceVertexCounts", count, end - begin, 0);
	stream_text(usd->stream, "\n");
	write_counts(usd->stream, "int[] faceVertexIndices", corner + start[begin], start[end] - start[begin], first);
	stream_text(usd->stream, "\n");
	write_textures(usd, start[begin], start[end]);
	write_points(usd, b);
	write_groups(usd, begin, end);
}

/* Radii are for looking: bodies without thickness get a hundredth of their unit of length. */
static void write_widths(Usd *usd, size_t b)
{
	double thickness = usd->export->origin->thickness[usd->export->selection->body[b]];
	stream_text(usd->stream, "        float[] widths = [");
	stream_number(usd->stream, 9, thickness > 0.0 ? thickness : 0.01);
	stream_text(usd->stream, "] (\n            interpolation = \"constant\"\n        )\n");
}

/* Curves own their points one after the other: a loose edge is one curve, and brings its own two. */
static void write_ends(Usd *usd, const ArchiveBody *body, const char *declaration, ExportMotion *motion)
{
	const Selection *selection = usd->export->selection;
	stream_format(usd->stream, "        %s.timeSamples = {\n", declaration);
	for (size_t k = 0; usd->good && k < selection->n_times; k++) {
		const float *value = export_motion_at(motion, k, usd->error);
		usd->good = value != NULL;
		stream_text(usd->stream, "            ");
		stream_number(usd->stream, 9, code_of(usd, k));
		stream_text(usd->stream, ": [");
		for (uint32_t i = 0; usd->good && i < 2 * body->n_edges; i++) {
			stream_text(usd->stream, i ? ", " : "");
			write_row(usd->stream, value + 3 * (size_t)selection->edge[body->first_edge + i / 2][i % 2], 3);
		}
		stream_text(usd->stream, "],\n");
	}
	stream_text(usd->stream, "        }\n");
}

static void write_edges(Usd *usd, size_t b)
{
	const ArchiveBody *body = &usd->export->selection->bodies[b];
	g_autofree uint32_t *two = g_new(uint32_t, body->n_edges + 1);
	for (uint32_t i = 0; i < body->n_edges; i++)
		two[i] = 2;
	stream_text(usd->stream, "        uniform token type = \"linear\"\n");
	write_counts(usd->stream, "int[] curveVertexCounts", two, body->n_edges, 0);
	stream_text(usd->stream, "\n");
	write_names(usd, body);
	write_ends(usd, body, "point3f[] points", usd->motion);
	for (size_t i = 0; i < usd->export->n_attributes; i++)
		if (usd->export->attribute[i].width == 3)
			write_ends(usd, body, "vector3f[] velocities", usd->number[i]);
	write_extent(usd, body);
	write_widths(usd, b);
	write_visibility(usd, b);
}

static void write_particles(Usd *usd, size_t b)
{
	write_points(usd, b);
	write_widths(usd, b);
}

static void write_prim(
    Usd *usd, size_t b, const char *schema, const char *suffix, void (*write_rest)(Usd *usd, size_t b))
{
	g_autofree char *name = export_identifier(usd->export, b);
	stream_format(usd->stream, "\n    def %s \"%s%s\"\n    {\n", schema, name, suffix);
	write_rest(usd, b);
	stream_text(usd->stream, "    }\n");
}

static void write_body(Usd *usd, size_t b)
{
	const ArchiveBody *body = &usd->export->selection->bodies[b];
	if (body->n_triangles > 0)
		write_prim(usd, b, "Mesh", "", write_mesh);
	if (body->n_edges > 0)
		write_prim(usd, b, "BasisCurves", body->n_triangles ? "_edges" : "", write_edges);
	if (body->n_particles > 0)
		write_prim(usd, b, "Points", body->n_triangles || body->n_edges ? "_particles" : "", write_particles);
}

static bool write_all(Export *export, const char *path, GError **error)
{
	const Selection *selection = export->selection;
	Usd usd = {.export = export, .stream = stream_open(path), .error = error, .good = true};
	usd.rate = selection->n_times > 1 ? 1.0 / (selection->time[1] - selection->time[0])
	                                  : 1.0 / export->header->frame_interval;
	usd.motion = export_motion_new(export, NULL);
	usd.number = g_new0(ExportMotion *, export->n_attributes + 1);
	for (size_t i = 0; i < export->n_attributes; i++)
		usd.number[i] = export_motion_new(export, &export->attribute[i]);
	write_stage(&usd);
	stream_text(usd.stream, "def Xform \"run\"\n{\n");
	write_turn(&usd);
	for (size_t b = 0; usd.good && b < selection->n_bodies; b++)
		write_body(&usd, b);
	stream_text(usd.stream, "}\n");
	export_motion_free(usd.motion);
	for (size_t i = 0; i < export->n_attributes; i++)
		export_motion_free(usd.number[i]);
	g_free(usd.number);
	return stream_close(usd.stream, usd.good, error) && usd.good;
}

const ExportFormat export_usd = {.name = "usd",
    .about = "USD as text, one file with a sample per frame",
    .ending = ".usda",
    .holds_numbers = true,
    .takes_rate = true,
    .write = write_all};

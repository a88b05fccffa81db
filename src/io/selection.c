#include "io/selection.h"
#include "core/error.h"
#include "core/vec.h"
#include <string.h>

#define MOST_TIMES 1000000

/* Copies the rows [first, first + n) of elements and counts their vertices anew. */
static void take_elements(
    uint32_t *out, const uint32_t *in, size_t first, size_t n, size_t corners, uint32_t old_first, uint32_t new_first)
{
	for (size_t i = 0; i < n * corners; i++)
		out[i] = in[first * corners + i] - old_first + new_first;
}

static void take_body(Selection *selection, size_t index)
{
	const ArchiveHeader *header = &selection->archive->header;
	const ArchiveBody *from = &header->bodies[index];
	ArchiveBody *body = &selection->bodies[selection->n_bodies];
	*body = *from;
	body->first_vertex = (uint32_t)selection->n_vertices;
	body->first_triangle = (uint32_t)selection->n_triangles;
	body->first_edge = (uint32_t)selection->n_edges;
	body->first_particle = (uint32_t)selection->n_particles;
	uint32_t old_first = from->first_vertex, new_first = body->first_vertex;
	for (uint32_t i = 0; i < from->n_vertices; i++)
		selection->vertex[new_first + i] = old_first + i;
	take_elements((uint32_t *)(selection->triangle + body->first_triangle), (const uint32_t *)header->triangle,
	    from->first_triangle, from->n_triangles, 3, old_first, new_first);
	take_elements((uint32_t *)(selection->edge + body->first_edge), (const uint32_t *)header->edge, from->first_edge,
	    from->n_edges, 2, old_first, new_first);
	take_elements(selection->particle + body->first_particle, header->particle, from->first_particle, from->n_particles,
	    1, old_first, new_first);
	selection->body[selection->n_bodies++] = index;
	selection->n_vertices += from->n_vertices;
	selection->n_triangles += from->n_triangles;
	selection->n_edges += from->n_edges;
	selection->n_particles += from->n_particles;
}

static bool find_body(const ArchiveHeader *header, const char *name, bool *chosen, GError **error)
{
	g_autoptr(GString) names = g_string_new(NULL);
	for (size_t i = 0; i < header->n_bodies; i++) {
		if (strcmp(header->bodies[i].name, name) == 0) {
			chosen[i] = true;
			return true;
		}
		g_string_append_printf(names, "%s%s", i ? ", " : "", header->bodies[i].name);
	}
	return error_set(error, CINCH_ERROR_INPUT, "--bodies: there is no body \"%s\"; there is %s", name, names->str);
}

static bool choose_bodies(Selection *selection, const char *list, GError **error)
{
	const ArchiveHeader *header = &selection->archive->header;
	g_autofree bool *chosen = g_new0(bool, header->n_bodies + 1);
	g_auto(GStrv) names = list ? g_strsplit(list, ",", -1) : NULL;
	for (char **name = names; name && *name; name++)
		if (!find_body(header, g_strstrip(*name), chosen, error))
			return false;
	selection->vertex = g_new(uint32_t, header->n_vertices + 1);
	selection->triangle = (uint32_t(*)[3])g_new(uint32_t, 3 * header->n_triangles + 1);
	selection->edge = (uint32_t(*)[2])g_new(uint32_t, 2 * header->n_edges + 1);
	selection->particle = g_new(uint32_t, header->n_particles + 1);
	selection->bodies = g_new0(ArchiveBody, header->n_bodies + 1);
	selection->body = g_new0(size_t, header->n_bodies + 1);
	for (size_t i = 0; i < header->n_bodies; i++)
		if (list == NULL || chosen[i])
			take_body(selection, i);
	selection->rest = g_new(double, 3 * selection->n_vertices + 1);
	for (size_t i = 0; i < selection->n_vertices; i++)
		memcpy(selection->rest + 3 * i, header->rest + 3 * (size_t)selection->vertex[i], 3 * sizeof(double));
	return true;
}

size_t selection_frame_at(const Archive *archive, double time)
{
	size_t low = 0, high = archive->n_frames;
	while (low + 1 < high) {
		size_t middle = (low + high) / 2;
		if (archive->time[middle] <= time)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static bool choose_times(Selection *selection, const SelectionOptions *options, GError **error)
{
	const Archive *archive = selection->archive;
	if (archive->n_frames == 0)
		return error_set(error, CINCH_ERROR_INPUT, "the archive has no frames yet");
	double first = archive->time[0], last = archive->time[archive->n_frames - 1];
	double from = isnan(options->from) ? first : options->from, to = isnan(options->to) ? last : options->to;
	if (!(from <= to) || from > last || to < first)
		return error_set(error, CINCH_ERROR_INPUT,
		    "from %g to %g s: expected times that are in order and not outside of the archive's, %g to %g s", from, to,
		    first, last);
	size_t every = MAX(options->every, 1);
	GArray *times = g_array_new(false, false, sizeof(double));
	if (isnan(options->rate)) {
		for (size_t k = 0, counted = 0; k < archive->n_frames; k++)
			if (archive->time[k] >= from && archive->time[k] <= to && counted++ % every == 0)
				g_array_append_val(times, archive->time[k]);
	} else {
		/* A multiple of the interval that misses the end by rounding is still one. */
		double begin = fmax(from, first), end = fmin(to, last) * (1.0 + 1e-12);
		double count = (end - begin) * options->rate;
		for (size_t k = 0; k <= (size_t)fmin(count, MOST_TIMES); k += every) {
			double time = fmin(begin + (double)k / options->rate, last);
			g_array_append_val(times, time);
		}
	}
	for (guint i = 0; i < times->len; i++) {
		double time = g_array_index(times, double, i);
		selection->interpolated |= archive->time[selection_frame_at(archive, time)] != time;
	}
	selection->n_times = times->len;
	selection->time = (double *)(void *)g_array_free(times, false);
	return selection->n_times > 0 ||
	       error_set(error, CINCH_ERROR_INPUT, "from %g to %g s: there is no frame between these times", from, to);
}

Selection *selection_new(Archive *archive, const SelectionOptions *options, GError **error)
{
	Selection *selection = g_new0(Selection, 1);
	selection->archive = archive;
	selection->whole = g_new(double, 3 * archive->header.n_vertices + 1);
	selection->between = g_new(double, 3 * archive->header.n_vertices + 1);
	if (choose_bodies(selection, options->bodies, error) && choose_times(selection, options, error))
		return selection;
	selection_free(selection);
	return NULL;
}

void selection_free(Selection *selection)
{
	if (selection == NULL)
		return;
	g_free(selection->vertex);
	g_free(selection->triangle);
	g_free(selection->edge);
	g_free(selection->particle);
	g_free(selection->bodies);
	g_free(selection->body);
	g_free(selection->rest);
	g_free(selection->time);
	g_free(selection->whole);
	g_free(selection->between);
	g_free(selection);
}

typedef bool (*ReadFrame)(Archive *archive, size_t field, size_t frame, double *out, GError **error);

static bool read_positions(Archive *archive, size_t field, size_t frame, double *out, GError **error)
{
	(void)field;
	return archive_read_positions(archive, frame, out, error);
}

static bool read_velocities(Archive *archive, size_t field, size_t frame, double *out, GError **error)
{
	(void)field;
	return archive_read_velocities(archive, frame, out, error);
}

/* `width` numbers per vertex at any time, of the vertices of the selection. */
static bool read_at(
    Selection *selection, ReadFrame read, size_t field, size_t width, double time, double *out, GError **error)
{
	Archive *archive = selection->archive;
	size_t frame = selection_frame_at(archive, time);
	if (!read(archive, field, frame, selection->whole, error))
		return false;
	double share = 0.0;
	if (time > archive->time[frame] && frame + 1 < archive->n_frames) {
		share = (time - archive->time[frame]) / (archive->time[frame + 1] - archive->time[frame]);
		if (!read(archive, field, frame + 1, selection->between, error))
			return false;
	}
	for (size_t i = 0; i < selection->n_vertices; i++) {
		const double *a = selection->whole + width * selection->vertex[i],
		             *b = selection->between + width * selection->vertex[i];
		for (size_t c = 0; c < width; c++)
			out[width * i + c] = share > 0.0 ? (1.0 - share) * a[c] + share * b[c] : a[c];
	}
	return true;
}

bool selection_positions_at(Selection *selection, double time, double *out, GError **error)
{
	return read_at(selection, read_positions, 0, 3, time, out, error);
}

bool selection_positions(Selection *selection, size_t k, double *out, GError **error)
{
	return selection_positions_at(selection, selection->time[k], out, error);
}

bool selection_velocities(Selection *selection, size_t k, double *out, GError **error)
{
	return read_at(selection, read_velocities, 0, 3, selection->time[k], out, error);
}

static bool measure_speed(Selection *selection, double time, double *out, GError **error)
{
	g_autofree double *v = g_new(double, 3 * selection->n_vertices + 1);
	if (!read_at(selection, read_velocities, 0, 3, time, v, error))
		return false;
	for (size_t i = 0; i < selection->n_vertices; i++)
		out[i] = vec3_norm(vec3(v[3 * i], v[3 * i + 1], v[3 * i + 2]));
	return true;
}

static Vec3 at(const double *x, uint32_t vertex)
{
	return vec3(x[3 * (size_t)vertex], x[3 * (size_t)vertex + 1], x[3 * (size_t)vertex + 2]);
}

/* The largest stretch or compression of a triangle in any direction: |lambda - 1|, with lambda^2 the eigenvalues of
 * C = F^T F, where F takes the rest shape in its own plane to where it is now. */
static double triangle_strain(const double *rest, const double *x, const uint32_t t[3])
{
	Vec3 e = vec3_sub(at(rest, t[1]), at(rest, t[0])), f = vec3_sub(at(rest, t[2]), at(rest, t[0]));
	Vec3 a = vec3_sub(at(x, t[1]), at(x, t[0])), b = vec3_sub(at(x, t[2]), at(x, t[0]));
	double length = vec3_norm(e);
	double along = length > 0.0 ? vec3_dot(e, f) / length : 0.0;
	double across = vec3_norm(vec3_madd(f, length > 0.0 ? -along / length : 0.0, e));
	if (length == 0.0 || across == 0.0)
		return 0.0;
	Vec3 u = vec3_scale(1.0 / length, a), v = vec3_scale(1.0 / across, vec3_madd(b, -along, u));
	double cuu = vec3_dot(u, u), cuv = vec3_dot(u, v), cvv = vec3_dot(v, v);
	double mean = 0.5 * (cuu + cvv), radius = sqrt(0.25 * (cuu - cvv) * (cuu - cvv) + cuv * cuv);
	return fmax(fabs(sqrt(mean + radius) - 1.0), fabs(sqrt(fmax(mean - radius, 0.0)) - 1.0));
}

static double edge_strain(const double *rest, const double *x, const uint32_t e[2])
{
	double length = vec3_distance(at(rest, e[0]), at(rest, e[1]));
	return length > 0.0 ? fabs(vec3_distance(at(x, e[0]), at(x, e[1])) / length - 1.0) : 0.0;
}

/* Of a vertex: the mean over its elements. */
static bool measure_strain(Selection *selection, double time, double *out, GError **error)
{
	size_t n = selection->n_vertices;
	g_autofree double *x = g_new(double, 3 * n + 1);
	g_autofree uint32_t *count = g_new0(uint32_t, n + 1);
	if (!selection_positions_at(selection, time, x, error))
		return false;
	memset(out, 0, n * sizeof *out);
	for (size_t i = 0; i < selection->n_triangles; i++)
		for (int c = 0; c < 3; c++) {
			out[selection->triangle[i][c]] += triangle_strain(selection->rest, x, selection->triangle[i]);
			count[selection->triangle[i][c]]++;
		}
	for (size_t i = 0; i < selection->n_edges; i++)
		for (int c = 0; c < 2; c++) {
			out[selection->edge[i][c]] += edge_strain(selection->rest, x, selection->edge[i]);
			count[selection->edge[i][c]]++;
		}
	for (size_t i = 0; i < n; i++)
		out[i] /= MAX(count[i], 1);
	return true;
}

/* What is computed here; no unit stands for that of a speed. */
static const struct {
	SelectionField field;
	bool (*measure)(Selection *selection, double time, double *out, GError **error);
} computed[] = {
    {{"speed", NULL, "speed"}, measure_speed},
    {{"strain", "", "largest strain, mean over the elements"}, measure_strain},
};

GArray *selection_fields(const Selection *selection)
{
	const ArchiveHeader *header = &selection->archive->header;
	bool is_cgs = strcmp(header->length_unit, "cm") == 0;
	GArray *fields = g_array_new(false, true, sizeof(SelectionField));
	for (size_t i = 0; i < G_N_ELEMENTS(computed); i++) {
		SelectionField field = computed[i].field;
		if (field.unit == NULL)
			field.unit = is_cgs ? "cm/s" : "m/s";
		g_array_append_val(fields, field);
	}
	for (size_t i = 0; i < header->n_fields; i++) {
		SelectionField field = {header->fields[i].name, header->fields[i].unit, header->fields[i].about};
		if (header->fields[i].shape == ARCHIVE_FIELD_VERTEX)
			g_array_append_val(fields, field);
	}
	return fields;
}

bool selection_field_at(Selection *selection, const char *name, double time, double *out, GError **error)
{
	for (size_t i = 0; i < G_N_ELEMENTS(computed); i++)
		if (strcmp(computed[i].field.name, name) == 0)
			return computed[i].measure(selection, time, out, error);
	int field = archive_field(&selection->archive->header, name, ARCHIVE_FIELD_VERTEX);
	if (field >= 0)
		return read_at(selection, archive_read_field, (size_t)field, 1, time, out, error);
	g_autoptr(GArray) fields = selection_fields(selection);
	g_autoptr(GString) names = g_string_new(NULL);
	for (guint i = 0; i < fields->len; i++)
		g_string_append_printf(names, "%s%s", i ? ", " : "", g_array_index(fields, SelectionField, i).name);
	return error_set(error, CINCH_ERROR_INPUT, "\"%s\": the archive has no such field of vertices; it has %s", name,
	    names->str);
}

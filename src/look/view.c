#include "look/view.h"
#include "io/origin.h"
#include "look/colour.h"
#include "look/model.h"
#include "look/page.h"
#include "look/plots.h"
#include "look/studio.h"
#include "look/survey.h"
#include <math.h>
#include <string.h>

enum { MOST_PLOT_POINTS = 1500, PAIR_WIDTH = 9 };
#define ROOM 3e6 /* [byte] for the libraries, the mesh and the plots of a usual page */

typedef struct {
	Selection *selection;
	const ArchiveHeader *header;
	Origin *origin;
	Survey *survey;
	Model *model;
	GArray *fields;     /* SelectionField */
	GArray *times;      /* double [s]: those that the page has */
	Vec3 low, span;     /* the box that positions are parts of */
	int pairs;          /* index of the archive's list of pairs, or -1 */
	GString *notes;
	GString *json;
} View;

static void add_key(View *view, const char *key)
{
	g_string_append_printf(view->json, ",\n\"%s\":", key);
}

static void add_vector(View *view, const char *key, Vec3 value)
{
	add_key(view, key);
	const double numbers[3] = {value.x, value.y, value.z};
	for (int c = 0; c < 3; c++) {
		g_string_append_c(view->json, c ? ',' : '[');
		page_add_number(view->json, numbers[c]);
	}
	g_string_append_c(view->json, ']');
}

static void add_scalar(View *view, const char *key, double value)
{
	add_key(view, key);
	page_add_number(view->json, value);
}

static void add_numbers(GString *json, const double *value, size_t n, size_t stride)
{
	g_string_append_c(json, '[');
	for (size_t k = 0; k < n; k += stride) {
		if (k > 0)
			g_string_append_c(json, ',');
		page_add_number(json, value[k]);
	}
	g_string_append_c(json, ']');
}

/* A number's place in its range, in so many steps. */
static unsigned part_of(double value, double low, double span, unsigned steps)
{
	double share = span > 0.0 ? (value - low) / span : 0.0;
	return share > 0.0 ? (unsigned)lrint(fmin(share, 1.0) * steps) : 0;
}

/* As many frames as fit. */
static void choose_times(View *view, double most_bytes)
{
	const Selection *selection = view->selection;
	double frame_bytes = (double)selection->n_vertices * (6.0 + view->fields->len);
	if (view->pairs >= 0)
		frame_bytes += 12.0 * view->header->fields[view->pairs].rows;
	double most = fmax((most_bytes - ROOM) / (frame_bytes * 4.0 / 3.0), 2.0);
	size_t stride = (size_t)ceil((double)selection->n_times / most);
	for (size_t k = 0; k < selection->n_times; k += stride)
		g_array_append_val(view->times, selection->time[k]);
	if (stride > 1)
		g_string_append_printf(view->notes, "The page has one in %zu of %zu frames, to stay below %.0f MB. ", stride,
		    selection->n_times, most_bytes / 1e6);
	if (selection->interpolated)
		g_string_append(view->notes, "Frames between those of the archive are interpolated. ");
	g_string_append_printf(view->notes,
	    "Positions are rounded to %.2g %s, fields to 1/255 of their range; between frames the page interpolates.",
	    fmax(fmax(view->span.x, view->span.y), view->span.z) / 65535.0, view->header->length_unit);
}

/* The box around all frames that the page may show. */
static bool find_box(View *view, GError **error)
{
	Selection *selection = view->selection;
	Vec3 low = vec3(INFINITY, INFINITY, INFINITY), high = vec3(-INFINITY, -INFINITY, -INFINITY);
	g_autofree double *x = g_new(double, 3 * selection->n_vertices + 1);
	for (size_t k = 0; k < selection->n_times; k++) {
		if (!selection_positions(selection, k, x, error))
			return false;
		for (size_t i = 0; i < selection->n_vertices; i++) {
			low = vec3(fmin(low.x, x[3 * i]), fmin(low.y, x[3 * i + 1]), fmin(low.z, x[3 * i + 2]));
			high = vec3(fmax(high.x, x[3 * i]), fmax(high.y, x[3 * i + 1]), fmax(high.z, x[3 * i + 2]));
		}
	}
	if (selection->n_vertices == 0)
		low = high = vec3(0, 0, 0);
	view->low = low;
	view->span = vec3_sub(high, low);
	return true;
}

static void add_position(View *view, uint16_t *out, const double *x)
{
	out[0] = (uint16_t)part_of(x[0], view->low.x, view->span.x, 65535);
	out[1] = (uint16_t)part_of(x[1], view->low.y, view->span.y, 65535);
	out[2] = (uint16_t)part_of(x[2], view->low.z, view->span.z, 65535);
}

static bool add_motion(View *view, GError **error)
{
	Selection *selection = view->selection;
	size_t n = selection->n_vertices;
	g_autofree double *x = g_new(double, 3 * n + 1);
	g_autofree uint16_t *packed = g_new(uint16_t, 3 * n * view->times->len + 1);
	for (guint k = 0; k < view->times->len; k++) {
		if (!selection_positions_at(selection, g_array_index(view->times, double, k), x, error))
			return false;
		for (size_t i = 0; i < n; i++)
			add_position(view, packed + 3 * (k * n + i), x + 3 * i);
	}
	add_key(view, "position");
	page_add_bytes(view->json, packed, 3 * n * view->times->len * sizeof *packed);
	return true;
}

static bool add_field(View *view, const SelectionField *field, GError **error)
{
	Selection *selection = view->selection;
	size_t n = selection->n_vertices;
	double low, high;
	if (!survey_field(selection, field->name, &low, &high, error))
		return false;
	g_autofree double *value = g_new(double, n + 1);
	g_autofree uint8_t *packed = g_malloc(n * view->times->len + 1);
	for (guint k = 0; k < view->times->len; k++) {
		if (!selection_field_at(selection, field->name, g_array_index(view->times, double, k), value, error))
			return false;
		for (size_t i = 0; i < n; i++)
			packed[k * n + i] = (uint8_t)part_of(value[i], low, high - low, 255);
	}
	g_string_append(view->json, "{\"name\":");
	page_add_json(view->json, field->name);
	g_string_append(view->json, ",\"unit\":");
	page_add_json(view->json, field->unit);
	add_scalar(view, "low", low);
	add_scalar(view, "high", high);
	add_key(view, "data");
	page_add_bytes(view->json, packed, n * view->times->len);
	g_string_append_c(view->json, '}');
	return true;
}

static bool add_fields(View *view, GError **error)
{
	add_key(view, "fields");
	g_string_append_c(view->json, '[');
	for (guint i = 0; i < view->fields->len; i++) {
		if (i > 0)
			g_string_append_c(view->json, ',');
		if (!add_field(view, &g_array_index(view->fields, SelectionField, i), error))
			return false;
	}
	g_string_append_c(view->json, ']');
	return true;
}

/* Of the archive's frame nearest before each time: how many there are up to it, and both points of each. */
static bool add_pairs(View *view, GError **error)
{
	if (view->pairs < 0) {
		add_key(view, "pairs");
		g_string_append(view->json, "null");
		return true;
	}
	Archive *archive = view->selection->archive;
	size_t size = archive_field_size(view->header, (size_t)view->pairs);
	g_autofree double *row = g_new(double, size + 1), *first = g_new0(double, view->times->len + 1);
	g_autoptr(GArray) points = g_array_new(false, false, sizeof(uint16_t));
	for (guint k = 0; k < view->times->len; k++) {
		size_t frame = selection_frame_at(archive, g_array_index(view->times, double, k));
		if (!archive_read_field(archive, (size_t)view->pairs, frame, row, error))
			return false;
		for (size_t i = 0; i < size && isfinite(row[i]); i += PAIR_WIDTH) {
			uint16_t ends[6];
			add_position(view, ends, row + i);
			add_position(view, ends + 3, row + i + 3);
			g_array_append_vals(points, ends, 6);
		}
		first[k + 1] = points->len / 6;
	}
	add_key(view, "pairs");
	g_string_append(view->json, "{\"first\":");
	add_numbers(view->json, first, view->times->len + 1, 1);
	g_string_append(view->json, ",\"points\":");
	page_add_bytes(view->json, points->data, points->len * sizeof(uint16_t));
	g_string_append_c(view->json, '}');
	return true;
}

/* Faces count points that are not shared across creases; `source` says which vertex each is. */
static void add_mesh(View *view)
{
	const Selection *selection = view->selection;
	const Model *model = view->model;
	g_autofree uint32_t *face = g_new(uint32_t, 3 * model->n_mesh + 1), *source = g_new0(uint32_t, model->n_smooth + 1);
	for (size_t i = 0; i < model->n_mesh; i++)
		for (int c = 0; c < 3; c++) {
			face[3 * i + (size_t)c] = model->face[i].normal[c];
			source[model->face[i].normal[c]] = model->face[i].point[c];
		}
	const struct {
		const char *key;
		const void *data;
		size_t n;
	} tables[] = {{"face", face, 3 * model->n_mesh}, {"source", source, model->n_smooth},
	    {"edge", selection->edge, 2 * selection->n_edges}, {"particle", selection->particle, selection->n_particles}};
	for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
		add_key(view, tables[i].key);
		page_add_bytes(view->json, tables[i].data, tables[i].n * sizeof(uint32_t));
	}
}

/* The points of a body's faces are one after the other, as its vertices are. */
static void add_body(View *view, size_t b, uint32_t colour)
{
	const Selection *selection = view->selection;
	const Model *model = view->model;
	const ArchiveBody *body = &selection->bodies[b];
	uint32_t least = UINT32_MAX, most = 0;
	for (uint32_t i = 0; i < body->n_triangles; i++)
		for (int c = 0; c < 3; c++) {
			least = MIN(least, model->face[body->first_triangle + i].normal[c]);
			most = MAX(most, model->face[body->first_triangle + i].normal[c]);
		}
	double thickness = view->origin->thickness[selection->body[b]];
	double removed = view->header->removed ? view->header->removed[selection->body[b]] : INFINITY;
	g_string_append(view->json, b ? ",\n{\"name\":" : "\n{\"name\":");
	page_add_json(view->json, body->name);
	g_string_append_printf(view->json,
	    ",\"colour\":%u,\"held\":%s,\"firstFace\":%u,\"faces\":%u,\"firstPoint\":%u,\"points\":%u,\"firstEdge\":%u,"
	    "\"edges\":%u,\"firstParticle\":%u,\"particles\":%u",
	    colour, colour_is_held(selection, b) ? "true" : "false", body->first_triangle, body->n_triangles,
	    body->n_triangles ? least : 0, body->n_triangles ? most - least + 1 : 0, body->first_edge, body->n_edges,
	    body->first_particle, body->n_particles);
	add_scalar(view, "tube", model_tube_radius(thickness, 2.0 * view->survey->radius));
	add_scalar(view, "ball", model_ball_radius(thickness, 2.0 * view->survey->radius));
	add_scalar(view, "removed", fmin(removed, 1e300));
	g_string_append_c(view->json, '}');
}

static void add_bodies(View *view)
{
	g_autofree uint32_t *colours = colour_bodies(view->selection);
	add_key(view, "bodies");
	g_string_append_c(view->json, '[');
	for (size_t b = 0; b < view->selection->n_bodies; b++)
		add_body(view, b, colours[b]);
	g_string_append_c(view->json, ']');
}

static bool add_plots(View *view, GError **error)
{
	Archive *archive = view->selection->archive;
	g_autoptr(GPtrArray) plots = plots_of(archive, error);
	if (plots == NULL)
		return false;
	size_t stride = 1 + archive->n_frames / MOST_PLOT_POINTS;
	add_key(view, "plotTime");
	add_numbers(view->json, archive->time, archive->n_frames, stride);
	add_key(view, "plots");
	for (guint i = 0; i < plots->len; i++) {
		const Plot *plot = plots->pdata[i];
		g_string_append(view->json, i ? ",\n{\"title\":" : "[\n{\"title\":");
		page_add_json(view->json, plot->title);
		g_string_append(view->json, ",\"unit\":");
		page_add_json(view->json, plot->unit);
		g_string_append_printf(view->json, ",\"log\":%s,\"series\":", plot->logarithmic ? "true" : "false");
		for (guint k = 0; k < plot->series->len; k++) {
			const PlotSeries *series = plot->series->pdata[k];
			g_string_append(view->json, k ? ",{\"name\":" : "[{\"name\":");
			page_add_json(view->json, series->name);
			g_string_append(view->json, ",\"values\":");
			add_numbers(view->json, series->value, archive->n_frames, stride);
			g_string_append_c(view->json, '}');
		}
		g_string_append(view->json, "]}");
	}
	g_string_append(view->json, plots->len ? "]" : "[]");
	return true;
}

static void add_stage(View *view)
{
	const Survey *survey = view->survey;
	StudioView look = studio_view(survey);
	g_string_append_printf(view->json, "{\"vertices\":%zu", view->selection->n_vertices);
	add_key(view, "time");
	add_numbers(view->json, (const double *)(void *)view->times->data, view->times->len, 1);
	add_vector(view, "low", view->low);
	add_vector(view, "span", view->span);
	add_vector(view, "up", survey->up);
	add_vector(view, "front", survey->front);
	add_vector(view, "centre", survey->centre);
	add_scalar(view, "radius", survey->radius);
	add_scalar(view, "lowest", survey->lowest);
	add_scalar(view, "azimuth", look.azimuth);
	add_scalar(view, "elevation", look.elevation);
	add_key(view, "ground");
	g_string_append(view->json, vec3_is_zero(view->origin->gravity) ? "false" : "true");
	add_key(view, "stops");
	for (int i = 0; i < COLOUR_STOPS; i++)
		g_string_append_printf(view->json, "%c%u", i ? ',' : '[', colour_stops[i]);
	g_string_append_c(view->json, ']');
}

static bool add_all(View *view, GError **error)
{
	add_stage(view);
	add_mesh(view);
	add_bodies(view);
	bool good = add_motion(view, error) && add_fields(view, error) && add_pairs(view, error) && add_plots(view, error);
	g_string_append_c(view->json, '}');
	return good;
}

static GString *fill(const View *view, const char *name, GError **error)
{
	g_autofree char *three = page_library(PAGE_THREE, error);
	g_autofree char *controls = three ? page_library(PAGE_CONTROLS, error) : NULL;
	g_autofree char *chart = controls ? page_library(PAGE_CHART, error) : NULL;
	if (chart == NULL)
		return NULL;
	const Archive *archive = view->selection->archive;
	g_autofree char *about = g_strdup_printf("%s: %zu vertices, %zu triangles, %zu frames to t = %.6g s; scene %s, Cinch %s%s", name,
	    view->header->n_vertices, view->header->n_triangles, archive->n_frames, archive->time[archive->n_frames - 1],
	    view->header->scene_name, view->header->version, archive->complete ? "" : "; the run has not come to its end");
	g_autofree char *title = page_escape(view->origin->title[0] ? view->origin->title : name);
	g_autofree char *safe_about = page_escape(about), *notes = page_escape(view->notes->str);
	const char *pairs[] = {"title", title, "about", safe_about, "notes", notes, "style", page_part("view.css"), "three",
	    three, "controls", controls, "chart", chart, "data", view->json->str, "script", page_part("view.js"), NULL};
	return page_fill(page_part("view.html"), pairs);
}

GString *view_page(Selection *selection, const char *name, double most_bytes, GError **error)
{
	View view = {.selection = selection, .header = &selection->archive->header};
	GString *page = NULL;
	view.origin = origin_of(view.header);
	view.survey = survey_new(selection, view.origin, NAN, error);
	view.fields = selection_fields(selection);
	view.times = g_array_new(false, false, sizeof(double));
	view.notes = g_string_new(NULL);
	view.json = g_string_new(NULL);
	view.pairs = archive_field(view.header, "pairs", ARCHIVE_FIELD_LIST);
	if (view.pairs >= 0 && view.header->fields[view.pairs].width != PAIR_WIDTH)
		view.pairs = -1;
	if (view.survey != NULL && find_box(&view, error)) {
		view.model = model_new(selection, view.origin, 2.0 * view.survey->radius);
		choose_times(&view, most_bytes);
		if (add_all(&view, error))
			page = fill(&view, name, error);
	}
	origin_free(view.origin);
	survey_free(view.survey);
	model_free(view.model);
	g_array_unref(view.fields);
	g_array_unref(view.times);
	g_string_free(view.notes, TRUE);
	g_string_free(view.json, TRUE);
	return page;
}

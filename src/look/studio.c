#include "look/studio.h"
#include "core/error.h"
#include "look/camera.h"
#include "look/colour.h"
#include "look/light.h"
#include "look/model.h"
#include "look/render.h"
#include "look/survey.h"
#include "look/text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TURN_COPIES = 16, TURN_POINTS = 20000, MOST_LOOKS = 200, PAIR_WIDTH = 9 };
#define FIELD_OF_VIEW 24.0  /* [degrees] */
#define ASIDE 28.0          /* [degrees] from straight on: depth shows */
#define LEAST_ELEVATION 12.0
#define MOST_ELEVATION 34.0
#define AROUND 1.7          /* times the extent of what is in focus, so that its surroundings are seen */
#define LEAST_EXTENT 0.04   /* of the radius of the scene, that a focus has at least */
#define PLACE_EXTENT 0.2    /* of the scene's radius, around a place in focus */
#define BELOW 0.002         /* of the radius, that the floor is below what is lowest */

struct Studio {
	Selection *selection;
	StudioOptions options;
	char *colour;
	SelectionField field; /* what colours stand for; no name: bodies */
	double low, high;
	Origin *origin;
	Survey *survey;
	Model *model;
	Light *light;
	CameraView view;
	Camera camera;       /* of no turn */
	GArray *framing;     /* Vec3: points that must be in the picture */
	Colour *body;        /* (bodies) */
	bool *plain;         /* (bodies) held ones: a field is of interest on the others, and their faces may be large */
	double *position;    /* [length] (n_vertices, 3) of the frame under way */
	double *value;       /* (n_vertices) */
	float *share;        /* (n_vertices) 0 to 1 on the scale */
};

StudioView studio_view(const Survey *survey)
{
	if (survey->flat)
		return (StudioView){0.0, 0.0};
	return (StudioView){ASIDE, LEAST_ELEVATION + (MOST_ELEVATION - LEAST_ELEVATION) * survey->upward};
}

/* Where the legend of a field is on the picture [pixels]. */
typedef struct {
	double text;      /* height of letters */
	double right;     /* of the bar of colours */
	int left, top, bottom;
	double aside;     /* what the legend takes of the width */
} Legend;

static Legend legend_place(int width, int height)
{
	double text = fmax(0.016 * height, 8.0), number = 1.9 * text + text_width(text, "0.00123");
	double right = width - fmax(0.04 * width + 5.0 * text, number);
	int left = (int)(right - 1.4 * text);
	return (Legend){text, right, left, (int)(0.18 * height), (int)(0.72 * height), width - left + text};
}

static void choose_view(Studio *studio)
{
	const StudioOptions *options = &studio->options;
	const Survey *survey = studio->survey;
	StudioView best = studio_view(survey);
	studio->view = (CameraView){
	    .vertical = survey->up,
	    .front = survey->front,
	    .azimuth = isnan(options->azimuth) ? best.azimuth : options->azimuth,
	    .elevation = isnan(options->elevation) ? best.elevation : options->elevation,
	    .zoom = options->zoom,
	    .angle = FIELD_OF_VIEW,
	    .width = options->width,
	    .height = options->height,
	    .aside = studio->field.name ? legend_place(options->width, options->height).aside : 0.0,
	};
}

/* Both points of all pairs in contact in a frame. */
static bool add_pairs(Studio *studio, size_t field, size_t frame, GArray *points, GError **error)
{
	Archive *archive = studio->selection->archive;
	size_t n = archive_field_size(&archive->header, field);
	g_autofree double *row = g_new(double, n + 1);
	if (!archive_read_field(archive, field, frame, row, error))
		return false;
	for (size_t i = 0; i + PAIR_WIDTH <= n && isfinite(row[i]); i += PAIR_WIDTH)
		for (size_t end = 0; end < 6; end += 3) {
			Vec3 place = vec3(row[i + end], row[i + end + 1], row[i + end + 2]);
			g_array_append_val(points, place);
		}
	return true;
}

/* Of the frame that alone is looked at, or the last before it with contact; else of the whole motion. */
static bool find_contact(Studio *studio, GArray *points, GError **error)
{
	const Archive *archive = studio->selection->archive;
	int field = archive_field(&archive->header, "pairs", ARCHIVE_FIELD_LIST);
	bool fits = field >= 0 && archive->header.fields[field].width == PAIR_WIDTH, single = !isnan(studio->options.only);
	size_t last = single ? selection_frame_at(archive, studio->options.only) : archive->n_frames - 1;
	size_t stride = single ? 1 : 1 + archive->n_frames / MOST_LOOKS;
	for (size_t k = 0; fits && k <= last && !(single && points->len > 0); k += stride)
		if (!add_pairs(studio, (size_t)field, last - k, points, error))
			return false;
	return points->len > 0 ||
	       error_set(error, CINCH_ERROR_INPUT, "--focus contact: nothing is in contact there, or the archive does not tell where");
}

/* What is around points, that far from their middle. */
static void widen(GArray *points, double factor)
{
	Vec3 middle = vec3(0, 0, 0);
	for (guint i = 0; i < points->len; i++)
		middle = vec3_madd(middle, 1.0 / points->len, g_array_index(points, Vec3, i));
	for (guint i = 0; i < points->len; i++) {
		Vec3 *place = &g_array_index(points, Vec3, i);
		*place = vec3_madd(middle, factor, vec3_sub(*place, middle));
	}
}

static void add_ball(GArray *points, Vec3 centre, double radius)
{
	for (int i = 0; i < 6; i++) {
		double sign = i % 2 ? radius : -radius;
		Vec3 place = vec3_add(centre, vec3(i / 2 == 0 ? sign : 0, i / 2 == 1 ? sign : 0, i / 2 == 2 ? sign : 0));
		g_array_append_val(points, place);
	}
}

static bool choose_framing(Studio *studio, GError **error)
{
	const Survey *survey = studio->survey;
	const char *focus = studio->options.focus;
	double x, y, z;
	int length = 0;
	if (focus == NULL) {
		studio->framing = g_array_ref(survey->point);
		return true;
	}
	studio->framing = g_array_new(false, false, sizeof(Vec3));
	if (strcmp(focus, "contact") == 0) {
		if (!find_contact(studio, studio->framing, error))
			return false;
		widen(studio->framing, AROUND);
		add_ball(studio->framing, g_array_index(studio->framing, Vec3, 0), LEAST_EXTENT * survey->radius);
		return true;
	}
	if (sscanf(focus, "%lf,%lf,%lf%n", &x, &y, &z, &length) != 3 || focus[length] != '\0')
		return error_set(error, CINCH_ERROR_INPUT, "--focus %s: expected contact, or a place X,Y,Z", focus);
	add_ball(studio->framing, vec3(x, y, z), PLACE_EXTENT * survey->radius);
	return true;
}

/* For a camera that goes around: what the points sweep when they turn instead, so that its distance stays the same. */
static void spread_points(Studio *studio)
{
	const Survey *survey = studio->survey;
	g_autoptr(GArray) still = studio->framing;
	size_t stride = 1 + still->len / TURN_POINTS;
	Vec3 centre = vec3(0, 0, 0);
	for (guint i = 0; i < still->len; i++)
		centre = vec3_madd(centre, 1.0 / still->len, g_array_index(still, Vec3, i));
	if (studio->options.focus == NULL)
		centre = survey->centre;
	GArray *points = g_array_new(false, false, sizeof(Vec3));
	for (guint i = 0; i < still->len; i += (guint)stride) {
		Vec3 d = vec3_sub(g_array_index(still, Vec3, i), centre);
		Vec3 level = vec3_madd(d, -vec3_dot(d, survey->up), survey->up), side = vec3_cross(survey->up, level);
		Vec3 base = vec3_sub(vec3_add(centre, d), level);
		for (int k = 0; k < TURN_COPIES; k++) {
			double angle = 2.0 * G_PI * k / TURN_COPIES;
			Vec3 turned = vec3_add(base, vec3_madd(vec3_scale(cos(angle), level), sin(angle), side));
			g_array_append_val(points, turned);
		}
	}
	studio->framing = points;
}

static Camera aim(const Studio *studio, double turn)
{
	CameraView view = studio->view;
	view.azimuth += turn;
	return camera_frame(&view, (const Vec3 *)(void *)studio->framing->data, studio->framing->len);
}

static void light_up(Studio *studio)
{
	const Survey *survey = studio->survey;
	Camera camera = aim(studio, 0.0);
	Vec3 level = vec3_unit(vec3_sub(camera.back, vec3_scale(vec3_dot(camera.back, survey->up), survey->up)));
	Vec3 lamp = vec3_madd(vec3_madd(survey->up, -0.95, camera.right), 0.3, level);
	LightPlan plan = {survey->centre, 1.02 * survey->radius, survey->up, vec3_unit(lamp), studio->options.quality};
	studio->light = light_new(&plan);
}

static bool choose_colours(Studio *studio, GError **error)
{
	Selection *selection = studio->selection;
	const StudioOptions *options = &studio->options;
	g_autofree uint32_t *bodies = colour_bodies(selection);
	studio->body = g_new(Colour, selection->n_bodies + 1);
	for (size_t b = 0; b < selection->n_bodies; b++)
		studio->body[b] = colour_of_bytes(bodies[b]);
	studio->plain = g_new(bool, selection->n_bodies + 1);
	for (size_t b = 0; b < selection->n_bodies; b++)
		studio->plain[b] = colour_is_held(selection, b);
	if (strcmp(studio->colour, "body") == 0)
		return true;
	if (!survey_field(selection, studio->colour, &studio->low, &studio->high, error))
		return false;
	g_autoptr(GArray) fields = selection_fields(selection);
	for (guint i = 0; i < fields->len; i++)
		if (strcmp(g_array_index(fields, SelectionField, i).name, studio->colour) == 0)
			studio->field = g_array_index(fields, SelectionField, i);
	studio->low = isnan(options->low) ? studio->low : options->low;
	studio->high = isnan(options->high) ? studio->high : options->high;
	return true;
}

Studio *studio_new(Selection *selection, const StudioOptions *options, GError **error)
{
	g_autoptr(Studio) studio = g_new0(Studio, 1);
	studio->selection = selection;
	studio->options = *options;
	studio->colour = g_strdup(options->colour);
	studio->origin = origin_of(&selection->archive->header);
	studio->survey = survey_new(selection, studio->origin, options->only, error);
	if (studio->survey == NULL || !choose_colours(studio, error))
		return NULL;
	studio->model = model_new(selection, studio->origin, 2.0 * studio->survey->radius);
	choose_view(studio);
	if (!choose_framing(studio, error))
		return NULL;
	if (options->turntable)
		spread_points(studio);
	light_up(studio);
	studio->position = g_new(double, 3 * selection->n_vertices + 1);
	studio->value = g_new(double, selection->n_vertices + 1);
	studio->share = g_new(float, selection->n_vertices + 1);
	return g_steal_pointer(&studio);
}

void studio_free(Studio *studio)
{
	if (studio == NULL)
		return;
	g_free(studio->colour);
	origin_free(studio->origin);
	survey_free(studio->survey);
	model_free(studio->model);
	light_free(studio->light);
	g_clear_pointer(&studio->framing, g_array_unref);
	g_free(studio->body);
	g_free(studio->plain);
	g_free(studio->position);
	g_free(studio->value);
	g_free(studio->share);
	g_free(studio);
}

static const Colour ink = {0.03f, 0.035f, 0.05f};

static void draw_tick(Image *image, double x, double y, double text, const char *number)
{
	for (int i = (int)x; i < (int)(x + 0.5 * text); i++)
		image_blend(image, i, (int)y, ink, 0.7f);
	text_draw(image, x + 0.9 * text, y + 0.5 * text, text, ink, number);
}

/* Layers are counted: they have whole numbers. */
static void draw_ticks(const Studio *studio, Image *image, double x, int top, int bottom, double text)
{
	double span = studio->high - studio->low;
	bool whole = strcmp(studio->field.name, "layer") == 0 && span >= 1.0;
	double step = whole ? ceil(span / 6.0) : 0.25 * span;
	for (double at = 0.0; at <= span * (1.0 + 1e-9); at += step > 0.0 ? step : INFINITY) {
		g_autofree char *number = g_strdup_printf("%.3g", studio->low + at);
		draw_tick(image, x, bottom - (span > 0.0 ? at / span : 0.0) * (bottom - top), text, number);
	}
}

static void draw_legend(const Studio *studio, Image *image)
{
	Legend legend = legend_place(image->width, image->height);
	double text = legend.text;
	for (int y = legend.top; y <= legend.bottom; y++)
		for (int x = legend.left; x < (int)legend.right; x++)
			image_set(image, x, y, colour_scale((float)(legend.bottom - y) / (float)(legend.bottom - legend.top)));
	draw_ticks(studio, image, legend.right, legend.top, legend.bottom, text);
	g_autofree char *name = g_strdelimit(g_strdup(studio->field.name), "_", ' ');
	g_autofree char *title = studio->field.unit[0] ? g_strdup_printf("%s [%s]", name, studio->field.unit) : g_strdup(name);
	double start = fmin(legend.left, image->width - text_width(text, title) - text);
	text_draw(image, start, legend.top - 1.4 * text, text, ink, title);
}

static void draw_label(const Studio *studio, Image *image, double time)
{
	double text = fmax(0.02 * image->height, 8.0);
	g_autofree char *when = g_strdup_printf("t = %.3f s", time);
	text_draw(image, 1.5 * text, image->height - 1.5 * text, text, ink, when);
	text_draw(image, 1.5 * text, 2.5 * text, text, ink, studio->origin->title);
}

static bool place(Studio *studio, double time, GError **error)
{
	Selection *selection = studio->selection;
	if (!selection_positions_at(selection, time, studio->position, error))
		return false;
	model_place(studio->model, selection, studio->position, time);
	if (studio->field.name == NULL)
		return true;
	if (!selection_field_at(selection, studio->colour, time, studio->value, error))
		return false;
	double span = studio->high > studio->low ? studio->high - studio->low : 1.0;
	for (size_t i = 0; i < selection->n_vertices; i++) {
		double share = (studio->value[i] - studio->low) / span;
		studio->share[i] = (float)(share > 0.0 ? fmin(share, 1.0) : 0.0); /* NaN is 0 */
	}
	return true;
}

Image *studio_draw(Studio *studio, double time, double turn, GError **error)
{
	const StudioOptions *options = &studio->options;
	const Survey *survey = studio->survey;
	if (!place(studio, time, error))
		return NULL;
	light_cast(studio->light, studio->model);
	RenderPlan plan = {
	    .camera = aim(studio, turn),
	    .light = studio->light,
	    .samples = options->quality >= 2 ? 4 : 2,
	    .body = studio->body,
	    .value = studio->field.name ? studio->share : NULL,
	    .plain = studio->plain,
	    .wireframe = options->wireframe,
	    .top = colour_of_bytes(0xf7f8fa),
	    .bottom = colour_of_bytes(0xe4e7eb),
	    .ground = !options->no_ground && !vec3_is_zero(studio->origin->gravity),
	    .up = survey->up,
	    .height = survey->lowest - BELOW * survey->radius,
	    .centre = survey->centre,
	    .radius = survey->radius,
	};
	Image *image = image_new(options->width, options->height);
	render_draw(&plan, studio->model, image);
	if (studio->field.name != NULL)
		draw_legend(studio, image);
	if (options->label)
		draw_label(studio, image, time);
	return image;
}

#include "look/survey.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 40, MOST_POINTS = 400000, MOST_VALUES = 400000 };
#define HELD_MARGIN 0.6  /* held bodies count as far as this, in sizes of what moves, around it */
#define FLAT 1e-6        /* of the largest variance */
#define RARE 0.002       /* share of the values that may be off a scale */

typedef struct {
	Selection *selection;
	double only; /* [s] the one time to look at; NAN: the whole motion */
	bool *moves; /* (n_vertices) of a body that is not pinned as a whole */
	size_t n_moving;
} Cast;

/* If nothing moves, everything counts. */
static void find_moving(Cast *cast)
{
	const Selection *selection = cast->selection;
	const ArchiveHeader *header = &selection->archive->header;
	cast->moves = g_new0(bool, selection->n_vertices + 1);
	for (size_t b = 0; b < selection->n_bodies; b++) {
		const ArchiveBody *body = &selection->bodies[b];
		bool pinned = true;
		for (uint32_t i = 0; i < body->n_vertices && pinned; i++)
			pinned = header->held[selection->vertex[body->first_vertex + i]] == 1;
		memset(cast->moves + body->first_vertex, !pinned, body->n_vertices);
		cast->n_moving += pinned ? 0 : body->n_vertices;
	}
	if (cast->n_moving > 0)
		return;
	memset(cast->moves, true, selection->n_vertices);
	cast->n_moving = selection->n_vertices;
}

static size_t frame_count(const Archive *archive)
{
	return MIN(archive->n_frames, MOST_FRAMES);
}

static double frame_time(const Archive *archive, size_t k)
{
	size_t n = frame_count(archive);
	return archive->time[n > 1 ? k * (archive->n_frames - 1) / (n - 1) : 0];
}

static double cast_time(const Cast *cast, size_t k)
{
	return isnan(cast->only) ? frame_time(cast->selection->archive, k) : cast->only;
}

typedef struct {
	Vec3 low, high;
} Box;

static void grow(Box *box, Vec3 x)
{
	box->low = vec3(fmin(box->low.x, x.x), fmin(box->low.y, x.y), fmin(box->low.z, x.z));
	box->high = vec3(fmax(box->high.x, x.x), fmax(box->high.y, x.y), fmax(box->high.z, x.z));
}

static bool holds(const Box *box, double margin, Vec3 x)
{
	return x.x >= box->low.x - margin && x.x <= box->high.x + margin && x.y >= box->low.y - margin &&
	       x.y <= box->high.y + margin && x.z >= box->low.z - margin && x.z <= box->high.z + margin;
}

static Vec3 at(const double *x, size_t vertex)
{
	return vec3(x[3 * vertex], x[3 * vertex + 1], x[3 * vertex + 2]);
}

/* Symmetric, of three by three: xx, yy, zz, xy, xz, yz. */
typedef struct {
	double m[6];
} Tensor;

static void add_square(Tensor *tensor, double weight, Vec3 a)
{
	const double square[6] = {a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z};
	for (int i = 0; i < 6; i++)
		tensor->m[i] += weight * square[i];
}

static double along(const Tensor *t, Vec3 a, Vec3 b)
{
	return t->m[0] * a.x * b.x + t->m[1] * a.y * b.y + t->m[2] * a.z * b.z + t->m[3] * (a.x * b.y + a.y * b.x) +
	       t->m[4] * (a.x * b.z + a.z * b.x) + t->m[5] * (a.y * b.z + a.z * b.y);
}

static void add_faces(const Cast *cast, const double *x, Tensor *area)
{
	const Selection *selection = cast->selection;
	for (size_t i = 0; i < selection->n_triangles; i++) {
		const uint32_t *t = selection->triangle[i];
		if (!cast->moves[t[0]])
			continue;
		Vec3 normal = vec3_cross(vec3_sub(at(x, t[1]), at(x, t[0])), vec3_sub(at(x, t[2]), at(x, t[0])));
		double size = vec3_norm(normal);
		if (size > 0.0)
			add_square(area, 1.0 / size, normal);
	}
}

/* Of two level directions, the combination along which the tensor is largest (or smallest). */
static Vec3 extreme_level(const Tensor *tensor, Vec3 a, Vec3 b, bool largest)
{
	double aa = along(tensor, a, a), bb = along(tensor, b, b), ab = along(tensor, a, b);
	double angle = 0.5 * atan2(2.0 * ab, aa - bb) + (largest ? 0.0 : 0.5 * G_PI);
	return vec3_madd(vec3_scale(cos(angle), a), sin(angle), b);
}

/* Looks where most faces look; without faces, where points are spread least. */
static void find_front(Survey *survey, const Tensor *area)
{
	Vec3 up = survey->up, helper = fabs(up.z) < 0.9 ? vec3(0, 0, 1) : vec3(0, -1, 0);
	Vec3 a = vec3_unit(vec3_sub(helper, vec3_scale(vec3_dot(helper, up), up))), b = vec3_cross(up, a);
	Tensor spread = {{0}};
	for (guint i = 0; i < survey->point->len; i++)
		add_square(&spread, 1.0, vec3_sub(g_array_index(survey->point, Vec3, i), survey->centre));
	Vec3 thin = extreme_level(&spread, a, b, false), wide = vec3_cross(up, thin);
	double most = fmax(along(&spread, wide, wide), along(&spread, up, up));
	double whole = area->m[0] + area->m[1] + area->m[2];
	survey->flat = along(&spread, thin, thin) <= FLAT * most && whole == 0.0;
	survey->upward = whole > 0.0 ? along(area, up, up) / whole : 0.3;
	Vec3 front = extreme_level(area, a, b, true);
	double uneven = fabs(along(area, front, front) - along(area, vec3_cross(up, front), vec3_cross(up, front)));
	if (whole == 0.0)
		front = thin;
	else if (uneven < 0.1 * whole)
		front = a;
	/* The same side as the helper, or the right one: so that the view of a scene does not jump with its details. */
	double ahead = vec3_dot(front, a), aside = vec3_dot(front, b);
	survey->front = ahead < -0.1 || (ahead <= 0.1 && aside < 0.0) ? vec3_scale(-1.0, front) : front;
}

static void measure(Survey *survey, const Box *box)
{
	survey->centre = vec3_scale(0.5, vec3_add(box->low, box->high));
	survey->lowest = INFINITY;
	for (guint i = 0; i < survey->point->len; i++) {
		Vec3 x = g_array_index(survey->point, Vec3, i);
		survey->radius = fmax(survey->radius, vec3_distance(x, survey->centre));
		survey->lowest = fmin(survey->lowest, vec3_dot(x, survey->up));
	}
	if (survey->point->len == 0)
		survey->lowest = 0.0;
	survey->radius = fmax(survey->radius, 1e-9);
}

/* One frame: what moves always counts; what is held only near it, for floors and walls may be wide. */
static bool add_frame(
    Survey *survey, const Cast *cast, size_t k, size_t stride, const Box *moving, Box *all, Tensor *area, double *x, GError **error)
{
	Selection *selection = cast->selection;
	if (!selection_positions_at(selection, cast_time(cast, k), x, error))
		return false;
	double margin = HELD_MARGIN * vec3_distance(moving->low, moving->high);
	for (size_t i = k % stride; i < selection->n_vertices; i += stride) {
		Vec3 place = at(x, i);
		if (!cast->moves[i] && !holds(moving, margin, place))
			continue;
		grow(all, place);
		g_array_append_val(survey->point, place);
	}
	add_faces(cast, x, area);
	return true;
}

static bool look_over(Survey *survey, const Cast *cast, GError **error)
{
	Selection *selection = cast->selection;
	size_t n = isnan(cast->only) ? frame_count(selection->archive) : 1;
	size_t stride = 1 + selection->n_vertices * n / MOST_POINTS;
	g_autofree double *x = g_new(double, 3 * selection->n_vertices + 1);
	const Box nothing = {vec3(INFINITY, INFINITY, INFINITY), vec3(-INFINITY, -INFINITY, -INFINITY)};
	Box moving = nothing, all = nothing;
	Tensor area = {{0}};
	for (size_t k = 0; k < n; k++) {
		if (!selection_positions_at(selection, cast_time(cast, k), x, error))
			return false;
		for (size_t i = 0; i < selection->n_vertices; i++)
			if (cast->moves[i])
				grow(&moving, at(x, i));
	}
	for (size_t k = 0; k < n; k++)
		if (!add_frame(survey, cast, k, stride, &moving, &all, &area, x, error))
			return false;
	if (survey->point->len == 0)
		all = (Box){vec3(0, 0, 0), vec3(0, 0, 0)};
	measure(survey, &all);
	find_front(survey, &area);
	return true;
}

Survey *survey_new(Selection *selection, const Origin *origin, double only, GError **error)
{
	Survey *survey = g_new0(Survey, 1);
	survey->point = g_array_new(false, false, sizeof(Vec3));
	survey->up = origin_up(origin);
	Cast cast = {.selection = selection, .only = only};
	find_moving(&cast);
	bool good = look_over(survey, &cast, error);
	g_free(cast.moves);
	if (good)
		return survey;
	survey_free(survey);
	return NULL;
}

void survey_free(Survey *survey)
{
	if (survey == NULL)
		return;
	g_array_unref(survey->point);
	g_free(survey);
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

bool survey_field(Selection *selection, const char *name, double *low, double *high, GError **error)
{
	size_t n = frame_count(selection->archive), stride = 1 + selection->n_vertices * n / MOST_VALUES;
	g_autofree double *value = g_new(double, selection->n_vertices + 1);
	g_autoptr(GArray) all = g_array_new(false, false, sizeof(double));
	for (size_t k = 0; k < n; k++) {
		if (!selection_field_at(selection, name, frame_time(selection->archive, k), value, error))
			return false;
		for (size_t i = k % stride; i < selection->n_vertices; i += stride)
			if (isfinite(value[i]) && value[i] != 0.0)
				g_array_append_val(all, value[i]);
	}
	*low = 0.0;
	*high = 1.0;
	if (all->len == 0)
		return true;
	qsort(all->data, all->len, sizeof(double), compare_numbers);
	bool counts = strcmp(name, "layer") == 0;
	guint last = counts ? all->len - 1 : (guint)((1.0 - RARE) * (all->len - 1));
	*low = fmin(0.0, g_array_index(all, double, 0));
	*high = g_array_index(all, double, last);
	return true;
}

#include "sim/instrument.h"
#include "core/error.h"
#include "core/stopwatch.h"
#include <string.h>

/* A pair in contact, all of its layers together. */
typedef struct {
	const ContactPair *pair;
	uint32_t deepest;
	double gap;    /* [length] */
	Vec3 point[2]; /* the closest points, of its first and its second primitive */
	Vec3 push;     /* [force] on the first */
} Touch;

typedef struct {
	const Simulation *simulation;
	double time;
	GArray *touches; /* Touch, in the order of their keys */
	Vec3 *force;     /* [force] (vertices) of contact */
} Reading;

typedef enum {
	UNIT_NONE,
	UNIT_TIME,
	UNIT_LENGTH,
	UNIT_FORCE
} FieldUnit;

typedef struct {
	const char *name;
	FieldUnit unit;
	ArchiveFieldShape shape;
	uint32_t width;      /* of a list */
	bool needs_contact;
	const char *about;
	void (*measure)(const Reading *reading, size_t rows, double *out); /* rows: of a list, all NaN before */
} Instrument;

static void measure_events(const Reading *reading, size_t rows, double *out)
{
	(void)rows;
	*out = (double)avi_event_count(reading->simulation->avi);
}

static void measure_wall_seconds(const Reading *reading, size_t rows, double *out)
{
	(void)rows;
	const Simulation *simulation = reading->simulation;
	*out = simulation->wall_seconds;
	if (simulation->advance_began > 0.0)
		*out += stopwatch_seconds() - simulation->advance_began;
}

static void measure_touching(const Reading *reading, size_t rows, double *out)
{
	(void)rows;
	*out = (double)reading->touches->len;
}

static void measure_smallest_gap(const Reading *reading, size_t rows, double *out)
{
	(void)rows;
	*out = NAN;
	for (guint i = 0; i < reading->touches->len; i++)
		*out = fmin(*out, g_array_index(reading->touches, Touch, i).gap); /* fmin leaves the NaN out */
}

static void measure_deepest_layer(const Reading *reading, size_t rows, double *out)
{
	(void)rows;
	*out = 0.0;
	for (guint i = 0; i < reading->touches->len; i++)
		*out = fmax(*out, g_array_index(reading->touches, Touch, i).deepest);
}

static void measure_layer(const Reading *reading, size_t rows, double *out)
{
	(void)rows;
	memset(out, 0, world_vertex_count(reading->simulation->scene->world) * sizeof *out);
	for (guint i = 0; i < reading->touches->len; i++) {
		const Touch *touch = &g_array_index(reading->touches, Touch, i);
		for (int c = 0; c < distance_corners[touch->pair->kind]; c++) {
			double *layer = &out[touch->pair->vertex[c]];
			*layer = fmax(*layer, touch->deepest);
		}
	}
}

static void measure_contact_force(const Reading *reading, size_t rows, double *out)
{
	(void)rows;
	size_t n = world_vertex_count(reading->simulation->scene->world);
	for (size_t i = 0; i < n; i++)
		out[i] = vec3_norm(reading->force[i]);
}

static int compare_gaps(const void *a, const void *b)
{
	const Touch *first = *(const Touch *const *)a, *second = *(const Touch *const *)b;
	if (first->gap != second->gap)
		return first->gap < second->gap ? -1 : 1;
	return first->pair->key < second->pair->key ? -1 : first->pair->key > second->pair->key;
}

/* The closest ones, when there are more than rows. */
static void measure_pairs(const Reading *reading, size_t rows, double *out)
{
	size_t n = reading->touches->len;
	g_autofree const Touch **sorted = g_new(const Touch *, n + 1);
	for (size_t i = 0; i < n; i++)
		sorted[i] = &g_array_index(reading->touches, Touch, i);
	qsort(sorted, n, sizeof *sorted, compare_gaps);
	for (size_t i = 0; i < MIN(n, rows); i++) {
		const Touch *touch = sorted[i];
		double *row = out + 9 * i;
		memcpy(row, touch->point, sizeof touch->point);
		row[6] = touch->gap;
		row[7] = touch->deepest;
		row[8] = vec3_norm(touch->push);
	}
}

static const Instrument instruments[] = {
    {"events", UNIT_NONE, ARCHIVE_FIELD_FRAME, 0, false, "events of all kinds since time zero", measure_events},
    {"wall_seconds", UNIT_TIME, ARCHIVE_FIELD_FRAME, 0, false, "wall time that the run has taken", measure_wall_seconds},
    {"touching", UNIT_NONE, ARCHIVE_FIELD_FRAME, 0, true, "pairs in contact", measure_touching},
    {"smallest_gap", UNIT_LENGTH, ARCHIVE_FIELD_FRAME, 0, true, "gap of the closest pair in contact", measure_smallest_gap},
    {"deepest_layer", UNIT_NONE, ARCHIVE_FIELD_FRAME, 0, true, "deepest layer in range", measure_deepest_layer},
    {"layer", UNIT_NONE, ARCHIVE_FIELD_VERTEX, 0, true, "deepest layer in range of the vertex", measure_layer},
    {"contact_force", UNIT_FORCE, ARCHIVE_FIELD_VERTEX, 0, true, "force of contact on the vertex", measure_contact_force},
    {"pairs", UNIT_NONE, ARCHIVE_FIELD_LIST, 9, true, "closest pairs in contact: two points, gap, layer, force", measure_pairs},
};

static const char *unit_name(FieldUnit unit, const UnitSystem *units)
{
	switch (unit) {
	case UNIT_TIME:
		return units->time;
	case UNIT_LENGTH:
		return units->length;
	case UNIT_FORCE:
		return units->force;
	case UNIT_NONE:
	default:
		return "";
	}
}

bool instrument_check(const Scene *scene, GError **error)
{
	for (char **name = scene->fields; name && *name; name++) {
		g_autoptr(GString) names = g_string_new(NULL);
		bool known = false;
		for (size_t i = 0; i < G_N_ELEMENTS(instruments) && !known; i++) {
			known = strcmp(instruments[i].name, *name) == 0;
			g_string_append_printf(names, "%s\"%s\"", i ? ", " : "", instruments[i].name);
		}
		if (!known)
			return error_set(error, CINCH_ERROR_INPUT,
			    "%s: output.fields: there is no field \"%s\"; expected some of %s", scene->name, *name, names->str);
	}
	return true;
}

static bool is_wanted(const Simulation *simulation, const Instrument *instrument)
{
	const Scene *scene = simulation->scene;
	if (instrument->needs_contact && simulation->contact == NULL)
		return false;
	if (instrument->shape == ARCHIVE_FIELD_LIST && scene->most_pairs == 0)
		return false;
	return scene->fields == NULL || g_strv_contains((const char *const *)scene->fields, instrument->name);
}

GArray *instrument_fields(const Simulation *simulation)
{
	const Scene *scene = simulation->scene;
	GArray *fields = g_array_new(false, true, sizeof(ArchiveField));
	for (size_t i = 0; i < G_N_ELEMENTS(instruments); i++) {
		const Instrument *instrument = &instruments[i];
		ArchiveField field = {instrument->name, unit_name(instrument->unit, scene->world->units), instrument->about,
		    instrument->shape, instrument->shape == ARCHIVE_FIELD_LIST ? scene->most_pairs : 0, instrument->width};
		if (is_wanted(simulation, instrument))
			g_array_append_val(fields, field);
	}
	return fields;
}

static void place_points(Touch *touch, const Flight *flight, double time)
{
	Vec3 x[PAIR_MOST_CORNERS];
	for (int c = 0; c < distance_corners[touch->pair->kind]; c++)
		x[c] = flight_position(&flight[touch->pair->vertex[c]], time);
	Closest closest = distance_closest(touch->pair->kind, x);
	for (int c = 0; c < distance_corners[touch->pair->kind]; c++) {
		int side = c >= distance_first[touch->pair->kind];
		double weight = side ? -closest.weight[c] : closest.weight[c];
		touch->point[side] = vec3_madd(touch->point[side], weight, x[c]);
	}
}

/* The layers of a pair come one after the other, from the first on. */
static void add_touch(const ContactVisit *visit, void *data)
{
	Reading *reading = data;
	const Penalty *penalty = visit->penalty;
	GArray *touches = reading->touches;
	Touch *last = touches->len ? &g_array_index(touches, Touch, touches->len - 1) : NULL;
	if (last == NULL || last->pair != visit->pair) {
		Touch touch = {.pair = visit->pair, .gap = visit->gap};
		place_points(&touch, reading->simulation->flight, reading->time);
		g_array_append_val(touches, touch);
		last = &g_array_index(touches, Touch, touches->len - 1);
	}
	last->deepest = visit->layer;
	last->push = vec3_add(last->push, penalty->push);
	for (int i = 0; i < penalty->n; i++)
		reading->force[penalty->vertex[i]] = vec3_add(reading->force[penalty->vertex[i]], penalty->force[i]);
}

static double *measure(const Instrument *instrument, const Reading *reading, size_t rows)
{
	size_t n = world_vertex_count(reading->simulation->scene->world);
	size_t size = instrument->shape == ARCHIVE_FIELD_FRAME    ? 1
	              : instrument->shape == ARCHIVE_FIELD_VERTEX ? n
	                                                          : rows * instrument->width;
	double *values = g_new(double, size + 1);
	for (size_t i = 0; i < size; i++)
		values[i] = NAN;
	instrument->measure(reading, rows, values);
	return values;
}

bool instrument_write(Simulation *simulation, double time, GError **error)
{
	g_autoptr(GArray) touches = g_array_new(false, false, sizeof(Touch));
	g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func(g_free);
	g_autofree Vec3 *force = g_new0(Vec3, world_vertex_count(simulation->scene->world) + 1);
	Reading reading = {simulation, time, touches, force};
	if (simulation->contact != NULL)
		contact_visit(simulation->contact, time, add_touch, &reading);
	for (size_t i = 0; i < G_N_ELEMENTS(instruments); i++)
		if (is_wanted(simulation, &instruments[i]))
			g_ptr_array_add(values, measure(&instruments[i], &reading, simulation->scene->most_pairs));
	return archive_append_fields(simulation->archive, (double **)values->pdata, error);
}

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
	Vec3 *pull;      /* [force] (vertices) of elements; NULL where nobody asks */
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
	uint32_t (*count_rows)(const Simulation *simulation); /* of a list: the most */
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

/* A row for each layer that a pair is in range of: the share of the free vertices that are there or deeper, and the pairs. */
static void measure_layers(const Reading *reading, size_t rows, double *out)
{
	size_t n = world_vertex_count(reading->simulation->scene->world), free = 0;
	g_autofree double *layer = g_new(double, n + 1);
	measure_layer(reading, 0, layer);
	for (size_t l = 1; l <= rows; l++) {
		size_t vertices = 0, pairs = 0;
		free = 0;
		for (size_t i = 0; i < n; i++) {
			bool moves = reading->simulation->flight[i].inverse_mass > 0.0;
			free += moves;
			vertices += moves && layer[i] >= (double)l;
		}
		for (guint i = 0; i < reading->touches->len; i++)
			pairs += g_array_index(reading->touches, Touch, i).deepest >= l;
		if (pairs == 0)
			return;
		double *row = out + 3 * (l - 1);
		row[0] = (double)l;
		row[1] = free > 0 ? (double)vertices / (double)free : 0.0;
		row[2] = (double)pairs;
	}
}

static uint32_t count_layers(const Simulation *simulation)
{
	return simulation->contact ? MIN(simulation->scene->contact.max_layer, 64) : 0;
}

/* What elements and contact pull at each end: a vector and its length. */
static void measure_tension(const Reading *reading, size_t rows, double *out)
{
	const World *world = reading->simulation->scene->world;
	for (size_t e = 0; e < rows; e++) {
		const WorldEnd *end = world->ends->pdata[e];
		Vec3 sum = vec3(0, 0, 0);
		for (guint i = 0; i < end->vertices->len; i++) {
			uint32_t vertex = g_array_index(end->vertices, uint32_t, i);
			sum = vec3_add(sum, vec3_add(reading->pull[vertex], reading->force[vertex]));
		}
		memcpy(out + 4 * e, &sum, sizeof sum);
		out[4 * e + 3] = vec3_norm(sum);
	}
}

static uint32_t count_ends(const Simulation *simulation)
{
	return simulation->scene->world->ends->len;
}

/* Ribbons are bodies that have ends of the same number of vertices, from the first row to the last. */
static const GArray *ribbon_row(const Body *body, uint32_t *rows)
{
	const GArray *start = g_hash_table_lookup(body->sets, "start"), *end = g_hash_table_lookup(body->sets, "end");
	bool is_ribbon = start && end && start->len > 1 && start->len == end->len && body->n_vertices % start->len == 0 &&
	                 g_array_index(start, uint32_t, 0) == body->first_vertex &&
	                 g_array_index(end, uint32_t, 0) == body->first_vertex + body->n_vertices - end->len;
	if (is_ribbon)
		*rows = body->n_vertices / start->len;
	return is_ribbon ? start : NULL;
}

/* The length at rest of the middle of a ribbon between two rows. */
static double ribbon_length(const World *world, const Body *body, uint32_t width, uint32_t from, uint32_t to)
{
	double length = 0.0;
	for (uint32_t row = from; row < to; row++) {
		uint32_t vertex = body->first_vertex + row * width + width / 2;
		length += vec3_distance(g_array_index(world->rest, Vec3, vertex), g_array_index(world->rest, Vec3, vertex + width));
	}
	return length;
}

/* How much of each ribbon is between its first and its last row in contact. */
static void measure_in_knot(const Reading *reading, size_t rows, double *out)
{
	const World *world = reading->simulation->scene->world;
	g_autofree double *layer = g_new(double, world_vertex_count(world) + 1);
	measure_layer(reading, 0, layer);
	size_t k = 0;
	for (guint b = 0; b < world->bodies->len && k < rows; b++) {
		const Body *body = world->bodies->pdata[b];
		uint32_t n = 0, first = UINT32_MAX, last = 0;
		const GArray *row = ribbon_row(body, &n);
		if (row == NULL)
			continue;
		for (uint32_t i = 0; i < body->n_vertices; i++) {
			if (layer[body->first_vertex + i] == 0.0)
				continue;
			first = MIN(first, i / row->len);
			last = i / row->len;
		}
		out[k++] = first == UINT32_MAX ? 0.0 : ribbon_length(world, body, row->len, first, last);
	}
}

static uint32_t count_ribbons(const Simulation *simulation)
{
	const World *world = simulation->scene->world;
	uint32_t n = 0, rows;
	for (guint b = 0; b < world->bodies->len; b++)
		n += ribbon_row(world->bodies->pdata[b], &rows) != NULL;
	return n;
}

static uint32_t count_pairs(const Simulation *simulation)
{
	return simulation->scene->most_pairs;
}

static const Instrument instruments[] = {
    {"events", UNIT_NONE, ARCHIVE_FIELD_FRAME, 0, false, NULL, "events of all kinds since time zero", measure_events},
    {"wall_seconds", UNIT_TIME, ARCHIVE_FIELD_FRAME, 0, false, NULL, "wall time that the run has taken", measure_wall_seconds},
    {"touching", UNIT_NONE, ARCHIVE_FIELD_FRAME, 0, true, NULL, "pairs in contact", measure_touching},
    {"smallest_gap", UNIT_LENGTH, ARCHIVE_FIELD_FRAME, 0, true, NULL, "gap of the closest pair in contact", measure_smallest_gap},
    {"deepest_layer", UNIT_NONE, ARCHIVE_FIELD_FRAME, 0, true, NULL, "deepest layer in range", measure_deepest_layer},
    {"layer", UNIT_NONE, ARCHIVE_FIELD_VERTEX, 0, true, NULL, "deepest layer in range of the vertex", measure_layer},
    {"contact_force", UNIT_FORCE, ARCHIVE_FIELD_VERTEX, 0, true, NULL, "force of contact on the vertex", measure_contact_force},
    {"pairs", UNIT_NONE, ARCHIVE_FIELD_LIST, 9, true, count_pairs, "closest pairs in contact (two points, gap, layer, force)", measure_pairs},
    {"layers", UNIT_NONE, ARCHIVE_FIELD_LIST, 3, true, count_layers,
        "layer, share of the free vertices there or deeper, pairs there or deeper", measure_layers},
    {"in_knot", UNIT_LENGTH, ARCHIVE_FIELD_LIST, 1, true, count_ribbons,
        "length of each ribbon between its first and last row in contact", measure_in_knot},
    {"tension", UNIT_FORCE, ARCHIVE_FIELD_LIST, 4, false, count_ends,
        "pull of elements and contact (x, y, z, magnitude) at each end", measure_tension},
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
	if (instrument->count_rows != NULL && instrument->count_rows(simulation) == 0)
		return false;
	return scene->fields == NULL || g_strv_contains((const char *const *)scene->fields, instrument->name);
}

/* In a few words; of ends, with their names. The text lives as long as the program. */
static const char *about_field(const Instrument *instrument, const World *world)
{
	if (instrument->measure != measure_tension)
		return instrument->about;
	g_autoptr(GString) about = g_string_new(instrument->about);
	for (guint i = 0; i < world->ends->len; i++)
		g_string_append_printf(about, "%s%s", i ? ", " : ": ", ((const WorldEnd *)world->ends->pdata[i])->name);
	return g_intern_string(about->str);
}

GArray *instrument_fields(const Simulation *simulation)
{
	const Scene *scene = simulation->scene;
	GArray *fields = g_array_new(false, true, sizeof(ArchiveField));
	for (size_t i = 0; i < G_N_ELEMENTS(instruments); i++) {
		const Instrument *instrument = &instruments[i];
		uint32_t rows = instrument->count_rows ? instrument->count_rows(simulation) : 0;
		ArchiveField field = {instrument->name, unit_name(instrument->unit, scene->world->units),
		    about_field(instrument, scene->world), instrument->shape, rows, instrument->width};
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

static void add_pull(const Field *field, const FieldVisit *visit, void *data)
{
	Vec3 *pull = data;
	for (int c = 0; c < field->class->corners; c++)
		pull[visit->stencil[c]] = vec3_add(pull[visit->stencil[c]], visit->force[c]);
}

/* The forces of elements that store energy of their own on their vertices; NULL where there are no ends. */
static Vec3 *element_forces(const Simulation *simulation, double time)
{
	const World *world = simulation->scene->world;
	if (world->ends->len == 0)
		return NULL;
	Vec3 *pull = g_new0(Vec3, world_vertex_count(world) + 1);
	for (guint i = 0; i < simulation->fields->len; i++) {
		const Field *field = simulation->fields->pdata[i];
		if (field->class->store == STORE_STRETCH || field->class->store == STORE_BEND)
			field_visit(field, simulation->flight, time, add_pull, pull);
	}
	return pull;
}

static double *measure(const Instrument *instrument, const Reading *reading)
{
	size_t rows = instrument->count_rows ? instrument->count_rows(reading->simulation) : 0;
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
	g_autofree Vec3 *pull = element_forces(simulation, time);
	Reading reading = {simulation, time, touches, force, pull};
	if (simulation->contact != NULL)
		contact_visit(simulation->contact, time, add_touch, &reading);
	for (size_t i = 0; i < G_N_ELEMENTS(instruments); i++)
		if (is_wanted(simulation, &instruments[i]))
			g_ptr_array_add(values, measure(&instruments[i], &reading));
	return archive_append_fields(simulation->archive, (double **)values->pdata, error);
}

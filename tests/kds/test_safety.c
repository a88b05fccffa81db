/* Safety by force: random impacts, at speeds from slow to absurd, none of which may end in a penetration. Each path is
 * checked with exact arithmetic, from event to event, by code that the engine does not share. */
#include "avi/avi.h"
#include "contact/contact.h"
#include "core/error.h"
#include "support/scenes.h"
#include "verify/sweep.h"

enum { USUAL_IMPACTS = 4000, FULL_IMPACTS = 100000, MOST_PAIRS = 15, MOST_EVENTS = 200000 };

#define ETA1 0.01
#define R1 1000.0

/* Two bodies that fly at each other. */
typedef enum {
	MEET_VERTEX_TRIANGLE, /* a particle and a triangle */
	MEET_EDGE_EDGE,       /* two loose edges */
	MEET_PARALLEL,        /* two loose edges, parallel or nearly */
	MEET_SLIVER,          /* two triangles, one of them a sliver */
	MEET_GRAZING,         /* two triangles, flying past each other at a distance of about a layer */
	MEET_TRIANGLES,
	MEET_N
} Meeting;

static const char *const names[] = {"vertex-triangle", "edge-edge", "parallel edges", "slivers", "grazing", "triangles"};

typedef struct {
	World *world;
	Flight *flight;
	Avi *avi;
	Contact *contact;
	Account account;
	ContactRule rule;
	GArray *pairs; /* ContactPair: all that there are */
} Stage;

typedef struct {
	uint64_t flights, impacts, limited, segments;
	uint32_t deepest;
	SweepCount sweeps;
} Tally;

static bool act_force(void *context, uint32_t id, double time, double *next, GError **error)
{
	Stage *stage = context;
	return contact_tick(stage->contact, id, time, &stage->account, next, error);
}

static bool act_certificate(void *context, uint32_t id, double time, double *next, GError **error)
{
	return contact_certificate(((Stage *)context)->contact, id, time, next, error);
}

static Vec3 random_in_ball(uint64_t *seed)
{
	Vec3 x;
	do
		x = scenes_random_vec3(seed, 1.0);
	while (vec3_norm2(x) > 1.0);
	return x;
}

/* A body of `corners` vertices that has a point of it, chosen at random, at the origin. */
static Shape *random_shape(uint64_t *seed, int corners, Vec3 along, double thinness)
{
	Shape *shape = shape_new();
	Vec3 x[3], point = vec3(0, 0, 0);
	double weight[3], sum = 0.0;
	for (int c = 0; c < corners; c++) {
		x[c] = vec3_scale(0.3, random_in_ball(seed));
		sum += weight[c] = scenes_random(seed, 0.0, 1.0);
	}
	if (corners > 1 && vec3_norm2(along) > 0.0) /* almost in a given direction */
		x[1] = vec3_add(x[0], vec3_madd(along, thinness, random_in_ball(seed)));
	else if (corners == 3 && thinness > 0.0) /* the third corner almost on the side */
		x[2] = vec3_madd(vec3_madd(x[0], scenes_random(seed, 0, 1), vec3_sub(x[1], x[0])), thinness, random_in_ball(seed));
	for (int c = 0; c < corners; c++)
		point = vec3_madd(point, weight[c] / sum, x[c]);
	for (int c = 0; c < corners; c++)
		shape_add_vertex(shape, vec3_sub(x[c], point));
	if (corners == 3)
		shape_add_triangle(shape, 0, 1, 2);
	else if (corners == 2)
		shape_add_edge(shape, 0, 1);
	else
		shape_add_particle(shape, 0);
	return shape;
}

/* Log-uniform. */
static double random_scale(uint64_t *seed, double low, double high)
{
	return low * exp(scenes_random(seed, 0.0, log(high / low)));
}

static void shift(Shape *shape, Vec3 by)
{
	for (guint i = 0; i < shape->position->len; i++) {
		Vec3 *x = &g_array_index(shape->position, Vec3, i);
		*x = vec3_add(*x, by);
	}
}

/* A direction in the plane of a triangle, but for a little. */
static Vec3 grazing_direction(const Shape *triangle, uint64_t *seed)
{
	const Vec3 *x = (const Vec3 *)(void *)triangle->position->data;
	Vec3 a = vec3_sub(x[1], x[0]), b = vec3_sub(x[2], x[0]);
	Vec3 inside = vec3_madd(vec3_scale(scenes_random(seed, -1.0, 1.0), a), scenes_random(seed, -1.0, 1.0), b);
	return vec3_unit(vec3_madd(vec3_unit(inside), random_scale(seed, 1e-6, 0.1), random_in_ball(seed)));
}

static void add_body(Stage *stage, const char *name, const Shape *shape, double mass, Vec3 velocity)
{
	Material *material = g_new0(Material, 1);
	material->name = g_strdup(name);
	material->areal_density = material->line_density = material->particle_mass = 1.0;
	g_ptr_array_add(stage->world->materials, material);
	Body *body = world_add_body(stage->world, name, material, shape);
	for (uint32_t i = body->first_vertex; i < body->first_vertex + body->n_vertices; i++) {
		g_array_index(stage->world->mass, double, i) = mass;
		g_array_index(stage->world->velocity, Vec3, i) = velocity;
	}
}

static double least_gap(const Stage *stage, double time)
{
	double least = INFINITY;
	for (guint i = 0; i < stage->pairs->len; i++) {
		const ContactPair *pair = &g_array_index(stage->pairs, ContactPair, i);
		Vec3 x[PAIR_MOST_CORNERS];
		for (int c = 0; c < distance_corners[pair->kind]; c++)
			x[c] = flight_position(&stage->flight[pair->vertex[c]], time);
		least = fmin(least, distance_closest(pair->kind, x).distance);
	}
	return least;
}

static void stage_free(Stage *stage)
{
	contact_free(stage->contact);
	avi_free(stage->avi);
	free(stage->flight);
	world_free(stage->world);
	if (stage->pairs)
		g_array_unref(stage->pairs);
	g_free(stage);
}

/* A point of the second body flies at a point of the first, which rests. */
static Stage *set_up(Meeting meeting, Detect detect, uint64_t *seed)
{
	Stage *stage = g_new0(Stage, 1);
	stage->world = world_new();
	stage->world->units = &units_si;
	double light = random_scale(seed, 1.0, 1000.0), heavy = random_scale(seed, 1.0, 1000.0);
	bool edges = meeting == MEET_EDGE_EDGE || meeting == MEET_PARALLEL;
	int first = edges ? 2 : 3, second = edges ? 2 : meeting == MEET_VERTEX_TRIANGLE ? 1 : 3;
	Vec3 along = meeting == MEET_PARALLEL ? random_in_ball(seed) : vec3(0, 0, 0);
	double thinness = meeting == MEET_PARALLEL || meeting == MEET_SLIVER ? random_scale(seed, 1e-9, 1e-2) : 0.0;
	Shape *one = random_shape(seed, first, along, thinness);
	Shape *other = random_shape(seed, second, along, edges ? thinness : 0.0);
	bool grazing = meeting == MEET_GRAZING;
	Vec3 direction = grazing ? grazing_direction(one, seed) : vec3_unit(random_in_ball(seed));
	shift(other, vec3_madd(vec3_scale(-1.0, direction), grazing ? ETA1 : 0.0, random_in_ball(seed)));
	/* From 1 to 1e5 times eta1 per step of layer 1 of a crowd of 64. */
	double step = layers_step_scale(R1, 1.0, 1.0) / sqrt(1.0 / light + 1.0 / heavy);
	double speed = random_scale(seed, 1.0, 1e5) * ETA1 / step;
	add_body(stage, "one", one, heavy, vec3(0, 0, 0));
	add_body(stage, "other", other, light, vec3_scale(speed, direction));
	shape_free(one);
	shape_free(other);
	stage->rule = (ContactRule){.enabled = true, .eta1 = ETA1, .r1 = R1, .eta_quarters = 1, .r_quarters = 12,
	    .max_layer = 300, .safety = 1.0, .accuracy = 1.0, .detect = detect, .no_self = true, .law = {.restitution = 1.0}};
	stage->flight = world_flights(stage->world);
	stage->avi = avi_new();
	avi_handle(stage->avi, AVI_FORCE, (AviHandler){"force", stage, act_force});
	avi_handle(stage->avi, AVI_CERTIFICATE, (AviHandler){"certificate", stage, act_certificate});
	stage->contact = contact_new(stage->world, &stage->rule, stage->flight, stage->avi, 0, 10.0 / speed);
	stage->pairs = surface_all_pairs(stage->contact->surface);
	return stage;
}

static void positions(const Stage *stage, double time, double (*x)[3])
{
	for (uint32_t i = 0; i < world_vertex_count(stage->world); i++) {
		Vec3 at = flight_position(&stage->flight[i], time);
		memcpy(x[i], &at, sizeof at);
	}
}

/* Whether any pair meets on the way from one event to the next. */
static bool penetrates(const Stage *stage, double (*from)[3], double (*to)[3], Tally *tally)
{
	static const SweepKind kinds[] = {SWEEP_VERTEX_TRIANGLE, SWEEP_EDGE_EDGE, SWEEP_VERTEX_EDGE, SWEEP_VERTEX_VERTEX};
	for (guint i = 0; i < stage->pairs->len; i++) {
		const ContactPair *pair = &g_array_index(stage->pairs, ContactPair, i);
		double x0[4][3] = {{0}}, x1[4][3] = {{0}};
		for (int c = 0; c < distance_corners[pair->kind]; c++) {
			memcpy(x0[c], from[pair->vertex[c]], sizeof x0[c]);
			memcpy(x1[c], to[pair->vertex[c]], sizeof x1[c]);
		}
		tally->segments++;
		if (sweep_meets(kinds[pair->kind], (const double(*)[3])x0, (const double(*)[3])x1, &tally->sweeps))
			return true;
	}
	return false;
}

/* Flies until the end, from instant to instant. An event that fails has moved nobody's clock, but it has acted: what its vertices
 * have by then are flight plans from its own time on. */
static void fly(Stage *stage, const char *name, uint64_t number, Tally *tally)
{
	double x[2][6][3], at = 0.0; /* positions at `at` and at the next instant */
	g_autoptr(GError) error = NULL;
	QueueEvent event;
	bool going = contact_start(stage->contact, 0.0, &error);
	positions(stage, at, x[0]);
	for (int i = 0; going; i++) {
		double until = stage->contact->end;
		if (queue_peek(stage->avi->queue, &event) && event.time < until)
			until = event.time;
		going = avi_advance(stage->avi, until, &error) && until < stage->contact->end;
		if (until == at)
			continue;
		positions(stage, until, x[1]);
		cr_assert(!penetrates(stage, x[0], x[1], tally), "%s %lu: a penetration at %.17g s", name, (unsigned long)number, until);
		memcpy(x[0], x[1], sizeof x[0]);
		at = until;
		cr_assert_lt(i, MOST_EVENTS, "%s %lu does not end", name, (unsigned long)number);
	}
	if (error != NULL) {
		cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_LIMIT), "%s %lu: %s", name, (unsigned long)number,
		    error->message);
		cr_assert_gt(least_gap(stage, at), 0.0);
		tally->limited++;
	}
}

Test(safety, random_impacts_never_penetrate, .timeout = 3600)
{
	uint64_t seed = 20101, wanted = g_getenv("CINCH_FULL") ? FULL_IMPACTS : USUAL_IMPACTS;
	for (int meeting = 0; meeting < MEET_N; meeting++) {
		Tally tally = {0};
		while (tally.impacts < (wanted + MEET_N - 1) / MEET_N) {
			Stage *stage = set_up((Meeting)meeting, tally.flights % 2 ? DETECT_NAIVE : DETECT_TUBE, &seed);
			if (least_gap(stage, 0.0) > 1.5 * ETA1) {
				uint64_t limited = tally.limited;
				fly(stage, names[meeting], tally.flights++, &tally);
				tally.impacts += stage->contact->count.in_range > 0 || tally.limited > limited;
				tally.deepest = MAX(tally.deepest, stage->contact->count.deepest);
			}
			stage_free(stage);
		}
		cr_log_info("%-15s %lu impacts, %lu of them to the limit, layer %u; 0 penetrations in %lu segments, %lu of them "
		            "decided exactly",
		    names[meeting], (unsigned long)tally.impacts, (unsigned long)tally.limited, tally.deepest,
		    (unsigned long)tally.segments, (unsigned long)tally.sweeps.exactly);
		cr_assert(tally.limited > 0 && tally.limited < tally.impacts);
	}
}

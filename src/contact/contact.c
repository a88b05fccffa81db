#include "contact/contact.h"
#include "contact/penalty.h"
#include "contact/touch.h"
#include "core/error.h"
#include "core/stopwatch.h"
#include <string.h>

/* Gershgorin: a leapfrog is stable while step^2 times the row sum of stiffness over mass is below 4. Beyond this the step
 * is halved; the difference is for the layers above and below, which act on the same vertices. */
#define MOST_STEP2_ROW 3.0
/* Below this many pairs a team of threads costs more than it saves. */
enum { FEWEST_FOR_THREADS = 64 };
/* Ticks between two looks for memories that are void. */
enum { SWEEP_EVERY = 4096 };

/* A tick stands for the step around it. The last tick with one twice as long stood for the time until the first with this
 * step, h. So the first two stand for three halves of h from there on: as 3/8 and 9/8 of h, whose sum and first moment are
 * those of that time. One half and one would do too, were kicks before their time not a loss of energy. */
static double tick_weight(const LayerClock *clock)
{
	if (clock->halvings == 0 || clock->clock.tick > clock->first + 1)
		return clock_weight(&clock->clock);
	return (clock->clock.tick == clock->first ? 0.375 : 1.125) * clock->clock.step;
}

static double unrefined_step(const Contact *contact, uint32_t layer, uint16_t bin)
{
	return surface_bin_step(contact->surface, bin) * contact->layers->step_ratio[layer];
}

static void wake(void *context, uint32_t layer, uint16_t bin, double time)
{
	Contact *contact = context;
	LayerClock *clock = touch_clock(contact, layer, bin);
	if (clock->handle.generation != 0)
		return;
	clock->clock.tick = contact->at_start ? 0 : clock_tick_after(clock->clock.step, time);
	uint32_t id = contact->first_id + (layer - 1) * contact->surface->n_bins + bin;
	clock->handle = avi_schedule(contact->avi, clock_time(&clock->clock), AVI_FORCE, id);
	avi_note(contact->avi, "first tick at %.9g s", clock_time(&clock->clock));
}

static double interval(void *context, uint32_t layer, uint16_t bin)
{
	return touch_clock(context, layer, bin)->clock.step;
}

static double next_tick(void *context, uint32_t layer, uint16_t bin)
{
	return clock_time(&touch_clock(context, layer, bin)->clock);
}

static void reach_limit(void *context, const ContactPair *pair, double time)
{
	Contact *contact = context;
	if (!contact->limit.reached)
		contact->limit = (ContactLimit){true, *pair, contact->last_layer, time};
}

/* The last layer whose steps time can resolve in every bin, at the end of the run. */
static uint32_t resolved_layers(const Contact *contact)
{
	double least = 1000.0 * (nextafter(contact->end, INFINITY) - contact->end);
	uint32_t layer = contact->layers->max_layer;
	while (layer > 1 && unrefined_step(contact, layer + 1, 0) < least)
		layer--;
	return layer;
}

static void make_clocks(Contact *contact)
{
	contact->last_layer = resolved_layers(contact) + 1;
	contact->clock = g_new0(LayerClock, (size_t)contact->last_layer * contact->surface->n_bins + 1);
	for (uint32_t layer = 1; layer <= contact->last_layer; layer++)
		for (uint16_t bin = 0; bin < contact->surface->n_bins; bin++)
			touch_clock(contact, layer, bin)->clock.step = unrefined_step(contact, layer, bin);
}

Contact *contact_new(const World *world, const ContactRule *rule, Flight *flight, Avi *avi, uint32_t first_id, double end)
{
	static const DetectorClass *const classes[] = {
	    [DETECT_NAIVE] = &detector_naive, [DETECT_BRUTE] = &detector_brute, [DETECT_TUBE] = &detector_tube,
	    [DETECT_CONE] = &detector_cone, [DETECT_GRID] = &detector_grid};
	Contact *contact = g_new0(Contact, 1);
	size_t n = world_vertex_count(world) + 1u;
	contact->world = world;
	contact->rule = rule;
	contact->flight = flight;
	contact->avi = avi;
	contact->first_id = first_id;
	contact->end = end;
	contact->threads = 1;
	contact->layers = layers_new(rule->eta1, rule->eta_quarters, rule->r1, rule->r_quarters, rule->max_layer);
	contact->surface = surface_new(world, rule, layers_step_scale(rule->r1, rule->safety, rule->accuracy));
	make_clocks(contact);
	contact->memory = memory_new();
	contact->impulse = g_new0(Vec3, n);
	contact->row = g_new0(double, n);
	contact->crowd = g_new0(uint32_t, n);
	contact->is_touched = g_new0(uint8_t, n);
	contact->touched = g_new0(uint32_t, n);
	contact->force = g_new0(Vec3, n);
	contact->is_grouped = g_new0(uint8_t, n);
	contact->group = g_new0(uint32_t, n);
	contact->count.smallest_gap = INFINITY;
	DetectorSite site = {.surface = contact->surface,
	    .layers = contact->layers,
	    .flight = flight,
	    .avi = avi,
	    .last_layer = contact->last_layer,
	    .near_field = rule->near_field,
	    .certificates = rule->certificates,
	    .grid = rule->grid,
	    .threads = &contact->threads,
	    .context = contact,
	    .wake = wake,
	    .interval = interval,
	    .next_tick = next_tick,
	    .limit = reach_limit};
	bool by_grid = rule->detect == DETECT_CONE && rule->certificates.broad_phase == BROAD_GRID;
	contact->detector = (by_grid ? &detector_grid : classes[rule->detect])->new(&site);
	return contact;
}

void contact_free(Contact *contact)
{
	if (contact == NULL)
		return;
	contact->detector->class->free(contact->detector);
	memory_free(contact->memory);
	surface_free(contact->surface);
	layers_free(contact->layers);
	void *arrays[] = {contact->clock, contact->gap, contact->closest, contact->penalty, contact->impulse, contact->row, contact->crowd,
	    contact->is_touched, contact->touched, contact->force, contact->is_grouped, contact->group};
	for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
		g_free(arrays[i]);
	g_free(contact);
}

double contact_void_before(const Contact *contact, double time)
{
	/* Two ticks of the slowest clock of layer 1. */
	return time - 2.0 * surface_bin_step(contact->surface, (uint16_t)(contact->surface->n_bins - 1));
}

double contact_least_step(const Contact *contact)
{
	double least = INFINITY;
	for (uint32_t i = 0; i < contact_events(contact); i++)
		least = fmin(least, contact->clock[i].clock.step);
	return least;
}

uint32_t contact_events(const Contact *contact)
{
	return contact->last_layer * contact->surface->n_bins;
}

static bool fail_limit(const Contact *contact, GError **error)
{
	const ContactLimit *limit = &contact->limit;
	const ContactPair *pair = &limit->pair;
	g_autofree char *name = surface_pair_name(contact->surface, pair);
	Vec3 x[PAIR_MOST_CORNERS];
	touch_corners(contact, pair, limit->time, x);
	double gap = distance_closest(pair->kind, x).distance - pair->offset;
	bool by_time = contact->last_layer <= contact->layers->max_layer;
	const UnitSystem *units = contact->world->units;
	return error_set(error, CINCH_ERROR_LIMIT,
	    "stopped at t = %.9g s: %s, at (%.6g, %.6g, %.6g), have come as close as %.3g %s, below layer %u, %s; "
	    "the layers there hold %.3g %s; a larger contact.r1 or contact.eta1 stops them earlier",
	    limit->time, name, x[0].x, x[0].y, x[0].z, gap, units->length, contact->last_layer - 1,
	    by_time ? "the last whose step time can resolve" : "the last that contact.max_layer allows",
	    layers_energy(contact->layers, contact->last_layer, gap), units->energy);
}

static bool good(const Contact *contact, GError **error)
{
	return !contact->limit.reached || fail_limit(contact, error);
}

static void stop_clocks(Contact *contact)
{
	for (size_t i = 0; i < contact_events(contact); i++) {
		queue_remove(contact->avi->queue, contact->clock[i].handle);
		contact->clock[i].handle = (QueueHandle){0, 0};
	}
}

void contact_reset(Contact *contact)
{
	size_t n = world_vertex_count(contact->world);
	stop_clocks(contact);
	for (uint32_t layer = 1; layer <= contact->last_layer; layer++)
		for (uint16_t bin = 0; bin < contact->surface->n_bins; bin++)
			contact_refine(contact, layer, bin, 0, 0);
	contact->limit.reached = false;
	/* A tick that failed may have left something here. */
	memset(contact->impulse, 0, n * sizeof *contact->impulse);
	memset(contact->row, 0, n * sizeof *contact->row);
	memset(contact->crowd, 0, n * sizeof *contact->crowd);
	memset(contact->is_touched, 0, n * sizeof *contact->is_touched);
	memset(contact->force, 0, n * sizeof *contact->force);
	memset(contact->is_grouped, 0, n * sizeof *contact->is_grouped);
}

void contact_refine(Contact *contact, uint32_t layer, uint16_t bin, uint8_t halvings, uint64_t first)
{
	LayerClock *clock = touch_clock(contact, layer, bin);
	clock->halvings = halvings;
	clock->first = first;
	clock->clock.step = ldexp(unrefined_step(contact, layer, bin), -halvings);
}

bool contact_start(Contact *contact, double time, GError **error)
{
	contact->at_start = time == 0.0;
	contact->detector->class->start(contact->detector, time);
	contact->at_start = false;
	return good(contact, error);
}

bool contact_rebuild(Contact *contact, double time, GError **error)
{
	stop_clocks(contact);
	contact->detector->class->start(contact->detector, time);
	return good(contact, error);
}

/* Builds with -Dvalidate=true look now and then whether the detector still keeps its word. */
static bool validate_now_and_then(Contact *contact, double time, GError **error)
{
#ifdef CINCH_VALIDATE
	enum { EVERY = 499, LARGEST = 300 };
	if (++contact->changes % EVERY != 0 || world_vertex_count(contact->world) > LARGEST || contact->limit.reached)
		return true;
	g_autofree char *wrong = contact->detector->class->validate(contact->detector, time);
	return wrong == NULL || error_set(error, CINCH_ERROR_FAILED, "detection at t = %.17g s: %s", time, wrong);
#else
	(void)contact;
	(void)time;
	(void)error;
	return true;
#endif
}

bool contact_changed(Contact *contact, double time, const uint32_t *vertex, size_t n, GError **error)
{
	double began = stopwatch_seconds();
	contact->detector->class->changed(contact->detector, time, vertex, n);
	contact->count.certificate_seconds += stopwatch_seconds() - began;
	return good(contact, error) && validate_now_and_then(contact, time, error);
}

bool contact_certificate(Contact *contact, uint32_t id, double time, double *next, GError **error)
{
	double began = stopwatch_seconds();
	contact->detector->class->act(contact->detector, id, time, next);
	contact->count.certificate_seconds += stopwatch_seconds() - began;
	return good(contact, error);
}

static void reserve(Contact *contact, size_t n)
{
	if (n <= contact->capacity)
		return;
	contact->capacity = n + n / 2;
	contact->gap = g_renew(double, contact->gap, contact->capacity);
	contact->closest = g_renew(Closest, contact->closest, contact->capacity);
	contact->penalty = g_renew(Penalty, contact->penalty, contact->capacity);
}

typedef struct {
	Contact *contact;
	const ContactPair *const *pairs;
	uint32_t layer;
	double time;
} Measurement;

static void measure_some(void *data, size_t begin, size_t end, unsigned thread)
{
	(void)thread;
	const Measurement *measurement = data;
	Contact *contact = measurement->contact;
	PenaltySite site = {contact->surface, contact->layers, contact->flight, measurement->time};
	double eta = contact->layers->eta[measurement->layer];
	for (size_t i = begin; i < end; i++) {
		const ContactPair *pair = measurement->pairs[i];
		Vec3 x[PAIR_MOST_CORNERS];
		touch_corners(contact, pair, measurement->time, x);
		contact->closest[i] = distance_closest(pair->kind, x);
		contact->gap[i] = contact->closest[i].distance - pair->offset;
		if (contact->gap[i] < eta && contact->gap[i] > 0.0)
			contact->penalty[i] = penalty_of(&site, pair, measurement->layer, x, &contact->closest[i]);
	}
}

/* Gaps of all candidates, and what the layer does to those in range: each by itself, so in any number of threads. */
static void measure(Contact *contact, const ContactPair *const *pairs, size_t n, uint32_t layer, double time)
{
	Measurement measurement = {contact, pairs, layer, time};
	reserve(contact, n);
	team_share(&contact->team, contact->threads, n, (TeamCut){.fewest = FEWEST_FOR_THREADS}, measure_some, &measurement);
}

/* See touch_is_same(). */
typedef struct {
	uint32_t layer;
	double time, weight;      /* [s] that the tick stands for */
	const ContactPair *pair;  /* the closest of its pairs */
	const Closest *closest;
	uint64_t key;             /* of its memory */
	Vec3 force;               /* on the first primitive */
	size_t n;                 /* vertices in contact->group */
} TouchGroup;

/* Adds a pair to the group. */
static void join(
    Contact *contact, TouchGroup *group, const ContactPair *pair, const Closest *closest, const Penalty *penalty)
{
	if (penalty->energy == 0.0) /* edges on flat ground */
		return;
	if (group->n == 0) {
		group->key = touch_key(contact, pair);
		group->force = vec3(0, 0, 0);
	}
	if (group->n == 0 || closest->distance - pair->offset < group->closest->distance - group->pair->offset) {
		group->pair = pair;
		group->closest = closest;
	}
	group->force = vec3_add(group->force, penalty->push);
	for (int i = 0; i < penalty->n; i++) {
		uint32_t vertex = penalty->vertex[i];
		if (!contact->is_grouped[vertex]) {
			contact->is_grouped[vertex] = 1;
			contact->group[group->n++] = vertex;
		}
		contact->force[vertex] = vec3_add(contact->force[vertex], penalty->force[i]);
		if (i >= distance_corners[pair->kind])
			continue;
		contact->row[vertex] += penalty->row[i];
		contact->crowd[vertex]++;
	}
}

static void give(Contact *contact, uint32_t vertex, Vec3 impulse)
{
	if (!contact->is_touched[vertex]) {
		contact->is_touched[vertex] = 1;
		contact->touched[contact->n_touched++] = vertex;
	}
	contact->impulse[vertex] = vec3_add(contact->impulse[vertex], impulse);
}

/* With what this tick has given so far. */
static Vec3 velocity_of(const Contact *contact, uint32_t vertex)
{
	const Flight *flight = &contact->flight[vertex];
	return vec3_madd(flight->v, flight->inverse_mass, contact->impulse[vertex]);
}

/* The time of the latest tick of layer 1 before this one; negative: there was none. */
static double tick_before(const Contact *contact, const TouchGroup *group)
{
	const Clock *first = &touch_clock(contact, 1, group->pair->bin)->clock;
	uint64_t after = clock_tick_after(first->step, group->time);
	double before = (double)(after - 1) * first->step;
	if (before == group->time)
		before = after > 1 ? (double)(after - 2) * first->step : -1.0;
	return before;
}

/* Anchors the tangential spring where the closest points are, stretched like this. */
static void anchor(const Contact *contact, const TouchGroup *group, Vec3 stretch, PairMemory *memory)
{
	memory_anchor(memory, group->pair->vertex, group->closest->weight, distance_corners[group->pair->kind]);
	memory->stretch = stretch;
	memory->way.stretch = memory_stretch(memory, contact->flight, group->time);
}

/* The memory of a group; a new one is anchored where the closest points are. */
static PairMemory *remember(Contact *contact, const TouchGroup *group, double before)
{
	bool is_new;
	PairMemory *memory = memory_recall(contact->memory, group->key, group->time, before, &is_new);
	if (is_new)
		anchor(contact, group, vec3(0, 0, 0), memory);
	return memory;
}

/* Relative to the second primitive: how fast the group's potential falls per unit of its force, its effective mass
 * against that force and along the surface, how the first primitive moves, and how far it is from its anchor. */
static void look_at(const Contact *contact, const TouchGroup *group, const PairMemory *memory, double size, ResponseInput *input)
{
	double power = 0.0, power_before = 0.0, inverse_mass = 0.0, inverse_mass_along = 0.0;
	for (size_t i = 0; i < group->n; i++) {
		uint32_t vertex = contact->group[i];
		power += vec3_dot(contact->force[vertex], velocity_of(contact, vertex));
		power_before += vec3_dot(contact->force[vertex], contact->flight[vertex].v);
		inverse_mass += vec3_norm2(contact->force[vertex]) * contact->flight[vertex].inverse_mass;
	}
	input->rate = power / size;
	input->rate_before = power_before / size;
	input->mass = size * size / inverse_mass;
	for (int c = 0; c < distance_corners[group->pair->kind]; c++) {
		uint32_t vertex = group->pair->vertex[c];
		double w = group->closest->weight[c];
		input->velocity = vec3_madd(input->velocity, w, velocity_of(contact, vertex));
		inverse_mass_along += w * w * contact->flight[vertex].inverse_mass;
	}
	input->mass_along = 1.0 / inverse_mass_along;
	input->stretch = memory_stretch(memory, contact->flight, group->time);
}

/* How fast the gap has opened since the tick of layer 1 before this one; INFINITY: unknown. */
static double measure_opening(const TouchGroup *group, double gap, double before, const PairWay *way)
{
	return way->time >= before ? (gap - way->gap) / (group->time - way->time) : INFINITY;
}

/* Gives a group's impulses with losses. */
static void settle_with_losses(Contact *contact, const TouchGroup *group, double size, Account *account)
{
	const Layers *layers = contact->layers;
	double gap = group->closest->distance - group->pair->offset, depth = layers->eta[group->layer] - gap;
	double before = tick_before(contact, group), share = size / depth / layers->stiffness[group->layer];
	double first_step = touch_clock(contact, 1, group->pair->bin)->clock.step;
	PairMemory *memory = remember(contact, group, before);
	if (group->layer == 1)
		memory->opening = measure_opening(group, gap, before, &memory->way);
	ResponseInput input = {
	    .law = group->pair->law,
	    .restitution_model = contact->rule->restitution_model,
	    .friction_model = contact->rule->friction_model,
	    .slow_step = fmax(contact->rule->slow_step, group->weight),
	    .step = group->weight,
	    .time = group->time,
	    .age = group->time - memory->since,
	    .gap = gap,
	    .is_first = group->layer == 1,
	    .stiffness = size / depth,
	    .elastic = group->weight * size,
	    .first_stiffness = share * layers->stiffness[1],
	    .first = share * layers->stiffness[1] * (layers->eta[1] - gap) * first_step,
	    .depth_ratio = (layers->eta[1] - gap) / depth,
	    .normal = vec3_scale(1.0 / size, group->force),
	};
	/* Between two kicks against gravity a speed of up to half of this comes and goes. */
	input.rest_speed = fmax(contact->rule->rest_speed, 2.0 * contact->rule->gravity * input.slow_step);
	look_at(contact, group, memory, size, &input);
	Response response = response_of(&input, memory);
	for (size_t i = 0; i < group->n; i++)
		give(contact, contact->group[i], vec3_scale(response.normal / size, contact->force[contact->group[i]]));
	for (int c = 0; c < distance_corners[group->pair->kind]; c++)
		give(contact, group->pair->vertex[c], vec3_scale(group->closest->weight[c], response.tangential));
	if (response.slips)
		anchor(contact, group, response.stretch, memory);
	account->work[WORK_RESTITUTION] -= response.lost_restitution;
	account->work[WORK_FRICTION] -= response.lost_friction;
	/* Friction acts across the gap: equal and opposite, but not along one line. */
	Vec3 arm = vec3_scale(group->closest->distance, group->closest->normal);
	account->angular_impulse = vec3_add(account->angular_impulse, vec3_cross(arm, response.tangential));
}

/* Gives the impulses of a group to its vertices, and clears it. */
static void settle(Contact *contact, TouchGroup *group, Account *account)
{
	const ContactLaw *law = group->pair->law;
	double size = vec3_norm(group->force);
	/* What is left of a contact at the rim of a surface, whose inside is another's, may pull; it is a correction, and
	 * loses nothing. */
	bool pushes = size > 0.0 && vec3_dot(group->force, group->closest->normal) > 0.0;
	if (pushes && (law->restitution < 1.0 || law->friction > 0.0))
		settle_with_losses(contact, group, size, account);
	else
		for (size_t i = 0; i < group->n; i++)
			give(contact, contact->group[i], vec3_scale(group->weight, contact->force[contact->group[i]]));
	for (size_t i = 0; i < group->n; i++) {
		contact->force[contact->group[i]] = vec3(0, 0, 0);
		contact->is_grouped[contact->group[i]] = 0;
	}
	group->n = 0;
}

/* What a held vertex gets comes back from whoever holds it. */
static void enter_held(const Flight *flight, double time, Vec3 impulse, Account *account)
{
	account->work[WORK_SCRIPTS] -= vec3_dot(impulse, flight->v);
	account->impulse = vec3_sub(account->impulse, impulse);
	account->angular_impulse =
	    vec3_sub(account->angular_impulse, vec3_cross(flight_position(flight, time), impulse));
}

/* Applies the sums and clears them; returns the largest row sum of stiffness over mass, or NaN when some impulse or velocity
 * is not finite. */
static double apply(Contact *contact, size_t n, double stiffness, double time, Account *account)
{
	double most = 0.0;
	Vec3 sum = vec3(0, 0, 0);
	for (size_t i = 0; i < n; i++) {
		uint32_t vertex = contact->touched[i];
		Flight *flight = &contact->flight[vertex];
		most = fmax(most, stiffness * contact->row[vertex] * flight->inverse_mass);
		contact->count.most_crowded = MAX(contact->count.most_crowded, contact->crowd[vertex]);
		if (flight->inverse_mass == 0.0)
			enter_held(flight, time, contact->impulse[vertex], account);
		flight_kick(flight, time, contact->impulse[vertex]);
		sum = vec3_add(sum, vec3_add(contact->impulse[vertex], flight->v));
		contact->impulse[vertex] = vec3(0, 0, 0);
		contact->row[vertex] = 0.0;
		contact->crowd[vertex] = 0;
		contact->is_touched[vertex] = 0;
	}
	return vec3_is_finite(sum) ? most : NAN;
}

static bool has_corner(const ContactPair *pair, uint32_t vertex)
{
	for (int c = 0; c < distance_corners[pair->kind]; c++)
		if (pair->vertex[c] == vertex)
			return true;
	return false;
}

/* Names the pair in range of the first vertex whose velocity is not finite; of held vertices, which keep theirs, any. */
static bool fail_not_finite(
    const Contact *contact, const ContactPair *const *pairs, size_t n, uint32_t layer, double time, GError **error)
{
	size_t i = 0, found = 0;
	while (i + 1 < contact->n_touched && vec3_is_finite(contact->flight[contact->touched[i]].v))
		i++;
	for (size_t p = n; p-- > 0;)
		if (contact->gap[p] < contact->layers->eta[layer] && has_corner(pairs[p], contact->touched[i]))
			found = p;
	g_autofree char *name = surface_pair_name(contact->surface, pairs[found]);
	return error_set(error, CINCH_ERROR_FAILED,
	    "the motion broke down at t = %.9g s: what layer %u gives vertex %u, from %s, is not finite; smaller steps "
	    "(contact.safety) or a smaller contact.r1 may help",
	    time, layer, contact->touched[i], name);
}

static bool fail_step(const ContactPair *pair, const Contact *contact, uint32_t layer, double time, GError **error)
{
	g_autofree char *name = surface_pair_name(contact->surface, pair);
	return error_set(error, CINCH_ERROR_LIMIT,
	    "stopped at t = %.9g s: so much comes together around %s that the steps of layer %u would be below what time can "
	    "resolve; a larger contact.eta1 or a smaller contact.r1 may help",
	    time, name, layer);
}

static bool fail_touching(const Contact *contact, const ContactPair *pair, double time, double gap, GError **error)
{
	g_autofree char *name = surface_pair_name(contact->surface, pair);
	return error_set(error, CINCH_ERROR_FAILED, "at t = %.9g s the gap of %s is %g: this must not happen", time, name, gap);
}

static void count_in_range(Contact *contact, uint32_t layer, double gap)
{
	contact->count.in_range++;
	contact->count.smallest_gap = fmin(contact->count.smallest_gap, gap);
	contact->count.deepest = MAX(contact->count.deepest, layer);
}

/* All pairs in range, in the order of their keys. Returns the candidate that touches, or n. */
static size_t act_on_all(Contact *contact, const ContactPair *const *pairs, size_t n, uint32_t layer, double time,
    double weight, Account *account)
{
	double eta = contact->layers->eta[layer];
	TouchGroup group = {.layer = layer, .time = time, .weight = weight};
	contact->n_touched = 0;
	for (size_t i = 0; i < n; i++) {
		if (contact->gap[i] >= eta)
			continue;
		if (!(contact->gap[i] > 0.0))
			return i;
		count_in_range(contact, layer, contact->gap[i]);
		if (layer == contact->last_layer)
			reach_limit(contact, pairs[i], time);
		if (group.n > 0 && !touch_is_same(contact, group.pair, pairs[i]))
			settle(contact, &group, account);
		join(contact, &group, pairs[i], &contact->closest[i], &contact->penalty[i]);
	}
	if (group.n > 0)
		settle(contact, &group, account);
	return n;
}

static void note_tick(const Contact *contact, uint32_t layer, double step, size_t n, size_t n_touched)
{
	const UnitSystem *units = contact->world->units;
	size_t in_range = 0;
	double least = INFINITY, sum = 0.0;
	for (size_t i = 0; i < n; i++) {
		in_range += contact->gap[i] < contact->layers->eta[layer];
		least = fmin(least, contact->gap[i]);
	}
	for (size_t i = 0; i < n_touched; i++)
		sum += vec3_norm(contact->impulse[contact->touched[i]]);
	/* What one side of the pairs gets, the other gets too: half of the sum is what passed between them. */
	if (in_range > 0)
		avi_note(contact->avi, "tick of layer %u (step %.3g s): %zu of %zu pairs in range, gap %.4g %s, impulse %.3g %s",
		    layer, step, in_range, n, least, units->length, 0.5 * sum, units->momentum);
	else if (n > 0)
		avi_note(contact->avi, "tick of layer %u (step %.3g s): 0 of %zu pairs in range, gap %.4g %s", layer, step, n,
		    least, units->length);
	else
		avi_note(contact->avi, "tick of layer %u (step %.3g s): no pair is awake, the clock stops", layer, step);
}

bool contact_tick(Contact *contact, uint32_t id, double time, Account *account, double *next, GError **error)
{
	double began = stopwatch_seconds();
	uint32_t place = id - contact->first_id, n_bins = contact->surface->n_bins;
	uint32_t layer = place / n_bins + 1;
	uint16_t bin = (uint16_t)(place % n_bins);
	LayerClock *clock = touch_clock(contact, layer, bin);
	Detector *detector = contact->detector;
	const ContactPair *const *pairs;
	size_t n = detector->class->candidates(detector, layer, bin, time, &pairs);
	double weight = tick_weight(clock);
	bool is_first = clock->halvings > 0 && clock->clock.tick == clock->first;
	if (++contact->count.ticks % SWEEP_EVERY == 0) /* what this forgets is void already */
		memory_sweep(contact->memory, contact_void_before(contact, time));
	contact->count.evaluations += n;
	measure(contact, pairs, n, layer, time);
	size_t failed = act_on_all(contact, pairs, n, layer, time, weight, account);
	if (failed < n)
		return fail_touching(contact, pairs[failed], time, contact->gap[failed], error);
	if (contact->avi->trace != NULL)
		note_tick(contact, layer, clock->clock.step, n, contact->n_touched);
	detector->class->measured(detector, layer, bin, time, contact->gap);
	double row = apply(contact, contact->n_touched, contact->layers->stiffness[layer], time, account);
	if (isnan(row))
		return fail_not_finite(contact, pairs, n, layer, time, error);
	clock->clock.tick++;
	if (row * clock->clock.step * clock->clock.step > MOST_STEP2_ROW && !is_first) {
		if (0.5 * clock->clock.step < clock_resolution(contact->end))
			return fail_step(pairs[0], contact, layer, time, error);
		/* Tick k at the old step is tick 2k at half of it. */
		clock->clock.tick = 2 * clock->clock.tick - 1;
		clock->clock.step *= 0.5;
		clock->first = clock->clock.tick;
		clock->halvings++;
		contact->count.halvings++;
		avi_note(contact->avi, "too crowded for that step: half of it from now on");
	}
	contact->count.layer_seconds += stopwatch_seconds() - began;
	*next = n > 0 ? clock_time(&clock->clock) : INFINITY;
	if (n == 0)
		clock->handle = (QueueHandle){0, 0};
	return contact->n_touched > 0 ? contact_changed(contact, time, contact->touched, contact->n_touched, error) : good(contact, error);
}

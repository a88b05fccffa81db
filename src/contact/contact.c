#include "contact/contact.h"
#include "core/error.h"
#include "core/stopwatch.h"
#include <omp.h>
#include <string.h>

/* Gershgorin: a leapfrog is stable while step^2 times the row sum of stiffness over mass is below 4. Beyond this the step
 * is halved; the difference is for the layers above and below, which act on the same vertices. */
#define MOST_STEP2_ROW 3.0
/* Below this many pairs a team of threads costs more than it saves. */
enum { FEWEST_FOR_THREADS = 256 };

static LayerClock *clock_of(const Contact *contact, uint32_t layer, uint16_t bin)
{
	return &contact->clock[(size_t)(layer - 1) * contact->surface->n_bins + bin];
}

static double unrefined_step(const Contact *contact, uint32_t layer, uint16_t bin)
{
	return surface_bin_step(contact->surface, bin) * contact->layers->step_ratio[layer];
}

static void wake(void *context, uint32_t layer, uint16_t bin, double time)
{
	Contact *contact = context;
	LayerClock *clock = clock_of(contact, layer, bin);
	if (clock->handle.generation != 0)
		return;
	clock->clock.tick = contact->at_start ? 0 : clock_tick_after(clock->clock.step, time);
	uint32_t id = contact->first_id + (layer - 1) * contact->surface->n_bins + bin;
	clock->handle = avi_schedule(contact->avi, clock_time(&clock->clock), AVI_FORCE, id);
	avi_note(contact->avi, "first tick at %.9g s", clock_time(&clock->clock));
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
			clock_of(contact, layer, bin)->clock.step = unrefined_step(contact, layer, bin);
}

Contact *contact_new(const World *world, const ContactRule *rule, Flight *flight, Avi *avi, uint32_t first_id, double end)
{
	static const DetectorClass *const classes[] = {[DETECT_NAIVE] = &detector_naive, [DETECT_BRUTE] = &detector_brute};
	Contact *contact = g_new0(Contact, 1);
	size_t n = world_vertex_count(world) + 1u;
	contact->world = world;
	contact->rule = rule;
	contact->flight = flight;
	contact->avi = avi;
	contact->first_id = first_id;
	contact->end = end;
	contact->layers = layers_new(rule->eta1, rule->eta_quarters, rule->r1, rule->r_quarters, rule->max_layer);
	contact->surface = surface_new(world, rule, layers_step_scale(rule->r1, rule->safety, rule->accuracy));
	make_clocks(contact);
	contact->impulse = g_new0(Vec3, n);
	contact->row = g_new0(double, n);
	contact->crowd = g_new0(uint32_t, n);
	contact->is_touched = g_new0(uint8_t, n);
	contact->touched = g_new0(uint32_t, n);
	contact->count.smallest_gap = INFINITY;
	DetectorSite site = {contact->surface, contact->layers, flight, avi, contact->last_layer, contact, wake, reach_limit};
	contact->detector = classes[rule->detect]->new(&site);
	return contact;
}

void contact_free(Contact *contact)
{
	if (contact == NULL)
		return;
	contact->detector->class->free(contact->detector);
	surface_free(contact->surface);
	layers_free(contact->layers);
	void *arrays[] = {contact->clock, contact->gap, contact->closest, contact->impulse, contact->row, contact->crowd,
	    contact->is_touched, contact->touched};
	for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
		g_free(arrays[i]);
	g_free(contact);
}

uint32_t contact_events(const Contact *contact)
{
	return contact->last_layer * contact->surface->n_bins;
}

static void corners_at(const Contact *contact, const ContactPair *pair, double time, Vec3 *x)
{
	for (int c = 0; c < distance_corners[pair->kind]; c++)
		x[c] = flight_position(&contact->flight[pair->vertex[c]], time);
}

static bool fail_limit(const Contact *contact, GError **error)
{
	const ContactLimit *limit = &contact->limit;
	const ContactPair *pair = &limit->pair;
	g_autofree char *name = surface_pair_name(contact->surface, pair);
	Vec3 x[PAIR_MOST_CORNERS];
	corners_at(contact, pair, limit->time, x);
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
			contact_refine(contact, layer, bin, 0);
	contact->limit.reached = false;
	/* A tick that failed may have left something here. */
	memset(contact->impulse, 0, n * sizeof *contact->impulse);
	memset(contact->row, 0, n * sizeof *contact->row);
	memset(contact->crowd, 0, n * sizeof *contact->crowd);
	memset(contact->is_touched, 0, n * sizeof *contact->is_touched);
}

void contact_refine(Contact *contact, uint32_t layer, uint16_t bin, uint8_t halvings)
{
	LayerClock *clock = clock_of(contact, layer, bin);
	clock->halvings = halvings;
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
static void validate_now_and_then(Contact *contact, double time)
{
#ifdef CINCH_VALIDATE
	enum { EVERY = 499, LARGEST = 300 };
	if (++contact->changes % EVERY != 0 || world_vertex_count(contact->world) > LARGEST || contact->limit.reached)
		return;
	g_autofree char *wrong = contact->detector->class->validate(contact->detector, time);
	if (wrong != NULL)
		g_error("detection at t = %.17g s: %s", time, wrong);
#else
	(void)contact;
	(void)time;
#endif
}

bool contact_changed(Contact *contact, double time, const uint32_t *vertex, size_t n, GError **error)
{
	double began = stopwatch_seconds();
	contact->detector->class->changed(contact->detector, time, vertex, n);
	validate_now_and_then(contact, time);
	contact->count.certificate_seconds += stopwatch_seconds() - began;
	return good(contact, error);
}

bool contact_certificate(Contact *contact, uint32_t id, double time, double *next, GError **error)
{
	double began = stopwatch_seconds();
	contact->detector->class->act(contact->detector, id, time, next);
	contact->count.certificate_seconds += stopwatch_seconds() - began;
	return good(contact, error);
}

/* The forces of a layer on the corners of a pair in range; returns the weight of the pair. */
static double push(const Contact *contact, const ContactPair *pair, uint32_t layer, const Vec3 *x, const Closest *closest,
    Vec3 *force)
{
	double stiffness = contact->layers->stiffness[layer];
	double depth = contact->layers->eta[layer] - (closest->distance - pair->offset);
	int corners = distance_corners[pair->kind];
	double weight = 1.0;
	Vec3 slope[PAIR_MOST_CORNERS];
	if (pair->mollifier > 0.0)
		weight = distance_mollifier(x, pair->mollifier, slope);
	for (int c = 0; c < corners; c++)
		force[c] = vec3_scale(weight * stiffness * depth * closest->weight[c], closest->normal);
	if (weight < 1.0)
		for (int c = 0; c < corners; c++)
			force[c] = vec3_madd(force[c], -0.5 * stiffness * depth * depth, slope[c]);
	return weight;
}

static void reserve(Contact *contact, size_t n)
{
	if (n <= contact->capacity)
		return;
	contact->capacity = n + n / 2;
	contact->gap = g_renew(double, contact->gap, contact->capacity);
	contact->closest = g_renew(Closest, contact->closest, contact->capacity);
}

/* Gaps of all candidates: each by itself, so in any number of threads. */
static void measure(Contact *contact, const ContactPair *const *pairs, size_t n, double time, unsigned threads)
{
	reserve(contact, n);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && n >= FEWEST_FOR_THREADS)
	for (size_t i = 0; i < n; i++) {
		Vec3 x[PAIR_MOST_CORNERS];
		corners_at(contact, pairs[i], time, x);
		contact->closest[i] = distance_closest(pairs[i]->kind, x);
		contact->gap[i] = contact->closest[i].distance - pairs[i]->offset;
	}
}

/* Adds what a pair in range does to its vertices. Returns the number of touched vertices after it. */
static size_t add_impulses(
    Contact *contact, const ContactPair *pair, const Closest *closest, uint32_t layer, double time, double weight, size_t n)
{
	Vec3 x[PAIR_MOST_CORNERS], force[PAIR_MOST_CORNERS];
	corners_at(contact, pair, time, x);
	double mollified = push(contact, pair, layer, x, closest, force);
	for (int c = 0; c < distance_corners[pair->kind]; c++) {
		uint32_t vertex = pair->vertex[c];
		if (!contact->is_touched[vertex]) {
			contact->is_touched[vertex] = 1;
			contact->touched[n++] = vertex;
		}
		contact->impulse[vertex] = vec3_madd(contact->impulse[vertex], weight, force[c]);
		/* A row of the stiffness: |w_c| times the sum of all |w|, which is 2. */
		contact->row[vertex] += 2.0 * mollified * fabs(closest->weight[c]);
		contact->crowd[vertex]++;
	}
	return n;
}

/* What a held vertex gets comes back from whoever holds it. */
static void enter_held(const Flight *flight, double time, Vec3 impulse, Account *account)
{
	account->work[WORK_SCRIPTS] -= vec3_dot(impulse, flight->v);
	account->impulse = vec3_sub(account->impulse, impulse);
	account->angular_impulse =
	    vec3_sub(account->angular_impulse, vec3_cross(flight_position(flight, time), impulse));
}

/* Applies the sums and clears them; returns the largest row sum of stiffness over mass. */
static double apply(Contact *contact, size_t n, double stiffness, double time, Account *account)
{
	double most = 0.0;
	for (size_t i = 0; i < n; i++) {
		uint32_t vertex = contact->touched[i];
		Flight *flight = &contact->flight[vertex];
		most = fmax(most, stiffness * contact->row[vertex] * flight->inverse_mass);
		contact->count.most_crowded = MAX(contact->count.most_crowded, contact->crowd[vertex]);
		if (flight->inverse_mass == 0.0)
			enter_held(flight, time, contact->impulse[vertex], account);
		flight_kick(flight, time, contact->impulse[vertex]);
		contact->impulse[vertex] = vec3(0, 0, 0);
		contact->row[vertex] = 0.0;
		contact->crowd[vertex] = 0;
		contact->is_touched[vertex] = 0;
	}
	return most;
}

static bool fail_touching(const Contact *contact, const ContactPair *pair, double time, double gap, GError **error)
{
	g_autofree char *name = surface_pair_name(contact->surface, pair);
	return error_set(error, CINCH_ERROR_FAILED, "at t = %.9g s the gap of %s is %g: this must not happen", time, name, gap);
}

/* All pairs in range, in the order of their keys. Returns the number of touched vertices, in *failed the candidate
 * that touches, or n. */
static size_t act_on_all(Contact *contact, const ContactPair *const *pairs, size_t n, uint32_t layer, double time,
    double weight, size_t *failed)
{
	double eta = contact->layers->eta[layer];
	size_t n_touched = 0;
	*failed = n;
	for (size_t i = 0; i < n; i++) {
		double gap = contact->gap[i];
		if (gap >= eta)
			continue;
		if (!(gap > 0.0)) {
			*failed = i;
			break;
		}
		contact->count.in_range++;
		contact->count.smallest_gap = fmin(contact->count.smallest_gap, gap);
		contact->count.deepest = MAX(contact->count.deepest, layer);
		if (layer == contact->last_layer)
			reach_limit(contact, pairs[i], time);
		n_touched = add_impulses(contact, pairs[i], &contact->closest[i], layer, time, weight, n_touched);
	}
	return n_touched;
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

bool contact_tick(Contact *contact, uint32_t id, double time, Account *account, unsigned threads, double *next, GError **error)
{
	double began = stopwatch_seconds();
	uint32_t place = id - contact->first_id, n_bins = contact->surface->n_bins;
	uint32_t layer = place / n_bins + 1;
	uint16_t bin = (uint16_t)(place % n_bins);
	LayerClock *clock = clock_of(contact, layer, bin);
	Detector *detector = contact->detector;
	const ContactPair *const *pairs;
	size_t n = detector->class->candidates(detector, layer, bin, time, &pairs), failed;
	double weight = clock_weight(&clock->clock);
	contact->count.ticks++;
	contact->count.evaluations += n;
	measure(contact, pairs, n, time, threads);
	size_t n_touched = act_on_all(contact, pairs, n, layer, time, weight, &failed);
	if (failed < n)
		return fail_touching(contact, pairs[failed], time, contact->gap[failed], error);
	if (contact->avi->trace != NULL)
		note_tick(contact, layer, clock->clock.step, n, n_touched);
	detector->class->measured(detector, layer, bin, time, contact->gap);
	double row = apply(contact, n_touched, contact->layers->stiffness[layer], time, account);
	clock->clock.tick++;
	if (row * clock->clock.step * clock->clock.step > MOST_STEP2_ROW) {
		/* Tick k at the old step is tick 2k at half of it. */
		clock->clock.tick = 2 * clock->clock.tick - 1;
		clock->clock.step *= 0.5;
		clock->halvings++;
		contact->count.halvings++;
		avi_note(contact->avi, "too crowded for that step: half of it from now on");
	}
	contact->count.layer_seconds += stopwatch_seconds() - began;
	*next = n > 0 ? clock_time(&clock->clock) : INFINITY;
	if (n == 0)
		clock->handle = (QueueHandle){0, 0};
	return n_touched > 0 ? contact_changed(contact, time, contact->touched, n_touched, error) : good(contact, error);
}

static void visit_pair(const Contact *contact, const ContactPair *pair, double time, ContactVisitor *visitor, void *data)
{
	Vec3 x[PAIR_MOST_CORNERS], force[PAIR_MOST_CORNERS];
	corners_at(contact, pair, time, x);
	Closest closest = distance_closest(pair->kind, x);
	double gap = closest.distance - pair->offset;
	for (uint32_t layer = 1; layer <= contact->last_layer && gap < contact->layers->eta[layer]; layer++) {
		double depth = contact->layers->eta[layer] - gap;
		double weight = push(contact, pair, layer, x, &closest, force);
		ContactVisit visit = {pair, layer, gap, 0.5 * weight * contact->layers->stiffness[layer] * depth * depth, x, force,
		    clock_lag(&clock_of(contact, layer, pair->bin)->clock, time)};
		visitor(&visit, data);
	}
}

void contact_visit(const Contact *contact, double time, ContactVisitor *visitor, void *data)
{
	const ContactPair *const *pairs;
	size_t n = contact->detector->class->near(contact->detector, time, &pairs);
	for (size_t i = 0; i < n; i++)
		visit_pair(contact, pairs[i], time, visitor, data);
}

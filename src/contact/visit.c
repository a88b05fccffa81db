/* What contact is like at an instant, for those who only look. */
#include "contact/touch.h"

static double lag_of(const LayerClock *clock, double time)
{
	if (clock->halvings == 0 || clock->clock.tick > clock->first + 1)
		return clock_lag(&clock->clock, time);
	return time - clock_time(&clock->clock) + (clock->clock.tick == clock->first ? 0.0 : 0.625 * clock->clock.step);
}

static void visit_pair(const Contact *contact, const ContactPair *pair, double time, ContactVisitor *visitor, void *data)
{
	Vec3 x[PAIR_MOST_CORNERS];
	touch_corners(contact, pair, time, x);
	Closest closest = distance_closest(pair->kind, x);
	double gap = closest.distance - pair->offset;
	PenaltySite site = {contact->surface, contact->layers, contact->flight, time};
	for (uint32_t layer = 1; layer <= contact->last_layer && gap < contact->layers->eta[layer]; layer++) {
		Penalty penalty = penalty_of(&site, pair, layer, x, &closest);
		ContactVisit visit = {pair, layer, gap, &penalty, lag_of(touch_clock(contact, layer, pair->bin), time)};
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

/* ---- friction ---- */

/* Pairs that act as one, at an instant. */
typedef struct {
	const ContactPair *const *pairs; /* (n) of them those of one bin */
	size_t n;
	uint16_t bin;
	double time;
	const ContactPair *closest_pair;
	Closest closest;
} Touch;

static double gap_of(const Contact *contact, const ContactPair *pair, double time, Vec3 *x, Closest *closest)
{
	touch_corners(contact, pair, time, x);
	*closest = distance_closest(pair->kind, x);
	return closest->distance - pair->offset;
}

/* What a layer pushes the first primitive with. Finds the closest pair. */
static Vec3 push_of(const Contact *contact, Touch *touch, uint32_t layer)
{
	PenaltySite site = {contact->surface, contact->layers, contact->flight, touch->time};
	Vec3 push = vec3(0, 0, 0);
	double least = INFINITY;
	for (size_t i = 0; i < touch->n; i++) {
		Vec3 x[PAIR_MOST_CORNERS];
		Closest closest;
		double gap = gap_of(contact, touch->pairs[i], touch->time, x, &closest);
		if (touch->pairs[i]->bin != touch->bin || gap >= contact->layers->eta[layer])
			continue;
		Penalty penalty = penalty_of(&site, touch->pairs[i], layer, x, &closest);
		if (penalty.energy == 0.0)
			continue;
		push = vec3_add(push, penalty.push);
		if (gap < least) {
			least = gap;
			touch->closest = closest;
			touch->closest_pair = touch->pairs[i];
		}
	}
	return push;
}

static const PairMemory *memory_of(const Contact *contact, const Touch *touch)
{
	const LayerClock *first = touch_clock(contact, 1, touch->bin);
	uint64_t key = touch_key(contact, touch->closest_pair);
	const PairMemory *memory = memory_find(contact->memory, key);
	if (memory == NULL || first->clock.tick == 0)
		return NULL;
	return memory->time < (double)(first->clock.tick - 1) * first->clock.step ? NULL : memory; /* void */
}

/* One layer's part; false: there is nothing in it. */
static bool visit_layer(const Contact *contact, Touch *touch, uint32_t layer, FrictionVisitor *visitor, void *data)
{
	Vec3 push = push_of(contact, touch, layer);
	double size = vec3_norm(push);
	if (!(size > 0.0))
		return false;
	const PairMemory *memory = memory_of(contact, touch);
	const ContactPair *pair = touch->closest_pair;
	const Layers *layers = contact->layers;
	double gap = touch->closest.distance - pair->offset;
	if (memory == NULL || vec3_dot(push, touch->closest.normal) <= 0.0)
		return true;
	ResponseInput input = {.law = pair->law, .friction_model = contact->rule->friction_model};
	input.normal = vec3_scale(1.0 / size, push);
	input.stiffness = size / (layers->eta[layer] - gap);
	input.depth_ratio = (layers->eta[1] - gap) / (layers->eta[layer] - gap);
	input.stretch = memory_stretch(memory, contact->flight, touch->time);
	double lag = lag_of(touch_clock(contact, layer, pair->bin), touch->time);
	FrictionVisit visit = {pair, &touch->closest, response_hold(&input, size), lag};
	visitor(&visit, data);
	return true;
}

static bool has_bin(const Touch *touch)
{
	for (size_t i = 0; i < touch->n; i++)
		if (touch->pairs[i]->bin == touch->bin)
			return true;
	return false;
}

void contact_visit_friction(const Contact *contact, double time, FrictionVisitor *visitor, void *data)
{
	const ContactPair *const *pairs;
	size_t n = contact->detector->class->near(contact->detector, time, &pairs);
	if (contact->rule->friction_model != FRICTION_SPRING)
		return;
	for (size_t i = 0; i < n;) {
		Touch touch = {.pairs = pairs + i, .n = 1, .time = time};
		while (i + touch.n < n && touch_is_same(contact, pairs[i], pairs[i + touch.n]))
			touch.n++;
		i += touch.n;
		if (!(touch.pairs[0]->law->friction > 0.0))
			continue;
		/* In the order of bins, whichever pairs out of range there are besides. */
		for (touch.bin = 0; touch.bin < contact->surface->n_bins; touch.bin++)
			for (uint32_t layer = 1; has_bin(&touch) && layer <= contact->last_layer; layer++)
				if (!visit_layer(contact, &touch, layer, visitor, data))
					break;
	}
}

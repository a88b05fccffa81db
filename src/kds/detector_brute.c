/* Brute force: the twin of every clever detector. It has no certificates, no hierarchy and no owners; it knows all pairs.
 *
 * Nothing comes closer faster than twice the largest speed. `travel` is the integral of that bound over time. A pair whose
 * gap was g when the travel was s cannot have a gap below g + s - travel: its `reach` is g + s. A tick examines every pair
 * of its bin but those whose reach says that they are out of range. Layers tick for all bins once the smallest reach of
 * all pairs says that one might be in range. */
#include "kds/detector.h"
#include <string.h>

/* Rounding of travel and reach, which are sums of many small ways: generous, since all it costs is an examination. */
#define SLACK 1e-6

typedef struct {
	Detector base;
	GArray *pair;          /* ContactPair, by key */
	double *reach;         /* [length] (pairs) */
	uint32_t *in_bin;      /* (pairs) indices of pairs, bin by bin, each by key */
	uint32_t *first;       /* (bins + 1) in in_bin */
	const ContactPair **found; /* (pairs) candidates of the last tick */
	uint32_t *found_index; /* (pairs) their indices */
	size_t n_found;
	double travel, time, speed; /* travel [length] at time [s], growing with speed */
	uint32_t awake;        /* layers that tick */
	QueueHandle event;     /* when the next layer may be reached */
	DetectorCount count;
} Brute;

static double travel_at(const Brute *brute, double time)
{
	return brute->travel + (time - brute->time) * brute->speed;
}

static double largest_speed(const Brute *brute)
{
	const Surface *surface = brute->base.site.surface;
	double most = 0.0;
	for (uint32_t e = 0; e < surface->n_elements; e++)
		for (int c = 0; c < surface->element[e].corners; c++)
			most = fmax(most, vec3_norm2(brute->base.site.flight[surface->element[e].vertex[c]].v));
	return sqrt(most);
}

static double gap_at(const Brute *brute, const ContactPair *pair, double time)
{
	Vec3 x[PAIR_MOST_CORNERS];
	for (int c = 0; c < distance_corners[pair->kind]; c++)
		x[c] = flight_position(&brute->base.site.flight[pair->vertex[c]], time);
	return distance_closest(pair->kind, x).distance - pair->offset;
}

static double slack(const Brute *brute)
{
	return SLACK * brute->base.site.layers->eta[1];
}

/* The least gap that any pair can have, with the gaps of all pairs that seem to be below `below` measured. */
static double least_gap(Brute *brute, double time, double below, uint32_t *which)
{
	double travel = travel_at(brute, time), least = INFINITY;
	for (uint32_t i = 0; i < brute->pair->len; i++) {
		if (brute->reach[i] - travel < below + slack(brute))
			brute->reach[i] = gap_at(brute, &g_array_index(brute->pair, ContactPair, i), time) + travel;
		if (brute->reach[i] - travel < least) {
			least = brute->reach[i] - travel;
			*which = i;
		}
	}
	return least;
}

static void wake_layer(Brute *brute, uint32_t layer, double time)
{
	const DetectorSite *site = &brute->base.site;
	avi_note(site->avi, "layer %u wakes for all", layer);
	for (uint16_t bin = 0; bin < site->surface->n_bins; bin++)
		if (brute->first[bin] < brute->first[bin + 1])
			site->wake(site->context, layer, bin, time);
}

/* When the layer after the last that ticks may be reached; examines all pairs, and lets layers tick, until that is not
 * now. */
static double next_time(Brute *brute, double time)
{
	const DetectorSite *site = &brute->base.site;
	uint32_t which = 0;
	double gap = least_gap(brute, time, site->layers->wake[brute->awake + 1], &which);
	while (gap < site->layers->wake[brute->awake + 1]) {
		if (brute->awake == site->last_layer) {
			site->limit(site->context, &g_array_index(brute->pair, ContactPair, which), time);
			return INFINITY;
		}
		wake_layer(brute, ++brute->awake, time);
		gap = least_gap(brute, time, site->layers->wake[brute->awake + 1], &which);
	}
	/* Two layers that tick in vain may stop. */
	while (brute->awake > 0 && gap > site->layers->wake[brute->awake] * 1.1)
		brute->awake--;
	double way = gap - site->layers->eta[brute->awake + 1] - slack(brute);
	return brute->speed > 0.0 ? time + fmax(way, 0.0) / brute->speed : INFINITY;
}

static void schedule(Brute *brute, double time)
{
	double next = next_time(brute, time);
	brute->count.rescheduled++;
	if (!queue_update(brute->base.site.avi->queue, brute->event, next))
		brute->event = avi_schedule(brute->base.site.avi, next, AVI_CERTIFICATE, 0);
}

static void changed(Detector *detector, double time, const uint32_t *vertex, size_t n)
{
	(void)vertex;
	(void)n;
	Brute *brute = (Brute *)detector;
	brute->travel = travel_at(brute, time);
	brute->time = time;
	brute->speed = 2.0 * largest_speed(brute);
	schedule(brute, time);
}

static void act(Detector *detector, uint32_t id, double time, double *next)
{
	(void)id;
	Brute *brute = (Brute *)detector;
	brute->count.failed++;
	*next = next_time(brute, time);
	avi_note(detector->site.avi, "all %u pairs looked at; none reaches layer %u until %.9g s", brute->pair->len,
	    brute->awake + 1, *next);
	if (*next == INFINITY)
		brute->event = (QueueHandle){0, 0};
}

static void sort_into_bins(Brute *brute)
{
	uint32_t n = brute->pair->len, n_bins = brute->base.site.surface->n_bins, place = 0;
	brute->in_bin = g_renew(uint32_t, brute->in_bin, n + 1u);
	brute->first = g_renew(uint32_t, brute->first, n_bins + 1u);
	brute->first[0] = 0;
	for (uint32_t bin = 0; bin < n_bins; bin++) {
		for (uint32_t i = 0; i < n; i++)
			if (g_array_index(brute->pair, ContactPair, i).bin == bin)
				brute->in_bin[place++] = i;
		brute->first[bin + 1] = place;
	}
}

/* Lists the pairs that there are: some go when a body is taken away. */
static void list_pairs(Brute *brute)
{
	g_clear_pointer(&brute->pair, g_array_unref);
	brute->pair = surface_all_pairs(brute->base.site.surface);
	uint32_t n = brute->pair->len + 1u;
	brute->reach = g_renew(double, brute->reach, n);
	brute->found = g_renew(const ContactPair *, brute->found, n);
	brute->found_index = g_renew(uint32_t, brute->found_index, n);
	sort_into_bins(brute);
}

static void start(Detector *detector, double time)
{
	Brute *brute = (Brute *)detector;
	list_pairs(brute);
	brute->travel = 0.0;
	brute->time = time;
	brute->speed = 2.0 * largest_speed(brute);
	brute->awake = 0;
	for (uint32_t i = 0; i < brute->pair->len; i++)
		brute->reach[i] = gap_at(brute, &g_array_index(brute->pair, ContactPair, i), time);
	schedule(brute, time);
}

static size_t collect(Brute *brute, const uint32_t *index, size_t n, double below, double time)
{
	double travel = travel_at(brute, time);
	brute->n_found = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t pair = index ? index[i] : (uint32_t)i;
		if (brute->reach[pair] - travel >= below + slack(brute))
			continue;
		brute->found_index[brute->n_found] = pair;
		brute->found[brute->n_found++] = &g_array_index(brute->pair, ContactPair, pair);
	}
	return brute->n_found;
}

static size_t candidates(
    Detector *detector, uint32_t layer, uint16_t bin, double time, const ContactPair *const **pairs)
{
	Brute *brute = (Brute *)detector;
	*pairs = brute->found;
	brute->n_found = 0; /* for measured() too: gaps are only of this tick */
	if (layer > brute->awake)
		return 0;
	collect(brute, brute->in_bin + brute->first[bin], brute->first[bin + 1] - brute->first[bin],
	    brute->base.site.layers->eta[layer], time);
	/* The clock runs on without candidates as long as its layer may be reached by any pair. */
	if (brute->n_found == 0 && brute->first[bin] < brute->first[bin + 1]) {
		brute->found_index[0] = brute->in_bin[brute->first[bin]];
		brute->found[0] = &g_array_index(brute->pair, ContactPair, brute->found_index[0]);
		brute->n_found = 1;
	}
	return brute->n_found;
}

static void measured(Detector *detector, uint32_t layer, uint16_t bin, double time, const double *gap)
{
	(void)layer;
	(void)bin;
	Brute *brute = (Brute *)detector;
	double travel = travel_at(brute, time);
	for (size_t i = 0; i < brute->n_found; i++)
		brute->reach[brute->found_index[i]] = gap[i] + travel;
}

static size_t near(Detector *detector, double time, const ContactPair *const **pairs)
{
	Brute *brute = (Brute *)detector;
	*pairs = brute->found;
	return collect(brute, NULL, brute->pair->len, brute->base.site.layers->eta[1], time);
}

static void count(const Detector *detector, DetectorCount *out)
{
	const Brute *brute = (const Brute *)detector;
	*out = brute->count;
	out->pairs = brute->pair->len;
	out->awake = brute->awake;
}

static char *validate(Detector *detector, double time)
{
	Brute *brute = (Brute *)detector;
	double travel = travel_at(brute, time);
	for (uint32_t i = 0; i < brute->pair->len; i++) {
		double gap = gap_at(brute, &g_array_index(brute->pair, ContactPair, i), time);
		if (gap < brute->reach[i] - travel - slack(brute))
			return g_strdup_printf("pair %u has a gap of %g, below its reach %g", i, gap, brute->reach[i] - travel);
	}
	return NULL;
}

static Detector *new(const DetectorSite *site)
{
	Brute *brute = g_new0(Brute, 1);
	brute->base = (Detector){&detector_brute, *site};
	return &brute->base;
}

static void free_brute(Detector *detector)
{
	Brute *brute = (Brute *)detector;
	g_clear_pointer(&brute->pair, g_array_unref);
	g_free(brute->reach);
	g_free(brute->in_bin);
	g_free(brute->first);
	g_free(brute->found);
	g_free(brute->found_index);
	g_free(brute);
}

const DetectorClass detector_brute = {
    .name = "brute",
    .new = new,
    .free = free_brute,
    .start = start,
    .changed = changed,
    .act = act,
    .candidates = candidates,
    .measured = measured,
    .near = near,
    .count = count,
    .validate = validate,
};

#include "kds/advance.h"
#include "kds/tube_state.h"

enum { FEWEST_LOOKS = 100 }; /* that are worth a team */

void tube_schedule(Tube *tube, QueueHandle *event, double time, uint32_t id)
{
	Avi *avi = tube->base.site.avi;
	if (time == INFINITY) {
		queue_remove(avi->queue, *event);
		*event = (QueueHandle){0, 0};
	} else if (!queue_update(avi->queue, *event, time)) {
		*event = avi_schedule(avi, time, AVI_CERTIFICATE, id);
	}
}

static void note_pair(const Tube *tube, const TubePair *p, const char *what, double gap)
{
	const DetectorSite *site = &tube->base.site;
	if (site->avi->trace == NULL)
		return;
	g_autofree char *name = surface_pair_name(site->surface, &p->roster.pair);
	avi_note(site->avi, "%s: %s at gap %.4g %s", name, what, gap, site->surface->world->units->length);
}

/* The last slot whose beginning is not after `time`, at most TUBE_SLOTS. */
uint32_t tube_slot_before(const Tube *tube, double time)
{
	double slots = (time - tube->begin) / tube->span;
	uint32_t slot = !(slots > 0.0) ? 0 : slots < TUBE_SLOTS ? (uint32_t)slots : TUBE_SLOTS;
	while (slot > 0 && tube_slot_time(tube, slot) > time)
		slot--;
	return slot;
}

void tube_put_due(Tube *tube, uint32_t index, uint32_t slot)
{
	TubePair *p = tube_pair_at(tube, index);
	if (p->slot != slot && slot < TUBE_SLOTS) /* at the end all are looked at */
		g_array_append_val(tube->due[slot], index);
	p->slot = slot;
}

static void wake_next_layer(Tube *tube, TubePair *p, double time)
{
	const DetectorSite *site = &tube->base.site;
	uint32_t layer = ++p->roster.awake;
	p->slot = 0;
	tube->count.awake++;
	roster_add(tube_roster_of(tube, layer, p->roster.pair.bin), &p->roster);
	avi_note(site->avi, "layer %u wakes", layer);
	site->wake(site->context, layer, p->roster.pair.bin, time);
}

static void sleep_layer(Tube *tube, TubePair *p)
{
	roster_drop(tube_roster_of(tube, p->roster.awake--, p->roster.pair.bin));
	tube->count.awake--;
}

/* For how long the gap cannot come below eta(layer). */
static double safe_for(const Tube *tube, const TubePair *p, uint32_t layer, double gap)
{
	return (gap - tube->base.site.layers->eta[layer] - tube->tubes.rounding) / p->rate * (1.0 - 1e-9);
}

/* Whether a look in time comes by itself when layers 1 ... awake are: at a tick, or at the beginning of a slot. */
static bool is_looked_at(const Tube *tube, const TubePair *p, uint32_t awake, double time, double safe)
{
	if (awake == 0)
		return tube_slot_before(tube, time + safe) > tube->slot;
	return safe >= tube_interval(tube, awake, p->roster.pair.bin);
}

/* The first time up to `until` at which the gap of a pair is below `least`, on the present flight plans; INFINITY when it is not
 * at `until`. To the last bit, so that it does not depend on when anybody looked before. */
static double crossing(const Tube *tube, const ContactPair *pair, double least, double time, double until)
{
	const Flight *flight = tube->base.site.flight;
	if (advance_gap(pair, flight, until) >= least)
		return INFINITY;
	for (;;) {
		double middle = time + 0.5 * (until - time);
		if (middle <= time || middle >= until)
			return until;
		if (advance_gap(pair, flight, middle) >= least)
			time = middle;
		else
			until = middle;
	}
}

/* The last layer is awake: the limit is where the gap comes below what the layer behind it would wake at. */
static void watch_limit(Tube *tube, TubePair *p, double time, double gap)
{
	const DetectorSite *site = &tube->base.site;
	uint32_t next = p->roster.awake + 1;
	double safe = safe_for(tube, p, next, gap), tick = tube_interval(tube, p->roster.awake, p->roster.pair.bin);
	if (!(gap >= site->layers->wake[next]) || !(time + safe > time)) {
		note_pair(tube, p, "beyond the last layer", gap);
		site->limit(site->context, &p->roster.pair, time);
		return;
	}
	double until = time + fmin(safe, tick);
	double limit = crossing(tube, &p->roster.pair, site->layers->wake[next], time, until);
	tube_schedule(tube, &p->event, fmin(limit, safe < tick ? until : INFINITY), p->index + 1);
}

/* Sees to it that a followed pair with this gap is looked at again in time. */
void tube_place(Tube *tube, uint32_t index, double time, double gap)
{
	const DetectorSite *site = &tube->base.site;
	TubePair *p = tube_pair_at(tube, index);
	for (;;) {
		uint32_t next = p->roster.awake + 1;
		if (next > site->last_layer) {
			watch_limit(tube, p, time, gap);
			return;
		}
		double safe = safe_for(tube, p, next, gap);
		bool near = !(gap >= site->layers->wake[next]) || !(time + safe > time);
		if (is_looked_at(tube, p, p->roster.awake, time, safe) && !(near && next == 1)) {
			if (p->roster.awake == 0)
				tube_put_due(tube, index, tube_slot_before(tube, time + safe));
			tube_schedule(tube, &p->event, INFINITY, 0);
			return;
		}
		/* One layer too many is cheaper than a look at a time of its own; more would be awake in vain. */
		bool one_more = is_looked_at(tube, p, next, time, safe_for(tube, p, next + 1, gap));
		if (!near && !one_more) {
			p->slot = 0;
			tube_schedule(tube, &p->event, time + safe, index + 1);
			return;
		}
		note_pair(tube, p, "near", gap);
		wake_next_layer(tube, p, time);
	}
}

void tube_find_rate(const Tube *tube, TubePair *p)
{
	const ContactPair *pair = &p->roster.pair;
	int first = distance_first[pair->kind], corners = distance_corners[pair->kind];
	double drift2 = 0.0, speed[2] = {0.0, 0.0};
	for (int a = 0; a < first; a++)
		for (int b = first; b < corners; b++)
			drift2 = fmax(drift2, vec3_norm2(vec3_sub(tube->tubes.reference[pair->vertex[a]].v,
			                          tube->tubes.reference[pair->vertex[b]].v)));
	for (int c = 0; c < corners; c++)
		speed[c >= first] = fmax(speed[c >= first], tube->tubes.speed[pair->vertex[c]]);
	p->rate = sqrt(drift2) + speed[0] + speed[1];
}

void tube_look(Tube *tube, uint32_t index, double time)
{
	const TubePair *p = tube_pair_at(tube, index);
	tube->looks++;
	tube_place(tube, index, time, advance_gap(&p->roster.pair, tube->base.site.flight, time));
}

void tube_look_later(Tube *tube, uint32_t index, bool has_old_rate)
{
	TubePair *p = tube_pair_at(tube, index);
	p->has_old_rate |= has_old_rate;
	if (p->is_to_look)
		return;
	p->is_to_look = true;
	g_array_append_val(tube->look, index);
}

void tube_follow_later(Tube *tube, uint32_t index)
{
	TubePair *p = tube_pair_at(tube, index);
	p->level = TUBE_FOLLOWED;
	p->slot = 0;
	tube->count.failed++;
	tube_look_later(tube, index, true);
}

typedef struct {
	const Tube *tube;
	double time;
} Looking;

static void look_at_some(void *data, size_t begin, size_t end, unsigned thread)
{
	(void)thread;
	const Looking *looking = data;
	const Tube *tube = looking->tube;
	for (size_t i = begin; i < end; i++) {
		TubePair *p = tube_pair_at(tube, g_array_index(tube->look, uint32_t, i));
		if (p->has_old_rate)
			tube_find_rate(tube, p);
		p->has_old_rate = p->is_to_look = false;
		tube->gap[i] = advance_gap(&p->roster.pair, tube->base.site.flight, looking->time);
	}
}

/* Gaps and rates are each pair's own; what follows from them goes through lists and the queue, one after the other. */
void tube_look_at_noted(Tube *tube, double time)
{
	Looking looking = {tube, time};
	size_t n = tube->look->len;
	if (n > tube->gap_capacity) {
		tube->gap_capacity = n + n / 2;
		tube->gap = g_renew(double, tube->gap, tube->gap_capacity);
	}
	team_share(&tube->team.look, tube_threads(tube), n, (TeamCut){.fewest = FEWEST_LOOKS}, look_at_some, &looking);
	tube->looks += n;
	for (size_t i = 0; i < n; i++)
		tube_place(tube, g_array_index(tube->look, uint32_t, i), time, tube->gap[i]);
	g_array_set_size(tube->look, 0);
}

void tube_forget_noted(Tube *tube)
{
	g_array_set_size(tube->look, 0);
}

/* The deepest layer of a pair sleeps when the gap is open by more than the margin, and a look in time comes without it. */
static bool sleeps(Tube *tube, TubePair *p, double time, double gap)
{
	uint32_t awake = p->roster.awake;
	double safe = safe_for(tube, p, awake, gap);
	if (!is_looked_at(tube, p, awake - 1, time, safe))
		return false;
	sleep_layer(tube, p);
	note_pair(tube, p, "open", gap);
	avi_note(tube->base.site.avi, "layer %u sleeps", awake);
	if (awake == 1)
		tube_put_due(tube, p->index, tube_slot_before(tube, time + safe));
	return true;
}

void tube_measured(Detector *detector, uint32_t layer, uint16_t bin, double time, const double *gap)
{
	Tube *tube = (Tube *)detector;
	const Layers *layers = detector->site.layers;
	const Roster *roster = tube->measured;
	double open = layers->wake[layer] + (layers->wake[layer] - layers->eta[layer]);
	double step = tube_interval(tube, layer, bin), least = layers->eta[layer + 1] + tube->tubes.rounding;
	size_t n = roster->n; /* those that wake now are behind */
	for (size_t i = 0; i < n; i++) {
		TubePair *p = (TubePair *)(void *)roster->pair[i];
		if (p->roster.awake != layer)
			continue;
		if (gap[i] >= open && sleeps(tube, p, time, gap[i]))
			continue;
		if (gap[i] - least < p->rate * step * (1.0 + 1e-6) || layer == detector->site.last_layer)
			tube_place(tube, p->index, time, gap[i]);
	}
}

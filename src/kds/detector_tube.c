/* Tubes: contact is looked for again only where something may have come near, not wherever a velocity has changed.
 *
 * Time is cut into windows, a window into slots. At the beginning of a window every vertex gets a reference, a straight line,
 * and all primitive pairs are listed that can come closer than eta(1) in it while every vertex stays within the largest radius
 * R of its reference (tube.h). For the rest of the window a primitive pair is
 *
 *   not listed  the references keep it apart by eta(1) + 2 R until the window's end;
 *   certified   they keep it apart by eta(1) + 2 radius[level] until the slot it is due in, or the window's end. It is followed
 *               from then on, or as soon as one of its vertices gets beyond that level;
 *   followed    its gap was g at its last look, and cannot close faster than `rate`: the largest difference of two references'
 *               velocities, and what its vertices' velocities may differ from these. It is awake in layers 1 ... l, and is looked at
 *               again before g - rate (time since) is below eta(l + 1): at a tick of its layer l, where its gap is measured in any
 *               case, or at the beginning of a slot, or, when it is fast, at a time of its own.
 *
 * Invariant: at any instant each of these is true of the pair, and every vertex keeps its level and its speed until the
 * horizon, the beginning of the next slot. So no gap is below eta(l + 1) while the pair is not awake in layer l + 1.
 *
 * Why the rate bounds closing: points of a primitive are means of its corners, so the distance of two primitives changes by no
 * more than the largest difference of the ways of a corner of the one and a corner of the other.
 *
 * A vertex that leaves the largest radius gets a new reference; its certified pairs are followed, and pairs that its new line
 * may bring near are listed. When that happens to many, a new window begins.
 *
 * That references keep a pair apart is seen from the bounds of nodes above it, from a direction, or, for neighbours in a sheet
 * that is flat at rest, from how little the references bend it (chart.h).
 *
 * What a new flight plan costs is one look at where it leads (tube_keeps_place). Resting contact costs nothing beyond its ticks.
 * The queue has one event, the next slot, and one for every fast pair. */
#include "avi/clock.h"
#include "kds/advance.h"
#include "kds/chart.h"
#include "kds/chord.h"
#include "kds/detector.h"
#include "kds/roster.h"
#include "kds/slab.h"
#include "kds/tube.h"
#include <stdlib.h>
#include <string.h>

enum {
	SLOTS = 32,          /* of a window */
	SNAPSHOT_SLOT = 24,  /* mean velocities are taken from here to the end of the window */
	BLOCK = 1024,        /* pairs are allocated in blocks, which do not move: layers' lists point at them */
	FOLLOWED = TUBE_LEVELS /* as a level: not certified */
};

/* Radii of the levels over eta(1). */
static const double radii[TUBE_LEVELS] = {0.01, 0.03, 0.09, 0.27};

/* A vertex may differ from its reference in speed by so much of eta(1) per tick of layer 1: below that nobody would wake later. */
#define LEAST_SPEED 0.01
/* A window ends when this share of the vertices has left the last level. */
#define MANY_REPAIRS 0.3
/* What things cost, about, in nanoseconds. */
#define COST_VERTEX 400.0   /* of a vertex's new reference, and of the bounds above it */
#define COST_TEST 20.0      /* of two nodes */
#define COST_EXAMINE 25.0   /* of a pair whether to list it */
#define COST_LOOK 120.0     /* at a followed pair */
#define COST_REPAIR 6000.0  /* of a vertex */
/* Its length, in ways that vertices move relative to each other over eta(1), is at most this. */
#define LONGEST_WAY 4.0

typedef struct {
	RosterPair roster; /* the pair, and the layers that are awake */
	double rate;       /* [length/s] at which its gap closes at most; while followed */
	QueueHandle event; /* of a look at a time of its own */
	uint32_t index;    /* of itself */
	uint32_t slot;     /* at whose beginning it is due; 0: none */
	uint8_t level;     /* that certifies it, or FOLLOWED */
} TubePair;

/* A pair found for a window, before it is listed. */
typedef struct {
	uint64_t key;
	PrimitivePair primitives;
	uint8_t level;
	uint32_t slot;
	double gap;
} Found;

typedef struct {
	uint32_t pair, next; /* next: in `extra`, + 1 */
} Extra;

typedef struct {
	Detector base;
	Tubes tubes;
	ChordTree *tree;
	Charts *charts;          /* NULL: there are none */
	uint64_t tests, tests_when_new; /* of the tree for this window; for the first after it was made, 0: yet to come */

	double begin, span;      /* [s] of the window; of a slot */
	uint32_t slot;           /* under way */
	double window;           /* [s] length of windows */
	Vec3 *snapshot;          /* [length] (vertices) positions at snapshot_time */
	double snapshot_time;    /* [s] NAN: none */
	uint64_t examined;       /* pairs, when this window was made */
	uint32_t found_first;    /* of these, listed */
	uint64_t looks;          /* at followed pairs, since */
	uint32_t repairs;        /* vertices that got a new reference in this window */
	QueueHandle sweep;

	GPtrArray *block;        /* TubePair [BLOCK] */
	uint32_t n_pairs;
	uint32_t *near_begin;    /* (vertices, TUBE_LEVELS + 1) + 1: in near_pair, by level at the beginning of the window */
	uint32_t *near_pair;     /* pairs of each vertex */
	size_t near_capacity;
	GArray *extra;           /* Extra: pairs listed since */
	uint32_t *extra_first;   /* (vertices) in extra, + 1; 0: none */
	GArray *due[SLOTS + 1];  /* uint32_t: pairs that may be due in a slot */
	Roster *roster;          /* (last_layer, bins) */
	Roster *measured;        /* of the tick under way */
	GPtrArray *listed;       /* of near() */

	double listing_gap;      /* [length] that references keep apart what is not listed, with room for rounding */
	GArray *found;           /* Found */
	GArray *known;           /* uint64_t: keys of the pairs of a vertex, ascending */
	uint32_t *element_begin; /* (vertices + 1) in element_of */
	uint32_t *element_of;    /* elements of each vertex */
	double *ends;            /* [length] (vertices, 2, 3) references at the window's beginning and end */
	GArray *left;            /* uint32_t: vertices that do not keep what was said of them */
	GArray *around;          /* uint32_t: triangles of a vertex */
	DetectorCount count;
} Tube;

static TubePair *pair_at(const Tube *tube, uint32_t i)
{
	return (TubePair *)tube->block->pdata[i / BLOCK] + i % BLOCK;
}

static uint32_t vertex_count(const Tube *tube)
{
	return (uint32_t)tube->tubes.n;
}

static double slot_time(const Tube *tube, uint32_t slot)
{
	return tube->begin + slot * tube->span;
}

static ChordWindow chord_window(const Tube *tube)
{
	return (ChordWindow){tube->tubes.reference, tube->begin, slot_time(tube, SLOTS), tube->tubes.radius[TUBE_LEVELS - 1]};
}

static void schedule(Tube *tube, QueueHandle *event, double time, uint32_t id)
{
	Avi *avi = tube->base.site.avi;
	if (time == INFINITY) {
		queue_remove(avi->queue, *event);
		*event = (QueueHandle){0, 0};
	} else if (!queue_update(avi->queue, *event, time)) {
		*event = avi_schedule(avi, time, AVI_CERTIFICATE, id);
	}
}

static Roster *roster_of(const Tube *tube, uint32_t layer, uint16_t bin)
{
	return &tube->roster[(size_t)(layer - 1) * tube->base.site.surface->n_bins + bin];
}

static double interval(const Tube *tube, uint32_t layer, uint16_t bin)
{
	return tube->base.site.interval(tube->base.site.context, layer, bin);
}

static void note_pair(const Tube *tube, const TubePair *p, const char *what, double gap)
{
	const DetectorSite *site = &tube->base.site;
	if (site->avi->trace == NULL)
		return;
	g_autofree char *name = surface_pair_name(site->surface, &p->roster.pair);
	avi_note(site->avi, "%s: %s at gap %.4g %s", name, what, gap, site->surface->world->units->length);
}

/* --- Followed pairs ---------------------------------------------------------------------------------------------- */

/* The last slot whose beginning is not after `time`, at most SLOTS. */
static uint32_t slot_before(const Tube *tube, double time)
{
	double slots = (time - tube->begin) / tube->span;
	uint32_t slot = !(slots > 0.0) ? 0 : slots < SLOTS ? (uint32_t)slots : SLOTS;
	while (slot > 0 && slot_time(tube, slot) > time)
		slot--;
	return slot;
}

static void put_due(Tube *tube, uint32_t index, uint32_t slot)
{
	TubePair *p = pair_at(tube, index);
	if (p->slot != slot && slot < SLOTS) /* at the end all are looked at */
		g_array_append_val(tube->due[slot], index);
	p->slot = slot;
}

static void wake_next_layer(Tube *tube, TubePair *p, double time)
{
	const DetectorSite *site = &tube->base.site;
	uint32_t layer = ++p->roster.awake;
	p->slot = 0;
	tube->count.awake++;
	roster_add(roster_of(tube, layer, p->roster.pair.bin), &p->roster);
	avi_note(site->avi, "layer %u wakes", layer);
	site->wake(site->context, layer, p->roster.pair.bin, time);
}

static void sleep_layer(Tube *tube, TubePair *p)
{
	roster_drop(roster_of(tube, p->roster.awake--, p->roster.pair.bin));
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
		return slot_before(tube, time + safe) > tube->slot;
	return safe >= interval(tube, awake, p->roster.pair.bin);
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
	double safe = safe_for(tube, p, next, gap), tick = interval(tube, p->roster.awake, p->roster.pair.bin);
	if (!(gap >= site->layers->wake[next]) || !(time + safe > time)) {
		note_pair(tube, p, "beyond the last layer", gap);
		site->limit(site->context, &p->roster.pair, time);
		return;
	}
	double until = time + fmin(safe, tick);
	double limit = crossing(tube, &p->roster.pair, site->layers->wake[next], time, until);
	schedule(tube, &p->event, fmin(limit, safe < tick ? until : INFINITY), p->index + 1);
}

/* Sees to it that a followed pair with this gap is looked at again in time. */
static void place(Tube *tube, uint32_t index, double time, double gap)
{
	const DetectorSite *site = &tube->base.site;
	TubePair *p = pair_at(tube, index);
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
				put_due(tube, index, slot_before(tube, time + safe));
			schedule(tube, &p->event, INFINITY, 0);
			return;
		}
		/* One layer too many is cheaper than a look at a time of its own; more would be awake in vain. */
		bool one_more = is_looked_at(tube, p, next, time, safe_for(tube, p, next + 1, gap));
		if (!near && !one_more) {
			p->slot = 0;
			schedule(tube, &p->event, time + safe, index + 1);
			return;
		}
		note_pair(tube, p, "near", gap);
		wake_next_layer(tube, p, time);
	}
}

static void find_rate(const Tube *tube, TubePair *p)
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

static void look(Tube *tube, uint32_t index, double time)
{
	const TubePair *p = pair_at(tube, index);
	tube->looks++;
	place(tube, index, time, advance_gap(&p->roster.pair, tube->base.site.flight, time));
}

/* A certificate ends: from now on the pair is followed. */
static void follow(Tube *tube, uint32_t index, double time)
{
	TubePair *p = pair_at(tube, index);
	p->level = FOLLOWED;
	p->slot = 0;
	tube->count.failed++;
	find_rate(tube, p);
	look(tube, index, time);
}

/* --- Windows ----------------------------------------------------------------------------------------------------- */

/* What the references say about a pair from `time` on: the largest level that certifies it until the end of the window; else
 * the level of its vertices, and the slot in which it is due; else FOLLOWED. TUBE_LEVELS - 1 is that of pairs that need not be listed. */
static uint8_t certify(const Tube *tube, const ContactPair *pair, const Closest *closest, double time, uint32_t *slot)
{
	const Tubes *tubes = &tube->tubes;
	double end = slot_time(tube, SLOTS), eta = tube->base.site.layers->eta[1];
	double gap = fmin(closest->distance - pair->offset - tubes->rounding,
	    slab_gap(pair, tubes->reference, closest->normal, end));
	uint8_t least = 0;
	for (int c = 0; c < distance_corners[pair->kind]; c++)
		least = MAX(least, tubes->level[pair->vertex[c]]);
	*slot = SLOTS;
	for (uint8_t level = TUBE_LEVELS; level-- > least;)
		if (gap > eta + 2.0 * tubes->radius[level])
			return level;
	double until = slab_failure(pair, tubes->reference, closest->normal, eta + 2.0 * tubes->radius[least], time);
	*slot = slot_before(tube, until);
	return *slot > tube->slot + 1 ? least : FOLLOWED;
}

/* Whether the direction between the middles of two primitives, with corners `first` and `corners` in all, shows that the
 * references keep them apart by `least` all the time. Most pairs are out of the way by this, and need no closest points. */
static bool plainly_apart(const Tube *tube, const uint32_t *vertex, int first, int corners, double least)
{
	const Vec3(*ends)[2] = (const Vec3(*)[2])(void *)tube->ends;
	Vec3 sum[2] = {{0}};
	for (int c = 0; c < corners; c++)
		sum[c >= first] = vec3_add(sum[c >= first], ends[vertex[c]][0]);
	Vec3 axis = vec3_sub(vec3_scale(1.0 / first, sum[0]), vec3_scale(1.0 / (corners - first), sum[1]));
	for (int end = 0; end < 2; end++) {
		double above = INFINITY, below = -INFINITY;
		for (int c = 0; c < first; c++) {
			double height = vec3_dot(axis, vec3_sub(ends[vertex[c]][end], ends[vertex[0]][end]));
			above = height < above ? height : above;
		}
		for (int c = first; c < corners; c++) {
			double height = vec3_dot(axis, vec3_sub(ends[vertex[c]][end], ends[vertex[0]][end]));
			below = height > below ? height : below;
		}
		double apart = above - below;
		if (!(apart > 0.0 && apart * apart > least * least * vec3_norm2(axis)))
			return false;
	}
	return true;
}

static void examine(Tube *tube, const PrimitivePair *primitives, double time)
{
	ContactPair pair = {.kind = (uint8_t)primitives->kind};
	const Surface *surface = tube->base.site.surface;
	if (!surface_corners(surface, primitives, pair.vertex))
		return;
	tube->examined++;
	int first = distance_first[pair.kind], corners = distance_corners[pair.kind];
	pair.offset = surface->half_thickness[surface->vertex_body[pair.vertex[0]]] +
	              surface->half_thickness[surface->vertex_body[pair.vertex[first]]];
	if (plainly_apart(tube, pair.vertex, first, corners, tube->listing_gap + pair.offset))
		return;
	Vec3 x[PAIR_MOST_CORNERS];
	for (int c = 0; c < corners; c++)
		x[c] = flight_position(&tube->tubes.reference[pair.vertex[c]], time);
	Closest closest = distance_closest(pair.kind, x);
	Found found = {.primitives = *primitives, .gap = closest.distance - pair.offset};
	found.level = certify(tube, &pair, &closest, time, &found.slot);
	if (found.level != TUBE_LEVELS - 1 || found.slot < SLOTS)
		g_array_append_val(tube->found, found);
}

static void examine_elements(void *data, uint32_t a, uint32_t b)
{
	Tube *tube = data;
	PrimitivePair primitives[SURFACE_MOST_PAIRS];
	int n = surface_element_primitives(tube->base.site.surface, a, b, primitives);
	for (int i = 0; i < n; i++)
		examine(tube, &primitives[i], tube->begin);
}

/* Lists a pair; its place in the lists of its vertices is the caller's. False when it is left out for good. */
static bool list_pair(Tube *tube, const Found *found)
{
	ContactPair pair;
	const PrimitivePair *primitives = &found->primitives;
	if (!surface_pair(tube->base.site.surface, primitives->kind, primitives->first, primitives->second, &pair))
		return false;
	if (tube->n_pairs / BLOCK == tube->block->len)
		g_ptr_array_add(tube->block, g_new0(TubePair, BLOCK));
	TubePair *p = pair_at(tube, tube->n_pairs);
	*p = (TubePair){.roster.pair = pair, .level = found->level, .index = tube->n_pairs++};
	tube->count.pairs++;
	return true;
}

static int compare_found(const void *a, const void *b)
{
	const Found *p = a, *q = b;
	return p->key < q->key ? -1 : p->key > q->key;
}

static void list_found(Tube *tube, double time)
{
	const Surface *surface = tube->base.site.surface;
	for (guint i = 0; i < tube->found->len; i++) {
		Found *found = &g_array_index(tube->found, Found, i);
		ContactPair pair;
		surface_pair(surface, found->primitives.kind, found->primitives.first, found->primitives.second, &pair);
		found->key = pair.key;
	}
	g_array_sort(tube->found, compare_found);
	for (guint i = 0; i < tube->found->len; i++) {
		const Found *found = &g_array_index(tube->found, Found, i);
		if (!list_pair(tube, found))
			continue;
		uint32_t index = tube->n_pairs - 1;
		if (found->level == FOLLOWED) {
			find_rate(tube, pair_at(tube, index));
			place(tube, index, time, found->gap);
		} else {
			put_due(tube, index, found->slot);
		}
	}
}

/* The pairs of each vertex, by level. */
static void list_near(Tube *tube)
{
	uint32_t n = vertex_count(tube) * (TUBE_LEVELS + 1), sum = 0;
	uint32_t *begin = tube->near_begin;
	memset(begin, 0, (n + 2u) * sizeof *begin);
	for (uint32_t i = 0; i < tube->n_pairs; i++) {
		const TubePair *p = pair_at(tube, i);
		for (int c = 0; c < distance_corners[p->roster.pair.kind]; c++)
			begin[p->roster.pair.vertex[c] * (TUBE_LEVELS + 1) + p->level + 2]++;
	}
	for (uint32_t i = 0; i < n + 2; i++)
		begin[i] = sum += begin[i];
	if (sum > tube->near_capacity) {
		tube->near_capacity = sum + sum / 2u;
		tube->near_pair = g_renew(uint32_t, tube->near_pair, tube->near_capacity);
	}
	for (uint32_t i = 0; i < tube->n_pairs; i++) {
		const TubePair *p = pair_at(tube, i);
		for (int c = 0; c < distance_corners[p->roster.pair.kind]; c++)
			tube->near_pair[begin[p->roster.pair.vertex[c] * (TUBE_LEVELS + 1) + p->level + 1]++] = i;
	}
}

static void forget_pairs(Tube *tube)
{
	for (uint32_t i = 0; i < tube->n_pairs; i++) {
		TubePair *p = pair_at(tube, i);
		if (p->event.generation != 0)
			queue_remove(tube->base.site.avi->queue, p->event);
	}
	tube->n_pairs = 0;
	for (uint32_t slot = 0; slot <= SLOTS; slot++)
		g_array_set_size(tube->due[slot], 0);
	for (size_t i = 0; i < (size_t)tube->base.site.last_layer * tube->base.site.surface->n_bins; i++)
		roster_clear(&tube->roster[i]);
	g_array_set_size(tube->extra, 0);
	memset(tube->extra_first, 0, vertex_count(tube) * sizeof *tube->extra_first);
	tube->count.pairs = tube->count.awake = 0;
}

/* What the velocity of a vertex has been lately, without what shakes it. (A line through two such velocities, to where the
 * vertex will be on the whole in the next window, was tried: what shakes it makes that three times worse.) */
static Vec3 mean_velocity(const Tube *tube, uint32_t vertex, double time)
{
	const Flight *flight = &tube->base.site.flight[vertex];
	double since = time - tube->snapshot_time;
	if (!(since > 2.0 * tube->span) || flight->inverse_mass == 0.0)
		return flight->v;
	return vec3_scale(1.0 / since, vec3_sub(flight_position(flight, time), tube->snapshot[vertex]));
}

static double least_speed(const Tube *tube)
{
	return LEAST_SPEED * tube->base.site.layers->eta[1] / interval(tube, 1, 0);
}

static void set_out(Tube *tube, uint32_t vertex, double time, Vec3 velocity)
{
	Tubes *tubes = &tube->tubes;
	double differs = vec3_distance(tubes->flight[vertex].v, velocity);
	tube_centre(tubes, vertex, time, velocity);
	tube_allow(tubes, vertex, fmax(least_speed(tube), fmax(0.7 * tubes->speed[vertex], 1.5 * differs)));
	if (!tube_widen(tubes, vertex)) /* a mean that has little to do with where it goes now */
		tube_centre(tubes, vertex, time, tubes->flight[vertex].v);
	Vec3 *ends = (Vec3 *)(void *)&tube->ends[6 * (size_t)vertex];
	ends[0] = flight_position(&tubes->reference[vertex], tube->begin);
	ends[1] = flight_position(&tubes->reference[vertex], slot_time(tube, SLOTS));
}

/* How fast vertices move relative to each other. */
static double spread(const Tube *tube)
{
	Vec3 sum = vec3(0, 0, 0);
	double sum2 = 0.0, n = vertex_count(tube);
	for (uint32_t i = 0; i < vertex_count(tube); i++) {
		sum = vec3_add(sum, tube->base.site.flight[i].v);
		sum2 += vec3_norm2(tube->base.site.flight[i].v);
	}
	return sqrt(fmax(0.0, sum2 / n - vec3_norm2(sum) / (n * n)));
}

/* The length of the next window, from how the last went: making a window is to cost about as much as what happens in it. */
static void adapt(Tube *tube)
{
	double making = COST_VERTEX * vertex_count(tube) + COST_TEST * (double)tube->tests + COST_EXAMINE * (double)tube->examined + COST_LOOK * tube->found_first;
	double course = COST_LOOK * (double)tube->looks + COST_REPAIR * tube->repairs;
	if (tube->slot < SLOTS || course > 1.5 * making)
		tube->window *= 0.7;
	else if (course < 0.75 * making)
		tube->window *= 1.3;
	double least = SLOTS * 0.25 * interval(tube, 1, 0), way = spread(tube) * tube->window;
	double longest = LONGEST_WAY * tube->base.site.layers->eta[1];
	if (way > longest)
		tube->window *= longest / way;
	tube->window = fmax(tube->window, least);
}

/* Neighbours in a sheet that is hardly bent there. */
static bool are_excused(const void *data, uint32_t a, uint32_t b)
{
	const Tube *tube = data;
	if (tube->charts == NULL)
		return false;
	uint32_t body = tube->tree->node[a].body;
	if (body == UINT32_MAX || body != tube->tree->node[b].body)
		return false;
	return chart_keeps_apart(tube->charts, a, b, tube->listing_gap + 2.0 * tube->base.site.surface->half_thickness[body]);
}

static void plant_tree(Tube *tube, double time)
{
	chord_free(tube->tree);
	tube->tree = chord_new(tube->base.site.surface, tube->base.site.flight, time);
	tube->tests_when_new = 0;
	if (tube->charts != NULL)
		chart_take(tube->charts, tube->tree);
}

/* A tree that was made when elements stood otherwise may have become a bad one. */
static void find_pairs(Tube *tube, double time)
{
	if (tube->tests > 2 * tube->tests_when_new + 1000)
		plant_tree(tube, time);
	if (tube->charts != NULL)
		chart_fit(tube->charts, (const Vec3(*)[2])(void *)tube->ends, tube->tubes.rounding);
	ChordWindow window = chord_window(tube);
	chord_fit(tube->tree, &window);
	g_array_set_size(tube->found, 0);
	chord_pairs(tube->tree, tube->base.site.layers->eta[1], examine_elements, are_excused, tube);
	tube->tests = tube->tree->tests;
	if (tube->tests_when_new == 0)
		tube->tests_when_new = tube->tests;
}

static void begin_window(Tube *tube, double time)
{
	forget_pairs(tube);
	tube->begin = time;
	tube->span = tube->window / SLOTS;
	tube->slot = 0;
	tube->repairs = 0;
	tube->examined = tube->looks = 0;
	tube->tubes.rounding = 0.0;
	tube->tubes.end = slot_time(tube, SLOTS);
	tube->tubes.horizon = slot_time(tube, 1);
	for (uint32_t i = 0; i < vertex_count(tube); i++)
		set_out(tube, i, time, mean_velocity(tube, i, time));
	tube->snapshot_time = NAN;
	tube->listing_gap = (tube->base.site.layers->eta[1] + 2.0 * tube->tubes.radius[TUBE_LEVELS - 1] + tube->tubes.rounding) * (1.0 + 1e-9);
	find_pairs(tube, time);
	list_found(tube, time);
	list_near(tube);
	tube->found_first = tube->n_pairs;
	tube->count.alive = tube->n_pairs;
	tube->count.most_alive = MAX(tube->count.most_alive, tube->count.alive);
	schedule(tube, &tube->sweep, slot_time(tube, 1), 0);
}

/* --- Vertices that do not keep what was said of them ------------------------------------------------------------- */

static void follow_certified(Tube *tube, uint32_t vertex, uint32_t below, double time)
{
	uint32_t begin = tube->near_begin[vertex * (TUBE_LEVELS + 1)];
	uint32_t end = tube->near_begin[vertex * (TUBE_LEVELS + 1) + below];
	for (uint32_t i = begin; i < end; i++) {
		uint32_t index = tube->near_pair[i];
		if (pair_at(tube, index)->level < below) {
			tube->count.rescheduled++;
			follow(tube, index, time);
		}
	}
}

static void look_faster(Tube *tube, uint32_t index, double time)
{
	TubePair *p = pair_at(tube, index);
	if (p->level != FOLLOWED)
		return;
	tube->count.rescheduled++;
	find_rate(tube, p);
	look(tube, index, time);
}

static void look_at_followed(Tube *tube, uint32_t vertex, double time)
{
	uint32_t end = tube->near_begin[(vertex + 1) * (TUBE_LEVELS + 1)];
	for (uint32_t i = tube->near_begin[vertex * (TUBE_LEVELS + 1)]; i < end; i++)
		look_faster(tube, tube->near_pair[i], time);
	for (uint32_t i = tube->extra_first[vertex]; i != 0; i = g_array_index(tube->extra, Extra, i - 1).next)
		look_faster(tube, g_array_index(tube->extra, Extra, i - 1).pair, time);
}

static int compare_keys(const void *a, const void *b)
{
	const uint64_t *p = a, *q = b;
	return *p < *q ? -1 : *p > *q;
}

/* The keys of all listed pairs of a vertex. */
static void list_known(Tube *tube, uint32_t vertex)
{
	g_array_set_size(tube->known, 0);
	uint32_t end = tube->near_begin[(vertex + 1) * (TUBE_LEVELS + 1)];
	for (uint32_t i = tube->near_begin[vertex * (TUBE_LEVELS + 1)]; i < end; i++)
		g_array_append_val(tube->known, pair_at(tube, tube->near_pair[i])->roster.pair.key);
	for (uint32_t i = tube->extra_first[vertex]; i != 0; i = g_array_index(tube->extra, Extra, i - 1).next)
		g_array_append_val(tube->known, pair_at(tube, g_array_index(tube->extra, Extra, i - 1).pair)->roster.pair.key);
	g_array_sort(tube->known, compare_keys);
}

typedef struct {
	Tube *tube;
	uint32_t vertex;
	double time;
	ChartPatch patch; /* the triangles around it */
} Repair;

static bool has_vertex(const uint32_t *vertex, int n, uint32_t which)
{
	for (int c = 0; c < n; c++)
		if (vertex[c] == which)
			return true;
	return false;
}

/* Two elements, the first with the vertex: their pairs with it. */
static void examine_again(void *data, uint32_t a, uint32_t b)
{
	const Repair *repair = data;
	const Surface *surface = repair->tube->base.site.surface;
	const Element *other = &surface->element[b];
	PrimitivePair primitives[SURFACE_MOST_PAIRS];
	if (b < a && has_vertex(other->vertex, other->corners, repair->vertex))
		return; /* they come again, or have come, the other way around */
	int n = surface_element_primitives(surface, a, b, primitives);
	for (int i = 0; i < n; i++) {
		uint32_t vertex[PAIR_MOST_CORNERS];
		surface_corners(surface, &primitives[i], vertex);
		if (has_vertex(vertex, distance_corners[primitives[i].kind], repair->vertex))
			examine(repair->tube, &primitives[i], repair->time);
	}
}

static bool are_excused_again(const void *data, uint32_t a, uint32_t b)
{
	const Repair *repair = data;
	const Tube *tube = repair->tube;
	(void)a;
	if (repair->patch.chart == 0)
		return false;
	double thickness = 2.0 * tube->base.site.surface->half_thickness[tube->base.site.surface->vertex_body[repair->vertex]];
	return chart_keeps_patch_apart(tube->charts, &repair->patch, b, tube->listing_gap + thickness);
}

/* Tells the charts how the triangles around the vertex are deformed now, and asks them for these triangles. */
static void take_patch(Repair *repair, const uint32_t *elements, uint32_t n)
{
	Tube *tube = repair->tube;
	const Surface *surface = tube->base.site.surface;
	if (!chart_has(tube->charts, surface->vertex_body[repair->vertex]))
		return;
	g_array_set_size(tube->around, 0);
	for (uint32_t i = 0; i < n; i++)
		g_array_append_val(tube->around, surface->element[elements[i]].triangle);
	const uint32_t *triangles = (const uint32_t *)(void *)tube->around->data;
	for (uint32_t i = 0; i < n; i++)
		chart_refit(tube->charts, (const Vec3(*)[2])(void *)tube->ends, tube->tubes.rounding, triangles[i]);
	repair->patch = chart_patch(tube->charts, triangles, n);
}

/* Lists a pair in the middle of a window. */
static void list_extra(Tube *tube, Found *found, double time)
{
	found->level = FOLLOWED;
	if (!list_pair(tube, found))
		return;
	uint32_t index = tube->n_pairs - 1;
	TubePair *p = pair_at(tube, index);
	if (bsearch(&p->roster.pair.key, tube->known->data, tube->known->len, sizeof(uint64_t), compare_keys) != NULL) {
		tube->n_pairs--;
		tube->count.pairs--;
		return;
	}
	for (int c = 0; c < distance_corners[p->roster.pair.kind]; c++) {
		Extra extra = {index, tube->extra_first[p->roster.pair.vertex[c]]};
		g_array_append_val(tube->extra, extra);
		tube->extra_first[p->roster.pair.vertex[c]] = tube->extra->len;
	}
	find_rate(tube, p);
	look(tube, index, time);
}

/* A new reference for a vertex that has left its tube. */
static void repair(Tube *tube, uint32_t vertex, double time)
{
	Repair work = {.tube = tube, .vertex = vertex, .time = time};
	tube->repairs++;
	set_out(tube, vertex, time, tube->base.site.flight[vertex].v);
	follow_certified(tube, vertex, FOLLOWED, time);
	look_at_followed(tube, vertex, time);
	ChordWindow window = chord_window(tube);
	list_known(tube, vertex);
	g_array_set_size(tube->found, 0);
	for (uint32_t i = tube->element_begin[vertex]; i < tube->element_begin[vertex + 1]; i++)
		chord_refit(tube->tree, &window, tube->element_of[i]);
	const uint32_t *elements = &tube->element_of[tube->element_begin[vertex]];
	uint32_t n = tube->element_begin[vertex + 1] - tube->element_begin[vertex];
	take_patch(&work, elements, n);
	chord_query(tube->tree, elements, n, tube->base.site.layers->eta[1], examine_again, are_excused_again, &work);
	for (guint i = 0; i < tube->found->len; i++)
		list_extra(tube, &g_array_index(tube->found, Found, i), time);
	tube->count.alive = tube->n_pairs;
}

static void see_to(Tube *tube, uint32_t vertex, double time)
{
	Tubes *tubes = &tube->tubes;
	uint32_t level = tubes->level[vertex];
	if (!tube_keeps_speed(tubes, vertex)) {
		tube_allow(tubes, vertex, 2.0 * tube_speed(tubes, vertex));
		look_at_followed(tube, vertex, time);
	}
	if (!tube_widen(tubes, vertex))
		repair(tube, vertex, time);
	else if (tubes->level[vertex] > level)
		follow_certified(tube, vertex, tubes->level[vertex], time);
}

static void see_to_all(Tube *tube, double time)
{
	for (guint i = 0; i < tube->left->len; i++)
		see_to(tube, g_array_index(tube->left, uint32_t, i), time);
	g_array_set_size(tube->left, 0);
	if (tube->repairs > 8 + MANY_REPAIRS * vertex_count(tube)) {
		adapt(tube);
		begin_window(tube, time);
	}
}

static void changed(Detector *detector, double time, const uint32_t *vertex, size_t n)
{
	Tube *tube = (Tube *)detector;
	for (size_t i = 0; i < n; i++)
		if (!tube_keeps_place(&tube->tubes, vertex[i]) || !tube_keeps_speed(&tube->tubes, vertex[i]))
			g_array_append_val(tube->left, vertex[i]);
	if (tube->left->len > 0)
		see_to_all(tube, time);
}

static void take_snapshot(Tube *tube, double time)
{
	tube->snapshot_time = time;
	for (uint32_t i = 0; i < vertex_count(tube); i++)
		tube->snapshot[i] = flight_position(&tube->base.site.flight[i], time);
}

/* The beginning of a slot, or of the next window. */
static void sweep(Tube *tube, double time)
{
	if (++tube->slot == SLOTS) {
		adapt(tube);
		begin_window(tube, time);
		return;
	}
	tube->tubes.horizon = slot_time(tube, tube->slot + 1);
	if (tube->slot == SNAPSHOT_SLOT)
		take_snapshot(tube, time);
	GArray *due = tube->due[tube->slot];
	for (guint i = 0; i < due->len; i++) {
		uint32_t index = g_array_index(due, uint32_t, i);
		TubePair *p = pair_at(tube, index);
		if (p->slot != tube->slot)
			continue;
		p->slot = 0;
		if (p->level == FOLLOWED)
			look(tube, index, time);
		else
			follow(tube, index, time);
	}
	tube_find_left(&tube->tubes, tube->left);
	schedule(tube, &tube->sweep, slot_time(tube, tube->slot + 1), 0);
	see_to_all(tube, time);
}

static void act(Detector *detector, uint32_t id, double time, double *next)
{
	Tube *tube = (Tube *)detector;
	QueueHandle *event = id == 0 ? &tube->sweep : &pair_at(tube, id - 1)->event, handle = *event;
	/* The event is taken off first: what follows schedules anew whatever is needed. */
	*event = (QueueHandle){0, 0};
	queue_remove(detector->site.avi->queue, handle);
	*next = INFINITY;
	if (id == 0)
		sweep(tube, time);
	else
		look(tube, id - 1, time);
}

/* --- Ticks ------------------------------------------------------------------------------------------------------- */

static size_t candidates(
    Detector *detector, uint32_t layer, uint16_t bin, double time, const ContactPair *const **pairs)
{
	(void)time;
	Tube *tube = (Tube *)detector;
	tube->measured = roster_of(tube, layer, bin);
	return roster_list(tube->measured, pairs);
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
		put_due(tube, p->index, slot_before(tube, time + safe));
	return true;
}

static void measured(Detector *detector, uint32_t layer, uint16_t bin, double time, const double *gap)
{
	Tube *tube = (Tube *)detector;
	const Layers *layers = detector->site.layers;
	const Roster *roster = tube->measured;
	double open = layers->wake[layer] + (layers->wake[layer] - layers->eta[layer]);
	double step = interval(tube, layer, bin), least = layers->eta[layer + 1] + tube->tubes.rounding;
	size_t n = roster->n; /* those that wake now are behind */
	for (size_t i = 0; i < n; i++) {
		TubePair *p = (TubePair *)(void *)roster->pair[i];
		if (p->roster.awake != layer)
			continue;
		if (gap[i] >= open && sleeps(tube, p, time, gap[i]))
			continue;
		if (gap[i] - least < p->rate * step * (1.0 + 1e-6) || layer == detector->site.last_layer)
			place(tube, p->index, time, gap[i]);
	}
}

static size_t near(Detector *detector, double time, const ContactPair *const **pairs)
{
	(void)time;
	Tube *tube = (Tube *)detector;
	g_ptr_array_set_size(tube->listed, 0);
	for (uint16_t bin = 0; bin < detector->site.surface->n_bins; bin++) {
		const ContactPair *const *awake;
		size_t n = roster_list(roster_of(tube, 1, bin), &awake);
		for (size_t i = 0; i < n; i++)
			g_ptr_array_add(tube->listed, (gpointer)awake[i]);
	}
	roster_sort((const ContactPair **)tube->listed->pdata, tube->listed->len);
	*pairs = (const ContactPair *const *)tube->listed->pdata;
	return tube->listed->len;
}

static void count(const Detector *detector, DetectorCount *out)
{
	*out = ((const Tube *)detector)->count;
}

/* --- Validation -------------------------------------------------------------------------------------------------- */

/* What is wrong with one pair; `p` is NULL when it is not listed. */
static const char *pair_fault(const Tube *tube, const ContactPair *pair, const TubePair *p, double time)
{
	const Tubes *tubes = &tube->tubes;
	const Layers *layers = tube->base.site.layers;
	double end = slot_time(tube, SLOTS);
	if (p == NULL) {
		double least = layers->eta[1] + 2.0 * tubes->radius[TUBE_LEVELS - 1];
		return advance_stays_apart(pair, tubes->reference, least, time, end) ? NULL : "it is not listed, but may come near";
	}
	if (p->level == FOLLOWED) {
		/* Until when it is relied on, nobody may have changed a plan: on the present ones is all that can be said. */
		const DetectorSite *site = &tube->base.site;
		double until = p->roster.awake > 0 ? site->next_tick(site->context, p->roster.awake, pair->bin) : slot_time(tube, p->slot);
		double own = queue_time(tube->base.site.avi->queue, p->event);
		until = isnan(own) ? until : p->roster.awake > 0 ? fmin(until, own) : own;
		bool far = advance_stays_apart(pair, tube->base.site.flight, layers->eta[p->roster.awake + 1], time, fmin(until, tubes->horizon));
		return far ? NULL : "it is followed, but not looked at in time";
	}
	for (int c = 0; c < distance_corners[pair->kind]; c++)
		if (tubes->level[pair->vertex[c]] > p->level)
			return "a vertex is beyond the level of its certificate";
	double least = layers->eta[1] + 2.0 * tubes->radius[p->level];
	bool far = advance_stays_apart(pair, tubes->reference, least, time, slot_time(tube, p->slot));
	return far ? NULL : "its certificate lasts too long";
}

static const char *vertex_fault(const Tube *tube, uint32_t vertex, double time)
{
	const Tubes *tubes = &tube->tubes;
	const Flight *flight = &tubes->flight[vertex], *reference = &tubes->reference[vertex];
	double times[2] = {time, fmax(time, tubes->horizon)}, radius = tubes->radius[tubes->level[vertex]];
	for (int i = 0; i < 2; i++)
		if (vec3_distance(flight_position(flight, times[i]), flight_position(reference, times[i])) > radius)
			return "is outside of its tube";
	if (vec3_distance(flight->v, reference->v) > tubes->speed[vertex] * (1.0 + 1e-9))
		return "is faster than it may be";
	return NULL;
}

static char *validate(Detector *detector, double time)
{
	Tube *tube = (Tube *)detector;
	const Surface *surface = detector->site.surface;
	if (time > tube->tubes.horizon)
		return g_strdup_printf("the horizon, %.17g s, is past", tube->tubes.horizon);
	for (uint32_t i = 0; i < vertex_count(tube); i++) {
		const char *wrong = vertex_fault(tube, i, time);
		if (wrong != NULL)
			return g_strdup_printf("vertex %u %s", i, wrong);
	}
	ChordWindow window = chord_window(tube);
	for (uint32_t e = 0; e < surface->n_elements; e++)
		if (!chord_holds(tube->tree, &window, e))
			return g_strdup_printf("element %u is outside of its bounds", e);
	g_autoptr(GHashTable) listed = g_hash_table_new(g_int64_hash, g_int64_equal);
	for (uint32_t i = 0; i < tube->n_pairs; i++)
		g_hash_table_insert(listed, &pair_at(tube, i)->roster.pair.key, pair_at(tube, i));
	g_autoptr(GArray) all = surface_all_pairs(surface);
	for (guint i = 0; i < all->len; i++) {
		const ContactPair *pair = &g_array_index(all, ContactPair, i);
		const char *wrong = pair_fault(tube, pair, g_hash_table_lookup(listed, &pair->key), time);
		if (wrong != NULL)
			return g_strdup_printf("pair %u-%u-%u-%u, kind %d: %s", pair->vertex[0], pair->vertex[1], pair->vertex[2],
			    pair->vertex[3], pair->kind, wrong);
	}
	return NULL;
}

/* --- The detector ------------------------------------------------------------------------------------------------ */

static void start(Detector *detector, double time)
{
	Tube *tube = (Tube *)detector;
	uint32_t n = vertex_count(tube);
	tube->tests = 0;
	plant_tree(tube, time);
	tube->snapshot_time = NAN;
	memset(tube->tubes.speed, 0, n * sizeof *tube->tubes.speed);
	if (detector->site.surface->n_bins == 0)
		return;
	if (tube->window == 0.0)
		tube->window = SLOTS * interval(tube, 1, 0);
	begin_window(tube, time);
}

static void list_elements(Tube *tube)
{
	const Surface *surface = tube->base.site.surface;
	uint32_t n = vertex_count(tube), sum = 0;
	tube->element_begin = g_new0(uint32_t, n + 2u);
	for (uint32_t e = 0; e < surface->n_elements; e++)
		for (int c = 0; c < surface->element[e].corners; c++)
			tube->element_begin[surface->element[e].vertex[c] + 2]++;
	for (uint32_t i = 0; i < n + 2u; i++)
		tube->element_begin[i] = sum += tube->element_begin[i];
	tube->element_of = g_new0(uint32_t, sum + 1u);
	for (uint32_t e = 0; e < surface->n_elements; e++)
		for (int c = 0; c < surface->element[e].corners; c++)
			tube->element_of[tube->element_begin[surface->element[e].vertex[c] + 1]++] = e;
}

static Detector *new(const DetectorSite *site)
{
	Tube *tube = g_new0(Tube, 1);
	size_t n = world_vertex_count(site->surface->world), n_rosters = (size_t)site->last_layer * site->surface->n_bins;
	double radius[TUBE_LEVELS];
	tube->base = (Detector){&detector_tube, *site};
	for (int level = 0; level < TUBE_LEVELS; level++)
		radius[level] = radii[level] * site->layers->eta[1];
	tube_init(&tube->tubes, site->flight, n, radius);
	tube->snapshot = g_new0(Vec3, n + 1);
	tube->ends = g_new0(double, 6 * n + 1);
	tube->block = g_ptr_array_new_with_free_func(g_free);
	tube->near_begin = g_new0(uint32_t, (n + 1) * (TUBE_LEVELS + 1) + 2);
	tube->extra = g_array_new(FALSE, FALSE, sizeof(Extra));
	tube->extra_first = g_new0(uint32_t, n + 1);
	for (uint32_t slot = 0; slot <= SLOTS; slot++)
		tube->due[slot] = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	tube->roster = g_new0(Roster, n_rosters + 1);
	for (size_t i = 0; i < n_rosters; i++)
		roster_init(&tube->roster[i], (uint32_t)(i / site->surface->n_bins) + 1);
	tube->listed = g_ptr_array_new();
	tube->found = g_array_new(FALSE, FALSE, sizeof(Found));
	tube->known = g_array_sized_new(FALSE, FALSE, sizeof(uint64_t), 64) /* bsearch() wants an address, also of nothing */;
	tube->left = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	tube->around = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	list_elements(tube);
	tube->charts = site->near_field ? chart_new(site->surface) : NULL;
	return &tube->base;
}

static void free_tube(Detector *detector)
{
	Tube *tube = (Tube *)detector;
	forget_pairs(tube);
	queue_remove(detector->site.avi->queue, tube->sweep);
	for (size_t i = 0; i < (size_t)detector->site.last_layer * detector->site.surface->n_bins; i++)
		roster_free(&tube->roster[i]);
	for (uint32_t slot = 0; slot <= SLOTS; slot++)
		g_array_unref(tube->due[slot]);
	GArray *arrays[] = {tube->extra, tube->found, tube->known, tube->left, tube->around};
	for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
		g_array_unref(arrays[i]);
	void *plain[] = {tube->snapshot, tube->ends, tube->near_begin, tube->near_pair, tube->extra_first, tube->roster,
	    tube->element_begin, tube->element_of};
	for (size_t i = 0; i < G_N_ELEMENTS(plain); i++)
		g_free(plain[i]);
	g_ptr_array_unref(tube->block);
	g_ptr_array_unref(tube->listed);
	chord_free(tube->tree);
	chart_free(tube->charts);
	tube_free(&tube->tubes);
	g_free(tube);
}

const DetectorClass detector_tube = {
    .name = "tube",
    .new = new,
    .free = free_tube,
    .start = start,
    .changed = changed,
    .act = act,
    .candidates = candidates,
    .measured = measured,
    .near = near,
    .count = count,
    .validate = validate,
};

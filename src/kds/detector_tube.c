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
#include "kds/tube_state.h"
#include <string.h>

/* Radii of the levels over eta(1). */
static const double radii[TUBE_LEVELS] = {0.01, 0.03, 0.09, 0.27};

static void take_snapshot(Tube *tube, double time)
{
	tube->snapshot_time = time;
	for (uint32_t i = 0; i < tube_vertex_count(tube); i++)
		tube->snapshot[i] = flight_position(&tube->base.site.flight[i], time);
}

/* The beginning of a slot, or of the next window. */
static void sweep(Tube *tube, double time)
{
	if (++tube->slot == TUBE_SLOTS) {
		tube_adapt(tube);
		tube_begin_window(tube, time);
		return;
	}
	tube->tubes.horizon = tube_slot_time(tube, tube->slot + 1);
	if (tube->slot == TUBE_SNAPSHOT_SLOT)
		take_snapshot(tube, time);
	GArray *due = tube->due[tube->slot];
	for (guint i = 0; i < due->len; i++) {
		uint32_t index = g_array_index(due, uint32_t, i);
		TubePair *p = tube_pair_at(tube, index);
		if (p->slot != tube->slot)
			continue;
		p->slot = 0;
		if (p->level == TUBE_FOLLOWED)
			tube_look_later(tube, index, false);
		else
			tube_follow_later(tube, index);
	}
	tube_schedule(tube, &tube->sweep, tube_slot_time(tube, tube->slot + 1), 0);
	tube_check(tube, NULL, tube_vertex_count(tube), time);
}

static void act(Detector *detector, uint32_t id, double time, double *next)
{
	Tube *tube = (Tube *)detector;
	QueueHandle *event = id == 0 ? &tube->sweep : &tube_pair_at(tube, id - 1)->event, handle = *event;
	/* The event is taken off first: what follows schedules anew whatever is needed. */
	*event = (QueueHandle){0, 0};
	queue_remove(detector->site.avi->queue, handle);
	*next = INFINITY;
	if (id == 0)
		sweep(tube, time);
	else
		tube_look(tube, id - 1, time);
}

static size_t candidates(
    Detector *detector, uint32_t layer, uint16_t bin, double time, const ContactPair *const **pairs)
{
	(void)time;
	Tube *tube = (Tube *)detector;
	tube->measured = tube_roster_of(tube, layer, bin);
	return roster_list(tube->measured, pairs);
}

static size_t near(Detector *detector, double time, const ContactPair *const **pairs)
{
	(void)time;
	Tube *tube = (Tube *)detector;
	g_ptr_array_set_size(tube->listed, 0);
	for (uint16_t bin = 0; bin < detector->site.surface->n_bins; bin++) {
		const ContactPair *const *awake;
		size_t n = roster_list(tube_roster_of(tube, 1, bin), &awake);
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

static void start(Detector *detector, double time)
{
	Tube *tube = (Tube *)detector;
	uint32_t n = tube_vertex_count(tube);
	tube->tests = 0;
	tube_plant_tree(tube, time);
	tube->snapshot_time = NAN;
	memset(tube->tubes.speed, 0, n * sizeof *tube->tubes.speed);
	if (detector->site.surface->n_bins == 0)
		return;
	if (tube->window == 0.0)
		tube->window = TUBE_SLOTS * tube_interval(tube, 1, 0);
	tube_begin_window(tube, time);
}

static void list_elements(Tube *tube)
{
	const Surface *surface = tube->base.site.surface;
	uint32_t n = tube_vertex_count(tube), sum = 0;
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
	tube->extra = g_array_new(FALSE, FALSE, sizeof(TubeExtra));
	tube->extra_first = g_new0(uint32_t, n + 1);
	for (uint32_t slot = 0; slot <= TUBE_SLOTS; slot++)
		tube->due[slot] = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	tube->roster = g_new0(Roster, n_rosters + 1);
	for (size_t i = 0; i < n_rosters; i++)
		roster_init(&tube->roster[i], (uint32_t)(i / site->surface->n_bins) + 1);
	tube->listed = g_ptr_array_new();
	tube->finder = g_ptr_array_new_with_free_func(tube_free_finder);
	tube->tasks = g_array_new(FALSE, FALSE, sizeof(ChordTask));
	tube->again = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	tube->look = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	list_elements(tube);
	tube->charts = site->near_field ? chart_new(site->surface) : NULL;
	return &tube->base;
}

static void free_tube(Detector *detector)
{
	Tube *tube = (Tube *)detector;
	tube_forget_pairs(tube);
	queue_remove(detector->site.avi->queue, tube->sweep);
	for (size_t i = 0; i < (size_t)detector->site.last_layer * detector->site.surface->n_bins; i++)
		roster_free(&tube->roster[i]);
	for (uint32_t slot = 0; slot <= TUBE_SLOTS; slot++)
		g_array_unref(tube->due[slot]);
	GArray *arrays[] = {tube->extra, tube->tasks, tube->again, tube->look};
	for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
		g_array_unref(arrays[i]);
	void *plain[] = {tube->snapshot, tube->ends, tube->near_begin, tube->near_pair, tube->extra_first, tube->roster,
	    tube->element_begin, tube->element_of, tube->gap};
	for (size_t i = 0; i < G_N_ELEMENTS(plain); i++)
		g_free(plain[i]);
	g_ptr_array_unref(tube->block);
	g_ptr_array_unref(tube->finder);
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
    .changed = tube_changed,
    .act = act,
    .candidates = candidates,
    .measured = tube_measured,
    .near = near,
    .count = count,
    .validate = tube_validate,
};

/* Certificates as in the thesis (chapter 5): a separation list over a hierarchy of 18-DOPs, and separation slabs for the
 * primitive pairs where bounds overlap. Everything that a new flight plan touches is scheduled anew: the slow, plain
 * reference for the detectors that do less.
 *
 * Records form a tree. A record is a pair of nodes; it is
 *   apart    certified by the hierarchy: the bounds are farther apart than layer 1 wakes at, until its event;
 *   split    its children cover it;
 *   open     two leaves, whose primitive pairs have a slab each.
 * Invariant: at any instant every primitive pair that can touch is below just one record that is apart, with an unfailed
 * certificate for the waking distance of layer 1, or is in an open record, awake in layers 1 ... l, with an unfailed slab
 * for the waking distance of layer l + 1.
 *
 * Two failures, as in the thesis: bounds that overlap send a record down, bounds of split and open records that are far
 * enough apart send it up again. Going up saves time but guards nothing, so its events are not moved when flight plans
 * change. */
#include "kds/advance.h"
#include "kds/detector.h"
#include "kds/hierarchy.h"
#include "kds/slab.h"
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

typedef enum {
	STATE_FREE,
	STATE_APART,
	STATE_SPLIT,
	STATE_OPEN
} State;

typedef struct {
	uint32_t node[2];
	uint32_t parent, first_child, next_sibling; /* records; a free one links the next free one in next_sibling */
	uint32_t first_pair;                        /* of an open record */
	uint32_t next[2], previous[2];              /* in the lists of its nodes, while apart: record * 2 + side */
	uint32_t stamp;                             /* of the last change that rescheduled it */
	QueueHandle event;
	State state;
} Record;

/* A primitive pair with its slab. */
typedef struct {
	ContactPair pair;
	Vec3 normal;
	uint32_t record, next_pair;                    /* in its record; a free one links the next free one */
	uint32_t next[PAIR_MOST_CORNERS], previous[PAIR_MOST_CORNERS]; /* in the lists of its vertices: pair * 4 + corner */
	uint32_t awake;                                /* layers 1 ... awake are */
	uint32_t generation;                           /* of what lives here; odd: free */
	uint32_t stamp;
	QueueHandle event;
} Slab;

/* A pair in the list of a layer; stale when the generation differs or the pair sleeps there. */
typedef struct {
	uint64_t key;
	uint32_t slab, generation;
} Listed;

typedef struct {
	Detector base;
	Hierarchy *hierarchy;
	GArray *record; /* Record */
	GArray *slab;   /* Slab */
	uint32_t free_record, free_slab, root;
	uint32_t *node_list;    /* (nodes) first of the records that are apart: record * 2 + side */
	uint32_t *vertex_list;  /* (vertices) first of the slabs: slab * 4 + corner */
	GArray **listed;        /* (last_layer, bins) Listed; NULL: never awake */
	GPtrArray *found;       /* const ContactPair *: candidates of the last tick */
	GArray *found_slab;     /* uint32_t */
	uint32_t stamp;
	double up_gap;          /* [length] beyond which records go up */
	uint32_t n_moved;       /* certificates that the last change has moved in time: for the trace, like */
	double earliest;        /* [s] the first failure among them */
	DetectorCount count;
} Naive;

static Record *record_at(const Naive *naive, uint32_t i)
{
	return &g_array_index(naive->record, Record, i);
}

static Slab *slab_at(const Naive *naive, uint32_t i)
{
	return &g_array_index(naive->slab, Slab, i);
}

static const Dop *dop_at(const Naive *naive, uint32_t node)
{
	return &naive->hierarchy->node[node].dop;
}

/* Events: records have even ids, slabs odd ones. INFINITY needs no event. */
static void schedule(Naive *naive, QueueHandle *event, double time, uint32_t id)
{
	Avi *avi = naive->base.site.avi;
	if (time == INFINITY) {
		queue_remove(avi->queue, *event);
		*event = (QueueHandle){0, 0};
	} else if (!queue_update(avi->queue, *event, time)) {
		*event = avi_schedule(avi, time, AVI_CERTIFICATE, id);
	}
}

/* A certificate fails at another time than before, since a flight plan has changed. */
static void move_certificate(Naive *naive, QueueHandle *event, double failure, uint32_t id)
{
	schedule(naive, event, failure, id);
	naive->n_moved++;
	naive->earliest = fmin(naive->earliest, failure);
}

/* --- What the trace says ----------------------------------------------------------------------------------------- */

static void note_pair(const Naive *naive, const ContactPair *pair, const char *what, double gap)
{
	const DetectorSite *site = &naive->base.site;
	if (site->avi->trace == NULL)
		return;
	int first = distance_first[pair->kind], corners = distance_corners[pair->kind];
	g_autofree char *one = surface_name(site->surface, pair->vertex, first);
	g_autofree char *other = surface_name(site->surface, pair->vertex + first, corners - first);
	avi_note(site->avi, "%s | %s: %s at gap %.4g %s", one, other, what, gap, site->surface->world->units->length);
}

static char *node_name(const Naive *naive, uint32_t node)
{
	const Surface *surface = naive->base.site.surface;
	const Node *p = &naive->hierarchy->node[node];
	if (hierarchy_is_leaf(p))
		return surface_name(surface, surface->element[p->left].vertex, surface->element[p->left].corners);
	if (p->body == HIERARCHY_NONE)
		return g_strdup("several bodies");
	return g_strdup_printf("a part of %s", ((const Body *)surface->world->bodies->pdata[p->body])->name);
}

static void note_record(const Naive *naive, const Record *record, const char *what)
{
	Avi *avi = naive->base.site.avi;
	if (avi->trace == NULL)
		return;
	g_autofree char *one = node_name(naive, record->node[0]), *other = node_name(naive, record->node[1]);
	avi_note(avi, "%s | %s: %s", one, other, what);
}

static void note_until(const Naive *naive, const char *what, double time)
{
	if (time < INFINITY)
		avi_note(naive->base.site.avi, "%s until %.9g s", what, time);
	else
		avi_note(naive->base.site.avi, "%s without end", what);
}

static void note_moved(const Naive *naive)
{
	g_autofree char *several = g_strdup_printf("%u certificates, the first now", naive->n_moved);
	if (naive->n_moved > 0)
		note_until(naive, naive->n_moved == 1 ? "certificate now" : several, naive->earliest);
}

/* --- Lists ------------------------------------------------------------------------------------------------------- */

static uint32_t *record_previous(Naive *naive, uint32_t link)
{
	return &record_at(naive, link / 2)->previous[link % 2];
}

static void enter_node_lists(Naive *naive, uint32_t index)
{
	Record *record = record_at(naive, index);
	for (uint32_t side = 0; side < 2; side++) {
		uint32_t *first = &naive->node_list[record->node[side]], link = index * 2 + side;
		record->next[side] = *first;
		record->previous[side] = NONE;
		if (*first != NONE)
			*record_previous(naive, *first) = link;
		*first = link;
	}
}

static void leave_node_lists(Naive *naive, uint32_t index)
{
	Record *record = record_at(naive, index);
	for (uint32_t side = 0; side < 2; side++) {
		uint32_t next = record->next[side], previous = record->previous[side];
		if (next != NONE)
			*record_previous(naive, next) = previous;
		if (previous != NONE)
			record_at(naive, previous / 2)->next[previous % 2] = next;
		else
			naive->node_list[record->node[side]] = next;
	}
}

static void enter_vertex_lists(Naive *naive, uint32_t index)
{
	Slab *slab = slab_at(naive, index);
	for (uint32_t c = 0; c < (uint32_t)distance_corners[slab->pair.kind]; c++) {
		uint32_t *first = &naive->vertex_list[slab->pair.vertex[c]], link = index * 4 + c;
		slab->next[c] = *first;
		slab->previous[c] = NONE;
		if (*first != NONE)
			slab_at(naive, *first / 4)->previous[*first % 4] = link;
		*first = link;
	}
}

static void leave_vertex_lists(Naive *naive, uint32_t index)
{
	Slab *slab = slab_at(naive, index);
	for (int c = 0; c < distance_corners[slab->pair.kind]; c++) {
		uint32_t next = slab->next[c], previous = slab->previous[c];
		if (next != NONE)
			slab_at(naive, next / 4)->previous[next % 4] = previous;
		if (previous != NONE)
			slab_at(naive, previous / 4)->next[previous % 4] = next;
		else
			naive->vertex_list[slab->pair.vertex[c]] = next;
	}
}

static GArray **list_of(Naive *naive, uint32_t layer, uint16_t bin)
{
	return &naive->listed[(size_t)(layer - 1) * naive->base.site.surface->n_bins + bin];
}

/* --- Primitive pairs --------------------------------------------------------------------------------------------- */

static void count_alive(Naive *naive)
{
	naive->count.alive++;
	naive->count.most_alive = MAX(naive->count.most_alive, naive->count.alive);
}

static uint32_t new_slab(Naive *naive, const ContactPair *pair, uint32_t record)
{
	uint32_t index = naive->free_slab;
	if (index != NONE) {
		naive->free_slab = slab_at(naive, index)->next_pair;
	} else {
		Slab empty = {.generation = 1};
		index = naive->slab->len;
		g_array_append_val(naive->slab, empty);
	}
	Slab *slab = slab_at(naive, index);
	*slab = (Slab){.pair = *pair, .record = record, .generation = slab->generation + 1};
	slab->next_pair = record_at(naive, record)->first_pair;
	record_at(naive, record)->first_pair = index;
	enter_vertex_lists(naive, index);
	count_alive(naive);
	naive->count.pairs++;
	return index;
}

static void free_slab(Naive *naive, uint32_t index)
{
	Slab *slab = slab_at(naive, index);
	leave_vertex_lists(naive, index);
	schedule(naive, &slab->event, INFINITY, 0);
	naive->count.awake -= slab->awake;
	naive->count.alive--;
	naive->count.pairs--;
	slab->generation++;
	slab->next_pair = naive->free_slab;
	naive->free_slab = index;
}

static void wake_next_layer(Naive *naive, uint32_t index, double time)
{
	const DetectorSite *site = &naive->base.site;
	Slab *slab = slab_at(naive, index);
	GArray **list = list_of(naive, ++slab->awake, slab->pair.bin);
	Listed entry = {slab->pair.key, index, slab->generation};
	if (*list == NULL)
		*list = g_array_new(FALSE, FALSE, sizeof(Listed));
	g_array_append_val(*list, entry);
	naive->count.awake++;
	avi_note(site->avi, "layer %u wakes", slab->awake);
	site->wake(site->context, slab->awake, slab->pair.bin, time);
}

static double measure(const Naive *naive, Slab *slab, double time)
{
	Vec3 x[PAIR_MOST_CORNERS];
	for (int c = 0; c < distance_corners[slab->pair.kind]; c++)
		x[c] = flight_position(&naive->base.site.flight[slab->pair.vertex[c]], time);
	Closest closest = distance_closest(slab->pair.kind, x);
	slab->normal = closest.normal;
	return closest.distance - slab->pair.offset;
}

static double failure_of(const Naive *naive, const Slab *slab, double time)
{
	return slab_failure(
	    &slab->pair, naive->base.site.flight, slab->normal, naive->base.site.layers->wake[slab->awake + 1], time);
}

/* A new slab in the direction of the closest points, and every layer awake that has to be. `why` is for the trace; NULL:
 * worth a note only when a layer wakes. */
static void renew_slab(Naive *naive, uint32_t index, double time, const char *why)
{
	const Layers *layers = naive->base.site.layers;
	Slab *slab = slab_at(naive, index);
	double gap = measure(naive, slab, time);
	if (why != NULL)
		note_pair(naive, &slab->pair, why, gap);
	for (;;) {
		uint32_t layer = slab->awake + 1;
		/* A gap that is only just above the waking distance would have a certificate for no time at all. */
		double margin = 0.1 * (layers->wake[layer] - layers->eta[layer]);
		double failure = failure_of(naive, slab, time);
		if (gap >= layers->wake[layer] + margin && failure > time) {
			schedule(naive, &slab->event, failure, index * 2 + 1);
			if (why != NULL)
				note_until(naive, "new slab", failure);
			return;
		}
		if (why == NULL)
			note_pair(naive, &slab->pair, why = "near", gap);
		if (layer > naive->base.site.last_layer) {
			naive->base.site.limit(naive->base.site.context, &slab->pair, time);
			return;
		}
		wake_next_layer(naive, index, time);
	}
}

/* --- Records ----------------------------------------------------------------------------------------------------- */

static uint32_t new_record(Naive *naive, uint32_t parent, uint32_t a, uint32_t b)
{
	uint32_t index = naive->free_record;
	if (index != NONE) {
		naive->free_record = record_at(naive, index)->next_sibling;
	} else {
		index = naive->record->len;
		g_array_set_size(naive->record, index + 1);
	}
	Record *record = record_at(naive, index);
	*record = (Record){.node = {a, b}, .parent = parent, .first_child = NONE, .next_sibling = NONE, .first_pair = NONE};
	if (parent != NONE) {
		record->next_sibling = record_at(naive, parent)->first_child;
		record_at(naive, parent)->first_child = index;
	}
	return index;
}

/* Whether the elements of two nodes never meet, whatever happens. */
static bool never_meet(const Naive *naive, uint32_t a, uint32_t b)
{
	const Surface *surface = naive->base.site.surface;
	const Node *p = &naive->hierarchy->node[a], *q = &naive->hierarchy->node[b];
	if (!p->moves && !q->moves)
		return true;
	return p->body != HIERARCHY_NONE && q->body != HIERARCHY_NONE &&
	       !surface->meets[p->body * surface->world->bodies->len + q->body];
}

static double extent(const Dop *dop)
{
	return dop->high[0] - dop->low[0] + dop->high[1] - dop->low[1] + dop->high[2] - dop->low[2];
}

static void cover(Naive *naive, uint32_t parent, uint32_t a, uint32_t b, double time);

static void open_leaves(Naive *naive, uint32_t index, double time)
{
	const Record *record = record_at(naive, index);
	ContactPair pairs[SURFACE_MOST_PAIRS];
	int n = surface_element_pairs(naive->base.site.surface, naive->hierarchy->node[record->node[0]].left,
	    naive->hierarchy->node[record->node[1]].left, pairs);
	for (int i = 0; i < n; i++)
		renew_slab(naive, new_slab(naive, &pairs[i], index), time, NULL);
}

static void split_children(Naive *naive, uint32_t index, double time)
{
	uint32_t a = record_at(naive, index)->node[0], b = record_at(naive, index)->node[1];
	const Node *p = &naive->hierarchy->node[a], *q = &naive->hierarchy->node[b];
	if (a == b) {
		cover(naive, index, p->left, p->left, time);
		cover(naive, index, p->right, p->right, time);
		cover(naive, index, p->left, p->right, time);
	} else if (hierarchy_is_leaf(q) || (!hierarchy_is_leaf(p) && extent(&p->dop) >= extent(&q->dop))) {
		cover(naive, index, p->left, b, time);
		cover(naive, index, p->right, b, time);
	} else {
		cover(naive, index, a, q->left, time);
		cover(naive, index, a, q->right, time);
	}
}

/* When to look whether the record can go up. */
static void schedule_up(Naive *naive, uint32_t index, double time)
{
	Record *record = record_at(naive, index);
	if (record->node[0] == record->node[1])
		return;
	double parting = dop_parting(dop_at(naive, record->node[0]), dop_at(naive, record->node[1]), naive->up_gap, time);
	/* Not again and again while it is almost so. */
	double least = 0.1 * naive->base.site.layers->eta[1];
	double soon = dop_parting(
	    dop_at(naive, record->node[0]), dop_at(naive, record->node[1]), naive->up_gap + least, time);
	schedule(naive, &record->event, fmax(parting, soon), index * 2);
}

/* Goes down: the record's children, or its primitive pairs, cover it from now on. */
static void go_down(Naive *naive, uint32_t index, double time)
{
	Record *record = record_at(naive, index);
	uint32_t a = record->node[0], b = record->node[1];
	bool leaves = a != b && hierarchy_is_leaf(&naive->hierarchy->node[a]) && hierarchy_is_leaf(&naive->hierarchy->node[b]);
	record->state = leaves ? STATE_OPEN : STATE_SPLIT;
	if (leaves)
		open_leaves(naive, index, time);
	else
		split_children(naive, index, time);
	schedule_up(naive, index, time);
}

static void set_apart(Naive *naive, uint32_t index, double failure)
{
	Record *record = record_at(naive, index);
	record->state = STATE_APART;
	enter_node_lists(naive, index);
	schedule(naive, &record->event, failure, index * 2);
	count_alive(naive);
}

static void end_apart(Naive *naive, uint32_t index)
{
	leave_node_lists(naive, index);
	schedule(naive, &record_at(naive, index)->event, INFINITY, 0);
	naive->count.alive--;
}

static double record_failure(const Naive *naive, const Record *record, double time)
{
	return dop_failure(dop_at(naive, record->node[0]), dop_at(naive, record->node[1]),
	    naive->base.site.layers->wake[1], time);
}

/* A record for a pair of nodes, and all that is below it. */
static void cover(Naive *naive, uint32_t parent, uint32_t a, uint32_t b, double time)
{
	if (never_meet(naive, a, b) || (a == b && hierarchy_is_leaf(&naive->hierarchy->node[a])))
		return;
	uint32_t index = new_record(naive, parent, a, b);
	if (parent == NONE)
		naive->root = index;
	double failure = a == b ? -INFINITY : record_failure(naive, record_at(naive, index), time);
	if (failure > time)
		set_apart(naive, index, failure);
	else
		go_down(naive, index, time);
}

static void free_below(Naive *naive, uint32_t index)
{
	Record *record = record_at(naive, index);
	for (uint32_t child = record->first_child, next; child != NONE; child = next) {
		Record *below = record_at(naive, child);
		next = below->next_sibling;
		free_below(naive, child);
		if (below->state == STATE_APART)
			end_apart(naive, child);
		else
			schedule(naive, &below->event, INFINITY, 0);
		below->state = STATE_FREE;
		below->next_sibling = naive->free_record;
		naive->free_record = child;
	}
	for (uint32_t slab = record->first_pair, next; slab != NONE; slab = next) {
		next = slab_at(naive, slab)->next_pair;
		free_slab(naive, slab);
	}
	record->first_child = record->first_pair = NONE;
}

/* The bounds of a split or open record may be apart by now: then all below it, which is out of range, can go. */
static void try_up(Naive *naive, uint32_t index, double time)
{
	Record *record = record_at(naive, index);
	const Dop *a = dop_at(naive, record->node[0]), *b = dop_at(naive, record->node[1]);
	double failure = dop_failure(a, b, naive->up_gap, time) > time ? record_failure(naive, record, time) : time;
	if (failure <= time) {
		schedule_up(naive, index, time);
		return;
	}
	schedule(naive, &record->event, INFINITY, 0);
	free_below(naive, index);
	set_apart(naive, index, failure);
	note_record(naive, record, "bounds are apart again");
	note_until(naive, "certificate", failure);
}

static void fail_apart(Naive *naive, uint32_t index, double time)
{
	note_record(naive, record_at(naive, index), "bounds come together");
	naive->count.failed++;
	end_apart(naive, index);
	go_down(naive, index, time);
}

/* --- The detector ------------------------------------------------------------------------------------------------ */

static void act(Detector *detector, uint32_t id, double time, double *next)
{
	Naive *naive = (Naive *)detector;
	uint32_t index = id / 2;
	QueueHandle *event = id % 2 ? &slab_at(naive, index)->event : &record_at(naive, index)->event;
	/* The event is taken off first: what follows schedules anew whatever is needed. */
	QueueHandle handle = *event;
	*event = (QueueHandle){0, 0};
	queue_remove(detector->site.avi->queue, handle);
	*next = INFINITY;
	if (id % 2) {
		naive->count.failed++;
		renew_slab(naive, index, time, "the slab fails");
	} else if (record_at(naive, index)->state == STATE_APART) {
		fail_apart(naive, index, time);
	} else {
		try_up(naive, index, time);
	}
}

static void reschedule_records(Naive *naive, uint32_t node, double time)
{
	for (uint32_t link = naive->node_list[node], next; link != NONE; link = next) {
		uint32_t index = link / 2;
		Record *record = record_at(naive, index);
		next = record->next[link % 2];
		if (record->stamp == naive->stamp)
			continue;
		record->stamp = naive->stamp;
		naive->count.rescheduled++;
		double failure = record_failure(naive, record, time);
		if (failure > time)
			move_certificate(naive, &record->event, failure, index * 2);
		else
			fail_apart(naive, index, time);
	}
}

static void reschedule_slabs(Naive *naive, uint32_t vertex, double time)
{
	for (uint32_t link = naive->vertex_list[vertex], next; link != NONE; link = next) {
		uint32_t index = link / 4;
		Slab *slab = slab_at(naive, index);
		next = slab->next[link % 4];
		if (slab->stamp == naive->stamp)
			continue;
		slab->stamp = naive->stamp;
		naive->count.rescheduled++;
		double failure = failure_of(naive, slab, time);
		if (failure > time)
			move_certificate(naive, &slab->event, failure, index * 2 + 1);
		else
			renew_slab(naive, index, time, "the slab fails");
	}
}

static void changed(Detector *detector, double time, const uint32_t *vertex, size_t n)
{
	Naive *naive = (Naive *)detector;
	naive->stamp++;
	naive->n_moved = 0;
	naive->earliest = INFINITY;
	hierarchy_refit(naive->hierarchy, time, vertex, n);
	for (uint32_t i = 0; i < naive->hierarchy->n_stale; i++)
		reschedule_records(naive, naive->hierarchy->stale[i], time);
	for (size_t i = 0; i < n; i++)
		reschedule_slabs(naive, vertex[i], time);
	if (detector->site.avi->trace != NULL)
		note_moved(naive);
}

static int compare_listed(const void *a, const void *b)
{
	const Listed *p = a, *q = b;
	if (p->key != q->key)
		return p->key < q->key ? -1 : 1;
	return p->generation < q->generation ? -1 : p->generation > q->generation;
}

static bool is_awake(const Naive *naive, const Listed *entry, uint32_t layer)
{
	const Slab *slab = slab_at(naive, entry->slab);
	return slab->generation == entry->generation && slab->awake >= layer;
}

/* Drops what is stale or twice in a list, and sorts it. */
static void tidy(const Naive *naive, GArray *list, uint32_t layer)
{
	guint kept = 0;
	g_array_sort(list, compare_listed);
	for (guint i = 0; i < list->len; i++) {
		Listed entry = g_array_index(list, Listed, i);
		bool again = kept > 0 && g_array_index(list, Listed, kept - 1).key == entry.key;
		if (!again && is_awake(naive, &entry, layer))
			g_array_index(list, Listed, kept++) = entry;
	}
	g_array_set_size(list, kept);
}

static void find(Naive *naive, uint32_t layer, uint16_t bin)
{
	GArray *list = *list_of(naive, layer, bin);
	if (list == NULL)
		return;
	tidy(naive, list, layer);
	for (guint i = 0; i < list->len; i++) {
		uint32_t slab = g_array_index(list, Listed, i).slab;
		g_array_append_val(naive->found_slab, slab);
		g_ptr_array_add(naive->found, &slab_at(naive, slab)->pair);
	}
}

static size_t candidates(
    Detector *detector, uint32_t layer, uint16_t bin, double time, const ContactPair *const **pairs)
{
	(void)time;
	Naive *naive = (Naive *)detector;
	g_ptr_array_set_size(naive->found, 0);
	g_array_set_size(naive->found_slab, 0);
	find(naive, layer, bin);
	*pairs = (const ContactPair *const *)naive->found->pdata;
	return naive->found->len;
}

/* The deepest layer of a pair sleeps when the gap is open by more than the margin, and opening; or open by so much that the
 * layer before it could sleep too. */
static void measured(Detector *detector, uint32_t layer, uint16_t bin, double time, const double *gap)
{
	(void)bin;
	Naive *naive = (Naive *)detector;
	const Layers *layers = detector->site.layers;
	double open = layers->wake[layer] + (layers->wake[layer] - layers->eta[layer]);
	double wide_open = layer > 1 ? layers->wake[layer - 1] : naive->up_gap;
	for (guint i = 0; i < naive->found_slab->len; i++) {
		uint32_t index = g_array_index(naive->found_slab, uint32_t, i);
		Slab *slab = slab_at(naive, index);
		if (gap[i] < open || slab->awake != layer)
			continue;
		measure(naive, slab, time);
		slab->awake--;
		double failure = failure_of(naive, slab, time);
		if (failure <= time || (failure < INFINITY && gap[i] < wide_open)) {
			slab->awake++;
			continue;
		}
		naive->count.awake--;
		schedule(naive, &slab->event, failure, index * 2 + 1);
		note_pair(naive, &slab->pair, "open", gap[i]);
		avi_note(detector->site.avi, "layer %u sleeps", layer);
		note_until(naive, "new slab", failure);
	}
}

static int compare_pairs(const void *a, const void *b)
{
	const ContactPair *p = *(const ContactPair *const *)a, *q = *(const ContactPair *const *)b;
	return p->key < q->key ? -1 : p->key > q->key;
}

static size_t near(Detector *detector, double time, const ContactPair *const **pairs)
{
	(void)time;
	Naive *naive = (Naive *)detector;
	g_ptr_array_set_size(naive->found, 0);
	g_array_set_size(naive->found_slab, 0);
	for (uint16_t bin = 0; bin < detector->site.surface->n_bins; bin++)
		find(naive, 1, bin);
	if (naive->found->len > 1)
		qsort(naive->found->pdata, naive->found->len, sizeof(gpointer), compare_pairs);
	*pairs = (const ContactPair *const *)naive->found->pdata;
	return naive->found->len;
}

static void count(const Detector *detector, DetectorCount *out)
{
	*out = ((const Naive *)detector)->count;
}

/* --- Validation -------------------------------------------------------------------------------------------------- */

/* How far ahead a certificate without an end is followed: ten times the way across layer 1 for the slowest corner that
 * moves would be far; a second is what runs are made of. */
static double horizon(const Naive *naive, QueueHandle event, double time)
{
	double until = queue_time(naive->base.site.avi->queue, event);
	return isnan(until) ? time + 1.0 : fmin(until, time + 1.0);
}

typedef struct {
	uint64_t covered;
	char *wrong;
} Survey;

static void say(Survey *survey, const char *what, const ContactPair *pair, uint32_t layer)
{
	if (survey->wrong == NULL)
		survey->wrong = g_strdup_printf("%s: pair %u-%u-%u-%u, kind %d, layer %u", what, pair->vertex[0], pair->vertex[1],
		    pair->vertex[2], pair->vertex[3], pair->kind, layer);
}

/* All pairs of the elements below two nodes. */
static void survey_apart(const Naive *naive, uint32_t a, uint32_t b, double time, double until, Survey *survey)
{
	const Node *p = &naive->hierarchy->node[a], *q = &naive->hierarchy->node[b];
	if (!hierarchy_is_leaf(p)) {
		survey_apart(naive, p->left, b, time, until, survey);
		survey_apart(naive, p->right, b, time, until, survey);
		return;
	}
	if (!hierarchy_is_leaf(q)) {
		survey_apart(naive, a, q->left, time, until, survey);
		survey_apart(naive, a, q->right, time, until, survey);
		return;
	}
	ContactPair pairs[SURFACE_MOST_PAIRS];
	int n = surface_element_pairs(naive->base.site.surface, p->left, q->left, pairs);
	survey->covered += (uint64_t)n;
	for (int i = 0; i < n; i++)
		if (!advance_stays_apart(&pairs[i], naive->base.site.flight, naive->base.site.layers->eta[1], time, until))
			say(survey, "bounds certify too long", &pairs[i], 1);
}

static void survey_slab(const Naive *naive, const Slab *slab, double time, Survey *survey)
{
	survey->covered++;
	double until = horizon(naive, slab->event, time);
	if (!advance_stays_apart(
	        &slab->pair, naive->base.site.flight, naive->base.site.layers->eta[slab->awake + 1], time, until))
		say(survey, "a slab certifies too long", &slab->pair, slab->awake + 1);
}

static char *validate(Detector *detector, double time)
{
	Naive *naive = (Naive *)detector;
	Survey survey = {0};
	if (!hierarchy_validate(naive->hierarchy, time))
		return g_strdup("a vertex is outside of its bounds");
	for (uint32_t i = 0; i < naive->record->len; i++) {
		const Record *record = record_at(naive, i);
		if (record->state == STATE_APART)
			survey_apart(naive, record->node[0], record->node[1], time, horizon(naive, record->event, time), &survey);
		if (record->state == STATE_OPEN)
			for (uint32_t slab = record->first_pair; slab != NONE; slab = slab_at(naive, slab)->next_pair)
				survey_slab(naive, slab_at(naive, slab), time, &survey);
	}
	g_autoptr(GArray) all = surface_all_pairs(detector->site.surface);
	if (survey.wrong == NULL && survey.covered != all->len)
		survey.wrong = g_strdup_printf("%lu of %u pairs are covered", (unsigned long)survey.covered, all->len);
	return survey.wrong;
}

static void forget(Naive *naive)
{
	uint32_t n_vertices = world_vertex_count(naive->base.site.surface->world);
	for (uint32_t i = 0; i < naive->record->len; i++)
		queue_remove(naive->base.site.avi->queue, record_at(naive, i)->event);
	for (uint32_t i = 0; i < naive->slab->len; i++)
		queue_remove(naive->base.site.avi->queue, slab_at(naive, i)->event);
	g_array_set_size(naive->record, 0);
	g_array_set_size(naive->slab, 0);
	naive->free_record = naive->free_slab = naive->root = NONE;
	naive->count.alive = naive->count.pairs = naive->count.awake = 0;
	memset(naive->vertex_list, 0xff, n_vertices * sizeof(uint32_t));
	for (size_t i = 0; i < (size_t)naive->base.site.last_layer * naive->base.site.surface->n_bins; i++)
		if (naive->listed[i] != NULL)
			g_array_set_size(naive->listed[i], 0);
	g_clear_pointer(&naive->hierarchy, hierarchy_free);
	g_clear_pointer(&naive->node_list, g_free);
}

static void start(Detector *detector, double time)
{
	Naive *naive = (Naive *)detector;
	forget(naive);
	naive->hierarchy = hierarchy_new(detector->site.surface, detector->site.flight, time);
	naive->node_list = g_new(uint32_t, naive->hierarchy->n_nodes + 1u);
	memset(naive->node_list, 0xff, naive->hierarchy->n_nodes * sizeof(uint32_t));
	if (naive->hierarchy->n_nodes > 0)
		cover(naive, NONE, 0, 0, time);
}

static Detector *new(const DetectorSite *site)
{
	Naive *naive = g_new0(Naive, 1);
	naive->base = (Detector){&detector_naive, *site};
	naive->record = g_array_new(FALSE, TRUE, sizeof(Record));
	naive->slab = g_array_new(FALSE, TRUE, sizeof(Slab));
	naive->vertex_list = g_new(uint32_t, world_vertex_count(site->surface->world) + 1u);
	naive->listed = g_new0(GArray *, (size_t)site->last_layer * site->surface->n_bins + 1);
	naive->found = g_ptr_array_new();
	naive->found_slab = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	naive->up_gap = site->layers->wake[1] + 0.5 * site->layers->eta[1];
	return &naive->base;
}

static void free_naive(Detector *detector)
{
	Naive *naive = (Naive *)detector;
	forget(naive);
	for (size_t i = 0; i < (size_t)detector->site.last_layer * detector->site.surface->n_bins; i++)
		if (naive->listed[i] != NULL)
			g_array_unref(naive->listed[i]);
	g_free(naive->listed);
	g_array_unref(naive->record);
	g_array_unref(naive->slab);
	g_free(naive->vertex_list);
	g_ptr_array_unref(naive->found);
	g_array_unref(naive->found_slab);
	g_free(naive);
}

const DetectorClass detector_naive = {
    .name = "naive",
    .new = new,
    .free = free_naive,
    .start = start,
    .changed = changed,
    .act = act,
    .candidates = candidates,
    .measured = measured,
    .near = near,
    .count = count,
    .validate = validate,
};

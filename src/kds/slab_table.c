#include "kds/slab_table.h"
#include "kds/advance.h"
#include "kds/awake.h"
#include "kds/cone.h"
#include "kds/facets.h"
#include <stdlib.h>
#include <string.h>

#define NONE SLAB_TABLE_NONE

/* Certificates begin with a horizon of so many steps of layer 1, and learn. */
enum { FIRST_HORIZON = 16 };
#define LEAST_HORIZON 1e-3 /* of the first */
#define MOST_HORIZON 1e6

/* A primitive pair with its slab; or two elements as a whole. */
typedef struct {
	ContactPair pair;                              /* of two elements: void, */
	ContactPair *pairs;                            /* (n_pairs) these take part in ticks; NULL: `pair`, or none */
	int n_pairs;
	int feature;                                   /* of two elements: that was closest the last time; negative: unknown */
	bool whole;                                    /* two elements */
	uint8_t first, corners;                        /* how many the upper one has, and both */
	uint32_t vertex[CONE_MOST_CORNERS];
	double offset;                                 /* [length] */
	Vec3 normal;
	ConeLimit limit;
	double since, horizon;                         /* [s] when it was scheduled last, for how long at most */
	uint32_t group, next_in_group;                 /* a free one links the next free one */
	uint32_t next[CONE_MOST_CORNERS], previous[CONE_MOST_CORNERS]; /* in the lists of its vertices: slab * LINKS + corner */
	uint32_t awake;                                /* layers 1 ... awake are */
	uint32_t generation;                           /* of what lives here; odd: free */
	uint64_t closed, tried;                        /* the last tick that found a pair in range, that tried to sleep */
	QueueHandle event;
} Slab;
enum { LINKS = 8 };

typedef struct {
	uint32_t element[2];
	uint32_t first_slab; /* a free group links the next free one, */
	bool open;           /* and is not open */
	bool joined;         /* the elements have a vertex in common: they cannot be kept apart as a whole */
} PairGroup;

struct SlabTable {
	DetectorSite site;
	Cones cones;
	GArray *group; /* PairGroup */
	GArray *slab;  /* Slab */
	uint32_t free_group, free_slab;
	uint32_t *vertex_list;  /* (vertices) first of the slabs: slab * 4 + corner */
	AwakeList *awake;       /* (last_layer, bins) */
	GPtrArray *found;       /* const ContactPair *: candidates of the last tick */
	GArray *found_slab;     /* uint32_t */
	double up_gap;          /* [length] wide open */
	double first_horizon;   /* [s] */
	uint64_t tick;          /* counts ticks */
	uint64_t n_failed;      /* slabs since all were made anew */
	SlabTableLapse *lapsed;
	void *lapse_context;
	DetectorCount count;
};

static Slab *slab_at(const SlabTable *table, uint32_t i)
{
	return &g_array_index(table->slab, Slab, i);
}

static PairGroup *group_at(const SlabTable *table, uint32_t i)
{
	return &g_array_index(table->group, PairGroup, i);
}

static AwakeList *list_of(const SlabTable *table, uint32_t layer, uint16_t bin)
{
	return &table->awake[(size_t)(layer - 1) * table->site.surface->n_bins + bin];
}

static size_t n_lists(const SlabTable *table)
{
	return (size_t)table->site.last_layer * table->site.surface->n_bins;
}

/* INFINITY needs no event. */
static void schedule(SlabTable *table, uint32_t index, double time)
{
	Avi *avi = table->site.avi;
	QueueHandle *event = &slab_at(table, index)->event;
	if (time == INFINITY) {
		queue_remove(avi->queue, *event);
		*event = (QueueHandle){0, 0};
	} else if (!queue_update(avi->queue, *event, time)) {
		*event = avi_schedule(avi, time, AVI_CERTIFICATE, index * 2 + 1);
	}
}

static void note_pair(const SlabTable *table, const ContactPair *pair, const char *what, double gap)
{
	const DetectorSite *site = &table->site;
	if (site->avi->trace == NULL)
		return;
	g_autofree char *name = surface_pair_name(site->surface, pair);
	avi_note(site->avi, "%s: %s at gap %.4g %s", name, what, gap, site->surface->world->units->length);
}

/* --- Lists ------------------------------------------------------------------------------------------------------- */

static void enter_vertex_lists(SlabTable *table, uint32_t index)
{
	Slab *slab = slab_at(table, index);
	for (uint32_t c = 0; c < slab->corners; c++) {
		uint32_t *first = &table->vertex_list[slab->vertex[c]], link = index * LINKS + c;
		slab->next[c] = *first;
		slab->previous[c] = NONE;
		if (*first != NONE)
			slab_at(table, *first / LINKS)->previous[*first % LINKS] = link;
		*first = link;
	}
}

static void leave_vertex_lists(SlabTable *table, uint32_t index)
{
	Slab *slab = slab_at(table, index);
	for (int c = 0; c < slab->corners; c++) {
		uint32_t next = slab->next[c], previous = slab->previous[c];
		if (next != NONE)
			slab_at(table, next / LINKS)->previous[next % LINKS] = previous;
		if (previous != NONE)
			slab_at(table, previous / LINKS)->next[previous % LINKS] = next;
		else
			table->vertex_list[slab->vertex[c]] = next;
	}
}

/* A place for a slab, empty but for its generation. */
static uint32_t new_slab(SlabTable *table, uint32_t group)
{
	uint32_t index = table->free_slab;
	if (index != NONE) {
		table->free_slab = slab_at(table, index)->next_in_group;
	} else {
		Slab empty = {.generation = 1};
		index = table->slab->len;
		g_array_append_val(table->slab, empty);
	}
	Slab *slab = slab_at(table, index);
	*slab = (Slab){.group = group, .generation = slab->generation + 1, .horizon = table->first_horizon, .feature = -1};
	slab->next_in_group = group_at(table, group)->first_slab;
	group_at(table, group)->first_slab = index;
	table->count.alive++;
	table->count.most_alive = MAX(table->count.most_alive, table->count.alive);
	return index;
}

static uint32_t new_pair_slab(SlabTable *table, const ContactPair *pair, uint32_t group)
{
	uint32_t index = new_slab(table, group);
	Slab *slab = slab_at(table, index);
	slab->pair = *pair;
	slab->n_pairs = 1;
	slab->first = (uint8_t)distance_first[pair->kind];
	slab->corners = (uint8_t)distance_corners[pair->kind];
	slab->offset = pair->offset;
	memcpy(slab->vertex, pair->vertex, sizeof pair->vertex);
	enter_vertex_lists(table, index);
	table->count.pairs++;
	return index;
}

/* One for all pairs of two elements. With forces by elements these take part in ticks together. */
static uint32_t new_whole_slab(SlabTable *table, uint32_t group)
{
	const Surface *surface = table->site.surface;
	uint32_t index = new_slab(table, group);
	Slab *slab = slab_at(table, index);
	const Element *a = &surface->element[group_at(table, group)->element[0]];
	const Element *b = &surface->element[group_at(table, group)->element[1]];
	slab->whole = true;
	slab->first = a->corners;
	slab->corners = (uint8_t)(a->corners + b->corners);
	slab->offset = surface->half_thickness[a->body] + surface->half_thickness[b->body];
	memcpy(slab->vertex, a->vertex, a->corners * sizeof *a->vertex);
	memcpy(slab->vertex + a->corners, b->vertex, b->corners * sizeof *b->vertex);
	if (table->site.certificates.element_forces) {
		slab->pairs = g_new(ContactPair, SURFACE_MOST_PAIRS);
		slab->n_pairs = surface_element_pairs(
		    surface, group_at(table, group)->element[0], group_at(table, group)->element[1], slab->pairs);
	}
	enter_vertex_lists(table, index);
	table->count.pairs += (uint64_t)slab->n_pairs;
	return index;
}

/* Pair number i of those that take part in ticks. */
static const ContactPair *pair_of(const Slab *slab, int i)
{
	return slab->pairs ? &slab->pairs[i] : &slab->pair;
}

static void free_slab(SlabTable *table, uint32_t index)
{
	Slab *slab = slab_at(table, index);
	leave_vertex_lists(table, index);
	schedule(table, index, INFINITY);
	for (uint32_t layer = 1; layer <= slab->awake; layer++)
		for (int i = 0; i < slab->n_pairs; i++)
			awake_drop(list_of(table, layer, pair_of(slab, i)->bin));
	table->count.awake -= slab->awake * (uint64_t)slab->n_pairs;
	table->count.alive--;
	table->count.pairs -= (uint64_t)slab->n_pairs;
	g_clear_pointer(&slab->pairs, g_free);
	slab->generation++;
	slab->next_in_group = table->free_slab;
	table->free_slab = index;
}

static void free_slabs(SlabTable *table, uint32_t group)
{
	for (uint32_t slab = group_at(table, group)->first_slab, next; slab != NONE; slab = next) {
		next = slab_at(table, slab)->next_in_group;
		free_slab(table, slab);
	}
	group_at(table, group)->first_slab = NONE;
}

/* --- Slabs ------------------------------------------------------------------------------------------------------- */

static ConeSlab shape_of(const SlabTable *table, const Slab *slab)
{
	return (ConeSlab){.first = slab->first,
	    .corners = slab->corners,
	    .vertex = slab->vertex,
	    .normal = slab->normal,
	    .gap = slab->offset + table->site.layers->wake[slab->awake + 1]};
}

/* Sets the limits; the time until when they suffice, not above `time` when the slab does not hold now. */
static double failure_of(const SlabTable *table, Slab *slab, double time)
{
	ConeSlab shape = shape_of(table, slab);
	return cone_schedule(&table->cones, &shape, slab->horizon, time, &slab->limit);
}

/* From now on the slab is valid until then, within its limits. */
static void adopt(SlabTable *table, uint32_t index, double failure, double time)
{
	Slab *slab = slab_at(table, index);
	ConeSlab shape = shape_of(table, slab);
	slab->since = time;
	schedule(table, index, failure);
	if (table->cones.width == 0.0)
		for (int c = 0; c < shape.corners; c++)
			cone_narrow(&table->cones, shape.vertex[c], cone_slack(&table->cones, &shape, &slab->limit, c));
}

static void wake_next_layer(SlabTable *table, uint32_t index, double time)
{
	const DetectorSite *site = &table->site;
	Slab *slab = slab_at(table, index);
	slab->awake++;
	avi_note(site->avi, "layer %u wakes", slab->awake);
	for (int i = 0; i < slab->n_pairs; i++) {
		const ContactPair *pair = pair_of(slab, i);
		awake_add(list_of(table, slab->awake, pair->bin), (AwakeEntry){pair->key, index, slab->generation, (uint32_t)i});
		site->wake(site->context, slab->awake, pair->bin, time);
	}
	table->count.awake += (uint64_t)slab->n_pairs;
}

static double measure_whole(SlabTable *table, Slab *slab, double time)
{
	Facets facets = {.first = slab->first, .corners = slab->corners};
	for (int c = 0; c < slab->corners; c++)
		facets.x[c] = flight_position(&table->site.flight[slab->vertex[c]], time);
	FacetsClosest closest = facets_closest(&facets, table->site.certificates.from_last_feature ? MAX(slab->feature, 0) : -1);
	slab->feature = closest.feature;
	slab->normal = closest.normal;
	return closest.distance - slab->offset;
}

static double measure(SlabTable *table, Slab *slab, double time)
{
	if (slab->whole)
		return measure_whole(table, slab, time);
	Vec3 x[PAIR_MOST_CORNERS];
	for (int c = 0; c < distance_corners[slab->pair.kind]; c++)
		x[c] = flight_position(&table->site.flight[slab->pair.vertex[c]], time);
	Closest closest = distance_closest(slab->pair.kind, x);
	slab->normal = closest.normal;
	return closest.distance - slab->pair.offset;
}

static void break_down(SlabTable *table, uint32_t index, double time);

/* The pair of primitives by which two elements are closest; false when it is one that contact leaves out. */
static bool closest_pair(const SlabTable *table, const Slab *slab, ContactPair *pair)
{
	const Surface *surface = table->site.surface;
	const uint32_t *element = group_at(table, slab->group)->element;
	PrimitivePair primitives =
	    facets_primitives(&surface->element[element[0]], &surface->element[element[1]], slab->feature);
	return surface_pair(surface, primitives.kind, primitives.first, primitives.second, pair);
}

/* The slab cannot guard the next layer: that layer wakes; or two elements are left to their primitive pairs, or to the limit.
 * False when there is no such slab any longer. */
static bool give_way(SlabTable *table, uint32_t index, double gap, double time)
{
	Slab *slab = slab_at(table, index);
	ContactPair pair = slab->pair;
	if (slab->whole && (!table->site.certificates.element_forces || !closest_pair(table, slab, &pair))) {
		break_down(table, index, time);
		return false;
	}
	note_pair(table, &pair, "near", gap);
	if (slab->awake + 1 > table->site.last_layer) {
		table->site.limit(table->site.context, &pair, time);
		return false;
	}
	wake_next_layer(table, index, time);
	return true;
}

/* A new slab in the direction of the closest points, and every layer awake that has to be. */
static void renew_slab(SlabTable *table, uint32_t index, double time)
{
	const Layers *layers = table->site.layers;
	Slab *slab = slab_at(table, index);
	double gap = measure(table, slab, time);
	do {
		uint32_t layer = slab->awake + 1;
		/* A gap that is only just above the waking distance would have a certificate for no time at all. */
		double margin = 0.1 * (layers->wake[layer] - layers->eta[layer]);
		double failure = gap >= layers->wake[layer] + margin ? failure_of(table, slab, time) : -INFINITY;
		if (failure > time) {
			adopt(table, index, failure, time);
			return;
		}
	} while (give_way(table, index, gap, time));
}

/* Each primitive pair of a group by itself. */
static void open_pairs(SlabTable *table, uint32_t group, double time)
{
	const uint32_t *element = group_at(table, group)->element;
	ContactPair pairs[SURFACE_MOST_PAIRS];
	int n = surface_element_pairs(table->site.surface, element[0], element[1], pairs);
	for (int i = 0; i < n; i++)
		renew_slab(table, new_pair_slab(table, &pairs[i], group), time);
}

static void break_down(SlabTable *table, uint32_t index, double time)
{
	uint32_t group = slab_at(table, index)->group;
	free_slabs(table, group);
	open_pairs(table, group, time);
}

static bool by_elements(const SlabTable *table, uint32_t group)
{
	const CertificateRule *rule = &table->site.certificates;
	return (rule->element_slabs || rule->element_forces) && !group_at(table, group)->joined;
}

/* Elements that were broken down and whose pairs all sleep, wide apart, get along with one slab again. */
static void join_again(SlabTable *table, uint32_t group, double time)
{
	uint32_t first = group_at(table, group)->first_slab;
	if (!by_elements(table, group) || slab_at(table, first)->whole || !slab_table_sleeps(table, group))
		return;
	uint32_t index = new_whole_slab(table, group);
	Slab *slab = slab_at(table, index);
	double gap = measure(table, slab, time), failure = gap >= table->up_gap ? failure_of(table, slab, time) : -INFINITY;
	/* It is the first of its group now: it goes, or the others do. */
	if (!(failure > time)) {
		group_at(table, group)->first_slab = slab->next_in_group;
		free_slab(table, index);
		return;
	}
	group_at(table, group)->first_slab = slab->next_in_group;
	free_slabs(table, group);
	slab->next_in_group = NONE;
	group_at(table, group)->first_slab = index;
	adopt(table, index, failure, time);
}

static void tell_lapse(SlabTable *table, uint32_t group)
{
	if (table->lapsed != NULL && slab_table_sleeps(table, group))
		table->lapsed(table->lapse_context, group);
}

/* A corner is beyond its limit. */
static void reschedule(SlabTable *table, uint32_t index, double time)
{
	Slab *slab = slab_at(table, index);
	uint32_t group = slab->group;
	table->count.rescheduled++;
	if (time - slab->since < 0.25 * slab->horizon)
		slab->horizon = fmax(0.5 * slab->horizon, LEAST_HORIZON * table->first_horizon);
	double failure = failure_of(table, slab, time);
	if (failure > time)
		adopt(table, index, failure, time);
	else
		renew_slab(table, index, time);
	tell_lapse(table, group);
}

/* --- Changes ----------------------------------------------------------------------------------------------------- */

/* The slabs of a vertex that has left its ball, and a new ball. */
static void ask_slabs(SlabTable *table, uint32_t vertex, double time)
{
	cone_centre(&table->cones, vertex);
	for (uint32_t link = table->vertex_list[vertex], next; link != NONE; link = next) {
		Slab *slab = slab_at(table, link / LINKS);
		next = slab->next[link % LINKS];
		ConeSlab shape = shape_of(table, slab);
		double slack = cone_slack(&table->cones, &shape, &slab->limit, (int)(link % LINKS));
		table->count.asked++;
		if (slack >= 0.0) {
			cone_narrow(&table->cones, vertex, slack);
			continue;
		}
		reschedule(table, link / LINKS, time);
	}
}

/* All or nothing: new references for all vertices, and all slabs anew. A speed that is too small makes that come often, one
 * that is too large makes slabs fail: it goes where there is about one failure per slab in between. */
static void reschedule_all(SlabTable *table, double time)
{
	if (table->site.certificates.width == 0.0)
		table->cones.width *= table->n_failed > table->count.alive ? 0.7 : 2 * table->n_failed < table->count.alive ? 1.4 : 1.0;
	table->n_failed = 0;
	for (uint32_t v = 0; v < table->cones.n; v++)
		cone_centre(&table->cones, v);
	for (uint32_t i = 0, n = table->slab->len; i < n; i++)
		if (slab_at(table, i)->generation % 2 == 0)
			reschedule(table, i, time);
}

static bool all_keep(const SlabTable *table, const uint32_t *vertex, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!cone_keeps(&table->cones, vertex[i]))
			return false;
	return true;
}

void slab_table_changed(SlabTable *table, double time, const uint32_t *vertex, size_t n)
{
	if (table->cones.width > 0.0) {
		if (!all_keep(table, vertex, n))
			reschedule_all(table, time);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (!cone_keeps(&table->cones, vertex[i]))
			ask_slabs(table, vertex[i], time);
}

void slab_table_act(SlabTable *table, uint32_t id, double time)
{
	uint32_t index = id / 2;
	Slab *slab = slab_at(table, index);
	uint32_t group = slab->group;
	/* The event is taken off first: what follows schedules anew whatever is needed. */
	QueueHandle handle = slab->event;
	slab->event = (QueueHandle){0, 0};
	queue_remove(table->site.avi->queue, handle);
	table->count.failed++;
	table->n_failed++;
	slab->horizon = fmin(2.0 * slab->horizon, MOST_HORIZON * table->first_horizon);
	renew_slab(table, index, time);
	join_again(table, group, time);
	tell_lapse(table, group);
}

/* --- Groups ------------------------------------------------------------------------------------------------------ */

static uint32_t new_group(SlabTable *table)
{
	uint32_t index = table->free_group;
	if (index != NONE) {
		table->free_group = group_at(table, index)->first_slab;
	} else {
		index = table->group->len;
		g_array_set_size(table->group, index + 1);
	}
	return index;
}

static bool have_common_vertex(const Element *a, const Element *b)
{
	for (int i = 0; i < a->corners; i++)
		for (int j = 0; j < b->corners; j++)
			if (a->vertex[i] == b->vertex[j])
				return true;
	return false;
}

uint32_t slab_table_open(SlabTable *table, uint32_t first, uint32_t second, double time)
{
	const Surface *surface = table->site.surface;
	ContactPair pairs[SURFACE_MOST_PAIRS];
	if (surface_element_pairs(surface, first, second, pairs) == 0)
		return NONE;
	uint32_t group = new_group(table);
	*group_at(table, group) = (PairGroup){{first, second}, NONE, true,
	    have_common_vertex(&surface->element[first], &surface->element[second])};
	if (by_elements(table, group))
		renew_slab(table, new_whole_slab(table, group), time);
	else
		open_pairs(table, group, time);
	return group;
}

void slab_table_close(SlabTable *table, uint32_t index)
{
	if (index == NONE)
		return;
	free_slabs(table, index);
	group_at(table, index)->open = false;
	group_at(table, index)->first_slab = table->free_group;
	table->free_group = index;
}

void slab_table_elements(const SlabTable *table, uint32_t group, uint32_t element[2])
{
	memcpy(element, group_at(table, group)->element, 2 * sizeof *element);
}

bool slab_table_sleeps(const SlabTable *table, uint32_t group)
{
	for (uint32_t slab = group_at(table, group)->first_slab; slab != NONE; slab = slab_at(table, slab)->next_in_group)
		if (slab_at(table, slab)->awake > 0)
			return false;
	return true;
}

void slab_table_listen(SlabTable *table, SlabTableLapse *lapsed, void *context)
{
	table->lapsed = lapsed;
	table->lapse_context = context;
}

/* --- Ticks ------------------------------------------------------------------------------------------------------- */

static bool is_awake(const void *context, const AwakeEntry *entry, uint32_t layer)
{
	const Slab *slab = slab_at(context, entry->slab);
	return slab->generation == entry->generation && slab->awake >= layer;
}

static void find(SlabTable *table, uint32_t layer, uint16_t bin)
{
	AwakeList *list = list_of(table, layer, bin);
	awake_tidy(list, is_awake, table, layer);
	for (size_t i = 0; i < list->n; i++) {
		uint32_t slab = list->entry[i].slab;
		g_array_append_val(table->found_slab, slab);
		g_ptr_array_add(table->found, (gpointer)pair_of(slab_at(table, slab), (int)list->entry[i].place));
	}
}

static void find_nothing(SlabTable *table)
{
	g_ptr_array_set_size(table->found, 0);
	g_array_set_size(table->found_slab, 0);
}

size_t slab_table_candidates(
    SlabTable *table, uint32_t layer, uint16_t bin, double time, const ContactPair *const **pairs)
{
	(void)time;
	find_nothing(table);
	find(table, layer, bin);
	*pairs = (const ContactPair *const *)table->found->pdata;
	return table->found->len;
}

/* The deepest layer of a pair sleeps when the gap is open by more than the margin, and opening; or open by so much that the
 * layer before it could sleep too. */
static void try_sleep(SlabTable *table, uint32_t index, double gap, double time)
{
	const Layers *layers = table->site.layers;
	Slab *slab = slab_at(table, index);
	uint32_t layer = slab->awake;
	double wide_open = layer > 1 ? layers->wake[layer - 1] : table->up_gap;
	Slab before = *slab;
	gap = fmin(gap, measure(table, slab, time));
	slab->awake--;
	double failure = failure_of(table, slab, time);
	bool opening = failure > time + 0.999 * (1.0 - table->cones.quality_loss) * slab->horizon;
	if (failure <= time || (!opening && gap < wide_open)) {
		/* The old slab is as good as before. */
		*slab = before;
		return;
	}
	for (int i = 0; i < slab->n_pairs; i++)
		awake_drop(list_of(table, layer, pair_of(slab, i)->bin));
	table->count.awake -= (uint64_t)slab->n_pairs;
	adopt(table, index, failure, time);
	note_pair(table, pair_of(slab, 0), "open", gap);
	avi_note(table->site.avi, "layer %u sleeps", layer);
}

/* A slab with several pairs may sleep when none of them is closed; it tries once. */
void slab_table_measured(SlabTable *table, uint32_t layer, uint16_t bin, double time, const double *gap)
{
	(void)bin;
	const Layers *layers = table->site.layers;
	double open = layers->wake[layer] + (layers->wake[layer] - layers->eta[layer]);
	table->tick++;
	for (guint i = 0; i < table->found_slab->len; i++)
		if (gap[i] < open)
			slab_at(table, g_array_index(table->found_slab, uint32_t, i))->closed = table->tick;
	for (guint i = 0; i < table->found_slab->len; i++) {
		uint32_t index = g_array_index(table->found_slab, uint32_t, i);
		Slab *slab = slab_at(table, index);
		if (slab->awake != layer || slab->closed == table->tick || slab->tried == table->tick)
			continue;
		slab->tried = table->tick;
		try_sleep(table, index, gap[i], time);
	}
}

static int compare_pairs(const void *a, const void *b)
{
	const ContactPair *p = *(const ContactPair *const *)a, *q = *(const ContactPair *const *)b;
	return p->key < q->key ? -1 : p->key > q->key;
}

size_t slab_table_near(SlabTable *table, double time, const ContactPair *const **pairs)
{
	(void)time;
	find_nothing(table);
	for (uint16_t bin = 0; bin < table->site.surface->n_bins; bin++)
		find(table, 1, bin);
	if (table->found->len > 1)
		qsort(table->found->pdata, table->found->len, sizeof(gpointer), compare_pairs);
	*pairs = (const ContactPair *const *)table->found->pdata;
	return table->found->len;
}

void slab_table_count(const SlabTable *table, DetectorCount *count)
{
	count->alive += table->count.alive;
	count->most_alive += table->count.most_alive;
	count->failed += table->count.failed;
	count->rescheduled += table->count.rescheduled;
	count->asked += table->count.asked;
	count->pairs += table->count.pairs;
	count->awake += table->count.awake;
}

/* --- Validation -------------------------------------------------------------------------------------------------- */

/* Whether a pair of a slab stays apart until its event, on the present flight plans. */
static char *survey_pair(const SlabTable *table, const Slab *slab, const ContactPair *pair, double time)
{
	double until = queue_time(table->site.avi->queue, slab->event);
	if (advance_stays_apart(pair, table->site.flight, table->site.layers->eta[slab->awake + 1], time,
	        isnan(until) ? time + 1.0 : fmin(until, time + 1.0)))
		return NULL;
	return g_strdup_printf("a slab certifies too long: pair %u-%u-%u-%u, kind %d, layer %u", pair->vertex[0], pair->vertex[1],
	    pair->vertex[2], pair->vertex[3], pair->kind, slab->awake + 1);
}

/* Now every corner keeps its limits, and what the slab is for stays apart. */
static char *survey(const SlabTable *table, const Slab *slab, double time, uint64_t *covered)
{
	ConeSlab shape = shape_of(table, slab);
	ContactPair pairs[SURFACE_MOST_PAIRS] = {slab->pair};
	const uint32_t *element = group_at(table, slab->group)->element;
	int n = slab->whole ? surface_element_pairs(table->site.surface, element[0], element[1], pairs) : 1;
	char *wrong = NULL;
	for (int c = 0; c < shape.corners && table->cones.width == 0.0; c++)
		if (wrong == NULL && cone_slack(&table->cones, &shape, &slab->limit, c) < 0.0)
			wrong = g_strdup_printf("vertex %u is beyond its limit", shape.vertex[c]);
	for (int i = 0; i < n && wrong == NULL; i++)
		wrong = survey_pair(table, slab, &pairs[i], time);
	*covered += (uint64_t)n;
	return wrong;
}

char *slab_table_validate(SlabTable *table, double time, uint64_t *covered)
{
	char *wrong = NULL;
	for (uint32_t i = 0; i < table->group->len && wrong == NULL; i++) {
		const PairGroup *group = group_at(table, i);
		uint32_t slab = group->open ? group->first_slab : NONE;
		for (; slab != NONE && wrong == NULL; slab = slab_at(table, slab)->next_in_group) {
			wrong = survey(table, slab_at(table, slab), time, covered);
		}
	}
	return wrong;
}

/* --- The table --------------------------------------------------------------------------------------------------- */

void slab_table_clear(SlabTable *table)
{
	for (uint32_t i = 0; i < table->slab->len; i++) {
		queue_remove(table->site.avi->queue, slab_at(table, i)->event);
		g_free(slab_at(table, i)->pairs);
	}
	g_array_set_size(table->group, 0);
	g_array_set_size(table->slab, 0);
	table->free_group = table->free_slab = NONE;
	table->count.alive = table->count.pairs = table->count.awake = 0;
	memset(table->vertex_list, 0xff, table->cones.n * sizeof(uint32_t));
	for (size_t i = 0; i < n_lists(table); i++)
		awake_clear(&table->awake[i]);
	for (uint32_t v = 0; v < table->cones.n; v++)
		cone_centre(&table->cones, v);
}

/* A quarter of layer 1 within the first horizon; any speed when there is nothing to guard. */
static double first_width(const SlabTable *table)
{
	return table->first_horizon > 0.0 ? 0.25 * table->site.layers->eta[1] / table->first_horizon : 1.0;
}

SlabTable *slab_table_new(const DetectorSite *site)
{
	SlabTable *table = g_new0(SlabTable, 1);
	uint32_t n = world_vertex_count(site->surface->world);
	table->site = *site;
	cone_init(&table->cones, site->flight, n, site->certificates.quality_loss);
	table->group = g_array_new(FALSE, TRUE, sizeof(PairGroup));
	table->slab = g_array_new(FALSE, TRUE, sizeof(Slab));
	table->vertex_list = g_new(uint32_t, n + 1u);
	table->awake = g_new0(AwakeList, n_lists(table) + 1);
	table->found = g_ptr_array_new();
	table->found_slab = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	table->up_gap = site->layers->wake[1] + 0.5 * site->layers->eta[1];
	if (site->surface->n_bins > 0)
		table->first_horizon = FIRST_HORIZON * surface_bin_step(site->surface, (uint16_t)(site->surface->n_bins - 1));
	if (site->certificates.all_or_nothing)
		table->cones.width = site->certificates.width > 0.0 ? site->certificates.width : first_width(table);
	slab_table_clear(table);
	return table;
}

void slab_table_free(SlabTable *table)
{
	if (table == NULL)
		return;
	slab_table_clear(table);
	for (size_t i = 0; i < n_lists(table); i++)
		awake_free(&table->awake[i]);
	cone_free(&table->cones);
	g_free(table->awake);
	g_array_unref(table->group);
	g_array_unref(table->slab);
	g_free(table->vertex_list);
	g_ptr_array_unref(table->found);
	g_array_unref(table->found_slab);
	g_free(table);
}

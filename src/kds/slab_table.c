#include "kds/slab_table.h"
#include "kds/advance.h"
#include "kds/awake.h"
#include "kds/cone.h"
#include <stdlib.h>
#include <string.h>

#define NONE SLAB_TABLE_NONE

/* Certificates begin with a horizon of so many steps of layer 1, and learn. */
enum { FIRST_HORIZON = 16 };
#define LEAST_HORIZON 1e-3 /* of the first */
#define MOST_HORIZON 1e6

/* A primitive pair with its slab. */
typedef struct {
	ContactPair pair;
	Vec3 normal;
	ConeLimit limit;
	double since, horizon;                         /* [s] when it was scheduled last, for how long at most */
	uint32_t group, next_in_group;                 /* a free one links the next free one */
	uint32_t next[PAIR_MOST_CORNERS], previous[PAIR_MOST_CORNERS]; /* in the lists of its vertices: slab * 4 + corner */
	uint32_t awake;                                /* layers 1 ... awake are */
	uint32_t generation;                           /* of what lives here; odd: free */
	QueueHandle event;
} Slab;

typedef struct {
	uint32_t element[2];
	uint32_t first_slab; /* a free group links the next free one, */
	bool open;           /* and is not open */
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
	for (uint32_t c = 0; c < (uint32_t)distance_corners[slab->pair.kind]; c++) {
		uint32_t *first = &table->vertex_list[slab->pair.vertex[c]], link = index * 4 + c;
		slab->next[c] = *first;
		slab->previous[c] = NONE;
		if (*first != NONE)
			slab_at(table, *first / 4)->previous[*first % 4] = link;
		*first = link;
	}
}

static void leave_vertex_lists(SlabTable *table, uint32_t index)
{
	Slab *slab = slab_at(table, index);
	for (int c = 0; c < distance_corners[slab->pair.kind]; c++) {
		uint32_t next = slab->next[c], previous = slab->previous[c];
		if (next != NONE)
			slab_at(table, next / 4)->previous[next % 4] = previous;
		if (previous != NONE)
			slab_at(table, previous / 4)->next[previous % 4] = next;
		else
			table->vertex_list[slab->pair.vertex[c]] = next;
	}
}

static uint32_t new_slab(SlabTable *table, const ContactPair *pair, uint32_t group)
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
	*slab = (Slab){
	    .pair = *pair, .group = group, .generation = slab->generation + 1, .horizon = table->first_horizon};
	slab->next_in_group = group_at(table, group)->first_slab;
	group_at(table, group)->first_slab = index;
	enter_vertex_lists(table, index);
	table->count.alive++;
	table->count.most_alive = MAX(table->count.most_alive, table->count.alive);
	table->count.pairs++;
	return index;
}

static void free_slab(SlabTable *table, uint32_t index)
{
	Slab *slab = slab_at(table, index);
	leave_vertex_lists(table, index);
	schedule(table, index, INFINITY);
	for (uint32_t layer = 1; layer <= slab->awake; layer++)
		awake_drop(list_of(table, layer, slab->pair.bin));
	table->count.awake -= slab->awake;
	table->count.alive--;
	table->count.pairs--;
	slab->generation++;
	slab->next_in_group = table->free_slab;
	table->free_slab = index;
}

/* --- Slabs ------------------------------------------------------------------------------------------------------- */

static ConeSlab shape_of(const SlabTable *table, const Slab *slab)
{
	return (ConeSlab){.first = distance_first[slab->pair.kind],
	    .corners = distance_corners[slab->pair.kind],
	    .vertex = slab->pair.vertex,
	    .normal = slab->normal,
	    .gap = slab->pair.offset + table->site.layers->wake[slab->awake + 1]};
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
	awake_add(list_of(table, slab->awake, slab->pair.bin), (AwakeEntry){slab->pair.key, index, slab->generation, 0});
	table->count.awake++;
	avi_note(site->avi, "layer %u wakes", slab->awake);
	site->wake(site->context, slab->awake, slab->pair.bin, time);
}

static double measure(const SlabTable *table, Slab *slab, double time)
{
	Vec3 x[PAIR_MOST_CORNERS];
	for (int c = 0; c < distance_corners[slab->pair.kind]; c++)
		x[c] = flight_position(&table->site.flight[slab->pair.vertex[c]], time);
	Closest closest = distance_closest(slab->pair.kind, x);
	slab->normal = closest.normal;
	return closest.distance - slab->pair.offset;
}

/* A new slab in the direction of the closest points, and every layer awake that has to be. */
static void renew_slab(SlabTable *table, uint32_t index, double time)
{
	const Layers *layers = table->site.layers;
	Slab *slab = slab_at(table, index);
	double gap = measure(table, slab, time);
	for (;;) {
		uint32_t layer = slab->awake + 1;
		/* A gap that is only just above the waking distance would have a certificate for no time at all. */
		double margin = 0.1 * (layers->wake[layer] - layers->eta[layer]);
		double failure = gap >= layers->wake[layer] + margin ? failure_of(table, slab, time) : -INFINITY;
		if (failure > time) {
			adopt(table, index, failure, time);
			return;
		}
		note_pair(table, &slab->pair, "near", gap);
		if (layer > table->site.last_layer) {
			table->site.limit(table->site.context, &slab->pair, time);
			return;
		}
		wake_next_layer(table, index, time);
	}
}

static void tell_lapse(SlabTable *table, uint32_t index)
{
	const Slab *slab = slab_at(table, index);
	if (table->lapsed != NULL && slab->awake == 0)
		table->lapsed(table->lapse_context, slab->group);
}

/* A corner is beyond its limit. */
static void reschedule(SlabTable *table, uint32_t index, double time)
{
	Slab *slab = slab_at(table, index);
	table->count.rescheduled++;
	if (time - slab->since < 0.25 * slab->horizon)
		slab->horizon = fmax(0.5 * slab->horizon, LEAST_HORIZON * table->first_horizon);
	double failure = failure_of(table, slab, time);
	if (failure > time)
		adopt(table, index, failure, time);
	else
		renew_slab(table, index, time);
	tell_lapse(table, index);
}

/* --- Changes ----------------------------------------------------------------------------------------------------- */

/* The slabs of a vertex that has left its ball, and a new ball. */
static void ask_slabs(SlabTable *table, uint32_t vertex, double time)
{
	cone_centre(&table->cones, vertex);
	for (uint32_t link = table->vertex_list[vertex], next; link != NONE; link = next) {
		Slab *slab = slab_at(table, link / 4);
		next = slab->next[link % 4];
		ConeSlab shape = shape_of(table, slab);
		double slack = cone_slack(&table->cones, &shape, &slab->limit, (int)(link % 4));
		table->count.asked++;
		if (slack >= 0.0) {
			cone_narrow(&table->cones, vertex, slack);
			continue;
		}
		reschedule(table, link / 4, time);
	}
}

void slab_table_changed(SlabTable *table, double time, const uint32_t *vertex, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!cone_keeps(&table->cones, vertex[i]))
			ask_slabs(table, vertex[i], time);
}

void slab_table_act(SlabTable *table, uint32_t id, double time)
{
	uint32_t index = id / 2;
	Slab *slab = slab_at(table, index);
	/* The event is taken off first: what follows schedules anew whatever is needed. */
	QueueHandle handle = slab->event;
	slab->event = (QueueHandle){0, 0};
	queue_remove(table->site.avi->queue, handle);
	table->count.failed++;
	slab->horizon = fmin(2.0 * slab->horizon, MOST_HORIZON * table->first_horizon);
	renew_slab(table, index, time);
	tell_lapse(table, index);
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

uint32_t slab_table_open(SlabTable *table, uint32_t first, uint32_t second, double time)
{
	ContactPair pairs[SURFACE_MOST_PAIRS];
	int n = surface_element_pairs(table->site.surface, first, second, pairs);
	if (n == 0)
		return NONE;
	uint32_t group = new_group(table);
	*group_at(table, group) = (PairGroup){{first, second}, NONE, true};
	for (int i = 0; i < n; i++)
		renew_slab(table, new_slab(table, &pairs[i], group), time);
	return group;
}

void slab_table_close(SlabTable *table, uint32_t index)
{
	if (index == NONE)
		return;
	PairGroup *group = group_at(table, index);
	for (uint32_t slab = group->first_slab, next; slab != NONE; slab = next) {
		next = slab_at(table, slab)->next_in_group;
		free_slab(table, slab);
	}
	group->open = false;
	group->first_slab = table->free_group;
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
		g_ptr_array_add(table->found, &slab_at(table, slab)->pair);
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
	measure(table, slab, time);
	slab->awake--;
	double failure = failure_of(table, slab, time);
	bool opening = failure > time + 0.999 * (1.0 - table->cones.quality_loss) * slab->horizon;
	if (failure <= time || (!opening && gap < wide_open)) {
		/* The old slab is as good as before. */
		*slab = before;
		return;
	}
	awake_drop(list_of(table, layer, slab->pair.bin));
	table->count.awake--;
	adopt(table, index, failure, time);
	note_pair(table, &slab->pair, "open", gap);
	avi_note(table->site.avi, "layer %u sleeps", layer);
}

void slab_table_measured(SlabTable *table, uint32_t layer, uint16_t bin, double time, const double *gap)
{
	(void)bin;
	const Layers *layers = table->site.layers;
	double open = layers->wake[layer] + (layers->wake[layer] - layers->eta[layer]);
	for (guint i = 0; i < table->found_slab->len; i++) {
		uint32_t index = g_array_index(table->found_slab, uint32_t, i);
		if (gap[i] >= open && slab_at(table, index)->awake == layer)
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

/* Now every corner keeps its limits, and the pair stays apart until the event on the present flight plans. */
static char *survey(const SlabTable *table, const Slab *slab, double time)
{
	double until = queue_time(table->site.avi->queue, slab->event);
	const ContactPair *pair = &slab->pair;
	const char *wrong = NULL;
	ConeSlab shape = shape_of(table, slab);
	for (int c = 0; c < shape.corners && table->cones.width == 0.0; c++)
		if (cone_slack(&table->cones, &shape, &slab->limit, c) < 0.0)
			wrong = "a corner is beyond its limit";
	if (!advance_stays_apart(pair, table->site.flight, table->site.layers->eta[slab->awake + 1], time,
	        isnan(until) ? time + 1.0 : fmin(until, time + 1.0)))
		wrong = "a slab certifies too long";
	return wrong == NULL ? NULL
	                     : g_strdup_printf("%s: pair %u-%u-%u-%u, kind %d, layer %u", wrong, pair->vertex[0],
	                           pair->vertex[1], pair->vertex[2], pair->vertex[3], pair->kind, slab->awake + 1);
}

char *slab_table_validate(SlabTable *table, double time, uint64_t *covered)
{
	char *wrong = NULL;
	for (uint32_t i = 0; i < table->group->len && wrong == NULL; i++) {
		const PairGroup *group = group_at(table, i);
		uint32_t slab = group->open ? group->first_slab : NONE;
		for (; slab != NONE && wrong == NULL; slab = slab_at(table, slab)->next_in_group) {
			++*covered;
			wrong = survey(table, slab_at(table, slab), time);
		}
	}
	return wrong;
}

/* --- The table --------------------------------------------------------------------------------------------------- */

void slab_table_clear(SlabTable *table)
{
	for (uint32_t i = 0; i < table->slab->len; i++)
		queue_remove(table->site.avi->queue, slab_at(table, i)->event);
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

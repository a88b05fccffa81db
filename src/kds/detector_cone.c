/* Certificates as in the thesis, with what its chapters 7 and 8 make of them: a separation list over a hierarchy of volumes of
 * any kind (volume.h), and slabs that last while velocities stay in cones (slab_table.h).
 *
 * The records are those of detector_naive.c, with its invariant. What is different for those that are apart: with
 * short-circuiting an event is a time until which the bounds are known to be apart, not the last such time. A change of the bounds
 * leaves it where it is if a single axis shows that it still holds; when it comes, there may be a later one. */
#include "kds/advance.h"
#include "kds/detector.h"
#include "kds/slab_table.h"
#include "kds/volume.h"
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

enum { HORIZON = 16 }; /* steps of layer 1 */

typedef enum {
	STATE_FREE,
	STATE_APART,
	STATE_SPLIT,
	STATE_OPEN
} State;

typedef struct {
	uint32_t node[2];
	uint32_t parent, first_child, next_sibling; /* records; a free one links the next free one in next_sibling */
	uint32_t group;                             /* of an open record */
	uint32_t next[2], previous[2];              /* in the lists of its nodes, while apart: record * 2 + side */
	uint32_t stamp;                             /* of the last change that rescheduled it */
	QueueHandle event;
	uint8_t order[VOLUME_MOST_AXES];            /* axes, the most useful one first */
	State state;
} Record;

typedef struct {
	Detector base;
	VolumeTree *volumes;
	SlabTable *table;
	GArray *record; /* Record */
	uint32_t free_record, root;
	uint32_t *node_list;    /* (nodes) first of the records that are apart: record * 2 + side */
	uint32_t stamp;
	double up_gap;          /* [length] beyond which records go up */
	double horizon;         /* [s] for which a certificate of bounds has to last, with short-circuiting */
	DetectorCount count;
} Cone;

static Record *record_at(const Cone *cone, uint32_t i)
{
	return &g_array_index(cone->record, Record, i);
}

static const Node *node_at(const Cone *cone, uint32_t node)
{
	return &cone->volumes->tree->node[node];
}

static const void *volume_at(const Cone *cone, uint32_t node)
{
	return volume_tree_at(cone->volumes, node);
}

static void schedule(Cone *cone, QueueHandle *event, double time, uint32_t id)
{
	Avi *avi = cone->base.site.avi;
	if (time == INFINITY) {
		queue_remove(avi->queue, *event);
		*event = (QueueHandle){0, 0};
	} else if (!queue_update(avi->queue, *event, time)) {
		*event = avi_schedule(avi, time, AVI_CERTIFICATE, id);
	}
}

static uint32_t *record_previous(Cone *cone, uint32_t link)
{
	return &record_at(cone, link / 2)->previous[link % 2];
}

static void enter_node_lists(Cone *cone, uint32_t index)
{
	Record *record = record_at(cone, index);
	for (uint32_t side = 0; side < 2; side++) {
		uint32_t *first = &cone->node_list[record->node[side]], link = index * 2 + side;
		record->next[side] = *first;
		record->previous[side] = NONE;
		if (*first != NONE)
			*record_previous(cone, *first) = link;
		*first = link;
	}
}

static void leave_node_lists(Cone *cone, uint32_t index)
{
	Record *record = record_at(cone, index);
	for (uint32_t side = 0; side < 2; side++) {
		uint32_t next = record->next[side], previous = record->previous[side];
		if (next != NONE)
			*record_previous(cone, next) = previous;
		if (previous != NONE)
			record_at(cone, previous / 2)->next[previous % 2] = next;
		else
			cone->node_list[record->node[side]] = next;
	}
}

static uint32_t new_record(Cone *cone, uint32_t parent, uint32_t a, uint32_t b)
{
	uint32_t index = cone->free_record;
	if (index != NONE) {
		cone->free_record = record_at(cone, index)->next_sibling;
	} else {
		index = cone->record->len;
		g_array_set_size(cone->record, index + 1);
	}
	Record *record = record_at(cone, index);
	*record = (Record){.node = {a, b}, .parent = parent, .first_child = NONE, .next_sibling = NONE, .group = NONE};
	for (int axis = 0; axis < VOLUME_MOST_AXES; axis++)
		record->order[axis] = (uint8_t)axis;
	if (parent != NONE) {
		record->next_sibling = record_at(cone, parent)->first_child;
		record_at(cone, parent)->first_child = index;
	}
	return index;
}

/* Whether the elements of two nodes never meet, whatever happens. */
static bool never_meet(const Cone *cone, uint32_t a, uint32_t b)
{
	const Surface *surface = cone->base.site.surface;
	const Node *p = node_at(cone, a), *q = node_at(cone, b);
	if (!p->moves && !q->moves)
		return true;
	return p->body != HIERARCHY_NONE && q->body != HIERARCHY_NONE &&
	       !surface->meets[p->body * surface->world->bodies->len + q->body];
}

static double extent(const Cone *cone, uint32_t node)
{
	return cone->volumes->class->extent(volume_at(cone, node));
}

static void cover(Cone *cone, uint32_t parent, uint32_t a, uint32_t b, double time);

static void split_children(Cone *cone, uint32_t index, double time)
{
	uint32_t a = record_at(cone, index)->node[0], b = record_at(cone, index)->node[1];
	const Node *p = node_at(cone, a), *q = node_at(cone, b);
	if (a == b) {
		cover(cone, index, p->left, p->left, time);
		cover(cone, index, p->right, p->right, time);
		cover(cone, index, p->left, p->right, time);
	} else if (hierarchy_is_leaf(q) || (!hierarchy_is_leaf(p) && extent(cone, a) >= extent(cone, b))) {
		cover(cone, index, p->left, b, time);
		cover(cone, index, p->right, b, time);
	} else {
		cover(cone, index, a, q->left, time);
		cover(cone, index, a, q->right, time);
	}
}

static void schedule_up(Cone *cone, uint32_t index, double time)
{
	Record *record = record_at(cone, index);
	if (record->node[0] == record->node[1])
		return;
	/* Not again and again while it is almost so. */
	double gap = cone->up_gap + 0.1 * cone->base.site.layers->eta[1];
	double parting =
	    cone->volumes->class->parting(volume_at(cone, record->node[0]), volume_at(cone, record->node[1]), gap, time);
	schedule(cone, &record->event, parting, index * 2);
}

static void go_down(Cone *cone, uint32_t index, double time)
{
	uint32_t a = record_at(cone, index)->node[0], b = record_at(cone, index)->node[1];
	const Node *p = node_at(cone, a), *q = node_at(cone, b);
	bool leaves = a != b && hierarchy_is_leaf(p) && hierarchy_is_leaf(q);
	record_at(cone, index)->state = leaves ? STATE_OPEN : STATE_SPLIT;
	if (leaves)
		record_at(cone, index)->group = slab_table_open(cone->table, p->left, q->left, time);
	else
		split_children(cone, index, time);
	schedule_up(cone, index, time);
}

static void set_apart(Cone *cone, uint32_t index, double failure)
{
	Record *record = record_at(cone, index);
	record->state = STATE_APART;
	enter_node_lists(cone, index);
	schedule(cone, &record->event, failure, index * 2);
	cone->count.alive++;
	cone->count.most_alive = MAX(cone->count.most_alive, cone->count.alive);
}

static void end_apart(Cone *cone, uint32_t index)
{
	leave_node_lists(cone, index);
	schedule(cone, &record_at(cone, index)->event, INFINITY, 0);
	cone->count.alive--;
}

/* Until when the volumes of a record are apart by a gap; an earlier time, if that is `enough`. */
static double apart_until(Cone *cone, Record *record, double gap, double enough, double time)
{
	const VolumeClass *class = cone->volumes->class;
	const CertificateRule *rule = &cone->base.site.certificates;
	VolumeQuery query = {.gap = gap, .time = time, .enough = rule->short_circuit ? enough : INFINITY};
	query.order = rule->adaptive_axes && class->axes > 0 ? record->order : NULL;
	double failure = class->failure(volume_at(cone, record->node[0]), volume_at(cone, record->node[1]), &query);
	cone->count.by_axes[query.tested]++;
	return failure;
}

/* With short-circuiting, part of the interval is given up: then small changes leave a certificate as it is. */
static double give_up(const Cone *cone, double failure, double time)
{
	const CertificateRule *rule = &cone->base.site.certificates;
	if (!rule->short_circuit || !(failure > time) || failure == INFINITY)
		return failure;
	return time + (1.0 - rule->quality_loss) * (failure - time);
}

static double record_failure(Cone *cone, Record *record, double time)
{
	double enough = time + cone->horizon / (1.0 - cone->base.site.certificates.quality_loss);
	return give_up(cone, apart_until(cone, record, cone->base.site.layers->wake[1], enough, time), time);
}

/* A record for a pair of nodes, and all that is below it. */
static void cover(Cone *cone, uint32_t parent, uint32_t a, uint32_t b, double time)
{
	if (never_meet(cone, a, b) || (a == b && hierarchy_is_leaf(node_at(cone, a))))
		return;
	uint32_t index = new_record(cone, parent, a, b);
	if (parent == NONE)
		cone->root = index;
	double failure = a == b ? -INFINITY : record_failure(cone, record_at(cone, index), time);
	if (failure > time)
		set_apart(cone, index, failure);
	else
		go_down(cone, index, time);
}

static void free_below(Cone *cone, uint32_t index)
{
	Record *record = record_at(cone, index);
	for (uint32_t child = record->first_child, next; child != NONE; child = next) {
		Record *below = record_at(cone, child);
		next = below->next_sibling;
		free_below(cone, child);
		if (below->state == STATE_APART)
			end_apart(cone, child);
		else
			schedule(cone, &below->event, INFINITY, 0);
		below->state = STATE_FREE;
		below->next_sibling = cone->free_record;
		cone->free_record = child;
	}
	slab_table_close(cone->table, record->group);
	record->first_child = record->group = NONE;
}

static void try_up(Cone *cone, uint32_t index, double time)
{
	Record *record = record_at(cone, index);
	double failure = apart_until(cone, record, cone->up_gap, time, time) > time ? record_failure(cone, record, time) : time;
	if (failure <= time) {
		schedule_up(cone, index, time);
		return;
	}
	schedule(cone, &record->event, INFINITY, 0);
	free_below(cone, index);
	set_apart(cone, index, failure);
}

/* A certificate whose time has come, though there may be a later one: not when there is next to no room left. */
static bool lasts(Cone *cone, uint32_t index, double time)
{
	Record *record = record_at(cone, index);
	const Layers *layers = cone->base.site.layers;
	if (!cone->base.site.certificates.short_circuit ||
	    !(apart_until(cone, record, layers->wake[1] + 0.05 * layers->eta[1], time, time) > time))
		return false;
	double failure = record_failure(cone, record, time);
	if (failure > time)
		schedule(cone, &record->event, failure, index * 2);
	return failure > time;
}

static void fail_apart(Cone *cone, uint32_t index, double time)
{
	cone->count.failed++;
	end_apart(cone, index);
	go_down(cone, index, time);
}

static void act(Detector *detector, uint32_t id, double time, double *next)
{
	Cone *cone = (Cone *)detector;
	*next = INFINITY;
	if (id % 2) {
		slab_table_act(cone->table, id, time);
		return;
	}
	uint32_t index = id / 2;
	QueueHandle handle = record_at(cone, index)->event;
	record_at(cone, index)->event = (QueueHandle){0, 0};
	queue_remove(detector->site.avi->queue, handle);
	if (record_at(cone, index)->state != STATE_APART)
		try_up(cone, index, time);
	else if (!lasts(cone, index, time))
		fail_apart(cone, index, time);
}

/* Whether a certificate holds until its event, still; then all is well until there. */
static bool is_as_good(Cone *cone, Record *record, double time)
{
	double until = queue_time(cone->base.site.avi->queue, record->event);
	return cone->base.site.certificates.short_circuit && until > time &&
	       apart_until(cone, record, cone->base.site.layers->wake[1], until, time) >= until;
}

static void reschedule_records(Cone *cone, uint32_t node, double time)
{
	for (uint32_t link = cone->node_list[node], next; link != NONE; link = next) {
		uint32_t index = link / 2;
		Record *record = record_at(cone, index);
		next = record->next[link % 2];
		if (record->stamp == cone->stamp)
			continue;
		record->stamp = cone->stamp;
		cone->count.asked++;
		if (is_as_good(cone, record, time))
			continue;
		cone->count.rescheduled++;
		double failure = record_failure(cone, record, time);
		if (failure > time)
			schedule(cone, &record->event, failure, index * 2);
		else
			fail_apart(cone, index, time);
	}
}

static void changed(Detector *detector, double time, const uint32_t *vertex, size_t n)
{
	Cone *cone = (Cone *)detector;
	cone->stamp++;
	volume_tree_refit(cone->volumes, time, vertex, n);
	for (uint32_t i = 0; i < cone->volumes->tree->n_stale; i++)
		reschedule_records(cone, cone->volumes->tree->stale[i], time);
	slab_table_changed(cone->table, time, vertex, n);
}

static size_t candidates(
    Detector *detector, uint32_t layer, uint16_t bin, double time, const ContactPair *const **pairs)
{
	return slab_table_candidates(((Cone *)detector)->table, layer, bin, time, pairs);
}

static void measured(Detector *detector, uint32_t layer, uint16_t bin, double time, const double *gap)
{
	slab_table_measured(((Cone *)detector)->table, layer, bin, time, gap);
}

static size_t near(Detector *detector, double time, const ContactPair *const **pairs)
{
	return slab_table_near(((Cone *)detector)->table, time, pairs);
}

static void count(const Detector *detector, DetectorCount *out)
{
	*out = ((const Cone *)detector)->count;
	slab_table_count(((const Cone *)detector)->table, out);
}

typedef struct {
	uint64_t covered;
	char *wrong;
} Survey;

static double horizon(const Cone *cone, QueueHandle event, double time)
{
	double until = queue_time(cone->base.site.avi->queue, event);
	return isnan(until) ? time + 1.0 : fmin(until, time + 1.0);
}

/* All pairs of the elements below two nodes. */
static void survey_apart(const Cone *cone, uint32_t a, uint32_t b, double time, double until, Survey *survey)
{
	const Node *p = node_at(cone, a), *q = node_at(cone, b);
	if (!hierarchy_is_leaf(p)) {
		survey_apart(cone, p->left, b, time, until, survey);
		survey_apart(cone, p->right, b, time, until, survey);
		return;
	}
	if (!hierarchy_is_leaf(q)) {
		survey_apart(cone, a, q->left, time, until, survey);
		survey_apart(cone, a, q->right, time, until, survey);
		return;
	}
	ContactPair pairs[SURFACE_MOST_PAIRS];
	int n = surface_element_pairs(cone->base.site.surface, p->left, q->left, pairs);
	survey->covered += (uint64_t)n;
	for (int i = 0; i < n && survey->wrong == NULL; i++)
		if (!advance_stays_apart(&pairs[i], cone->base.site.flight, cone->base.site.layers->eta[1], time, until))
			survey->wrong = g_strdup_printf("bounds certify too long: pair %u-%u-%u-%u, kind %d", pairs[i].vertex[0],
			    pairs[i].vertex[1], pairs[i].vertex[2], pairs[i].vertex[3], pairs[i].kind);
}

static char *validate(Detector *detector, double time)
{
	Cone *cone = (Cone *)detector;
	Survey survey = {0};
	if (!volume_tree_validate(cone->volumes, time))
		return g_strdup("a vertex is outside of its bounds");
	for (uint32_t i = 0; i < cone->record->len; i++) {
		const Record *record = record_at(cone, i);
		if (record->state == STATE_APART)
			survey_apart(cone, record->node[0], record->node[1], time, horizon(cone, record->event, time), &survey);
	}
	if (survey.wrong == NULL)
		survey.wrong = slab_table_validate(cone->table, time, &survey.covered);
	g_autoptr(GArray) all = surface_all_pairs(detector->site.surface);
	if (survey.wrong == NULL && survey.covered != all->len)
		survey.wrong = g_strdup_printf("%lu of %u pairs are covered", (unsigned long)survey.covered, all->len);
	return survey.wrong;
}

static void forget(Cone *cone)
{
	for (uint32_t i = 0; i < cone->record->len; i++)
		queue_remove(cone->base.site.avi->queue, record_at(cone, i)->event);
	g_array_set_size(cone->record, 0);
	slab_table_clear(cone->table);
	cone->free_record = cone->root = NONE;
	cone->count.alive = 0;
	g_clear_pointer(&cone->volumes, volume_tree_free);
	g_clear_pointer(&cone->node_list, g_free);
}

static void start(Detector *detector, double time)
{
	Cone *cone = (Cone *)detector;
	forget(cone);
	cone->volumes = volume_tree_new(volume_class(detector->site.certificates.broad_phase), detector->site.surface, detector->site.flight, time);
	cone->node_list = g_new(uint32_t, cone->volumes->tree->n_nodes + 1u);
	memset(cone->node_list, 0xff, cone->volumes->tree->n_nodes * sizeof(uint32_t));
	if (cone->volumes->tree->n_nodes > 0)
		cover(cone, NONE, 0, 0, time);
}

static Detector *new(const DetectorSite *site)
{
	Cone *cone = g_new0(Cone, 1);
	cone->base = (Detector){&detector_cone, *site};
	cone->record = g_array_new(FALSE, TRUE, sizeof(Record));
	cone->table = slab_table_new(site);
	if (site->surface->n_bins > 0)
		cone->horizon = HORIZON * surface_bin_step(site->surface, (uint16_t)(site->surface->n_bins - 1));
	cone->up_gap = site->layers->wake[1] + 0.5 * site->layers->eta[1];
	return &cone->base;
}

static void free_cone(Detector *detector)
{
	Cone *cone = (Cone *)detector;
	forget(cone);
	slab_table_free(cone->table);
	g_array_unref(cone->record);
	g_free(cone);
}

const DetectorClass detector_cone = {
    .name = "cone",
    .new = new,
    .free = free_cone,
    .start = start,
    .changed = changed,
    .act = act,
    .candidates = candidates,
    .measured = measured,
    .near = near,
    .count = count,
    .validate = validate,
};

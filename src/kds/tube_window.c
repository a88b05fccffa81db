#include "kds/slab.h"
#include "kds/tube_state.h"
#include <stdlib.h>
#include <string.h>

/* A vertex may differ from its reference in speed by so much of eta(1) per tick of layer 1: below that nobody would wake later. */
#define LEAST_SPEED 0.01
/* What things cost, about, in nanoseconds. */
#define COST_VERTEX 400.0   /* of a vertex's new reference, and of the bounds above it */
#define COST_TEST 20.0      /* of two nodes */
#define COST_EXAMINE 25.0   /* of a pair whether to list it */
#define COST_LOOK 120.0     /* at a followed pair */
#define COST_REPAIR 40000.0 /* of a vertex */
/* Below these, of vertices, nodes and pairs, a team of threads costs more than it saves. */
enum { FEWEST_TO_SET_OUT = 500, FEWEST_NODES_TO_PAIR = 1000, FEWEST_TO_SORT = 500 };
/* Into about so many the search for pairs is cut then. */
enum { SEARCH_TASKS = 256 };
/* Its length, in ways that vertices move relative to each other over eta(1), is at most this. */
#define LONGEST_WAY 4.0

/* What the references say about a pair from `time` on: the largest level that certifies it until the end of the window; else
 * the level of its vertices, and the slot in which it is due; else TUBE_FOLLOWED. TUBE_LEVELS - 1 is that of pairs that need not be listed. */
static uint8_t certify(const Tube *tube, const ContactPair *pair, const Closest *closest, double time, uint32_t *slot)
{
	const Tubes *tubes = &tube->tubes;
	double end = tube_slot_time(tube, TUBE_SLOTS), eta = tube->base.site.layers->eta[1];
	double gap = fmin(closest->distance - pair->offset - tubes->rounding,
	    slab_gap(pair, tubes->reference, closest->normal, end));
	uint8_t least = 0;
	for (int c = 0; c < distance_corners[pair->kind]; c++)
		least = MAX(least, tubes->level[pair->vertex[c]]);
	*slot = TUBE_SLOTS;
	for (uint8_t level = TUBE_LEVELS; level-- > least;)
		if (gap > eta + 2.0 * tubes->radius[level])
			return level;
	double until = slab_failure(pair, tubes->reference, closest->normal, eta + 2.0 * tubes->radius[least], time);
	*slot = tube_slot_before(tube, until);
	return *slot > tube->slot + 1 ? least : TUBE_FOLLOWED;
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

void tube_examine(TubeFinder *finder, const PrimitivePair *primitives, double time)
{
	const Tube *tube = finder->tube;
	ContactPair pair = {.kind = (uint8_t)primitives->kind};
	const Surface *surface = tube->base.site.surface;
	if (!surface_corners(surface, primitives, pair.vertex))
		return;
	finder->examined++;
	int first = distance_first[pair.kind], corners = distance_corners[pair.kind];
	pair.offset = surface->half_thickness[surface->vertex_body[pair.vertex[0]]] +
	              surface->half_thickness[surface->vertex_body[pair.vertex[first]]];
	if (plainly_apart(tube, pair.vertex, first, corners, tube->listing_gap + pair.offset))
		return;
	Vec3 x[PAIR_MOST_CORNERS];
	for (int c = 0; c < corners; c++)
		x[c] = flight_position(&tube->tubes.reference[pair.vertex[c]], time);
	Closest closest = distance_closest(pair.kind, x);
	TubeFound found = {.gap = closest.distance - pair.offset};
	found.level = certify(tube, &pair, &closest, time, &found.slot);
	if (found.level == TUBE_LEVELS - 1 && found.slot == TUBE_SLOTS)
		return;
	if (surface_pair(surface, primitives->kind, primitives->first, primitives->second, &found.pair))
		g_array_append_val(finder->found, found);
}

static void examine_elements(void *data, uint32_t a, uint32_t b)
{
	TubeFinder *finder = data;
	PrimitivePair primitives[SURFACE_MOST_PAIRS];
	int n = surface_element_primitives(finder->tube->base.site.surface, a, b, primitives);
	for (int i = 0; i < n; i++)
		tube_examine(finder, &primitives[i], finder->tube->begin);
}

/* Neighbours in a sheet that is hardly bent there. */
static bool are_excused(const void *data, uint32_t a, uint32_t b)
{
	const Tube *tube = ((const TubeFinder *)data)->tube;
	if (tube->charts == NULL)
		return false;
	uint32_t body = tube->tree->node[a].body;
	if (body == UINT32_MAX || body != tube->tree->node[b].body)
		return false;
	return chart_keeps_apart(tube->charts, a, b, tube->listing_gap + 2.0 * tube->base.site.surface->half_thickness[body]);
}

void tube_provide_finders(Tube *tube)
{
	for (unsigned i = 0; i < tube_threads(tube) || i == 0; i++) {
		if (i == tube->finder->len) {
			TubeFinder *finder = g_new0(TubeFinder, 1);
			finder->found = g_array_new(FALSE, FALSE, sizeof(TubeFound));
			finder->left = g_array_new(FALSE, FALSE, sizeof(TubeLeft));
			finder->known = g_array_sized_new(FALSE, FALSE, sizeof(uint64_t), 64) /* bsearch() wants an address, also of nothing */;
			finder->around = g_array_new(FALSE, FALSE, sizeof(uint32_t));
			g_ptr_array_add(tube->finder, finder);
		}
	}
	for (unsigned i = 0; i < tube->finder->len; i++) {
		TubeFinder *finder = tube_finder(tube, i);
		finder->tube = tube;
		g_array_set_size(finder->found, 0);
		g_array_set_size(finder->left, 0);
		finder->search = (ChordSearch){examine_elements, are_excused, finder, 0};
		finder->examined = 0;
		finder->rounding = 0.0;
		finder->merged = 0;
	}
}

void tube_free_finder(gpointer data)
{
	TubeFinder *finder = data;
	GArray *arrays[] = {finder->found, finder->left, finder->known, finder->around};
	for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
		g_array_unref(arrays[i]);
	g_free(finder);
}

static int compare_found(const void *a, const void *b)
{
	const TubeFound *p = a, *q = b;
	return p->pair.key < q->pair.key ? -1 : p->pair.key > q->pair.key;
}

static void sort_some(void *data, size_t begin, size_t end, unsigned thread)
{
	(void)thread;
	for (size_t i = begin; i < end; i++)
		g_array_sort(tube_finder(data, (unsigned)i)->found, compare_found);
}

void tube_sort_found(Tube *tube)
{
	size_t n = 0;
	for (unsigned i = 0; i < tube->finder->len; i++)
		n += tube_finder(tube, i)->found->len;
	unsigned threads = team_is_worth(tube_threads(tube), n, FEWEST_TO_SORT) ? tube_threads(tube) : 1;
	team_share(&tube->team.sort, threads, tube->finder->len, (TeamCut){.fewest = 2, .grain = 1, .work = (double)n}, sort_some, tube);
}

const TubeFound *tube_next_found(Tube *tube)
{
	const TubeFound *first = NULL;
	TubeFinder *of = NULL;
	for (unsigned i = 0; i < tube->finder->len; i++) {
		TubeFinder *finder = tube_finder(tube, i);
		if (finder->merged == finder->found->len)
			continue;
		const TubeFound *found = &g_array_index(finder->found, TubeFound, finder->merged);
		if (first == NULL || found->pair.key < first->pair.key) {
			first = found;
			of = finder;
		}
	}
	if (of != NULL)
		of->merged++;
	return first;
}

TubePair *tube_list_pair(Tube *tube, const TubeFound *found)
{
	if (tube->n_pairs / TUBE_BLOCK == tube->block->len)
		g_ptr_array_add(tube->block, g_new0(TubePair, TUBE_BLOCK));
	TubePair *p = tube_pair_at(tube, tube->n_pairs);
	*p = (TubePair){.roster.pair = found->pair, .level = found->level, .index = tube->n_pairs++};
	tube->count.pairs++;
	return p;
}

static void list_found(Tube *tube, double time)
{
	const TubeFound *found;
	tube_sort_found(tube);
	while ((found = tube_next_found(tube)) != NULL) {
		TubePair *p = tube_list_pair(tube, found);
		if (found->level == TUBE_FOLLOWED) {
			tube_find_rate(tube, p);
			tube_place(tube, p->index, time, found->gap);
		} else {
			tube_put_due(tube, p->index, found->slot);
		}
	}
}

/* The pairs of each vertex, by level. */
static void list_near(Tube *tube)
{
	uint32_t n = tube_vertex_count(tube) * (TUBE_LEVELS + 1), sum = 0;
	uint32_t *begin = tube->near_begin;
	memset(begin, 0, (n + 2u) * sizeof *begin);
	for (uint32_t i = 0; i < tube->n_pairs; i++) {
		const TubePair *p = tube_pair_at(tube, i);
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
		const TubePair *p = tube_pair_at(tube, i);
		for (int c = 0; c < distance_corners[p->roster.pair.kind]; c++)
			tube->near_pair[begin[p->roster.pair.vertex[c] * (TUBE_LEVELS + 1) + p->level + 1]++] = i;
	}
}

void tube_forget_pairs(Tube *tube)
{
	for (uint32_t i = 0; i < tube->n_pairs; i++) {
		TubePair *p = tube_pair_at(tube, i);
		if (p->event.generation != 0)
			queue_remove(tube->base.site.avi->queue, p->event);
	}
	tube->n_pairs = 0;
	for (uint32_t slot = 0; slot <= TUBE_SLOTS; slot++)
		g_array_set_size(tube->due[slot], 0);
	for (size_t i = 0; i < (size_t)tube->base.site.last_layer * tube->base.site.surface->n_bins; i++)
		roster_clear(&tube->roster[i]);
	tube_forget_noted(tube);
	g_array_set_size(tube->extra, 0);
	memset(tube->extra_first, 0, tube_vertex_count(tube) * sizeof *tube->extra_first);
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
	return LEAST_SPEED * tube->base.site.layers->eta[1] / tube_interval(tube, 1, 0);
}

void tube_set_out(Tube *tube, uint32_t vertex, double time, Vec3 velocity)
{
	Tubes *tubes = &tube->tubes;
	double differs = vec3_distance(tubes->flight[vertex].v, velocity);
	tube_centre(tubes, vertex, time, velocity);
	tube_allow(tubes, vertex, fmax(least_speed(tube), fmax(0.7 * tubes->speed[vertex], 1.5 * differs)));
	if (!tube_widen(tubes, vertex)) /* a mean that has little to do with where it goes now */
		tube_centre(tubes, vertex, time, tubes->flight[vertex].v);
	Vec3 *ends = (Vec3 *)(void *)&tube->ends[6 * (size_t)vertex];
	ends[0] = flight_position(&tubes->reference[vertex], tube->begin);
	ends[1] = flight_position(&tubes->reference[vertex], tube_slot_time(tube, TUBE_SLOTS));
}

/* How fast vertices move relative to each other. */
static double spread(const Tube *tube)
{
	Vec3 sum = vec3(0, 0, 0);
	double sum2 = 0.0, n = tube_vertex_count(tube);
	for (uint32_t i = 0; i < tube_vertex_count(tube); i++) {
		sum = vec3_add(sum, tube->base.site.flight[i].v);
		sum2 += vec3_norm2(tube->base.site.flight[i].v);
	}
	return sqrt(fmax(0.0, sum2 / n - vec3_norm2(sum) / (n * n)));
}

/* The length of the next window, from how the last went: making a window is to cost about as much as what happens in it. */
void tube_adapt(Tube *tube)
{
	double making = COST_VERTEX * tube_vertex_count(tube) + COST_TEST * (double)tube->tests + COST_EXAMINE * (double)tube->examined + COST_LOOK * tube->found_first;
	double course = COST_LOOK * (double)tube->looks + COST_REPAIR * tube->repairs;
	if (tube->slot < TUBE_SLOTS || course > 1.5 * making)
		tube->window *= 0.7;
	else if (course < 0.75 * making)
		tube->window *= 1.3;
	double least = TUBE_SLOTS * 0.25 * tube_interval(tube, 1, 0), way = spread(tube) * tube->window;
	double longest = LONGEST_WAY * tube->base.site.layers->eta[1];
	if (way > longest)
		tube->window *= longest / way;
	tube->window = fmax(tube->window, least);
}

void tube_plant_tree(Tube *tube, double time)
{
	chord_free(tube->tree);
	tube->tree = chord_new(tube->base.site.surface, tube->base.site.flight, time);
	tube->tests_when_new = 0;
	if (tube->charts != NULL)
		chart_take(tube->charts, tube->tree);
}

static void set_out_some(void *data, size_t begin, size_t end, unsigned thread)
{
	Tube *tube = data;
	TubeFinder *finder = tube_finder(tube, thread);
	for (uint32_t i = (uint32_t)begin; i < end; i++) {
		tube_set_out(tube, i, tube->begin, mean_velocity(tube, i, tube->begin));
		finder->rounding = fmax(finder->rounding, tube_rounding(&tube->tubes, i));
	}
}

/* All vertices. */
static void set_out_all(Tube *tube)
{
	TeamCut cut = {.fewest = FEWEST_TO_SET_OUT};
	tube_provide_finders(tube);
	team_share(&tube->team.setting_out, tube_threads(tube), tube_vertex_count(tube), cut, set_out_some, tube);
	tube->tubes.rounding = 0.0;
	for (unsigned i = 0; i < tube->finder->len; i++)
		tube->tubes.rounding = fmax(tube->tubes.rounding, tube_finder(tube, i)->rounding);
}

static void find_some(void *data, size_t begin, size_t end, unsigned thread)
{
	Tube *tube = data;
	TubeFinder *finder = tube_finder(tube, thread);
	for (size_t i = begin; i < end; i++)
		chord_do(tube->tree, tube->base.site.layers->eta[1], g_array_index(tube->tasks, ChordTask, i), &finder->search);
}

/* A tree that was made when elements stood otherwise may have become a bad one. */
static void find_pairs(Tube *tube, double time)
{
	unsigned threads = tube_threads(tube);
	if (tube->tests > 2 * tube->tests_when_new + 1000)
		tube_plant_tree(tube, time);
	if (tube->charts != NULL)
		chart_fit(tube->charts, (const Vec3(*)[2])(void *)tube->ends, tube->tubes.rounding, threads);
	ChordWindow window = tube_chord_window(tube);
	chord_fit(tube->tree, &window, threads);
	tube_provide_finders(tube);
	g_array_set_size(tube->tasks, 0);
	uint32_t n = team_is_worth(threads, tube->tree->n_nodes, FEWEST_NODES_TO_PAIR) ? SEARCH_TASKS : 1;
	chord_tasks(tube->tree, tube->base.site.layers->eta[1], n, &tube_finder(tube, 0)->search, tube->tasks);
	TeamCut cut = {.fewest = 2, .grain = 1, .work = tube->tree->n_nodes};
	team_share(&tube->team.pairs, threads, tube->tasks->len, cut, find_some, tube);
	tube->tests = tube->examined = 0;
	for (unsigned i = 0; i < tube->finder->len; i++) {
		tube->tests += tube_finder(tube, i)->search.tests;
		tube->examined += tube_finder(tube, i)->examined;
	}
	if (tube->tests_when_new == 0)
		tube->tests_when_new = tube->tests;
}

void tube_begin_window(Tube *tube, double time)
{
	tube_forget_pairs(tube);
	tube->begin = time;
	tube->span = tube->window / TUBE_SLOTS;
	tube->slot = 0;
	tube->repairs = 0;
	tube->looks = 0;
	tube->tubes.end = tube_slot_time(tube, TUBE_SLOTS);
	tube->tubes.horizon = tube_slot_time(tube, 1);
	set_out_all(tube);
	tube->snapshot_time = NAN;
	tube->listing_gap = (tube->base.site.layers->eta[1] + 2.0 * tube->tubes.radius[TUBE_LEVELS - 1] + tube->tubes.rounding) * (1.0 + 1e-9);
	find_pairs(tube, time);
	list_found(tube, time);
	list_near(tube);
	tube->found_first = tube->n_pairs;
	tube->count.alive = tube->n_pairs;
	tube->count.most_alive = MAX(tube->count.most_alive, tube->count.alive);
	tube_schedule(tube, &tube->sweep, tube_slot_time(tube, 1), 0);
}

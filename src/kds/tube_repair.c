#include "kds/tube_state.h"
#include <stdlib.h>

/* A window ends when this share of the vertices has left the last level. */
#define MANY_REPAIRS 0.3

enum {
	FEWEST_TO_CHECK = 1000, /* vertices that are worth a team */
	FEWEST_QUERIES = 2
};

static void follow_certified(Tube *tube, uint32_t vertex, uint32_t below)
{
	uint32_t begin = tube->near_begin[vertex * (TUBE_LEVELS + 1)];
	uint32_t end = tube->near_begin[vertex * (TUBE_LEVELS + 1) + below];
	for (uint32_t i = begin; i < end; i++) {
		uint32_t index = tube->near_pair[i];
		if (tube_pair_at(tube, index)->level < below) {
			tube->count.rescheduled++;
			tube_follow_later(tube, index);
		}
	}
}

/* Whether follow_certified() would do anything. */
static bool certifies_below(const Tube *tube, uint32_t vertex, uint32_t below)
{
	uint32_t end = tube->near_begin[vertex * (TUBE_LEVELS + 1) + below];
	for (uint32_t i = tube->near_begin[vertex * (TUBE_LEVELS + 1)]; i < end; i++)
		if (tube_pair_at(tube, tube->near_pair[i])->level < below)
			return true;
	return false;
}

static void look_faster(Tube *tube, uint32_t index)
{
	if (tube_pair_at(tube, index)->level != TUBE_FOLLOWED)
		return;
	tube->count.rescheduled++;
	tube_look_later(tube, index, true);
}

static void look_at_followed(Tube *tube, uint32_t vertex)
{
	uint32_t end = tube->near_begin[(vertex + 1) * (TUBE_LEVELS + 1)];
	for (uint32_t i = tube->near_begin[vertex * (TUBE_LEVELS + 1)]; i < end; i++)
		look_faster(tube, tube->near_pair[i]);
	for (uint32_t i = tube->extra_first[vertex]; i != 0; i = g_array_index(tube->extra, TubeExtra, i - 1).next)
		look_faster(tube, g_array_index(tube->extra, TubeExtra, i - 1).pair);
}

static int compare_keys(const void *a, const void *b)
{
	const uint64_t *p = a, *q = b;
	return *p < *q ? -1 : *p > *q;
}

/* The keys of all listed pairs of a vertex. */
static void list_known(TubeFinder *finder, uint32_t vertex)
{
	const Tube *tube = finder->tube;
	g_array_set_size(finder->known, 0);
	uint32_t end = tube->near_begin[(vertex + 1) * (TUBE_LEVELS + 1)];
	for (uint32_t i = tube->near_begin[vertex * (TUBE_LEVELS + 1)]; i < end; i++)
		g_array_append_val(finder->known, tube_pair_at(tube, tube->near_pair[i])->roster.pair.key);
	for (uint32_t i = tube->extra_first[vertex]; i != 0; i = g_array_index(tube->extra, TubeExtra, i - 1).next)
		g_array_append_val(finder->known, tube_pair_at(tube, g_array_index(tube->extra, TubeExtra, i - 1).pair)->roster.pair.key);
	g_array_sort(finder->known, compare_keys);
}

typedef struct {
	TubeFinder *finder;
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
	const Surface *surface = repair->finder->tube->base.site.surface;
	const Element *other = &surface->element[b];
	PrimitivePair primitives[SURFACE_MOST_PAIRS];
	if (b < a && has_vertex(other->vertex, other->corners, repair->vertex))
		return; /* they come again, or have come, the other way around */
	int n = surface_element_primitives(surface, a, b, primitives);
	for (int i = 0; i < n; i++) {
		uint32_t vertex[PAIR_MOST_CORNERS];
		surface_corners(surface, &primitives[i], vertex);
		if (has_vertex(vertex, distance_corners[primitives[i].kind], repair->vertex))
			tube_examine(repair->finder, &primitives[i], repair->time);
	}
}

static bool are_excused_again(const void *data, uint32_t a, uint32_t b)
{
	const Repair *repair = data;
	const Tube *tube = repair->finder->tube;
	(void)a;
	if (repair->patch.chart == 0)
		return false;
	double thickness = 2.0 * tube->base.site.surface->half_thickness[tube->base.site.surface->vertex_body[repair->vertex]];
	return chart_keeps_patch_apart(tube->charts, &repair->patch, b, tube->listing_gap + thickness);
}

/* Bounds and charts take in the new reference of a vertex. */
static void take_reference(Tube *tube, const ChordWindow *window, uint32_t vertex)
{
	const Surface *surface = tube->base.site.surface;
	bool has_chart = chart_has(tube->charts, surface->vertex_body[vertex]);
	for (uint32_t i = tube->element_begin[vertex]; i < tube->element_begin[vertex + 1]; i++) {
		uint32_t element = tube->element_of[i];
		chord_refit(tube->tree, window, element);
		if (has_chart)
			chart_refit(tube->charts, (const Vec3(*)[2])(void *)tube->ends, tube->tubes.rounding, surface->element[element].triangle);
	}
}

/* Asks the charts for the triangles around the vertex. */
static void take_patch(Repair *repair, const uint32_t *elements, uint32_t n)
{
	GArray *around = repair->finder->around;
	const Tube *tube = repair->finder->tube;
	const Surface *surface = tube->base.site.surface;
	if (!chart_has(tube->charts, surface->vertex_body[repair->vertex]))
		return;
	g_array_set_size(around, 0);
	for (uint32_t i = 0; i < n; i++)
		g_array_append_val(around, surface->element[elements[i]].triangle);
	repair->patch = chart_patch(tube->charts, (const uint32_t *)(void *)around->data, n);
}

/* What may come near a vertex on its new reference, and is not listed. */
static void find_around(TubeFinder *finder, uint32_t vertex, double time)
{
	const Tube *tube = finder->tube;
	Repair work = {.finder = finder, .vertex = vertex, .time = time};
	ChordSearch search = {.visit = examine_again, .excuse = are_excused_again, .data = &work};
	const uint32_t *elements = &tube->element_of[tube->element_begin[vertex]];
	uint32_t n = tube->element_begin[vertex + 1] - tube->element_begin[vertex];
	guint begin = finder->found->len, kept = begin;
	list_known(finder, vertex);
	take_patch(&work, elements, n);
	chord_query(tube->tree, elements, n, tube->base.site.layers->eta[1], &search);
	for (guint i = begin; i < finder->found->len; i++) {
		const TubeFound *found = &g_array_index(finder->found, TubeFound, i);
		if (bsearch(&found->pair.key, finder->known->data, finder->known->len, sizeof(uint64_t), compare_keys) == NULL)
			g_array_index(finder->found, TubeFound, kept++) = *found;
	}
	g_array_set_size(finder->found, kept);
}

/* Lists a pair in the middle of a window. */
static void list_extra(Tube *tube, const TubeFound *found)
{
	TubePair *p = tube_list_pair(tube, found);
	p->level = TUBE_FOLLOWED;
	for (int c = 0; c < distance_corners[p->roster.pair.kind]; c++) {
		TubeExtra extra = {p->index, tube->extra_first[p->roster.pair.vertex[c]]};
		g_array_append_val(tube->extra, extra);
		tube->extra_first[p->roster.pair.vertex[c]] = tube->extra->len;
	}
	tube_look_later(tube, p->index, true);
}

typedef struct {
	Tube *tube;
	const uint32_t *vertex; /* NULL: the first ones */
	double time;
} Check;

static void find_around_some(void *data, size_t begin, size_t end, unsigned thread)
{
	const Check *check = data;
	for (size_t i = begin; i < end; i++)
		find_around(tube_finder(check->tube, thread), g_array_index(check->tube->again, uint32_t, i), check->time);
}

/* Lists what may come near those that have new references. */
static void list_around_all(Tube *tube, double time)
{
	Check check = {.tube = tube, .time = time};
	ChordWindow window = tube_chord_window(tube);
	for (guint i = 0; i < tube->again->len; i++)
		take_reference(tube, &window, g_array_index(tube->again, uint32_t, i));
	TeamCut cut = {.fewest = FEWEST_QUERIES, .grain = 1};
	team_share(&tube->team.queries, tube_threads(tube), tube->again->len, cut, find_around_some, &check);
	const TubeFound *found;
	uint64_t last = UINT64_MAX;
	tube_sort_found(tube);
	while ((found = tube_next_found(tube)) != NULL) {
		if (found->pair.key != last)
			list_extra(tube, found);
		last = found->pair.key;
	}
	tube->count.alive = tube->n_pairs;
}

/* A vertex that does not keep what was said of it: says something else of it. Most are only raised a level, and have no
 * pair that this changes anything for. */
static void say_again(TubeFinder *finder, uint32_t vertex, double time)
{
	Tube *tube = finder->tube;
	Tubes *tubes = &tube->tubes;
	TubeLeft left = {.vertex = vertex, .level = tubes->level[vertex], .is_faster = !tube_keeps_speed(tubes, vertex)};
	if (left.is_faster)
		tube_allow(tubes, vertex, 2.0 * tube_speed(tubes, vertex));
	left.is_again = !tube_widen(tubes, vertex);
	if (left.is_again)
		tube_set_out(tube, vertex, time, tube->base.site.flight[vertex].v);
	finder->rounding = fmax(finder->rounding, tube_rounding(tubes, vertex));
	if (left.is_faster || left.is_again || certifies_below(tube, vertex, tubes->level[vertex]))
		g_array_append_val(finder->left, left);
}

static void check_some(void *data, size_t begin, size_t end, unsigned thread)
{
	const Check *check = data;
	TubeFinder *finder = tube_finder(check->tube, thread);
	const Tubes *tubes = &check->tube->tubes;
	for (size_t i = begin; i < end; i++) {
		uint32_t vertex = check->vertex ? check->vertex[i] : (uint32_t)i;
		if (!tube_keeps_place(tubes, vertex) || !tube_keeps_speed(tubes, vertex))
			say_again(finder, vertex, check->time);
	}
}

/* What follows for the pairs of a vertex. */
static void see_to(Tube *tube, const TubeLeft *left)
{
	uint32_t level = tube->tubes.level[left->vertex];
	if (left->is_again) {
		g_array_append_val(tube->again, left->vertex);
		follow_certified(tube, left->vertex, TUBE_FOLLOWED);
	} else if (level > left->level) {
		follow_certified(tube, left->vertex, level);
	}
	if (left->is_again || left->is_faster)
		look_at_followed(tube, left->vertex);
}

/* First what is said of vertices, each by itself; then the pairs that this changes something for; then those that have new
 * references look around; and at last all these pairs are looked at. */
void tube_check(Tube *tube, const uint32_t *vertex, size_t n, double time)
{
	Check check = {tube, vertex, time};
	tube_provide_finders(tube);
	g_array_set_size(tube->again, 0);
	team_share(&tube->team.check, tube_threads(tube), n, (TeamCut){.fewest = FEWEST_TO_CHECK}, check_some, &check);
	for (unsigned i = 0; i < tube->finder->len; i++) {
		const TubeFinder *finder = tube_finder(tube, i);
		tube->tubes.rounding = fmax(tube->tubes.rounding, finder->rounding);
		for (guint k = 0; k < finder->left->len; k++)
			see_to(tube, &g_array_index(finder->left, TubeLeft, k));
	}
	tube->repairs += tube->again->len;
	if (tube->repairs > 8 + MANY_REPAIRS * tube_vertex_count(tube)) {
		tube_adapt(tube);
		tube_begin_window(tube, time);
		return;
	}
	if (tube->again->len > 0)
		list_around_all(tube, time);
	if (tube->look->len > 0)
		tube_look_at_noted(tube, time);
}

void tube_changed(Detector *detector, double time, const uint32_t *vertex, size_t n)
{
	tube_check((Tube *)detector, vertex, n, time);
}

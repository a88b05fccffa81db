#include "kds/tube_state.h"
#include <stdlib.h>

/* A window ends when this share of the vertices has left the last level. */
#define MANY_REPAIRS 0.3
static void follow_certified(Tube *tube, uint32_t vertex, uint32_t below, double time)
{
	uint32_t begin = tube->near_begin[vertex * (TUBE_LEVELS + 1)];
	uint32_t end = tube->near_begin[vertex * (TUBE_LEVELS + 1) + below];
	for (uint32_t i = begin; i < end; i++) {
		uint32_t index = tube->near_pair[i];
		if (tube_pair_at(tube, index)->level < below) {
			tube->count.rescheduled++;
			tube_follow(tube, index, time);
		}
	}
}

static void look_faster(Tube *tube, uint32_t index, double time)
{
	TubePair *p = tube_pair_at(tube, index);
	if (p->level != TUBE_FOLLOWED)
		return;
	tube->count.rescheduled++;
	tube_find_rate(tube, p);
	tube_look(tube, index, time);
}

static void look_at_followed(Tube *tube, uint32_t vertex, double time)
{
	uint32_t end = tube->near_begin[(vertex + 1) * (TUBE_LEVELS + 1)];
	for (uint32_t i = tube->near_begin[vertex * (TUBE_LEVELS + 1)]; i < end; i++)
		look_faster(tube, tube->near_pair[i], time);
	for (uint32_t i = tube->extra_first[vertex]; i != 0; i = g_array_index(tube->extra, TubeExtra, i - 1).next)
		look_faster(tube, g_array_index(tube->extra, TubeExtra, i - 1).pair, time);
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
		g_array_append_val(tube->known, tube_pair_at(tube, tube->near_pair[i])->roster.pair.key);
	for (uint32_t i = tube->extra_first[vertex]; i != 0; i = g_array_index(tube->extra, TubeExtra, i - 1).next)
		g_array_append_val(tube->known, tube_pair_at(tube, g_array_index(tube->extra, TubeExtra, i - 1).pair)->roster.pair.key);
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
			tube_examine(repair->tube, &primitives[i], repair->time);
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
static void list_extra(Tube *tube, TubeFound *found, double time)
{
	found->level = TUBE_FOLLOWED;
	if (!tube_list_pair(tube, found))
		return;
	uint32_t index = tube->n_pairs - 1;
	TubePair *p = tube_pair_at(tube, index);
	if (bsearch(&p->roster.pair.key, tube->known->data, tube->known->len, sizeof(uint64_t), compare_keys) != NULL) {
		tube->n_pairs--;
		tube->count.pairs--;
		return;
	}
	for (int c = 0; c < distance_corners[p->roster.pair.kind]; c++) {
		TubeExtra extra = {index, tube->extra_first[p->roster.pair.vertex[c]]};
		g_array_append_val(tube->extra, extra);
		tube->extra_first[p->roster.pair.vertex[c]] = tube->extra->len;
	}
	tube_find_rate(tube, p);
	tube_look(tube, index, time);
}

/* A new reference for a vertex that has left its tube. */
static void repair(Tube *tube, uint32_t vertex, double time)
{
	Repair work = {.tube = tube, .vertex = vertex, .time = time};
	tube->repairs++;
	tube_set_out(tube, vertex, time, tube->base.site.flight[vertex].v);
	follow_certified(tube, vertex, TUBE_FOLLOWED, time);
	look_at_followed(tube, vertex, time);
	ChordWindow window = tube_chord_window(tube);
	list_known(tube, vertex);
	g_array_set_size(tube->found, 0);
	for (uint32_t i = tube->element_begin[vertex]; i < tube->element_begin[vertex + 1]; i++)
		chord_refit(tube->tree, &window, tube->element_of[i]);
	const uint32_t *elements = &tube->element_of[tube->element_begin[vertex]];
	uint32_t n = tube->element_begin[vertex + 1] - tube->element_begin[vertex];
	take_patch(&work, elements, n);
	chord_query(tube->tree, elements, n, tube->base.site.layers->eta[1], examine_again, are_excused_again, &work);
	for (guint i = 0; i < tube->found->len; i++)
		list_extra(tube, &g_array_index(tube->found, TubeFound, i), time);
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

void tube_see_to_all(Tube *tube, double time)
{
	for (guint i = 0; i < tube->left->len; i++)
		see_to(tube, g_array_index(tube->left, uint32_t, i), time);
	g_array_set_size(tube->left, 0);
	if (tube->repairs > 8 + MANY_REPAIRS * tube_vertex_count(tube)) {
		tube_adapt(tube);
		tube_begin_window(tube, time);
	}
}

void tube_changed(Detector *detector, double time, const uint32_t *vertex, size_t n)
{
	Tube *tube = (Tube *)detector;
	for (size_t i = 0; i < n; i++)
		if (!tube_keeps_place(&tube->tubes, vertex[i]) || !tube_keeps_speed(&tube->tubes, vertex[i]))
			g_array_append_val(tube->left, vertex[i]);
	if (tube->left->len > 0)
		tube_see_to_all(tube, time);
}

#include "kds/advance.h"
#include "kds/tube_state.h"

/* What is wrong with one pair; `p` is NULL when it is not listed. */
static const char *pair_fault(const Tube *tube, const ContactPair *pair, const TubePair *p, double time)
{
	const Tubes *tubes = &tube->tubes;
	const Layers *layers = tube->base.site.layers;
	double end = tube_slot_time(tube, TUBE_SLOTS);
	if (p == NULL) {
		double least = layers->eta[1] + 2.0 * tubes->radius[TUBE_LEVELS - 1];
		return advance_stays_apart(pair, tubes->reference, least, time, end) ? NULL : "it is not listed, but may come near";
	}
	if (p->level == TUBE_FOLLOWED) {
		/* Until when it is relied on, nobody may have changed a plan: on the present ones is all that can be said. */
		const DetectorSite *site = &tube->base.site;
		double until = p->roster.awake > 0 ? site->next_tick(site->context, p->roster.awake, pair->bin) : tube_slot_time(tube, p->slot);
		double own = queue_time(tube->base.site.avi->queue, p->event);
		until = isnan(own) ? until : p->roster.awake > 0 ? fmin(until, own) : own;
		bool far = advance_stays_apart(pair, tube->base.site.flight, layers->eta[p->roster.awake + 1], time, fmin(until, tubes->horizon));
		return far ? NULL : "it is followed, but not looked at in time";
	}
	for (int c = 0; c < distance_corners[pair->kind]; c++)
		if (tubes->level[pair->vertex[c]] > p->level)
			return "a vertex is beyond the level of its certificate";
	double least = layers->eta[1] + 2.0 * tubes->radius[p->level];
	bool far = advance_stays_apart(pair, tubes->reference, least, time, tube_slot_time(tube, p->slot));
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

char *tube_validate(Detector *detector, double time)
{
	Tube *tube = (Tube *)detector;
	const Surface *surface = detector->site.surface;
	if (time > tube->tubes.horizon)
		return g_strdup_printf("the horizon, %.17g s, is past", tube->tubes.horizon);
	for (uint32_t i = 0; i < tube_vertex_count(tube); i++) {
		const char *wrong = vertex_fault(tube, i, time);
		if (wrong != NULL)
			return g_strdup_printf("vertex %u %s", i, wrong);
	}
	ChordWindow window = tube_chord_window(tube);
	for (uint32_t e = 0; e < surface->n_elements; e++)
		if (!chord_holds(tube->tree, &window, e))
			return g_strdup_printf("element %u is outside of its bounds", e);
	g_autoptr(GHashTable) listed = g_hash_table_new(g_int64_hash, g_int64_equal);
	for (uint32_t i = 0; i < tube->n_pairs; i++)
		g_hash_table_insert(listed, &tube_pair_at(tube, i)->roster.pair.key, tube_pair_at(tube, i));
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

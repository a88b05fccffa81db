#include "sim/preflight.h"
#include "contact/layers.h"
#include "core/error.h"
#include "io/obj.h"
#include <stdlib.h>
#include <string.h>

enum {
	MOST_SAMPLES = 2000,    /* of the scripts' time */
	CLEARANCE_DOUBLINGS = 4 /* of eta1: farther apart than that is of no interest */
};

IntersectionsInput preflight_mesh(const World *world, const Vec3 *position, const Vec3 *moved)
{
	return (IntersectionsInput){
	    .x = (const double(*)[3])(const void *)position,
	    .moved = (const double(*)[3])(const void *)moved,
	    .n_triangles = world->triangle->len,
	    .triangle = (const uint32_t(*)[3])(void *)world->triangle->data,
	    .n_edges = world->edge->len,
	    .edge = (const uint32_t(*)[2])(void *)world->edge->data,
	    .n_particles = world->particle->len,
	    .particle = (const uint32_t *)(void *)world->particle->data,
	};
}

static bool may_meet(const Surface *surface, const Element *a, const Element *b)
{
	return surface->meets[a->body * surface->world->bodies->len + b->body];
}

/* Elements that intersect at time zero although contact is to keep them apart. */
static void find_intersections(Preflight *preflight)
{
	const World *world = preflight->scene->world;
	IntersectionsInput input = preflight_mesh(world, (const Vec3 *)(void *)world->position->data, NULL);
	g_autoptr(GArray) all = intersections_find(&input);
	for (guint i = 0; i < all->len; i++) {
		Intersection found = g_array_index(all, Intersection, i);
		const Element *a = &preflight->surface->element[found.a], *b = &preflight->surface->element[found.b];
		if ((a->moves || b->moves) && may_meet(preflight->surface, a, b))
			g_array_append_val(preflight->intersections, found);
	}
}

static void find_close(Preflight *preflight)
{
	Flight *flight = world_flights(preflight->scene->world);
	g_autoptr(GArray) near = proximity_find(preflight->surface, flight, 0.0, preflight->scene->contact.eta1);
	for (guint i = 0; i < near->len; i++) {
		Proximity pair = g_array_index(near, Proximity, i);
		g_array_append_val(pair.gap > 0.0 ? preflight->close : preflight->overlaps, pair);
	}
	free(flight);
}

/* Pairs of one body that are within eta1 in its rest shape, where nothing should push. */
static void find_rest(Preflight *preflight)
{
	const World *world = preflight->scene->world;
	Flight *flight = world_flights(world);
	for (uint32_t i = 0; i < world_vertex_count(world); i++)
		flight[i].x = g_array_index(world->rest, Vec3, i);
	g_autoptr(GArray) near = proximity_find(preflight->surface, flight, 0.0, preflight->scene->contact.eta1);
	preflight->largest_eta1 = INFINITY;
	for (guint i = 0; i < near->len; i++) {
		Proximity pair = g_array_index(near, Proximity, i);
		uint32_t other = pair.pair.vertex[distance_first[pair.pair.kind]];
		if (preflight->surface->vertex_body[pair.pair.vertex[0]] != preflight->surface->vertex_body[other])
			continue;
		preflight->largest_eta1 = fmin(preflight->largest_eta1, pair.gap);
		g_array_append_val(preflight->rest, pair);
	}
	free(flight);
}

/* How far apart the two of a pair are at rest. */
static double rest_distance(const World *world, const ContactPair *pair)
{
	Vec3 x[PAIR_MOST_CORNERS];
	for (int c = 0; c < distance_corners[pair->kind]; c++)
		x[c] = g_array_index(world->rest, Vec3, pair->vertex[c]);
	return distance_closest(pair->kind, x).distance;
}

/* The closest pair of two bodies, or of one where it has come back to itself: parts that are three times as far apart at rest. */
static void find_clearance(Preflight *preflight)
{
	const World *world = preflight->scene->world;
	const Surface *surface = preflight->surface;
	Flight *flight = world_flights(world);
	preflight->clearance.gap = INFINITY;
	preflight->reach = preflight->scene->contact.eta1;
	for (int doublings = 0; doublings < CLEARANCE_DOUBLINGS && preflight->clearance.gap == INFINITY; doublings++) {
		preflight->reach *= 2.0;
		g_autoptr(GArray) near = proximity_find(surface, flight, 0.0, preflight->reach);
		for (guint i = 0; i < near->len; i++) {
			Proximity found = g_array_index(near, Proximity, i);
			const uint32_t *vertex = found.pair.vertex;
			bool same = surface->vertex_body[vertex[0]] == surface->vertex_body[vertex[distance_first[found.pair.kind]]];
			if (found.gap < preflight->clearance.gap && (!same || rest_distance(world, &found.pair) > 3.0 * found.gap))
				preflight->clearance = found;
		}
	}
	free(flight);
}

/* Where everything that is held is at a time. */
static void place_held(const World *world, double time, Vec3 *position)
{
	for (guint s = 0; s < world->scripts->len; s++) {
		const Script *script = world->scripts->pdata[s];
		for (size_t i = 0; i < script->n_vertices; i++)
			position[script->vertex[i]] = script_target(script, i, time);
	}
}

static bool is_removed(const Preflight *preflight, const Element *element, double time)
{
	return ((const Body *)preflight->scene->world->bodies->pdata[element->body])->remove_at <= time;
}

/* The elements of a surface whose vertices are all held, and which of the surface's each is. */
typedef struct {
	GArray *triangle, *edge, *particle; /* as in IntersectionsInput */
	GArray *element;                    /* uint32_t */
} HeldMesh;

static HeldMesh held_mesh(const Surface *surface)
{
	HeldMesh mesh = {g_array_new(FALSE, FALSE, sizeof(Triangle)), g_array_new(FALSE, FALSE, sizeof(Edge)),
	    g_array_new(FALSE, FALSE, sizeof(uint32_t)), g_array_new(FALSE, FALSE, sizeof(uint32_t))};
	GArray *lists[] = {NULL, mesh.particle, mesh.edge, mesh.triangle};
	for (uint32_t e = 0; e < surface->n_elements; e++) {
		if (surface->element[e].moves)
			continue;
		g_array_append_vals(lists[surface->element[e].corners], surface->element[e].vertex, 1);
		g_array_append_val(mesh.element, e);
	}
	return mesh;
}

static void held_mesh_clear(HeldMesh *mesh)
{
	g_array_unref(mesh->triangle);
	g_array_unref(mesh->edge);
	g_array_unref(mesh->particle);
	g_array_unref(mesh->element);
}

/* Elements of different bodies, both held and still there at `time`, that meet between then and when they have moved: GArray
 * of Intersection. */
static GArray *held_meetings(const Preflight *preflight, double time, const Vec3 *position, const Vec3 *moved)
{
	HeldMesh mesh = held_mesh(preflight->surface);
	IntersectionsInput input = {
	    .x = (const double(*)[3])(const void *)position,
	    .moved = (const double(*)[3])(const void *)moved,
	    .n_triangles = mesh.triangle->len,
	    .triangle = (const uint32_t(*)[3])(void *)mesh.triangle->data,
	    .n_edges = mesh.edge->len,
	    .edge = (const uint32_t(*)[2])(void *)mesh.edge->data,
	    .n_particles = mesh.particle->len,
	    .particle = (const uint32_t *)(void *)mesh.particle->data,
	};
	g_autoptr(GArray) all = intersections_find(&input);
	GArray *held = g_array_new(FALSE, FALSE, sizeof(Intersection));
	for (guint i = 0; i < all->len; i++) {
		Intersection found = g_array_index(all, Intersection, i);
		found.a = g_array_index(mesh.element, uint32_t, found.a);
		found.b = g_array_index(mesh.element, uint32_t, found.b);
		const Element *a = &preflight->surface->element[found.a], *b = &preflight->surface->element[found.b];
		if (a->body != b->body && may_meet(preflight->surface, a, b) && !is_removed(preflight, a, time) &&
		    !is_removed(preflight, b, time))
			g_array_append_val(held, found);
	}
	held_mesh_clear(&mesh);
	return held;
}

/* The place of two elements' bodies in a table of pairs of bodies. */
static size_t bodies_of(const Preflight *preflight, Intersection pair)
{
	uint32_t a = preflight->surface->element[pair.a].body, b = preflight->surface->element[pair.b].body;
	return (size_t)MIN(a, b) * preflight->scene->world->bodies->len + MAX(a, b);
}

/* Pairs of held bodies that overlap from the start: they are meant to. */
static uint8_t *overlapping_bodies(const Preflight *preflight)
{
	const World *world = preflight->scene->world;
	uint8_t *overlap = g_new0(uint8_t, (size_t)world->bodies->len * world->bodies->len);
	g_autoptr(GArray) held = held_meetings(preflight, 0.0, (const Vec3 *)(void *)world->position->data, NULL);
	for (guint i = 0; i < held->len; i++)
		overlap[bodies_of(preflight, g_array_index(held, Intersection, i))] = 1;
	return overlap;
}

static bool held_meet(Preflight *preflight, const uint8_t *overlap, double time, const Vec3 *position, const Vec3 *moved)
{
	g_autoptr(GArray) held = held_meetings(preflight, time, position, moved);
	for (guint i = 0; i < held->len; i++) {
		preflight->held = g_array_index(held, Intersection, i);
		if (!overlap[bodies_of(preflight, preflight->held)])
			return true;
	}
	return false;
}

/* How long scripts move anything, and the shortest of their steps. */
static double scripts_end(const World *world, double *step)
{
	double end = 0.0;
	*step = INFINITY;
	for (guint s = 0; s < world->scripts->len; s++) {
		const Script *script = world->scripts->pdata[s];
		end = fmax(end, script->time[script->n_keys - 1]);
		*step = fmin(*step, script->clock.step);
	}
	return end;
}

/* The time to follow everything to next: `until`, or before that when a body goes. */
static double next_stop(const World *world, double time, double until)
{
	for (guint i = 0; i < world->bodies->len; i++) {
		double removal = ((const Body *)world->bodies->pdata[i])->remove_at;
		if (removal > time && removal < until)
			until = removal;
	}
	return until;
}

/* Contact does not move what is held, so it cannot keep two held bodies apart. Those that overlap from the start are meant
 * to; those that scripts move into each other probably are not. Between two times everything is followed on straight lines,
 * so that nothing gets through something thin unseen. */
static void follow_scripts(Preflight *preflight)
{
	const World *world = preflight->scene->world;
	double step, end = fmin(scripts_end(world, &step), preflight->scene->end);
	if (world->scripts->len == 0 || !(end > 0.0))
		return;
	uint32_t n = (uint32_t)fmin(MOST_SAMPLES, ceil(end / step)), i = 1;
	size_t size = world->position->len * sizeof(Vec3);
	g_autofree Vec3 *position = g_memdup2(world->position->data, size), *moved = g_memdup2(position, size);
	g_autofree uint8_t *overlap = overlapping_bodies(preflight);
	for (double time = 0.0, next; i <= n && preflight->held_time < 0.0; time = next) {
		next = next_stop(world, time, end * i / n);
		place_held(world, next, moved);
		preflight->held_samples++;
		if (held_meet(preflight, overlap, time, position, moved))
			preflight->held_time = next;
		memcpy(position, moved, size);
		if (next == end * i / n)
			i++;
	}
}

Preflight *preflight_new(const Scene *scene, bool thorough)
{
	Preflight *preflight = g_new0(Preflight, 1);
	preflight->scene = scene;
	preflight->held_time = -1.0;
	preflight->intersections = g_array_new(FALSE, FALSE, sizeof(Intersection));
	preflight->overlaps = g_array_new(FALSE, FALSE, sizeof(Proximity));
	preflight->close = g_array_new(FALSE, FALSE, sizeof(Proximity));
	preflight->rest = g_array_new(FALSE, FALSE, sizeof(Proximity));
	if (!scene->contact.enabled)
		return preflight;
	preflight->surface = surface_new(scene->world, &scene->contact,
	    layers_step_scale(scene->contact.r1, scene->contact.safety, scene->contact.accuracy));
	find_intersections(preflight);
	find_close(preflight);
	if (thorough) {
		find_rest(preflight);
		find_clearance(preflight);
		follow_scripts(preflight);
	}
	return preflight;
}

void preflight_free(Preflight *preflight)
{
	if (preflight == NULL)
		return;
	g_array_unref(preflight->intersections);
	g_array_unref(preflight->overlaps);
	g_array_unref(preflight->close);
	g_array_unref(preflight->rest);
	surface_free(preflight->surface);
	g_free(preflight);
}

char *preflight_element_name(const Preflight *preflight, uint32_t index)
{
	static const char *const names[] = {"", "particle", "loose edge", "triangle"};
	const Element *element = &preflight->surface->element[index];
	const World *world = preflight->scene->world;
	const Body *body = world->bodies->pdata[element->body];
	uint32_t first = element->corners == 3   ? body->first_triangle
	                 : element->corners == 2 ? world->triangle->len + body->first_edge
	                                         : world->triangle->len + world->edge->len + body->first_particle;
	return g_strdup_printf("%s %u of %s", names[element->corners], index - first, body->name);
}

char *preflight_pair_name(const Preflight *preflight, const ContactPair *pair)
{
	return surface_pair_name(preflight->surface, pair);
}

bool preflight_allows(const Preflight *preflight, GError **error)
{
	const char *scene = preflight->scene->name;
	if (preflight->intersections->len > 0) {
		Intersection first = g_array_index(preflight->intersections, Intersection, 0);
		g_autofree char *one = preflight_element_name(preflight, first.a), *other = preflight_element_name(preflight, first.b);
		return error_set(error, CINCH_ERROR_INPUT,
		    "%s: %u pairs of elements intersect at the start, such as %s and %s; cinch check lists them and writes them as a "
		    "mesh",
		    scene, preflight->intersections->len, one, other);
	}
	if (preflight->overlaps->len > 0) {
		Proximity first = g_array_index(preflight->overlaps, Proximity, 0);
		g_autofree char *name = preflight_pair_name(preflight, &first.pair);
		return error_set(error, CINCH_ERROR_INPUT,
		    "%s: %u pairs are closer at the start than their thickness allows, such as %s, by %g %s; cinch check lists them",
		    scene, preflight->overlaps->len, name, -first.gap, preflight->scene->world->units->length);
	}
	return true;
}

/* Marks the elements of a vertex-based pair: those that have all of one primitive's vertices. */
static void mark_owners(const Surface *surface, const uint32_t *vertex, int n, uint8_t *marked)
{
	for (uint32_t e = 0; e < surface->n_elements; e++) {
		int shared = 0;
		for (int i = 0; i < n; i++)
			for (int c = 0; c < surface->element[e].corners; c++)
				shared += surface->element[e].vertex[c] == vertex[i];
		if (shared == n)
			marked[e] = 1;
	}
}

bool preflight_write_offenders(const Preflight *preflight, const char *path, GError **error)
{
	const World *world = preflight->scene->world;
	const Surface *surface = preflight->surface;
	g_autofree uint8_t *marked = g_new0(uint8_t, surface->n_elements + 1u);
	for (guint i = 0; i < preflight->intersections->len; i++) {
		Intersection found = g_array_index(preflight->intersections, Intersection, i);
		marked[found.a] = marked[found.b] = 1;
	}
	for (guint i = 0; i < preflight->overlaps->len; i++) {
		const ContactPair *pair = &g_array_index(preflight->overlaps, Proximity, i).pair;
		int first = distance_first[pair->kind];
		mark_owners(surface, pair->vertex, first, marked);
		mark_owners(surface, pair->vertex + first, distance_corners[pair->kind] - first, marked);
	}
	g_autoptr(GArray) triangles = g_array_new(FALSE, FALSE, sizeof(Triangle));
	g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(Edge));
	g_autoptr(GArray) particles = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	GArray *lists[] = {NULL, particles, edges, triangles};
	for (uint32_t e = 0; e < surface->n_elements; e++)
		if (marked[e])
			g_array_append_vals(lists[surface->element[e].corners], surface->element[e].vertex, 1);
	return obj_write(path, "Elements that intersect at the start; vertices are those of the whole scene.",
	    (const double *)(void *)world->position->data, world_vertex_count(world),
	    (const uint32_t(*)[3])(void *)triangles->data, triangles->len, (const uint32_t(*)[2])(void *)edges->data, edges->len,
	    (const uint32_t *)(void *)particles->data, particles->len, error);
}

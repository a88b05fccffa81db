#include "shells/world.h"
#include <stdlib.h>

static void body_free(Body *body)
{
	g_free(body->name);
	g_hash_table_unref(body->sets);
	g_free(body);
}

static void material_free(Material *material)
{
	g_free(material->name);
	g_free(material);
}

static void load_free(Load *load)
{
	profile_free(load->profile);
	if (load->vertices)
		g_array_unref(load->vertices);
	if (load->bodies)
		g_array_unref(load->bodies);
	g_free(load);
}

static void end_free(WorldEnd *end)
{
	g_free(end->name);
	g_array_unref(end->vertices);
	g_free(end);
}

void world_add_end(World *world, const char *name, const GArray *vertices)
{
	for (guint i = 0; i < world->ends->len; i++)
		if (strcmp(((const WorldEnd *)world->ends->pdata[i])->name, name) == 0)
			return;
	WorldEnd *end = g_new0(WorldEnd, 1);
	end->name = g_strdup(name);
	end->vertices = g_array_copy((GArray *)(void *)vertices);
	g_ptr_array_add(world->ends, end);
}

World *world_new(void)
{
	World *world = g_new0(World, 1);
	world->units = &units_si;
	world->rest = g_array_new(FALSE, TRUE, sizeof(Vec3));
	world->position = g_array_new(FALSE, TRUE, sizeof(Vec3));
	world->velocity = g_array_new(FALSE, TRUE, sizeof(Vec3));
	world->mass = g_array_new(FALSE, TRUE, sizeof(double));
	world->held = g_array_new(FALSE, TRUE, sizeof(uint8_t));
	world->triangle = g_array_new(FALSE, TRUE, sizeof(Triangle));
	world->edge = g_array_new(FALSE, TRUE, sizeof(Edge));
	world->particle = g_array_new(FALSE, TRUE, sizeof(uint32_t));
	world->bodies = g_ptr_array_new_with_free_func((GDestroyNotify)body_free);
	world->materials = g_ptr_array_new_with_free_func((GDestroyNotify)material_free);
	world->loads = g_ptr_array_new_with_free_func((GDestroyNotify)load_free);
	world->scripts = g_ptr_array_new_with_free_func((GDestroyNotify)script_free);
	world->ends = g_ptr_array_new_with_free_func((GDestroyNotify)end_free);
	return world;
}

void world_free(World *world)
{
	if (world == NULL)
		return;
	GArray *arrays[] = {world->rest, world->position, world->velocity, world->mass, world->held, world->triangle,
	    world->edge, world->particle};
	for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
		g_array_unref(arrays[i]);
	g_ptr_array_unref(world->bodies);
	g_ptr_array_unref(world->materials);
	g_ptr_array_unref(world->loads);
	g_ptr_array_unref(world->scripts);
	g_ptr_array_unref(world->ends);
	g_free(world);
}

static void add_vertices(World *world, const Shape *shape)
{
	uint32_t n = shape_vertex_count(shape), total = world->position->len + n;
	g_array_append_vals(world->rest, shape->rest->data, n);
	g_array_append_vals(world->position, shape->position->data, n);
	g_array_set_size(world->velocity, total);
	g_array_set_size(world->mass, total);
	g_array_set_size(world->held, total);
}

static void add_mass(World *world, uint32_t vertex, double mass)
{
	g_array_index(world->mass, double, vertex) += mass;
}

static Vec3 rest_of(const World *world, uint32_t vertex)
{
	return g_array_index(world->rest, Vec3, vertex);
}

static double rest_area(const World *world, const Triangle *triangle)
{
	Vec3 a = rest_of(world, triangle->v[0]);
	return 0.5 * vec3_norm(vec3_cross(vec3_sub(rest_of(world, triangle->v[1]), a),
	                 vec3_sub(rest_of(world, triangle->v[2]), a)));
}

static void add_elements(World *world, const Body *body, const Shape *shape)
{
	const Material *material = body->material;
	for (guint i = 0; i < shape->triangle->len; i++) {
		Triangle triangle = g_array_index(shape->triangle, Triangle, i);
		for (int c = 0; c < 3; c++)
			triangle.v[c] += body->first_vertex;
		g_array_append_val(world->triangle, triangle);
		for (int c = 0; c < 3; c++)
			add_mass(world, triangle.v[c], material->areal_density * rest_area(world, &triangle) / 3.0);
	}
	for (guint i = 0; i < shape->edge->len; i++) {
		Edge edge = g_array_index(shape->edge, Edge, i);
		for (int c = 0; c < 2; c++)
			edge.v[c] += body->first_vertex;
		g_array_append_val(world->edge, edge);
		double length = vec3_distance(rest_of(world, edge.v[0]), rest_of(world, edge.v[1]));
		for (int c = 0; c < 2; c++)
			add_mass(world, edge.v[c], 0.5 * material->line_density * length);
	}
	for (guint i = 0; i < shape->particle->len; i++) {
		uint32_t vertex = g_array_index(shape->particle, uint32_t, i) + body->first_vertex;
		g_array_append_val(world->particle, vertex);
		add_mass(world, vertex, material->particle_mass);
	}
}

static GHashTable *shifted_sets(const Shape *shape, uint32_t shift)
{
	GHashTable *sets = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_array_unref);
	GHashTableIter iterator;
	gpointer name, value;
	g_hash_table_iter_init(&iterator, shape->sets);
	while (g_hash_table_iter_next(&iterator, &name, &value)) {
		GArray *set = g_array_copy(value);
		for (guint i = 0; i < set->len; i++)
			g_array_index(set, uint32_t, i) += shift;
		g_hash_table_insert(sets, g_strdup(name), set);
	}
	return sets;
}

Body *world_add_body(World *world, const char *name, const Material *material, const Shape *shape)
{
	Body *body = g_new0(Body, 1);
	body->name = g_strdup(name);
	body->material = material;
	body->remove_at = INFINITY;
	body->first_vertex = world->position->len;
	body->n_vertices = shape_vertex_count(shape);
	body->first_triangle = world->triangle->len;
	body->n_triangles = shape->triangle->len;
	body->first_edge = world->edge->len;
	body->n_edges = shape->edge->len;
	body->first_particle = world->particle->len;
	body->n_particles = shape->particle->len;
	body->sets = shifted_sets(shape, body->first_vertex);
	add_vertices(world, shape);
	add_elements(world, body, shape);
	g_ptr_array_add(world->bodies, body);
	return body;
}

Body *world_find_body(const World *world, const char *name)
{
	for (guint i = 0; i < world->bodies->len; i++) {
		Body *body = world->bodies->pdata[i];
		if (g_str_equal(body->name, name))
			return body;
	}
	return NULL;
}

const char *world_body_of(const World *world, uint32_t vertex)
{
	for (guint i = 0; i < world->bodies->len; i++) {
		const Body *body = world->bodies->pdata[i];
		if (vertex - body->first_vertex < body->n_vertices)
			return body->name;
	}
	return "?";
}

Flight *world_flights(const World *world)
{
	uint32_t n = world_vertex_count(world);
	Flight *flight = flight_allocate(n);
	for (uint32_t i = 0; i < n; i++) {
		bool held = g_array_index(world->held, uint8_t, i) != HELD_NOT;
		flight[i].x = g_array_index(world->position, Vec3, i);
		flight[i].v = held ? vec3(0, 0, 0) : g_array_index(world->velocity, Vec3, i);
		flight[i].inverse_mass = held ? 0.0 : 1.0 / g_array_index(world->mass, double, i);
	}
	return flight;
}

static size_t array_memory(const GArray *array)
{
	return array ? (size_t)array->len * g_array_get_element_size((GArray *)array) : 0;
}

static size_t sets_memory(const Body *body)
{
	size_t bytes = 0;
	GHashTableIter iter;
	void *set;
	g_hash_table_iter_init(&iter, body->sets);
	while (g_hash_table_iter_next(&iter, NULL, &set))
		bytes += array_memory(set);
	return bytes;
}

size_t world_memory(const World *world)
{
	const GArray *arrays[] = {world->rest, world->position, world->velocity, world->mass, world->held, world->triangle,
	    world->edge, world->particle};
	size_t bytes = sizeof *world;
	for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
		bytes += array_memory(arrays[i]);
	for (guint i = 0; i < world->bodies->len; i++)
		bytes += sizeof(Body) + sets_memory(world->bodies->pdata[i]);
	for (guint i = 0; i < world->loads->len; i++) {
		const Load *load = world->loads->pdata[i];
		bytes += sizeof *load + array_memory(load->vertices) + array_memory(load->bodies);
	}
	for (guint i = 0; i < world->scripts->len; i++)
		bytes += script_memory(world->scripts->pdata[i]);
	return bytes;
}

/* From bodies to fields: which elements each force has, and their parameters. */
#include "shells/force_body.h"
#include "shells/force_hinge.h"
#include "shells/force_spring.h"
#include "shells/force_stvk.h"
#include "shells/force_surface.h"
#include "shells/topology.h"
#include "shells/world.h"

typedef struct {
	const World *world;
	const Flight *flight;
	GPtrArray *fields;
} Assembly;

static Vec3 rest_of(const Assembly *assembly, uint32_t vertex)
{
	return g_array_index(assembly->world->rest, Vec3, vertex);
}

static bool all_held(const Assembly *assembly, const uint32_t *stencil, int corners)
{
	for (int c = 0; c < corners; c++)
		if (assembly->flight[stencil[c]].inverse_mass > 0.0)
			return false;
	return true;
}

static void add(Assembly *assembly, Field *field, const uint32_t *stencil, const double *parameter)
{
	if (!all_held(assembly, stencil, field->class->corners))
		field_add(field, stencil, parameter);
}

/* Keeps a field that has elements. */
static void keep(Assembly *assembly, Field *field)
{
	if (field->n_elements > 0)
		g_ptr_array_add(assembly->fields, field);
	else
		field_free(field);
}

static double rest_area(const Assembly *assembly, const uint32_t *v)
{
	Vec3 a = rest_of(assembly, v[0]);
	return 0.5 * vec3_norm(vec3_cross(vec3_sub(rest_of(assembly, v[1]), a), vec3_sub(rest_of(assembly, v[2]), a)));
}

/* The stiffness of a side in a sheet of springs that is to have the material's membrane stiffness: in proportion to the
 * area of its triangles over its length squared (Van Gelder 1998). */
static double spring_from_membrane(const Material *material, double area, double length)
{
	return material->membrane * area / (length * length);
}

static void add_spring(Assembly *assembly, Field *field, const Edge *edge, double stiffness, double relaxation)
{
	double parameter[FORCE_MOST_PARAMETERS];
	double length = vec3_distance(rest_of(assembly, edge->v[0]), rest_of(assembly, edge->v[1]));
	force_spring_parameters(parameter, stiffness, length, relaxation);
	add(assembly, field, edge->v, parameter);
}

/* The area of the triangles at each side of a body, by side: keyed by its two vertices. */
static GHashTable *areas_at_sides(const Assembly *assembly, const Triangle *triangle, uint32_t n)
{
	GHashTable *areas = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	for (uint32_t t = 0; t < n; t++) {
		double area = rest_area(assembly, triangle[t].v);
		for (int c = 0; c < 3; c++) {
			uint32_t a = triangle[t].v[c], b = triangle[t].v[(c + 1) % 3];
			gint64 key = ((gint64)MIN(a, b) << 32) | MAX(a, b);
			double *sum = g_hash_table_lookup(areas, &key);
			if (sum == NULL) {
				sum = g_new0(double, 1);
				g_hash_table_insert(areas, g_memdup2(&key, sizeof key), sum);
			}
			*sum += area;
		}
	}
	return areas;
}

static void add_side_springs(
    Assembly *assembly, Field *field, const Body *body, const Triangle *triangle, const GArray *sides)
{
	const Material *material = body->material;
	g_autoptr(GHashTable) areas =
	    material->spring_stiffness > 0.0 ? NULL : areas_at_sides(assembly, triangle, body->n_triangles);
	for (guint i = 0; i < sides->len; i++) {
		const Edge *side = &g_array_index(sides, Edge, i);
		double stiffness = material->spring_stiffness;
		if (areas != NULL) {
			gint64 key = ((gint64)side->v[0] << 32) | side->v[1];
			double length = vec3_distance(rest_of(assembly, side->v[0]), rest_of(assembly, side->v[1]));
			stiffness = spring_from_membrane(
			    material, *(double *)g_hash_table_lookup(areas, &key), length);
		}
		if (stiffness > 0.0)
			add_spring(assembly, field, side, stiffness, material->stretch_damping);
	}
}

static void add_triangles(Assembly *assembly, Field *field, const Body *body, const Triangle *triangle)
{
	const Material *material = body->material;
	StvkMaterial stvk = {material->membrane, material->poisson, material->stretch_damping, material->max_strain};
	for (uint32_t t = 0; t < body->n_triangles && stvk.membrane > 0.0; t++) {
		double parameter[FORCE_MOST_PARAMETERS];
		Vec3 rest[3];
		for (int c = 0; c < 3; c++)
			rest[c] = rest_of(assembly, triangle[t].v[c]);
		force_stvk_parameters(parameter, &stvk, rest);
		add(assembly, field, triangle[t].v, parameter);
	}
}

static void add_hinges(Assembly *assembly, Field *field, const Body *body, const GArray *hinges)
{
	const Material *material = body->material;
	for (guint i = 0; i < hinges->len && material->bend_stiffness > 0.0; i++) {
		double parameter[FORCE_MOST_PARAMETERS];
		Vec3 rest[4];
		const HingeStencil *hinge = &g_array_index(hinges, HingeStencil, i);
		for (int c = 0; c < 4; c++)
			rest[c] = rest_of(assembly, hinge->v[c]);
		force_hinge_parameters(parameter, material->bend_stiffness, material->bend_damping, rest);
		add(assembly, field, hinge->v, parameter);
	}
}

static void add_loose_edges(Assembly *assembly, Field *field, const Body *body)
{
	const Material *material = body->material;
	for (uint32_t i = 0; i < body->n_edges; i++) {
		const Edge *edge = &g_array_index(assembly->world->edge, Edge, body->first_edge + i);
		double length = vec3_distance(rest_of(assembly, edge->v[0]), rest_of(assembly, edge->v[1]));
		double stiffness =
		    material->line_stiffness > 0.0 ? material->line_stiffness / length : material->spring_stiffness;
		if (stiffness > 0.0)
			add_spring(assembly, field, edge, stiffness, material->stretch_damping);
	}
}

static void assemble_shells(Assembly *assembly)
{
	Field *springs = field_new(&force_spring), *triangles = field_new(&force_stvk), *bends = field_new(&force_hinge);
	for (guint b = 0; b < assembly->world->bodies->len; b++) {
		const Body *body = assembly->world->bodies->pdata[b];
		const Triangle *triangle = (const Triangle *)(void *)assembly->world->triangle->data + body->first_triangle;
		g_autoptr(GArray) sides = g_array_new(FALSE, FALSE, sizeof(Edge));
		g_autoptr(GArray) hinges = g_array_new(FALSE, FALSE, sizeof(HingeStencil));
		topology_find(triangle, body->n_triangles, sides, hinges);
		if (body->material->stretch_model == STRETCH_SPRINGS)
			add_side_springs(assembly, springs, body, triangle, sides);
		else
			add_triangles(assembly, triangles, body, triangle);
		add_loose_edges(assembly, springs, body);
		add_hinges(assembly, bends, body, hinges);
	}
	keep(assembly, springs);
	keep(assembly, triangles);
	keep(assembly, bends);
}

static void assemble_gravity_and_drag(Assembly *assembly)
{
	const World *world = assembly->world;
	Field *gravity = field_new(&force_gravity), *drag = field_new(&force_mass_damping);
	for (guint b = 0; b < world->bodies->len; b++) {
		const Body *body = world->bodies->pdata[b];
		for (uint32_t i = body->first_vertex; i < body->first_vertex + body->n_vertices; i++) {
			double parameter[FORCE_MOST_PARAMETERS];
			double mass = g_array_index(world->mass, double, i);
			if (!vec3_is_zero(world->gravity)) {
				force_body_vector(parameter, vec3_scale(mass, world->gravity));
				add(assembly, gravity, &i, parameter);
			}
			if (body->material->mass_damping > 0.0) {
				force_body_damping(parameter, body->material->mass_damping, mass);
				add(assembly, drag, &i, parameter);
			}
		}
	}
	keep(assembly, gravity);
	keep(assembly, drag);
}

static void add_surface_load(Assembly *assembly, Field *field, const Load *load, const Body *body)
{
	for (uint32_t i = 0; i < body->n_triangles; i++) {
		double parameter[FORCE_MOST_PARAMETERS];
		const uint32_t *v = g_array_index(assembly->world->triangle, Triangle, body->first_triangle + i).v;
		if (load->kind == LOAD_PRESSURE)
			force_surface_pressure(parameter, load->pressure);
		else
			force_surface_wind(parameter, load->air_density, load->drag, load->friction,
			    body->material->areal_density * rest_area(assembly, v), load->force);
		add(assembly, field, v, parameter);
	}
}

static void assemble_load(Assembly *assembly, const Load *load)
{
	static const ForceClass *const class_of[] = {
	    [LOAD_FORCE] = &force_load, [LOAD_PRESSURE] = &force_pressure, [LOAD_WIND] = &force_wind};
	Field *field = field_new(class_of[load->kind]);
	if (load->profile != NULL)
		field->profile =
		    profile_new(load->profile->n, load->profile->time, load->profile->value, load->profile->smooth);
	for (guint i = 0; load->kind == LOAD_FORCE && i < load->vertices->len; i++) {
		double parameter[FORCE_MOST_PARAMETERS];
		force_body_vector(parameter, load->force);
		add(assembly, field, &g_array_index(load->vertices, uint32_t, i), parameter);
	}
	for (guint i = 0; load->kind != LOAD_FORCE && i < load->bodies->len; i++)
		add_surface_load(assembly, field, load,
		    assembly->world->bodies->pdata[g_array_index(load->bodies, uint32_t, i)]);
	keep(assembly, field);
}

GPtrArray *world_assemble(const World *world, const StepRule *rule, const Flight *flight)
{
	Assembly assembly = {world, flight, g_ptr_array_new_with_free_func((GDestroyNotify)field_free)};
	assemble_shells(&assembly);
	assemble_gravity_and_drag(&assembly);
	for (guint i = 0; i < world->loads->len; i++)
		assemble_load(&assembly, world->loads->pdata[i]);

	size_t n = world_vertex_count(world);
	g_autofree double *zeros = g_new0(double, 3 * n + 1);
	Spectrum spectrum = {zeros, zeros + n, zeros + 2 * n};
	for (guint i = 0; i < assembly.fields->len; i++)
		field_enter(assembly.fields->pdata[i], flight, (const Vec3 *)(void *)world->rest->data, &spectrum, n);
	double least = INFINITY;
	for (guint i = 0; i < assembly.fields->len; i++)
		least = fmin(least, field_find_steps(assembly.fields->pdata[i], rule, &spectrum));
	for (guint i = 0; i < assembly.fields->len; i++)
		field_seal(assembly.fields->pdata[i], rule, least, flight);
	return assembly.fields;
}

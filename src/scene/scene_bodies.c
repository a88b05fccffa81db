#include "core/error.h"
#include "core/random.h"
#include "core/real.h"
#include "io/obj.h"
#include "scene/generate.h"
#include "scene/scene_private.h"
#include <string.h>

static const Material *find_material(const Scene *scene, Reader *reader)
{
	const char *name = reader_string(reader, "material", READER_REQUIRED_STRING);
	g_autoptr(GString) known = g_string_new(NULL);
	for (guint i = 0; i < scene->world->materials->len; i++) {
		const Material *material = scene->world->materials->pdata[i];
		if (g_str_equal(material->name, name))
			return material;
		g_string_append_printf(known, "%s\"%s\"", known->len ? ", " : "", material->name);
	}
	reader_fail(reader, "material", "there is no material \"%s\"; there is %s", name, known->str);
	return NULL;
}

static void keep(Scene *scene, const char *name, const char *data, size_t length)
{
	SceneFile *file = g_new0(SceneFile, 1);
	file->name = g_strdup(name);
	file->data = g_memdup2(data, length);
	file->length = length;
	g_ptr_array_add(scene->files, file);
}

/* The next file of the copy that the scene is loaded from, if it goes by this name. */
static const SceneFile *find_copied(const Scene *scene, const char *name)
{
	guint next = scene->files->len;
	if (scene->copy == NULL || next >= scene->copy->n_files)
		return NULL;
	g_autofree char *valid = g_utf8_make_valid(name, -1); /* as archives have it */
	return g_str_equal(scene->copy->files[next].name, valid) ? &scene->copy->files[next] : NULL;
}

Shape *scene_read_mesh(Scene *scene, const char *path, GError **error)
{
	g_autofree char *name = g_path_get_basename(path), *data = NULL;
	gsize length = 0;
	const SceneFile *copied = find_copied(scene, name);
	Shape *shape = copied ? obj_parse(path, copied->data, copied->length, error) : obj_read(path, error);
	if (shape == NULL)
		return NULL;
	if (copied != NULL)
		keep(scene, name, copied->data, copied->length);
	else if (g_file_get_contents(path, &data, &length, NULL))
		keep(scene, name, data, length);
	return shape;
}

static Shape *read_file(Scene *scene, Reader *reader)
{
	GError *error = NULL;
	g_autofree char *path = reader_file(reader, "file", true);
	g_autofree char *rest_path = reader_file(reader, "rest_file", false);
	if (!reader_ok(reader))
		return NULL;
	g_autoptr(Shape) shape = scene_read_mesh(scene, path, &error);
	if (shape != NULL && rest_path != NULL) {
		g_autoptr(Shape) rest = scene_read_mesh(scene, rest_path, &error);
		if (rest != NULL)
			obj_take_rest(shape, rest, rest_path, &error);
	}
	if (error != NULL) {
		reader_take_error(reader, error);
		return NULL;
	}
	return g_steal_pointer(&shape);
}

static Shape *generate(Reader *reader)
{
	const char *name = reader_string(reader, "generate", READER_REQUIRED_STRING);
	GenerateFunction *function = generate_find(name);
	if (function == NULL) {
		g_autofree char *names = g_strjoinv("\", \"", (char **)generate_names());
		reader_fail(reader, "generate", "there is no generator \"%s\"; expected one of \"%s\"", name, names);
		return NULL;
	}
	Shape *shape = shape_new();
	function(reader, shape);
	return shape;
}

static Vec3 rotated(Vec3 x, Vec3 axis, double angle)
{
	Vec3 along = vec3_scale(vec3_dot(x, axis), axis);
	Vec3 across = vec3_sub(x, along);
	Vec3 turned = vec3_madd(vec3_scale(real_cos(angle), across), real_sin(angle), vec3_cross(axis, across));
	return vec3_add(along, turned);
}

static void rotate_points(GArray *points, Vec3 axis, double angle)
{
	for (guint i = 0; i < points->len; i++)
		g_array_index(points, Vec3, i) = rotated(g_array_index(points, Vec3, i), axis, angle);
}

static void scale_and_move(GArray *points, double scale, Vec3 shift)
{
	for (guint i = 0; i < points->len; i++)
		g_array_index(points, Vec3, i) = vec3_madd(shift, scale, g_array_index(points, Vec3, i));
}

void scene_place(Shape *shape, Reader *reader)
{
	double scale = reader_positive(reader, "scale", 1.0);
	scale_and_move(shape->position, scale, vec3(0, 0, 0));
	scale_and_move(shape->rest, scale, vec3(0, 0, 0));
	GPtrArray *turns = reader_children(reader, "rotate");
	for (guint i = 0; i < turns->len; i++) {
		Reader *turn = turns->pdata[i];
		Vec3 axis = reader_vec3(turn, "axis", READER_REQUIRED_VEC3);
		double angle = reader_range(turn, "angle", READER_REQUIRED, -1e6, 1e6) * (REAL_PI / 180.0);
		if (vec3_is_zero(axis))
			reader_fail(turn, "axis", "expected a direction, got three zeros");
		rotate_points(shape->position, vec3_unit(axis), angle);
		rotate_points(shape->rest, vec3_unit(axis), angle);
	}
	g_ptr_array_unref(turns);
	Vec3 shift = reader_vec3(reader, "at", vec3(0, 0, 0));
	scale_and_move(shape->position, 1.0, shift);
	scale_and_move(shape->rest, 1.0, shift);
}

/* Initial velocities: a translation and a spin about the centre of mass. */
static void set_moving(World *world, const Body *body, Reader *reader)
{
	Vec3 velocity = reader_vec3(reader, "velocity", vec3(0, 0, 0)), spin = reader_vec3(reader, "spin", vec3(0, 0, 0));
	Vec3 centre = vec3(0, 0, 0);
	double mass = 0.0;
	for (uint32_t i = body->first_vertex; i < body->first_vertex + body->n_vertices; i++) {
		double m = g_array_index(world->mass, double, i);
		centre = vec3_madd(centre, m, g_array_index(world->position, Vec3, i));
		mass += m;
	}
	centre = vec3_scale(mass > 0.0 ? 1.0 / mass : 0.0, centre);
	for (uint32_t i = body->first_vertex; i < body->first_vertex + body->n_vertices; i++) {
		Vec3 arm = vec3_sub(g_array_index(world->position, Vec3, i), centre);
		g_array_index(world->velocity, Vec3, i) = vec3_add(velocity, vec3_cross(spin, arm));
	}
}

/* Adds to each vertex a velocity of its own, evenly spread between -most and most along each axis. */
static void shake(World *world, const Body *body, Reader *reader)
{
	if (!reader_has(reader, "random_velocity"))
		return;
	Vec3 most = reader_vec3(reader, "random_velocity", vec3(0, 0, 0));
	/* Not the same numbers as those that moved particles from their lattice. */
	uint64_t state = ~(uint64_t)reader_integer(reader, "seed", 1, 0, INT64_MAX);
	for (uint32_t i = body->first_vertex; i < body->first_vertex + body->n_vertices; i++) {
		Vec3 *velocity = &g_array_index(world->velocity, Vec3, i);
		velocity->x += most.x * (2.0 * random_unit(&state) - 1.0);
		velocity->y += most.y * (2.0 * random_unit(&state) - 1.0);
		velocity->z += most.z * (2.0 * random_unit(&state) - 1.0);
	}
}

/* A vertex needs mass from its material, whatever element it gets it from. */
static bool has_density(Reader *reader, const Material *material, const Shape *shape)
{
	const char *missing = NULL;
	if (shape->triangle->len > 0 && material->areal_density == 0.0)
		missing = "density";
	else if (shape->edge->len > 0 && material->line_density == 0.0)
		missing = "line_density";
	else if (shape->particle->len > 0 && material->particle_mass == 0.0)
		missing = "particle_mass";
	if (missing != NULL)
		reader_fail(reader, "material", "the material \"%s\" has no \"%s\", which this body needs", material->name,
		    missing);
	return missing == NULL;
}

/* The script of a sequence moves all of the body. */
static void take_script(Scene *scene, Reader *reader, const Body *body, Script *script)
{
	g_ptr_array_add(scene->world->scripts, script);
	script->vertex = g_new(uint32_t, body->n_vertices);
	for (uint32_t i = 0; i < body->n_vertices; i++)
		script->vertex[i] = body->first_vertex + i;
	memset(&g_array_index(scene->world->held, uint8_t, body->first_vertex), HELD_SCRIPTED, body->n_vertices);
	if (reader_boolean(reader, "pinned", false))
		reader_fail(reader, "pinned", "the body is moved by its \"sequence\"; it cannot be pinned as well");
}

static void read_body(Scene *scene, Reader *reader, guint index, double script_step)
{
	World *world = scene->world;
	g_autofree char *default_name = g_strdup_printf("mesh%u", index);
	const char *name = reader_string(reader, "name", default_name);
	if (world_find_body(world, name) != NULL)
		reader_fail(reader, "name", "there is a body \"%s\" already", name);
	if (name[0] == '\0' || strchr(name, '.') != NULL)
		reader_fail(reader, "name", "expected a name without dots, got \"%s\"", name);
	bool from_file = reader_has(reader, "file"), from_sequence = reader_has(reader, "sequence");
	if (from_file + from_sequence + reader_has(reader, "generate") != 1) {
		reader_fail(reader, NULL, "expected one of \"generate\", \"file\" and \"sequence\"");
		return;
	}
	const Material *material = find_material(scene, reader);
	g_autoptr(Shape) shape = NULL;
	g_autoptr(Script) script = NULL;
	if (from_sequence)
		script = scene_read_sequence(scene, reader, script_step, &shape);
	else
		shape = from_file ? read_file(scene, reader) : generate(reader);
	if (!reader_ok(reader) || material == NULL || shape == NULL)
		return;
	if (!from_sequence)
		scene_place(shape, reader);
	g_autofree char *path = reader_path(reader, NULL);
	g_autofree char *file = from_file ? reader_file(reader, "file", true) : NULL;
	g_autofree char *where = from_file ? g_strdup(file) : g_strdup_printf("%s: %s", scene->name, path);
	GError *error = NULL;
	if (!shape_check(shape, where, &error)) {
		reader_take_error(reader, error);
		return;
	}
	shape_name_boundary(shape);
	if (!has_density(reader, material, shape))
		return;
	Body *body = world_add_body(world, name, material, shape);
	body->thickness = reader_nonnegative(reader, "thickness", 0.0);
	body->no_self = !reader_boolean(reader, "self", true);
	set_moving(world, body, reader);
	shake(world, body, reader);
	if (script != NULL)
		take_script(scene, reader, body, g_steal_pointer(&script));
	else if (reader_boolean(reader, "pinned", false))
		memset(&g_array_index(world->held, uint8_t, body->first_vertex), HELD_PINNED, body->n_vertices);
}

void scene_read_bodies(Scene *scene, Reader *root, double script_step)
{
	GPtrArray *readers = reader_children(root, "meshes");
	for (guint i = 0; i < readers->len && reader_ok(root); i++)
		read_body(scene, readers->pdata[i], i, script_step);
	if (readers->len == 0)
		reader_fail(root, "meshes", "missing or empty; expected a list of at least one body");
	g_ptr_array_unref(readers);
}

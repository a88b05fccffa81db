/* Pins, loads and scripts. */
#include "contact/distance.h"
#include "core/real.h"
#include "scene/scene_private.h"
#include <string.h>

static const char *const interpolations[] = {"linear", "smooth", NULL};
enum { SMOOTH = 1 };

/* Marks the vertices as held; a vertex can be held only once. */
static void hold(Scene *scene, Reader *reader, const char *key, const GArray *set, Held how)
{
	World *world = scene->world;
	for (guint i = 0; i < set->len; i++) {
		uint32_t vertex = g_array_index(set, uint32_t, i);
		uint8_t *held = &g_array_index(world->held, uint8_t, vertex);
		if (*held != HELD_NOT && (how == HELD_SCRIPTED || *held != HELD_PINNED))
			reader_fail(reader, key, "vertex %u of the body \"%s\" is %s already",
			    vertex - world_find_body(world, world_body_of(world, vertex))->first_vertex,
			    world_body_of(world, vertex), *held == HELD_PINNED ? "pinned" : "scripted");
		*held = (uint8_t)how;
	}
}

void scene_read_pins(Scene *scene, Reader *root, GHashTable *sets)
{
	g_auto(GStrv) names = reader_strings(root, "pins");
	for (char **name = names; name && *name; name++) {
		g_autoptr(GArray) set = scene_find_set(scene, sets, root, "pins", *name);
		if (set == NULL)
			continue;
		hold(scene, root, "pins", set, HELD_PINNED);
		world_add_end(scene->world, *name, set);
	}
}

static bool ascending(const GArray *times)
{
	for (guint i = 1; i < times->len; i++)
		if (!(g_array_index(times, double, i) > g_array_index(times, double, i - 1)))
			return false;
	return true;
}

static Profile *read_profile(Reader *load)
{
	Reader *reader = reader_child(load, "profile");
	if (reader == NULL)
		return NULL;
	Profile *profile = NULL;
	g_autoptr(GArray) times = reader_numbers(reader, "times", 0);
	g_autoptr(GArray) factors = reader_numbers(reader, "factors", 0);
	bool smooth = reader_choice(reader, "interpolation", 0, interpolations) == SMOOTH;
	if (times == NULL || factors == NULL || times->len == 0 || times->len != factors->len)
		reader_fail(reader, NULL, "expected \"times\" and \"factors\", two lists of the same length");
	else if (!ascending(times))
		reader_fail(reader, "times", "expected times in ascending order");
	else
		profile = profile_new(times->len, (double *)(void *)times->data, (double *)(void *)factors->data, smooth);
	reader_close(reader);
	return profile;
}

static void read_vertex_force(Scene *scene, Reader *reader, GHashTable *sets, Load *load)
{
	static const char *const shares[] = {"vertex", "total", NULL};
	const char *name = reader_string(reader, "set", READER_REQUIRED_STRING);
	load->kind = LOAD_FORCE;
	load->force = reader_vec3(reader, "force", READER_REQUIRED_VEC3);
	load->vertices = reader_ok(reader) ? scene_find_set(scene, sets, reader, "set", name) : NULL;
	if (load->vertices == NULL)
		load->vertices = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	else
		world_add_end(scene->world, name, load->vertices);
	if (load->vertices->len > 0 && reader_choice(reader, "per", 1, shares) == 1)
		load->force = vec3_scale(1.0 / load->vertices->len, load->force);
}

static void read_load_bodies(const Scene *scene, Reader *reader, Load *load)
{
	g_auto(GStrv) names = reader_strings(reader, "bodies");
	load->bodies = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	for (uint32_t i = 0; i < scene->world->bodies->len; i++) {
		const Body *body = scene->world->bodies->pdata[i];
		if (names == NULL || g_strv_contains((const char *const *)names, body->name))
			g_array_append_val(load->bodies, i);
	}
	for (char **name = names; name && *name; name++)
		if (world_find_body(scene->world, *name) == NULL)
			reader_fail(reader, "bodies", "there is no body \"%s\"", *name);
}

static void read_load(Scene *scene, Reader *reader, GHashTable *sets)
{
	Load *load = g_new0(Load, 1);
	g_ptr_array_add(scene->world->loads, load);
	int kinds = reader_has(reader, "force") + reader_has(reader, "pressure") + reader_has(reader, "wind");
	if (kinds != 1)
		reader_fail(reader, NULL, "expected one of \"force\", \"pressure\" or \"wind\"");
	load->profile = read_profile(reader);
	if (reader_has(reader, "pressure")) {
		load->kind = LOAD_PRESSURE;
		load->pressure = reader_number(reader, "pressure", READER_REQUIRED);
		read_load_bodies(scene, reader, load);
	} else if (reader_has(reader, "wind")) {
		load->kind = LOAD_WIND;
		load->force = reader_vec3(reader, "wind", READER_REQUIRED_VEC3);
		/* Air at sea level: 1.2 kg/m^3. */
		load->air_density =
		    reader_nonnegative(reader, "air_density", scene->world->units == &units_si ? 1.2 : 0.0012);
		load->drag = reader_nonnegative(reader, "drag", 1.2);
		load->friction = reader_nonnegative(reader, "friction", 0.05);
		read_load_bodies(scene, reader, load);
	} else {
		read_vertex_force(scene, reader, sets, load);
	}
}

void scene_read_loads(Scene *scene, Reader *root, GHashTable *sets)
{
	GPtrArray *readers = reader_children(root, "loads");
	for (guint i = 0; i < readers->len && reader_ok(root); i++)
		read_load(scene, readers->pdata[i], sets);
	g_ptr_array_unref(readers);
}

/* The keyframes, behind one at time zero that leaves everything where it is. */
static void read_keyframes(Script *script, Reader *reader)
{
	GPtrArray *keys = reader_children(reader, "keyframes");
	if (keys->len == 0)
		reader_fail(reader, "keyframes", "missing or empty; expected a list of at least one keyframe");
	size_t n = keys->len + 1u;
	script->time = g_new0(double, n);
	script->translate = g_new0(Vec3, n);
	script->angle = g_new0(double, n);
	script->n_keys = 1;
	for (guint i = 0; i < keys->len; i++) {
		Reader *key = keys->pdata[i];
		double time = reader_nonnegative(key, "time", READER_REQUIRED);
		Vec3 translate = reader_vec3(key, "translate", vec3(0, 0, 0));
		double angle = reader_range(key, "rotate", 0.0, -1e6, 1e6) * (REAL_PI / 180.0);
		size_t last = script->n_keys - 1;
		if (i == 0 && time == 0.0) {
			if (!vec3_is_zero(translate) || angle != 0.0)
				reader_fail(key, NULL, "at time 0 nothing may be moved yet: bodies would jump (use \"at\")");
			continue;
		}
		if (!(time > script->time[last]))
			reader_fail(key, "time", "expected keyframes in ascending order of time");
		script->time[last + 1] = time;
		script->translate[last + 1] = translate;
		script->angle[last + 1] = angle;
		script->n_keys++;
	}
	if (script->n_keys < 2)
		reader_fail(reader, "keyframes", "expected a keyframe after time 0");
	g_ptr_array_unref(keys);
}

static void read_script(Scene *scene, Reader *reader, GHashTable *sets, double default_step)
{
	Script *script = g_new0(Script, 1);
	g_ptr_array_add(scene->world->scripts, script);
	const char *name = reader_string(reader, "set", READER_REQUIRED_STRING);
	g_autoptr(GArray) set = reader_ok(reader) ? scene_find_set(scene, sets, reader, "set", name) : NULL;
	script->clock.step = clock_bin(reader_positive(reader, "step", default_step));
	script->smooth = reader_choice(reader, "interpolation", SMOOTH, interpolations) == SMOOTH;
	Vec3 axis = reader_vec3(reader, "axis", vec3(0, 1, 0));
	if (vec3_is_zero(axis))
		reader_fail(reader, "axis", "expected a direction, got three zeros");
	script->axis = vec3_unit(axis);
	script->centre = reader_vec3(reader, "centre", vec3(0, 0, 0));
	read_keyframes(script, reader);
	if (!reader_ok(reader) || set == NULL)
		return;
	hold(scene, reader, "set", set, HELD_SCRIPTED);
	world_add_end(scene->world, name, set);
	script->n_vertices = set->len;
	script->vertex = g_memdup2(set->data, set->len * sizeof(uint32_t));
	script->home = g_new(Vec3, set->len);
	for (guint i = 0; i < set->len; i++)
		script->home[i] = g_array_index(scene->world->position, Vec3, script->vertex[i]);
}

/* The script that moves all of a body by itself; NULL: there is none. */
static const Script *leader_of(const World *world, const Body *body)
{
	for (guint s = 0; s < world->scripts->len; s++) {
		const Script *script = world->scripts->pdata[s];
		size_t own = 0;
		for (size_t i = 0; i < script->n_vertices; i++)
			own += script->vertex[i] - body->first_vertex < body->n_vertices;
		if (own == body->n_vertices && script->leader == NULL)
			return script;
	}
	return NULL;
}

/* By vertex of the body, its place among those of the script. */
static uint32_t *places_in(const Script *script, const Body *body)
{
	uint32_t *place = g_new0(uint32_t, body->n_vertices);
	for (size_t i = 0; i < script->n_vertices; i++)
		if (script->vertex[i] - body->first_vertex < body->n_vertices)
			place[script->vertex[i] - body->first_vertex] = (uint32_t)i;
	return place;
}

/* The closest triangle of a body at time zero, the first where several are. */
static const Triangle *closest_triangle(const World *world, const Body *body, Vec3 point)
{
	const Triangle *closest = NULL;
	double least = INFINITY;
	for (uint32_t t = body->first_triangle; t < body->first_triangle + body->n_triangles; t++) {
		const Triangle *triangle = &g_array_index(world->triangle, Triangle, t);
		Vec3 x[4] = {point};
		for (int c = 0; c < 3; c++)
			x[1 + c] = g_array_index(world->position, Vec3, triangle->v[c]);
		double distance = distance_closest(PAIR_VERTEX_TRIANGLE, x).distance;
		if (distance < least) {
			least = distance;
			closest = triangle;
		}
	}
	return closest;
}

static void hold_to(const World *world, Script *script, const Body *body)
{
	g_autofree uint32_t *place = places_in(script->leader, body);
	script->hold = g_new0(ScriptHold, script->n_vertices);
	for (size_t i = 0; i < script->n_vertices; i++) {
		Vec3 point = g_array_index(world->position, Vec3, script->vertex[i]), x[3];
		const Triangle *triangle = closest_triangle(world, body, point);
		for (int c = 0; c < 3; c++)
			x[c] = g_array_index(world->position, Vec3, triangle->v[c]);
		script->hold[i] = script_hold(x, point);
		for (int c = 0; c < 3; c++)
			script->hold[i].corner[c] = place[triangle->v[c] - body->first_vertex];
	}
}

/* Vertices that go with a body as if they were glued to it. */
static void read_follower(Scene *scene, Reader *reader, GHashTable *sets)
{
	World *world = scene->world;
	const char *name = reader_string(reader, "set", READER_REQUIRED_STRING);
	const char *follow = reader_string(reader, "follow", READER_REQUIRED_STRING);
	g_autoptr(GArray) set = reader_ok(reader) ? scene_find_set(scene, sets, reader, "set", name) : NULL;
	if (set == NULL)
		return;
	const Body *body = world_find_body(world, follow);
	const Script *leader = body ? leader_of(world, body) : NULL;
	if (body == NULL)
		reader_fail(reader, "follow", "there is no body \"%s\"", follow);
	else if (body->n_triangles == 0)
		reader_fail(reader, "follow", "the body \"%s\" has no triangles to follow", follow);
	else if (leader == NULL)
		reader_fail(reader, "follow",
		    "expected a body that has a \"sequence\" or that a script above moves as a whole; \"%s\" is not", follow);
	if (!reader_ok(reader))
		return;
	hold(scene, reader, "set", set, HELD_SCRIPTED);
	world_add_end(world, name, set);
	Script *script = g_new0(Script, 1);
	g_ptr_array_add(world->scripts, script);
	script->clock.step = leader->clock.step; /* so that it is where the leader is at each of its ticks */
	script->leader = leader;
	script->n_keys = leader->n_keys;
	script->time = g_memdup2(leader->time, leader->n_keys * sizeof(double));
	script->n_vertices = set->len;
	script->vertex = g_memdup2(set->data, set->len * sizeof(uint32_t));
	hold_to(world, script, body);
}

/* A body, or several, that are taken away. */
static void read_removal(Scene *scene, Reader *reader)
{
	double time = reader_positive(reader, "remove_at", READER_REQUIRED);
	g_auto(GStrv) names = reader_strings(reader, "body");
	if (names == NULL || names[0] == NULL)
		reader_fail(reader, "body", "missing; expected the name of the body that is removed");
	for (char **name = names; name && *name; name++) {
		Body *body = world_find_body(scene->world, *name);
		if (body == NULL)
			reader_fail(reader, "body", "there is no body \"%s\"", *name);
		else if (body->remove_at < INFINITY)
			reader_fail(reader, "body", "\"%s\" is removed already, at %g s", *name, body->remove_at);
		else
			body->remove_at = time;
	}
}

void scene_read_scripts(Scene *scene, Reader *root, GHashTable *sets, double default_step)
{
	GPtrArray *readers = reader_children(root, "scripts");
	for (guint i = 0; i < readers->len && reader_ok(root); i++)
		if (reader_has(readers->pdata[i], "remove_at"))
			read_removal(scene, readers->pdata[i]);
		else if (reader_has(readers->pdata[i], "follow"))
			read_follower(scene, readers->pdata[i], sets);
		else
			read_script(scene, readers->pdata[i], sets, default_step);
	g_ptr_array_unref(readers);
}

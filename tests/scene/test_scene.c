/* Scenes: every key ends up in the world as docs/scene-format.md says. */
#include "core/real.h"
#include "scene/scene.h"
#include <cinch/cinch.h>
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static char *directory;

static void set_up(void)
{
	directory = g_dir_make_tmp("cinch-scene-XXXXXX", NULL);
	cr_assert_not_null(directory);
}

static void tear_down(void)
{
	GDir *listing = g_dir_open(directory, 0, NULL);
	for (const char *name = g_dir_read_name(listing); name; name = g_dir_read_name(listing)) {
		g_autofree char *path = g_build_filename(directory, name, NULL);
		g_remove(path);
	}
	g_dir_close(listing);
	g_rmdir(directory);
	g_free(directory);
}

TestSuite(scene, .init = set_up, .fini = tear_down);

static char *write_file(const char *name, const char *text)
{
	char *path = g_build_filename(directory, name, NULL);
	cr_assert(g_file_set_contents(path, text, -1, NULL));
	return path;
}

/* Loads a scene whose text has `more` keys besides units, a second of time and two materials. */
static Scene *load_more(const char *more, GError **error)
{
	g_autofree char *text = g_strdup_printf("{'units': 'si', 'time': {'end': 1}, 'materials': {"
	                                        " 'm': {'stretch_stiffness': 10, 'density': 0.5, 'line_density': 0.25,"
	                                        "       'particle_mass': 0.125},"
	                                        " 'other': {'density': 2}}, %s}",
	    more);
	g_autofree char *path = write_file("scene.json", text);
	return scene_load(path, NULL, error);
}

static Scene *load(const char *more)
{
	GError *error = NULL;
	Scene *scene = load_more(more, &error);
	cr_assert_not_null(scene, "%s: %s", more, error ? error->message : "");
	return scene;
}

/* A sheet of 3 x 2 cells and 12 vertices, 3 wide and 2 high, with further keys of its own and of the scene. */
static Scene *load_sheet(const char *mesh_keys, const char *scene_keys)
{
	g_autofree char *more = g_strdup_printf("'meshes': [{'name': 'cloth', 'generate': 'sheet', 'size': [3, 2],"
	                                        " 'cells': [3, 2], 'material': 'm' %s}] %s",
	    mesh_keys, scene_keys);
	return load(more);
}

static void expect_message(const char *more, const char *message)
{
	g_autoptr(GError) error = NULL;
	cr_assert_null(load_more(more, &error), "expected: %s", message);
	cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_INPUT));
	g_autofree char *full = g_strdup_printf("%s/scene.json: %s", directory, message);
	cr_assert_str_eq(error->message, full, "%s\ninstead of\n%s", error->message, full);
}

static Vec3 position(const Scene *scene, uint32_t vertex)
{
	return g_array_index(scene->world->position, Vec3, vertex);
}

static void expect_close(double value, double expected, double tolerance)
{
	cr_assert(fabs(value - expected) <= tolerance, "%.17g instead of %.17g", value, expected);
}

static void expect_point(Vec3 x, double a, double b, double c)
{
	cr_assert(vec3_distance(x, vec3(a, b, c)) < 1e-14, "(%.17g %.17g %.17g) instead of (%g %g %g)", x.x, x.y, x.z,
	    a, b, c);
}

static double mass_of(const Scene *scene, const char *name)
{
	const Body *body = world_find_body(scene->world, name);
	cr_assert_not_null(body);
	double sum = 0.0;
	for (uint32_t i = 0; i < body->n_vertices; i++)
		sum += g_array_index(scene->world->mass, double, body->first_vertex + i);
	return sum;
}

/* One letter per vertex: "." free, "p" pinned, "s" scripted. */
static void expect_held(const Scene *scene, const char *letters)
{
	cr_assert_eq(scene->world->held->len, strlen(letters));
	for (guint i = 0; i < scene->world->held->len; i++) {
		char letter = ".ps"[g_array_index(scene->world->held, uint8_t, i)];
		cr_assert_eq(letter, letters[i], "vertex %u: '%c' in %s", i, letter, letters);
	}
}

Test(scene, defaults)
{
	static const char text[] =
	    "{\"units\": \"si\", // comment\n \"time\": {\"end\": 2}, \"materials\": {\"m\": {\"density\": 1}},\n"
	    "\"meshes\": [{\"generate\": \"sheet\", \"size\": [1, 1], \"material\": \"m\"}]}\n";
	g_autofree char *path = write_file("scene.json", text);
	g_autoptr(Scene) scene = scene_load(path, NULL, NULL);
	cr_assert_not_null(scene);
	cr_assert_str_eq(scene->name, path);
	cr_assert_str_eq(scene->title, "");
	cr_assert_str_eq(scene->source, text);
	cr_assert_eq(scene->files->len, 0);
	cr_assert_eq(scene->end, 2.0);
	cr_assert_eq(scene->frame, 1.0 / 60.0);
	cr_assert_eq(scene->rule.stepping, STEPPING_SUPER_ELEMENTS);
	cr_assert_eq(scene->rule.safety, 0.3);
	cr_assert_eq(scene->rule.load_step, 1.0 / 1024.0);
	cr_assert_eq(scene->rule.most_step, 1.0 / 128.0);
	const World *world = scene->world;
	cr_assert_eq(world->units, &units_si);
	expect_point(world->gravity, 0, -9.80665, 0);
	cr_assert_eq(world->bodies->len, 1);
	const Body *body = world->bodies->pdata[0];
	cr_assert_str_eq(body->name, "mesh0");
	cr_assert_str_eq(body->material->name, "m");
	cr_assert_eq(world_vertex_count(world), 121);
	cr_assert(world->loads->len == 0 && world->scripts->len == 0);
	for (uint32_t i = 0; i < 121; i++) {
		cr_assert(vec3_is_zero(g_array_index(world->velocity, Vec3, i)));
		cr_assert_eq(g_array_index(world->held, uint8_t, i), HELD_NOT);
	}
}

Test(scene, units_and_gravity)
{
	g_autofree char *path = write_file("scene.json",
	    "{'title': 'a title', 'units': 'cgs', 'time': {'end': 1}, 'materials': {'m': {'density': 1}},"
	    " 'meshes': [{'generate': 'sheet', 'size': [1, 1], 'material': 'm'}],"
	    " 'loads': [{'wind': [1, 2, 3]}]}");
	const char *const gravity[] = {"gravity=[1, 2, 3]", NULL};
	g_autoptr(Scene) cgs = scene_load(path, NULL, NULL), changed = scene_load(path, gravity, NULL);
	cr_assert_str_eq(cgs->title, "a title");
	cr_assert_eq(cgs->world->units, &units_cgs);
	expect_point(cgs->world->gravity, 0, -980.665, 0);
	cr_assert_eq(((const Load *)cgs->world->loads->pdata[0])->air_density, 0.0012);
	expect_point(changed->world->gravity, 1, 2, 3);
	/* The archive gets both: what was written, and what was run. */
	cr_assert_str_eq(changed->source, cgs->source);
	cr_assert_null(strstr(changed->source, "gravity"));
	cr_assert_not_null(strstr(changed->effective, "gravity"));
	g_autofree char *again = write_file("again.json", changed->effective);
	g_autoptr(Scene) reread = scene_load(again, NULL, NULL);
	expect_point(reread->world->gravity, 1, 2, 3);
}

Test(scene, time)
{
	g_autofree char *path =
	    write_file("scene.json", "{'units': 'si', 'materials': {'m': {'density': 1}},"
	                             " 'time': {'end': 3, 'frame': 0.25, 'stepping': 'elements',"
	                             "          'safety': 0.7, 'load_step': 0.125, 'max_step': 0.5},"
	                             " 'meshes': [{'generate': 'sheet', 'size': [1, 1], 'material': 'm'}]}");
	g_autoptr(Scene) scene = scene_load(path, NULL, NULL);
	cr_assert(scene->end == 3.0 && scene->frame == 0.25);
	cr_assert_eq(scene->rule.stepping, STEPPING_ELEMENTS);
	cr_assert(scene->rule.safety == 0.7 && scene->rule.load_step == 0.125 && scene->rule.most_step == 0.5);
	const char *const short_frames[] = {"time={'end': 1, 'frame': 0.0001, 'stepping': 'global'}", NULL};
	g_autoptr(Scene) fine = scene_load(path, short_frames, NULL);
	cr_assert_eq(fine->rule.load_step, 0.0001); /* a load acts at least once per frame */
	cr_assert_eq(fine->rule.most_step, 1.0 / 128.0);
	cr_assert_eq(fine->rule.stepping, STEPPING_GLOBAL);
	const char *const slow_loads[] = {"time={'end': 1, 'load_step': 0.5}", NULL};
	g_autoptr(Scene) slow = scene_load(path, slow_loads, NULL);
	cr_assert_eq(slow->rule.most_step, 0.5);
}

Test(scene, frames)
{
	static const struct {
		double end, frame;
		uint64_t count;
	} cases[] = {{1.0, 0.25, 4}, {1.0, 0.3, 4}, {1.0, 0.1, 10}, {0.3, 0.1, 3}, {1.0, 5.0, 1},
	    {2.0, 1.0 / 60.0, 120}, {1.0, 1e-7, 10000000}, {1.0 + 1e-9, 0.5, 3}, {0.9, 0.03, 30}, {6.9, 0.03, 230}};
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		Scene scene = {.end = cases[i].end, .frame = cases[i].frame};
		uint64_t n = scene_frame_count(&scene);
		cr_assert_eq(n, cases[i].count, "%g by %g: %" G_GUINT64_FORMAT, cases[i].end, cases[i].frame, n);
		cr_assert_eq(scene_frame_time(&scene, 0), 0.0);
		cr_assert_eq(scene_frame_time(&scene, n), cases[i].end);
		cr_assert(n == 1 || scene_frame_time(&scene, 1) == cases[i].frame);
		cr_assert(scene_frame_time(&scene, n - 1) < cases[i].end);
	}
}

Test(scene, raw_materials)
{
	g_autoptr(Scene) scene = load("'meshes': [{'generate': 'sheet', 'size': [1, 1], 'material': 'm'}]");
	const Material *m = scene->world->materials->pdata[0];
	cr_assert_str_eq(m->name, "m");
	cr_assert_eq(m->stretch_model, STRETCH_SPRINGS);
	cr_assert(m->spring_stiffness == 10.0 && m->bend_stiffness == 0.0 && m->areal_density == 0.5);
	cr_assert(m->line_density == 0.25 && m->particle_mass == 0.125 && m->max_strain == 0.3);
	cr_assert(m->stretch_damping == 0.0 && m->bend_damping == 0.0 && m->mass_damping == 0.0);
	const Material *other = scene->world->materials->pdata[1];
	cr_assert(other->spring_stiffness == 0.0 && other->line_density == 0.0 && other->particle_mass == 0.0);

	g_autofree char *path = write_file("stvk.json",
	    "{'units': 'si', 'time': {'end': 1}, 'materials': {'m': {'stretch_stiffness': 3, 'stretch_model': 'stvk',"
	    " 'poisson': 0.25, 'density': 1, 'bend_stiffness': 0.5, 'stretch_damping': 0.1, 'bend_damping': 0.2,"
	    " 'mass_damping': 0.4, 'max_strain': 2}}, 'meshes': [{'generate': 'sheet', 'size': [1, 1], 'material': "
	    "'m'}]}");
	g_autoptr(Scene) stvk = scene_load(path, NULL, NULL);
	m = stvk->world->materials->pdata[0];
	cr_assert_eq(m->stretch_model, STRETCH_STVK);
	cr_assert(m->membrane == 3.0 && m->poisson == 0.25 && m->bend_stiffness == 0.5);
	cr_assert(
	    m->stretch_damping == 0.1 && m->bend_damping == 0.2 && m->mass_damping == 0.4 && m->max_strain == 2.0);
}

Test(scene, physical_materials)
{
	g_autofree char *path = write_file("scene.json",
	    "{'units': 'si', 'time': {'end': 1}, 'materials': {'m': {'young': 1e6, 'thickness': 1e-3, 'density': 500,"
	    " 'poisson': 0.5}}, 'meshes': [{'name': 'a', 'generate': 'sheet', 'size': [2, 3], 'material': 'm'},"
	    " {'name': 'b', 'generate': 'chain', 'from': [0, 0, 0], 'to': [0, 4, 0], 'links': 3, 'material': 'm'}]}");
	g_autoptr(Scene) scene = scene_load(path, NULL, NULL);
	const Material *m = scene->world->materials->pdata[0];
	double section = REAL_PI / 4.0 * 1e-6;
	cr_assert_eq(m->stretch_model, STRETCH_STVK);
	cr_assert_eq(m->spring_stiffness, 0.0);
	expect_close(m->membrane, 1000.0, 1e-12);
	cr_assert_eq(m->poisson, 0.5);
	expect_close(m->areal_density, 0.5, 1e-15);
	expect_close(m->line_stiffness, 1e6 * section, 1e-15);
	expect_close(m->line_density, 500 * section, 1e-18);
	expect_close(m->bend_stiffness, 1e6 * 1e-9 / 12.0 / 4.8, 1e-18); /* of a strip: see force_hinge.c */
	expect_close(mass_of(scene, "a"), 500 * 1e-3 * 6.0, 1e-14);
	expect_close(mass_of(scene, "b"), 500 * section * 4.0, 1e-17);
	const char *const springs[] = {"materials.m.stretch_model=springs", NULL};
	g_autoptr(Scene) other = scene_load(path, springs, NULL);
	cr_assert_eq(((const Material *)other->world->materials->pdata[0])->stretch_model, STRETCH_SPRINGS);
}

Test(scene, bodies_stand_one_after_another)
{
	g_autoptr(Scene) scene =
	    load("'meshes': [{'generate': 'sheet', 'size': [1, 1], 'cells': [1, 1], 'material': 'other'},"
	         " {'name': 'beads', 'generate': 'particles', 'positions': [[0, 0, 1], [0, 0, 2]],"
	         "  'material': 'm'},"
	         " {'generate': 'chain', 'points': [[0, 0, 0], [0, 3, 0]], 'material': 'm'},"
	         " {'generate': 'sheet', 'size': [2, 2], 'cells': [1, 1], 'material': 'm'}]");
	const World *world = scene->world;
	static const char *const names[] = {"mesh0", "beads", "mesh2", "mesh3"};
	static const uint32_t first[] = {0, 4, 6, 8, 12};
	static const double mass[] = {2.0, 0.25, 0.75, 2.0};
	for (guint i = 0; i < 4; i++) {
		const Body *body = world->bodies->pdata[i];
		cr_assert_str_eq(body->name, names[i]);
		cr_assert_eq(body->first_vertex, first[i]);
		cr_assert_eq(body->n_vertices, first[i + 1] - first[i]);
		expect_close(mass_of(scene, names[i]), mass[i], 1e-15);
	}
	cr_assert(world->triangle->len == 4 && world->edge->len == 1 && world->particle->len == 2);
	cr_assert_eq(g_array_index(world->triangle, Triangle, 2).v[0], 8);
	cr_assert_eq(g_array_index(world->edge, Edge, 0).v[1], 7);
	cr_assert_eq(g_array_index(world->particle, uint32_t, 1), 5);
	/* A third of each triangle: two corners of the sheet have both, two have one. */
	expect_close(g_array_index(world->mass, double, 0), 2.0 / 3.0, 1e-15);
	expect_close(g_array_index(world->mass, double, 1), 1.0 / 3.0, 1e-15);
}

/* Scaled, then turned about the origin, then shifted; the rest shape goes along, and masses are those of the scaled
 * one. */
Test(scene, placing)
{
	g_autoptr(Scene) scene =
	    load_sheet(", 'at': [10, 20, 30], 'scale': 2,"
	               " 'rotate': [{'axis': [0, 0, 5], 'angle': 90}, {'axis': [1, 0, 0], 'angle': 90}]",
	        "");
	/* (-1.5, -1, 0) * 2 = (-3, -2, 0), about z: (2, -3, 0), about x: (2, 0, -3). */
	expect_point(position(scene, 0), 12, 20, 27);
	expect_point(position(scene, 11), 8, 20, 33);
	for (uint32_t i = 0; i < 12; i++) {
		Vec3 rest = g_array_index(scene->world->rest, Vec3, i);
		expect_point(position(scene, i), rest.x, rest.y, rest.z);
	}
	expect_close(mass_of(scene, "cloth"), 0.5 * 24.0, 1e-14);
}

/* About the centre of mass, which of a cone is below its middle. */
Test(scene, velocity_and_spin)
{
	g_autoptr(Scene) scene =
	    load("'meshes': [{'generate': 'tube', 'radius': 2, 'radius2': 0.5, 'length': 3, 'cells': [4, 2],"
	         " 'material': 'm', 'at': [7, 0, 0], 'velocity': [1, 2, 3], 'spin': [0.5, -1, 2]}]");
	Vec3 momentum = vec3(0, 0, 0), middle = vec3(0, 0, 0);
	double mass = 0.0;
	for (uint32_t i = 0; i < 12; i++) {
		double m = g_array_index(scene->world->mass, double, i);
		momentum = vec3_madd(momentum, m, g_array_index(scene->world->velocity, Vec3, i));
		middle = vec3_madd(middle, m, position(scene, i));
		mass += m;
	}
	middle = vec3_scale(1.0 / mass, middle);
	cr_assert(middle.y < -0.1);
	expect_point(vec3_scale(1.0 / mass, momentum), 1, 2, 3); /* a spin about the centre has no momentum */
	for (uint32_t i = 0; i < 12; i++) {
		Vec3 v = g_array_index(scene->world->velocity, Vec3, i), x = vec3_sub(position(scene, i), middle);
		expect_point(v, 1 - x.z - 2 * x.y, 2 + 2 * x.x - 0.5 * x.z, 3 + 0.5 * x.y + x.x); /* spin x arm */
	}
}

/* Each axis is filled evenly, by numbers that the seed decides; they come on top of the common velocity. */
Test(scene, random_velocities)
{
	static const char beads[] = "'meshes': [{'generate': 'particles', 'size': [9, 9, 1], 'count': [30, 30, 1],"
	                            " 'material': 'm', 'velocity': [0, 0, 5], 'random_velocity': [2, 1, 0], 'seed': %d}]";
	g_autofree char *seven = g_strdup_printf(beads, 7), *eight = g_strdup_printf(beads, 8);
	g_autoptr(Scene) a = load(seven), again = load(seven), b = load(eight);
	const Vec3 *velocity = (const Vec3 *)(const void *)a->world->velocity->data;
	cr_assert_eq(memcmp(velocity, again->world->velocity->data, 900 * sizeof(Vec3)), 0);
	cr_assert_neq(memcmp(velocity, b->world->velocity->data, 900 * sizeof(Vec3)), 0);
	double sum = 0.0, squares = 0.0, product = 0.0;
	for (int i = 0; i < 900; i++) {
		cr_assert(fabs(velocity[i].x) <= 2.0 && fabs(velocity[i].y) <= 1.0 && velocity[i].z == 5.0);
		sum += velocity[i].x;
		squares += velocity[i].x * velocity[i].x;
		product += velocity[i].x * velocity[i].y;
	}
	/* Four standard deviations of the mean of 900. */
	expect_close(sum / 900, 0.0, 4.0 * 2.0 / sqrt(3.0) / 30.0);
	expect_close(squares / 900, 4.0 / 3.0, 4.0 * 4.0 * sqrt(4.0 / 45.0) / 30.0);
	expect_close(product / 900, 0.0, 4.0 * 2.0 / 3.0 / 30.0);
}

Test(scene, pins)
{
	g_autoptr(Scene) whole = load_sheet(", 'pinned': true", "");
	expect_held(whole, "pppppppppppp");
	g_autoptr(Scene) name = load_sheet("", ", 'pins': 'cloth'");
	expect_held(name, "pppppppppppp");
	g_autoptr(Scene) part = load_sheet("", ", 'pins': ['cloth.top', 'cloth.corners']"); /* corners twice */
	expect_held(part, "p..p....pppp");
	g_autoptr(Scene) twice = load_sheet(", 'pinned': true", ", 'pins': 'cloth.top'");
	expect_held(twice, "pppppppppppp");
	g_autoptr(Scene) none = load_sheet("", ", 'pins': []");
	expect_held(none, "............");
}

/* Two sheets side by side: 0 to 3 and 4 to 7. */
static Scene *load_sets(const char *sets, const char *pins)
{
	g_autofree char *more = g_strdup_printf(
	    "'meshes': [{'name': 'a', 'generate': 'sheet', 'size': [1, 1], 'cells': [1, 1], 'material': 'm'},"
	    " {'name': 'b', 'generate': 'sheet', 'size': [1, 1], 'cells': [1, 1], 'material': 'm', 'at': [1.5, 0, 0]}],"
	    " 'sets': {%s}, 'pins': %s",
	    sets, pins);
	return load(more);
}

Test(scene, sets)
{
	static const char *const cases[][3] = {
	    {"'s': {'body': 'b', 'indices': [3, 0, 3]}", "'s'", "....p..p"},
	    {"'s': {'body': 'b', 'part': 'top'}", "'s'", "......pp"},
	    {"'s': {'box': [[0, -1, -1], [1.25, 1, 1]]}", "'s'", ".p.pp.p."},
	    {"'s': {'body': 'b', 'box': [[0, -1, -1], [1.25, 1, 1]]}", "'s'", "....p.p."},
	    {"'s': {'box': [[0.5, 0.5, 0], [1, 0.5, 0]]}", "'s'", "...p..p."}, /* a side of a box belongs to it */
	    {"'s': {'union': ['a.left', 'b.right']}", "'s'", "p.p..p.p"},
	    {"'s': {'union': 'b'}", "'s'", "....pppp"},
	    {"'r': {'body': 'a', 'indices': [1]}, 's': {'union': ['r', 'b.bottom', 'r']}", "'s'", ".p..pp.."},
	    {"'r': {'body': 'a', 'indices': [1]}, 's': {'body': 'a', 'indices': [2]}", "['s', 'r']", ".pp....."},
	    {"'a.left': {'body': 'b', 'indices': [0]}", "'a.left'", "....p..."}, /* a set comes before a part */
	    {"", "'b.boundary'", "....pppp"},
	    {"", "['a.corners', 'b.centre']", "ppppp..."},
	};
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Scene) scene = load_sets(cases[i][0], cases[i][1]);
		expect_held(scene, cases[i][2]);
	}
}

static const Load *load_of(const Scene *scene, guint i)
{
	cr_assert(i < scene->world->loads->len);
	return scene->world->loads->pdata[i];
}

Test(scene, forces)
{
	g_autoptr(Scene) scene = load_sheet("", ", 'loads': [{'force': [4, 8, 12], 'set': 'cloth.top'},"
	                                        " {'force': [4, 8, 12], 'set': 'cloth.top', 'per': 'vertex'},"
	                                        " {'force': [4, 8, 12], 'set': 'cloth.corners', 'per': 'total',"
	                                        "  'profile': {'times': [1, 2, 4], 'factors': [0, 1, -1]}}]");
	const Load *total = load_of(scene, 0), *each = load_of(scene, 1), *varying = load_of(scene, 2);
	cr_assert(total->kind == LOAD_FORCE && total->vertices->len == 4 && total->profile == NULL);
	cr_assert_eq(g_array_index(total->vertices, uint32_t, 3), 11);
	expect_point(total->force, 1, 2, 3);
	expect_point(each->force, 4, 8, 12);
	expect_point(varying->force, 1, 2, 3);
	/* A vertex that a set names twice has one share. */
	g_autoptr(Scene) twice = load_sheet("", ", 'sets': {'s': {'body': 'cloth', 'indices': [5, 2, 5, 2, 5]}},"
	                                        " 'loads': [{'force': [4, 8, 12], 'set': 's'}]");
	cr_assert_eq(load_of(twice, 0)->vertices->len, 2);
	cr_assert_eq(g_array_index(load_of(twice, 0)->vertices, uint32_t, 0), 2);
	expect_point(load_of(twice, 0)->force, 2, 4, 6);
	cr_assert_eq(profile_at(varying->profile, 0.0), 0.0);
	cr_assert_eq(profile_at(varying->profile, 1.25), 0.25);
	cr_assert_eq(profile_at(varying->profile, 3.0), 0.0);
	cr_assert_eq(profile_at(varying->profile, 9.0), -1.0);
}

Test(scene, pressure_and_wind)
{
	g_autoptr(Scene) scene =
	    load_sets("", "'a.left', 'loads': ["
	                  "{'pressure': -3, 'profile': {'times': [0, 1], 'factors': [0, 1],"
	                  " 'interpolation': 'smooth'}},"
	                  "{'pressure': 3, 'bodies': 'b'},"
	                  "{'wind': [1, 2, 3], 'bodies': ['b', 'a']},"
	                  "{'wind': [0, 0, 0], 'air_density': 2, 'drag': 3, 'friction': 0, 'bodies': []}]");
	const Load *all = load_of(scene, 0), *one = load_of(scene, 1), *wind = load_of(scene, 2),
	           *still = load_of(scene, 3);
	cr_assert(all->kind == LOAD_PRESSURE && all->pressure == -3.0 && all->bodies->len == 2);
	cr_assert_eq(profile_at(all->profile, 0.25), 0.25 * 0.25 * 2.5);
	cr_assert(one->bodies->len == 1 && g_array_index(one->bodies, uint32_t, 0) == 1 && one->profile == NULL);
	cr_assert(wind->kind == LOAD_WIND && wind->bodies->len == 2);
	expect_point(wind->force, 1, 2, 3);
	cr_assert(wind->air_density == 1.2 && wind->drag == 1.2 && wind->friction == 0.05);
	cr_assert(still->air_density == 2.0 && still->drag == 3.0 && still->friction == 0.0 && still->bodies->len == 0);
}

Test(scene, script)
{
	g_autoptr(Scene) scene =
	    load_sheet("", ", 'scripts': [{'set': 'cloth.top', 'axis': [0, 0, 5], 'centre': [1, 2, 3],"
	                   " 'step': 0.3, 'interpolation': 'linear', 'keyframes': [{'time': 0},"
	                   " {'time': 1, 'translate': [1, 0, 0]}, {'time': 3, 'rotate': 720}]}]");
	expect_held(scene, "........ssss");
	const Script *script = scene->world->scripts->pdata[0];
	cr_assert(script->n_vertices == 4 && script->n_keys == 3 && !script->smooth);
	cr_assert(script->clock.step == 0.25 && script->clock.tick == 0); /* 0.3 rounded down to 4/16 */
	expect_point(script->axis, 0, 0, 1);
	expect_point(script->centre, 1, 2, 3);
	cr_assert(script->time[0] == 0.0 && script->time[1] == 1.0 && script->time[2] == 3.0);
	expect_point(script->translate[1], 1, 0, 0);
	expect_close(script->angle[2], 4.0 * REAL_PI, 1e-15);
	for (uint32_t i = 0; i < 4; i++) {
		Vec3 home = position(scene, 8 + i), half = script_target(script, i, 0.5);
		cr_assert_eq(script->vertex[i], 8 + i);
		expect_point(script->home[i], home.x, home.y, home.z);
		expect_point(half, home.x + 0.5, home.y, home.z);
		/* A quarter between the keys at 1 and 3: half a turn about (1, 2), and three quarters of the shift. */
		Vec3 turned = script_target(script, i, 1.5);
		expect_point(turned, 2 - home.x + 0.75, 4 - home.y, home.z);
	}
}

Test(scene, script_defaults)
{
	g_autoptr(Scene) scene =
	    load_sheet("", ", 'scripts': [{'set': 'cloth.top', 'keyframes': [{'time': 2, 'rotate': 90}]},"
	                   " {'set': 'cloth.bottom', 'keyframes': [{'time': 2}, {'time': 3}]}],"
	                   " 'pins': []");
	expect_held(scene, "ssss....ssss");
	const Script *script = scene->world->scripts->pdata[0];
	cr_assert(script->smooth && script->n_keys == 2 && script->clock.step == 1.0 / 1024.0);
	expect_point(script->axis, 0, 1, 0);
	expect_point(script->centre, 0, 0, 0);
	Vec3 home = script->home[0], turned = script_target(script, 0, 2.0), before = script_target(script, 0, 0.0);
	expect_point(before, home.x, home.y, home.z);
	expect_point(turned, home.z, home.y, -home.x);
	double part = REAL_PI / 2.0 * real_smoothstep(0.25);
	expect_point(script_target(script, 0, 0.5), home.x * real_cos(part), home.y, -home.x * real_sin(part));
}

/* The sheet has 12 vertices and cells of 1 x 1, cut into triangles whose height is the root of a half. */
Test(scene, contact_defaults)
{
	g_autoptr(Scene) absent = load_sheet("", ""), off = load_sheet("", ", 'contact': false");
	cr_assert_not(absent->contact.enabled);
	cr_assert_not(off->contact.enabled);
	const char *const on[] = {", 'contact': {}", ", 'contact': true"};
	for (int i = 0; i < 2; i++) {
		g_autoptr(Scene) scene = load_sheet("", on[i]);
		const ContactRule *rule = &scene->contact;
		cr_assert(rule->enabled && rule->speed == 1.0 && rule->detect == DETECT_TUBE && !rule->no_self);
		cr_assert(rule->eta_quarters == 1 && rule->r_quarters == 12 && rule->max_layer == 1000);
		cr_assert(rule->safety == 1.0 && rule->accuracy == 1.0 && rule->rebuild == 0.0);
		cr_assert_eq(rule->exclude->len, 0);
		expect_close(rule->eta1, 0.25 * sqrt(0.5), 1e-15);
		/* Six square metres of half a kilogram each on 12 vertices, at 1 m/s. */
		expect_close(rule->r1, 0.25 / (rule->eta1 * rule->eta1), 1e-13);
		const Body *body = scene->world->bodies->pdata[0];
		cr_assert(body->thickness == 0.0 && !body->no_self);
	}
}

Test(scene, contact_keys)
{
	g_autoptr(Scene) scene =
	    load("'meshes': [{'name': 'a', 'generate': 'sheet', 'size': [1, 1], 'material': 'm', 'thickness': 0.125},"
	         " {'name': 'b', 'generate': 'sphere', 'radius': 1, 'material': 'm', 'self': false},"
	         " {'name': 'c', 'generate': 'box', 'size': [1, 1, 1], 'material': 'm'}],"
	         " 'contact': {'eta1': 0.5, 'r1': 7, 'eta_power': 0.75, 'r_power': 1.75, 'max_layer': 20,"
	         "  'safety': 0.5, 'accuracy': 4, 'detect': 'brute', 'rebuild': 0.01, 'self': false,"
	         "  'exclude': [['c', 'a'], ['b', 'c']]}");
	const ContactRule *rule = &scene->contact;
	cr_assert(rule->enabled && rule->eta1 == 0.5 && rule->r1 == 7.0);
	cr_assert(rule->eta_quarters == 3 && rule->r_quarters == 7 && rule->max_layer == 20);
	cr_assert(rule->safety == 0.5 && rule->accuracy == 4.0 && rule->rebuild == 0.01);
	cr_assert(rule->detect == DETECT_BRUTE && rule->no_self);
	cr_assert_eq(rule->exclude->len, 2);
	BodyPair first = g_array_index(rule->exclude, BodyPair, 0), second = g_array_index(rule->exclude, BodyPair, 1);
	cr_assert(first.a == 0 && first.b == 2 && second.a == 1 && second.b == 2);
	const Body *a = scene->world->bodies->pdata[0], *b = scene->world->bodies->pdata[1];
	cr_assert(a->thickness == 0.125 && !a->no_self && b->thickness == 0.0 && b->no_self);
}

/* eta1 from what moves, at rest; r1 from the mean mass of what is free, and in cgs from a metre per second as well. */
Test(scene, contact_follows_the_meshes)
{
	static const char chain[] = "{'name': 'chain', 'generate': 'chain', 'points': [[0, 5, 0], [0.25, 5, 0],"
	                            " [1, 5, 0]], 'material': 'm'}";
	g_autofree char *both = g_strdup_printf(
	    "'meshes': [{'name': 'cloth', 'generate': 'sheet', 'size': [3, 2], 'cells': [3, 2], 'material': 'm'}, %s]",
	    chain);
	g_autofree char *held = g_strconcat(both, ", 'pins': 'chain', 'contact': {'speed': 3}", NULL);
	g_autofree char *free_end = g_strconcat(both, ", 'pins': 'cloth', 'contact': {'eta1': 2}", NULL);
	g_autofree char *moves = g_strconcat(both, ", 'contact': true", NULL);
	g_autoptr(Scene) cloth_only = load(held), chain_only = load(free_end), all = load(moves);
	expect_close(all->contact.eta1, 0.0625, 1e-16);
	expect_close(cloth_only->contact.eta1, 0.25 * sqrt(0.5), 1e-15); /* the short link cannot move */
	expect_close(cloth_only->contact.r1, 0.25 * 9.0 / (0.125 * 0.25), 1e-12);
	cr_assert_eq(chain_only->contact.eta1, 2.0);
	expect_close(chain_only->contact.r1, 0.25 / 3.0 / 4.0, 1e-16); /* a metre of chain, three vertices */

	g_autofree char *path = write_file("cgs.json",
	    "{'units': 'cgs', 'time': {'end': 1}, 'materials': {'m': {'particle_mass': 3}}, 'contact': {'eta1': 2},"
	    " 'meshes': [{'generate': 'particles', 'positions': [[0, 0, 0], [0, 0, 9]], 'material': 'm'}]}");
	g_autoptr(Scene) cgs = scene_load(path, NULL, NULL);
	cr_assert(cgs->contact.speed == 100.0 && cgs->contact.r1 == 3.0 * 50.0 * 50.0);
}

Test(scene, contact_of_nothing_that_moves_is_off)
{
	g_autoptr(Scene) scene = load_sheet(", 'pinned': true", ", 'contact': {}");
	cr_assert_not(scene->contact.enabled);
}

static void expect_contact_message(const char *contact, const char *message)
{
	g_autofree char *more = g_strdup_printf("'meshes': [{'name': 'cloth', 'generate': 'sheet', 'size': [3, 2],"
	                                        " 'material': 'm'}, {'name': 'ball', 'generate': 'sphere', 'radius': 1,"
	                                        " 'material': 'm'}], 'contact': %s",
	    contact);
	expect_message(more, message);
}

Test(scene, contact_messages)
{
	expect_contact_message("5", "contact: expected an object { ... }, true or false, got 5");
	expect_contact_message("{'eta': 1}", "contact.eta: unknown key; did you mean \"eta1\"?");
	expect_contact_message("{'eta_power': 0.3}",
	    "contact.eta_power: expected a multiple of 1/4, such as 0.25, got 0.3");
	expect_contact_message("{'eta_power': 1, 'r_power': 2}",
	    "contact.r_power: expected more than twice \"eta_power\", that is above 2, got 2: the layers would be no barrier");
	expect_contact_message("{'exclude': [['cloth', 'bal']]}",
	    "contact.exclude: there is no body \"bal\"; did you mean \"ball\"?");
	expect_contact_message("{'exclude': [['cloth', 'ball'], ['xxxxxx', 'ball']]}",
	    "contact.exclude: there is no body \"xxxxxx\"");
	expect_contact_message("{'exclude': ['cloth', 'ball']}",
	    "contact.exclude[0]: expected two names of bodies [\"a\", \"b\"], got \"cloth\"");
	expect_contact_message("{'exclude': [['ball', 'ball']]}",
	    "contact.exclude: \"ball\" is paired with itself; a body that may pass through itself says \"self\": false in "
	    "its mesh");
	expect_contact_message("{'eta1': 1e-300}",
	    "contact: with eta1 = 1e-300 and r1 = inf the deepest layer, 1000, is beyond floating-point numbers");
	expect_message("'meshes': [{'generate': 'particles', 'positions': [[0, 0, 0]], 'material': 'm'},"
	               " {'generate': 'sheet', 'size': [1, 1], 'material': 'm', 'pinned': true}], 'contact': true",
	    "contact.eta1: missing; no triangle and no loose edge moves whose size would say how thick the layers may be, "
	    "so expected a length");
}

Test(scene, files)
{
	static const char mesh[] =
	    "o thing\nv 0 0 0\nv 2 0 0\nv 0 2 0\nv 5 0 0\nv 6 0 0\ng face\nf 1 2 3\ng\nl 3 4\np 5\n";
	static const char rest[] = "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 5 0 0\nv 6 0 0\n";
	g_free(write_file("mesh.obj", mesh));
	g_free(write_file("rest.obj", rest));
	g_autoptr(Scene) scene =
	    load("'meshes': [{'name': 'it', 'file': 'mesh.obj', 'rest_file': './rest.obj', 'material': 'm',"
	         " 'at': [0, 0, 1]}], 'pins': ['it.face']");
	expect_held(scene, "ppp..");
	expect_point(position(scene, 1), 2, 0, 1);
	expect_point(g_array_index(scene->world->rest, Vec3, 1), 4, 0, 1);
	expect_close(mass_of(scene, "it"), 0.5 * 8.0 + 0.25 * sqrt(41.0) + 0.125, 1e-14);
	cr_assert_eq(scene->files->len, 2);
	const SceneFile *first = scene->files->pdata[0], *second = scene->files->pdata[1];
	cr_assert_str_eq(first->name, "mesh.obj");
	cr_assert_str_eq(second->name, "rest.obj");
	cr_assert_eq(first->length, strlen(mesh));
	cr_assert_eq(memcmp(first->data, mesh, strlen(mesh)), 0);
	g_autoptr(Scene) part =
	    load("'meshes': [{'name': 'it', 'file': 'mesh.obj', 'material': 'm'}], 'pins': 'it.thing'");
	expect_held(part, "ppppp");
	cr_assert_eq(part->files->len, 1);
}

/* The scene is named without a directory, from where it stands. */
Test(scene, files_beside_a_scene_that_is_here)
{
	g_free(write_file("mesh.obj", "v 0 0 0\nv 2 0 0\nv 0 2 0\nf 1 2 3\n"));
	scene_free(load("'meshes': [{'file': 'mesh.obj', 'material': 'm'}]"));
	cr_assert_eq(g_chdir(directory), 0);
	GError *error = NULL;
	g_autoptr(Scene) scene = scene_load("scene.json", NULL, &error);
	cr_assert_not_null(scene, "%s", error ? error->message : "");
	cr_assert_eq(world_vertex_count(scene->world), 3);
	cr_assert_eq(g_chdir("/"), 0);
}

Test(scene, messages)
{
	expect_message("'meshes': []", "meshes: missing or empty; expected a list of at least one body");
	expect_message("'meshes': [{'generate': 'sheet', 'size': [1, 1], 'material': 'silk'}]",
	    "meshes[0].material: there is no material \"silk\"; there is \"m\", \"other\"");
	expect_message("'meshes': [{'generate': 'particles', 'positions': [[0, 0, 0]], 'material': 'other'}]",
	    "meshes[0].material: the material \"other\" has no \"particle_mass\", which this body needs");
	expect_message("'meshes': [{'generate': 'chain', 'points': [[0, 0, 0], [0, 0, 1]], 'material': 'other'}]",
	    "meshes[0].material: the material \"other\" has no \"line_density\", which this body needs");
	expect_message("'meshes': [{'generate': 'chain', 'points': [[0, 0, 0], [0, 0, 0]], 'material': 'm'}]",
	    "meshes[0]: edge 0 (vertices 0, 1) has no length");
	expect_message("'meshes': [{'generate': 'sheet', 'size': [1, 1], 'material': 'm', 'scale': -1}]",
	    "meshes[0].scale: expected a number above zero, got -1");
	expect_message(
	    "'meshes': [{'generate': 'sphere', 'radius': 1, 'material': 'm', 'name': 'ball'}], 'pins': 'ball.boundary'",
	    "pins: the part \"boundary\" of the body \"ball\" has no vertices");
	expect_message("'meshes': [{'generate': 'sheet', 'size': [1e200, 1e200], 'material': 'm', 'scale': 1e200}]",
	    "meshes[0]: the position of vertex 0 is not finite");
}

/* Of several errors the first in the file's order of sections is told, and none is a crash. */
Test(scene, nothing_is_left_behind_by_errors)
{
	static const char *const broken[] = {
	    "'meshes': [{'generate': 'sheet', 'size': [1, 1], 'material': 'm'}], 'loads': [{'force': [1, 2], 'set': "
	    "1}]",
	    "'meshes': [{'generate': 'sheet', 'size': [1, 1], 'material': 'm'}], 'loads': [{'wind': 1, 'bodies': [1]}]",
	    "'meshes': [{'generate': 'sheet', 'size': [1, 1], 'material': 'm'}], 'loads': [{'pressure': 1, 'profile': "
	    "5}]",
	    "'meshes': [{'generate': 'sheet', 'size': [1, 1], 'material': 'm'}], 'loads': [{'pressure': 1, 'profile': "
	    "{}}]",
	    "'meshes': [{'generate': 'sheet', 'size': [1, 1], 'material': 'm'}], 'scripts': [{'set': 1, 'keyframes': "
	    "[1]}]",
	    "'meshes': [{'generate': 'sheet', 'size': [1, 1], 'material': 'm'}], 'scripts': [{'keyframes': [{}, {}]}]",
	    "'meshes': [{'generate': 'sheet', 'size': [1, 1], 'material': 'm'}], 'sets': {'a': 1, 'b': {}, 'c': "
	    "{'union': 5}}",
	    "'meshes': [{'generate': 'sheet', 'size': [1, 1], 'material': 'm'}, {'generate': 'sheet'}, 4]",
	    "'meshes': [{'file': 'missing.obj', 'rest_file': 7, 'material': 'm'}]",
	    "'meshes': [{'generate': 'ribbon', 'path': [[0, 0], 1], 'width': 'x', 'material': 'm'}]",
	    "'meshes': [{'generate': 'particles', 'size': 1, 'count': [1, 2], 'material': 'm'}]",
	};
	for (size_t i = 0; i < G_N_ELEMENTS(broken); i++) {
		g_autoptr(GError) error = NULL;
		cr_assert_null(load_more(broken[i], &error), "%s", broken[i]);
		cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_INPUT));
	}
}

Test(scene, large_files_are_refused)
{
	g_autofree char *path = write_file("scene.json", "{}");
	cr_assert_eq(truncate(path, (64 << 20) + 1), 0);
	g_autoptr(GError) error = NULL;
	cr_assert_null(scene_load(path, NULL, &error));
	cr_assert_not_null(strstr(error->message, ": the file is larger than 64 MiB"), "%s", error->message);
}

/* Contact: layers, how they are stepped and found, and who meets whom. What the scene leaves open is resolved here, so
 * that the engine sees numbers only. */
#include "contact/layers.h"
#include "scene/scene_private.h"

static double least(double a, double b)
{
	return b < a ? b : a;
}

static Vec3 rest_of(const World *world, uint32_t vertex)
{
	return g_array_index(world->rest, Vec3, vertex);
}

static bool is_free(const World *world, uint32_t vertex)
{
	return g_array_index(world->held, uint8_t, vertex) == HELD_NOT;
}

/* Twice the area over the longest side. */
static double shortest_height(const World *world, const Triangle *triangle)
{
	Vec3 a = rest_of(world, triangle->v[0]), b = rest_of(world, triangle->v[1]), c = rest_of(world, triangle->v[2]);
	double longest = fmax(vec3_distance(a, b), fmax(vec3_distance(b, c), vec3_distance(c, a)));
	return vec3_norm(vec3_cross(vec3_sub(b, a), vec3_sub(c, a))) / longest;
}

/* About how close what does not touch comes in a mesh at rest: the shortest height of a triangle, or length of a loose
 * edge. INFINITY when there is none that moves; what is held as a whole never meets itself. */
static double shortest_distance(const World *world)
{
	double shortest = INFINITY;
	for (guint i = 0; i < world->triangle->len; i++) {
		const Triangle *triangle = &g_array_index(world->triangle, Triangle, i);
		const uint32_t *v = triangle->v;
		if (is_free(world, v[0]) || is_free(world, v[1]) || is_free(world, v[2]))
			shortest = least(shortest, shortest_height(world, triangle));
	}
	for (guint i = 0; i < world->edge->len; i++) {
		const uint32_t *v = g_array_index(world->edge, Edge, i).v;
		if (is_free(world, v[0]) || is_free(world, v[1]))
			shortest = least(shortest, vec3_distance(rest_of(world, v[0]), rest_of(world, v[1])));
	}
	return shortest;
}

/* Of the free vertices; 0 when there are none. */
static double mean_mass(const World *world)
{
	double sum = 0.0;
	uint32_t n = 0;
	for (uint32_t i = 0; i < world_vertex_count(world); i++) {
		if (is_free(world, i)) {
			sum += g_array_index(world->mass, double, i);
			n++;
		}
	}
	return n > 0 ? sum / n : 0.0;
}

/* An exponent in quarters. */
static int read_power(Reader *reader, const char *key, double fallback, double most)
{
	double power = reader_range(reader, key, fallback, 0.25, most), quarters = 4.0 * power;
	if (quarters != floor(quarters))
		reader_fail(reader, key, "expected a multiple of 1/4, such as %g, got %g", fallback, power);
	return (int)quarters;
}

static void read_layers(const Scene *scene, Reader *reader, ContactRule *rule)
{
	rule->eta1 = reader_has(reader, "eta1") ? reader_positive(reader, "eta1", 1.0) : 0.0;
	rule->r1 = reader_has(reader, "r1") ? reader_positive(reader, "r1", 1.0) : 0.0;
	/* A metre per second. */
	rule->speed = reader_positive(reader, "speed", scene->world->units == &units_si ? 1.0 : 100.0);
	rule->eta_quarters = read_power(reader, "eta_power", 0.25, 4.0);
	rule->r_quarters = read_power(reader, "r_power", 3.0, 16.0);
	rule->max_layer = (uint32_t)reader_integer(reader, "max_layer", 1000, 1, 100000);
	if (!layers_are_barrier(rule->eta_quarters, rule->r_quarters))
		reader_fail(reader, "r_power",
		    "expected more than twice \"eta_power\", that is above %g, got %g: the layers would be no barrier",
		    0.5 * rule->eta_quarters, 0.25 * rule->r_quarters);
}

/* Steps, energies and stiffnesses of the deepest layers must be numbers still. */
static void check_range(Reader *reader, const ContactRule *rule)
{
	double deepest = rule->max_layer + 2.0;
	double stiffness = rule->r1 * layers_power(deepest, rule->r_quarters);
	double eta = rule->eta1 * layers_power(deepest, -rule->eta_quarters);
	if (!isnormal(rule->r1) || !isfinite(64.0 * stiffness) || !isnormal(eta) ||
	    !isfinite(stiffness * rule->eta1 * rule->eta1))
		reader_fail(reader, NULL,
		    "with eta1 = %g and r1 = %g the deepest layer, %u, is beyond floating-point numbers", rule->eta1,
		    rule->r1, rule->max_layer);
}

/* eta1 and r1, where they are not given. */
static void resolve_layers(const World *world, Reader *reader, ContactRule *rule)
{
	double mass = mean_mass(world), shortest = shortest_distance(world);
	if (mass == 0.0) { /* nothing that contact could move */
		rule->enabled = false;
		return;
	}
	if (rule->eta1 == 0.0 && isinf(shortest))
		reader_fail(reader, "eta1",
		    "missing; no triangle and no loose edge moves whose size would say how thick the "
		    "layers may be, so expected a length");
	if (!reader_ok(reader))
		return;
	if (rule->eta1 == 0.0)
		rule->eta1 = 0.25 * shortest;
	if (rule->r1 == 0.0)
		rule->r1 = mass * (rule->speed / rule->eta1) * (rule->speed / rule->eta1);
	check_range(reader, rule);
}

static void read_grid(Reader *reader, GridRule *rule)
{
	static const char *const removals[] = {"lazy", "active", NULL};
	rule->cell = reader_vec3(reader, "cell", vec3(0, 0, 0));
	if (reader_has(reader, "cell") && !(rule->cell.x > 0.0 && rule->cell.y > 0.0 && rule->cell.z > 0.0))
		reader_fail(reader, "cell", "expected three lengths above 0");
	rule->lazy = reader_choice(reader, "removal", 0, removals) == 0;
}

static void read_detection(Reader *reader, ContactRule *rule)
{
	static const char *const detects[] = {"naive", "brute", "tube", "cone", "grid", NULL};
	static const char *const orders[] = {"adaptive", "fixed", NULL};
	static const char *const grains[] = {"primitives", "elements", NULL}, *const features[] = {"last", "all", NULL};
	static const char *const cones[] = {"each", "all", NULL}, *const shares[] = {"owner", "valence", NULL};
	static const char *const broads[] = {"aabb", "8-dop", "18-dop", "26-dop", "sphere", "grid", NULL};
	rule->safety = reader_range(reader, "safety", 1.0, 0.01, 1.0);
	rule->accuracy = reader_range(reader, "accuracy", 1.0, 1.0, 1000.0);
	rule->detect = (Detect)reader_choice(reader, "detect", DETECT_TUBE, detects);
	rule->near_field = reader_boolean(reader, "near_field", true);
	rule->certificates.broad_phase = (BroadPhase)reader_choice(reader, "broad_phase", BROAD_DOP18, broads);
	rule->certificates.short_circuit = reader_boolean(reader, "short_circuit", true);
	rule->certificates.adaptive_axes = reader_choice(reader, "axis_order", 0, orders) == 0;
	rule->certificates.element_slabs = reader_choice(reader, "slabs", 0, grains) == 1;
	rule->certificates.element_forces = reader_choice(reader, "wake", 0, grains) == 1;
	rule->certificates.from_last_feature = reader_choice(reader, "features", 0, features) == 0;
	rule->certificates.all_or_nothing = reader_choice(reader, "cones", 0, cones) == 1;
	rule->certificates.width = reader_nonnegative(reader, "cone_width", 0.0);
	rule->certificates.quality_loss = reader_range(reader, "quality_loss", 0.7, 0.0, 0.99);
	read_grid(reader, &rule->grid);
	rule->valence_shares = reader_choice(reader, "shares", 0, shares) == 1;
	rule->rebuild = reader_nonnegative(reader, "rebuild", 0.0);
}

/* The index of a body; 0 after an error. */
static uint32_t find_body(const World *world, Reader *reader, const char *name)
{
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
	for (uint32_t i = 0; i < world->bodies->len; i++) {
		const Body *body = world->bodies->pdata[i];
		if (g_str_equal(body->name, name))
			return i;
		g_hash_table_add(names, body->name);
	}
	const char *near = reader_nearest(names, name);
	if (near != NULL)
		reader_fail(reader, "exclude", "there is no body \"%s\"; did you mean \"%s\"?", name, near);
	else
		reader_fail(reader, "exclude", "there is no body \"%s\"", name);
	return 0;
}

static void read_exclude(const World *world, Reader *reader, ContactRule *rule)
{
	g_auto(GStrv) names = reader_pairs(reader, "exclude", "two names of bodies [\"a\", \"b\"]");
	for (char **name = names; name && *name && reader_ok(reader); name += 2) {
		uint32_t a = find_body(world, reader, name[0]), b = find_body(world, reader, name[1]);
		BodyPair pair = {MIN(a, b), MAX(a, b)};
		if (a == b)
			reader_fail(reader, "exclude",
			    "\"%s\" is paired with itself; a body that may pass through itself says \"self\": false in "
			    "its mesh",
			    name[0]);
		g_array_append_val(rule->exclude, pair);
	}
}

/* The index of a material; 0 after an error. */
static uint32_t find_material(const World *world, Reader *reader, const char *name)
{
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
	for (uint32_t i = 0; i < world->materials->len; i++) {
		const Material *material = world->materials->pdata[i];
		if (g_str_equal(material->name, name))
			return i;
		g_hash_table_add(names, material->name);
	}
	const char *near = reader_nearest(names, name);
	if (near != NULL)
		reader_fail(reader, "materials", "there is no material \"%s\"; did you mean \"%s\"?", name, near);
	else
		reader_fail(reader, "materials", "there is no material \"%s\"", name);
	return 0;
}

static void read_pair_of_materials(const World *world, Reader *reader, ContactRule *rule)
{
	g_auto(GStrv) names = reader_strings(reader, "materials");
	if (names == NULL || g_strv_length(names) != 2) {
		reader_fail(reader, "materials", "expected a list of two names of materials");
		return;
	}
	MaterialLaw law = {find_material(world, reader, names[0]), find_material(world, reader, names[1]),
	    {reader_range(reader, "restitution", rule->law.restitution, 0.0, 1.0),
	        reader_range(reader, "friction", rule->law.friction, 0.0, 1e3)}};
	g_array_append_val(rule->laws, law);
}

/* Restitution and friction: for all, and for pairs of materials. */
static void read_laws(const Scene *scene, Reader *reader, ContactRule *rule)
{
	static const char *const restitutions[] = {"speed", "thesis", NULL}, *const frictions[] = {"spring", "thesis", NULL};
	rule->law.restitution = reader_range(reader, "restitution", 1.0, 0.0, 1.0);
	rule->law.friction = reader_range(reader, "friction", 0.0, 0.0, 1e3);
	rule->restitution_model =
	    (RestitutionModel)reader_choice(reader, "restitution_model", RESTITUTION_SPEED, restitutions);
	rule->friction_model = (FrictionModel)reader_choice(reader, "friction_model", FRICTION_SPRING, frictions);
	rule->rest_speed = reader_nonnegative(reader, "rest_speed", 0.0);
	rule->gravity = vec3_norm(scene->world->gravity);
	rule->slow_step = scene->rule.load_step;
	GPtrArray *pairs = reader_children(reader, "pairs");
	for (guint i = 0; i < pairs->len && reader_ok(reader); i++)
		read_pair_of_materials(scene->world, pairs->pdata[i], rule);
	g_ptr_array_unref(pairs);
}

static void read_rule(Scene *scene, Reader *reader)
{
	ContactRule *rule = &scene->contact;
	rule->enabled = true;
	read_layers(scene, reader, rule);
	read_detection(reader, rule);
	rule->no_self = !reader_boolean(reader, "self", true);
	read_exclude(scene->world, reader, rule);
	read_laws(scene, reader, rule);
	if (reader_ok(reader))
		resolve_layers(scene->world, reader, rule);
}

void scene_read_contact(Scene *scene, Reader *root)
{
	scene->contact.exclude = g_array_new(FALSE, FALSE, sizeof(BodyPair));
	scene->contact.laws = g_array_new(FALSE, FALSE, sizeof(MaterialLaw));
	scene->contact.law.restitution = 1.0;
	Reader *reader = reader_switch(root, "contact");
	if (reader != NULL)
		read_rule(scene, reader);
	reader_close(reader);
}

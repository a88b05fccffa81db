/* Folds, and the force of contact as the slope of its energy. */
#include "contact/fold.h"
#include "support/scenes.h"

static void hinge(uint64_t *seed, double angle, Vec3 x[FOLD_CORNERS])
{
	double h = scenes_random(seed, 0.5, 1.0), k = scenes_random(seed, 0.5, 1.0);
	x[0] = vec3(0, 0, 0);
	x[1] = vec3(scenes_random(seed, 0.5, 1.5), 0, 0);
	x[2] = vec3(scenes_random(seed, 0, 1), h, 0);
	x[3] = vec3(scenes_random(seed, 0, 1), -k * cos(angle), k * sin(angle));
}

Test(fold, weight_goes_from_flat_to_folded)
{
	uint64_t seed = 1;
	double last = 0.0;
	for (int degrees = 0; degrees <= 179; degrees++) {
		Vec3 x[FOLD_CORNERS];
		hinge(&seed, degrees * G_PI / 180.0, x);
		Fold fold = fold_of(x);
		cr_expect(fold.weight >= last && fold.weight <= 1.0, "%d degrees: %g after %g", degrees, fold.weight, last);
		cr_expect(degrees > 0 ? fold.weight > 0.0 : fold.weight == 0.0);
		cr_expect(degrees < 26 || fold.weight == 1.0, "%d degrees: %g", degrees, fold.weight);
		last = fold.weight;
	}
	Vec3 without_area[FOLD_CORNERS] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0, 0}, {0, 1, 0}};
	cr_expect_eq(fold_of(without_area).weight, 1.0, "in doubt an edge counts");
}

/* Central differences with a step of 1e-6: their own error is 1e-10 or so. */
Test(fold, slope_is_that_of_the_weight)
{
	uint64_t seed = 2;
	for (int trial = 0; trial < 1000; trial++) {
		Vec3 x[FOLD_CORNERS], sum = vec3(0, 0, 0);
		hinge(&seed, scenes_random(&seed, -0.5, 0.5), x);
		Fold fold = fold_of(x);
		for (int c = 0; c < FOLD_CORNERS; c++) {
			Vec3 way = scenes_random_vec3(&seed, 1.0), there = x[c];
			x[c] = vec3_madd(there, 1e-6, way);
			double after = fold_of(x).weight;
			x[c] = vec3_madd(there, -1e-6, way);
			double before = fold_of(x).weight;
			x[c] = there;
			/* Where the weight reaches 1 its curvature jumps. */
			cr_expect_float_eq((after - before) / 2e-6, vec3_dot(fold.slope[c], way), 1e-4, "corner %d", c);
			sum = vec3_add(sum, fold.slope[c]);
		}
		cr_expect_lt(vec3_norm(sum), 1e-12, "slopes must add up to nothing");
	}
}

static void add_energy(const ContactVisit *visit, void *data)
{
	*(double *)data += visit->penalty->energy;
}

static double energy(const Simulation *simulation)
{
	double sum = 0.0;
	contact_visit(simulation->contact, 0.0, add_energy, &sum);
	return sum;
}

static void add_forces(const ContactVisit *visit, void *data)
{
	Vec3 *force = data;
	for (int i = 0; i < visit->penalty->n; i++)
		force[visit->penalty->vertex[i]] = vec3_add(force[visit->penalty->vertex[i]], visit->penalty->force[i]);
}

/* Two crumpled sheets close over each other: all kinds of features are in range, and many folds. */
static const char *crumpled =
    "{\"units\": \"si\", \"materials\": {\"m\": {\"stretch_stiffness\": 100, \"density\": 1}},"
    " \"meshes\": [{\"name\": \"a\", \"generate\": \"sheet\", \"size\": [1, 1], \"cells\": [4, 4], \"material\": \"m\", \"at\": [0, 0, 0.1]},"
    "  {\"name\": \"b\", \"generate\": \"sheet\", \"size\": [1, 1], \"cells\": [3, 3], \"material\": \"m\","
    "   \"rotate\": [{\"axis\": [0, 0, 1], \"angle\": 30}]}],"
    " \"contact\": {\"eta1\": 0.15, \"r1\": 1000, \"detect\": \"brute\"}, \"time\": {\"end\": 1}}";

Test(fold, force_of_contact_is_the_slope_of_its_energy)
{
	uint64_t seed = 3;
	Simulation *simulation = scenes_load(crumpled);
	uint32_t n = world_vertex_count(simulation->scene->world);
	for (uint32_t i = 0; i < n; i++)
		simulation->flight[i].x = vec3_add(simulation->flight[i].x, scenes_random_vec3(&seed, 0.03));
	cr_assert(contact_rebuild(simulation->contact, 0.0, NULL));
	g_autofree Vec3 *force = g_new0(Vec3, n);
	contact_visit(simulation->contact, 0.0, add_forces, force);
	double largest = 0.0;
	for (uint32_t i = 0; i < n; i++)
		largest = fmax(largest, vec3_norm(force[i]));
	cr_assert_gt(largest, 1.0, "nothing touches");
	for (uint32_t i = 0; i < n; i++)
		for (int axis = 0; axis < 3; axis++) {
			Vec3 unit = vec3(axis == 0, axis == 1, axis == 2), there = simulation->flight[i].x;
			simulation->flight[i].x = vec3_madd(there, 1e-7, unit);
			double after = energy(simulation);
			simulation->flight[i].x = vec3_madd(there, -1e-7, unit);
			double before = energy(simulation);
			simulation->flight[i].x = there;
			cr_expect_float_eq((before - after) / 2e-7, vec3_dot(force[i], unit), 1e-5 * largest, "vertex %u", i);
		}
	simulation_free(simulation);
}

/* A sheet with cells of 1:50: what asynchronous stepping saves, and that it moves as with one global step. */
#include "support/scenes.h"

/* [s] Until then the sheet of scenes/graded.json has sagged by a twentieth of its length. */
static const double until = 0.1;

/* With every step divided by the divisor. */
static Simulation *run(const char *stepping, double divisor)
{
	GError *error = NULL;
	char *sets[] = {g_strdup_printf("time.stepping=%s", stepping), g_strdup_printf("time.safety=%.17g", 0.3 / divisor),
	    g_strdup_printf("time.load_step=%.17g", 0x1p-10 / divisor),
	    g_strdup_printf("time.max_step=%.17g", 0x1p-7 / divisor), NULL};
	Scene *scene = scene_load(SCENES "/graded.json", (const char *const *)sets, &error);
	Simulation *simulation = scene ? simulation_new(scene, &error) : NULL;
	cr_assert_not_null(simulation, "%s", error ? error->message : "");
	for (int i = 0; sets[i] != NULL; i++)
		g_free(sets[i]);
	scenes_advance(simulation, until);
	return simulation;
}

/* [length] Root mean square over the vertices of how far two runs are apart. */
static double apart(const Simulation *a, const Simulation *b)
{
	double sum = 0.0;
	uint32_t n = world_vertex_count(a->scene->world);
	for (uint32_t i = 0; i < n; i++)
		sum += vec3_norm2(vec3_sub(scenes_position(a, i), scenes_position(b, i)));
	return sqrt(sum / n);
}

/* [length] The same between a run's present and its start. */
static double moved(const Simulation *simulation)
{
	double sum = 0.0;
	const GArray *start = simulation->scene->world->position;
	for (uint32_t i = 0; i < start->len; i++)
		sum += vec3_norm2(vec3_sub(scenes_position(simulation, i), g_array_index(start, Vec3, i)));
	return sqrt(sum / start->len);
}

Test(graded, costs_a_tenth_and_moves_alike, .timeout = 600)
{
	Simulation *coarse = run("super_elements", 1.0), *fine = run("super_elements", 2.0);
	Simulation *finest = run("super_elements", 8.0), *global = run("global", 1.0);
	double cost = (double)simulation_evaluations(coarse) / (double)simulation_evaluations(global);
	double way = moved(global), difference = apart(coarse, global), error = apart(coarse, finest);
	double order = difference / apart(fine, global);
	cr_log_info("evaluations %.4f of a global step's; apart by %.1e of the way, own error %.1e, ratio with half steps %.2f",
	    cost, difference / way, error / way, order);
	cr_assert(cost <= 0.1, "%g of the evaluations", cost);
	cr_assert(way > 0.03, "the sheet moves");
	/* The global step is the smallest of all: its own error is far below. So the two are apart by the error of the
	 * asynchronous run, which its own refinement to an eighth shows: to 1/64 of it, and the error of the global run. */
	cr_assert(fabs(difference - error) < 0.05 * error, "apart by %g, own error %g", difference, error);
	/* Second order: halving the steps divides it by 4, give or take the rounding of steps to bins. */
	cr_assert(order > 3.5 && order < 4.6, "halving the steps divides the difference by %g", order);
	cr_assert(difference < 2e-4 * way, "apart by %g of %g", difference, way);
	Simulation *all[] = {coarse, fine, finest, global};
	for (int i = 0; i < 4; i++)
		simulation_free(all[i]);
}

/* What contact takes away: restitution and friction against what the textbook says. */
#include "support/scenes.h"

/* A particle thrown at a floor, head on or at 45 degrees. */
static const char *thrown =
    "{'units': 'si', 'gravity': [0, 0, 0], 'materials': {'m': {'particle_mass': 1, 'density': 1}},"
    " 'meshes': [{'name': 'p', 'generate': 'particles', 'positions': [[0.13, 0.21, 0.23]], 'material': 'm',"
    "   'velocity': [%.17g, 0, %.17g]},"
    "  {'name': 'floor', 'generate': 'sheet', 'size': [4, 4], 'cells': [%d, %d], 'material': 'm', 'pinned': true}],"
    " 'contact': {'eta1': 0.1, 'r1': 1000, 'restitution': %.17g}, 'time': {'end': 1e4}}";

static double ratio(double e, double speed, int cells, double slope)
{
	g_autofree char *format = g_strdelimit(g_strdup(thrown), "'", '"');
	Simulation *simulation = scenes_loadf(format, slope * speed, -speed, cells, cells, e);
	scenes_advance(simulation, 0.4 / speed * (1.0 + 3.0 / fmax(e, 0.03)));
	double result = simulation->flight[0].v.z / speed, row[LEDGER_N];
	ledger_compute(simulation, simulation->avi->time, row);
	cr_assert_geq(row[LEDGER_LOST_RESTITUTION], 0.0);
	simulation_free(simulation);
	return result;
}

Test(losses, restitution_is_the_ratio_of_speeds, .timeout = 600)
{
	const double es[] = {0.9, 0.5, 0.2, 0.0}, speeds[] = {0.05, 0.5, 5.0, 50.0};
	for (size_t a = 0; a < G_N_ELEMENTS(es); a++) {
		double least = INFINITY, most = -INFINITY;
		for (size_t b = 0; b < G_N_ELEMENTS(speeds); b++)
			for (int mesh = 0; mesh < 2; mesh++)
				for (int slope = 0; slope < 2; slope++) {
					double measured = ratio(es[a], speeds[b], mesh ? 40 : 1, slope);
					least = fmin(least, measured);
					most = fmax(most, measured);
				}
		cr_log_info("e = %g: %.4f to %.4f over speeds from 0.05 to 50", es[a], least, most);
		if (es[a] == 0.0)
			cr_assert(least >= 0.0 && most <= 0.1, "e = 0: %g to %g", least, most);
		else
			cr_assert(least >= 0.95 * es[a] && most <= 1.05 * es[a], "e = %g: %g to %g", es[a], least, most);
	}
}

/* A patch on a plane; gravity is tilted by an angle of the tangent `steepness`. */
static const char *patch =
    "{'units': 'si', 'gravity': [%.17g, 0, %.17g],"
    " 'materials': {'m': {'stretch_stiffness': 2000, 'density': 1, 'bend_stiffness': 0.01, 'stretch_damping': 0.001}},"
    " 'meshes': [{'name': 'p', 'generate': 'sheet', 'size': [0.2, 0.2], 'cells': [%d, %d], 'material': 'm', 'at': [0, 0, 0.0085],"
    "   'rotate': [{'axis': [0, 0, 1], 'angle': 23}]},"
    "  {'name': 'floor', 'generate': 'sheet', 'size': [4, 1.5], 'cells': [%d, %d], 'material': 'm', 'pinned': true,"
    "   'at': [1.5, 0.013, 0]}],"
    " 'contact': {'eta1': 0.01, 'restitution': 0, 'friction': %.17g}, 'time': {'end': 10}}";

typedef struct {
	double way, acceleration; /* [length], [length/s^2] along the slope, in the second after the first */
} Slide;

static double place(Simulation *simulation, double time)
{
	const Body *body = simulation->scene->world->bodies->pdata[0];
	double sum = 0.0;
	scenes_advance(simulation, time);
	for (uint32_t i = 0; i < body->n_vertices; i++)
		sum += scenes_position(simulation, i).x / body->n_vertices;
	return sum;
}

static Slide slide(double mu, double steepness, int cells, int floor_cells)
{
	g_autofree char *format = g_strdelimit(g_strdup(patch), "'", '"');
	double cosine = 1.0 / sqrt(1.0 + steepness * steepness);
	Simulation *simulation = scenes_loadf(format, 9.81 * cosine * steepness, -9.81 * cosine, cells, cells, floor_cells,
	    MAX(1, floor_cells * 3 / 8), mu);
	double a = place(simulation, 1.0), b = place(simulation, 1.5), c = place(simulation, 2.0);
	simulation_free(simulation);
	return (Slide){c - a, (c - 2.0 * b + a) / 0.25};
}

static void check_slide(double mu, int cells, int floor_cells)
{
	double steep = 1.05 * mu, expected = 9.81 * (steep - mu) / sqrt(1.0 + steep * steep);
	Slide below = slide(mu, 0.95 * mu, cells, floor_cells), above = slide(mu, steep, cells, floor_cells);
	cr_log_info("mu = %g, %d cells on %d: at 0.95 mu %.1e eta1 in a second; at 1.05 mu %.4f m/s^2, expected %.4f", mu,
	    cells * cells, floor_cells, below.way / 0.01, above.acceleration, expected);
	cr_assert_lt(fabs(below.way), 0.01 * 0.01, "mu = %g, %d cells on %d: slips by %g", mu, cells * cells, floor_cells, below.way);
	cr_assert_lt(fabs(above.acceleration - expected), 0.03 * expected, "mu = %g, %d cells on %d: %g", mu, cells * cells,
	    floor_cells, above.acceleration);
}

Test(losses, friction_holds_and_slides, .timeout = 600)
{
	check_slide(0.2, 1, 1);
	check_slide(0.6, 1, 1);
	check_slide(0.6, 1, 40);
}

/* A mesh on a mesh: the ground is as flat as if it were in one piece. */
Test(losses, friction_holds_and_slides_on_meshes, .timeout = 600)
{
	check_slide(0.2, 2, 20);
	check_slide(0.6, 4, 20);
}

/* A scripted ball runs along the pinned rim of a sheet: closest points on held vertices only, which nothing moves. */
Test(losses, held_against_held_is_nothing, .timeout = 600)
{
	static const char *rim =
	    "{'units': 'si', 'materials': {'m': {'stretch_stiffness': 100, 'density': 1, 'particle_mass': 1}},"
	    " 'meshes': [{'name': 'p', 'generate': 'particles', 'positions': [[-0.4, 0.005, 0.52]], 'material': 'm'},"
	    "  {'name': 'carpet', 'generate': 'sheet', 'size': [1, 1], 'cells': [4, 4], 'material': 'm',"
	    "   'rotate': [{'axis': [1, 0, 0], 'angle': 90}]}],"
	    " 'sets': {'rim': {'body': 'carpet', 'box': [[-1, -1, 0.4], [1, 1, 1]]}}, 'pins': ['rim'],"
	    " 'scripts': [{'set': 'p', 'keyframes': [{'time': 0.5, 'translate': [0.8, 0, 0]}]}],"
	    " 'contact': {'eta1': 0.05, 'r1': 100, 'restitution': 0.4, 'friction': 0.3}, 'time': {'end': 1}}";
	g_autofree char *json = g_strdelimit(g_strdup(rim), "'", '"');
	Simulation *simulation = scenes_load(json);
	scenes_advance(simulation, 0.5);
	double row[LEDGER_N];
	ledger_compute(simulation, 0.5, row);
	cr_expect_gt(simulation->contact->count.in_range, 0, "nothing touches");
	for (int i = 0; i < LEDGER_N; i++)
		cr_expect(isfinite(row[i]));
	simulation_free(simulation);
}

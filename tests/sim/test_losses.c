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
    " 'meshes': [{'name': 'p', 'generate': 'sheet', 'size': [0.2, 0.2], 'cells': [1, 1], 'material': 'm', 'at': [0, 0, 0.0075],"
    "   'rotate': [{'axis': [0, 0, 1], 'angle': 23}]},"
    "  {'name': 'floor', 'generate': 'sheet', 'size': [20, 6], 'cells': [1, 1], 'material': 'm', 'pinned': true, 'at': [8, 0, 0]}],"
    " 'contact': {'eta1': 0.01, 'restitution': 0, 'friction': %.17g}, 'time': {'end': 10}}";

typedef struct {
	double way, acceleration; /* [length], [length/s^2] along the slope, in the second after the first */
} Slide;

static double place(Simulation *simulation, double time)
{
	double sum = 0.0;
	scenes_advance(simulation, time);
	for (uint32_t i = 0; i < 4; i++)
		sum += 0.25 * scenes_position(simulation, i).x;
	return sum;
}

static Slide slide(double mu, double steepness)
{
	g_autofree char *format = g_strdelimit(g_strdup(patch), "'", '"');
	double cosine = 1.0 / sqrt(1.0 + steepness * steepness);
	Simulation *simulation = scenes_loadf(format, 9.81 * cosine * steepness, -9.81 * cosine, mu);
	double a = place(simulation, 1.0), b = place(simulation, 1.5), c = place(simulation, 2.0);
	simulation_free(simulation);
	return (Slide){c - a, (c - 2.0 * b + a) / 0.25};
}

Test(losses, friction_holds_and_slides, .timeout = 600)
{
	const double mus[] = {0.2, 0.6};
	for (size_t i = 0; i < G_N_ELEMENTS(mus); i++) {
		double mu = mus[i], steep = 1.05 * mu, expected = 9.81 * (steep - mu) / sqrt(1.0 + steep * steep);
		Slide below = slide(mu, 0.95 * mu), above = slide(mu, steep);
		cr_log_info("mu = %g: at 0.95 mu %.1e eta1 in a second; at 1.05 mu %.4f m/s^2, expected %.4f", mu, below.way / 0.01,
		    above.acceleration, expected);
		cr_assert_lt(fabs(below.way), 0.01 * 0.01, "mu = %g: slips by %g", mu, below.way);
		cr_assert_lt(fabs(above.acceleration - expected), 0.03 * expected, "mu = %g: %g", mu, above.acceleration);
	}
}

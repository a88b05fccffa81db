/* A strip that droops, against the heavy elastica. */
#include "support/scenes.h"
#include <math.h>

/* The heavy elastica: a strip clamped level at s = 0, free at s = L, of weight q per length and rigidity B. Its slope
 * theta below the level obeys B theta'' = -q (L - s) cos(theta), theta(0) = 0, theta'(L) = 0. Everything here is in
 * units of L: theta'' = -load (1 - s) cos(theta), load = q L^3 / B. Returns how far the tip hangs down. */
static double elastica_at(double load, double curvature, double *end_curvature)
{
	const int n = 2000;
	const double h = 1.0 / n;
	double theta = 0.0, k = curvature, down = 0.0;
	for (int i = 0; i < n; i++) { /* Runge-Kutta of fourth order */
		double s = i * h, slope[4], turn[4], sink[4];
		for (int stage = 0; stage < 4; stage++) {
			double f = stage == 0 ? 0.0 : stage == 3 ? h : 0.5 * h;
			int from = stage > 0 ? stage - 1 : 0;
			double angle = theta + f * (stage ? slope[from] : 0.0);
			slope[stage] = k + f * (stage ? turn[from] : 0.0);
			turn[stage] = -load * (1.0 - s - f) * cos(angle);
			sink[stage] = sin(angle);
		}
		theta += h / 6.0 * (slope[0] + 2 * slope[1] + 2 * slope[2] + slope[3]);
		k += h / 6.0 * (turn[0] + 2 * turn[1] + 2 * turn[2] + turn[3]);
		down += h / 6.0 * (sink[0] + 2 * sink[1] + 2 * sink[2] + sink[3]);
	}
	*end_curvature = k;
	return down;
}

/* Shooting: the curvature at the clamp for which the free end is straight. */
static double elastica_droop(double load)
{
	double low = 0.0, high = load, end;
	for (int i = 0; i < 100; i++) {
		double middle = 0.5 * (low + high);
		elastica_at(load, middle, &end);
		*(end < 0.0 ? &low : &high) = middle;
	}
	return elastica_at(load, 0.5 * (low + high), &end);
}

/* A small load bends like a beam: the tip of one under its own weight sinks by q L^4 / (8 B). */
Test(droop, elastica_of_a_small_load_is_a_beam)
{
	cr_assert_float_eq(elastica_droop(1e-3), 1e-3 / 8.0, 1e-9);
}

/* A strip of this many cells along, square cells, two across; `load` as above. Returns its droop over that of the
 * elastica. */
static double strip_droop(int cells, double load)
{
	const double length = 0.2, gravity = 9.81, density = 1000.0, dx = length / cells, strain = 4e-4;
	/* From the load and the strain under its own weight: q L = strain E t, q L^3 / B = load, B = E t^3 / 12. */
	double thickness = length * sqrt(12.0 * strain / load);
	double young = density * gravity * length / strain;
	double slowest = 3.5 * sqrt(gravity / (load * length)); /* [1/s] of the ways to swing */
	Simulation *simulation = scenes_loadf(
	    "{\"units\": \"si\", \"gravity\": [0, 0, %.17g],"
	    " \"materials\": {\"m\": {\"young\": %.17g, \"poisson\": 0, \"thickness\": %.17g, \"density\": %g,"
	    "                         \"mass_damping\": %.17g}},"
	    " \"meshes\": [{\"name\": \"strip\", \"generate\": \"sheet\", \"size\": [%.17g, %.17g], \"cells\": [%d, 2],"
	    "               \"material\": \"m\"}],"
	    " \"pins\": [\"strip.left2\"], \"time\": {\"end\": 100}}",
	    -gravity, young, thickness, density, 2.0 * slowest, length + dx, 2.0 * dx,
	    cells + 1);
	scenes_advance(simulation, 15.0 / slowest);
	double row[LEDGER_N];
	ledger_compute(simulation, simulation->avi->time, row);
	cr_assert(row[LEDGER_KINETIC] < 1e-7 * fabs(row[LEDGER_GRAVITATIONAL]), "it still moves: %g", row[LEDGER_KINETIC]);
	double tip = scenes_position(simulation, ((unsigned)cells + 2u) + (unsigned)cells + 1u).z;
	simulation_free(simulation);
	/* The hinge at the last clamped column bends for half a cell on either side of it: that is where the clamp is. */
	double effective = length + 0.5 * dx, ratio = effective / length;
	return -tip / (effective * elastica_droop(load * ratio * ratio * ratio));
}

Test(droop, strip_droops_like_the_heavy_elastica, .timeout = 600)
{
	const double loads[] = {3.0, 20.0};
	for (int k = 0; k < 2; k++) {
		double error[3];
		for (int level = 0; level < 3; level++)
			error[level] = fabs(strip_droop(10 << level, loads[k]) - 1.0);
		cr_log_info("load %g: droop %.1f%% of the length; error %.2f%%, %.2f%%, %.2f%% with 10, 20, 40 cells", loads[k],
		    100.0 * elastica_droop(loads[k]), 100.0 * error[0], 100.0 * error[1], 100.0 * error[2]);
		cr_assert(error[2] < 0.02, "error %g", error[2]);
		cr_assert(error[0] > error[1] && error[1] > error[2], "it does not converge: %g, %g, %g", error[0], error[1],
		    error[2]);
	}
}


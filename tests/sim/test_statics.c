/* What hangs still, against solutions that need no simulation. Motion is damped until nothing moves. */
#include "support/scenes.h"
#include <math.h>

/* The stretch of the middle of a strip pulled at its ends, over what Young's modulus says. */
static double strip_stretch(const char *model, double poisson, double strain)
{
	const double young = 1e5, thickness = 0.001, width = 0.1;
	double force = young * thickness * width * strain;
	Simulation *simulation = scenes_loadf(
	    "{\"units\": \"si\", \"gravity\": [0, 0, 0],"
	    " \"materials\": {\"m\": {\"young\": %g, \"poisson\": %g, \"thickness\": %g, \"density\": 1000,"
	    "                         \"stretch_model\": \"%s\", \"mass_damping\": 60}},"
	    " \"meshes\": [{\"name\": \"strip\", \"generate\": \"sheet\", \"size\": [0.5, %g], \"cells\": [40, 8],"
	    "               \"diagonals\": \"cross\", \"material\": \"m\"}],"
	    " \"pins\": [\"strip.left\"], \"loads\": [{\"force\": [%.17g, 0, 0], \"set\": \"strip.right\"}],"
	    " \"time\": {\"end\": 100}}",
	    young, poisson, thickness, model, width, force);
	scenes_advance(simulation, 1.5);
	uint32_t row = 4 * 41;
	double length = scenes_position(simulation, row + 30).x - scenes_position(simulation, row + 10).x;
	simulation_free(simulation);
	return (length / 0.25 - 1.0) / strain;
}

Test(statics, strip_stretches_by_young, .timeout = 600)
{
	double plain = strip_stretch("stvk", 0.0, 1e-4), usual = strip_stretch("stvk", 0.3, 1e-4);
	double springs = strip_stretch("springs", 1.0 / 3.0, 1e-4);
	cr_log_info("stretch over that of Young's modulus: %.5f (nu = 0), %.5f (nu = 0.3), springs %.3f", plain, usual, springs);
	/* St. Venant-Kirchhoff is stiffer by 3/2 of the strain: 1.5e-4 here. */
	cr_assert(fabs(plain - 1.0) < 1e-3);
	cr_assert(fabs(usual - 1.0) < 1e-3);
	/* Springs are right for equilateral triangles; cells cut crosswise come out softer by a quarter. */
	cr_assert(fabs(springs - 4.0 / 3.0) < 0.01);
	/* At large strain the nominal stress is E (s^3 - s)/2 with s = 1 + strain. */
	double force = 0.1, low = 1.0, high = 1.1;
	for (int i = 0; i < 60; i++) {
		double s = 0.5 * (low + high);
		*(0.5 * (s * s * s - s) < force ? &low : &high) = s;
	}
	double large = strip_stretch("stvk", 0.0, force);
	cr_assert(fabs(large * force / (low - 1.0) - 1.0) < 1e-3, "%g instead of %g", large * force, low - 1.0);
}

enum { LINKS = 20 };

typedef struct {
	double stiffness, length, weight[LINKS + 1]; /* of a link; of each vertex */
} Chain;

/* Positions below and right of the first vertex for a horizontal pull H at a chain whose first link carries V down. */
static void chain_shape(const Chain *chain, double H, double V, double (*at)[2])
{
	at[0][0] = at[0][1] = 0.0;
	for (int i = 0; i < LINKS; i++) {
		double tension = sqrt(H * H + V * V), stretched = chain->length + tension / chain->stiffness;
		at[i + 1][0] = at[i][0] + stretched * H / tension;
		at[i + 1][1] = at[i][1] + stretched * V / tension;
		V -= chain->weight[i + 1];
	}
}

static Simulation *hanging_chain(Chain *chain, const char *to, const char *pins)
{
	Simulation *simulation = scenes_loadf(
	    "{\"units\": \"si\", \"materials\": {\"m\": {\"stretch_stiffness\": 40, \"line_density\": 0.05,"
	    "                                           \"mass_damping\": 6}},"
	    " \"meshes\": [{\"name\": \"chain\", \"generate\": \"chain\", \"from\": [0, 0, 0], \"to\": %s, \"links\": %d,"
	    "               \"material\": \"m\"}],"
	    " \"pins\": [%s], \"time\": {\"end\": 100}}",
	    to, LINKS, pins);
	chain->stiffness = 40.0;
	chain->length = 2.0 / LINKS;
	for (int i = 0; i <= LINKS; i++)
		chain->weight[i] = 9.80665 * 0.05 * chain->length * (i == 0 || i == LINKS ? 0.5 : 1.0);
	scenes_advance(simulation, 12.0);
	return simulation;
}

static void check_chain(const Simulation *simulation, double (*at)[2])
{
	double worst = 0.0;
	for (uint32_t i = 0; i <= LINKS; i++)
		worst = fmax(worst, vec3_distance(scenes_position(simulation, i), vec3(at[i][0], -at[i][1], 0)));
	cr_log_info("chain of %d springs within %.1e m of its static solution", LINKS, worst);
	cr_assert(worst < 1e-9, "off by %g", worst);
}

/* Hanging from one end each spring carries what is below it. */
Test(statics, chain_hangs_down, .timeout = 600)
{
	Chain chain;
	double at[LINKS + 1][2], V = 0.0;
	Simulation *simulation = hanging_chain(&chain, "[0, -2, 0]", "\"chain.start\"");
	for (int i = 1; i <= LINKS; i++)
		V += chain.weight[i];
	chain_shape(&chain, 0.0, V, at);
	check_chain(simulation, at);
	simulation_free(simulation);
}

/* Between two ends: the horizontal pull is the one for which the other end is where it is held. */
Test(statics, chain_hangs_between_two_ends, .timeout = 600)
{
	Chain chain;
	double at[LINKS + 1][2], V = 0.0, low = 1e-6, high = 100.0;
	Simulation *simulation = hanging_chain(&chain, "[2, 0, 0]", "\"chain.start\", \"chain.end\"");
	for (int i = 1; i < LINKS; i++)
		V += 0.5 * chain.weight[i];
	for (int i = 0; i < 200; i++) {
		double H = 0.5 * (low + high);
		chain_shape(&chain, H, V, at);
		*(at[LINKS][0] < 2.0 ? &low : &high) = H;
	}
	check_chain(simulation, at);
	simulation_free(simulation);
}

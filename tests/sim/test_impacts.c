/* Impacts without losses: how exactly the layers give back what they took.
 *
 * Layers are half springs, whose force has a kink where they begin, and each ticks with a phase of its own: an impact
 * gives back its energy but for an error that depends on the phases. It is of second order in the steps. */
#include "support/scenes.h"

enum { IMPACTS = 300 };

static const char *thrown =
    "{'units': 'si', 'gravity': [0, 0, 0], 'materials': {'m': {'particle_mass': 1, 'density': 1}},"
    " 'meshes': [{'name': 'p', 'generate': 'particles', 'positions': [[0.1, 0.2, %.17g]], 'material': 'm',"
    "   'velocity': [0, 0, %.17g]},"
    "  {'name': 'floor', 'generate': 'sheet', 'size': [4, 4], 'cells': [1, 1], 'material': 'm', 'pinned': true}],"
    " 'contact': {'eta1': 0.1, 'r1': 1000, 'accuracy': %g}, 'time': {'end': 10}}";

typedef struct {
	double spread; /* root mean square of the energy's relative error */
	double mean;   /* of the error */
	uint32_t deepest;
} Impacts;

/* Particles that set out from heights at random, so that they meet the clocks of the layers at random phases. */
static Impacts throw_many(double speed, double accuracy)
{
	g_autofree char *format = g_strdelimit(g_strdup(thrown), "'", '"');
	uint64_t seed = 42;
	Impacts result = {0};
	for (int i = 0; i < IMPACTS; i++) {
		double height = 0.2 + scenes_random(&seed, 0.0, 0.1);
		Simulation *simulation = scenes_loadf(format, height, -speed, accuracy);
		scenes_advance(simulation, 2.0 * (height + 0.1) / speed);
		Vec3 v = simulation->flight[0].v;
		cr_assert_gt(v.z, 0.0, "the particle did not come back");
		double error = vec3_norm2(v) / (speed * speed) - 1.0;
		result.spread += error * error / IMPACTS;
		result.mean += error / IMPACTS;
		result.deepest = MAX(result.deepest, simulation->contact->count.deepest);
		simulation_free(simulation);
	}
	result.spread = sqrt(result.spread);
	return result;
}

/* A speed whose energy the layers up to the given one take between them, at the middle of the next. */
static double speed_for(uint32_t deepest)
{
	Layers *layers = layers_new(0.1, 1, 1000, 12, 100);
	double gap = 0.5 * (layers->eta[deepest] + layers->eta[deepest + 1]);
	double speed = sqrt(2.0 * layers_energy(layers, deepest, gap));
	layers_free(layers);
	return speed;
}

Test(impacts, spread_falls_with_the_square_of_the_steps, .timeout = 600)
{
	const uint32_t depths[] = {1, 5, 20};
	cr_log_info("layers deep   speed   spread of energy per impact with accuracy 1, 2, 4         ratios   mean");
	for (size_t i = 0; i < G_N_ELEMENTS(depths); i++) {
		double speed = speed_for(depths[i]);
		Impacts one = throw_many(speed, 1.0), two = throw_many(speed, 2.0), four = throw_many(speed, 4.0);
		cr_log_info("%11u %7.3g %32.5f%% %.5f%% %.5f%%   %.2f %.2f   %.5f%%", depths[i], speed, 100 * one.spread,
		    100 * two.spread, 100 * four.spread, one.spread / two.spread, two.spread / four.spread, 100 * one.mean);
		cr_assert_eq(one.deepest, depths[i]);
		/* Second order: 4 on the average; the spread of 300 impacts is known to some 5%. */
		cr_assert(one.spread / four.spread > 8.0, "%u layers: ratio %g over two halvings", depths[i],
		    one.spread / four.spread);
	}
}

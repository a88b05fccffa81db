/* Impacts without losses, for the test and the benchmark: particles thrown at a floor.
 *
 * Layers are half springs, whose force has a kink where they begin, and each ticks with a phase of its own: an impact
 * gives back its energy but for an error that depends on the phases. A kink at phase p of a step h takes energy in
 * proportion to h^2 r v^2 (1/12 - p(1 - p)/2) on the way in and gives as much on the way out, for the phase there. The
 * two phases differ by the impact's duration over the step: close to a whole number the two cancel, for all throws
 * alike. So the spread is one of second order only over throws of many masses and depths as well, and of times of
 * arrival that reach over many steps of the slowest layer. */
#ifndef CINCH_TESTS_SUPPORT_IMPACTS_H
#define CINCH_TESTS_SUPPORT_IMPACTS_H

#include "contact/layers.h"
#include "support/random.h"
#include "support/scene_text.h"
#include <math.h>

#define IMPACTS_ETA1 0.1
#define IMPACTS_R1 1000.0

typedef struct {
	double spread;           /* root mean square of the relative error of the energy */
	double mean;             /* of the error */
	double mean_error;       /* standard error of the mean */
	double spread_error;     /* standard error of the spread, relative to it */
	uint32_t least, deepest; /* layers that the throws reached */
} Impacts;

/* One throw: the relative error of the energy afterwards. */
static inline double impacts_throw(const Layers *layers, uint32_t deepest, double accuracy, uint32_t *reached)
{
	static const char *const format =
	    "{\"units\": \"si\", \"gravity\": [0, 0, 0], \"materials\": {\"m\": {\"particle_mass\": %.17g, "
	    "\"density\": 1}},"
	    " \"meshes\": [{\"name\": \"p\", \"generate\": \"particles\", \"positions\": [[0.1, 0.2, %.17g]],"
	    "   \"material\": \"m\", \"velocity\": [0, 0, %.17g]},"
	    "  {\"name\": \"floor\", \"generate\": \"sheet\", \"size\": [4, 4], \"cells\": [1, 1], \"material\": \"m\","
	    "   \"pinned\": true}],"
	    " \"contact\": {\"eta1\": %.17g, \"r1\": %.17g, \"accuracy\": %.17g}, \"time\": {\"end\": 100}}";
	/* Bins of steps repeat with every factor of 4 in the mass. */
	double mass = exp2(random_between(0.0, 2.0)), step = layers_step_scale(IMPACTS_R1, 1.0, accuracy) * sqrt(mass);
	double share = random_between(0.1, 0.9), steps = random_between(2.0, 100.0);
	double gap = share * layers->eta[deepest] + (1.0 - share) * layers->eta[deepest + 1];
	double speed = sqrt(2.0 * layers_energy(layers, deepest, gap) / mass),
	       height = IMPACTS_ETA1 + steps * step * speed;
	g_autofree char *json = g_strdup_printf(format, mass, height, -speed, IMPACTS_ETA1, IMPACTS_R1, accuracy);
	GError *error = NULL;
	Simulation *simulation = scene_text_load(json, &error);
	if (simulation == NULL || !simulation_advance(simulation, 2.0 * (height + IMPACTS_ETA1) / speed, &error))
		g_error("%s", error->message);
	Vec3 v = simulation->flight[0].v;
	if (!(v.z > 0.0))
		g_error("the particle did not come back");
	*reached = simulation->contact->count.deepest;
	simulation_free(simulation);
	return vec3_norm2(v) / (speed * speed) - 1.0;
}

/* Throws whose energy is that of a place between the given layer and the next. */
static inline Impacts impacts_throw_many(uint32_t deepest, double accuracy, int n)
{
	Layers *layers = layers_new(IMPACTS_ETA1, 1, IMPACTS_R1, 12, 100);
	Impacts impacts = {.least = UINT32_MAX};
	double fourth = 0.0;
	random_seed = 42;
	for (int i = 0; i < n; i++) {
		uint32_t reached;
		double error = impacts_throw(layers, deepest, accuracy, &reached), square = error * error;
		impacts.mean += error / n;
		impacts.spread += square / n;
		fourth += square * square / n;
		impacts.least = MIN(impacts.least, reached);
		impacts.deepest = MAX(impacts.deepest, reached);
	}
	double square = impacts.spread;
	impacts.spread = sqrt(square);
	impacts.mean_error = impacts.spread / sqrt(n);
	impacts.spread_error = 0.5 * sqrt((fourth / (square * square) - 1.0) / n);
	layers_free(layers);
	return impacts;
}

#endif

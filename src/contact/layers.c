/* Powers are made of products and square roots, which IEEE rounds the same everywhere; each is within a few ulp of the
 * true value, far less than two layers are apart: eta falls from layer to layer (tests/contact/test_layers.c). */
#include "contact/layers.h"
#include "avi/clock.h"
#include <glib.h>
#include <math.h>

/* Stiffness at a vertex in a crowd over that of one pair: the sum of the squared weights of its pairs. A ribbon folded
 * on itself has a hundred and more pairs in range of a vertex, most of them with a weight well below 1. */
#define CROWD 64.0

double layers_power(double l, int quarters)
{
	int n = quarters < 0 ? -quarters : quarters;
	double root = sqrt(l), power = 1.0;
	for (int i = 0; i < n / 4; i++)
		power *= l;
	if (n & 2)
		power *= root;
	if (n & 1)
		power *= sqrt(root);
	return quarters < 0 ? 1.0 / power : power;
}

bool layers_are_barrier(int eta_quarters, int r_quarters)
{
	return eta_quarters > 0 && r_quarters > 2 * eta_quarters;
}

double layers_step_scale(double r1, double safety, double accuracy)
{
	return safety / accuracy * 2.0 / sqrt(CROWD * r1);
}

Layers *layers_new(double eta1, int eta_quarters, double r1, int r_quarters, uint32_t max_layer)
{
	Layers *layers = g_new0(Layers, 1);
	gsize n = (gsize)max_layer + 4;
	layers->max_layer = max_layer;
	layers->eta = g_new(double, n);
	layers->stiffness = g_new(double, n);
	layers->step_ratio = g_new(double, n);
	layers->wake = g_new(double, n - 1);
	/* Layer 0 is the open: always in range, and nothing there. */
	layers->eta[0] = layers->wake[0] = layers->step_ratio[0] = INFINITY;
	layers->stiffness[0] = 0.0;
	for (gsize l = 1; l < n; l++) {
		double growth = layers_power((double)l, r_quarters);
		layers->eta[l] = eta1 / layers_power((double)l, eta_quarters);
		layers->stiffness[l] = r1 * growth;
		layers->step_ratio[l] = 1.0 / sqrt(growth);
	}
	for (gsize l = 1; l < n - 1; l++)
		layers->wake[l] = layers->eta[l] + 0.25 * (layers->eta[l] - layers->eta[l + 1]);
	return layers;
}

void layers_free(Layers *layers)
{
	if (layers == NULL)
		return;
	g_free(layers->eta);
	g_free(layers->stiffness);
	g_free(layers->wake);
	g_free(layers->step_ratio);
	g_free(layers);
}

double layers_energy(const Layers *layers, uint32_t last, double d)
{
	double energy = 0.0;
	for (uint32_t l = 1; l <= last && d < layers->eta[l]; l++) {
		double depth = layers->eta[l] - d;
		energy += 0.5 * layers->stiffness[l] * depth * depth;
	}
	return energy;
}

uint32_t layers_deepest(const Layers *layers, double first_step, double end)
{
	uint32_t deepest = layers->max_layer;
	while (deepest > 0 && first_step * layers->step_ratio[deepest] < clock_resolution(end))
		deepest--;
	return deepest;
}

uint32_t layers_reached(const Layers *layers, double d)
{
	/* eta[reached] > d >= eta[beyond]; a gap that is not a number counts as none. */
	uint32_t reached = 0, beyond = layers->max_layer + 3;
	while (beyond - reached > 1) {
		uint32_t middle = reached + (beyond - reached) / 2;
		if (d >= layers->eta[middle])
			beyond = middle;
		else
			reached = middle;
	}
	return reached;
}

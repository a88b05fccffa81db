/* The ratio of the speeds of separation and approach that restitution e gives: over speeds, numbers of pairs at the
 * vertex, and directions. Prints a table for each model; `bench_restitution [MODEL...]`. */
#include "support/scene_text.h"
#include <stdio.h>

enum { THROWS = 12 };

static const char *const scene_format =
    "{\"units\": \"si\", \"gravity\": [0, 0, 0], \"materials\": {\"m\": {\"particle_mass\": 1, \"density\": 1}},"
    " \"meshes\": [{\"name\": \"p\", \"generate\": \"particles\", \"positions\": [[%.17g, %.17g, %.17g]], \"material\": \"m\","
    "   \"velocity\": [%.17g, 0, %.17g]},"
    "  {\"name\": \"floor\", \"generate\": \"sheet\", \"size\": [4, 4], \"cells\": [%d, %d], \"material\": \"m\", \"pinned\": true}],"
    " \"contact\": {\"eta1\": 0.1, \"r1\": 1000, \"restitution\": %.17g, \"restitution_model\": \"%s\"}, \"time\": {\"end\": 1e4}}";

static Simulation *load(const char *text)
{
	GError *error = NULL;
	Simulation *simulation = scene_text_load(text, &error);
	if (simulation == NULL)
		g_error("%s", error->message);
	return simulation;
}

typedef struct {
	double least, mean, most; /* ratio */
	uint32_t deepest, pairs;
} Ratios;

/* Throws at the floor from random heights above random places of it. */
static Ratios measure(double e, double speed, int cells, double slope, const char *model)
{
	Ratios ratios = {.least = INFINITY};
	uint64_t seed = 1;
	for (int i = 0; i < THROWS; i++) {
		double random[3];
		for (int k = 0; k < 3; k++) {
			seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			random[k] = (double)(seed >> 11) * 0x1p-53;
		}
		double height = 0.2 + 0.1 * random[0], end = (height + 0.1) / speed * (1.0 + 3.0 / fmax(e, 0.03));
		g_autofree char *text = g_strdup_printf(scene_format, 0.3 * random[1], 0.3 * random[2], height, slope * speed, -speed,
		    cells, cells, e, model);
		Simulation *simulation = load(text);
		simulation->threads = 1;
		GError *error = NULL;
		if (!simulation_advance(simulation, end, &error))
			g_error("%s", error->message);
		double ratio = simulation->flight[0].v.z / speed;
		ratios.least = fmin(ratios.least, ratio);
		ratios.most = fmax(ratios.most, ratio);
		ratios.mean += ratio / THROWS;
		ratios.deepest = MAX(ratios.deepest, simulation->contact->count.deepest);
		ratios.pairs = MAX(ratios.pairs, simulation->contact->count.most_crowded);
		simulation_free(simulation);
	}
	return ratios;
}

static void table(const char *model)
{
	const double es[] = {1.0, 0.9, 0.5, 0.2, 0.0}, speeds[] = {0.05, 0.5, 5.0, 50.0};
	const int cells[] = {1, 40};
	printf("%s\n      e  speed  cells  slope    least     mean     most  layer  pairs\n", model);
	for (size_t a = 0; a < G_N_ELEMENTS(es); a++)
		for (size_t b = 0; b < G_N_ELEMENTS(speeds); b++)
			for (size_t c = 0; c < G_N_ELEMENTS(cells); c++)
				for (int slope = 0; slope <= 1; slope++) {
					Ratios r = measure(es[a], speeds[b], cells[c], slope, model);
					printf("  %5.2f %6.2f %6d %6d %8.4f %8.4f %8.4f %6u %6u\n", es[a], speeds[b], cells[c], slope,
					    r.least, r.mean, r.most, r.deepest, r.pairs);
					fflush(stdout);
				}
}

int main(int argc, char **argv)
{
	if (argc < 2)
		table("speed");
	for (int i = 1; i < argc; i++)
		table(argv[i]);
	return 0;
}

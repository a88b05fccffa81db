/* The ratio of the speeds of separation and approach that restitution e gives: over speeds, numbers of pairs at the
 * vertex, and directions. Prints a table: bench_restitution [MODEL [ACCURACY]].
 *
 * A particle is thrown at pinned ground, in two forms. Floors one closely above the other, each a body of its own, are as
 * many contacts that push at once; a fine mesh is one contact of many pairs. */
#include "support/random.h"
#include "support/scene_text.h"
#include <stdio.h>

enum { THROWS = 12 };
#define ETA1 0.1

typedef struct {
	const char *name;
	int floors, cells; /* cells along each side of a square of 0.8 m */
} Ground;

static const Ground grounds[] = {{"1 floor", 1, 1}, {"10 floors", 10, 1}, {"100 floors", 100, 1}, {"mesh", 1, 40}};

typedef struct {
	double restitution, speed, slope; /* of the throw: way along the ground over way down */
	const Ground *ground;
	const char *model, *accuracy;
} Throws;

static char *scene_text(const Throws *throws, Vec3 start)
{
	GString *text = g_string_new("{\"units\": \"si\", \"gravity\": [0, 0, 0],"
	                             " \"materials\": {\"m\": {\"particle_mass\": 1, \"density\": 1}}, \"meshes\": [");
	for (int i = 0; i < throws->ground->floors; i++)
		g_string_append_printf(text,
		    "{\"generate\": \"sheet\", \"size\": [0.8, 0.8], \"cells\": [%d, %d], \"material\": \"m\","
		    " \"pinned\": true, \"at\": [0, 0, %.17g]}, ",
		    throws->ground->cells, throws->ground->cells, -1e-5 * ETA1 * i);
	g_string_append_printf(text,
	    "{\"generate\": \"particles\", \"positions\": [[%.17g, %.17g, %.17g]], \"material\": \"m\","
	    " \"velocity\": [%.17g, 0, %.17g]}], \"contact\": {\"eta1\": %g, \"r1\": 1000, \"restitution\": %.17g,"
	    " \"restitution_model\": \"%s\", \"accuracy\": %s}, \"time\": {\"end\": 1e4}}",
	    start.x, start.y, start.z, throws->slope * throws->speed, -throws->speed, ETA1, throws->restitution,
	    throws->model, throws->accuracy);
	return g_string_free(text, FALSE);
}

static Simulation *load(const char *text)
{
	GError *error = NULL;
	Simulation *simulation = scene_text_load(text, &error);
	if (simulation == NULL)
		g_error("%s", error->message);
	simulation->threads = 1;
	return simulation;
}

typedef struct {
	double least, most; /* ratio */
	uint32_t deepest, pairs;
} Ratios;

/* Throws from random heights at random places. */
static Ratios measure(const Throws *throws)
{
	Ratios ratios = {.least = INFINITY, .most = -INFINITY};
	random_seed = 1;
	for (int i = 0; i < THROWS; i++) {
		double height = random_between(0.2, 0.3), x = random_between(-0.1, 0.1), y = random_between(-0.1, 0.1);
		double end = (height + ETA1) / throws->speed * (1.0 + 3.0 / fmax(throws->restitution, 0.03));
		g_autofree char *text = scene_text(throws, vec3(x - throws->slope * height, y, height));
		Simulation *simulation = load(text);
		GError *error = NULL;
		if (!simulation_advance(simulation, end, &error))
			g_error("%s", error->message);
		double ratio = simulation->flight[world_vertex_count(simulation->scene->world) - 1].v.z / throws->speed;
		ratios.least = fmin(ratios.least, ratio);
		ratios.most = fmax(ratios.most, ratio);
		ratios.deepest = MAX(ratios.deepest, simulation->contact->count.deepest);
		ratios.pairs = MAX(ratios.pairs, simulation->contact->count.most_crowded);
		simulation_free(simulation);
	}
	return ratios;
}

/* Over both directions. */
static Ratios measure_both(Throws throws)
{
	throws.slope = 0.0;
	Ratios head_on = measure(&throws);
	throws.slope = 1.0;
	Ratios oblique = measure(&throws);
	return (Ratios){fmin(head_on.least, oblique.least), fmax(head_on.most, oblique.most),
	    MAX(head_on.deepest, oblique.deepest), MAX(head_on.pairs, oblique.pairs)};
}

static void table(const char *model, const char *accuracy)
{
	const double es[] = {1.0, 0.9, 0.5, 0.2, 0.0}, speeds[] = {0.005, 0.05, 0.5, 5.0, 50.0};
	printf("model %s, accuracy %s: least and most ratio of %d throws, head on and oblique\n", model, accuracy, 2 * THROWS);
	printf("| e | ground | pairs | layers |");
	for (size_t i = 0; i < G_N_ELEMENTS(speeds); i++)
		printf(" %g m/s |", speeds[i]);
	printf("\n|---|---|---|---|---|---|---|---|---|\n");
	for (size_t a = 0; a < G_N_ELEMENTS(es); a++)
		for (size_t c = 0; c < G_N_ELEMENTS(grounds); c++) {
			Ratios at[G_N_ELEMENTS(speeds)];
			uint32_t pairs = 0, deepest = 0;
			for (size_t b = 0; b < G_N_ELEMENTS(speeds); b++) {
				at[b] = measure_both((Throws){es[a], speeds[b], 0.0, &grounds[c], model, accuracy});
				pairs = MAX(pairs, at[b].pairs);
				deepest = MAX(deepest, at[b].deepest);
			}
			printf("| %g | %s | %u | %u |", es[a], grounds[c].name, pairs, deepest);
			for (size_t b = 0; b < G_N_ELEMENTS(speeds); b++)
				printf(" %.3f – %.3f |", at[b].least, at[b].most);
			printf("\n");
			fflush(stdout);
		}
}

int main(int argc, char **argv)
{
	table(argc > 1 ? argv[1] : "speed", argc > 2 ? argv[2] : "1");
	return 0;
}

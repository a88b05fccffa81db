/* What the layers of a scene can stop, known before it is run: thesis section 6.1 and table 6.1, with the steps and
 * masses that the scene really has. */
#include "avi/clock.h"
#include "cli/command.h"
#include "contact/layers.h"
#include "core/error.h"
#include "scene/scene.h"
#include <math.h>
#include <stdio.h>

typedef struct {
	uint32_t n;         /* free vertices */
	double least, next; /* [mass] the two lightest; next is INFINITY when there is only one */
	double mean;        /* [mass] */
} Masses;

static Masses free_masses(const World *world)
{
	Masses masses = {.least = INFINITY, .next = INFINITY};
	for (uint32_t i = 0; i < world_vertex_count(world); i++) {
		double mass = g_array_index(world->mass, double, i);
		if (g_array_index(world->held, uint8_t, i) != HELD_NOT)
			continue;
		masses.next = fmin(masses.next, fmax(mass, masses.least));
		masses.least = fmin(masses.least, mass);
		masses.mean += mass;
		masses.n++;
	}
	masses.mean /= masses.n;
	return masses;
}

/* What it takes to get through layers 1 ... l: the gap is closed up to where the next begins. */
static double energy_of(const Layers *layers, uint32_t l)
{
	return layers_energy(layers, l, layers->eta[l + 1]);
}

static double speed_of(double energy, double mass)
{
	return sqrt(2.0 * energy / mass);
}

static void print_start(const Scene *scene, const Masses *masses, double first_step)
{
	const ContactRule *rule = &scene->contact;
	const UnitSystem *units = scene->world->units;
	printf("%s%s%s\n", scene->name, scene->title[0] ? ": " : "", scene->title);
	printf("layers: eta(l) = %g l^-%g %s, r(l) = %g l^%g %s/%s, up to layer %u\n", rule->eta1,
	    0.25 * rule->eta_quarters, units->length, rule->r1, 0.25 * rule->r_quarters, units->force, units->length,
	    rule->max_layer);
	printf("free vertices: %u; the lightest has %.4g %s, the mean is %.4g %s\n", masses->n, masses->least,
	    units->mass, masses->mean, units->mass);
	printf("smallest step of layer 1: %.4g %s, %s (safety %g, accuracy %g)\n\n", first_step, units->time,
	    masses->n > 1 ? "between the two lightest" : "against something held", rule->safety, rule->accuracy);
}

static void print_row(const Layers *layers, uint32_t l, double first_step, double mean)
{
	double energy = energy_of(layers, l);
	printf("%8u %14.6g %14.6g %14.6g %14.6g\n", l, layers->eta[l], first_step * layers->step_ratio[l], energy,
	    speed_of(energy, mean));
}

/* Layers 1, 2, 5, 10, 20, 50 ... and the deepest. */
static void print_table(const Layers *layers, uint32_t deepest, double first_step, double mean, const UnitSystem *units)
{
	g_autofree char *eta = g_strdup_printf("eta [%s]", units->length),
	                *step = g_strdup_printf("step [%s]", units->time),
	                *energy = g_strdup_printf("energy [%s]", units->energy),
	                *speed = g_strdup_printf("speed [%s/%s]", units->length, units->time);
	printf("   layer %14s %14s %14s %14s\n", eta, step, energy, speed);
	for (uint32_t decade = 1; decade <= deepest; decade *= 10) {
		const uint32_t rows[] = {decade, 2 * decade, 5 * decade};
		for (size_t i = 0; i < G_N_ELEMENTS(rows) && rows[i] < deepest; i++)
			print_row(layers, rows[i], first_step, mean);
	}
	print_row(layers, deepest, first_step, mean);
	printf("(energy that the layers of one pair take before the next is reached; speed of a vertex of mean mass "
	       "that has "
	       "it)\n\n");
}

static void print_limit(const Scene *scene, const Layers *layers, uint32_t deepest, const Masses *masses)
{
	const UnitSystem *units = scene->world->units;
	double energy = energy_of(layers, deepest);
	if (deepest == layers->max_layer)
		printf("The deepest layer is %u: contact.max_layer.\n", deepest);
	else
		printf("The deepest layer is %u: the step of the next is below what time can resolve at %g %s (%.3g "
		       "%s).\n",
		    deepest, scene->end, units->time, clock_resolution(scene->end), units->time);
	printf(
	    "The layers of one pair take %.6g %s: a vertex of mean mass at %.6g %s/%s, the lightest at %.6g %s/%s.\n",
	    energy, units->energy, speed_of(energy, masses->mean), units->length, units->time,
	    speed_of(energy, masses->least), units->length, units->time);
	printf("An impact beyond that stops the run with exit status 3; nothing passes through.\n");
}

static int bound(const char *path, char **overrides)
{
	GError *error = NULL;
	g_autoptr(Scene) scene = scene_load(path, (const char *const *)overrides, &error);
	if (scene != NULL && !scene->contact.enabled)
		error_set(&error, CINCH_ERROR_INPUT,
		    "%s: there is no contact: \"contact\" is missing or false, or nothing is free to move", path);
	if (scene == NULL || error != NULL)
		return command_fail(error);
	const ContactRule *rule = &scene->contact;
	Masses masses = free_masses(scene->world);
	double scale = layers_step_scale(rule->r1, rule->safety, rule->accuracy);
	double first_step = clock_bin(scale / sqrt(1.0 / masses.least + 1.0 / masses.next));
	Layers *layers = layers_new(rule->eta1, rule->eta_quarters, rule->r1, rule->r_quarters, rule->max_layer);
	uint32_t deepest = layers_deepest(layers, first_step, scene->end);
	print_start(scene, &masses, first_step);
	if (deepest > 0) {
		print_table(layers, deepest, first_step, masses.mean, scene->world->units);
		print_limit(scene, layers, deepest, &masses);
	} else {
		printf(
		    "That is below what time can resolve at %g s (%.3g s): the first contact stops the run with exit "
		    "status 3.\n",
		    scene->end, clock_resolution(scene->end));
	}
	layers_free(layers);
	return 0;
}

int command_bound(int argc, char **argv)
{
	int status;
	g_auto(GStrv) overrides = NULL;
	GOptionEntry entries[] = {
	    {"set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &overrides,
	        "Override a value of the scene, such as contact.eta1=0.01; may be repeated", "KEY=VALUE"},
	    G_OPTION_ENTRY_NULL,
	};
	if (!command_parse("SCENE",
	        "Tells before a run which impacts the layers of its contact can stop: how deep they go until\n"
	        "contact.max_layer or the resolution of time ends them, the energy that they take up to there, and "
	        "the\n"
	        "speed of a vertex with that energy.",
	        entries, &argc, &argv, &status))
		return status;
	return argc == 2 ? bound(argv[1], overrides) : command_fail_usage("bound", "expected one scene file");
}

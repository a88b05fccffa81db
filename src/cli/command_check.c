/* Before a run: is anything in the way of it? */
#include "cli/command.h"
#include "core/error.h"
#include "core/stopwatch.h"
#include "sim/preflight.h"
#include "sim/simulation.h"
#include <stdio.h>
#include <string.h>

enum { MOST_LISTED = 10 };

typedef struct {
	char **overrides;
	char *output; /* mesh of the offenders; NULL: named after the scene */
} Options;

static void print_proximities(const Preflight *preflight, const GArray *pairs, const char *what)
{
	const char *unit = preflight->scene->world->units->length;
	for (guint i = 0; i < pairs->len && i < MOST_LISTED; i++) {
		const Proximity *near = &g_array_index(pairs, Proximity, i);
		g_autofree char *name = preflight_pair_name(preflight, &near->pair);
		printf("  %s: %s %.6g %s\n", name, what, near->gap, unit);
	}
	if (pairs->len > MOST_LISTED)
		printf("  and %u more\n", pairs->len - MOST_LISTED);
}

static void print_intersections(const Preflight *preflight)
{
	for (guint i = 0; i < preflight->intersections->len && i < MOST_LISTED; i++) {
		Intersection found = g_array_index(preflight->intersections, Intersection, i);
		g_autofree char *one = preflight_element_name(preflight, found.a);
		g_autofree char *other = preflight_element_name(preflight, found.b);
		printf("  %s and %s\n", one, other);
	}
	if (preflight->intersections->len > MOST_LISTED)
		printf("  and %u more\n", preflight->intersections->len - MOST_LISTED);
}

static double least_gap(const GArray *pairs)
{
	double least = INFINITY;
	for (guint i = 0; i < pairs->len; i++)
		least = fmin(least, g_array_index(pairs, Proximity, i).gap);
	return least;
}

static void print_state(const Preflight *preflight)
{
	const char *unit = preflight->scene->world->units->length;
	printf("intersections at the start: %u pairs of elements, checked exactly\n", preflight->intersections->len);
	print_intersections(preflight);
	if (preflight->overlaps->len > 0) {
		printf("closer than their thickness: %u pairs\n", preflight->overlaps->len);
		print_proximities(preflight, preflight->overlaps, "gap");
	}
	if (preflight->close->len > 0)
		printf("closer than eta1 at the start: %u pairs, the closest %.6g %s apart; allowed, they begin by pushing\n",
		    preflight->close->len, least_gap(preflight->close), unit);
	else
		printf("closer than eta1 at the start: none\n");
}

/* How much room there is at the start between parts that are no neighbours. */
static void print_clearance(const Preflight *preflight)
{
	const char *unit = preflight->scene->world->units->length;
	if (preflight->clearance.gap == INFINITY) {
		printf("clearance: bodies, and parts of one that are no neighbours, are more than %.4g %s apart\n", preflight->reach, unit);
		return;
	}
	g_autofree char *name = preflight_pair_name(preflight, &preflight->clearance.pair);
	printf("clearance: %.4g %s (%.3g eta1), between %s\n", preflight->clearance.gap, unit,
	    preflight->clearance.gap / preflight->scene->contact.eta1, name);
}

static void print_rest(const Preflight *preflight)
{
	const char *unit = preflight->scene->world->units->length;
	double eta1 = preflight->scene->contact.eta1;
	if (preflight->rest->len == 0) {
		printf("rest shapes: no pair of one body is closer than eta1 = %.6g %s\n", eta1, unit);
		return;
	}
	printf("rest shapes: %u pairs of one body are closer than eta1 = %.6g %s, so that the mesh pushes itself:\n",
	    preflight->rest->len, eta1, unit);
	print_proximities(preflight, preflight->rest, "at rest");
	if (preflight->largest_eta1 > 0.0)
		printf("  the largest contact.eta1 that works is %.6g %s\n", preflight->largest_eta1, unit);
	else
		printf("  no contact.eta1 works: the rest shape overlaps itself\n");
}

/* What is taken away, and when. */
static void print_removals(const Scene *scene)
{
	for (guint i = 0; i < scene->world->bodies->len; i++) {
		const Body *body = scene->world->bodies->pdata[i];
		if (body->remove_at < INFINITY)
			printf("scripts: %s is removed at t = %.6g s%s\n", body->name, body->remove_at,
			    body->remove_at > scene->end ? ", after the end" : "");
	}
}

static void print_scripts(const Preflight *preflight)
{
	if (preflight->held_samples == 0)
		return;
	if (preflight->held_time < 0.0) {
		printf("scripts: held bodies do not meet each other, followed on straight lines through %u times\n", preflight->held_samples);
		return;
	}
	g_autofree char *one = preflight_element_name(preflight, preflight->held.a);
	g_autofree char *other = preflight_element_name(preflight, preflight->held.b);
	printf("scripts: by t = %.6g s %s meets %s; both are held, so contact cannot keep them apart\n", preflight->held_time, one,
	    other);
}

/* Runs the beginning, for half a second or so, to see what it costs. */
static bool print_cost(Scene *scene, GError **error)
{
	double end = scene->end;
	Simulation *simulation = simulation_new_as_built(scene, error);
	if (simulation == NULL)
		return false;
	double began = stopwatch_seconds(), took = 0.0, slice = end * 1e-4;
	bool good = true;
	while (good && took < 0.5 && simulation->avi->time < end) {
		good = simulation_advance(simulation, fmin(simulation->avi->time + slice, end), error);
		took = stopwatch_seconds() - began;
	}
	if (good && simulation->avi->time > 0.0)
		printf("cost: about %.3g s for %.6g simulated s, as the first %.3g s go; more when more touches\n",
		    took * end / simulation->avi->time, end, simulation->avi->time);
	simulation_free(simulation);
	return good;
}

static char *offenders_path(const Options *options, const char *scene)
{
	if (options->output)
		return g_strdup(options->output);
	g_autofree char *base = g_path_get_basename(scene);
	char *dot = strrchr(base, '.');
	if (dot != NULL && dot != base)
		*dot = '\0';
	return g_strconcat(base, "-offenders.obj", NULL);
}

static int check(const char *path, const Options *options)
{
	GError *error = NULL;
	g_autoptr(Scene) scene = scene_load(path, (const char *const *)options->overrides, &error);
	if (scene == NULL)
		return command_fail(error);
	printf("%s: %u bodies, %u vertices, %u triangles, %u loose edges, %u particles\n", path, scene->world->bodies->len,
	    world_vertex_count(scene->world), scene->world->triangle->len, scene->world->edge->len,
	    scene->world->particle->len);
	if (!scene->contact.enabled)
		printf("contact is off: bodies pass through each other (\"contact\": {} switches it on)\n");
	if (scene->settle.time > 0.0)
		printf("settling: for %.6g s before time zero; what follows is about the scene as it is before that\n", scene->settle.time);
	print_removals(scene);
	g_autoptr(Preflight) preflight = preflight_new(scene, true);
	if (preflight->surface != NULL) {
		print_state(preflight);
		print_clearance(preflight);
		print_rest(preflight);
		print_scripts(preflight);
	}
	if (!preflight_allows(preflight, &error)) {
		g_autofree char *mesh = offenders_path(options, path);
		g_autoptr(GError) trouble = NULL;
		if (preflight_write_offenders(preflight, mesh, &trouble))
			printf("the elements that intersect are in %s\n", mesh);
		else
			fprintf(stderr, "cinch: %s\n", trouble->message);
		return command_fail(error);
	}
	preflight_free(g_steal_pointer(&preflight));
	fflush(stdout);
	return print_cost(g_steal_pointer(&scene), &error) ? 0 : command_fail(error);
}

int command_check(int argc, char **argv)
{
	Options options = {0};
	GOptionEntry entries[] = {
	    {"set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.overrides,
	        "Override a value of the scene, such as contact.eta1=0.1; may be repeated", "KEY=VALUE"},
	    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
	        "Mesh of what intersects (default: the scene's name with -offenders.obj, here)", "X.obj"},
	    G_OPTION_ENTRY_NULL,
	};
	int status;
	if (command_parse("SCENE",
	        "Looks for what is in the way of a run: intersections, thickness, layers too thick for the mesh, scripts "
	        "that collide. Exit status 2 when the scene cannot be run.",
	        entries, &argc, &argv, &status))
		status = argc == 2 ? check(argv[1], &options) : command_fail_usage("check", "expected one scene file");
	g_strfreev(options.overrides);
	g_free(options.output);
	return status;
}

/* A sheet whose cells are 50 times wider at one end than at the other (scenes/graded.json), with asynchronous steps and
 * with one global step: element evaluations of each force, wall time, and how far the two are apart at the end.
 *
 * The width of cells grows in a geometric series, so that there are as many cells in each factor of two. With steps in
 * proportion to widths, as without damping, the triangles alone then cost (1 - 1/50)/ln 50 = 1/4 of what they cost with
 * one step; with damping of stretching, which makes the steps of small triangles go with the square of their width,
 * about half of that. Hinges and gravity have slower clocks, which is the rest of the saving.
 *
 * Differences are root mean squares over the vertices, over the way that the vertices have gone. They fall by 4 when
 * every step is halved: they are the error of the asynchronous run, that of the global one being far smaller.
 *
 * Usage: bench_graded [end time] */
#include "sim/simulation.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static Simulation *run(const char *stepping, double divisor, const char *damping, double end)
{
	GError *error = NULL;
	char *sets[] = {g_strdup_printf("time.stepping=%s", stepping), g_strdup_printf("time.safety=%.17g", 0.3 / divisor),
	    g_strdup_printf("time.load_step=%.17g", 0x1p-10 / divisor),
	    g_strdup_printf("time.max_step=%.17g", 0x1p-7 / divisor),
	    g_strdup_printf("materials.rubber.stretch_damping=%s", damping), NULL};
	Scene *scene = scene_load(SCENES "/graded.json", (const char *const *)sets, &error);
	Simulation *simulation = scene ? simulation_new(scene, &error) : NULL;
	if (simulation != NULL)
		simulation->threads = 1;
	if (simulation == NULL || !simulation_advance(simulation, end, &error)) {
		fprintf(stderr, "%s\n", error->message);
		exit(1);
	}
	for (int i = 0; sets[i] != NULL; i++)
		g_free(sets[i]);
	return simulation;
}

static double apart(const Simulation *a, const Simulation *b)
{
	double sum = 0.0, way = 0.0, time = a->avi->time;
	const GArray *start = a->scene->world->position;
	for (uint32_t i = 0; i < start->len; i++) {
		Vec3 x = flight_position(&b->flight[i], time);
		sum += vec3_norm2(vec3_sub(flight_position(&a->flight[i], time), x));
		way += vec3_norm2(vec3_sub(g_array_index(start, Vec3, i), x));
	}
	return sqrt(sum / way);
}

static void print_evaluations(const Simulation *many, const Simulation *one)
{
	printf("%-18s %9s %14s %14s %8s\n", "force", "elements", "asynchronous", "global", "ratio");
	for (guint i = 0; i < many->fields->len; i++) {
		const Field *a = many->fields->pdata[i], *b = one->fields->pdata[i];
		printf("%-18s %9zu %14" G_GUINT64_FORMAT " %14" G_GUINT64_FORMAT " %8.4f\n", a->class->name, a->n_elements,
		    a->n_evaluations, b->n_evaluations, (double)a->n_evaluations / (double)b->n_evaluations);
	}
	uint64_t a = simulation_evaluations(many), b = simulation_evaluations(one);
	printf("%-18s %9s %14" G_GUINT64_FORMAT " %14" G_GUINT64_FORMAT " %8.4f\n", "all", "", a, b, (double)a / (double)b);
	printf("%-18s %9s %14.3f %14.3f %8.4f\n", "wall time [s]", "", many->wall_seconds, one->wall_seconds,
	    many->wall_seconds / one->wall_seconds);
}

static void compare(const char *damping, double end)
{
	static const double divisors[] = {1, 2, 4};
	Simulation *global = run("global", 1.0, damping, end), *half = run("global", 2.0, damping, end);
	Simulation *finest = run("super_elements", 16.0, damping, end);
	printf("stretch_damping %s s, %g s simulated\n", damping, end);
	for (size_t i = 0; i < G_N_ELEMENTS(divisors); i++) {
		Simulation *simulation = run("super_elements", divisors[i], damping, end);
		if (i == 0)
			print_evaluations(simulation, global);
		printf("steps / %-3g  from global %.2e  from steps / 16 %.2e\n", divisors[i], apart(simulation, global),
		    apart(simulation, finest));
		simulation_free(simulation);
	}
	printf("global       from its half %.2e  from steps / 16 %.2e\n\n", apart(global, half), apart(global, finest));
	simulation_free(global);
	simulation_free(half);
	simulation_free(finest);
}

int main(int n_arguments, char **arguments)
{
	double end = n_arguments > 1 ? atof(arguments[1]) : 0.1;
	if (!(end > 0.0)) {
		fprintf(stderr, "usage: %s [end time]\n", arguments[0]);
		return 2;
	}
	compare("1e-4", end);
	compare("0", end);
	return 0;
}

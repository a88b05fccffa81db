/* Throughput of the elastic forces on a sheet of about ten thousand vertices: elements per second with one and with two
 * threads, and memory per vertex.
 *
 * Every element of a force is put on one clock, and that clock ticks alone, through field_tick(): evaluation, sums per
 * vertex, kicks and the account. The sheet is rolled and stretched a little, so that no force is zero, and is put back
 * before each round: what is timed is the same work every time. One and two threads take turns, and the fastest tick of
 * each counts: whatever else the machine does only adds to it. Asserts nothing.
 *
 * Memory is what simulation_memory() counts, beside what the heap has grown by while the scene was loaded: that adds what
 * containers keep in reserve.
 *
 * Usage: bench_forces [cells per side [threads [rounds]]] */
#include "core/stopwatch.h"
#include "sim/simulation.h"
#include <glib/gstdio.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TICKS = 10 };

static const struct {
	const char *name, *model, *damping;
} sheets[] = {
    {"springs", "springs", ""},
    {"StVK", "stvk", ""},
    {"springs, damped", "springs", ", 'stretch_damping': 1e-3, 'bend_damping': 1e-3"},
    {"StVK, damped", "stvk", ", 'stretch_damping': 1e-3, 'bend_damping': 1e-3"},
};

static const char *const scene_text =
    "{'units': 'si', 'materials': {'m': {'young': 2e5, 'thickness': 5e-4, 'density': 300, 'stretch_model': '%s'%s}},"
    " 'meshes': [{'name': 'sheet', 'generate': 'sheet', 'size': [1, 1], 'cells': [%d, %d], 'material': 'm'}],"
    " 'pins': ['sheet.corners'], 'time': {'end': 1, 'stepping': 'global'}}";

static void fail(GError *error)
{
	fprintf(stderr, "%s\n", error->message);
	exit(1);
}

static Simulation *load(const char *model, const char *damping, int cells)
{
	GError *error = NULL;
	g_autofree char *path = NULL, *text = g_strdup_printf(scene_text, model, damping, cells, cells);
	g_strdelimit(text, "'", '"');
	int file = g_file_open_tmp("cinch-bench-XXXXXX.json", &path, &error);
	if (file < 0 || !g_file_set_contents(path, text, -1, &error))
		fail(error);
	close(file);
	Scene *scene = scene_load(path, NULL, &error);
	g_unlink(path);
	Simulation *simulation = scene ? simulation_new(scene, &error) : NULL;
	if (simulation == NULL)
		fail(error);
	return simulation;
}

/* On a cylinder of radius 1, stretched by a percent. */
static void deform(Simulation *simulation)
{
	for (uint32_t i = 0; i < world_vertex_count(simulation->scene->world); i++) {
		Flight *flight = &simulation->flight[i];
		Vec3 x = vec3_scale(1.01, flight->x);
		flight->x = vec3(sin(x.x), x.y, cos(x.x));
	}
}

/* [s] of the fastest tick */
static double measure(Simulation *simulation, Field *field, const Flight *start, unsigned threads)
{
	GError *error = NULL;
	Account account = {0};
	memcpy(simulation->flight, start, world_vertex_count(simulation->scene->world) * sizeof(Flight));
	field->group[0].clock.tick = 0;
	double least = INFINITY;
	for (int i = 0; i < TICKS; i++) {
		double began = stopwatch_seconds();
		if (!field_tick(field, 0, simulation->flight, &account, threads, &error))
			fail(error);
		least = fmin(least, stopwatch_seconds() - began);
	}
	return least;
}

static void bench_field(const char *name, Simulation *simulation, Field *field, unsigned threads, int rounds)
{
	size_t size = world_vertex_count(simulation->scene->world) * sizeof(Flight);
	g_autofree Flight *start = g_memdup2(simulation->flight, size);
	double one = INFINITY, many = INFINITY, n = (double)field->n_elements;
	field->team.fixed = true;
	for (int round = 0; round < rounds; round++) {
		one = fmin(one, measure(simulation, field, start, 1));
		many = fmin(many, measure(simulation, field, start, threads));
	}
	memcpy(simulation->flight, start, size);
	printf("%-16s %-18s %9zu %12.2f %12.2f %7.2f\n", name, field->class->name, field->n_elements, 1e-6 * n / one,
	    1e-6 * n / many, one / many);
	fflush(stdout);
}

static double heap(void)
{
	struct mallinfo2 info = mallinfo2();
	return (double)(info.uordblks + info.hblkhd);
}

/* Returns a line about memory; free with g_free. */
static char *bench_sheet(size_t i, int cells, unsigned threads, int rounds)
{
	double before = heap();
	Simulation *simulation = load(sheets[i].model, sheets[i].damping, cells);
	uint32_t n = world_vertex_count(simulation->scene->world);
	char *memory = g_strdup_printf("%-16s %9u %16.0f %16.0f\n", sheets[i].name, n,
	    (double)simulation_memory(simulation) / n, (heap() - before) / n);
	deform(simulation);
	for (guint f = 0; f < simulation->fields->len; f++) {
		Field *field = simulation->fields->pdata[f];
		if (field->class->relaxation != NULL)
			bench_field(sheets[i].name, simulation, field, threads, rounds);
	}
	simulation_free(simulation);
	return memory;
}

int main(int n_arguments, char **arguments)
{
	int cells = n_arguments > 1 ? atoi(arguments[1]) : 100, rounds = n_arguments > 3 ? atoi(arguments[3]) : 30;
	int threads = n_arguments > 2 ? atoi(arguments[2]) : 2;
	if (cells < 1 || threads < 1 || rounds < 1) {
		fprintf(stderr, "usage: %s [cells per side [threads [rounds]]]\n", arguments[0]);
		return 2;
	}
	printf("million elements per second, with 1 and %d threads\n", threads);
	printf("%-16s %-18s %9s %12s %12s %7s\n", "sheet", "force", "elements", "1 thread", "threads", "ratio");
	char *memory[G_N_ELEMENTS(sheets)];
	for (size_t i = 0; i < G_N_ELEMENTS(sheets); i++)
		memory[i] = bench_sheet(i, cells, (unsigned)threads, rounds);
	printf("\nbytes per vertex\n%-16s %9s %16s %16s\n", "sheet", "vertices", "counted", "heap");
	for (size_t i = 0; i < G_N_ELEMENTS(sheets); i++) {
		printf("%s", memory[i]);
		g_free(memory[i]);
	}
	return 0;
}

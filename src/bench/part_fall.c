/* A sheet that falls and flutters in the air, and touches nothing but could touch itself anywhere. */
#include "bench/bench.h"
#include <malloc.h>
#include <string.h>

static char *sheet_text(int cells)
{
	return g_strdup_printf(
	    "{\"title\": \"A sheet falls\", \"units\": \"si\","
	    " \"materials\": {\"nylon\": {\"young\": 4e5, \"poisson\": 0.3, \"thickness\": 0.0003, \"density\": 500, \"stretch_damping\": 0.0003,"
	    "   \"bend_damping\": 0.001}},"
	    " \"meshes\": [{\"name\": \"sheet\", \"generate\": \"sheet\", \"size\": [1, 1], \"cells\": [%d, %d], \"material\": \"nylon\","
	    "   \"rotate\": [{\"axis\": [1, 0, 0], \"angle\": -75}], \"at\": [0, 10, 0]}],"
	    " \"loads\": [{\"wind\": [1.5, 0, 0.4]}],"
	    " \"contact\": {\"restitution\": 0}, \"time\": {\"end\": 1, \"frame\": 0.05}}",
	    cells, cells);
}

/* [byte] that the heap holds; NAN when the allocator is another one, of a sanitizer for example, which does not tell. */
static double heap(void)
{
	struct mallinfo2 info = mallinfo2();
	double held = (double)info.uordblks + (double)info.hblkhd;
	return held > 0.0 ? held : NAN;
}

/* The heap that a whole simulation takes, and what it is larger by at the end. */
typedef struct {
	double vertices, bytes, growth;
} Memory;

static bool weigh(const Subject *subject, double until, Memory *memory, GError **error)
{
	double before = heap();
	Simulation *simulation = subject_load(subject, NULL, error);
	bool good = simulation != NULL && simulation_advance(simulation, 0.5 * until, error);
	double middle = heap();
	good = good && simulation_advance(simulation, until, error);
	memory->bytes = heap() - before;
	memory->growth = heap() - middle;
	memory->vertices = simulation ? world_vertex_count(simulation->scene->world) : 0.0;
	simulation_free(simulation);
	return good;
}

static void report(Bench *bench, const TrialRow *rows, const TrialResult *results, size_t n, const Memory *memory)
{
	Table *table = bench_add(bench, table_new("fall", "A sheet of %.0f vertices in free fall", memory->vertices));
	table_column(table, "name", "contact", NULL);
	table_column(table, "seconds", "CPU s per s", "%.4g");
	table_column(table, "certificate_percent", "certificates %", "%.1f");
	table_column(table, "certificate_share", "share", "%.4f");
	table_column(table, "reschedules_per_force_event", "rescheduled per force event", "%.4g");
	table_column(table, "certificates", "alive", "%.0f");
	table_column(table, "same_motion", "motion", NULL);
	for (size_t i = 0; i < n; i++) {
		table_text(table, rows[i].name);
		table_number(table, results[i].seconds);
		table_number(table, 100.0 * results[i].share);
		table_number(table, results[i].share);
		table_number(table, results[i].reschedules);
		table_number(table, (double)results[i].last.alive);
		table_flag(table, strcmp(results[i].motion, results[0].motion) == 0, "the same", "DIFFERENT");
	}
	table_fact(table, "vertices", memory->vertices);
	table_fact(table, "bytes_per_vertex", memory->bytes / memory->vertices);
	table_fact(table, "growth_per_vertex", memory->growth / memory->vertices);
	if (isnan(memory->bytes))
		return;
	table_note(table,
	    "The heap of the whole simulation (%s), the scene included: %.0f bytes per vertex; %.1f of them came in the second half of the run.",
	    rows[0].name, memory->bytes / memory->vertices, memory->growth / memory->vertices);
}

bool part_fall(Bench *bench, GError **error)
{
	static const TrialRow rows[] = {{"tube", {"contact.detect=tube"}, 1, 1.0}, {"naive", {"contact.detect=naive"}, 1, 0.2}};
	enum { N = G_N_ELEMENTS(rows) };
	g_autofree char *text = sheet_text(bench->small ? 20 : 100);
	Subject *subject = subject_of_text("a falling sheet", text, 0.2);
	TrialPlan plan = {bench->length, 0.2 * bench->length, 1};
	TrialResult results[N] = {{0}};
	Memory memory = {0};
	bool good = bench_rows(bench, subject, rows, N, &plan, results, error) && weigh(subject, 0.2, &memory, error);
	if (good)
		report(bench, rows, results, N, &memory);
	bench_clear(results, N);
	subject_free(subject);
	return good;
}

/* What chapter 6 of the thesis says of whole runs: table 6.2 and figures 6.7 and 6.9. */
#include "bench/thesis.h"
#include <math.h>
#include <string.h>

/* --- Table 6.2: timings ------------------------------------------------------------------------------------------- */

/* A run from the start, with the scene's own way of finding contact and one thread. */
typedef struct {
	double vertices, span, processors, wall, certificates, events, deepest;
} Run;

/* The run that makes the state of the example, and for whole runs what is left of it. */
static bool measure_run(Bench *bench, ThesisScene scene, Run *run, GError **error)
{
	Subject *subject = thesis_subject(bench, scene);
	const State *state = subject_state(subject, error);
	Simulation *simulation = state ? subject_load(subject, NULL, error) : NULL;
	double began = subject_processor_seconds(), end = bench->whole ? thesis_examples[scene].end : subject->at;
	if (simulation)
		simulation->threads = 1;
	bool good = simulation && state_restore(simulation, state, STATE_SAME, subject->name, error) &&
	            simulation_advance(simulation, end, error);
	if (good)
		*run = (Run){.vertices = world_vertex_count(simulation->scene->world),
		    .span = end,
		    /* A state that was kept in a file does not tell. */
		    .processors = subject->seconds > 0.0 ? subject->seconds + subject_processor_seconds() - began : NAN,
		    .wall = simulation->wall_seconds,
		    .certificates = simulation->contact->count.certificate_seconds,
		    .events = (double)avi_event_count(simulation->avi),
		    .deepest = simulation->contact->count.deepest};
	simulation_free(simulation);
	return good;
}

static Table *timings_table(void)
{
	Table *table = table_new("thesis_6_2", "Table 6.2: timings, contact found by tubes");
	table_column(table, "name", "example", NULL);
	table_column(table, "vertices", "vertices", "%.0f");
	table_column(table, "thesis_vertices", "thesis", "%.0f");
	table_column(table, "simulated", "first [s]", "%.3g");
	table_column(table, "of", "of [s]", "%.3g");
	table_column(table, "seconds", "CPU s", "%.4g");
	table_column(table, "rate", "CPU s per s", "%.4g");
	table_column(table, "thesis_rate", "thesis", "%.0f");
	table_column(table, "times", "times", "%.0f");
	table_column(table, "certificate_percent", "certificates %", "%.1f");
	table_column(table, "events", "events", "%.0f");
	table_column(table, "deepest", "deepest layer", "%.0f");
	return table;
}

static void add_run(Table *table, ThesisScene scene, const Run *run)
{
	const ThesisExample *example = &thesis_examples[scene];
	double rate = run->processors / run->span, thesis = thesis_rate(scene, example->hours);
	table_text(table, example->name);
	table_number(table, run->vertices);
	table_number(table, example->vertices);
	table_number(table, run->span);
	table_number(table, example->end);
	table_number(table, run->processors);
	table_number(table, rate);
	table_number(table, thesis);
	table_number(table, thesis / rate);
	table_number(table, 100.0 * run->certificates / run->wall);
	table_number(table, run->events);
	table_number(table, run->deepest);
}

bool part_thesis_6_2(Bench *bench, GError **error)
{
	Table *table = timings_table();
	bool good = true;
	for (int scene = 0; good && scene < THESIS_SCENES; scene++) {
		Run run;
		good = measure_run(bench, scene, &run, error);
		if (good)
			add_run(table, scene, &run);
	}
	if (!good) {
		table_free(table);
		return false;
	}
	bench_add(bench, table);
	table_fact(table, "whole", bench->whole);
	table_note(table,
	    "%s; the rate of the thesis is of whole runs, its hours over its seconds. There certificates took over 99%% of the time.",
	    bench->whole ? "Ours are whole runs" : "Ours are only the first part of each run, as the table says");
	thesis_note(table);
	return true;
}

/* --- Figure 6.7: deeper layers as the walls close ---------------------------------------------------------------- */

static const uint32_t shown_layers[] = {1, 2, 3, 5, 10, 20, 40};
enum { N_SHOWN = G_N_ELEMENTS(shown_layers) };

static void see_layer(const ContactVisit *visit, void *data)
{
	uint32_t *layer = data;
	for (int c = 0; c < distance_corners[visit->pair->kind]; c++) {
		uint32_t vertex = visit->pair->vertex[c];
		layer[vertex] = MAX(layer[vertex], visit->layer);
	}
}

static double height_of(const Simulation *simulation, const char *name, double time)
{
	const GPtrArray *bodies = simulation->scene->world->bodies;
	for (guint i = 0; i < bodies->len; i++) {
		const Body *body = bodies->pdata[i];
		if (strcmp(body->name, name) == 0)
			return flight_position(&simulation->flight[body->first_vertex], time).y;
	}
	return NAN;
}

/* The share of the free vertices that are in a layer or deeper. */
static void add_layers(Table *table, const Simulation *simulation)
{
	double time = simulation->avi->time;
	uint32_t n = world_vertex_count(simulation->scene->world), deepest = 0, free = 0, in[N_SHOWN] = {0};
	g_autofree uint32_t *layer = g_new0(uint32_t, n + 1);
	contact_visit(simulation->contact, time, see_layer, layer);
	for (uint32_t i = 0; i < n; i++) {
		if (simulation->flight[i].inverse_mass == 0.0)
			continue;
		free++;
		deepest = MAX(deepest, layer[i]);
		for (int k = 0; k < N_SHOWN; k++)
			in[k] += layer[i] >= shown_layers[k];
	}
	table_number(table, time);
	table_number(table, height_of(simulation, "above", time) - height_of(simulation, "below", time));
	for (int k = 0; k < N_SHOWN; k++)
		table_number(table, 100.0 * in[k] / free);
	table_number(table, deepest);
}

static Table *layers_table(const Subject *subject)
{
	Table *table = table_new("thesis_6_7", "Figure 6.7: share of vertices in deep layers as the walls close, %s", subject->name);
	table_column(table, "time", "t [s]", "%.2f");
	table_column(table, "apart", "walls apart [cm]", "%.1f");
	for (int k = 0; k < N_SHOWN; k++) {
		g_autofree char *key = g_strdup_printf("percent_%u", shown_layers[k]);
		g_autofree char *heading = g_strdup_printf("%% in %u+", shown_layers[k]);
		table_column(table, g_intern_string(key), g_intern_string(heading), "%.1f");
	}
	table_column(table, "deepest", "deepest", "%.0f");
	return table;
}

bool part_thesis_6_7(Bench *bench, GError **error)
{
	enum { ROWS = 20 };
	Subject *subject = thesis_start(bench, THESIS_CRUSH, bench->whole ? SIZE_FULL : SIZE_PREVIEW);
	double end = thesis_examples[THESIS_CRUSH].end;
	Table *table = layers_table(subject);
	Simulation *simulation = subject_load(subject, NULL, error);
	bool good = simulation != NULL;
	if (good)
		simulation->threads = 1;
	for (int i = 1; good && i <= ROWS; i++) {
		good = simulation_advance(simulation, end * i / ROWS, error);
		if (good)
			add_layers(table, simulation);
	}
	simulation_free(simulation);
	subject_free(subject);
	if (!good) {
		table_free(table);
		return false;
	}
	bench_add(bench, table);
	table_note(table, "Of the vertices that move, those in contact in this layer or a deeper one. The thesis has a plot\n"
	                  "without numbers: as the walls come together, more and more are in deeper layers.");
	return true;
}

/* --- Figure 6.9: time over the thickness of layer 1 -------------------------------------------------------------- */

static const double thicknesses[] = {0.0125, 0.025, 0.05, 0.1, 0.2};
enum { N_THICK = G_N_ELEMENTS(thicknesses) };
#define MEASURED 1.15 /* [s] of the thesis' figure */
enum { SAMPLES = 23, EARLY = 6 }; /* slices, and those that are its beginning */

static bool run_thickness(const Bench *bench, double eta1, TrialResult *result, GError **error)
{
	g_autofree char *thickness = g_strdup_printf("contact.eta1=%g", eta1);
	TrialRow row = {"", {thickness}, 1, 1.0};
	TrialPlan plan = {MEASURED, MEASURED, SAMPLES};
	Subject *subject = thesis_start(bench, THESIS_CRUSH, SIZE_FULL);
	bool good = trial_run(subject, &row, &plan, result, error);
	subject_free(subject);
	return good;
}

static void add_thickness(Bench *bench, const TrialResult *results)
{
	Table *table = bench_add(bench, table_new("thesis_6_9", "Figure 6.9: time over eta1, the first %g s of the crushed shell", MEASURED));
	table_column(table, "eta1", "eta1 [cm]", "%.4g");
	table_column(table, "seconds", "CPU s", "%.4g");
	table_column(table, "floor", "of which forces", "%.4g");
	table_column(table, "early", "until 0.3 s", "%.4g");
	table_column(table, "evaluations", "pairs looked at", "%.0f");
	table_column(table, "deepest", "deepest layer", "%.0f");
	for (int i = 0; i < N_THICK; i++) {
		const TrialResult *result = &results[i];
		table_number(table, thicknesses[i]);
		table_number(table, result->seconds * result->simulated);
		table_number(table, result->floor * result->simulated);
		table_number(table, g_array_index(result->samples, TrialSample, EARLY).processors);
		table_number(table, result->evaluations * result->simulated);
		table_number(table, result->deepest);
	}
	table_note(table, "The thesis has a plot without numbers (0.05 cm in its tables). It finds: the thicker the faster, but for\n"
	                  "the beginning, when what is near is in contact sooner.");
}

/* The curves of the figure. */
static void add_courses(Bench *bench, const TrialResult *results)
{
	Table *table = bench_add(bench, table_new("thesis_6_9_curves", "Figure 6.9, its curves: CPU seconds up to t"));
	table_column(table, "time", "t [s]", "%.2f");
	for (int i = 0; i < N_THICK; i++) {
		g_autofree char *key = g_strdup_printf("eta1_%g", thicknesses[i]), *heading = g_strdup_printf("eta1 = %g", thicknesses[i]);
		table_column(table, g_intern_string(key), g_intern_string(heading), "%.3f");
	}
	for (guint k = 0; k < results[0].samples->len; k++) {
		table_number(table, g_array_index(results[0].samples, TrialSample, k).time);
		for (int i = 0; i < N_THICK; i++)
			table_number(table, g_array_index(results[i].samples, TrialSample, k).processors);
	}
}

bool part_thesis_6_9(Bench *bench, GError **error)
{
	TrialResult results[N_THICK] = {{0}};
	bool good = true;
	for (int i = 0; good && i < N_THICK; i++)
		good = run_thickness(bench, thicknesses[i], &results[i], error);
	if (good) {
		add_thickness(bench, results);
		add_courses(bench, results);
	}
	bench_clear(results, N_THICK);
	return good;
}

/* What chapters 7 and 8 of the thesis say of finding contact: tables 7.1 and 8.1, figures 8.2 to 8.5. A new option is a row:
 * of table 8.1 here, of table 7.1 in part_ablation.c. */
#include "bench/thesis.h"
#include <math.h>
#include <string.h>

#define NO_CONES "contact.quality_loss=0"
#define NO_SHORT "contact.short_circuit=false"
#define FIXED "contact.axis_order=fixed"
#define TRIANGLES "contact.wake=elements"

/* --- Table 7.1: broad phases -------------------------------------------------------------------------------------- */

/* Hours, by the name of the row in part_ablation.c. */
typedef struct {
	const char *row;
	double hours[THESIS_SCENES];
} BroadHours;

#define PLAIN "18-DOPs"
#define PLANAR "8-DOPs, in a plane"

static const BroadHours broad_hours[] = {
    {"AABBs", {96.062, 2.180, 54.202, 120.641, 82.107}},
    {PLANAR, {66.430, NAN, NAN, NAN, NAN}},
    {PLAIN, {NAN, 1.825, 44.678, 86.578, 77.689}},
    {"grid, lazy removal", {NAN, 0.516, NAN, NAN, NAN}},
};

static double broad_hours_of(const char *row, ThesisScene scene)
{
	for (size_t i = 0; i < G_N_ELEMENTS(broad_hours); i++)
		if (g_strcmp0(broad_hours[i].row, row) == 0)
			return broad_hours[i].hours[scene];
	return NAN;
}

/* Those without what chapter 8 adds; what is for planes, only in a plane. */
static bool is_of_broad_table(const TrialRow *row, ThesisScene scene)
{
	return strstr(row->name, ", with ") == NULL && (scene == THESIS_BALLS || strcmp(row->name, PLANAR) != 0);
}

/* What others are compared with: in two dimensions the thesis has 8-DOPs. */
static const TrialRow *broad_reference(ThesisScene scene)
{
	size_t n;
	const TrialRow *rows = part_broad_rows(&n);
	for (size_t i = 0; i < n; i++)
		if (g_strcmp0(rows[i].name, scene == THESIS_BALLS ? PLANAR : PLAIN) == 0)
			return &rows[i];
	g_assert_not_reached();
}

static Table *broad_table(void)
{
	Table *table = table_new("thesis_7_1", "Table 7.1: broad phases");
	table_column(table, "example", "example", NULL);
	table_column(table, "broad_phase", "broad phase", NULL);
	table_column(table, "seconds", "CPU s per s", "%.4g");
	table_column(table, "thesis_seconds", "thesis", "%.0f");
	table_column(table, "relative", "of k-DOPs", "%.3g");
	table_column(table, "thesis_relative", "thesis", "%.3f");
	table_column(table, "queue", "queue, mean", "%.0f");
	table_column(table, "certificates", "certificates", "%.0f");
	table_column(table, "simulated", "over [s]", "%.3g");
	table_column(table, "same_motion", "motion", NULL);
	return table;
}

static bool add_broad_row(Bench *bench, Table *table, ThesisScene scene, const TrialRow *row, GError **error)
{
	const TrialRow *reference = broad_reference(scene);
	const TrialResult *base = thesis_trial(bench, scene, reference, error);
	const TrialResult *result = base ? thesis_trial(bench, scene, row, error) : NULL;
	if (result == NULL)
		return false;
	double hours = broad_hours_of(row->name, scene);
	table_text(table, thesis_examples[scene].name);
	table_text(table, row->name);
	table_number(table, result->seconds);
	table_number(table, thesis_rate(scene, hours));
	table_number(table, result->seconds / base->seconds);
	table_number(table, hours / broad_hours_of(reference->name, scene));
	table_number(table, result->queue);
	table_number(table, (double)result->last.alive);
	table_number(table, result->simulated);
	table_flag(table, thesis_same_motion(bench, scene, result), "the same", "DIFFERENT");
	return true;
}

/* The state that an example sets out from. */
static void note_states(Bench *bench, Table *table)
{
	g_autoptr(GString) text = g_string_new(NULL);
	for (int scene = 0; scene < THESIS_SCENES; scene++) {
		const Subject *subject = thesis_subject(bench, scene);
		g_string_append_printf(text, "%s%s from %g s", scene ? ", " : "", subject->name, subject->at);
	}
	table_note(table, "Not whole runs but stretches of them, of the length given: %s.", text->str);
	thesis_note(table);
}

bool part_thesis_7_1(Bench *bench, GError **error)
{
	size_t n;
	const TrialRow *rows = part_broad_rows(&n);
	Table *table = broad_table();
	for (int scene = 0; scene < THESIS_SCENES; scene++) {
		bool good = true;
		for (size_t i = 0; good && i < n; i++)
			if (is_of_broad_table(&rows[i], scene))
				good = add_broad_row(bench, table, scene, &rows[i], error);
		if (!good) {
			table_free(table);
			return false;
		}
	}
	bench_add(bench, table);
	table_note(table, "Of k-DOPs: of the 18-DOPs without optimisations, in the box of balls of the 8-DOPs. The thesis could not finish\n"
	                  "spheres (\"on the order of weeks\", with a queue over twice as long), nor grids of the other examples.");
	note_states(bench, table);
	return true;
}

/* --- Table 8.1: one optimisation after the other ----------------------------------------------------------------- */

typedef struct {
	TrialRow row;
	double hours[THESIS_SCENES];
} Step;

/* Each with those before it, as in the thesis; then what it does not have. */
static const Step steps[] = {
    {{"baseline: naive", {"contact.detect=naive"}, 1, THESIS_SLOW}, {66.430, 1.825, 44.678, 86.578, 104.216}},
    {{"with switches, all off", {"contact.detect=cone", NO_CONES, NO_SHORT, FIXED}, 1, THESIS_SLOW}, {NAN, NAN, NAN, NAN, NAN}},
    {{"axes in order of use", {"contact.detect=cone", NO_CONES, NO_SHORT}, 1, THESIS_SLOW}, {59.690, 1.656, 35.235, 79.458, 71.928}},
    {{"short-circuiting", {"contact.detect=cone", NO_CONES}, 1, THESIS_SLOW}, {61.571, 1.460, 32.129, 75.551, 66.759}},
    {{"triangle slabs", {"contact.detect=cone", NO_CONES, "contact.slabs=elements"}, 1, THESIS_SLOW}, {NAN, 1.535, 66.991, 159.134, 78.421}},
    {{"triangle forces", {"contact.detect=cone", NO_CONES, TRIANGLES}, 1, THESIS_SLOW}, {NAN, 1.498, 29.631, 75.382, 69.317}},
    {{"velocity cones", {"contact.detect=cone", TRIANGLES}, 1, THESIS_SLOW}, {NAN, 0.705, 14.947, 44.793, 41.492}},
    {{"tubes", {"contact.detect=tube"}, 1, 1.0}, {NAN, NAN, NAN, NAN, NAN}},
};
enum { N_STEPS = G_N_ELEMENTS(steps) };

static Table *steps_table(void)
{
	Table *table = table_new("thesis_8_1", "Table 8.1: optimisations, each with those before it");
	table_column(table, "example", "example", NULL);
	table_column(table, "option", "option", NULL);
	table_column(table, "seconds", "CPU s per s", "%.4g");
	table_column(table, "thesis_seconds", "thesis", "%.0f");
	table_column(table, "faster", "faster", "%.3g");
	table_column(table, "thesis_faster", "thesis", "%.2f");
	table_column(table, "certificate_percent", "certificates %", "%.1f");
	table_column(table, "over_floor", "over floor", "%.3g");
	table_column(table, "simulated", "over [s]", "%.3g");
	table_column(table, "same_motion", "motion", NULL);
	return table;
}

static bool add_step(Bench *bench, Table *table, ThesisScene scene, const Step *step, GError **error)
{
	const TrialResult *base = thesis_trial(bench, scene, &steps[0].row, error);
	const TrialResult *result = base ? thesis_trial(bench, scene, &step->row, error) : NULL;
	const TrialResult *longest = result ? thesis_trial(bench, scene, &steps[N_STEPS - 1].row, error) : NULL;
	if (longest == NULL)
		return false;
	table_text(table, thesis_examples[scene].name);
	table_text(table, step->row.name);
	table_number(table, result->seconds);
	table_number(table, thesis_rate(scene, step->hours[scene]));
	table_number(table, base->seconds / result->seconds);
	table_number(table, steps[0].hours[scene] / step->hours[scene]);
	table_number(table, 100.0 * result->share);
	table_number(table, result->wall / longest->floor);
	table_number(table, result->simulated);
	table_flag(table, thesis_same_motion(bench, scene, result), "the same", "DIFFERENT");
	return true;
}

bool part_thesis_8_1(Bench *bench, GError **error)
{
	Table *table = steps_table();
	for (int scene = 0; scene < THESIS_SCENES; scene++) {
		for (int i = 0; i < N_STEPS; i++) {
			if (!add_step(bench, table, scene, &steps[i], error)) {
				table_free(table);
				return false;
			}
		}
	}
	bench_add(bench, table);
	table_note(table, "Over floor: wall time over that of forces and layers with tubes.");
	note_states(bench, table);
	return true;
}

/* --- Figure 8.2: axes --------------------------------------------------------------------------------------------- */

enum { AXES = 9 }; /* of an 18-DOP */

static const TrialRow orders[] = {
    {"fixed", {"contact.detect=cone", NO_CONES, FIXED}, 1, THESIS_SLOW},
    {"adaptive", {"contact.detect=cone", NO_CONES}, 1, THESIS_SLOW},
};

static Table *axes_table(void)
{
	Table *table = table_new("thesis_8_2", "Figure 8.2: how many axes it takes to know until when two 18-DOPs are apart, as far as that matters");
	table_column(table, "example", "example", NULL);
	table_column(table, "order", "order", NULL);
	for (int k = 1; k <= AXES; k++) {
		g_autofree char *key = g_strdup_printf("at_%d", k), *heading = g_strdup_printf("%d", k);
		table_column(table, g_intern_string(key), g_intern_string(heading), "%.2f");
	}
	table_column(table, "by_2", "at most 2", "%.2f");
	table_column(table, "mean", "mean", "%.2f");
	return table;
}

static bool add_axes(Bench *bench, Table *table, ThesisScene scene, const TrialRow *row, GError **error)
{
	const TrialResult *result = thesis_trial(bench, scene, row, error);
	if (result == NULL)
		return false;
	double mean = 0.0;
	table_text(table, thesis_examples[scene].name);
	table_text(table, row->name);
	for (int k = 1; k <= AXES; k++) {
		table_number(table, 100.0 * result->by_axes[k]);
		mean += k * result->by_axes[k];
	}
	table_number(table, 100.0 * (result->by_axes[0] + result->by_axes[1] + result->by_axes[2]));
	table_number(table, mean);
	return true;
}

bool part_thesis_8_2(Bench *bench, GError **error)
{
	Table *table = axes_table();
	for (int scene = 0; scene < THESIS_SCENES; scene++) {
		for (size_t i = 0; i < G_N_ELEMENTS(orders); i++) {
			if (!add_axes(bench, table, scene, &orders[i], error)) {
				table_free(table);
				return false;
			}
		}
	}
	bench_add(bench, table);
	table_note(table, "Percent of the pairs of bounds that were scheduled. The thesis: over 99%% by the second axis in adaptive order; in a\n"
	                  "fixed one, each axis settles about as many.");
	note_states(bench, table);
	return true;
}

/* --- Figure 8.3: quality loss ------------------------------------------------------------------------------------- */

static const double losses[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95};
enum { N_LOSSES = G_N_ELEMENTS(losses) };

static Table *loss_table(const Subject *subject)
{
	Table *table = table_new("thesis_8_3", "Figure 8.3: time over quality loss, %s from %g s", subject->name, subject->at);
	table_column(table, "quality_loss", "quality loss", "%.2f");
	table_column(table, "seconds", "CPU s per s", "%.4g");
	table_column(table, "relative", "of the least", "%.3f");
	table_column(table, "asked", "asked per force event", "%.4g");
	table_column(table, "reschedules_per_force_event", "rescheduled", "%.4g");
	table_column(table, "failed", "failed per s", "%.4g");
	table_column(table, "simulated", "over [s]", "%.3g");
	table_column(table, "same_motion", "motion", NULL);
	return table;
}

static bool run_loss(Bench *bench, double loss, const TrialResult **result, GError **error)
{
	g_autofree char *text = g_strdup_printf("contact.quality_loss=%g", loss);
	TrialRow row = {"", {"contact.detect=cone", TRIANGLES, text}, 1, 0.5};
	*result = thesis_trial(bench, THESIS_CRUSH, &row, error);
	return *result != NULL;
}

bool part_thesis_8_3(Bench *bench, GError **error)
{
	const TrialResult *results[N_LOSSES];
	double least = INFINITY, best = NAN;
	for (int i = 0; i < N_LOSSES; i++) {
		if (!run_loss(bench, losses[i], &results[i], error))
			return false;
		best = results[i]->seconds < least ? losses[i] : best;
		least = fmin(least, results[i]->seconds);
	}
	Table *table = bench_add(bench, loss_table(thesis_subject(bench, THESIS_CRUSH)));
	for (int i = 0; i < N_LOSSES; i++) {
		table_number(table, losses[i]);
		table_number(table, results[i]->seconds);
		table_number(table, results[i]->seconds / least);
		table_number(table, results[i]->asked / results[i]->forces);
		table_number(table, results[i]->reschedules);
		table_number(table, results[i]->failed);
		table_number(table, results[i]->simulated);
		table_flag(table, thesis_same_motion(bench, THESIS_CRUSH, results[i]), "the same", "DIFFERENT");
	}
	table_fact(table, "best", best);
	table_fact(table, "thesis_best", 0.7);
	table_note(table, "Least at %g; the thesis: about 0.7, on its own crushed shell.", best);
	return true;
}

/* --- Figure 8.4: share rescheduled -------------------------------------------------------------------------------- */

static Table *share_table(void)
{
	Table *table = table_new("thesis_8_4", "Figure 8.4: certificates rescheduled, as a share of those of the baseline");
	table_column(table, "example", "example", NULL);
	table_column(table, "baseline", "baseline, per force event", "%.4g");
	for (int i = 1; i < N_STEPS; i++) {
		g_autofree char *key = g_strdelimit(g_strdup(steps[i].row.name), " -,", '_');
		g_autofree char *heading = g_strdup_printf("%s %%", steps[i].row.name);
		table_column(table, g_intern_string(key), g_intern_string(heading), "%.3g");
	}
	return table;
}

static bool add_shares(Bench *bench, Table *table, ThesisScene scene, GError **error)
{
	const TrialResult *base = thesis_trial(bench, scene, &steps[0].row, error);
	if (base == NULL)
		return false;
	table_text(table, thesis_examples[scene].name);
	table_number(table, base->reschedules);
	for (int i = 1; i < N_STEPS; i++) {
		const TrialResult *result = thesis_trial(bench, scene, &steps[i].row, error);
		if (result == NULL)
			return false;
		table_number(table, 100.0 * result->rescheduled / base->rescheduled);
	}
	return true;
}

bool part_thesis_8_4(Bench *bench, GError **error)
{
	Table *table = share_table();
	for (int scene = 0; scene < THESIS_SCENES; scene++) {
		if (!add_shares(bench, table, scene, error)) {
			table_free(table);
			return false;
		}
	}
	bench_add(bench, table);
	table_note(table, "The thesis, with all of its optimisations: 5 to 12%%.");
	note_states(bench, table);
	return true;
}

/* --- Figure 8.5: the queue over time ------------------------------------------------------------------------------ */

enum { QUEUE_PRIMITIVES, QUEUE_TRIANGLES, QUEUE_TUBES, N_QUEUES };
static const struct {
	const char *key;
	TrialRow row;
} queues[N_QUEUES] = {
    [QUEUE_PRIMITIVES] = {"primitives", {"primitive pairs", {"contact.detect=cone"}, 1, 1.0}},
    [QUEUE_TRIANGLES] = {"triangles", {"triangles", {"contact.detect=cone", TRIANGLES}, 1, 1.0}},
    [QUEUE_TUBES] = {"tubes", {"tubes", {"contact.detect=tube"}, 1, 1.0}},
};

static void add_queues(Bench *bench, const Subject *subject, const TrialResult *results)
{
	Table *table = bench_add(bench, table_new("thesis_8_5", "Figure 8.5: events in the queue over time, %s", subject->name));
	table_column(table, "time", "t [s]", "%.3f");
	for (int i = 0; i < N_QUEUES; i++)
		table_column(table, queues[i].key, queues[i].row.name, "%.0f");
	for (guint k = 0; k < results[0].samples->len; k++) {
		table_number(table, g_array_index(results[0].samples, TrialSample, k).time);
		for (int i = 0; i < N_QUEUES; i++)
			table_number(table, g_array_index(results[i].samples, TrialSample, k).queue);
	}
	double less = 1.0 - results[QUEUE_TRIANGLES].queue / results[QUEUE_PRIMITIVES].queue;
	table_fact(table, "less", less);
	table_fact(table, "thesis_less", 0.15);
	table_note(table, "The first %g s of %g s, with velocity cones. Certificates of triangles make the queue %.0f%% shorter; in the thesis, over the\n"
	                  "whole run, 15%%.",
	    results[0].simulated, thesis_examples[THESIS_DRAPE].end, 100.0 * less);
}

bool part_thesis_8_5(Bench *bench, GError **error)
{
	TrialResult results[N_QUEUES] = {{0}};
	double length = bench->small ? 0.02 : 0.1;
	TrialPlan plan = {length, length, 20};
	Subject *subject = thesis_start(bench, THESIS_DRAPE, SIZE_PREVIEW);
	bool good = true;
	for (int i = 0; good && i < N_QUEUES; i++) {
		good = trial_run(subject, &queues[i].row, &plan, &results[i], error);
		bench->differs |= good && strcmp(results[i].motion, results[0].motion) != 0;
	}
	if (good)
		add_queues(bench, subject, results);
	bench_clear(results, N_QUEUES);
	subject_free(subject);
	return good;
}

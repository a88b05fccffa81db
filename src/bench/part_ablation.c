/* Ways of finding contact, one beside the other: the optimisations of thesis chapter 8 and the broad phases of chapter 7. A new
 * option is a row. */
#include "bench/bench.h"
#include <string.h>

#define SLOW 0.2 /* of the stretch: rows that take a hundred times as long as the floor */

/* Certificates as in chapter 5, and one thing of chapter 8 at a time. */
#define EXACT "contact.detect=cone", "contact.quality_loss=0"
#define PLAIN "contact.short_circuit=false", "contact.axis_order=fixed"

static const TrialRow ablation_rows[] = {
    {"tube", {"contact.detect=tube", "contact.near_field=true"}, 1, 1.0},
    {"tube, 2 threads", {"contact.detect=tube", "contact.near_field=true"}, 2, 1.0},
    {"tube, without charts", {"contact.detect=tube", "contact.near_field=false"}, 1, 1.0},
    {"all of chapter 8", {"contact.detect=cone", "contact.wake=elements"}, 1, SLOW},
    {"velocity cones", {"contact.detect=cone", PLAIN}, 1, SLOW},
    {"velocity cones, all or nothing", {EXACT, PLAIN, "contact.cones=all"}, 1, SLOW},
    {"short-circuited scheduling", {EXACT, "contact.axis_order=fixed"}, 1, SLOW},
    {"axes in order of use", {EXACT, "contact.short_circuit=false"}, 1, SLOW},
    {"triangle slabs", {EXACT, PLAIN, "contact.slabs=elements"}, 1, SLOW},
    {"triangle slabs, all features", {EXACT, PLAIN, "contact.slabs=elements", "contact.features=all"}, 1, SLOW},
    {"triangle forces", {EXACT, PLAIN, "contact.wake=elements"}, 1, SLOW},
    {"triangle forces, all features", {EXACT, PLAIN, "contact.wake=elements", "contact.features=all"}, 1, SLOW},
    {"triangle forces, 1/valence", {EXACT, PLAIN, "contact.wake=elements", BENCH_OTHER_MOTION}, 1, SLOW},
    {"none of chapter 8", {EXACT, PLAIN}, 1, SLOW},
    {"kinetic grid", {"contact.detect=grid", "contact.removal=lazy"}, 1, SLOW},
    {"naive", {"contact.detect=naive"}, 1, SLOW},
};

static const TrialRow broad_rows[] = {
    {"tubes over chords of 18-DOPs", {"contact.detect=tube"}, 1, 1.0},
    {"18-DOPs, naive", {"contact.detect=naive"}, 1, SLOW},
    {"AABBs", {EXACT, PLAIN, "contact.broad_phase=aabb"}, 1, SLOW},
    {"8-DOPs, in a plane", {EXACT, PLAIN, "contact.broad_phase=8-dop"}, 1, SLOW},
    {"18-DOPs", {EXACT, PLAIN, "contact.broad_phase=18-dop"}, 1, SLOW},
    {"26-DOPs", {EXACT, PLAIN, "contact.broad_phase=26-dop"}, 1, SLOW},
    {"spheres", {EXACT, PLAIN, "contact.broad_phase=sphere"}, 1, SLOW},
    {"grid, lazy removal", {EXACT, "contact.broad_phase=grid", "contact.removal=lazy"}, 1, SLOW},
    {"grid, active removal", {EXACT, "contact.broad_phase=grid", "contact.removal=active"}, 1, SLOW},
    {"AABBs, with chapter 8", {"contact.detect=cone", "contact.broad_phase=aabb"}, 1, SLOW},
    {"8-DOPs, in a plane, with chapter 8", {"contact.detect=cone", "contact.broad_phase=8-dop"}, 1, SLOW},
    {"18-DOPs, with chapter 8", {"contact.detect=cone", "contact.broad_phase=18-dop"}, 1, SLOW},
    {"26-DOPs, with chapter 8", {"contact.detect=cone", "contact.broad_phase=26-dop"}, 1, SLOW},
    {"spheres, with chapter 8", {"contact.detect=cone", "contact.broad_phase=sphere"}, 1, SLOW},
    {"grid, lazy removal, with cones", {"contact.detect=cone", "contact.broad_phase=grid", "contact.removal=lazy"}, 1, SLOW},
    {"grid, active removal, with cones", {"contact.detect=cone", "contact.broad_phase=grid", "contact.removal=active"}, 1, SLOW},
};

/* The forces of this row are the floor. */
enum { BASE = 0 };

static void add_motion(Table *table, const TrialRow *row, const TrialResult *result, const TrialResult *base)
{
	table_flag(table, strcmp(result->motion, base->motion) == 0, "the same", bench_has_other_motion(row) ? "its own" : "DIFFERENT");
}

static void add_ablation(Table *table, const TrialRow *rows, const TrialResult *results, size_t n)
{
	table_column(table, "name", "contact", NULL);
	table_column(table, "seconds", "CPU s per s", "%.4g");
	table_column(table, "over_floor", "over floor", "%.3g");
	table_column(table, "certificate_percent", "certificates %", "%.1f");
	table_column(table, "certificate_share", "share", "%.3f");
	table_column(table, "reschedules_per_force_event", "rescheduled per force event", "%.4g");
	table_column(table, "certificates", "alive", "%.0f");
	table_column(table, "queue", "queue, mean", "%.0f");
	table_column(table, "simulated", "over [s]", "%.3g");
	table_column(table, "same_motion", "motion", NULL);
	for (size_t i = 0; i < n; i++) {
		const TrialResult *result = &results[i];
		table_text(table, rows[i].name);
		table_number(table, result->seconds);
		table_number(table, result->wall / results[BASE].floor);
		table_number(table, 100.0 * result->share);
		table_number(table, result->share);
		table_number(table, result->reschedules);
		table_number(table, (double)result->last.alive);
		table_number(table, result->queue);
		table_number(table, result->simulated);
		add_motion(table, &rows[i], result, &results[BASE]);
	}
}

static void add_stretch(const Bench *bench, Table *table, const TrialRow *rows, const TrialResult *results)
{
	table_fact_text(table, "scene", bench->tight->name);
	table_fact(table, "from", bench->tight->at);
	table_fact(table, "for", bench->length);
	table_fact(table, "floor", results[BASE].floor);
	table_note(table,
	    "Over floor: wall time over that of forces and layers of \"%s\", %.4g s per simulated second.", rows[BASE].name,
	    results[BASE].floor);
}

static TrialPlan plan_for(const Bench *bench, const TrialRow *rows, size_t n, unsigned slices)
{
	return (TrialPlan){bench->length, trial_least_share(rows, n) * bench->length, slices};
}

bool part_ablation(Bench *bench, GError **error)
{
	enum { N = G_N_ELEMENTS(ablation_rows) };
	TrialResult results[N] = {{0}};
	TrialPlan plan = plan_for(bench, ablation_rows, N, 20);
	bool good = bench_rows(bench, bench->tight, ablation_rows, N, &plan, results, error);
	if (good) {
		Table *table = bench_add(bench, table_new("ablation", "Ways of finding contact: %s from t = %g s", bench->tight->name, bench->tight->at));
		add_ablation(table, ablation_rows, results, N);
		add_stretch(bench, table, ablation_rows, results);
		table_note(table, "Rescheduled: certificates computed anew because a velocity changed.");
	}
	bench_clear(results, N);
	return good;
}

static void add_broad(Table *table, const TrialRow *rows, const TrialResult *results, size_t n)
{
	table_column(table, "name", "broad phase", NULL);
	table_column(table, "seconds", "CPU s per s", "%.4g");
	table_column(table, "over_floor", "over floor", "%.3g");
	table_column(table, "certificate_share", "certificates' share", "%.3f");
	table_column(table, "reschedules_per_force_event", "rescheduled per force event", "%.4g");
	table_column(table, "queue", "queue, mean", "%.0f");
	table_column(table, "most_queue", "most", "%.0f");
	table_column(table, "certificates", "certificates", "%.0f");
	table_column(table, "pairs", "primitive pairs", "%.0f");
	table_column(table, "failed", "failed per s", "%.4g");
	table_column(table, "simulated", "over [s]", "%.3g");
	table_column(table, "same_motion", "motion", NULL);
	for (size_t i = 0; i < n; i++) {
		const TrialResult *result = &results[i];
		table_text(table, rows[i].name);
		table_number(table, result->seconds);
		table_number(table, result->wall / results[BASE].floor);
		table_number(table, result->share);
		table_number(table, result->reschedules);
		table_number(table, result->queue);
		table_number(table, result->most_queue);
		table_number(table, (double)result->last.alive);
		table_number(table, (double)result->last.pairs);
		table_number(table, result->failed);
		table_number(table, result->simulated);
		add_motion(table, &rows[i], result, &results[BASE]);
	}
}

bool part_broad(Bench *bench, GError **error)
{
	enum { N = G_N_ELEMENTS(broad_rows) };
	TrialResult results[N] = {{0}};
	TrialPlan plan = plan_for(bench, broad_rows, N, 20);
	bool good = bench_rows(bench, bench->tight, broad_rows, N, &plan, results, error);
	if (good) {
		Table *table = bench_add(bench, table_new("broad", "Broad phases: %s from t = %g s", bench->tight->name, bench->tight->at));
		add_broad(table, broad_rows, results, N);
		add_stretch(bench, table, broad_rows, results);
	}
	bench_clear(results, N);
	return good;
}

const TrialRow *part_ablation_rows(size_t *n)
{
	*n = G_N_ELEMENTS(ablation_rows);
	return ablation_rows;
}

const TrialRow *part_broad_rows(size_t *n)
{
	*n = G_N_ELEMENTS(broad_rows);
	return broad_rows;
}

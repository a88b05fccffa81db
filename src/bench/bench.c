#include "bench/bench.h"
#include <string.h>

const Part bench_parts[] = {
    {"ablation", "what each way of finding contact costs over the forces themselves (thesis table 8.1)", part_ablation, true, true},
    {"broad", "broad phases: time, certificates and events in the queue (thesis table 7.1)", part_broad, true, true},
    {"scaling", "sheets draped in a pile, from 500 to 30,000 vertices, with one and two threads", part_scaling, true, false},
    {"fall", "a sheet in free fall: the share of certificates, and memory per vertex", part_fall, true, false},
    {"thesis:6.2", "whole examples of the thesis; here and below beside its own figures", part_thesis_6_2, false, false},
    {"thesis:6.7", "the share of vertices in deep layers as walls close", part_thesis_6_7, false, false},
    {"thesis:6.9", "time over eta1", part_thesis_6_9, false, false},
    {"thesis:7.1", "broad phases in all examples", part_thesis_7_1, false, false},
    {"thesis:8.1", "its optimisations in all examples, one after the other", part_thesis_8_1, false, false},
    {"thesis:8.2", "how many axes of bounds it takes to know enough", part_thesis_8_2, false, false},
    {"thesis:8.3", "time over the quality loss of velocity cones", part_thesis_8_3, false, false},
    {"thesis:8.4", "the share of certificates that are rescheduled", part_thesis_8_4, false, false},
    {"thesis:8.5", "the queue over time", part_thesis_8_5, false, false},
};

size_t bench_n_parts(void)
{
	return G_N_ELEMENTS(bench_parts);
}

bool bench_part_matches(const Part *part, const char *name)
{
	size_t length = strlen(name);
	return strncmp(part->name, name, length) == 0 && (part->name[length] == '\0' || part->name[length] == ':');
}

const Part *bench_part(const char *name)
{
	for (size_t i = 0; i < bench_n_parts(); i++)
		if (bench_part_matches(&bench_parts[i], name))
			return &bench_parts[i];
	return NULL;
}

Table *bench_add(Bench *bench, Table *table)
{
	g_ptr_array_add(bench->tables, table);
	return table;
}

bool bench_has_other_motion(const TrialRow *row)
{
	return g_strv_contains(row->overrides, BENCH_OTHER_MOTION);
}

bool bench_rows(Bench *bench, Subject *subject, const TrialRow *rows, size_t n, const TrialPlan *plan,
    TrialResult *results, GError **error)
{
	for (size_t i = 0; i < n; i++) {
		if (!trial_run(subject, &rows[i], plan, &results[i], error))
			return false;
		bench->differs |= !bench_has_other_motion(&rows[i]) && strcmp(results[i].motion, results[0].motion) != 0;
	}
	return true;
}

void bench_clear(TrialResult *results, size_t n)
{
	for (size_t i = 0; i < n; i++)
		trial_clear(&results[i]);
}

#include "bench/bench.h"
#include <string.h>

const Part bench_parts[] = {
    {"ablation", "what each way of finding contact costs over the forces themselves (thesis table 8.1)", part_ablation, true, true},
    {"broad", "broad phases: time, certificates and events in the queue (thesis table 7.1)", part_broad, true, true},
    {"scaling", "sheets draped in a pile, from 500 to 30,000 vertices, with one and two threads", part_scaling, true, false},
    {"fall", "a sheet in free fall: the share of certificates, and memory per vertex", part_fall, true, false},
};

size_t bench_n_parts(void)
{
	return G_N_ELEMENTS(bench_parts);
}

const Part *bench_part(const char *name)
{
	for (size_t i = 0; i < bench_n_parts(); i++)
		if (strcmp(bench_parts[i].name, name) == 0)
			return &bench_parts[i];
	return NULL;
}

Table *bench_add(Bench *bench, Table *table)
{
	g_ptr_array_add(bench->tables, table);
	return table;
}

bool bench_rows(Bench *bench, Subject *subject, const TrialRow *rows, size_t n, const TrialPlan *plan,
    TrialResult *results, GError **error)
{
	for (size_t i = 0; i < n; i++) {
		if (!trial_run(subject, &rows[i], plan, &results[i], error))
			return false;
		bench->differs |= strcmp(results[i].motion, results[0].motion) != 0;
	}
	return true;
}

void bench_clear(TrialResult *results, size_t n)
{
	for (size_t i = 0; i < n; i++)
		trial_clear(&results[i]);
}

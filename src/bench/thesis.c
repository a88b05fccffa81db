#include "bench/thesis.h"
#include <math.h>
#include <string.h>

const ThesisExample thesis_examples[THESIS_SCENES] = {
    [THESIS_BALLS] = {"Box of Balls", "box900", {{NULL}, {NULL}, {NULL}}, 1.0, 0.02, 10.0, 4.0, NAN, NAN, NAN},
    [THESIS_CRUSH] = {"Bunny Crusher", "crush", {{"size=full"}, {"size=preview"}, {"meshes.hare.vertices=200"}}, 1.15, 1.15, 0.5,
        2.0, 1768, 2.0, 1.6775},
    [THESIS_REEF] = {"Reef Knot", "reef", {{"size=full"}, {"size=preview"}, {"size=preview"}}, 2.0, 0.3, 0.5, 5.4, 10642, 5.4, 35.2347},
    [THESIS_BOWLINE] = {"Bowline", "bowline", {{"size=full"}, {"size=preview"}, {"size=preview"}}, 2.0, 0.3, 0.5, 5.0, 3995, 5.0, 86.5775},
    [THESIS_DRAPE] = {"Two Cloth Drape", "nails",
        {{"size=full"}, {"size=preview"},
            {"meshes.lower.cells=[10, 12]", "meshes.upper.cells=[10, 12]", "meshes.nails.count=[3, 3]"}},
        0.1, 0.03, 0.03, 2.5, 15982, 2.5, 77.6616},
};

struct Thesis {
	Subject *subject[THESIS_SCENES];
	GHashTable *trial;          /* what was measured -> TrialResult */
	char *motion[THESIS_SCENES]; /* of the first row of each */
};

static void free_result(gpointer result)
{
	trial_clear(result);
	g_free(result);
}

Thesis *thesis_new(void)
{
	Thesis *thesis = g_new0(Thesis, 1);
	thesis->trial = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_result);
	return thesis;
}

void thesis_free(Thesis *thesis)
{
	if (thesis == NULL)
		return;
	for (int i = 0; i < THESIS_SCENES; i++) {
		subject_free(thesis->subject[i]);
		g_free(thesis->motion[i]);
	}
	g_hash_table_unref(thesis->trial);
	g_free(thesis);
}

double thesis_rate(ThesisScene scene, double hours)
{
	return 3600.0 * hours / thesis_examples[scene].seconds;
}

static Subject *make(ThesisScene scene, ThesisSize size, double at)
{
	const ThesisExample *example = &thesis_examples[scene];
	return subject_of_scene(example->scene, example->overrides[size], at);
}

Subject *thesis_subject(Bench *bench, ThesisScene scene)
{
	const ThesisExample *example = &thesis_examples[scene];
	Subject **subject = &bench->thesis->subject[scene];
	if (*subject == NULL) {
		*subject = make(scene, bench->small ? SIZE_SMALL : SIZE_FULL, bench->small ? example->small_at : example->at);
		(*subject)->cache = bench->tight->cache ? g_strdup_printf("%s.%s", bench->tight->cache, example->scene) : NULL;
	}
	return *subject;
}

Subject *thesis_start(const Bench *bench, ThesisScene scene, ThesisSize size)
{
	return make(scene, bench->small ? SIZE_SMALL : size, 0.0);
}

/* The same for all rows, so that every motion can be compared. */
static TrialPlan plan_of(const Bench *bench, ThesisScene scene)
{
	size_t n;
	const TrialRow *rows = part_ablation_rows(&n);
	double least = fmin(THESIS_SLOW, trial_least_share(rows, n));
	rows = part_broad_rows(&n);
	least = fmin(least, trial_least_share(rows, n));
	double length = bench->length * (bench->small ? 1.0 : thesis_examples[scene].stretch);
	return (TrialPlan){length, least * length, 20};
}

const TrialResult *thesis_trial(Bench *bench, ThesisScene scene, const TrialRow *row, GError **error)
{
	Thesis *thesis = bench->thesis;
	g_autofree char *overrides = g_strjoinv(" ", (char **)row->overrides);
	char *key = g_strdup_printf("%d %u %s", scene, row->threads, overrides);
	TrialResult *result = g_hash_table_lookup(thesis->trial, key);
	if (result != NULL) {
		g_free(key);
		return result;
	}
	TrialPlan plan = plan_of(bench, scene);
	result = g_new0(TrialResult, 1);
	g_hash_table_insert(thesis->trial, key, result);
	if (!trial_run(thesis_subject(bench, scene), row, &plan, result, error)) {
		g_hash_table_remove(thesis->trial, key);
		return NULL;
	}
	if (thesis->motion[scene] == NULL)
		thesis->motion[scene] = g_strdup(result->motion);
	bench->differs |= !thesis_same_motion(bench, scene, result);
	return result;
}

bool thesis_same_motion(const Bench *bench, ThesisScene scene, const TrialResult *result)
{
	return strcmp(bench->thesis->motion[scene], result->motion) == 0;
}

void thesis_note(Table *table)
{
	table_note(table,
	    "The thesis: one thread of a 2.33 GHz Xeon with 8 GB, of its time. Scenes are ours, with its sizes, materials and layers\n"
	    "where it gives them, and widths, forces, meshes and obstacles of our own: compare ratios, not seconds.");
}

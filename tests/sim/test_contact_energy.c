/* Contact without losses keeps energy and momentum: a crowded stack, and many impacts one after the other. */
#include "support/scenes.h"

enum { SAMPLES = 64 };

typedef struct {
	double energy[SAMPLES + 1]; /* [energy] total */
	double scale;               /* [energy] of what moves */
	double momentum;            /* largest difference of momentum and what came in, over the largest of either */
	ContactCount count;
	uint64_t impacts;           /* pairs that came into range of layer 1, as far as looks at intervals see them: at least */
} Record;

typedef struct {
	GHashTable *before, *now; /* keys of pairs in range at the last look and at this one */
	uint64_t impacts;
} ImpactCounter;

static void count_impact(const ContactVisit *visit, void *data)
{
	ImpactCounter *counter = data;
	gint64 *key = g_memdup2(&visit->pair->key, sizeof *key);
	if (visit->layer == 1 && !g_hash_table_contains(counter->before, key))
		counter->impacts++;
	g_hash_table_add(counter->now, key);
}

/* Advances with looks at who is in range, as often as a fast pair needs to go into layer 1 and out again. */
static void advance_counting(Simulation *simulation, double until, ImpactCounter *counter)
{
	const Contact *contact = simulation->contact;
	double from = simulation->avi->time, interval = 4.0 * surface_bin_step(contact->surface, 0);
	uint64_t looks = (uint64_t)((until - from) / interval) + 1;
	for (uint64_t i = 1; i <= looks; i++) {
		GHashTable *last = counter->before;
		scenes_advance(simulation, i == looks ? until : from + (until - from) * (double)i / (double)looks);
		contact_visit(contact, simulation->avi->time, count_impact, counter);
		counter->before = counter->now;
		counter->now = last;
		g_hash_table_remove_all(last);
	}
}

/* ./check --full sets it: the whole length of the runs. */
static bool full(void)
{
	return g_getenv("CINCH_FULL") != NULL;
}

static Record record_of(Simulation *simulation, double end)
{
	Record record = {0};
	double first[LEDGER_N], row[LEDGER_N], off = 0.0, size = 0.0;
	ImpactCounter counter = {g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
	    g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL), 0};
	ledger_compute(simulation, 0.0, first);
	record.energy[0] = first[LEDGER_TOTAL];
	for (int i = 1; i <= SAMPLES; i++) {
		advance_counting(simulation, end * i / SAMPLES, &counter);
		ledger_compute(simulation, simulation->avi->time, row);
		record.energy[i] = row[LEDGER_TOTAL];
		record.scale = fmax(record.scale, row[LEDGER_KINETIC]);
		for (int k = 0; k < 3; k++) {
			double gained = row[LEDGER_MOMENTUM + k] - first[LEDGER_MOMENTUM + k];
			off = fmax(off, fabs(gained - row[LEDGER_IMPULSE + k]));
			size = fmax(size, fmax(fabs(gained), fabs(row[LEDGER_MOMENTUM + k])));
			gained = row[LEDGER_ANGULAR_MOMENTUM + k] - first[LEDGER_ANGULAR_MOMENTUM + k];
			off = fmax(off, fabs(gained - row[LEDGER_ANGULAR_IMPULSE + k]));
			size = fmax(size, fabs(row[LEDGER_ANGULAR_MOMENTUM + k]));
		}
	}
	record.momentum = off / size;
	record.count = simulation->contact->count;
	record.impacts = counter.impacts;
	g_hash_table_unref(counter.before);
	g_hash_table_unref(counter.now);
	simulation_free(simulation);
	return record;
}

static Record run(const char *scene, double end)
{
	g_autofree char *json = g_strdelimit(g_strdup(scene), "'", '"');
	return record_of(scenes_load(json), end);
}

/* The largest change of the energy since the start. */
static double largest_change(const Record *record)
{
	double most = 0.0;
	for (int i = 1; i <= SAMPLES; i++)
		most = fmax(most, fabs(record->energy[i] - record->energy[0]));
	return most;
}

/* A trend stands out from the steps from sample to sample, which go up and down as the impacts' phases fall: the mean step
 * over its standard error, over all runs of an ensemble. */
static double trend_of_many(const Record *records, size_t n_runs)
{
	size_t n = n_runs * SAMPLES;
	double mean = 0.0, variance = 0.0;
	for (size_t k = 0; k < n_runs; k++)
		mean += (records[k].energy[SAMPLES] - records[k].energy[0]) / (double)n;
	for (size_t k = 0; k < n_runs; k++)
		for (int i = 1; i <= SAMPLES; i++) {
			double off = records[k].energy[i] - records[k].energy[i - 1] - mean;
			variance += off * off / (double)(n - 1);
		}
	return mean / sqrt(variance / (double)n);
}

/* The same from what each run has changed by in all. */
static double trend_of_runs(const Record *records, size_t n_runs)
{
	double mean = 0.0, variance = 0.0;
	for (size_t k = 0; k < n_runs; k++)
		mean += (records[k].energy[SAMPLES] - records[k].energy[0]) / (double)n_runs;
	for (size_t k = 0; k < n_runs; k++) {
		double off = records[k].energy[SAMPLES] - records[k].energy[0] - mean;
		variance += off * off / (double)(n_runs - 1);
	}
	return mean / sqrt(variance / (double)n_runs);
}

static double trend(const Record *record)
{
	return trend_of_many(record, 1);
}

/* A ribbon folded twice falls flat on the floor and on itself, and bounces there. The energy above the floor is 429 erg. */
static const char *stack =
    "{'units': 'cgs', 'materials': {'m': {'stretch_stiffness': 2000, 'bend_stiffness': 0.5, 'density': 0.05}},"
    " 'meshes': [{'name': 'r', 'generate': 'ribbon', 'width': 1.5, 'cell_length': 0.5, 'cells_across': 3,"
    "   'path': [[0, 0.25, 0], [1.5, 0.25, 0], [3, 0.25, 0], [3.17, 0.42, 0], [3, 0.6, 0], [1.5, 0.6, 0], [0, 0.6, 0],"
    "     [-0.17, 0.77, 0], [0, 0.95, 0], [1.5, 0.95, 0], [3, 0.95, 0]],"
    "   'normal': [0, 1, 0], 'rest': 'as_built', 'material': 'm'},"
    "  {'name': 'floor', 'generate': 'sheet', 'size': [10, 10], 'cells': [1, 1], 'material': 'm',"
    "   'rotate': [{'axis': [1, 0, 0], 'angle': -90}], 'pinned': true}],"
    " 'contact': {'eta1': 0.17, 'r1': 300, 'accuracy': 2}, 'time': {'end': 2, 'safety': 0.15}}";

Test(contact_energy, of_a_crowded_stack, .timeout = 900)
{
	Record record = run(stack, full() ? 2.0 : 0.25);
	cr_log_info("stack: %u pairs in range of one vertex, layer %u; energy within %.3f%%; momentum to %.1e",
	    record.count.most_crowded, record.count.deepest, 100 * largest_change(&record) / record.energy[0], record.momentum);
	cr_assert_gt(record.count.most_crowded, 50);
	cr_assert_lt(largest_change(&record), 0.005 * record.energy[0]);
	cr_assert_lt(record.momentum, 1e-10);
}

/* Thesis figure 6.1a: a particle on a spring that hits a wall in every swing; about ten thousand times. An impact in the
 * middle of a step of the spring changes the energy by up to that step times force times velocity, up or down: so steps
 * are small here. */
static const char *spring =
    "{'units': 'si', 'gravity': [0, 0, 0], 'materials': {'m': {'stretch_stiffness': 100, 'line_density': 0.2}},"
    " 'meshes': [{'name': 'wall', 'generate': 'chain', 'points': [[1.05, -0.5, 0], [1.05, 0.5, 0]], 'material': 'm',"
    "   'pinned': true},"
    "  {'name': 's', 'generate': 'chain', 'points': [[0, 0, 0], [1, 0, 0]], 'material': 'm', 'velocity': [-3, 0, 0]}],"
    " 'pins': ['s.start'], 'contact': {'eta1': 0.02, 'r1': 20000, 'accuracy': 4}, 'time': {'end': 2000, 'safety': 0.01}}";

Test(contact_energy, of_a_particle_that_hits_a_wall_again_and_again, .timeout = 900)
{
	Record record = run(spring, 1200.0); /* 0.12 s per swing */
	cr_log_info("spring: %lu impacts, layer %u, energy within %.2f%% of what moves, trend %.1f standard errors", (unsigned long)record.impacts,
	    record.count.deepest, 100 * largest_change(&record) / record.scale, trend(&record));
	cr_assert_lt(fabs(trend(&record)), 3.0);
	cr_assert_lt(largest_change(&record), 0.05 * record.scale);
}

/* A gas of discs in a box: more than ten thousand impacts, in the first few layers. */
static const char *gas =
    "{'units': 'cgs', 'gravity': [0, 0, 0], 'materials': {'disc': {'particle_mass': 0.01}, 'wall': {'line_density': 1}},"
    " 'meshes': [{'name': 'box', 'generate': 'chain', 'points': [[-5, -5, 0], [5, -5, 0], [5, 5, 0], [-5, 5, 0]],"
    "   'closed': true, 'material': 'wall', 'pinned': true},"
    "  {'name': 'discs', 'generate': 'particles', 'size': [9.6, 9.6, 1], 'count': [10, 10, 1], 'material': 'disc',"
    "   'thickness': 0.4, 'random_velocity': [20, 20, 0], 'seed': 1}],"
    " 'contact': {'eta1': 0.1, 'speed': 80, 'accuracy': 3}, 'time': {'end': 20}}";

Test(contact_energy, of_a_gas, .timeout = 900)
{
	/* By kinetic theory some 1000 impacts of discs per second. */
	Record record = run(gas, full() ? 12.0 : 2.0);
	cr_log_info("gas: %lu impacts, layer %u, energy within %.3f%%, trend %.1f standard errors; momentum to %.1e", (unsigned long)record.impacts,
	    record.count.deepest, 100 * largest_change(&record) / record.energy[0], trend(&record), record.momentum);
	cr_assert_lt(fabs(trend(&record)), 3.0);
	cr_assert_lt(largest_change(&record), 0.01 * record.energy[0]);
	cr_assert_lt(record.momentum, 1e-10);
}

/* The meetings of thesis figures 6.1b and c over and over, with coarse meshes. The ball and the plate are shut in a box, where
 * their vibrations soon take most of the energy and impacts become rare: so they are thrown many times, at random. The
 * ball in the wedge falls again and again. Layers are stiff, so that impacts stay shallow. When motion becomes vibration, its
 * energy is measured with the error of the steps of the elastic forces: the first meeting shifts the mean by -3e-4 of what
 * moves at safety 0.1, whatever the steps of contact, and by less than 3e-5 at 0.05. That is no trend: it happens once. */
static const char *shut_in =
    "{'units': 'si', 'gravity': [0, 0, 0], 'materials': {"
    "   'soft': {'young': 1e5, 'poisson': 0.4, 'thickness': 0.005, 'density': 1000},"
    "   'stiff': {'young': 1e6, 'poisson': 0.3, 'thickness': 0.005, 'density': 2000}},"
    " 'meshes': [{'name': 'plate', 'generate': 'sheet', 'size': [0.3, 0.3], 'cells': [4, 4], 'material': 'stiff',"
    "   'rotate': [{'axis': [1, 0, 0], 'angle': -90}]},"
    "  {'name': 'ball', 'generate': 'sphere', 'radius': 0.05, 'subdivisions': 1, 'material': 'soft', 'at': [0.01, 0.1, 0.005],"
    "   'velocity': [%.17g, -3, %.17g]},"
    "  {'name': 'box', 'generate': 'box', 'size': [0.5, 0.4, 0.5], 'material': 'stiff', 'pinned': true}],"
    " 'contact': {'speed': 24, 'accuracy': 4}, 'time': {'end': 1000, 'safety': 0.05}}";

static const char *wedge =
    "{'units': 'si', 'materials': {'rubber': {'young': 2e5, 'poisson': 0.3, 'thickness': 0.005, 'density': 1000}},"
    " 'meshes': [{'name': 'right', 'generate': 'sheet', 'size': [2, 2], 'cells': [1, 1], 'material': 'rubber', 'pinned': true,"
    "   'rotate': [{'axis': [0, 1, 0], 'angle': 90}, {'axis': [0, 0, 1], 'angle': -40}], 'at': [0.65, 0.76, 0]},"
    "  {'name': 'left', 'generate': 'sheet', 'size': [2, 2], 'cells': [1, 1], 'material': 'rubber', 'pinned': true,"
    "   'rotate': [{'axis': [0, 1, 0], 'angle': 90}, {'axis': [0, 0, 1], 'angle': 40}], 'at': [-0.65, 0.76, 0]},"
    "  {'name': 'ball', 'generate': 'sphere', 'radius': 0.05, 'subdivisions': 1, 'material': 'rubber', 'at': [0.01, 0.24, 0],"
    "   'velocity': [0.5, 0, 0]}],"
    " 'contact': {'speed': 8, 'accuracy': 2}, 'time': {'end': 1000, 'safety': 0.1}}";

static void check_shallow(const Record *record)
{
	cr_assert_leq(record->count.deepest, 6, "not shallow");
	cr_assert_lt(largest_change(record), 0.01 * record->scale);
	cr_assert_lt(record->momentum, 1e-10);
}

Test(contact_energy, of_a_ball_and_a_plate_over_and_over, .timeout = 3600)
{
	enum { FULL_RUNS = 60 };
	static Record records[FULL_RUNS];
	g_autofree char *format = g_strdelimit(g_strdup(shut_in), "'", '"');
	size_t n_runs = full() ? FULL_RUNS : 1;
	uint64_t seed = 3, impacts = 0;
	for (size_t k = 0; k < n_runs; k++) {
		double x = scenes_random(&seed, -1.5, 1.5), z = scenes_random(&seed, -1.5, 1.5);
		records[k] = record_of(scenes_loadf(format, x, z), 1.0);
		impacts += records[k].impacts;
		check_shallow(&records[k]);
	}
	cr_log_info("ball and plate in a box: %lu impacts in %zu runs, trend %.1f standard errors, from run to run %.1f",
	    (unsigned long)impacts, n_runs, trend_of_many(records, n_runs), n_runs > 1 ? trend_of_runs(records, n_runs) : 0.0);
	cr_assert_gt(impacts, full() ? 10000 : 100);
	cr_assert(n_runs == 1 || fabs(trend_of_runs(records, n_runs)) < 3.0);
	cr_assert_lt(fabs(trend_of_many(records, n_runs)), 3.0);
}

Test(contact_energy, of_a_ball_in_a_wedge_over_and_over, .timeout = 1800)
{
	Record record = run(wedge, full() ? 45.0 : 2.0);
	cr_log_info("ball in a wedge: %lu impacts, layer %u, energy within %.3f%% of what moves, trend %.1f standard errors; "
	            "momentum to %.1e",
	    (unsigned long)record.impacts, record.count.deepest, 100 * largest_change(&record) / record.scale, trend(&record),
	    record.momentum);
	check_shallow(&record);
	cr_assert_gt(record.impacts, full() ? 10000 : 100);
	cr_assert_lt(fabs(trend(&record)), 3.0);
}

/* Thesis figures 6.1b and c, the scenes that users run. */
static void check_scene_file(const char *name, double end)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = g_build_filename(SCENES, name, NULL);
	Scene *scene = scene_load(path, NULL, &error);
	cr_assert_not_null(scene, "%s", error ? error->message : "");
	Simulation *simulation = simulation_new(scene, &error);
	cr_assert_not_null(simulation, "%s", error ? error->message : "");
	Record record = record_of(simulation, end);
	cr_log_info("%s: %lu impacts, layer %u, energy within %.3f%% of what moves, trend %.1f standard errors; momentum to %.1e", name,
	    (unsigned long)record.impacts, record.count.deepest, 100 * largest_change(&record) / record.scale, trend(&record), record.momentum);
	cr_assert_gt(record.count.in_range, 100, "%s: nothing touches", name);
	cr_assert_lt(fabs(trend(&record)), 3.0);
	cr_assert_lt(largest_change(&record), 0.01 * record.scale);
	cr_assert_lt(record.momentum, 1e-10);
}

Test(contact_energy, of_a_ball_and_a_plate, .timeout = 1800)
{
	check_scene_file("ball_plate.json", full() ? 0.1 : 0.03);
}

Test(contact_energy, of_a_ball_in_a_wedge, .timeout = 1800)
{
	check_scene_file("wedge.json", full() ? 0.5 : 0.1);
}

/* Thesis figure 6.10 without loss. */
Test(contact_energy, of_a_box_of_particles, .timeout = 1800)
{
	check_scene_file("box900.json", full() ? 4.0 : 0.3);
}

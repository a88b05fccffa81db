/* The motion is a function of the scene alone: every detector gives the same bits, for any number of threads, and a run
 * that throws away all detection state and makes it anew does too. */
#include "support/contact_scenes.h"
#include "support/scenes.h"

enum { FRAMES = 12 };

/* Everything that the motion leaves behind: positions, velocities and the ledger, at several times. */
typedef struct {
	GByteArray *bytes;
	ContactCount count;
} Trace;

/* Advances to a time; with a seed, throwing away all detection state on the way, five times per frame or so. */
static void advance(Simulation *simulation, double until, double mean, uint64_t *seed)
{
	double now = simulation->avi->time;
	while (*seed != 0 && (now += scenes_random(seed, 0.0, 2.0 * mean)) < until) {
		scenes_advance(simulation, now);
		cr_assert(contact_rebuild(simulation->contact, now, NULL));
	}
	scenes_advance(simulation, until);
}

static void append(GByteArray *bytes, const double *values, size_t n)
{
	g_byte_array_append(bytes, (const guint8 *)values, (guint)(n * sizeof(double)));
}

static Trace run(const ContactScene *scene, const char *keys, unsigned threads, uint64_t seed)
{
	g_autofree char *json = contact_scene_text(scene, keys);
	Simulation *simulation = scenes_load(json);
	size_t n = 3 * world_vertex_count(simulation->scene->world);
	g_autofree double *values = g_new(double, n);
	Trace trace = {g_byte_array_new(), {0}};
	simulation->threads = threads;
	for (int frame = 1; frame <= FRAMES; frame++) {
		double row[LEDGER_N];
		advance(simulation, scene->end * frame / FRAMES, 0.2 * scene->end / FRAMES, &seed);
		simulation_positions(simulation, values);
		append(trace.bytes, values, n);
		simulation_velocities(simulation, values);
		append(trace.bytes, values, n);
		ledger_compute(simulation, simulation->avi->time, row);
		append(trace.bytes, row, LEDGER_N);
	}
	trace.count = simulation->contact->count;
	simulation_free(simulation);
	return trace;
}

static void check_same(const ContactScene *scene, const Trace *reference, const char *what, Trace other)
{
	size_t same = 0;
	while (same < reference->bytes->len && reference->bytes->data[same] == other.bytes->data[same])
		same++;
	cr_assert_eq(same, reference->bytes->len, "%s: %s differs at byte %zu of %u", scene->name, what, same,
	    reference->bytes->len);
	g_byte_array_unref(other.bytes);
}

static void check_scene(const ContactScene *scene, const char *law)
{
	g_autofree char *brute = g_strconcat("'detect': 'brute', ", law, NULL), *naive = g_strconcat("'detect': 'naive', ", law, NULL);
	g_autofree char *tube = g_strconcat("'detect': 'tube', ", law, NULL);
	g_autofree char *cone = g_strconcat("'detect': 'cone', ", law, NULL);
	g_autofree char *lazy = g_strconcat("'detect': 'grid', ", law, NULL);
	g_autofree char *active = g_strconcat(lazy, ", 'removal': 'active', 'cell': [0.05, 0.3, 0.04]", NULL);
	g_autofree char *bare = g_strconcat(tube, ", 'near_field': false", NULL);
	Trace reference = run(scene, brute, 1, 0);
	cr_log_info("%s, %s: %lu impulses, layer %u, smallest gap %.3g, at most %u pairs at a vertex, %lu halvings", scene->name, law,
	    (unsigned long)reference.count.in_range, reference.count.deepest, reference.count.smallest_gap,
	    reference.count.most_crowded, (unsigned long)reference.count.halvings);
	cr_assert_gt(reference.count.in_range, 1000, "%s: nothing touches", scene->name);
	check_same(scene, &reference, "naive", run(scene, naive, 1, 0));
	check_same(scene, &reference, "naive with 2 threads", run(scene, naive, 2, 0));
	check_same(scene, &reference, "naive with 4 threads", run(scene, naive, 4, 0));
	check_same(scene, &reference, "tube", run(scene, tube, 1, 0));
	check_same(scene, &reference, "tube with 2 threads", run(scene, tube, 2, 0));
	check_same(scene, &reference, "tube with 4 threads", run(scene, tube, 4, 0));
	check_same(scene, &reference, "tube without charts", run(scene, bare, 1, 0));
	check_same(scene, &reference, "cone", run(scene, cone, 1, 0));
	check_same(scene, &reference, "cone, rebuilt", run(scene, cone, 1, 555));
	check_same(scene, &reference, "grid, cells left lazily", run(scene, lazy, 1, 0));
	check_same(scene, &reference, "grid, cells left at once", run(scene, active, 1, 0));
	check_same(scene, &reference, "grid, rebuilt", run(scene, lazy, 1, 31));
	check_same(scene, &reference, "tube, rebuilt", run(scene, tube, 1, 777));
	check_same(scene, &reference, "naive, rebuilt", run(scene, naive, 1, 12345));
	check_same(scene, &reference, "brute, rebuilt", run(scene, brute, 1, 999));
	g_byte_array_unref(reference.bytes);
}

#define SCENE_TEST(i) \
	Test(twin, scene_##i, .timeout = 300) \
	{ \
		check_scene(&contact_scenes[i], "'restitution': 1"); \
	} \
	Test(twin, scene_##i##_with_losses, .timeout = 300) \
	{ \
		check_scene(&contact_scenes[i], "'restitution': 0.4, 'friction': 0.3"); \
	} \
	Test(twin, scene_##i##_without_restitution, .timeout = 300) \
	{ \
		check_scene(&contact_scenes[i], "'restitution': 0, 'friction': 0.6"); \
	}
SCENE_TEST(0)
SCENE_TEST(1)
SCENE_TEST(2)
SCENE_TEST(3)
SCENE_TEST(4)
SCENE_TEST(5)
SCENE_TEST(6)
SCENE_TEST(7)

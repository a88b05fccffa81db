/* Certificates never lie: at random times of runs in which much touches, every pair is covered and no certificate
 * outlives what it certifies. And they would be caught if they did: certificates broken on purpose fail here or give
 * another motion than brute force. */

/* This program has the certificates' source files in it, in place of the library's, with a few calls going through
 * functions that can be broken. */
#include "kds/dop.h"
#include "kds/hierarchy.h"
#include "kds/slab.h"

typedef enum {
	BROKEN_NOTHING,
	BROKEN_SLAB_LATE,   /* slabs fail 1% late */
	BROKEN_BOUNDS_LATE, /* bounds fail 1% late */
	BROKEN_FORGOTTEN,   /* one primitive pair in a hundred is forgotten */
	BROKEN_AXIS,        /* velocities along two axes are swapped in bounds */
	BROKEN_REFIT,       /* the bounds above the last of several changed vertices stay as they were */
	BROKEN_N
} Broken;

static Broken broken;

static double honest_dop_failure(const Dop *a, const Dop *b, double gap, double time);
static void honest_refit(Hierarchy *hierarchy, double time, const uint32_t *vertex, size_t n);
static double honest_slab_failure(const ContactPair *pair, const Flight *flight, Vec3 normal, double gap, double time);

static double later(double failure, double time)
{
	return failure == INFINITY || failure == -INFINITY ? failure : time + 1.01 * (failure - time);
}

static void breakable_project(Vec3 x, double *along, bool velocity)
{
	dop_project(x, along);
	if (broken == BROKEN_AXIS && velocity) {
		double swap = along[1];
		along[1] = along[2];
		along[2] = swap;
	}
}
/* A velocity is projected where the vertex's plan is named. */
#define dop_project(what, along) breakable_project((what), (along), #what[0] == 'p')
#define dop_failure honest_dop_failure
#include "../src/kds/dop.c"
#undef dop_failure
#undef dop_project

double dop_failure(const Dop *a, const Dop *b, double gap, double time)
{
	double failure = honest_dop_failure(a, b, gap, time);
	return broken == BROKEN_BOUNDS_LATE ? later(failure, time) : failure;
}

#define hierarchy_refit honest_refit
#include "../src/kds/hierarchy.c"
#undef hierarchy_refit
#undef DEFINE_COMPARE

void hierarchy_refit(Hierarchy *hierarchy, double time, const uint32_t *vertex, size_t n)
{
	honest_refit(hierarchy, time, vertex, broken == BROKEN_REFIT && n > 1 ? n - 1 : n);
}

#define slab_failure honest_slab_failure
#include "../src/kds/slab.c"
#undef slab_failure

double slab_failure(const ContactPair *pair, const Flight *flight, Vec3 normal, double gap, double time)
{
	double failure = honest_slab_failure(pair, flight, normal, gap, time);
	return broken == BROKEN_SLAB_LATE ? later(failure, time) : failure;
}

static int breakable_pairs(const Surface *surface, uint32_t a, uint32_t b, ContactPair *pairs)
{
	int n = surface_element_pairs(surface, a, b, pairs);
	return n > 0 && broken == BROKEN_FORGOTTEN && pairs[n - 1].key % 100 == 0 ? n - 1 : n;
}
#define surface_element_pairs breakable_pairs
#include "../src/kds/detector_naive.c"
#undef surface_element_pairs

#include "support/contact_scenes.h"
#include "support/scenes.h"

enum { CHECKS = 25 };

/* Runs a scene with validation at random times; returns the first complaint, or NULL. *hash takes the final state. */
static char *run(const ContactScene *scene, const char *keys, bool validated, char **hash)
{
	g_autofree char *json = contact_scene_text(scene, keys);
	Simulation *simulation = scenes_load(json);
	Detector *detector = simulation->contact->detector;
	uint64_t seed = 7;
	char *wrong = NULL;
	g_autoptr(GError) error = NULL;
	for (int i = 0; i < CHECKS && wrong == NULL; i++) {
		double time = scene->end * (i + scenes_random(&seed, 0.0, 1.0)) / CHECKS;
		if (!simulation_advance(simulation, time, &error))
			wrong = g_strdup(error->message);
		else if (validated)
			wrong = detector->class->validate(detector, time);
	}
	size_t n = world_vertex_count(simulation->scene->world);
	*hash = g_compute_checksum_for_data(
	    G_CHECKSUM_SHA256, (const guchar *)simulation->flight, n * sizeof *simulation->flight);
	simulation_free(simulation);
	return wrong;
}

Test(certificates, never_lie, .timeout = 600)
{
	for (size_t i = 0; i < G_N_ELEMENTS(contact_scenes); i++) {
		g_autofree char *hash = NULL, *wrong = run(&contact_scenes[i], "'detect': 'naive'", true, &hash);
		cr_assert_null(wrong, "%s: %s", contact_scenes[i].name, wrong);
	}
}

/* Free flight, where one certificate has to last for long: in a box of many walls that stand straight, where that is up to
 * the bounds; and in one of few walls that stand askew, so that their bounds hold all of it and it is up to the slabs. */
#define FREE_FLIGHT(walls) \
	"{'units': 'si', 'gravity': [0, 0, 0], 'time': {'end': 10}, 'materials': {'m': {'particle_mass': 0.01, 'density': 1}}," \
	" 'meshes': [{'name': 'p', 'generate': 'particles', 'size': [2, 2, 2], 'count': [3, 3, 3], 'jitter': 0.8," \
	"   'material': 'm', 'velocity': [1, 0.5, -0.7]}," \
	"  {'name': 'q', 'generate': 'particles', 'size': [2, 2, 2], 'count': [3, 3, 3], 'jitter': 0.8, 'seed': 5," \
	"   'material': 'm', 'velocity': [-1.2, -0.4, 0.9]}," \
	"  {'name': 'box', 'generate': 'box', 'material': 'm', 'pinned': true, " walls "}]," \
	" 'contact': {'eta1': 0.02"
static const ContactScene straight = {
    "particles in a straight box", 2.0, FREE_FLIGHT("'size': [3, 3, 3], 'cells': [3, 3, 3]")};
static const ContactScene askew = {"particles in a box askew", 2.0,
    FREE_FLIGHT("'size': [4, 4, 4], 'cells': [1, 1, 1], 'rotate': [{'axis': [1, 2, 3], 'angle': 25}]")};

static void check_caught(Broken which, const char *name)
{
	const ContactScene *scenes[] = {&straight, &askew, &contact_scenes[4], &contact_scenes[3]};
	int by_validation = 0, by_motion = 0;
	for (size_t i = 0; i < G_N_ELEMENTS(scenes); i++) {
		g_autofree char *true_hash = NULL, *hash = NULL, *ignored = NULL;
		broken = BROKEN_NOTHING;
		g_autofree char *fault = run(scenes[i], "'detect': 'brute'", false, &true_hash);
		cr_assert_null(fault, "%s", fault);
		broken = which;
		g_autofree char *wrong = run(scenes[i], "'detect': 'naive'", true, &hash);
		by_validation += wrong != NULL;
		g_free(hash);
		ignored = run(scenes[i], "'detect': 'naive'", false, &hash);
		by_motion += ignored != NULL || strcmp(hash, true_hash) != 0;
	}
	cr_log_info("%s: caught by validation in %d and by the motion in %d of %zu scenes", name, by_validation, by_motion,
	    G_N_ELEMENTS(scenes));
	if (which == BROKEN_NOTHING)
		cr_assert(by_validation == 0 && by_motion == 0, "honest certificates are accused");
	else
		cr_assert(by_validation > 0 && by_motion > 0, "%s: not caught", name);
}

Test(certificates, honest_ones_pass, .timeout = 600)
{
	check_caught(BROKEN_NOTHING, "nothing broken");
}

Test(certificates, slabs_that_fail_late_are_caught, .timeout = 600)
{
	check_caught(BROKEN_SLAB_LATE, "slabs 1% late");
}

Test(certificates, bounds_that_fail_late_are_caught, .timeout = 600)
{
	check_caught(BROKEN_BOUNDS_LATE, "bounds 1% late");
}

Test(certificates, forgotten_pairs_are_caught, .timeout = 600)
{
	check_caught(BROKEN_FORGOTTEN, "pairs forgotten");
}

Test(certificates, swapped_axes_are_caught, .timeout = 600)
{
	check_caught(BROKEN_AXIS, "axes swapped");
}

Test(certificates, bounds_not_updated_are_caught, .timeout = 600)
{
	check_caught(BROKEN_REFIT, "bounds not updated");
}

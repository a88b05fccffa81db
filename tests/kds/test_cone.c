/* The volumes and slabs of detect: cone never lie: at random times of runs in which much touches, every pair is covered and no
 * certificate outlives what it certifies, whatever the options. Those broken on purpose fail here or give another motion than
 * brute force. */

/* This program has the sources of volumes, cones and lists in it, in place of the library's, with a few calls going through
 * functions that can be broken. */
#include "kds/awake.h"
#include "kds/cone.h"
#include "kds/facets.h"
#include "kds/volume.h"
#include "support/mutants.h"

typedef enum {
	BROKEN_NOTHING = MUTANTS_NONE,
	BROKEN_BOUNDS_LATE, /* volumes are said to be apart for 1% longer */
	BROKEN_REFIT,       /* the volumes above the last of several changed vertices stay as they were */
	BROKEN_AXIS,        /* velocities along two axes are swapped in volumes */
	BROKEN_JOIN,        /* the volume of two sets is that of the first */
	BROKEN_SLAB_LATE,   /* slabs fail 1% late */
	BROKEN_LIMIT,       /* corners may move twice as much as they may */
	BROKEN_FORGOTTEN,   /* one pair in 20 does not wake with the others of its elements */
	BROKEN_N
} Broken;

static const VolumeClass *honest_class(BroadPhase broad_phase);
static void honest_refit(VolumeTree *tree, double time, const uint32_t *vertex, size_t n);
static double honest_schedule(const Cones *cones, const ConeSlab *slab, double horizon, double time, ConeLimit *limit);
static double honest_slack(const Cones *cones, const ConeSlab *slab, const ConeLimit *limit, int corner);
static void honest_add(AwakeList *list, AwakeEntry entry);

static double later(double failure, double time)
{
	return failure == INFINITY || failure == -INFINITY ? failure : time + 1.01 * (failure - time);
}

#define volume_class honest_class
#define volume_tree_refit honest_refit
#include "../src/kds/volume.c"
#undef volume_class
#undef volume_tree_refit

void volume_tree_refit(VolumeTree *tree, double time, const uint32_t *vertex, size_t n)
{
	honest_refit(tree, time, vertex, mutants_broken == BROKEN_REFIT && n > 1 ? n - 1 : n);
}

/* The class that the one below stands for. */
static const VolumeClass *true_class;

static void breakable_of_vertices(void *volume, const Flight *flight, const uint32_t *vertex, uint32_t n, double radius, double time)
{
	Flight plan[32];
	uint32_t index[32];
	for (uint32_t i = 0; i < n; i++) {
		plan[i] = flight[vertex[i]];
		index[i] = i;
		if (mutants_broken == BROKEN_AXIS)
			plan[i].v = vec3(plan[i].v.x, plan[i].v.z, plan[i].v.y);
		if (mutants_broken == BROKEN_AXIS) /* with the place that it has now */
			plan[i].x = vec3_madd(flight_position(&flight[vertex[i]], time), plan[i].t - time, plan[i].v);
	}
	true_class->of_vertices(volume, plan, index, n, radius, time);
}

static void breakable_join(void *volume, const void *a, const void *b, double time)
{
	true_class->join(volume, a, mutants_broken == BROKEN_JOIN ? a : b, time);
}

static double breakable_failure(const void *a, const void *b, VolumeQuery *query)
{
	double failure = true_class->failure(a, b, query);
	return mutants_broken == BROKEN_BOUNDS_LATE ? later(failure, query->time) : failure;
}

const VolumeClass *volume_class(BroadPhase broad_phase)
{
	static VolumeClass class;
	true_class = honest_class(broad_phase);
	class = *true_class;
	class.of_vertices = breakable_of_vertices;
	class.join = breakable_join;
	class.failure = breakable_failure;
	return &class;
}

#define cone_schedule honest_schedule
#define cone_slack honest_slack
#include "../src/kds/cone.c"
#undef cone_schedule
#undef cone_slack

double cone_schedule(const Cones *cones, const ConeSlab *slab, double horizon, double time, ConeLimit *limit)
{
	double failure = honest_schedule(cones, slab, horizon, time, limit);
	return mutants_broken == BROKEN_SLAB_LATE ? later(failure, time) : failure;
}

double cone_slack(const Cones *cones, const ConeSlab *slab, const ConeLimit *limit, int corner)
{
	return honest_slack(cones, slab, limit, corner) * (mutants_broken == BROKEN_LIMIT ? 2.0 : 1.0);
}

#define awake_add honest_add
#include "../src/kds/awake.c"
#undef awake_add

void awake_add(AwakeList *list, AwakeEntry entry)
{
	if (mutants_broken != BROKEN_FORGOTTEN || entry.key % 20 != 0)
		honest_add(list, entry);
}

#define CONE(keys) "'detect': 'cone', " keys
static const char *const kinds[] = {
    CONE("'broad_phase': '18-dop'"),
    CONE("'broad_phase': 'aabb', 'short_circuit': false, 'axis_order': 'fixed'"),
    CONE("'broad_phase': '8-dop', 'slabs': 'elements'"),
    CONE("'broad_phase': '26-dop', 'wake': 'elements', 'features': 'all'"),
    CONE("'broad_phase': 'sphere', 'wake': 'elements'"),
    CONE("'broad_phase': 'grid', 'wake': 'elements'"),
    CONE("'cones': 'all'"),
};

/* Closest points of two elements: from any feature on the same as of all features. */
Test(cone, closest_features)
{
	uint64_t seed = 3;
	int measured = 0, all = 0;
	for (int round = 0; round < 20000; round++) {
		int first = 1 + (int)scenes_random(&seed, 0.0, 3.0), second = 1 + (int)scenes_random(&seed, 0.0, 3.0);
		Facets facets = {.first = first, .corners = first + second};
		for (int c = 0; c < facets.corners; c++)
			facets.x[c] = vec3_add(scenes_random_vec3(&seed, 1.0), vec3(c < first ? 3.0 : 0.0, 0, 0));
		FacetsClosest expected = facets_closest(&facets, -1);
		int hint = (int)scenes_random(&seed, 0.0, 1.0 + expected.measured * 0.999) % expected.measured;
		FacetsClosest found = facets_closest(&facets, hint), again = facets_closest(&facets, found.feature);
		cr_assert_float_eq(found.distance, expected.distance, 1e-8, "round %d: %g, not %g", round, found.distance, expected.distance);
		cr_assert_leq(vec3_distance(found.normal, expected.normal), 1e-3);
		cr_assert_eq(again.measured, 1, "round %d: %d looks at what has not moved", round, again.measured);
		measured += found.measured;
		all += expected.measured;
	}
	cr_assert_lt(2 * measured, all, "%d of %d features", measured, all);
}

/* A volume holds its vertices, and the time until which two are apart is not late, and not early by much when they are alone. */
static void check_volumes(BroadPhase broad_phase, bool planar)
{
	enum { MOST = 3 };
	const VolumeClass *class = honest_class(broad_phase);
	void *volume[2];
	uint64_t seed = 17 + (uint64_t)broad_phase;
	int n_apart = 0;
	for (int side = 0; side < 2; side++)
		volume[side] = g_malloc0(class->size);
	for (int round = 0; round < 20000; round++) {
		Flight flight[2 * MOST];
		const uint32_t vertex[2 * MOST] = {0, 1, 2, 3, 4, 5};
		memset(flight, 0, sizeof flight);
		for (int i = 0; i < 2 * MOST; i++) {
			flight[i].x = vec3_add(scenes_random_vec3(&seed, 1.0), vec3(i < MOST ? 2.0 : -2.0, 0, 0));
			flight[i].v = scenes_random_vec3(&seed, 1.0);
			flight[i].x.z *= planar ? 0.0 : 1.0;
			flight[i].v.z *= planar ? 0.0 : 1.0;
		}
		double time = scenes_random(&seed, 0.0, 0.5);
		class->of_vertices(volume[0], flight, vertex, MOST, 0.05, time);
		class->of_vertices(volume[1], flight, vertex + MOST, MOST, 0.05, time);
		VolumeQuery query = {.gap = 0.1, .time = time, .enough = INFINITY};
		double failure = class->failure(volume[0], volume[1], &query);
		for (int i = 0; i < 2 * MOST; i++)
			cr_assert(class->holds(volume[i / MOST], &flight[i], time + scenes_random(&seed, 0.0, 3.0)), "%s, round %d", class->name, round);
		n_apart += failure > time;
		for (int a = 0; a < MOST && failure > time; a++)
			for (int b = MOST; b < 2 * MOST; b++) {
				double at = fmin(failure, time + 10.0);
				Vec3 p = flight_position(&flight[a], at), q = flight_position(&flight[b], at);
				cr_assert_geq(vec3_distance(p, q), 0.2 - 1e-9, "%s, round %d: %g", class->name, round, vec3_distance(p, q));
			}
	}
	cr_assert_gt(n_apart, 5000, "%s: %d", class->name, n_apart);
	g_free(volume[0]);
	g_free(volume[1]);
}

Test(cone, volumes_hold)
{
	check_volumes(BROAD_AABB, false);
	check_volumes(BROAD_DOP8, true);
	check_volumes(BROAD_DOP18, false);
	check_volumes(BROAD_DOP26, false);
	check_volumes(BROAD_SPHERE, false);
}

Test(cone, never_lies, .timeout = 600)
{
	bool full = g_getenv("CINCH_FULL") != NULL;
	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (full || i == 2 || i == 4 || i == 6)
			mutants_check_honest_with(kinds[i]);
}

Test(cone, honest_ones_pass, .timeout = 600)
{
	bool full = g_getenv("CINCH_FULL") != NULL;
	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (full || i == 3)
			mutants_check_caught_with(kinds[i], BROKEN_NOTHING, MUTANTS_BY_BOTH, "nothing broken");
}

/* Those that are given only a part of their interval would hide a lateness of 1%. */
#define EXACT ", 'quality_loss': 0"

Test(cone, bounds_that_fail_late_are_caught, .timeout = 600)
{
	mutants_check_caught_with(CONE("'broad_phase': '18-dop'" EXACT), BROKEN_BOUNDS_LATE, MUTANTS_BY_BOTH, "bounds 1% late");
	mutants_check_caught_with(CONE("'broad_phase': 'sphere'" EXACT), BROKEN_BOUNDS_LATE, MUTANTS_BY_VALIDATION, "spheres 1% late");
}

Test(cone, volumes_not_updated_are_caught, .timeout = 600)
{
	mutants_check_caught_with(kinds[0], BROKEN_REFIT, MUTANTS_BY_BOTH, "volumes not updated");
}

Test(cone, swapped_axes_are_caught, .timeout = 600)
{
	mutants_check_caught_with(kinds[0], BROKEN_AXIS, MUTANTS_BY_BOTH, "axes swapped");
	mutants_check_caught_with(kinds[4], BROKEN_AXIS, MUTANTS_BY_BOTH, "axes swapped in spheres");
}

Test(cone, volumes_of_half_a_set_are_caught, .timeout = 600)
{
	mutants_check_caught_with(kinds[3], BROKEN_JOIN, MUTANTS_BY_BOTH, "half a set");
}

Test(cone, slabs_that_fail_late_are_caught, .timeout = 600)
{
	mutants_check_caught_with(CONE("'slabs': 'elements'" EXACT), BROKEN_SLAB_LATE, MUTANTS_BY_VALIDATION, "slabs 1% late");
	mutants_check_caught_with(CONE("'wake': 'elements'" EXACT), BROKEN_SLAB_LATE, MUTANTS_BY_VALIDATION, "slabs of elements 1% late");
}

Test(cone, limits_that_are_too_wide_are_caught, .timeout = 600)
{
	mutants_check_caught_with(kinds[0], BROKEN_LIMIT, MUTANTS_BY_VALIDATION, "wide limits");
}

Test(cone, pairs_that_do_not_wake_are_caught, .timeout = 600)
{
	mutants_check_caught_with(CONE("'wake': 'elements'"), BROKEN_FORGOTTEN, MUTANTS_BY_MOTION, "pairs forgotten");
}

/* Certificates never lie: at random times of runs in which much touches, every pair is covered and no certificate
 * outlives what it certifies. And they would be caught if they did: certificates broken on purpose fail here or give
 * another motion than brute force. */

/* This program has the certificates' source files in it, in place of the library's, with a few calls going through
 * functions that can be broken. */
#include "kds/dop.h"
#include "kds/hierarchy.h"
#include "kds/slab.h"
#include "support/mutants.h"

typedef enum {
	BROKEN_NOTHING = MUTANTS_NONE,
	BROKEN_SLAB_LATE,   /* slabs fail 1% late */
	BROKEN_BOUNDS_LATE, /* bounds fail 1% late */
	BROKEN_FORGOTTEN,   /* one primitive pair in a hundred is forgotten */
	BROKEN_AXIS,        /* velocities along two axes are swapped in bounds */
	BROKEN_REFIT,       /* the bounds above the last of several changed vertices stay as they were */
	BROKEN_N
} Broken;

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
	if (mutants_broken == BROKEN_AXIS && velocity) {
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
	return mutants_broken == BROKEN_BOUNDS_LATE ? later(failure, time) : failure;
}

#define hierarchy_refit honest_refit
#include "../src/kds/hierarchy.c"
#undef hierarchy_refit
#undef DEFINE_COMPARE

void hierarchy_refit(Hierarchy *hierarchy, double time, const uint32_t *vertex, size_t n)
{
	honest_refit(hierarchy, time, vertex, mutants_broken == BROKEN_REFIT && n > 1 ? n - 1 : n);
}

#define slab_failure honest_slab_failure
#include "../src/kds/slab.c"
#undef slab_failure

double slab_failure(const ContactPair *pair, const Flight *flight, Vec3 normal, double gap, double time)
{
	double failure = honest_slab_failure(pair, flight, normal, gap, time);
	return mutants_broken == BROKEN_SLAB_LATE ? later(failure, time) : failure;
}

static int breakable_pairs(const Surface *surface, uint32_t a, uint32_t b, ContactPair *pairs)
{
	int n = surface_element_pairs(surface, a, b, pairs);
	return n > 0 && mutants_broken == BROKEN_FORGOTTEN && pairs[n - 1].key % 100 == 0 ? n - 1 : n;
}
#define surface_element_pairs breakable_pairs
#include "../src/kds/detector_naive.c"
#undef surface_element_pairs

Test(certificates, never_lie, .timeout = 600)
{
	mutants_check_honest("naive");
}

Test(certificates, honest_ones_pass, .timeout = 600)
{
	mutants_check_caught("naive", BROKEN_NOTHING, true, "nothing broken");
}

Test(certificates, slabs_that_fail_late_are_caught, .timeout = 600)
{
	mutants_check_caught("naive", BROKEN_SLAB_LATE, true, "slabs 1% late");
}

Test(certificates, bounds_that_fail_late_are_caught, .timeout = 600)
{
	mutants_check_caught("naive", BROKEN_BOUNDS_LATE, true, "bounds 1% late");
}

Test(certificates, forgotten_pairs_are_caught, .timeout = 600)
{
	mutants_check_caught("naive", BROKEN_FORGOTTEN, true, "pairs forgotten");
}

Test(certificates, swapped_axes_are_caught, .timeout = 600)
{
	mutants_check_caught("naive", BROKEN_AXIS, true, "axes swapped");
}

Test(certificates, bounds_not_updated_are_caught, .timeout = 600)
{
	mutants_check_caught("naive", BROKEN_REFIT, true, "bounds not updated");
}

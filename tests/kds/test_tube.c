/* Tubes keep their word: what is said of vertices and pairs holds at random times of runs in which much touches. And it would
 * be noticed if it did not: tubes broken on purpose fail here and give another motion than brute force. */

/* This program has the detector's source files in it, in place of the library's, with a few calls going through functions that
 * can be broken. */
#include "kds/chart.h"
#include "kds/chord.h"
#include "kds/slab.h"
#include "kds/tube.h"
#include "support/mutants.h"

typedef enum {
	BROKEN_NOTHING = MUTANTS_NONE,
	BROKEN_EXIT,      /* vertices are let go at twice their radius */
	BROKEN_SPEED,     /* velocities that change are not noticed */
	BROKEN_HORIZON,   /* vertices that nobody touches are not looked at */
	BROKEN_RADIUS,    /* bounds have no room for the radius */
	BROKEN_AXIS,      /* two axes are swapped in bounds, for all corners but the first */
	BROKEN_FORGOTTEN, /* one primitive pair in twenty is forgotten */
	BROKEN_SLAB,      /* references are said to keep pairs apart by half more than they do */
	BROKEN_CHART,     /* sheets are said not to bend */
} Broken;

static double honest_slab_gap(const ContactPair *pair, const Flight *flight, Vec3 normal, double time);

static void breakable_project(Vec3 x, double *along, bool later)
{
	dop_project(x, along);
	if (mutants_broken == BROKEN_AXIS && later) {
		double swap = along[1];
		along[1] = along[2];
		along[2] = swap;
	}
}
#define dop_project(x, along) breakable_project((x), (along), c > 0)
#include "../src/kds/chord.c"
#undef dop_project

#define slab_gap honest_slab_gap
#include "../src/kds/slab.c"
#undef slab_gap

double slab_gap(const ContactPair *pair, const Flight *flight, Vec3 normal, double time)
{
	return honest_slab_gap(pair, flight, normal, time) * (mutants_broken == BROKEN_SLAB ? 1.5 : 1.0);
}

#include "../src/kds/tube.c"

/* By how much gradients differ. */
static double breakable_spread(double spread2)
{
	return mutants_broken == BROKEN_CHART ? -10.0 : sqrt(spread2);
}
#define chart_spread breakable_spread
#include "../src/kds/chart.c"

static bool breakable_keeps_place(const Tubes *tubes, uint32_t vertex)
{
	Tubes wide = *tubes;
	double reach2 = 4.0 * tubes->reach2[vertex];
	if (mutants_broken != BROKEN_EXIT)
		return tube_keeps_place(tubes, vertex);
	wide.reach2 = &reach2 - vertex;
	return tube_keeps_place(&wide, vertex);
}

static bool breakable_keeps_speed(const Tubes *tubes, uint32_t vertex)
{
	return mutants_broken == BROKEN_SPEED || tube_keeps_speed(tubes, vertex);
}

static int breakable_primitives(const Surface *surface, uint32_t a, uint32_t b, PrimitivePair *primitives)
{
	int n = surface_element_primitives(surface, a, b, primitives);
	return n > 0 && mutants_broken == BROKEN_FORGOTTEN && (primitives[n - 1].first + primitives[n - 1].second) % 20 == 0 ? n - 1 : n;
}

static void breakable_fit(ChordTree *tree, const ChordWindow *window, unsigned threads)
{
	ChordWindow thin = *window;
	if (mutants_broken == BROKEN_RADIUS)
		thin.radius = 0.0;
	chord_fit(tree, &thin, threads);
}


#define tube_keeps_place breakable_keeps_place
#define tube_keeps_speed breakable_keeps_speed
#define surface_element_primitives breakable_primitives
#define chord_fit breakable_fit
#include "../src/kds/tube_pairs.c"
#include "../src/kds/tube_window.c"
#include "../src/kds/tube_repair.c"
#include "../src/kds/tube_validate.c"

static void breakable_check(Tube *tube, const uint32_t *vertex, size_t n, double time)
{
	tube_check(tube, vertex, vertex == NULL && mutants_broken == BROKEN_HORIZON ? 0 : n, time);
}
#define tube_check breakable_check
#include "../src/kds/detector_tube.c"

Test(tube, never_lies, .timeout = 600)
{
	mutants_check_honest("tube");
}

/* `moves`: by the motion too. Where it is false, what is broken is less than the room that there is. */
#define CAUGHT(name, which, moves, words) \
	Test(tube, name, .timeout = 600) \
	{ \
		mutants_check_caught("tube", which, moves, words); \
	}
CAUGHT(honest_ones_pass, BROKEN_NOTHING, true, "nothing broken")
CAUGHT(late_exits_are_caught, BROKEN_EXIT, false, "vertices let go too late")
CAUGHT(speeds_not_noticed_are_caught, BROKEN_SPEED, false, "speeds not noticed")
CAUGHT(free_vertices_forgotten_are_caught, BROKEN_HORIZON, false, "free vertices forgotten")
CAUGHT(radii_not_honoured_are_caught, BROKEN_RADIUS, false, "radii not honoured")
CAUGHT(swapped_axes_are_caught, BROKEN_AXIS, true, "axes swapped")
CAUGHT(forgotten_pairs_are_caught, BROKEN_FORGOTTEN, true, "pairs forgotten")
CAUGHT(slabs_too_wide_are_caught, BROKEN_SLAB, true, "slabs half too wide")

/* A cloth that is folded over, one half onto the other. */
static const ContactScene folded = {"a cloth folded over", 0.4,
    "{'units': 'si', 'time': {'end': 10}, 'gravity': [0, 0, 0],"
    " 'materials': {'m': {'stretch_stiffness': 50, 'bend_stiffness': 1e-5, 'density': 0.2, 'stretch_damping': 0.001}},"
    " 'meshes': [{'name': 's', 'generate': 'sheet', 'size': [0.4, 0.1], 'cells': [12, 3], 'material': 'm'}], 'pins': ['s.left'],"
    " 'scripts': [{'set': 's.right', 'axis': [0, 1, 0], 'keyframes': [{'time': 0.4, 'rotate': -170}]}],"
    " 'contact': {'eta1': 0.005, 'restitution': 0"};

Test(tube, charts_that_say_too_much_are_caught, .timeout = 600)
{
	g_autofree char *true_hash = NULL, *hash = NULL, *wrong = mutants_run(&folded, "'detect': 'brute'", false, &true_hash);
	cr_assert_null(wrong, "%s", wrong);
	wrong = mutants_run(&folded, "'detect': 'tube'", true, &hash);
	cr_assert_null(wrong, "%s", wrong);
	cr_assert_str_eq(hash, true_hash, "honest charts");
	mutants_broken = BROKEN_CHART;
	wrong = mutants_run(&folded, "'detect': 'tube'", true, &hash);
	cr_assert_not_null(wrong, "by validation");
	wrong = mutants_run(&folded, "'detect': 'tube'", false, &hash);
	cr_assert(wrong != NULL || strcmp(hash, true_hash) != 0, "by the motion");
}

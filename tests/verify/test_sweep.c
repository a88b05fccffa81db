/* The reference is the engine's distance, which shares nothing with what is tested: the time is halved as long as the
 * distance at the middle does not exclude a contact by the largest speed. Where that goes on to 1e-9, the pair is said
 * to meet. On a small grid there is nothing between meeting and a distance much larger than that. */
#include "contact/distance.h"
#include "support/random.h"
#include "verify/exact.h"
#include "verify/polynomial.h"
#include "verify/sweep.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

static const int N_CORNERS[SWEEP_N_KINDS] = {4, 4, 3, 2};
static const int N_FIRST[SWEEP_N_KINDS] = {1, 2, 1, 1};
static const PairKind PAIR[SWEEP_N_KINDS] = {
    PAIR_VERTEX_TRIANGLE, PAIR_EDGE_EDGE, PAIR_VERTEX_EDGE, PAIR_VERTEX_VERTEX};

typedef struct {
	SweepKind kind;
	double x0[4][3], x1[4][3];
} Case;

/* ---- reference ---- */

static double distance_at(const Case *c, double t)
{
	Vec3 x[4];
	for (int i = 0; i < N_CORNERS[c->kind]; i++)
		x[i] = vec3(c->x0[i][0] + t * (c->x1[i][0] - c->x0[i][0]),
		    c->x0[i][1] + t * (c->x1[i][1] - c->x0[i][1]), c->x0[i][2] + t * (c->x1[i][2] - c->x0[i][2]));
	return distance_closest(PAIR[c->kind], x).distance;
}

/* How fast the distance can change: the largest speed of a corner of each, together. */
static double fastest(const Case *c)
{
	double most[2] = {0.0, 0.0};
	for (int i = 0; i < N_CORNERS[c->kind]; i++) {
		int second = i >= N_FIRST[c->kind];
		Vec3 way = vec3(c->x1[i][0] - c->x0[i][0], c->x1[i][1] - c->x0[i][1], c->x1[i][2] - c->x0[i][2]);
		most[second] = fmax(most[second], vec3_norm(way));
	}
	return most[0] + most[1];
}

static bool comes_close(const Case *c, double from, double to, double speed)
{
	double half = 0.5 * (from + to);
	if (distance_at(c, half) > 0.5 * speed * (to - from) + 1e-12)
		return false;
	if (to - from < 1e-9)
		return true;
	return comes_close(c, from, half, speed) || comes_close(c, half, to, speed);
}

static bool reference(const Case *c)
{
	return comes_close(c, 0.0, 1.0, fastest(c));
}

/* ---- checks ---- */

static const char *text_of(const Case *c)
{
	static char text[1000];
	int length = snprintf(text, sizeof text, "kind %d", c->kind);
	for (int i = 0; i < N_CORNERS[c->kind]; i++)
		length += snprintf(text + length, sizeof text - (size_t)length, "\n(%g %g %g) to (%g %g %g)",
		    c->x0[i][0], c->x0[i][1], c->x0[i][2], c->x1[i][0], c->x1[i][1], c->x1[i][2]);
	return text;
}

/* With and without the filter, and backward in time. */
static bool meets(const Case *c)
{
	bool answer = sweep_meets_exactly(c->kind, c->x0, c->x1);
	cr_assert_eq(sweep_meets(c->kind, c->x0, c->x1, NULL), answer, "the filter errs: %s", text_of(c));
	cr_assert_eq(sweep_meets_exactly(c->kind, c->x1, c->x0), answer, "backward: %s", text_of(c));
	return answer;
}

static void expect(const Case *c, bool answer, const char *what)
{
	cr_assert_eq(meets(c), answer, "%s: %s", what, text_of(c));
}

static void random_case(Case *c, int size)
{
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 3; k++) {
			c->x0[i][k] = random_below(size);
			c->x1[i][k] = random_below(size);
		}
}

/* Motions within a plane or on a line, the plane moving too. */
static void flatten(Case *c, int axes)
{
	int lift = random_below(3);
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < axes; k++) {
			c->x0[i][k] = k == 0 ? 0 : c->x0[i][2];
			c->x1[i][k] = k == 0 ? lift : c->x1[i][2];
		}
}

/* Exact, and so that no motion is along an axis. */
static void shear(Case *c)
{
	for (int i = 0; i < 4; i++) {
		c->x0[i][1] += 2.0 * c->x0[i][0], c->x1[i][1] += 2.0 * c->x1[i][0];
		c->x0[i][2] += 3.0 * c->x0[i][1], c->x1[i][2] += 3.0 * c->x1[i][1];
	}
}

static int check_random(SweepKind kind, int count, int axes, double least_share)
{
	int meeting = 0;
	for (int i = 0; i < count; i++) {
		Case c = {.kind = kind};
		random_case(&c, 2 + i % 5);
		flatten(&c, axes);
		if (i % 2)
			shear(&c);
		bool answer = meets(&c);
		cr_assert_eq(answer, reference(&c), "%d is wrong: %s", answer, text_of(&c));
		meeting += answer;
	}
	cr_log_info("kind %d, %d of 3 axes taken away: %d of %d meet", kind, axes, meeting, count);
	cr_assert(meeting > least_share * count && meeting < count);
	return meeting;
}

Test(sweep, meets_as_the_reference_says)
{
	random_seed = 1;
	for (SweepKind kind = 0; kind < SWEEP_N_KINDS; kind++)
		check_random(kind, 10000, 0, 0.01);
}

Test(sweep, meets_as_the_reference_says_in_a_plane)
{
	random_seed = 2;
	for (SweepKind kind = 0; kind < SWEEP_N_KINDS; kind++)
		check_random(kind, 5000, 1, 0.05);
}

Test(sweep, meets_as_the_reference_says_on_a_line)
{
	random_seed = 3;
	for (SweepKind kind = 0; kind < SWEEP_N_KINDS; kind++)
		check_random(kind, 3000, 2, 0.2);
}

/* At times i/60 the corners are at integers/60, where the exact test at rest knows the answer: no tolerance at all. */
Test(sweep, finds_what_samples_in_rationals_find)
{
	random_seed = 4;
	int found = 0, only_between = 0;
	for (int i = 0; i < 20000; i++) {
		Case c = {.kind = (SweepKind)(i % SWEEP_N_KINDS)};
		random_case(&c, 3 + i % 3);
		bool sampled = false;
		for (int step = 0; step <= 60 && !sampled; step++) {
			double x[4][3];
			const uint32_t corner[4] = {0, 1, 2, 3};
			int first = N_FIRST[c.kind];
			for (int j = 0; j < 12; j++)
				x[j / 3][j % 3] = c.x0[j / 3][j % 3] * (60 - step) + c.x1[j / 3][j % 3] * step;
			sampled = exact_meet(x, corner, first, corner + first, N_CORNERS[c.kind] - first);
		}
		bool answer = sweep_meets_exactly(c.kind, c.x0, c.x1);
		cr_assert(answer || !sampled, "missed: %s", text_of(&c));
		found += sampled;
		only_between += answer && !sampled;
	}
	cr_log_info("%d found by samples, %d more by roots", found, only_between);
	cr_assert(found > 1000 && only_between > 500);
}

static void random_motion(Case *c, double offset, double scale)
{
	double speed = ldexp(1.0, -random_below(12));
	for (int j = 0; j < 12; j++) {
		double x = offset + random_between(-1, 1);
		c->x0[j / 3][j % 3] = scale * x;
		c->x1[j / 3][j % 3] = scale * (x + random_between(-speed, speed));
	}
}

/* Moves the first primitive so that at some time it is near to (or in) a point of the second. */
static void bring_near(Case *c, double gap)
{
	double t = random_between(0, 1), share[4], sum = 0.0;
	int n = N_CORNERS[c->kind], first = N_FIRST[c->kind];
	for (int i = first; i < n; i++)
		sum += share[i] = random_between(-0.1, 1);
	for (int k = 0; k < 3; k++) {
		double way = random_between(-gap, gap) - (c->x0[0][k] + t * (c->x1[0][k] - c->x0[0][k]));
		for (int i = first; i < n; i++)
			way += share[i] / sum * (c->x0[i][k] + t * (c->x1[i][k] - c->x0[i][k]));
		for (int i = 0; i < first; i++)
			c->x0[i][k] += way, c->x1[i][k] += way;
	}
}

/* Doubles of all sizes, far, near and meeting: the filter never says more than is true. */
Test(sweep, filter_agrees_on_doubles)
{
	random_seed = 5;
	SweepCount count = {0};
	for (int i = 0; i < 60000; i++) {
		Case c = {.kind = (SweepKind)(i % SWEEP_N_KINDS)};
		double offset = random_below(3) ? 0.0 : 1e5,
		       scale = ldexp(1.0, random_below(4) ? 0 : random_below(200) - 100);
		random_motion(&c, offset, scale);
		bool near = random_below(3) > 0;
		if (near)
			bring_near(&c, scale * ldexp(1.0, -random_below(60)));
		bool answer = sweep_meets(c.kind, c.x0, c.x1, &count);
		cr_assert_eq(answer, sweep_meets_exactly(c.kind, c.x0, c.x1), "%s", text_of(&c));
		if (scale == 1.0 && offset == 0.0 && !near) /* the reference does not see gaps of rounding */
			cr_assert_eq(answer, reference(&c), "%s", text_of(&c));
	}
	cr_log_info("%lu by box, %lu by direction, %lu exactly, of which %lu meet", (unsigned long)count.by_box,
	    (unsigned long)count.by_direction, (unsigned long)count.exactly, (unsigned long)count.meeting);
	cr_assert_eq(count.by_box + count.by_direction + count.exactly, 60000);
}

/* ---- grazing ---- */

Test(sweep, a_vertex_through_the_side_of_a_triangle)
{
	Case c = {SWEEP_VERTEX_TRIANGLE, {{1, 1, 1}, {0, 0, 0}, {2, 0, 0}, {0, 2, 0}},
	    {{1, 1, -2}, {0, 0, 0}, {2, 0, 0}, {0, 2, 0}}};
	expect(&c, true, "on the side");
	c.x0[0][0] = nextafter(1.0, 2.0);
	expect(&c, false, "it starts one unit outside");
	c.x0[0][0] = nextafter(1.0, 0.0);
	expect(&c, true, "it starts one unit inside");
	c.x0[0][0] = 1.0, c.x1[0][1] = nextafter(1.0, 2.0);
	expect(&c, false, "it ends one unit outside");
	c.x1[0][1] = 1.0, c.x1[0][2] = 0x1p-1074;
	expect(&c, false, "it stops just before");
	c.x1[0][2] = 0.0;
	expect(&c, true, "it stops on it");
}

Test(sweep, edges_that_cross_at_their_ends)
{
	Case c = {SWEEP_EDGE_EDGE, {{0, 0, 0}, {3, 0, 0}, {3, 0, 1}, {5, 4, 1}},
	    {{0, 0, 0}, {3, 0, 0}, {3, 0, -2}, {5, 4, -2}}};
	expect(&c, true, "end on end");
	c.x0[2][0] = nextafter(3.0, 4.0);
	expect(&c, false, "one unit beside");
	c.x0[2][0] = 3.0, c.x0[2][1] = -0x1p-1000;
	expect(&c, false, "a little across, beyond the end");
	c.x0[3][0] = c.x1[3][0] = 1.0;
	expect(&c, true, "a little across, before the end");
}

/* The plane of the triangle, z = (2t - 1) x, turns under a vertex at x = 2t - 1: the volume is z - (2t - 1)^2, which
 * has a double root for z = 0, none below and two above. */
Test(sweep, a_turning_triangle_that_only_touches)
{
	Case c = {SWEEP_VERTEX_TRIANGLE, {{-1, 0, 0}, {-8, -8, 8}, {8, -8, -8}, {0, 8, 0}},
	    {{1, 0, 0}, {-8, -8, -8}, {8, -8, 8}, {0, 8, 0}}};
	expect(&c, true, "it touches");
	c.x0[0][2] = c.x1[0][2] = -1e-300;
	expect(&c, false, "it misses by 1e-300");
	c.x0[0][2] = c.x1[0][2] = 1e-300;
	expect(&c, true, "it crosses twice within 1e-150");
}

/* A vertex and a side of a triangle move in the plane y = 0, the rest of the triangle is in y > 0: the vertex meets the
 * triangle when it meets the side, at times that mostly are no fractions, and never when it is just behind the plane.
 */
Test(sweep, a_vertex_that_only_touches_a_side)
{
	random_seed = 6;
	int meeting = 0;
	for (int i = 0; i < 5000; i++) {
		Case c = {.kind = SWEEP_VERTEX_TRIANGLE};
		random_case(&c, 7);
		for (int j = 0; j < 4; j++)
			c.x0[j][1] = c.x1[j][1] = j == 3;
		bool touches = sweep_meets_exactly(SWEEP_VERTEX_EDGE, c.x0, c.x1);
		expect(&c, touches, "as the side");
		Case turned = c;
		shear(&turned);
		expect(&turned, touches, "as the side, turned");
		c.x0[0][1] = c.x1[0][1] = -0x1p-1074;
		expect(&c, false, "behind");
		meeting += touches;
	}
	cr_log_info("%d of 5000 touch", meeting);
	cr_assert(meeting > 1000 && meeting < 4000);
}

Test(sweep, a_vertex_that_meets_a_vertex)
{
	Case c = {SWEEP_VERTEX_VERTEX, {{0, 0, 0}, {3, 1, -1}}, {{3, 3, 3}, {0, 4, 7}}};
	expect(&c, false, "paths that do not cross");
	Case d = {SWEEP_VERTEX_VERTEX, {{0, 0, 0}, {3, 0, 1}}, {{3, 3, 3}, {-3, 3, 2.5}}};
	expect(&d, false, "paths that cross at different times");
	Case e = {SWEEP_VERTEX_VERTEX, {{0, 0, 0}, {1, 2, 3}}, {{3, 3, 3}, {2.5, 2, 1.5}}};
	expect(&e, true, "both at (2, 2, 2) at t = 2/3");
	e.x1[1][0] = nextafter(2.5, 3.0);
	expect(&e, false, "one unit off");
}

Test(sweep, a_vertex_that_slides_along_an_edge)
{
	Case c = {SWEEP_VERTEX_EDGE, {{-1, -1, -1}, {0, 0, 0}, {4, 4, 4}}, {{7, 7, 7}, {0, 0, 0}, {4, 4, 4}}};
	expect(&c, true, "along its line");
	Case d = {SWEEP_VERTEX_EDGE, {{5, 5, 5}, {0, 0, 0}, {4, 4, 4}}, {{8, 8, 8}, {3, 3, 3}, {7, 7, 7}}};
	expect(&d, false, "ahead of it all the time");
	d.x0[0][0] = d.x0[0][1] = d.x0[0][2] = 4.0;
	expect(&d, true, "at its end at the start");
}

/* A vertex in the plane of a triangle that comes in by a corner, passes by, or is inside all the time. */
Test(sweep, motions_in_a_plane)
{
	Case c = {SWEEP_VERTEX_TRIANGLE, {{4, 1, 0}, {0, 0, 0}, {2, 0, 0}, {0, 2, 0}},
	    {{-1, 3.5, 0}, {0, 0, 0}, {2, 0, 0}, {0, 2, 0}}};
	expect(&c, false, "past the long side");
	c.x0[0][0] = 3, c.x0[0][1] = -1, c.x1[0][1] = 2;
	expect(&c, true, "through it");
	Case d = {SWEEP_EDGE_EDGE, {{0, 0, 5}, {2, 2, 5}, {3, 0, 5}, {5, 0, 5}},
	    {{0, 0, 9}, {2, 2, 9}, {2, 2, 9}, {5, 2, 9}}};
	expect(&d, true, "ends that touch at the end");
	d.x1[2][0] = nextafter(2.0, 3.0);
	expect(&d, false, "and not quite");
}

/* An edge that shrinks to a point and opens again, inside out, on an edge or beside it. */
Test(sweep, edges_that_turn_inside_out)
{
	Case c = {SWEEP_EDGE_EDGE, {{-1, 1, 0}, {1, 1, 0}, {-3, 0, 0}, {3, 0, 0}},
	    {{1, -1, 0}, {-1, -1, 0}, {-3, 0, 0}, {3, 0, 0}}};
	expect(&c, true, "a point on the edge");
	for (int i = 0; i < 2; i++)
		c.x0[i][0] += 3 + 0x1p-40, c.x1[i][0] += 3 + 0x1p-40;
	expect(&c, false, "a point beside it, while both ends pass on either side");
}

Test(sweep, what_is_not_finite_meets)
{
	Case c = {SWEEP_VERTEX_VERTEX, {{0, 0, 0}, {3, 1, -1}}, {{3, 3, 3}, {0, 4, NAN}}};
	cr_assert(sweep_meets(c.kind, c.x0, c.x1, NULL));
	c.x1[1][2] = INFINITY;
	cr_assert(sweep_meets(c.kind, c.x0, c.x1, NULL));
}

/* ---- polynomials ---- */

typedef struct {
	int n;
	const Polynomial *other;
	int sign[8];
} Found;

static bool note_root(PolynomialRoot *root, void *data)
{
	Found *found = data;
	found->sign[found->n++] = polynomial_sign_at(found->other, root);
	return false;
}

static void set_polynomial(Polynomial *p, long c0, long c1, long c2, long c3)
{
	const long c[4] = {c0, c1, c2, c3};
	polynomial_init(p);
	for (int i = 0; i < 4; i++)
		mpz_set_si(p->coefficient[i], c[i]);
	polynomial_settle(p);
}

Test(sweep, signs_at_roots)
{
	/* f = (3t - 1)^2 (2t - 1): roots 1/3, twice, and 1/2. */
	Polynomial f, g, h, k;
	set_polynomial(&f, -1, 8, -21, 18);
	set_polynomial(&g, -1, 5, -6, 0); /* -(3t - 1)(2t - 1) */
	set_polynomial(&h, -1, 3, 0, 0);
	set_polynomial(&k, 1, 0, -5, 0); /* 1 - 5t^2: root 0.447 */
	Found found = {.other = &g};
	polynomial_visit_roots(&f, note_root, &found);
	cr_assert(found.n == 2 && found.sign[0] == 0 && found.sign[1] == 0);
	found = (Found){.other = &h};
	polynomial_visit_roots(&f, note_root, &found);
	cr_assert(found.n == 2 && found.sign[0] == 0 && found.sign[1] == 1);
	found = (Found){.other = &k};
	polynomial_visit_roots(&f, note_root, &found);
	cr_assert(found.n == 2 && found.sign[0] == 1 && found.sign[1] == -1);
	found = (Found){.other = &h};
	polynomial_visit_roots(&k, note_root, &found);
	cr_assert(found.n == 1 && found.sign[0] == 1);
	/* k t^0 against (1 - 5t^2)(1 + t), which has the same root */
	Polynomial m;
	set_polynomial(&m, 1, 1, -5, -5);
	found = (Found){.other = &m};
	polynomial_visit_roots(&k, note_root, &found);
	cr_assert(found.n == 1 && found.sign[0] == 0);
	polynomial_clear(&m);
	polynomial_clear(&k);
	polynomial_clear(&h);
	polynomial_clear(&g);
	polynomial_clear(&f);
}

/* Linking numbers and writhe: known values, the theorem that joins them, and what passes through. */
#include "support/random.h"
#include "verify/knot.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { N = 240 };
typedef double Curve[N][3];

static void circle(Curve x, double cx, double radius, int axis, bool backward)
{
	for (int i = 0; i < N; i++) {
		double u = 2.0 * M_PI * i / N * (backward ? -1 : 1);
		x[i][0] = cx + radius * cos(u);
		x[i][axis == 2 ? 1 : 2] = radius * sin(u);
		x[i][axis] = 0.0;
	}
}

/* Goes p times around a torus along it and q times across; `offset` is the distance from the torus' surface. */
static void torus_point(double u, double p, double q, double offset, double shift, double x[3])
{
	double r = 1.0 + offset, angle = q * u + shift;
	x[0] = (3.0 + r * cos(angle)) * cos(p * u);
	x[1] = (3.0 + r * cos(angle)) * sin(p * u);
	x[2] = -r * sin(angle);
}

static void torus_curve(Curve x, double p, double q, double offset, double shift)
{
	for (int i = 0; i < N; i++)
		torus_point(2.0 * M_PI * i / N, p, q, offset, shift, x[i]);
}

static double linking(Curve a, Curve b)
{
	return knot_linking((const double(*)[3])a, N, (const double(*)[3])b, N);
}

static double writhe(Curve a)
{
	return knot_writhe((const double(*)[3])a, N);
}

Test(knot, linking_numbers_of_known_links)
{
	Curve a, b;
	circle(a, 0.0, 1.0, 2, false);
	circle(b, 1.0, 1.0, 1, false); /* goes down through the disc of a, that faces up */
	cr_assert_float_eq(linking(a, b), -1.0, 1e-9);
	cr_assert_float_eq(linking(b, a), -1.0, 1e-9);
	circle(b, 1.0, 1.0, 1, true);
	cr_assert_float_eq(linking(a, b), 1.0, 1e-9);
	circle(b, 2.5, 1.0, 1, false);
	cr_assert_float_eq(linking(a, b), 0.0, 1e-9);
	/* Two threads of a torus, each once around it along and q times across, are linked q times. */
	for (int q = -3; q <= 3; q++) {
		torus_curve(a, 1, q, 0.0, 0.0);
		torus_curve(b, 1, q, 0.0, M_PI);
		cr_assert_float_eq(linking(a, b), q, 1e-9, "%d: %g", q, linking(a, b));
	}
	/* A right-handed trefoil and its copy just outside on the same torus: 2 times 3. */
	torus_curve(a, 2, 3, 0.0, 0.0);
	torus_curve(b, 2, 3, 0.0, 0.05);
	cr_assert_float_eq(linking(a, b), 6.0, 1e-8, "%g", linking(a, b));
}

Test(knot, linking_numbers_are_integers_whatever_the_shapes)
{
	random_seed = 21;
	for (int round = 0; round < 50; round++) {
		double a[30][3], b[40][3], scale = pow(10.0, random_between(-6, 6));
		for (int i = 0; i < 30 * 3; i++)
			a[i / 3][i % 3] = scale * random_between(-1, 1);
		for (int i = 0; i < 40 * 3; i++)
			b[i / 3][i % 3] = scale * random_between(-1, 1);
		double value = knot_linking((const double(*)[3])a, 30, (const double(*)[3])b, 40);
		cr_assert_float_eq(value, rint(value), 1e-9);
	}
}

Test(knot, writhe_of_known_curves)
{
	Curve a, b;
	circle(a, 0.0, 1.0, 2, false);
	cr_assert_float_eq(writhe(a), 0.0, 1e-9);
	/* Every curve on a sphere has none. */
	for (int i = 0; i < N; i++) {
		double u = 2.0 * M_PI * i / N, z = 0.9 * sin(3 * u), r = sqrt(1 - z * z), angle = u + 0.7 * sin(2 * u);
		memcpy(a[i], (double[3]){r * cos(angle), r * sin(angle), z}, sizeof a[i]);
	}
	cr_assert_float_eq(writhe(a), 0.0, 2e-3, "%g", writhe(a));
	/* A mirror turns its sign. */
	torus_curve(a, 2, 3, 0.0, 0.0);
	memcpy(b, a, sizeof a);
	for (int i = 0; i < N; i++)
		b[i][2] = -b[i][2];
	cr_assert_float_eq(writhe(a), -writhe(b), 1e-9);
	cr_assert(writhe(a) > 3.0 && writhe(a) < 4.0, "%g: a trefoil has three crossings from most sides", writhe(a));
}

/* How often the direction `across` turns about the tangent, over a fine curve: the integral of (t x u) . du / 2 pi. */
static double twist_of_torus_ribbon(double p, double q)
{
	enum { FINE = 20000 };
	double sum = 0.0, last[3] = {0, 0, 0};
	for (int i = 0; i <= FINE; i++) {
		double u = 2.0 * M_PI * i / FINE, x[3], y[3], t[3], n[3], along = 0.0, length = 0.0;
		torus_point(u - 1e-6, p, q, 0.0, 0.0, x);
		torus_point(u + 1e-6, p, q, 0.0, 0.0, t);
		for (int k = 0; k < 3; k++)
			t[k] -= x[k];
		for (int k = 0; k < 3; k++)
			length += t[k] * t[k];
		torus_point(u, p, q, 0.0, 0.0, x);
		torus_point(u, p, q, 0.1, 0.0, y);
		for (int k = 0; k < 3; k++) {
			t[k] /= sqrt(length);
			along += t[k] * (y[k] - x[k]);
		}
		for (int k = 0; k < 3; k++)
			n[k] = 10.0 * (y[k] - x[k] - along * t[k]);
		for (int k = 0; k < 3 && i > 0; k++)
			sum += t[k] * (last[(k + 1) % 3] * n[(k + 2) % 3] - last[(k + 2) % 3] * n[(k + 1) % 3]);
		memcpy(last, n, sizeof last);
	}
	return sum / (2.0 * M_PI);
}

/* Calugareanu's theorem: the linking number of a ribbon's edges is its twist and the writhe of its centre line. */
Test(knot, linking_is_twist_and_writhe)
{
	static const double kinds[][2] = {{1, 2}, {1, -5}, {2, 3}, {2, -3}, {3, 2}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		Curve a, b;
		torus_curve(a, kinds[i][0], kinds[i][1], 0.0, 0.0);
		torus_curve(b, kinds[i][0], kinds[i][1], 0.1, 0.0);
		double sum = twist_of_torus_ribbon(kinds[i][0], kinds[i][1]) + writhe(a), whole = linking(a, b);
		cr_assert_float_eq(whole, rint(whole), 1e-8);
		cr_assert_float_eq(sum, whole, 0.02, "%g, %g: %g is not %g", kinds[i][0], kinds[i][1], sum, whole);
	}
}

Test(knot, writhe_changes_by_what_tangents_sweep)
{
	random_seed = 22;
	for (int round = 0; round < 100; round++) {
		Curve a, b;
		torus_curve(a, 2, 3, 0.0, 0.0);
		for (int i = 0; i < N; i++)
			for (int k = 0; k < 3; k++)
				b[i][k] = a[i][k] * (k == 2 ? 1.2 : 1.0) + random_between(-0.02, 0.02);
		double swept = knot_swept((const double(*)[3])a, (const double(*)[3])b, N);
		cr_assert_float_eq(writhe(b) - writhe(a), swept, 1e-9);
	}
	Curve a, b;
	circle(a, 0.0, 1.0, 2, false);
	circle(b, 0.0, 1.0, 2, true);
	cr_assert(isinf(knot_swept((const double(*)[3])a, (const double(*)[3])b, N)), "tangents that turn around are not followed");
}

/* ---- ribbons that move ---- */

enum { POINTS = 80, ROUND = 400 };

typedef struct {
	double x[ROUND * 2][3];
	uint32_t vertex[ROUND * 2];
} Scenery;

/* A line that lies in a plane and makes a loop over itself, whose upper strand is at `height`. */
static void place_loop(double (*x)[3], double height, double sway)
{
	for (int i = 0; i < POINTS; i++) {
		double s = 2.0 * i / (POINTS - 1) - 1.0, u = 1.4 * M_PI * s;
		x[i][0] = 2.5 * s * s * s - sin(u) + 0.05 * sway * cos(5 * s);
		x[i][1] = cos(u) + 0.05 * sway * sin(3 * s);
		x[i][2] = 0.5 * height * (s > 0 ? s * s : -s * s) + 0.03 * sway;
	}
}

static void number(Scenery *scenery)
{
	for (uint32_t i = 0; i < ROUND * 2; i++)
		scenery->vertex[i] = i;
}

Test(knot, a_line_that_passes_through_itself_is_found)
{
	static Scenery scenery;
	number(&scenery);
	int found = 0;
	for (int planted = 0; planted < 2; planted++)
		for (int round = 0; round < 50; round++) {
			KnotRibbon ribbon = {"loop", .n = POINTS, .left = scenery.vertex};
			place_loop(scenery.x, 0.4, 0.0);
			Knot *knot = knot_new(&ribbon, 1, 0.0, (const double(*)[3])scenery.x);
			bool good = true;
			for (int frame = 1; frame <= 20 && good; frame++) {
				double height = planted && frame > round % 19 ? -0.4 : 0.4;
				place_loop(scenery.x, height, sin(0.3 * frame + round));
				good = knot_follow(knot, frame, (const double(*)[3])scenery.x);
			}
			cr_assert_eq(good, !planted, "round %d: %s", round, knot_failure(knot) ? knot_failure(knot) : "");
			cr_assert(good || strstr(knot_failure(knot), "the writhe of loop jumps by") != NULL);
			found += !good;
			cr_assert_eq(knot_state(knot, 0)->lost, 0);
			knot_free(knot);
		}
	cr_assert_eq(found, 50);
}

/* A chain of a closed and an open line; the ring is pulled off through the line in one step. */
Test(knot, a_ring_that_leaves_a_line_is_found)
{
	static Scenery scenery;
	number(&scenery);
	for (int through = 0; through < 2; through++) {
		KnotRibbon ribbon[2] = {{"line", .n = POINTS, .left = scenery.vertex},
		    {"ring", .closed = true, .n = POINTS, .left = scenery.vertex + POINTS}};
		Knot *knot = NULL;
		bool good = true;
		for (int frame = 0; frame <= 20; frame++) {
			double side = through && frame > 10 ? 3.0 : 0.0;
			for (int i = 0; i < POINTS; i++) {
				double u = 2.0 * M_PI * i / POINTS;
				memcpy(scenery.x[i], (double[3]){0.1 * sin(0.1 * i + frame), 0, 0.1 * i - 4.0}, sizeof *scenery.x);
				memcpy(scenery.x[POINTS + i], (double[3]){side + cos(u), sin(u), 0.1 * frame - 1}, sizeof *scenery.x);
			}
			if (frame == 0)
				knot = knot_new(ribbon, 2, 0.0, (const double(*)[3])scenery.x);
			else
				good = good && knot_follow(knot, frame, (const double(*)[3])scenery.x);
		}
		cr_assert_eq(abs(knot_between(knot, 0, 1)), 1);
		cr_assert_eq(good, !through);
		cr_assert(good || strstr(knot_failure(knot), "linking number of line and ring has changed") != NULL, "%s", knot_failure(knot));
		knot_free(knot);
	}
}

/* A strip that is bent to a trough; a ring that lies in it is lifted out. What is between its edges is then passed through, but
 * not the strip. */
Test(knot, what_is_between_the_edges_is_not_the_ribbon)
{
	static Scenery scenery;
	static uint32_t middle[POINTS];
	enum { RING = 4 };
	static const double ring[RING][3] = {{-0.1, 0.5, -1}, {0.1, 0.5, 1}, {0.1, 3, 1}, {-0.1, 3, -1}};
	double x[3 * POINTS + RING][3];
	number(&scenery);
	for (uint32_t i = 0; i < POINTS; i++)
		middle[i] = 2 * POINTS + i;
	for (int known = 0; known < 2; known++) {
		static const uint32_t corner[RING] = {3 * POINTS, 3 * POINTS + 1, 3 * POINTS + 2, 3 * POINTS + 3};
		KnotRibbon ribbon[2] = {{"trough", .n = POINTS, .left = scenery.vertex, .right = scenery.vertex + POINTS,
		                            .middle = known ? middle : NULL},
		    {"ring", .closed = true, .n = RING, .left = corner}};
		for (int i = 0; i < POINTS; i++) {
			double z = 0.1 * i - 4.0;
			const double row[3][3] = {{-0.3, 1, z}, {0.3, 1, z}, {0, 0, z}};
			for (int part = 0; part < 3; part++)
				memcpy(x[part * POINTS + i], row[part], sizeof row[part]);
		}
		memcpy(x[3 * POINTS], ring, sizeof ring);
		Knot *knot = knot_new(ribbon, 2, 0.0, (const double(*)[3])x);
		for (int frame = 1; frame <= 10; frame++) {
			for (int i = 0; i < RING; i++)
				x[3 * POINTS + i][1] += 0.1;
			cr_assert(knot_follow(knot, frame, (const double(*)[3])x), "%s", knot_failure(knot));
		}
		cr_assert_eq(knot_between(knot, 0, 1), 0);
		knot_free(knot);
	}
}

/* An open strip, held at both ends, with some turns; then one turn more, which no motion can bring in. */
Test(knot, edges_of_held_strips)
{
	static Scenery scenery;
	number(&scenery);
	int linked[4];
	for (int turns = 0; turns < 4; turns++) {
		KnotRibbon ribbon = {"strip", .steady = true, .n = POINTS, .left = scenery.vertex, .right = scenery.vertex + POINTS};
		Knot *knot = NULL;
		for (int frame = 0; frame < 3; frame++) {
			for (int i = 0; i < POINTS; i++) {
				double s = (double)i / (POINTS - 1), u = 2.0 * M_PI * (turns + (frame == 2)) * s, sway = frame * s * (1 - s);
				for (int side = 0; side < 2; side++) {
					double w = side ? 0.2 : -0.2, x[3] = {w * cos(u), sway + w * sin(u), 8 * s};
					memcpy(scenery.x[side * POINTS + i], x, sizeof x);
				}
			}
			if (frame == 0)
				knot = knot_new(&ribbon, 1, 0.0, (const double(*)[3])scenery.x);
			else
				cr_assert_eq(knot_follow(knot, frame, (const double(*)[3])scenery.x), frame < 2, "turns %d, frame %d", turns, frame);
		}
		cr_assert(strstr(knot_failure(knot), "the edges of strip has changed") != NULL);
		linked[turns] = knot_state(knot, 0)->edges;
		knot_free(knot);
	}
	for (int turns = 1; turns < 4; turns++)
		cr_assert_eq(abs(linked[turns] - linked[turns - 1]), 1, "%d after %d", linked[turns], linked[turns - 1]);
}

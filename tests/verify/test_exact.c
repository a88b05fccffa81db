/* The reference decides by linear programming: elements meet when some convex combination of the corners of one is one
 * of the other's, and if there is any, then one whose columns are linearly independent: all such are tried. Coordinates
 * are small integers, so that weights are 0 or larger than 1/1000, and elimination in floating point decides. */
#include "support/random.h"
#include "verify/exact.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define TINY 1e-9

/* ---- reference ---- */

enum { ROWS = 5, MOST_COLUMNS = 6 };

typedef struct {
	int n;
	int column[MOST_COLUMNS]; /* which corner: those of a, then those of b */
	double m[ROWS][MOST_COLUMNS + 1];
} System;

/* Points of a minus points of b are zero; the weights of each sum to 1. */
static void make_system(
    System *system, const double (*x)[3], const uint32_t *a, int n_a, const uint32_t *b, int n_b, unsigned columns)
{
	memset(system, 0, sizeof *system);
	for (int i = 0; i < n_a + n_b; i++) {
		if (!(columns >> i & 1))
			continue;
		const double *corner = i < n_a ? x[a[i]] : x[b[i - n_a]];
		for (int k = 0; k < 3; k++)
			system->m[k][system->n] = i < n_a ? corner[k] : -corner[k];
		system->m[i < n_a ? 3 : 4][system->n] = 1.0;
		system->column[system->n++] = i;
	}
	system->m[3][MOST_COLUMNS] = system->m[4][MOST_COLUMNS] = 1.0;
}

static void swap_rows(System *system, int a, int b)
{
	for (int j = 0; j <= MOST_COLUMNS; j++) {
		double value = system->m[a][j];
		system->m[a][j] = system->m[b][j];
		system->m[b][j] = value;
	}
}

/* The only solution, when the columns are independent and there is one. */
static bool solve(System *system, double *weight)
{
	for (int j = 0; j < system->n; j++) {
		int pivot = j;
		for (int i = j; i < ROWS; i++)
			if (fabs(system->m[i][j]) > fabs(system->m[pivot][j]))
				pivot = i;
		if (j >= ROWS || fabs(system->m[pivot][j]) < TINY)
			return false;
		swap_rows(system, j, pivot);
		for (int i = 0; i < ROWS; i++) {
			double factor = i == j ? 0.0 : system->m[i][j] / system->m[j][j];
			for (int k = 0; k <= MOST_COLUMNS; k++)
				system->m[i][k] -= factor * system->m[j][k];
		}
	}
	for (int i = system->n; i < ROWS; i++)
		if (fabs(system->m[i][MOST_COLUMNS]) > TINY)
			return false;
	for (int j = 0; j < system->n; j++)
		weight[j] = system->m[j][MOST_COLUMNS] / system->m[j][j];
	return true;
}

static bool is_shared(uint32_t corner, const uint32_t *list, int n)
{
	for (int i = 0; i < n; i++)
		if (list[i] == corner)
			return true;
	return false;
}

/* Whether a solution is a common point, with some weight on corners that are not shared when there are shared ones.
 * (For elements without shared vertices, or with independent corners.) */
static bool counts(const System *system, const double *weight, const uint32_t *a, int n_a, const uint32_t *b, int n_b)
{
	double own = 0.0;
	for (int j = 0; j < system->n; j++) {
		int i = system->column[j];
		if (weight[j] < -TINY)
			return false;
		if (i < n_a && !is_shared(a[i], b, n_b))
			own += weight[j];
	}
	bool sharing = false;
	for (int i = 0; i < n_a; i++)
		sharing = sharing || is_shared(a[i], b, n_b);
	return !sharing || own > TINY;
}

static bool reference(const double (*x)[3], const uint32_t *a, int n_a, const uint32_t *b, int n_b)
{
	for (unsigned columns = 1; columns < 1u << (n_a + n_b); columns++) {
		System system;
		double weight[MOST_COLUMNS];
		make_system(&system, x, a, n_a, b, n_b, columns);
		if (solve(&system, weight) && counts(&system, weight, a, n_a, b, n_b))
			return true;
	}
	return false;
}

/* ---- random elements on a small grid: everything that can touch or lie in a plane does so ---- */

static void random_corners(double (*x)[3], int n, int size)
{
	bool flat = random_below(4) == 0;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < 3; k++)
			x[i][k] = flat && k == 1 ? 1.0 : random_below(size);
}

/* The numbers are the same after a turn that is exact, and the elements then are in no coordinate plane. */
static void shear(double (*x)[3], int n)
{
	for (int i = 0; i < n; i++) {
		x[i][0] += 3.0 * x[i][1];
		x[i][2] += 2.0 * x[i][0] - x[i][1];
	}
}

static bool is_independent(const double (*x)[3], const uint32_t *a, int n)
{
	if (n == 1)
		return true;
	if (n == 2)
		return x[a[0]][0] != x[a[1]][0] || x[a[0]][1] != x[a[1]][1] || x[a[0]][2] != x[a[1]][2];
	return exact_orient2(0, x[a[0]], x[a[1]], x[a[2]]) != 0 || exact_orient2(1, x[a[0]], x[a[1]], x[a[2]]) != 0 ||
	       exact_orient2(2, x[a[0]], x[a[1]], x[a[2]]) != 0;
}

static void shuffle(uint32_t *list, int n)
{
	for (int i = n - 1; i > 0; i--) {
		int j = random_below(i + 1);
		uint32_t value = list[i];
		list[i] = list[j];
		list[j] = value;
	}
}

/* Returns whether they meet. */
static bool check_elements(int n_a, int n_b, int n_shared, int size)
{
	double x[6][3];
	uint32_t a[3] = {0, 1, 2}, b[3] = {3, 4, 5};
	random_corners(x, 6, size);
	if (random_below(2))
		shear(x, 6);
	for (int i = 0; i < n_shared; i++)
		b[i] = a[i];
	if (n_shared > 0 && (!is_independent(x, a, n_a) || !is_independent(x, b, n_b)))
		return false;
	shuffle(a, n_a);
	shuffle(b, n_b);
	bool meets = exact_meet(x, a, n_a, b, n_b), expected = reference(x, a, n_a, b, n_b);
	cr_assert_eq(meets, expected,
	    "%d and %d corners, %d shared: %d\n(%g %g %g) (%g %g %g) (%g %g %g) (%g %g %g) (%g %g %g) (%g %g %g)", n_a,
	    n_b, n_shared, meets, x[0][0], x[0][1], x[0][2], x[1][0], x[1][1], x[1][2], x[2][0], x[2][1], x[2][2],
	    x[3][0], x[3][1], x[3][2], x[4][0], x[4][1], x[4][2], x[5][0], x[5][1], x[5][2]);
	cr_assert_eq(exact_meet(x, b, n_b, a, n_a), meets);
	return meets;
}

Test(exact, elements_meet_as_the_reference_says)
{
	random_seed = 1;
	for (int n_a = 1; n_a <= 3; n_a++)
		for (int n_b = n_a; n_b <= 3; n_b++)
			for (int n_shared = 0; n_shared < n_a; n_shared++) {
				int meeting = 0;
				for (int i = 0; i < 12000; i++)
					meeting += check_elements(n_a, n_b, n_shared, 2 + i % 4);
				cr_assert(meeting > 100 && meeting < 11900);
				cr_log_info(
				    "%d and %d corners, %d shared: %d of 12000 meet", n_a, n_b, n_shared, meeting);
			}
}

/* ---- known cases ---- */

static bool triangles(const double (*x)[3])
{
	const uint32_t a[3] = {0, 1, 2}, b[3] = {3, 4, 5};
	return exact_meet(x, a, 3, b, 3);
}

Test(exact, triangles_that_touch_or_miss_by_one_unit)
{
	double x[6][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {1, 1, 5}, {2, 1, 5}};
	cr_assert(triangles(x), "a corner on the face");
	x[3][2] = 0x1p-1074;
	cr_assert(!triangles(x), "just above the face");
	double y[6][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {2, 2, 0}, {5, 5, 0}, {6, 5, 0}};
	cr_assert(triangles(y), "in one plane, a corner on a side");
	y[3][0] = nextafter(2.0, 3.0);
	cr_assert(!triangles(y), "in one plane, just beside");
	double z[6][3] = {{0, 0, 0}, {8, 0, 0}, {0, 8, 0}, {1, 1, 0}, {2, 1, 0}, {1, 2, 0}};
	cr_assert(triangles(z), "one in the other");
	double w[6][3] = {{0, 0, 0}, {1, 1, 1}, {3, 3, 3}, {2, 2, 2}, {5, 0, 0}, {0, 0, 5}};
	cr_assert(triangles(w), "without area, touched");
	w[3][0] = nextafter(2.0, 3.0);
	cr_assert(!triangles(w));
}

Test(exact, neighbours_meet_only_outside_of_what_they_share)
{
	const uint32_t a[3] = {0, 1, 2}, hinge[3] = {1, 0, 3}, corner[3] = {4, 0, 3}, side[2] = {2, 0},
	               spike[2] = {0, 3};
	double x[5][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {2, -3, 0}, {-1, -1, 0}};
	cr_assert(!exact_meet(x, a, 3, a, 3));
	cr_assert(!exact_meet(x, a, 3, side, 2));
	cr_assert(!exact_meet(x, a, 3, hinge, 3), "unfolded");
	x[3][1] = 3;
	cr_assert(exact_meet(x, a, 3, hinge, 3), "folded flat");
	cr_assert(exact_meet(x, a, 3, corner, 3) && exact_meet(x, a, 3, spike, 2));
	x[3][2] = 0x1p-1074;
	cr_assert(!exact_meet(x, a, 3, hinge, 3), "folded nearly flat");
	cr_assert(!exact_meet(x, a, 3, corner, 3) && !exact_meet(x, a, 3, spike, 2));
	double y[5][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {2, 2, 0}, {0, 0, 3}};
	cr_assert(exact_meet(y, a, 3, corner, 3), "a side in the face of the other");
	y[3][0] = -2;
	cr_assert(!exact_meet(y, a, 3, corner, 3));
}

/* Triangles without area are segments, and what they share is still no reason to meet. */
Test(exact, neighbours_without_area)
{
	const uint32_t a[3] = {0, 1, 2}, b[3] = {0, 3, 4}, hinge[3] = {0, 1, 3};
	double x[5][3] = {{0, 0, 0}, {1, 1, 1}, {-1, -1, -1}, {2, 0, 0}, {0, 2, 1}};
	cr_assert(!exact_meet(x, a, 3, b, 3), "a line through the common corner");
	x[3][0] = x[3][1] = x[3][2] = 2;
	cr_assert(exact_meet(x, a, 3, b, 3), "along a side of the other");
	x[3][0] = x[3][1] = x[3][2] = 0;
	cr_assert(!exact_meet(x, a, 3, b, 3), "a segment that only starts there");
	x[3][0] = x[3][1] = x[3][2] = 3;
	cr_assert(!exact_meet(x, a, 3, hinge, 3), "beyond different ends of the common side");
	x[2][0] = x[2][1] = x[2][2] = 2;
	cr_assert(exact_meet(x, a, 3, hinge, 3), "beyond the same end");
}

/* ---- signs ---- */

static int orient3_rational(const double a[3], const double b[3], const double c[3], const double d[3])
{
	mpq_t m[3][3], term, sum;
	const double *row[3] = {b, c, d};
	mpq_inits(term, sum, NULL);
	for (int i = 0; i < 9; i++) {
		mpq_init(m[i / 3][i % 3]);
		mpq_set_d(m[i / 3][i % 3], row[i / 3][i % 3]);
		mpq_set_d(term, a[i % 3]);
		mpq_sub(m[i / 3][i % 3], m[i / 3][i % 3], term);
	}
	static const int permutation[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
	for (int p = 0; p < 6; p++) {
		mpq_mul(term, m[0][permutation[p][0]], m[1][permutation[p][1]]);
		mpq_mul(term, term, m[2][permutation[p][2]]);
		if (p < 3)
			mpq_add(sum, sum, term);
		else
			mpq_sub(sum, sum, term);
	}
	int sign = mpq_sgn(sum);
	for (int i = 0; i < 9; i++)
		mpq_clear(m[i / 3][i % 3]);
	mpq_clears(term, sum, NULL);
	return sign;
}

/* Nearly in a plane, at any offset and scale: the last bits decide. */
Test(exact, orientation_is_right_to_the_last_bit)
{
	random_seed = 2;
	int zeros = 0;
	for (int i = 0; i < 100000; i++) {
		double x[4][3], s = random_between(-1, 2), t = random_between(-1, 2);
		double offset = i % 3 ? 0.0 : 1e6, scale = ldexp(1.0, i % 5 ? 0 : random_below(600) - 300);
		for (int k = 0; k < 3; k++) {
			for (int j = 0; j < 3; j++)
				x[j][k] = i % 2 ? random_between(-1, 1) : random_below(9);
			x[3][k] = x[0][k] + floor(i % 2 ? s : 2 * s) * (x[1][k] - x[0][k]) + t * (x[2][k] - x[0][k]);
			for (int j = 0; j < 4; j++)
				x[j][k] = scale * (offset + x[j][k]);
		}
		int sign = exact_orient3(x[0], x[1], x[2], x[3]);
		cr_assert_eq(sign, orient3_rational(x[0], x[1], x[2], x[3]));
		cr_assert_eq(sign, -exact_orient3(x[1], x[0], x[2], x[3]));
		zeros += sign == 0;
		double y[3] = {x[1][0], x[1][1], 0}, z[3] = {x[2][0], x[2][1], 0}, o[3] = {x[0][0], x[0][1], 0};
		double up[3] = {x[0][0], x[0][1], scale};
		cr_assert_eq(exact_orient2(2, x[0], x[1], x[2]), exact_orient3(o, y, z, up));
	}
	cr_log_info("%d of 100000 in a plane", zeros);
	cr_assert(zeros > 100);
}

Test(exact, integers_are_the_doubles_in_a_common_unit)
{
	const double value[5] = {0.75, -3.0, 0.0, 0x1p-1074, 0x1.fffffffffffffp1023};
	mpz_t integer[5], expected;
	mpz_init(expected);
	for (int i = 0; i < 5; i++)
		mpz_init(integer[i]);
	exact_integers(value, 3, integer);
	cr_assert(mpz_cmp_si(integer[0], 3) == 0 && mpz_cmp_si(integer[1], -12) == 0 && mpz_sgn(integer[2]) == 0);
	exact_integers(value, 5, integer);
	cr_assert_eq(mpz_cmp_si(integer[3], 1), 0);
	mpz_set_si(expected, (1L << 53) - 1);
	mpz_mul_2exp(expected, expected, 1023 - 52 + 1074);
	cr_assert_eq(mpz_cmp(integer[4], expected), 0);
	mpz_clear(expected);
	for (int i = 0; i < 5; i++)
		mpz_clear(integer[i]);
}

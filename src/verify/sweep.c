/* Whether a pair meets at t is decided by signs of polynomials in t (meet.h), whose coefficients are exact integers.
 * Between their roots nothing changes, and the times at which the pair meets are a closed set: so if it meets at all,
 * then at 0, at 1, or at a root. For a vertex and a triangle, or two edges, only the roots of one polynomial matter,
 * the volume of the tetrahedron of their corners, for they meet only where it vanishes; for a vertex and an edge those
 * of an area. When that one is zero all the time (a motion within a plane, on a line), the roots of all the others are
 * tried.
 *
 * Corners whose segments begin and end at different times have, at time t, the coordinates (x0 (t1 - t) + x1 (t - t0)) /
 * (t1 - t0). Times the least common multiple of all (t1 - t0), which is the same positive number for every corner, these
 * are integer polynomials again, and signs do not change. */
#include "verify/sweep.h"
#include "verify/exact.h"
#include "verify/meet.h"
#include "verify/polynomial.h"
#include "verify/separate.h"
#include <math.h>
#include <stddef.h>

/* How often the filter halves the time: a pair that is not apart then is nearly sure to meet. */
#define MOST_HALVINGS 6

const int sweep_corners[SWEEP_N_KINDS] = {4, 4, 3, 2};
const int sweep_first[SWEEP_N_KINDS] = {1, 2, 1, 1};
static const uint32_t CORNER[SWEEP_MOST_CORNERS] = {0, 1, 2, 3};

typedef struct {
	SweepKind kind;
	int n;
	Polynomial coordinate[SWEEP_MOST_CORNERS][3]; /* of degree 1, in a common unit */
	double first;                                 /* the least time at which it was found to meet; INFINITY: none */
} Motion;

/* A time of a motion at which signs are asked for. */
typedef struct {
	const Motion *motion;
	PolynomialRoot *time;
} Moment;

/* ---- polynomials of a motion ---- */

static void motion_init(Motion *motion, SweepKind kind, const double (*x0)[3], const double (*x1)[3])
{
	enum { MOST = 6 * SWEEP_MOST_CORNERS };
	double value[MOST];
	mpz_t integer[MOST];
	motion->kind = kind;
	motion->n = sweep_corners[kind];
	motion->first = INFINITY;
	for (int i = 0; i < 3 * motion->n; i++) {
		value[2 * i] = x0[i / 3][i % 3];
		value[2 * i + 1] = x1[i / 3][i % 3];
	}
	for (int i = 0; i < 6 * motion->n; i++)
		mpz_init(integer[i]);
	exact_integers(value, 6 * (size_t)motion->n, integer);
	for (int i = 0; i < 3 * motion->n; i++) {
		Polynomial *p = &motion->coordinate[i / 3][i % 3];
		polynomial_init(p);
		mpz_set(p->coefficient[0], integer[2 * i]);
		mpz_sub(p->coefficient[1], integer[2 * i + 1], integer[2 * i]);
		polynomial_settle(p);
	}
	for (int i = 0; i < 6 * motion->n; i++)
		mpz_clear(integer[i]);
}

static void motion_clear(Motion *motion)
{
	for (int i = 0; i < 3 * motion->n; i++)
		polynomial_clear(&motion->coordinate[i / 3][i % 3]);
}

/* x_a - x_b along the axis; result is fresh, here and below. */
static void difference(Polynomial *result, const Motion *motion, int axis, uint32_t a, uint32_t b)
{
	polynomial_add(result, &motion->coordinate[a][axis]);
	polynomial_subtract(result, &motion->coordinate[b][axis]);
}

/* (x_b - x_a) along one axis times (x_c - x_a) along another. */
static void product(Polynomial *result, const Motion *motion, int i, int j, uint32_t a, uint32_t b, uint32_t c)
{
	Polynomial first, second;
	polynomial_init(&first);
	polynomial_init(&second);
	difference(&first, motion, i, b, a);
	difference(&second, motion, j, c, a);
	polynomial_multiply(result, &first, &second);
	polynomial_clear(&second);
	polynomial_clear(&first);
}

static void area(Polynomial *result, const Motion *motion, int axis, uint32_t a, uint32_t b, uint32_t c)
{
	int i = (axis + 1) % 3, j = (axis + 2) % 3;
	Polynomial other;
	polynomial_init(&other);
	product(result, motion, i, j, a, b, c);
	product(&other, motion, j, i, a, b, c);
	polynomial_subtract(result, &other);
	polynomial_clear(&other);
}

static void volume(Polynomial *result, const Motion *motion, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	for (int axis = 0; axis < 3; axis++) {
		Polynomial base, height, term;
		polynomial_init(&base);
		polynomial_init(&height);
		polynomial_init(&term);
		area(&base, motion, axis, a, b, c);
		difference(&height, motion, axis, d, a);
		polynomial_multiply(&term, &base, &height);
		polynomial_add(result, &term);
		polynomial_clear(&term);
		polynomial_clear(&height);
		polynomial_clear(&base);
	}
}

/* ---- signs at a moment ---- */

static int moment_orient3(void *source, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	Moment *moment = source;
	Polynomial p;
	polynomial_init(&p);
	volume(&p, moment->motion, a, b, c, d);
	int sign = polynomial_sign_at(&p, moment->time);
	polynomial_clear(&p);
	return sign;
}

static int moment_orient2(void *source, int axis, uint32_t a, uint32_t b, uint32_t c)
{
	Moment *moment = source;
	Polynomial p;
	polynomial_init(&p);
	area(&p, moment->motion, axis, a, b, c);
	int sign = polynomial_sign_at(&p, moment->time);
	polynomial_clear(&p);
	return sign;
}

static int moment_compare(void *source, int axis, uint32_t a, uint32_t b)
{
	Moment *moment = source;
	Polynomial p;
	polynomial_init(&p);
	difference(&p, moment->motion, axis, a, b);
	int sign = polynomial_sign_at(&p, moment->time);
	polynomial_clear(&p);
	return sign;
}

/* Remembers when. */
static bool meets_at(PolynomialRoot *time, void *data)
{
	Motion *motion = data;
	Moment moment = {motion, time};
	const MeetSigns signs = {
	    .source = &moment,
	    .orient3 = moment_orient3,
	    .orient2 = moment_orient2,
	    .compare = moment_compare,
	};
	int n_first = sweep_first[motion->kind];
	if (!meet_elements(&signs, CORNER, n_first, CORNER + n_first, motion->n - n_first))
		return false;
	motion->first = fmin(motion->first, polynomial_root_value(time));
	return true;
}

/* ---- times at which the pair may meet ---- */

/* Clears p. */
static bool meets_at_root(Motion *motion, Polynomial *p)
{
	bool meets = p->degree > 0 && polynomial_may_vanish(p) && polynomial_visit_roots(p, meets_at, motion);
	polynomial_clear(p);
	return meets;
}

/* At a root of any polynomial of which the signs could be asked for. All are tried: any of them may be the first. */
static bool meets_at_any_root(Motion *motion)
{
	uint32_t n = (uint32_t)motion->n;
	bool meets = false;
	for (int axis = 0; axis < 3; axis++)
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = a + 1; b < n; b++) {
				Polynomial p;
				polynomial_init(&p);
				difference(&p, motion, axis, a, b);
				meets = meets_at_root(motion, &p) || meets;
				for (uint32_t c = b + 1; c < n; c++) {
					polynomial_init(&p);
					area(&p, motion, axis, a, b, c);
					meets = meets_at_root(motion, &p) || meets;
				}
			}
	return meets;
}

/* Polynomials that vanish whenever the pair meets; the number of them. */
static int necessary_count(SweepKind kind)
{
	return kind == SWEEP_VERTEX_TRIANGLE || kind == SWEEP_EDGE_EDGE ? 1 : 3;
}

static void necessary(Polynomial *p, const Motion *motion, int which)
{
	if (motion->n == 4)
		volume(p, motion, 0, 1, 2, 3);
	else if (motion->n == 3)
		area(p, motion, which, 0, 1, 2);
	else
		difference(p, motion, which, 0, 1);
}

static bool meets_in_between(Motion *motion)
{
	for (int i = 0; i < necessary_count(motion->kind); i++) {
		Polynomial p;
		polynomial_init(&p);
		necessary(&p, motion, i);
		if (p.degree >= 0)
			return meets_at_root(motion, &p);
		polynomial_clear(&p);
	}
	return meets_at_any_root(motion);
}

/* ---- the pair ---- */

static bool meets_at_rest(SweepKind kind, const double (*x)[3])
{
	int n_first = sweep_first[kind];
	return exact_meet(x, CORNER, n_first, CORNER + n_first, sweep_corners[kind] - n_first);
}

bool sweep_meets_exactly(SweepKind kind, const double (*x0)[3], const double (*x1)[3])
{
	if (meets_at_rest(kind, x0) || meets_at_rest(kind, x1))
		return true;
	Motion motion;
	motion_init(&motion, kind, x0, x1);
	bool meets = meets_in_between(&motion);
	motion_clear(&motion);
	return meets;
}

/* The times of a motion as integers: from, to, then t0 and t1 of each segment. */
enum { FROM, TO, FIRST_SEGMENT, MOST_TIMES = FIRST_SEGMENT + 2 * SWEEP_MOST_CORNERS };

static void times_init(mpz_t *integer, int n, const SweepSegment *segment, double from, double to)
{
	double value[MOST_TIMES] = {from, to};
	for (int i = 0; i < n; i++) {
		value[FIRST_SEGMENT + 2 * i] = segment[i].t0;
		value[FIRST_SEGMENT + 2 * i + 1] = segment[i].t1;
	}
	for (int i = 0; i < MOST_TIMES; i++)
		mpz_init(integer[i]);
	exact_integers(value, MOST_TIMES, integer);
}

static void duration(mpz_t result, mpz_t *time, int corner)
{
	mpz_sub(result, time[FIRST_SEGMENT + 2 * corner + 1], time[FIRST_SEGMENT + 2 * corner]);
}

/* Each coordinate, which is x0 + (x1 - x0) s, becomes what it is between `from` and `to`, times a common factor. */
static void motion_stretch(Motion *motion, mpz_t *time)
{
	mpz_t common, whole, lasts, factor, ahead;
	mpz_inits(common, whole, lasts, factor, ahead, NULL);
	mpz_set_si(common, 1);
	mpz_sub(whole, time[TO], time[FROM]);
	for (int i = 0; i < motion->n; i++) {
		duration(lasts, time, i);
		mpz_lcm(common, common, lasts);
	}
	for (int i = 0; i < motion->n; i++) {
		duration(lasts, time, i);
		mpz_divexact(factor, common, lasts);
		mpz_sub(ahead, time[FROM], time[FIRST_SEGMENT + 2 * i]);
		for (int k = 0; k < 3; k++) {
			mpz_t *c = motion->coordinate[i][k].coefficient;
			mpz_mul(c[0], c[0], lasts);
			mpz_addmul(c[0], c[1], ahead);
			mpz_mul(c[0], c[0], factor);
			mpz_mul(c[1], c[1], whole);
			mpz_mul(c[1], c[1], factor);
			polynomial_settle(&motion->coordinate[i][k]);
		}
	}
	mpz_clears(common, whole, lasts, factor, ahead, NULL);
}

static bool meets_at_end(Motion *motion, unsigned long end)
{
	PolynomialRoot time = {.dyadic = true};
	mpz_init_set_ui(time.cell, end);
	bool meets = meets_at(&time, motion);
	mpz_clear(time.cell);
	return meets;
}

bool sweep_first_meeting(SweepKind kind, const SweepSegment *segment, double from, double to, double *first)
{
	double x0[SWEEP_MOST_CORNERS][3], x1[SWEEP_MOST_CORNERS][3];
	mpz_t time[MOST_TIMES];
	Motion motion;
	for (int i = 0; i < sweep_corners[kind]; i++)
		for (int k = 0; k < 3; k++) {
			x0[i][k] = segment[i].x0[k];
			x1[i][k] = segment[i].x1[k];
		}
	motion_init(&motion, kind, (const double(*)[3])x0, (const double(*)[3])x1);
	times_init(time, motion.n, segment, from, to);
	motion_stretch(&motion, time);
	bool meets = meets_at_end(&motion, 0) || meets_in_between(&motion) || meets_at_end(&motion, 1);
	*first = from + motion.first * (to - from);
	for (int i = 0; i < MOST_TIMES; i++)
		mpz_clear(time[i]);
	motion_clear(&motion);
	return meets;
}

static bool is_finite(int n, const double (*x)[3])
{
	for (int i = 0; i < n; i++)
		if (!isfinite(x[i][0]) || !isfinite(x[i][1]) || !isfinite(x[i][2]))
			return false;
	return true;
}

static bool boxes_apart(int n_first, int n, const double (*x0)[3], const double (*x1)[3])
{
	for (int k = 0; k < 3; k++) {
		double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
		for (int i = 0; i < n; i++) {
			int second = i >= n_first;
			least[second] = fmin(least[second], fmin(x0[i][k], x1[i][k]));
			most[second] = fmax(most[second], fmax(x0[i][k], x1[i][k]));
		}
		if (least[0] > most[1] || least[1] > most[0])
			return true;
	}
	return false;
}

bool sweep_meets(SweepKind kind, const double (*x0)[3], const double (*x1)[3], SweepCount *count)
{
	SweepCount ignored = {0};
	if (count == NULL)
		count = &ignored;
	int n = sweep_corners[kind], n_first = sweep_first[kind];
	if (!is_finite(n, x0) || !is_finite(n, x1)) {
		count->meeting++;
		return true;
	}
	if (boxes_apart(n_first, n, x0, x1)) {
		count->by_box++;
		return false;
	}
	if (separate_apart(n_first, n, x0, x1, MOST_HALVINGS)) {
		count->by_direction++;
		return false;
	}
	bool meets = sweep_meets_exactly(kind, x0, x1);
	count->exactly++;
	count->meeting += meets;
	return meets;
}

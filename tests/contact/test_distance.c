/* The reference takes all sub-features apart: every pair of corners, every corner against the line of every edge, the
 * plane and the two lines, each only where its own closest points lie inside, in 113 bits; the least is the distance.
 * It knows no clamping. Errors are counted in units of eps times the size of the pair (its largest extent). */
#include "contact/distance.h"
#include "support/random.h"
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

#define PAIRS 200000

/* Measured: 3.2 at most (edges; see the log). One rounded difference of corners makes 1/2 in each component. */
#define MOST_ERROR 4.0

#if LDBL_MANT_DIG >= 113
typedef long double Real;
#else
typedef __float128 Real;
#endif

typedef struct {
	Real c[3];
} Point;

static bool chance(int in)
{
	return random_bits() % (uint64_t)in == 0;
}

static Vec3 random_vector(double size)
{
	return vec3(random_between(-size, size), random_between(-size, size), random_between(-size, size));
}

/* ---- reference ---- */

static Point point_from(Vec3 v)
{
	return (Point){{v.x, v.y, v.z}};
}

static Point minus(Point a, Point b)
{
	return (Point){{a.c[0] - b.c[0], a.c[1] - b.c[1], a.c[2] - b.c[2]}};
}

static Point along(Point a, Real t, Point b)
{
	return (Point){{a.c[0] + t * b.c[0], a.c[1] + t * b.c[1], a.c[2] + t * b.c[2]}};
}

static Real dot(Point a, Point b)
{
	return a.c[0] * b.c[0] + a.c[1] * b.c[1] + a.c[2] * b.c[2];
}

static void keep_least(Real *least, Real value)
{
	if (value < *least)
		*least = value;
}

static Real square(Point a, Point b)
{
	Point r = minus(a, b);
	return dot(r, r);
}

static void try_line(Real *least, Point v, Point a, Point b)
{
	Point u = minus(b, a);
	Real uu = dot(u, u), vu = dot(minus(v, a), u);
	if (uu > 0 && vu >= 0 && vu <= uu)
		keep_least(least, square(v, along(a, vu / uu, u)));
}

/* What is left of a when its part along u is taken away: normal equations would square the condition of slivers. */
static Point across(Point a, Point u)
{
	return along(a, -dot(a, u) / dot(u, u), u);
}

static bool inside(Real t)
{
	return t >= 0 && t <= 1;
}

static void try_plane(Real *least, Point v, Point a, Point b, Point c)
{
	Point u = minus(b, a), w = minus(c, a), r = minus(v, a);
	if (!(dot(u, u) > 0))
		return;
	Point height = across(w, u);
	Real height2 = dot(height, height), t = height2 > 0 ? dot(across(r, u), height) / height2 : -1;
	Real s = dot(along(r, -t, w), u) / dot(u, u);
	if (inside(t) && inside(s) && inside(s + t))
		keep_least(least, square(v, along(along(a, s, u), t, w)));
}

static void try_crossing(Real *least, Point a, Point b, Point c, Point d)
{
	Point u = minus(b, a), w = minus(d, c), r = minus(c, a);
	if (!(dot(u, u) > 0))
		return;
	Point height = across(w, u);
	Real height2 = dot(height, height), t = height2 > 0 ? -dot(across(r, u), height) / height2 : -1;
	Real s = dot(along(r, t, w), u) / dot(u, u);
	if (inside(t) && inside(s))
		keep_least(least, square(along(a, s, u), along(c, t, w)));
}

static Real square_root(Real square_)
{
	if (square_ <= 0)
		return 0;
	Real root = sqrtl((long double)square_);
	return root > 0 ? (root + square_ / root) / 2 : root;
}

static Real reference_of_points(PairKind kind, const Point x[4])
{
	int n = distance_corners[kind], first = distance_first[kind];
	Real least = square(x[0], x[first]);
	for (int i = 0; i < first; i++)
		for (int j = first; j < n; j++)
			keep_least(&least, square(x[i], x[j]));
	for (int i = 0; i < first; i++)
		for (int j = first; j < n; j++)
			for (int k = j + 1; k < n; k++)
				try_line(&least, x[i], x[j], x[k]);
	if (kind == PAIR_EDGE_EDGE) {
		try_line(&least, x[2], x[0], x[1]);
		try_line(&least, x[3], x[0], x[1]);
		try_crossing(&least, x[0], x[1], x[2], x[3]);
	}
	if (kind == PAIR_VERTEX_TRIANGLE)
		try_plane(&least, x[0], x[1], x[2], x[3]);
	return square_root(least);
}

static Real reference(PairKind kind, const Vec3 *x)
{
	Point p[4] = {0};
	for (int i = 0; i < distance_corners[kind]; i++)
		p[i] = point_from(x[i]);
	return reference_of_points(kind, p);
}

/* ---- pairs of all kinds ---- */

static double size_of(PairKind kind, const Vec3 *x)
{
	double size = 0.0;
	for (int i = 1; i < distance_corners[kind]; i++) {
		Vec3 r = vec3_sub(x[i], x[0]);
		size = fmax(size, fmax(fabs(r.x), fmax(fabs(r.y), fabs(r.z))));
	}
	return size;
}

/* A number between 2^-60 and 1, as likely in every octave. */
static double any_magnitude(void)
{
	return ldexp(random_between(0.5, 1.0), -(int)(random_bits() % 60));
}

/* Two edges that differ by `angle` in direction, side by side or one behind the other. */
static void make_nearly_parallel(Vec3 x[4], double angle)
{
	Vec3 u = vec3_sub(x[1], x[0]);
	Vec3 w = vec3_madd(vec3_scale(random_between(-2.0, 2.0), u), angle, random_vector(1.0));
	x[2] = vec3_add(vec3_madd(x[0], random_between(-1.5, 1.5), u), random_vector(any_magnitude()));
	x[3] = vec3_add(x[2], w);
}

/* A corner, moved to (nearly) some point of the line or plane of the others. */
static void make_close(Vec3 *x, int n, double gap)
{
	Vec3 p = x[1];
	for (int i = 2; i < n; i++)
		p = vec3_madd(p, random_between(-0.3, 1.3), vec3_sub(x[i], x[1]));
	x[0] = vec3_add(p, random_vector(gap));
}

static void make_flat(Vec3 *x, int n)
{
	for (int i = 0; i < n; i++)
		x[i].z = 0.0;
}

static void round_to_grid(Vec3 *x, int n)
{
	for (int i = 0; i < n; i++)
		x[i] = vec3(floor(3.0 * x[i].x), floor(3.0 * x[i].y), floor(3.0 * x[i].z));
}

static void random_pair(PairKind kind, Vec3 x[4])
{
	int n = distance_corners[kind];
	for (int i = 0; i < 4; i++)
		x[i] = random_vector(chance(4) ? any_magnitude() : 1.0);
	if (n == 4 && chance(3)) /* a sliver: the last corner beside the line of two others */
		x[3] = vec3_add(
		    vec3_madd(x[1], random_between(-0.5, 1.5), vec3_sub(x[2], x[1])), random_vector(any_magnitude()));
	if (kind == PAIR_EDGE_EDGE && chance(2))
		make_nearly_parallel(x, any_magnitude());
	if (chance(3))
		make_close(x, n, any_magnitude());
	if (chance(10))
		make_flat(x, n);
	if (chance(10))
		round_to_grid(x, n);
	if (chance(20)) /* without length or area */
		x[random_bits() % 4] = x[random_bits() % 4];
	if (chance(20))
		x[random_bits() % 4] = x[random_bits() % 4];
	double scale = chance(3) ? ldexp(1.0, (int)(random_bits() % 60) - 30) : 1.0;
	Vec3 offset = chance(3) ? random_vector(1e3 * scale) : chance(6) ? random_vector(1e9 * scale) : vec3(0, 0, 0);
	for (int i = 0; i < 4; i++)
		x[i] = vec3_madd(offset, scale, x[i]);
}

/* ---- what has to hold of any result ---- */

static void check_weights(PairKind kind, const Closest *result)
{
	double sum[2] = {0.0, 0.0};
	for (int i = 0; i < 4; i++) {
		int side = i >= distance_first[kind];
		double weight = side ? -result->weight[i] : result->weight[i];
		cr_assert(weight >= 0.0 && weight <= 1.0, "weight %d is %.17g", i, weight);
		cr_assert(i < distance_corners[kind] || result->weight[i] == 0.0);
		sum[side] += weight;
	}
	cr_assert_float_eq(sum[0], 1.0, 2 * DBL_EPSILON);
	cr_assert_float_eq(sum[1], 1.0, 2 * DBL_EPSILON);
}

static void check_normal(const Closest *result)
{
	if (result->distance == 0.0)
		cr_assert(vec3_is_zero(result->normal));
	else
		cr_assert_float_eq(vec3_norm(result->normal), 1.0, 4 * DBL_EPSILON);
}

/* The distance between the points that the weights say, less distance times normal: largest component. */
static double defect_of_points(PairKind kind, const Vec3 *x, const Closest *result)
{
	Point difference = {{0, 0, 0}}, origin = point_from(x[0]);
	for (int i = 1; i < distance_corners[kind]; i++)
		difference = along(difference, result->weight[i], minus(point_from(x[i]), origin));
	double worst = 0.0;
	const double normal[3] = {result->normal.x, result->normal.y, result->normal.z};
	for (int k = 0; k < 3; k++)
		worst = fmax(worst, fabs((double)(difference.c[k] - (Real)result->distance * normal[k])));
	return worst;
}

static double check_pair(PairKind kind, const Vec3 *x)
{
	Closest result = distance_closest(kind, x);
	cr_assert(isfinite(result.distance) && result.distance >= 0.0);
	check_weights(kind, &result);
	check_normal(&result);
	double unit = DBL_EPSILON * size_of(kind, x);
	double error = fabs((double)(result.distance - reference(kind, x)));
	if (error == 0.0 && unit == 0.0)
		return 0.0;
	cr_assert(error <= MOST_ERROR * unit,
	    "kind %d: %.17g, not %.17g: %.3g units\n%a %a %a\n%a %a %a\n%a %a %a\n%a %a %a", kind, result.distance,
	    (double)reference(kind, x), error / unit, x[0].x, x[0].y, x[0].z, x[1].x, x[1].y, x[1].z, x[2].x, x[2].y,
	    x[2].z, x[3].x, x[3].y, x[3].z);
	cr_assert(defect_of_points(kind, x, &result) <= MOST_ERROR * unit);
	return error / unit;
}

Test(distance, is_that_of_the_reference)
{
	random_seed = 1;
	for (PairKind kind = 0; kind < PAIR_N_KINDS; kind++) {
		double worst = 0.0;
		for (int i = 0; i < PAIRS; i++) {
			Vec3 x[4];
			random_pair(kind, x);
			worst = fmax(worst, check_pair(kind, x));
		}
		cr_log_info("kind %d: at most %.2f eps times the size", kind, worst);
	}
}

/* Edges of a grid whose angle shrinks by steps of a tenth from 1 to far below rounding: nothing jumps on the way. */
Test(distance, of_edges_that_become_parallel)
{
	random_seed = 2;
	for (double angle = 1.0; angle > 1e-20; angle *= 0.9)
		for (int i = 0; i < 200; i++) {
			Vec3 x[4] = {random_vector(1.0), random_vector(1.0)};
			make_nearly_parallel(x, angle);
			check_pair(PAIR_EDGE_EDGE, x);
		}
}

Test(distance, of_triangles_that_become_slivers)
{
	random_seed = 3;
	for (double height = 1.0; height > 1e-20; height *= 0.9)
		for (int i = 0; i < 200; i++) {
			Vec3 x[4] = {random_vector(1.0), random_vector(1.0), random_vector(1.0)};
			Vec3 beside = vec3_madd(x[1], random_between(-0.5, 1.5), vec3_sub(x[2], x[1]));
			x[3] = vec3_madd(beside, height, random_vector(1.0));
			if (i & 1)
				make_close(x, 4, any_magnitude());
			check_pair(PAIR_VERTEX_TRIANGLE, x);
		}
}

/* Powers of two change no bit of a result, wherever the squares would overflow or vanish. */
Test(distance, does_not_depend_on_the_unit)
{
	random_seed = 4;
	for (PairKind kind = 0; kind < PAIR_N_KINDS; kind++)
		for (int i = 0; i < 2000; i++) {
			Vec3 x[4], y[4];
			for (int k = 0; k < 4; k++)
				x[k] = random_vector(1.0);
			int exponent = (int)(random_bits() % 1900) - 900;
			for (int k = 0; k < 4; k++)
				y[k] = vec3(ldexp(x[k].x, exponent), ldexp(x[k].y, exponent), ldexp(x[k].z, exponent));
			Closest here = distance_closest(kind, x), there = distance_closest(kind, y);
			cr_assert_float_eq(ldexp(there.distance, -exponent), here.distance, 4 * DBL_EPSILON);
			for (int k = 0; k < 4; k++)
				cr_assert_float_eq(here.weight[k], there.weight[k], 1e-12);
			check_weights(kind, &there);
			check_normal(&there);
		}
}

Test(distance, is_a_number_for_extreme_coordinates)
{
	static const double extreme[] = {0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 1e-200, 1e-308, 1e100, 1e154, 1e200,
	    1e-54, DBL_MAX, -DBL_MAX, 1e16, 1.0 + DBL_EPSILON};
	enum { N_EXTREME = sizeof extreme / sizeof *extreme };
	random_seed = 5;
	for (int i = 0; i < PAIRS; i++) {
		Vec3 x[4];
		for (int k = 0; k < 4; k++)
			x[k] = vec3(extreme[random_bits() % N_EXTREME], extreme[random_bits() % N_EXTREME],
			    extreme[random_bits() % N_EXTREME]);
		PairKind kind = (PairKind)(i % PAIR_N_KINDS);
		Closest result = distance_closest(kind, x);
		cr_assert(result.distance >= 0.0);
		cr_assert(vec3_is_finite(result.normal));
		check_weights(kind, &result);
		if (result.distance <= DBL_MAX)
			check_normal(&result);
		cr_assert(!isnan(distance_mollifier(x, 1.0, NULL)));
	}
}

Test(distance, of_things_that_touch_is_zero)
{
	const Vec3 vertex_on_triangle[4] = {{1, 1, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
	const Vec3 crossing[4] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}};
	const Vec3 same[4] = {{1e9, 3, 7}, {1e9, 3, 7}, {1e9, 3, 7}, {1e9, 3, 7}};
	Closest result = distance_closest(PAIR_VERTEX_TRIANGLE, vertex_on_triangle);
	cr_assert(result.distance == 0.0 && vec3_is_zero(result.normal));
	result = distance_closest(PAIR_EDGE_EDGE, crossing);
	cr_assert(result.distance == 0.0 && vec3_is_zero(result.normal));
	for (PairKind kind = 0; kind < PAIR_N_KINDS; kind++) {
		result = distance_closest(kind, same);
		cr_assert(result.distance == 0.0 && vec3_is_zero(result.normal));
		check_weights(kind, &result);
	}
}

/* A gap of one unit in the last place at a large offset is seen as just that. */
Test(distance, keeps_small_gaps_at_large_offsets)
{
	double z = nextafter(1e6, 2e6), gap = z - 1e6;
	const Vec3 above[4] = {
	    {1e6, 1e6, z}, {1e6 - 1, 1e6 - 1, 1e6}, {1e6 + 2, 1e6 - 1, 1e6}, {1e6 - 1, 1e6 + 2, 1e6}};
	const Vec3 crossing[4] = {{1e6 - 1, 1e6, z}, {1e6 + 2, 1e6, z}, {1e6, 1e6 - 1, 1e6}, {1e6, 1e6 + 2, 1e6}};
	cr_assert_float_eq(distance_closest(PAIR_VERTEX_TRIANGLE, above).distance, gap, 1e-15 * gap + 2 * DBL_EPSILON);
	cr_assert_float_eq(distance_closest(PAIR_EDGE_EDGE, crossing).distance, gap, 1e-15 * gap + 2 * DBL_EPSILON);
	cr_assert_float_eq(distance_closest(PAIR_VERTEX_TRIANGLE, above).normal.z, 1.0, 1e-9);
}

/* ---- gradients ---- */

static double *component(Vec3 *v, int k)
{
	return k == 0 ? &v->x : k == 1 ? &v->y : &v->z;
}

/* The direction between two edges turns fast when they are nearly parallel, and between any two things when they are
 * close. */
static bool is_smooth(PairKind kind, const Vec3 *x, const Closest *result)
{
	Vec3 n = vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[3], x[2]));
	return result->distance > 0.1 && (kind != PAIR_EDGE_EDGE || vec3_norm(n) > 0.1);
}

static Real slope_of_reference(PairKind kind, const Vec3 *x, int corner, int k)
{
	const Real step = 1e-8;
	Point p[4] = {0}, q[4];
	for (int i = 0; i < distance_corners[kind]; i++)
		p[i] = q[i] = point_from(x[i]);
	p[corner].c[k] += step;
	q[corner].c[k] -= step;
	return (reference_of_points(kind, p) - reference_of_points(kind, q)) / (2 * step);
}

/* Beside a change between features the second derivative jumps, so that a difference is of first order there: 1e-6 for
 * a step of 1e-8 and curvatures up to 100. */
Test(distance, gradient_is_weight_times_normal)
{
	random_seed = 6;
	double worst = 0.0;
	int checked = 0;
	for (int i = 0; i < 40000; i++) {
		PairKind kind = (PairKind)(i % PAIR_N_KINDS);
		Vec3 x[4];
		for (int k = 0; k < 4; k++)
			x[k] = random_vector(1.0);
		Closest result = distance_closest(kind, x);
		if (!is_smooth(kind, x, &result))
			continue;
		checked++;
		for (int corner = 0; corner < distance_corners[kind]; corner++)
			for (int k = 0; k < 3; k++) {
				double slope = (double)slope_of_reference(kind, x, corner, k);
				double error = fabs(result.weight[corner] * *component(&result.normal, k) - slope);
				worst = fmax(worst, error);
				cr_assert(error < 1e-6, "kind %d, corner %d: error %g", kind, corner, error);
			}
	}
	cr_assert_gt(checked, 30000);
	cr_log_info("%d gradients: at most %.2g off", checked, worst);
}

static double slope_of_mollifier(const Vec3 *x, double scale, int corner, int k, double step)
{
	Vec3 p[4] = {x[0], x[1], x[2], x[3]}, q[4] = {x[0], x[1], x[2], x[3]};
	*component(&p[corner], k) += step;
	*component(&q[corner], k) -= step;
	return (distance_mollifier(p, scale, NULL) - distance_mollifier(q, scale, NULL)) / (2 * step);
}

Test(distance, mollifier_has_its_gradient)
{
	random_seed = 7;
	double worst = 0.0;
	for (int i = 0; i < 50000; i++) {
		Vec3 x[4], gradient[4], sum = {0, 0, 0};
		for (int k = 0; k < 4; k++)
			x[k] = random_vector(1.0);
		if (i & 1)
			make_nearly_parallel(x, any_magnitude());
		double area = vec3_norm(vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[3], x[2])));
		double scale = random_between(0.05, 4.0);
		double q = fmin(area * area / scale, 1.0);
		cr_assert_float_eq(distance_mollifier(x, scale, gradient), q * (2.0 - q), 1e-14);
		for (int corner = 0; corner < 4; corner++)
			for (int k = 0; k < 3; k++) {
				double error = fabs(
				    slope_of_mollifier(x, scale, corner, k, 1e-6) - *component(&gradient[corner], k));
				/* The second derivative jumps at q = 1, by at most 8 |w|^4/scale: first order there. */
				double tolerance = 1e-6 * (1.0 + (fabs(q - 1.0) < 1e-3 ? 1e4 : 0.0));
				cr_assert(error < tolerance, "q = %g: error %g", q, error);
				worst = fmax(worst, fabs(q - 1.0) < 1e-3 ? 0.0 : error);
			}
		for (int corner = 0; corner < 4; corner++)
			sum = vec3_add(sum, gradient[corner]);
		cr_assert(vec3_norm(sum) < 1e-12);
	}
	cr_log_info("gradients of the mollifier: at most %.2g off", worst);
}

/* Two edges at a right angle, the second with the length that makes q what is asked for. */
static double mollifier_at(double q, Vec3 gradient[4])
{
	const Vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, sqrt(q), 1}};
	return distance_mollifier(x, 1.0, gradient);
}

Test(distance, mollifier_is_smooth_at_its_ends)
{
	Vec3 gradient[4];
	cr_assert_eq(mollifier_at(0.0, gradient), 0.0);
	for (int i = 0; i < 4; i++)
		cr_assert(vec3_is_zero(gradient[i]), "parallel: no slope");
	cr_assert_eq(mollifier_at(1.0, gradient), 1.0);
	for (int i = 0; i < 4; i++)
		cr_assert(vec3_is_zero(gradient[i]), "full: no slope");
	cr_assert_eq(mollifier_at(7.0, gradient), 1.0);
	for (double distance = 1e-3; distance > 1e-9; distance *= 0.1) {
		cr_assert_lt(1.0 - mollifier_at(1.0 - distance, gradient), 1.01 * distance * distance + 1e-15);
		cr_assert_lt(vec3_norm(gradient[1]), 5.0 * distance);
		cr_assert_lt(mollifier_at(distance, gradient), 2.0 * distance);
		cr_assert_lt(vec3_norm(gradient[3]), 5.0 * sqrt(distance));
	}
	const Vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}};
	cr_assert_eq(distance_mollifier(x, 0.0, NULL), 1.0, "no scale: no mollifier");
}

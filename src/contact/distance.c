/* The squared distance is a convex function of the points on the primitives, so its minimum is where the gradient
 * vanishes when that is inside of both, and on the boundary of one of them otherwise, which is a pair of a smaller
 * kind. That is all there is: an interior solution is taken when its weights are valid, else the best of the boundary.
 *
 * Why this holds in floating point, for slivers and nearly parallel edges too. Every weight that is returned is valid,
 * so no distance is too small. For a distance that is too large it is not the error of the weights that counts (eps/sin
 * of the angle), but what remains across the last direction, along which a weight is found by projection, given the
 * other one: the error shrinks by that sine again. The rounding of the normal n = u x w adds eps d/sin across, and
 * never more than the width of the sliver, L sin: the distance then is at most min(eps d/sin, L sin)^2/2d <= eps L/2
 * too large. So no angle needs a case of its own, and a wrong decision between inside and outside costs eps L as well.
 *
 * Differences of corners are rounded once, and the difference of the closest points is a convex combination of them:
 * its error is that of the size of the pair, however far the origin, and a corner that is itself the closest point is
 * exact. */
#include "contact/distance.h"
#include <math.h>
#include <stddef.h>

/* The sum of squares of the differences of corners has to be in here, so that products of four lengths neither overflow
 * nor vanish; other pairs are scaled first. */
#define LEAST_SIZE2 1e-100
#define MOST_SIZE2 1e100

/* Squares of areas below this have lost bits to underflow; so have squared distances. */
#define LEAST_AREA2 1e-280
#define LEAST_DISTANCE2 1e-250

const int distance_corners[PAIR_N_KINDS] = {4, 4, 3, 2};
const int distance_first[PAIR_N_KINDS] = {1, 2, 1, 1};

/* The closest point of an edge to a vertex. */
typedef struct {
	double t;        /* from its start, 0, to its end, 1 */
	Vec3 difference; /* to the vertex */
	double distance2;
} Foot;

static inline Vec3 mix(double t, Vec3 start, Vec3 end)
{
	return vec3_madd(vec3_scale(1.0 - t, start), t, end);
}

static inline bool in_range(double size2)
{
	return size2 > LEAST_SIZE2 && size2 < MOST_SIZE2;
}

static inline double clamp(double t)
{
	return t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
}

/* start and end: from the ends of the edge to the vertex. */
static inline Foot foot_on_edge(Vec3 start, Vec3 end, Vec3 edge, double length2)
{
	Foot foot;
	foot.t = length2 > 0.0 ? clamp(vec3_dot(start, edge) / length2) : 0.0;
	foot.difference = mix(foot.t, start, end);
	foot.distance2 = vec3_norm2(foot.difference);
	return foot;
}

/* Distance and normal of the difference of the closest points. */
static inline Closest closest(Vec3 difference, double w0, double w1, double w2, double w3)
{
	double distance2 = vec3_norm2(difference), scale = 1.0;
	if (distance2 < LEAST_DISTANCE2) {
		scale = 0x1p-600;
		difference = vec3_scale(0x1p600, difference);
		distance2 = vec3_norm2(difference);
	}
	double distance = sqrt(distance2);
	return (Closest){
	    .distance = scale * distance,
	    .weight = {w0, w1, w2, w3},
	    .normal = scale * distance > 0.0 ? vec3_scale(1.0 / distance, difference) : vec3(0.0, 0.0, 0.0),
	};
}

static bool vertex_vertex(const Vec3 x[2], Closest *result)
{
	Vec3 r = vec3_sub(x[0], x[1]);
	*result = closest(r, 1.0, -1.0, 0.0, 0.0);
	return in_range(vec3_norm2(r));
}

static bool vertex_edge(const Vec3 x[3], Closest *result)
{
	Vec3 ra = vec3_sub(x[0], x[1]), rb = vec3_sub(x[0], x[2]), edge = vec3_sub(x[2], x[1]);
	Foot foot = foot_on_edge(ra, rb, edge, vec3_norm2(edge));
	*result = closest(foot.difference, 1.0, foot.t - 1.0, -foot.t, 0.0);
	return in_range(vec3_norm2(ra) + vec3_norm2(rb));
}

static Closest vertex_sides(Vec3 ra, Vec3 rb, Vec3 rc, Vec3 ab, Vec3 bc, Vec3 ca)
{
	Foot on_ab = foot_on_edge(ra, rb, ab, vec3_norm2(ab));
	Foot on_bc = foot_on_edge(rb, rc, bc, vec3_norm2(bc));
	Foot on_ca = foot_on_edge(rc, ra, ca, vec3_norm2(ca));
	if (on_ab.distance2 <= on_bc.distance2 && on_ab.distance2 <= on_ca.distance2)
		return closest(on_ab.difference, 1.0, on_ab.t - 1.0, -on_ab.t, 0.0);
	if (on_bc.distance2 <= on_ca.distance2)
		return closest(on_bc.difference, 1.0, 0.0, on_bc.t - 1.0, -on_bc.t);
	return closest(on_ca.difference, 1.0, -on_ca.t, 0.0, on_ca.t - 1.0);
}

static bool vertex_triangle(const Vec3 x[4], Closest *result)
{
	Vec3 ra = vec3_sub(x[0], x[1]), rb = vec3_sub(x[0], x[2]), rc = vec3_sub(x[0], x[3]);
	Vec3 ab = vec3_sub(x[2], x[1]), ca = vec3_sub(x[1], x[3]);
	bool valid = in_range(vec3_norm2(ra) + vec3_norm2(rb) + vec3_norm2(rc));
	Vec3 n = vec3_cross(ca, ab);
	double area2 = vec3_norm2(n);
	if (area2 > LEAST_AREA2) {
		/* The share of c from the height over ab; that of b by projection on ab, given c's. */
		double c = vec3_dot(vec3_cross(ab, ra), n) / area2;
		double b = vec3_dot(vec3_madd(ra, c, ca), ab) / vec3_norm2(ab);
		double a = 1.0 - (b + c);
		if (a >= 0.0 && b >= 0.0 && c >= 0.0) {
			Vec3 difference = vec3_madd(vec3_madd(vec3_scale(a, ra), b, rb), c, rc);
			*result = closest(difference, 1.0, -a, -b, -c);
			return valid;
		}
	}
	*result = vertex_sides(ra, rb, rc, ab, vec3_sub(x[3], x[2]), ca);
	return valid;
}

/* The best of the four pairs of an end and the other edge. */
static Closest edge_ends(Vec3 ac, Vec3 bc, Vec3 ad, Vec3 bd, Vec3 u, Vec3 w)
{
	double uu = vec3_norm2(u), ww = vec3_norm2(w);
	Foot of_a = foot_on_edge(ac, ad, w, ww), of_b = foot_on_edge(bc, bd, w, ww);
	/* On the first edge the differences point from it to c or d: away from where they point in the result. */
	Foot of_c = foot_on_edge(vec3_scale(-1.0, ac), vec3_scale(-1.0, bc), u, uu);
	Foot of_d = foot_on_edge(vec3_scale(-1.0, ad), vec3_scale(-1.0, bd), u, uu);
	bool a_is_best = of_a.distance2 <= of_b.distance2, c_is_best = of_c.distance2 <= of_d.distance2;
	Foot first = a_is_best ? of_a : of_b, second = c_is_best ? of_c : of_d;
	if (first.distance2 <= second.distance2) {
		double a = a_is_best ? 1.0 : 0.0;
		return closest(first.difference, a, 1.0 - a, first.t - 1.0, -first.t);
	}
	double c = c_is_best ? 1.0 : 0.0;
	return closest(vec3_scale(-1.0, second.difference), 1.0 - second.t, second.t, -c, c - 1.0);
}

static bool edge_edge(const Vec3 x[4], Closest *result)
{
	Vec3 ac = vec3_sub(x[0], x[2]), bc = vec3_sub(x[1], x[2]);
	Vec3 ad = vec3_sub(x[0], x[3]), bd = vec3_sub(x[1], x[3]);
	Vec3 u = vec3_sub(x[1], x[0]), w = vec3_sub(x[3], x[2]);
	bool valid = in_range(vec3_norm2(ac) + vec3_norm2(bc) + vec3_norm2(ad) + vec3_norm2(bd));
	Vec3 n = vec3_cross(u, w);
	double area2 = vec3_norm2(n);
	if (area2 > LEAST_AREA2) {
		/* The point of the first edge from the crossing; that of the second by projection of it. */
		double s = vec3_dot(vec3_cross(w, ac), n) / area2;
		Vec3 from_c = mix(s, ac, bc);
		double t = vec3_dot(from_c, w) / vec3_norm2(w);
		if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) {
			*result = closest(mix(t, from_c, mix(s, ad, bd)), 1.0 - s, s, t - 1.0, -t);
			return valid;
		}
	}
	*result = edge_ends(ac, bc, ad, bd, u, w);
	return valid;
}

/* False when the pair has to be scaled first. */
static inline bool solve(PairKind kind, const Vec3 *x, Closest *result)
{
	switch (kind) {
	case PAIR_VERTEX_TRIANGLE:
		return vertex_triangle(x, result);
	case PAIR_EDGE_EDGE:
		return edge_edge(x, result);
	case PAIR_VERTEX_EDGE:
		return vertex_edge(x, result);
	default:
		return vertex_vertex(x, result);
	}
}

static double largest_coordinate(const Vec3 *x, int n)
{
	double largest = 0.0;
	for (int i = 0; i < n; i++)
		largest = fmax(largest, fmax(fabs(x[i].x), fmax(fabs(x[i].y), fabs(x[i].z))));
	return largest;
}

/* A power of two that brings `size` between 1/2 and 1, or as near as it can. */
static double unit_scale(double size)
{
	int exponent;
	frexp(size, &exponent);
	return ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
}

/* Of a pair that is too large or too small for its squares. */
static Closest solve_scaled(PairKind kind, const Vec3 *x)
{
	Vec3 y[PAIR_MOST_CORNERS] = {{0}};
	int n = distance_corners[kind];
	/* Before the differences are taken: they could overflow. */
	double largest = largest_coordinate(x, n), first = largest > 1.0 / LEAST_SIZE2 ? unit_scale(largest) : 1.0;
	for (int i = 0; i < n; i++)
		y[i] = vec3_sub(vec3_scale(first, x[i]), vec3_scale(first, x[0]));
	double size = largest_coordinate(y, n), second = size > 0.0 ? unit_scale(size) : 1.0;
	for (int i = 0; i < n; i++)
		y[i] = vec3_scale(second, y[i]);
	Closest result;
	solve(kind, y, &result);
	result.distance = result.distance / second / first;
	if (result.distance == 0.0) /* also by underflow */
		result.normal = vec3(0.0, 0.0, 0.0);
	return result;
}

Closest distance_closest(PairKind kind, const Vec3 *x)
{
	Closest result;
	if (!solve(kind, x, &result))
		return solve_scaled(kind, x);
	return result;
}

double distance_mollifier(const Vec3 x[4], double scale, Vec3 *gradient)
{
	Vec3 u = vec3_sub(x[1], x[0]), w = vec3_sub(x[3], x[2]), n = vec3_cross(u, w);
	double area2 = vec3_norm2(n);
	bool full = !(area2 < scale); /* also when the area overflows */
	double q = full ? 1.0 : area2 / scale;
	if (gradient != NULL) {
		/* d|u x w|^2 = 2 (w x n) du + 2 (n x u) dw */
		double slope = full ? 0.0 : 2.0 * (2.0 - 2.0 * q) / scale;
		gradient[1] = full ? vec3(0.0, 0.0, 0.0) : vec3_scale(slope, vec3_cross(w, n));
		gradient[0] = vec3_scale(-1.0, gradient[1]);
		gradient[3] = full ? vec3(0.0, 0.0, 0.0) : vec3_scale(slope, vec3_cross(n, u));
		gradient[2] = vec3_scale(-1.0, gradient[3]);
	}
	return q * (2.0 - q);
}

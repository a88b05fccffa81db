/* Spheres that move: the smallest ball around the vertices, and the smallest one around their velocities.
 *
 * With |x_i - c| <= r and |v_i - u| <= s every vertex is, at a time t later, within r + s t of c + u t. Both are smallest
 * enclosing balls, one of positions and one of velocities; those of many vertices hold the balls of two sets each.
 *
 * Two spheres with p and q between their centres and velocities, R the sum of radii and of the gap, S that of the rates, are
 * apart while |p + q t| > R + S t, that is before the first root of
 *
 *   f(t) = (q.q - S S) t^2 + 2 (p.q - R S) t + (p.p - R R).
 *
 * Its discriminant is off by some eps |p|^2 |q|^2, which is what eps |p|^2/R more in R would make of it: so R has that, besides
 * the rounding of positions. The same holds for S and eps times the speeds. */
#include "kds/dop.h"
#include "kds/volume.h"

enum { MOST_VERTICES = 24 }; /* that are looked at one by one */
#define EPSILON DBL_EPSILON

typedef struct {
	Vec3 centre;
	double radius; /* negative: of nothing */
} Ball;

typedef struct {
	Ball place, speed; /* [length] at `time`, [length/s] */
	double time, size; /* as in Dop */
	double fastest;    /* [length/s] |v| of any vertex, as a sum of components */
} Sphere;

/* --- Smallest enclosing balls ------------------------------------------------------------------------------------ */

/* Solves a symmetric system of n <= 3 by elimination; false when it is singular, or nearly. */
static bool solve(int n, double a[3][3], double b[3])
{
	for (int i = 0; i < n; i++) {
		if (!(fabs(a[i][i]) > 1e-14 * a[0][0]))
			return false;
		for (int row = i + 1; row < n; row++) {
			double factor = a[row][i] / a[i][i];
			for (int k = i; k < n; k++)
				a[row][k] -= factor * a[i][k];
			b[row] -= factor * b[i];
		}
	}
	for (int i = n; i-- > 0;) {
		for (int k = i + 1; k < n; k++)
			b[i] -= a[i][k] * b[k];
		b[i] /= a[i][i];
	}
	return true;
}

/* The smallest ball with all of up to four points on its surface. Of points that are no simplex: some ball. */
static Ball through(const Vec3 *point, int n)
{
	if (n == 0)
		return (Ball){vec3(0, 0, 0), -1.0};
	Vec3 side[3], offset = vec3(0, 0, 0);
	double a[3][3], b[3];
	for (int i = 0; i + 1 < n; i++)
		side[i] = vec3_sub(point[i + 1], point[0]);
	for (int i = 0; i + 1 < n; i++) {
		for (int k = 0; k + 1 < n; k++)
			a[i][k] = 2.0 * vec3_dot(side[i], side[k]);
		b[i] = vec3_norm2(side[i]);
	}
	if (!solve(n - 1, a, b))
		return through(point, n - 1);
	for (int i = 0; i + 1 < n; i++)
		offset = vec3_madd(offset, b[i], side[i]);
	return (Ball){vec3_add(point[0], offset), vec3_norm(offset)};
}

/* The smallest ball around n points with `on` on its surface (Welzl). Points that count come to the front. */
static Ball smallest(Vec3 *point, int n, Vec3 *on, int n_on)
{
	Ball ball = through(on, n_on);
	for (int i = 0; i < n && n_on < 4; i++) {
		if (ball.radius >= 0.0 && vec3_distance(point[i], ball.centre) <= ball.radius * (1.0 + 1e-12))
			continue;
		Vec3 far = on[n_on] = point[i];
		ball = smallest(point, i, on, n_on + 1);
		for (int k = i; k > 0; k--)
			point[k] = point[k - 1];
		point[0] = far;
	}
	return ball;
}

/* Holds the points whatever rounding has done: its radius is measured. */
static Ball around(const Vec3 *point, uint32_t n)
{
	Vec3 copy[MOST_VERTICES], on[4];
	for (uint32_t i = 0; i < n; i++)
		copy[i] = point[i];
	Ball ball = smallest(copy, (int)n, on, 0);
	ball.radius = 0.0;
	for (uint32_t i = 0; i < n; i++)
		ball.radius = fmax(ball.radius, vec3_distance(point[i], ball.centre));
	return ball;
}

static Ball around_two(Ball a, Ball b)
{
	double apart = vec3_distance(a.centre, b.centre);
	if (apart + b.radius <= a.radius)
		return a;
	if (apart + a.radius <= b.radius)
		return b;
	double radius = 0.5 * (apart + a.radius + b.radius);
	return (Ball){vec3_madd(a.centre, (radius - a.radius) / apart, vec3_sub(b.centre, a.centre)), radius};
}

/* --- Spheres ----------------------------------------------------------------------------------------------------- */

static double sum_norm(Vec3 v)
{
	return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

/* What a few operations may have lost. */
static void widen(Sphere *sphere)
{
	sphere->place.radius += 16.0 * EPSILON * sphere->size;
	sphere->speed.radius += 16.0 * EPSILON * sphere->fastest;
}

static void of_vertices(void *volume, const Flight *flight, const uint32_t *vertex, uint32_t n, double radius, double time)
{
	Sphere *sphere = volume;
	Vec3 x[MOST_VERTICES], v[MOST_VERTICES];
	*sphere = (Sphere){.time = time};
	for (uint32_t i = 0; i < n; i++) {
		const Flight *plan = &flight[vertex[i]];
		x[i] = flight_position(plan, time);
		v[i] = plan->v;
		sphere->size = fmax(sphere->size, dop_size(plan, time));
		sphere->fastest = fmax(sphere->fastest, sum_norm(plan->v));
	}
	sphere->place = around(x, n);
	sphere->place.radius += radius;
	sphere->speed = around(v, n);
	widen(sphere);
}

static Ball place_at(const Sphere *sphere, double time)
{
	double age = time - sphere->time;
	return (Ball){vec3_madd(sphere->place.centre, age, sphere->speed.centre), sphere->place.radius + age * sphere->speed.radius};
}

static void join(void *volume, const void *one, const void *other, double time)
{
	const Sphere *a = one, *b = other;
	Sphere *sphere = volume;
	*sphere = (Sphere){around_two(place_at(a, time), place_at(b, time)), around_two(a->speed, b->speed), time,
	    fmax(a->size, b->size), fmax(a->fastest, b->fastest)};
	widen(sphere);
}

/* The first time t >= 0 with |p + q t| = R + S t, rounded down; INFINITY: there is none; -INFINITY: it is past. */
static double first_touch(Vec3 p, Vec3 q, double radius, double rate)
{
	double apart = vec3_norm(p), speed = vec3_norm(q);
	if (!(apart > radius))
		return -INFINITY;
	double a = (speed - rate) * (speed + rate), b = vec3_dot(p, q) - radius * rate, c = (apart - radius) * (apart + radius);
	double discriminant = b * b - a * c;
	if ((b >= 0.0 && a >= 0.0) || discriminant < 0.0)
		return INFINITY;
	double root = sqrt(discriminant);
	return (b < 0.0 ? c / (root - b) : (b + root) / -a) * (1.0 - 1e-12);
}

static double failure(const void *one, const void *other, VolumeQuery *query)
{
	const Sphere *a = one, *b = other;
	Ball p = place_at(a, query->time), q = place_at(b, query->time);
	double size = a->size + b->size, radius = p.radius + q.radius + query->gap + DOP_ROUNDING * size;
	radius += 16.0 * EPSILON * size * (size / radius);
	double rate = a->speed.radius + b->speed.radius + 16.0 * EPSILON * (a->fastest + b->fastest);
	query->tested = 1;
	return query->time +
	       first_touch(vec3_sub(p.centre, q.centre), vec3_sub(a->speed.centre, b->speed.centre), radius, rate);
}

/* As long as the outermost vertices are also the fastest. */
static double parting(const void *one, const void *other, double gap, double time)
{
	const Sphere *a = one, *b = other;
	Ball p = place_at(a, time), q = place_at(b, time);
	double missing = p.radius + q.radius + gap - vec3_distance(p.centre, q.centre);
	double opening = vec3_distance(a->speed.centre, b->speed.centre) + a->speed.radius + b->speed.radius;
	if (missing <= 0.0)
		return time;
	return opening > 0.0 ? time + missing / opening : INFINITY;
}

static double extent(const void *volume)
{
	return ((const Sphere *)volume)->place.radius;
}

static bool holds(const void *volume, const Flight *plan, double time)
{
	const Sphere *sphere = volume;
	Ball ball = place_at(sphere, time);
	return vec3_distance(flight_position(plan, time), ball.centre) <=
	       ball.radius + DOP_ROUNDING * (sphere->size + dop_size(plan, time));
}

const VolumeClass volume_sphere = {
    .name = "sphere",
    .size = sizeof(Sphere),
    .axes = 0,
    .most_vertices = MOST_VERTICES,
    .of_vertices = of_vertices,
    .join = join,
    .failure = failure,
    .parting = parting,
    .extent = extent,
    .holds = holds,
};

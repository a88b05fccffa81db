/* Curves along points, and frames along them.
 *
 * A frame is carried from sample to sample by the double reflection of Wang, Juettler, Zheng and Liu (2008), whose error is of
 * fourth order in the spacing; so it turns about the curve as little as possible. A closed curve spreads the angle by which its
 * frame misses itself evenly along its length.
 *
 * A strip of width w that lies along a curve would rather bend than stretch. Where its frame turns about the curve at the rate q, and
 * the curve bends by k within the strip's plane, the strain of a fibre at the offset v is v k + v^2 q^2/2 (but for what is the same all
 * across), and the mean of its square k^2 w^2/12 + q^4 w^4/720. generate_curve_ease() makes the integral of that least: over angles in steps of
 * two degrees exactly, by dynamic programming, and then smoothed. Where the curve is bent this is the Frenet frame; where it is straight
 * or has an inflection, it goes over into what comes next without haste. */
#include "scene/generate_curve.h"
#include "core/real.h"
#include <glib.h>

uint32_t generate_curve_spans(const CurvePath *path)
{
	return path->closed ? path->n : path->n - 1;
}

/* Control point i, continued beyond the ends: around when closed, otherwise by reflection. */
Vec3 generate_curve_control(const CurvePath *path, int64_t i)
{
	int64_t n = path->n;
	if (path->closed)
		return path->point[(i + n) % n];
	if (i < 0)
		return vec3_sub(vec3_scale(2.0, path->point[0]), path->point[1]);
	if (i >= n)
		return vec3_sub(vec3_scale(2.0, path->point[n - 1]), path->point[n - 2]);
	return path->point[i];
}

static Vec3 mix(Vec3 a, Vec3 b, double t, double from, double to)
{
	double share = (t - from) / (to - from);
	return vec3_madd(a, share, vec3_sub(b, a));
}

/* Centripetal Catmull-Rom by the pyramid of Barry and Goldman: no cusps and no loops within a span. */
static Vec3 spline_point(const CurvePath *path, uint32_t span, double share)
{
	Vec3 p[4];
	double knot[4] = {0, 0, 0, 0};
	for (int k = 0; k < 4; k++) {
		p[k] = generate_curve_control(path, (int64_t)span + k - 1);
		if (k > 0)
			knot[k] = knot[k - 1] + sqrt(vec3_distance(p[k - 1], p[k]));
	}
	double t = knot[1] + share * (knot[2] - knot[1]);
	for (int level = 1; level < 3; level++) {
		for (int k = 0; k < 4 - level; k++)
			p[k] = mix(p[k], p[k + 1], t, knot[k], knot[k + level]);
	}
	return mix(p[0], p[1], t, knot[1], knot[2]);
}

/* Uniform cubic B-spline: near the points, not through them, but for the ends; its curvature has no jumps. */
static Vec3 smooth_point(const CurvePath *path, uint32_t span, double t)
{
	double s = 1.0 - t;
	double weight[4] = {s * s * s / 6.0, (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0,
	    (3.0 * s * s * s - 6.0 * s * s + 4.0) / 6.0, t * t * t / 6.0};
	Vec3 sum = vec3(0, 0, 0);
	for (int k = 0; k < 4; k++)
		sum = vec3_madd(sum, weight[k], generate_curve_control(path, (int64_t)span + k - 1));
	return sum;
}

static Vec3 path_point(const CurvePath *path, uint32_t span, double share)
{
	if (path->kind == CURVE_SPLINE)
		return spline_point(path, span, share);
	if (path->kind == CURVE_SMOOTH)
		return smooth_point(path, span, share);
	Vec3 from = generate_curve_control(path, span), to = generate_curve_control(path, (int64_t)span + 1);
	return vec3_madd(from, share, vec3_sub(to, from));
}

/* The direction between the neighbours of sample i. */
static Vec3 tangent_at(const CurveSample *sample, uint32_t n, uint32_t i, bool closed)
{
	uint32_t before = i > 0 ? i - 1 : closed ? n - 2 : 0; /* the last sample of a closed curve is the first */
	uint32_t after = i + 1 < n ? i + 1 : closed ? 1 : n - 1;
	return vec3_unit(vec3_sub(sample[after].point, sample[before].point));
}

GArray *generate_curve_sample(const CurvePath *path)
{
	uint32_t n = generate_curve_spans(path) * CURVE_SAMPLES_PER_SPAN + 1;
	GArray *samples = g_array_sized_new(FALSE, TRUE, sizeof(CurveSample), n);
	g_array_set_size(samples, n);
	CurveSample *sample = (CurveSample *)(void *)samples->data;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t span = MIN(i / CURVE_SAMPLES_PER_SPAN, generate_curve_spans(path) - 1);
		double share = (double)(i - span * CURVE_SAMPLES_PER_SPAN) / CURVE_SAMPLES_PER_SPAN;
		sample[i].point = path_point(path, span, share);
		if (i > 0)
			sample[i].length = sample[i - 1].length + vec3_distance(sample[i - 1].point, sample[i].point);
	}
	for (uint32_t i = 0; i < n; i++)
		sample[i].tangent = tangent_at(sample, n, i, path->closed);
	return samples;
}

static Vec3 reflected(Vec3 v, Vec3 mirror)
{
	double norm2 = vec3_norm2(mirror);
	return norm2 > 0.0 ? vec3_madd(v, -2.0 * vec3_dot(mirror, v) / norm2, mirror) : v;
}

/* The part of v across the tangent, of length 1. */
Vec3 generate_curve_across(Vec3 v, Vec3 tangent)
{
	return vec3_unit(vec3_madd(v, -vec3_dot(v, tangent), tangent));
}

/* Any direction across the tangent: from the axis that it is least along. */
Vec3 generate_curve_normal(Vec3 tangent)
{
	double x = fabs(tangent.x), y = fabs(tangent.y), z = fabs(tangent.z);
	Vec3 axis = y <= x && y <= z ? vec3(0, 1, 0) : z <= x ? vec3(0, 0, 1) : vec3(1, 0, 0);
	return generate_curve_across(axis, tangent);
}

static Vec3 turned_about(Vec3 normal, Vec3 tangent, double angle)
{
	return vec3_madd(vec3_scale(real_cos(angle), normal), real_sin(angle), vec3_cross(tangent, normal));
}

void generate_curve_carry(GArray *samples)
{
	CurveSample *sample = (CurveSample *)(void *)samples->data;
	for (uint32_t i = 0; i + 1 < samples->len; i++) {
		Vec3 step = vec3_sub(sample[i + 1].point, sample[i].point);
		Vec3 normal = reflected(sample[i].normal, step), tangent = reflected(sample[i].tangent, step);
		normal = reflected(normal, vec3_sub(sample[i + 1].tangent, tangent));
		sample[i + 1].normal = generate_curve_across(normal, sample[i + 1].tangent);
	}
}

void generate_curve_twist(GArray *samples, bool closed, double twist)
{
	CurveSample *sample = (CurveSample *)(void *)samples->data;
	const CurveSample *first = &sample[0], *last = &sample[samples->len - 1];
	if (closed) {
		Vec3 side = vec3_cross(first->tangent, last->normal);
		twist += real_atan2(vec3_dot(first->normal, side), vec3_dot(first->normal, last->normal));
	}
	double whole = last->length;
	for (uint32_t i = 0; i < samples->len; i++)
		sample[i].normal = turned_about(sample[i].normal, sample[i].tangent, twist * (sample[i].length / whole));
}

enum {
	ANGLES = 180, /* of a frame, two degrees apart */
	REACH = 8,    /* the most of them that it turns by from one sample to the next */
	SMOOTHINGS = 400
};

/* What a strip pays along a curve. Angles count from the frames that the samples have. */
typedef struct {
	const CurveSample *sample; /* (n) */
	uint32_t n;
	double width;
	double cosine[ANGLES], sine[ANGLES];
} Ease;

/* For bending within its plane, at sample i. */
static void price_angles(const Ease *ease, uint32_t i, double *price)
{
	uint32_t before = i > 0 ? i - 1 : 0, after = i + 1 < ease->n ? i + 1 : i;
	const CurveSample *sample = &ease->sample[i];
	double length = ease->sample[after].length - ease->sample[before].length;
	Vec3 turn = vec3_sub(ease->sample[after].tangent, ease->sample[before].tangent);
	double along_normal = vec3_dot(turn, sample->normal);
	double along_side = vec3_dot(turn, vec3_cross(sample->tangent, sample->normal));
	double scale = ease->width * ease->width / 24.0 / length; /* half of `length` belongs to the sample */
	for (int a = 0; a < ANGLES; a++) {
		double bend = ease->cosine[a] * along_side - ease->sine[a] * along_normal;
		price[a] = scale * bend * bend;
	}
}

/* For turning on the way from sample i - 1 to i; a little more than the strain, so that it turns evenly. */
static void price_turns(const Ease *ease, uint32_t i, double *price)
{
	double length = ease->sample[i].length - ease->sample[i - 1].length;
	for (int d = -REACH; d <= REACH; d++) {
		double turn = d * (2.0 * REAL_PI / ANGLES) / length * ease->width;
		price[d + REACH] = length * (turn * turn * turn * turn / 720.0 + 0.002 * turn * turn);
	}
}

/* The cheapest way to each angle of sample i from those of the sample before; how far it turns goes into `step`. */
static void extend_ways(const double *before, const double *turn, const double *bend, double *after, int8_t *step)
{
	for (int a = 0; a < ANGLES; a++) {
		after[a] = INFINITY;
		for (int d = -REACH; d <= REACH; d++) {
			double sum = before[(a - d + ANGLES) % ANGLES] + turn[d + REACH];
			if (sum < after[a]) {
				after[a] = sum;
				step[a] = (int8_t)d;
			}
		}
		after[a] += bend[a];
	}
}

/* The angle of each sample on the cheapest way of all; from a first angle of zero where that is given. */
static void find_way(const Ease *ease, bool given, double *angle)
{
	double cost[2][ANGLES], bend[ANGLES], turn[2 * REACH + 1];
	int8_t *step = g_new0(int8_t, (size_t)ease->n * ANGLES);
	price_angles(ease, 0, cost[0]);
	for (int a = 1; a < ANGLES && given; a++)
		cost[0][a] = INFINITY;
	for (uint32_t i = 1; i < ease->n; i++) {
		price_angles(ease, i, bend);
		price_turns(ease, i, turn);
		extend_ways(cost[(i - 1) % 2], turn, bend, cost[i % 2], step + (size_t)i * ANGLES);
	}
	const double *last = cost[(ease->n - 1) % 2];
	int best = 0;
	for (int a = 1; a < ANGLES; a++)
		best = last[a] < last[best] ? a : best;
	/* Backward, without wrapping around: the angles are continuous. */
	for (int64_t i = ease->n - 1, whole = best; i >= 0; i--) {
		angle[i] = (double)whole * (2.0 * REAL_PI / ANGLES);
		int64_t wrapped = (whole % ANGLES + ANGLES) % ANGLES;
		whole -= step[i * ANGLES + wrapped];
	}
	double turns = given ? angle[0] : 0.0; /* whole ones */
	for (uint32_t i = 0; i < ease->n; i++)
		angle[i] -= turns;
	g_free(step);
}

static void smooth_angles(double *angle, uint32_t n)
{
	for (int pass = 0; pass < SMOOTHINGS; pass++) {
		double before = angle[0];
		for (uint32_t i = 1; i + 1 < n; i++) {
			double here = angle[i];
			angle[i] = 0.25 * before + 0.5 * here + 0.25 * angle[i + 1];
			before = here;
		}
	}
}

void generate_curve_ease(GArray *samples, double width, bool given)
{
	generate_curve_carry(samples);
	CurveSample *sample = (CurveSample *)(void *)samples->data;
	Ease *ease = g_new0(Ease, 1);
	*ease = (Ease){.sample = sample, .n = samples->len, .width = width};
	for (int a = 0; a < ANGLES; a++) {
		ease->cosine[a] = real_cos(a * (2.0 * REAL_PI / ANGLES));
		ease->sine[a] = real_sin(a * (2.0 * REAL_PI / ANGLES));
	}
	double *angle = g_new(double, samples->len);
	find_way(ease, given, angle);
	smooth_angles(angle, samples->len);
	for (uint32_t i = 0; i < samples->len; i++)
		sample[i].normal = turned_about(sample[i].normal, sample[i].tangent, angle[i]);
	g_free(angle);
	g_free(ease);
}

/* Knots for ribbons: loose, free of intersections, with straight tails.
 *
 * The overhand knot is a curve that is known exactly; its strip lies along the Frenet frame, with its width along the binormal, which
 * keeps the parts that cross apart. The others are B-splines near points of tables, in units of the knot's size. They are drawn as
 * diagrams of knots are, in the plane of x and y; where one part crosses another their heights z differ by 1.6 or more. So a ribbon not
 * wider than the size, which stands on its edge at each crossing (its width along z), has room. */
#include "scene/generate_knot.h"
#include "core/real.h"
#include "scene/generate_curve.h"

#define KNOT_SAMPLES 4096u

/* A reef knot is two bights, each of which goes around both legs of the other; this is the one whose ends are at the right. The other is
 * the same, turned by half about the y axis. */
static const Vec3 reef[] = {
    {7.5, 0.75, 0}, {5.6, 0.75, 0.2}, {4.3, 0.8, 1}, {2.9, 1, 1.15}, {1.4, 1.4, -0.15}, {0, 2, -1.45},
    {-1.5, 2.5, -0.55}, {-2.9, 2.2, 0.65}, {-3.9, 1.1, 1}, {-4.2, 0, 1.05}, {-3.9, -1.1, 1}, {-2.9, -2.2, 0.65},
    {-1.5, -2.5, -0.55}, {0, -2, -1.45}, {1.4, -1.4, -0.15}, {2.9, -1, 1.15}, {4.3, -0.8, 1}, {5.6, -0.75, 0.2},
    {7.5, -0.75, 0},
};

/* From the standing end at the top: down, around as a small loop, down to the left, around a cylinder about (0, -9.5, 0) along z at a
 * distance of 3.35 from its axis, up through the small loop from behind, around behind the standing part, and down through the loop again. */
static const Vec3 bowline[] = {
    {0, 9.5, 0}, {0, 7, 0}, {0, 5.2, 1.2}, {0, 3.9, 0.3}, {0, 2.5, -1.3}, {0, 1, -1.3}, {0.2, -0.6, -0.3},
    {1, -1.9, 1.1}, {2.3, -2.5, 1.3}, {3.9, -2.2, 0.9}, {4.9, -0.7, -0.2}, {4.4, 1, -1.1}, {3, 1.7, -1.3},
    {1.6, 1.75, -1.1}, {0.4, 1.6, 0.6}, {-0.9, 1.2, 1}, {-2.2, -0.2, 0.5}, {-3, -3, 0}, {-3.35, -6.5, 0},
    {-3.35, -9.5, 0}, {-3.095, -10.782, 0}, {-2.369, -11.869, 0}, {-1.282, -12.595, 0}, {-0, -12.85, 0},
    {1.282, -12.595, 0}, {2.369, -11.869, 0}, {3.095, -10.782, 0}, {3.35, -9.5, 0}, {3.35, -6.5, 0},
    {3.3, -4.6, -0.5}, {3.05, -2.6, -1.3}, {2.95, -0.6, -0.2}, {2.85, 1.4, 1.2}, {2.4, 3.3, 0.6}, {1.2, 4.6, -0.8},
    {-0.4, 5, -1.3}, {-1.8, 4.5, -0.4}, {-1.7, 3.5, 0.7}, {-0.5, 3.1, 1.25}, {0.7, 2.6, 1.25}, {1.45, 1.5, 1.2},
    {1.65, -0.1, 0.2}, {1.65, -1.7, -1}, {1.55, -3.3, -1.4}, {1.4, -4.9, -1.8},
};

/* A point of the torus trefoil ((2 + 1.2 cos 3u) cos 2u, (2 + 1.2 cos 3u) sin 2u, sin 3u) with its Frenet frame. */
static CurveSample trefoil_at(double size, double u)
{
	double c2 = real_cos(2.0 * u), s2 = real_sin(2.0 * u), c3 = real_cos(3.0 * u), s3 = real_sin(3.0 * u);
	double r = 2.0 + 1.2 * c3, r1 = -3.6 * s3, r2 = -10.8 * c3; /* the distance from the axis, and its derivatives */
	Vec3 first = vec3(r1 * c2 - 2.0 * r * s2, r1 * s2 + 2.0 * r * c2, 3.0 * c3);
	Vec3 second = vec3((r2 - 4.0 * r) * c2 - 4.0 * r1 * s2, (r2 - 4.0 * r) * s2 + 4.0 * r1 * c2, -9.0 * s3);
	CurveSample sample = {.point = vec3_scale(size, vec3(r * c2, r * s2, s3)), .tangent = vec3_unit(first)};
	sample.normal = generate_curve_across(second, sample.tangent);
	return sample;
}

/* An overhand knot: three quarters of the trefoil, from u = pi/4 to 7 pi/4, and straight tails. */
static GArray *sample_overhand(double size, double tail)
{
	GArray *samples = g_array_sized_new(FALSE, TRUE, sizeof(CurveSample), KNOT_SAMPLES + 3);
	for (uint32_t i = 0; i < KNOT_SAMPLES + 3; i++) {
		double share = fmin(i > 0 ? i - 1.0 : 0.0, KNOT_SAMPLES) / KNOT_SAMPLES;
		CurveSample sample = trefoil_at(size, REAL_PI * (0.25 + 1.5 * share));
		if (i == 0 || i == KNOT_SAMPLES + 2)
			sample.point = vec3_madd(sample.point, i == 0 ? -tail : tail, sample.tangent);
		if (i > 0) {
			const CurveSample *last = &g_array_index(samples, CurveSample, i - 1);
			sample.length = last->length + vec3_distance(last->point, sample.point);
		}
		g_array_append_val(samples, sample);
	}
	return samples;
}

typedef struct {
	double size, start, end; /* of the knot, and the lengths of its tails [length] */
	double width;            /* of the strip */
	bool turned;             /* by half about the y axis */
} Knot;

/* Points evenly from a tail's end, or to it: in line with the last points of the table. */
static void add_tail(GArray *points, const Knot *knot, Vec3 from, Vec3 towards, double length, bool inward)
{
	Vec3 out = vec3_unit(vec3_sub(towards, from));
	uint32_t n = (uint32_t)ceil(fmin(length / knot->size, 1e4));
	for (uint32_t i = 1; i <= n; i++) {
		Vec3 point = vec3_madd(vec3_scale(knot->size, towards), length * (inward ? n + 1 - i : i) / n, out);
		g_array_append_val(points, point);
	}
}

/* Near the points of a table, with more points in line with its ends for the tails. */
static GArray *sample_table(const Knot *knot, const Vec3 *table, uint32_t n)
{
	GArray *points = g_array_new(FALSE, FALSE, sizeof(Vec3));
	add_tail(points, knot, table[1], table[0], knot->start, true);
	for (uint32_t i = 0; i < n; i++) {
		Vec3 point = vec3_scale(knot->size, table[i]);
		g_array_append_val(points, point);
	}
	add_tail(points, knot, table[n - 2], table[n - 1], knot->end, false);
	for (guint i = 0; i < points->len && knot->turned; i++) {
		Vec3 *point = &g_array_index(points, Vec3, i);
		*point = vec3(-point->x, point->y, -point->z);
	}
	CurvePath path = {.point = (const Vec3 *)(const void *)points->data, .n = points->len, .kind = CURVE_SMOOTH};
	GArray *samples = generate_curve_sample(&path);
	CurveSample *first = &g_array_index(samples, CurveSample, 0);
	first->normal = generate_curve_normal(first->tangent);
	generate_curve_ease(samples, knot->width, false);
	g_array_unref(points);
	return samples;
}

GArray *generate_knot_samples(Reader *reader, double width)
{
	static const char *const names[] = {"overhand", "reef", "bowline", NULL};
	enum { OVERHAND, REEF, BOWLINE } kind = (unsigned)reader_choice(reader, "knot", 0, names);
	Knot knot = {.width = width};
	knot.size = reader_positive(reader, "knot_size", kind == OVERHAND ? 1.43 * width : width);
	double tail = reader_positive(reader, "tail", 10.0 * width);
	knot.start = knot.end = tail;
	if (kind != OVERHAND)
		knot.end = reader_positive(reader, "tail2", tail);
	if (kind == REEF)
		knot.turned = reader_integer(reader, "strand", READER_REQUIRED_INTEGER, 1, 2) == 2;
	if (!reader_ok(reader))
		return NULL;
	if (kind == REEF)
		return sample_table(&knot, reef, G_N_ELEMENTS(reef));
	if (kind == BOWLINE)
		return sample_table(&knot, bowline, G_N_ELEMENTS(bowline));
	return sample_overhand(knot.size, tail);
}

/* A ribbon along a path: a curve through the given points, a frame that turns about it as little as possible, and cells
 * of equal length along it.
 *
 * The curve is sampled finely; its frame is carried from sample to sample by the double reflection of Wang, Juettler,
 * Zheng and Liu (2008), whose error is of fourth order in the spacing. A closed ribbon spreads the angle by which its
 * frame misses itself evenly along its length.
 *
 * Instead of a path there may be a knot, a curve that is known exactly: then the strip lies along its Frenet frame, with its
 * width along the binormal, which keeps the parts that cross apart. */
#include "core/real.h"
#include "scene/generate.h"
#include "scene/generate_grid.h"

#define SAMPLES_PER_SPAN 64u
#define MOST_POINTS 100000u /* of a path: half a gigabyte of samples */
#define KNOT_SAMPLES 4096u

typedef struct {
	Vec3 point, tangent, normal;
	double length; /* of the curve up to here */
} Sample;

typedef struct {
	const Vec3 *point; /* (n) control points */
	uint32_t n;
	bool closed, smooth;
} Path;

static uint32_t span_count(const Path *path)
{
	return path->closed ? path->n : path->n - 1;
}

/* Control point i, continued beyond the ends: around when closed, otherwise by reflection. */
static Vec3 control(const Path *path, int64_t i)
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
static Vec3 spline_point(const Path *path, uint32_t span, double share)
{
	Vec3 p[4];
	double knot[4] = {0, 0, 0, 0};
	for (int k = 0; k < 4; k++) {
		p[k] = control(path, (int64_t)span + k - 1);
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

static Vec3 path_point(const Path *path, uint32_t span, double share)
{
	if (path->smooth)
		return spline_point(path, span, share);
	Vec3 from = control(path, span), to = control(path, (int64_t)span + 1);
	return vec3_madd(from, share, vec3_sub(to, from));
}

/* The direction between the neighbours of sample i. */
static Vec3 tangent_at(const Sample *sample, uint32_t n, uint32_t i, bool closed)
{
	uint32_t before = i > 0 ? i - 1 : closed ? n - 2 : 0; /* the last sample of a closed curve is the first */
	uint32_t after = i + 1 < n ? i + 1 : closed ? 1 : n - 1;
	return vec3_unit(vec3_sub(sample[after].point, sample[before].point));
}

static GArray *sample_path(const Path *path)
{
	uint32_t n = span_count(path) * SAMPLES_PER_SPAN + 1;
	GArray *samples = g_array_sized_new(FALSE, TRUE, sizeof(Sample), n);
	g_array_set_size(samples, n);
	Sample *sample = (Sample *)(void *)samples->data;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t span = MIN(i / SAMPLES_PER_SPAN, span_count(path) - 1);
		double share = (double)(i - span * SAMPLES_PER_SPAN) / SAMPLES_PER_SPAN;
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
static Vec3 across(Vec3 v, Vec3 tangent)
{
	return vec3_unit(vec3_madd(v, -vec3_dot(v, tangent), tangent));
}

/* Any direction across the tangent: from the axis that it is least along. */
static Vec3 any_normal(Vec3 tangent)
{
	double x = fabs(tangent.x), y = fabs(tangent.y), z = fabs(tangent.z);
	Vec3 axis = y <= x && y <= z ? vec3(0, 1, 0) : z <= x ? vec3(0, 0, 1) : vec3(1, 0, 0);
	return across(axis, tangent);
}

static Vec3 turned_about(Vec3 normal, Vec3 tangent, double angle)
{
	return vec3_madd(vec3_scale(real_cos(angle), normal), real_sin(angle), vec3_cross(tangent, normal));
}

/* Carries the first sample's normal along, then turns it by `twist` in all, and by what a closed ribbon misses. */
static void carry_frame(GArray *samples, bool closed, double twist)
{
	Sample *sample = (Sample *)(void *)samples->data;
	uint32_t n = samples->len;
	for (uint32_t i = 0; i + 1 < n; i++) {
		Vec3 step = vec3_sub(sample[i + 1].point, sample[i].point);
		Vec3 normal = reflected(sample[i].normal, step), tangent = reflected(sample[i].tangent, step);
		normal = reflected(normal, vec3_sub(sample[i + 1].tangent, tangent));
		sample[i + 1].normal = across(normal, sample[i + 1].tangent);
	}
	if (closed) {
		const Sample *first = &sample[0], *last = &sample[n - 1];
		Vec3 side = vec3_cross(first->tangent, last->normal);
		twist += real_atan2(vec3_dot(first->normal, side), vec3_dot(first->normal, last->normal));
	}
	for (uint32_t i = 0; i < n; i++) {
		double angle = twist * (sample[i].length / sample[n - 1].length);
		sample[i].normal = turned_about(sample[i].normal, sample[i].tangent, angle);
	}
}

/* The samples hold positions, tangents and normals; between two of them all are interpolated. */
static Sample sample_at(const GArray *samples, double length, uint32_t *hint)
{
	const Sample *sample = (const Sample *)(const void *)samples->data;
	while (*hint + 2 < samples->len && sample[*hint + 1].length < length)
		++*hint;
	const Sample *a = &sample[*hint], *b = a + 1;
	double share = (length - a->length) / (b->length - a->length);
	Sample between = {.length = length};
	between.point = vec3_madd(a->point, share, vec3_sub(b->point, a->point));
	between.tangent = vec3_unit(vec3_madd(a->tangent, share, vec3_sub(b->tangent, a->tangent)));
	between.normal = across(vec3_madd(a->normal, share, vec3_sub(b->normal, a->normal)), between.tangent);
	return between;
}

/* Columns go across, rows along. */
static void add_rows(Shape *shape, const Grid *grid, const GArray *samples, double width, bool flat)
{
	double whole = g_array_index(samples, Sample, samples->len - 1).length;
	uint32_t rows = grid->rows + !grid->closed_rows, hint = 0;
	for (uint32_t row = 0; row < rows; row++) {
		double along = whole * ((double)row / grid->rows);
		Sample sample = sample_at(samples, along, &hint);
		Vec3 side = vec3_cross(sample.tangent, sample.normal);
		for (uint32_t column = 0; column <= grid->columns; column++) {
			double offset = width * ((double)column / grid->columns - 0.5);
			uint32_t vertex = shape_add_vertex(shape, vec3_madd(sample.point, offset, side));
			if (flat)
				g_array_index(shape->rest, Vec3, vertex) = vec3(offset, along, 0.0);
		}
	}
}

static void name_ends(Shape *shape, const Grid *grid)
{
	uint32_t rows = grid->rows;
	for (uint32_t column = 0; column <= grid->columns && !grid->closed_rows; column++) {
		for (uint32_t row = 0; row < 2; row++) {
			uint32_t start = generate_grid_vertex(grid, column, row);
			uint32_t end = generate_grid_vertex(grid, column, rows - row);
			shape_add_to_set(shape, "start2", start);
			shape_add_to_set(shape, "end2", end);
			if (row == 0) {
				shape_add_to_set(shape, "start", start);
				shape_add_to_set(shape, "end", end);
			}
		}
	}
	for (uint32_t row = 0; row < rows + !grid->closed_rows; row++) {
		shape_add_to_set(shape, "left", generate_grid_vertex(grid, 0, row));
		shape_add_to_set(shape, "right", generate_grid_vertex(grid, grid->columns, row));
	}
}

static bool check_path(Reader *reader, const Path *path)
{
	uint32_t least = path->closed ? 3 : 2;
	if (path->n < least)
		reader_fail(reader, "path", "expected at least %u points, got %u", least, path->n);
	if (path->n > MOST_POINTS)
		reader_fail(reader, "path", "expected at most %u points, got %u", MOST_POINTS, path->n);
	for (uint32_t i = 0; reader_ok(reader) && i < span_count(path); i++) {
		if (!(vec3_distance(control(path, i), control(path, (int64_t)i + 1)) > 0.0))
			reader_fail(reader, "path", "points %u and %u are the same", i, (i + 1) % path->n);
	}
	return reader_ok(reader);
}

/* Where a path turns back on itself it has no direction, and the strip would have no width. */
static void check_tangents(Reader *reader, const GArray *samples)
{
	for (guint i = 0; i < samples->len; i++) {
		if (vec3_norm2(g_array_index(samples, Sample, i).tangent) < 0.5) {
			reader_fail(
			    reader, "path", "the path turns back on itself at or next to point %u", i / SAMPLES_PER_SPAN);
			return;
		}
	}
}

/* A strip that closes on itself with its sides exchanged has no orientation. */
static void check_twist(Reader *reader, bool closed, double degrees)
{
	double turns = degrees / 360.0;
	if (closed && turns != floor(turns))
		reader_fail(reader, "twist", "a closed ribbon can be twisted by whole turns only (multiples of 360), got %g", degrees);
}

/* How the strip is cut into cells. */
typedef struct {
	double width, cell_length;
	int64_t across;
	bool flat, closed;
} Strip;

static Strip read_strip(Reader *reader, bool closed)
{
	static const char *const rests[] = {"flat", "as_built", NULL};
	Strip strip = {.closed = closed};
	strip.width = reader_positive(reader, "width", READER_REQUIRED);
	strip.cell_length = reader_positive(reader, "cell_length", READER_REQUIRED);
	strip.across = reader_integer(reader, "cells_across", 4, 1, INT32_MAX);
	strip.flat = reader_choice(reader, "rest", closed ? 1 : 0, rests) == 0;
	return strip;
}

/* The mesh along samples that have their frames. */
static void add_strip(Reader *reader, Shape *shape, const GArray *samples, const Strip *strip)
{
	double rows = floor(g_array_index(samples, Sample, samples->len - 1).length / strip->cell_length + 0.5);
	rows = fmax(rows, strip->closed ? 3.0 : 1.0);
	GridDiagonals diagonals = generate_grid_diagonals(reader);
	double across_count = (double)strip->across, middles = diagonals == GRID_CROSS ? rows * across_count : 0.0;
	if (!generate_grid_allows(reader, "cell_length", (rows + 1.0) * (across_count + 1.0) + middles))
		return;
	Grid grid = {.columns = (uint32_t)strip->across,
	    .rows = (uint32_t)rows,
	    .closed_rows = strip->closed,
	    .diagonals = diagonals};
	add_rows(shape, &grid, samples, strip->width, strip->flat);
	generate_grid_triangles(shape, &grid);
	name_ends(shape, &grid);
}

static void build(Reader *reader, Shape *shape, const Path *path)
{
	Strip strip = read_strip(reader, path->closed);
	double twist = reader_range(reader, "twist", 0.0, -1e6, 1e6);
	Vec3 normal = reader_vec3(reader, "normal", vec3(0, 0, 0));
	if (strip.flat && path->closed)
		reader_fail(reader, "rest", "a closed ribbon cannot lie flat; expected \"as_built\"");
	check_twist(reader, path->closed, twist);
	if (!reader_ok(reader) || !check_path(reader, path))
		return;

	GArray *samples = sample_path(path);
	Sample *first = &g_array_index(samples, Sample, 0);
	check_tangents(reader, samples);
	first->normal = vec3_is_zero(normal) ? any_normal(first->tangent) : across(normal, first->tangent);
	if (vec3_norm2(first->normal) < 0.5)
		reader_fail(reader, "normal", "it points along the path; expected a direction across its beginning");
	if (reader_ok(reader)) {
		carry_frame(samples, path->closed, twist * (REAL_PI / 180.0));
		add_strip(reader, shape, samples, &strip);
	}
	g_array_unref(samples);
}

static void build_along_path(Reader *reader, Shape *shape)
{
	static const char *const interpolations[] = {"spline", "linear", NULL};
	GArray *points = reader_points(reader, "path");
	if (points == NULL) {
		reader_fail(reader, "path", "missing; expected a list of points");
		return;
	}
	Path path = {.point = (const Vec3 *)(const void *)points->data,
	    .n = points->len,
	    .closed = reader_boolean(reader, "closed", false),
	    .smooth = reader_choice(reader, "interpolation", 0, interpolations) == 0};
	build(reader, shape, &path);
	g_array_unref(points);
}

/* A point of the torus trefoil ((2 + 1.2 cos 3u) cos 2u, (2 + 1.2 cos 3u) sin 2u, sin 3u) with its Frenet frame. */
static Sample trefoil_at(double size, double u)
{
	double c2 = real_cos(2.0 * u), s2 = real_sin(2.0 * u), c3 = real_cos(3.0 * u), s3 = real_sin(3.0 * u);
	double r = 2.0 + 1.2 * c3, r1 = -3.6 * s3, r2 = -10.8 * c3; /* the distance from the axis, and its derivatives */
	Vec3 first = vec3(r1 * c2 - 2.0 * r * s2, r1 * s2 + 2.0 * r * c2, 3.0 * c3);
	Vec3 second = vec3((r2 - 4.0 * r) * c2 - 4.0 * r1 * s2, (r2 - 4.0 * r) * s2 + 4.0 * r1 * c2, -9.0 * s3);
	Sample sample = {.point = vec3_scale(size, vec3(r * c2, r * s2, s3)), .tangent = vec3_unit(first)};
	sample.normal = across(second, sample.tangent);
	return sample;
}

/* An overhand knot: three quarters of the trefoil, from u = pi/4 to 7 pi/4, and straight tails. */
static GArray *sample_overhand(double size, double tail)
{
	GArray *samples = g_array_sized_new(FALSE, TRUE, sizeof(Sample), KNOT_SAMPLES + 3);
	for (uint32_t i = 0; i < KNOT_SAMPLES + 3; i++) {
		double share = fmin(i > 0 ? i - 1.0 : 0.0, KNOT_SAMPLES) / KNOT_SAMPLES;
		Sample sample = trefoil_at(size, REAL_PI * (0.25 + 1.5 * share));
		if (i == 0 || i == KNOT_SAMPLES + 2)
			sample.point = vec3_madd(sample.point, i == 0 ? -tail : tail, sample.tangent);
		if (i > 0) {
			const Sample *last = &g_array_index(samples, Sample, i - 1);
			sample.length = last->length + vec3_distance(last->point, sample.point);
		}
		g_array_append_val(samples, sample);
	}
	return samples;
}

static void build_knot(Reader *reader, Shape *shape)
{
	static const char *const knots[] = {"overhand", NULL};
	Strip strip = read_strip(reader, false);
	reader_choice(reader, "knot", 0, knots);
	double size = reader_positive(reader, "knot_size", 1.43 * strip.width);
	double tail = reader_positive(reader, "tail", 10.0 * strip.width);
	if (!reader_ok(reader))
		return;
	g_autoptr(GArray) samples = sample_overhand(size, tail);
	add_strip(reader, shape, samples, &strip);
}

void generate_ribbon(Reader *reader, Shape *shape)
{
	if (reader_has(reader, "knot"))
		build_knot(reader, shape);
	else
		build_along_path(reader, shape);
}

/* A ribbon along a path or a knot: a curve with a frame (generate_curve.c), and cells of equal length along it. */
#include "core/real.h"
#include "scene/generate.h"
#include "scene/generate_curve.h"
#include "scene/generate_grid.h"
#include "scene/generate_knot.h"

#define MOST_POINTS 100000u /* of a path: half a gigabyte of samples */
#define MOST_EASED 10000u   /* where the frame is found by trial of many: as much */

/* The samples hold positions, tangents and normals; between two of them all are interpolated. */
static CurveSample sample_at(const GArray *samples, double length, uint32_t *hint)
{
	const CurveSample *sample = (const CurveSample *)(const void *)samples->data;
	while (*hint + 2 < samples->len && sample[*hint + 1].length < length)
		++*hint;
	const CurveSample *a = &sample[*hint], *b = a + 1;
	double share = (length - a->length) / (b->length - a->length);
	CurveSample between = {.length = length};
	between.point = vec3_madd(a->point, share, vec3_sub(b->point, a->point));
	between.tangent = vec3_unit(vec3_madd(a->tangent, share, vec3_sub(b->tangent, a->tangent)));
	between.normal = generate_curve_across(vec3_madd(a->normal, share, vec3_sub(b->normal, a->normal)), between.tangent);
	return between;
}

/* Columns go across, rows along. */
static void add_rows(Shape *shape, const Grid *grid, const GArray *samples, double width, bool flat)
{
	double whole = g_array_index(samples, CurveSample, samples->len - 1).length;
	uint32_t rows = grid->rows + !grid->closed_rows, hint = 0;
	for (uint32_t row = 0; row < rows; row++) {
		double along = whole * ((double)row / grid->rows);
		CurveSample sample = sample_at(samples, along, &hint);
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
		shape_add_to_set(shape, "middle", generate_grid_vertex(grid, grid->columns / 2, row));
	}
}

static bool check_path(Reader *reader, const CurvePath *path)
{
	uint32_t least = path->closed ? 3 : 2;
	if (path->n < least)
		reader_fail(reader, "path", "expected at least %u points, got %u", least, path->n);
	if (path->n > MOST_POINTS)
		reader_fail(reader, "path", "expected at most %u points, got %u", MOST_POINTS, path->n);
	for (uint32_t i = 0; reader_ok(reader) && i < generate_curve_spans(path); i++) {
		if (!(vec3_distance(generate_curve_control(path, i), generate_curve_control(path, (int64_t)i + 1)) > 0.0))
			reader_fail(reader, "path", "points %u and %u are the same", i, (i + 1) % path->n);
	}
	return reader_ok(reader);
}

/* Where a path turns back on itself it has no direction, and the strip would have no width. */
static void check_tangents(Reader *reader, const GArray *samples)
{
	for (guint i = 0; i < samples->len; i++) {
		if (vec3_norm2(g_array_index(samples, CurveSample, i).tangent) < 0.5) {
			reader_fail(
			    reader, "path", "the path turns back on itself at or next to point %u", i / CURVE_SAMPLES_PER_SPAN);
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
	double rows = floor(g_array_index(samples, CurveSample, samples->len - 1).length / strip->cell_length + 0.5);
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

/* Frames along the samples; false after an error. */
static bool find_frames(Reader *reader, const CurvePath *path, GArray *samples, const Strip *strip)
{
	static const char *const frames[] = {"least_turn", "least_strain", NULL};
	Vec3 normal = reader_vec3(reader, "normal", vec3(0, 0, 0));
	double twist = reader_range(reader, "twist", 0.0, -1e6, 1e6);
	bool ease = reader_choice(reader, "frame", 0, frames) == 1, given = !vec3_is_zero(normal);
	CurveSample *first = &g_array_index(samples, CurveSample, 0);
	first->normal = given ? generate_curve_across(normal, first->tangent) : generate_curve_normal(first->tangent);
	if (vec3_norm2(first->normal) < 0.5)
		reader_fail(reader, "normal", "it points along the path; expected a direction across its beginning");
	check_twist(reader, path->closed, twist);
	if (ease && path->closed)
		reader_fail(reader, "frame", "\"least_strain\" is for open ribbons only");
	if (ease && path->n > MOST_EASED)
		reader_fail(reader, "frame", "\"least_strain\" takes at most %u points, got %u", MOST_EASED, path->n);
	if (!reader_ok(reader))
		return false;
	if (ease)
		generate_curve_ease(samples, strip->width, given);
	else
		generate_curve_carry(samples);
	generate_curve_twist(samples, path->closed, twist * (REAL_PI / 180.0));
	return true;
}

static void build(Reader *reader, Shape *shape, const CurvePath *path)
{
	Strip strip = read_strip(reader, path->closed);
	if (strip.flat && path->closed)
		reader_fail(reader, "rest", "a closed ribbon cannot lie flat; expected \"as_built\"");
	if (!reader_ok(reader) || !check_path(reader, path))
		return;
	GArray *samples = generate_curve_sample(path);
	check_tangents(reader, samples);
	if (reader_ok(reader) && find_frames(reader, path, samples, &strip))
		add_strip(reader, shape, samples, &strip);
	g_array_unref(samples);
}

static void build_along_path(Reader *reader, Shape *shape)
{
	static const char *const interpolations[] = {"spline", "linear", "smooth", NULL};
	static const CurveKind kinds[] = {CURVE_SPLINE, CURVE_LINEAR, CURVE_SMOOTH};
	GArray *points = reader_points(reader, "path");
	if (points == NULL) {
		reader_fail(reader, "path", "missing; expected a list of points");
		return;
	}
	CurvePath path = {.point = (const Vec3 *)(const void *)points->data,
	    .n = points->len,
	    .closed = reader_boolean(reader, "closed", false),
	    .kind = kinds[reader_choice(reader, "interpolation", 0, interpolations)]};
	build(reader, shape, &path);
	g_array_unref(points);
}

static void build_knot(Reader *reader, Shape *shape)
{
	Strip strip = read_strip(reader, false);
	GArray *samples = generate_knot_samples(reader, strip.width);
	if (samples == NULL)
		return;
	add_strip(reader, shape, samples, &strip);
	g_array_unref(samples);
}

void generate_ribbon(Reader *reader, Shape *shape)
{
	if (reader_has(reader, "knot"))
		build_knot(reader, shape);
	else
		build_along_path(reader, shape);
}

/* Generators: the surfaces that they make are whole, face the right way, and have the sizes and parts that they say. */
#include "core/real.h"
#include "scene/generate.h"
#include "shells/topology.h"
#include <cinch/cinch.h>
#include <criterion/criterion.h>
#include <string.h>

/* Runs the generator named in the body's JSON; NULL with an error when it refuses. The shape is kept in *refused then.
 */
static Shape *generate(const char *json, Shape **refused, GError **error)
{
	g_autoptr(JsonNode) root = reader_parse("scene.json", json, -1, error);
	cr_assert_not_null(root, "%s", json);
	Reader *reader = reader_open("scene.json", ".", root);
	GenerateFunction *function = generate_find(reader_string(reader, "generate", READER_REQUIRED_STRING));
	cr_assert_not_null(function, "%s", json);
	Shape *shape = shape_new();
	function(reader, shape);
	if (reader_finish(reader, error))
		return shape;
	*refused = shape;
	return NULL;
}

static Shape *made(const char *json)
{
	GError *error = NULL;
	Shape *shape = generate(json, &(Shape *){NULL}, &error);
	cr_assert_not_null(shape, "%s: %s", json, error ? error->message : "");
	cr_assert(shape_check(shape, "shape", &error), "%s: %s", json, error ? error->message : "");
	return shape;
}

/* Refused with exactly this message, and before any vertex was made. */
static void expect_message(const char *json, const char *message)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Shape) refused = NULL;
	cr_assert_null(generate(json, &refused, &error), "expected: %s", message);
	cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_INPUT));
	cr_assert_str_eq(error->message, message, "%s", error->message);
	cr_assert_eq(shape_vertex_count(refused), 0);
}

static Vec3 position(const Shape *shape, uint32_t vertex)
{
	return g_array_index(shape->position, Vec3, vertex);
}

static Vec3 rest(const Shape *shape, uint32_t vertex)
{
	return g_array_index(shape->rest, Vec3, vertex);
}

static Vec3 corner(const Shape *shape, guint triangle, int i)
{
	return position(shape, g_array_index(shape->triangle, Triangle, triangle).v[i]);
}

/* Twice the area, along the side that the triangle faces. */
static Vec3 normal_of(const Shape *shape, guint triangle)
{
	Vec3 a = corner(shape, triangle, 0);
	return vec3_cross(vec3_sub(corner(shape, triangle, 1), a), vec3_sub(corner(shape, triangle, 2), a));
}

static double area_of(const Shape *shape)
{
	double sum = 0.0;
	for (guint t = 0; t < shape->triangle->len; t++)
		sum += 0.5 * vec3_norm(normal_of(shape, t));
	return sum;
}

/* Positive when a closed surface faces outward. */
static double volume_of(const Shape *shape)
{
	double sum = 0.0;
	for (guint t = 0; t < shape->triangle->len; t++)
		sum += vec3_dot(corner(shape, t, 0), normal_of(shape, t)) / 6.0;
	return sum;
}

static int euler_characteristic(const Shape *shape)
{
	g_autoptr(GArray) sides = g_array_new(FALSE, FALSE, sizeof(Edge));
	g_autoptr(GArray) hinges = g_array_new(FALSE, FALSE, sizeof(HingeStencil));
	topology_find((const Triangle *)(void *)shape->triangle->data, shape->triangle->len, sides, hinges);
	return (int)shape_vertex_count(shape) - (int)sides->len + (int)shape->triangle->len;
}

static void expect_counts(const Shape *shape, uint32_t n_vertices, uint32_t n_triangles, int characteristic)
{
	cr_assert_eq(shape_vertex_count(shape), n_vertices, "%u vertices", shape_vertex_count(shape));
	cr_assert_eq(shape->triangle->len, n_triangles, "%u triangles", shape->triangle->len);
	cr_assert_eq(euler_characteristic(shape), characteristic, "%d", euler_characteristic(shape));
}

static const GArray *set_of(const Shape *shape, const char *name)
{
	const GArray *set = g_hash_table_lookup(shape->sets, name);
	cr_assert_not_null(set, "no set %s", name);
	return set;
}

/* The set must be the vertices among the first n whose coordinate along an axis is within [low, high]: no more, no
 * fewer. */
static void expect_set(const Shape *shape, const char *name, uint32_t n, int axis, double low, double high)
{
	const GArray *set = set_of(shape, name);
	guint found = 0;
	for (uint32_t i = 0; i < n; i++) {
		Vec3 x = position(shape, i);
		double along = axis == 0 ? x.x : axis == 1 ? x.y : x.z;
		if (along < low - 1e-12 || along > high + 1e-12)
			continue;
		cr_assert(found < set->len && g_array_index(set, uint32_t, found) == i, "%s: vertex %u", name, i);
		found++;
	}
	cr_assert(found > 0 && found == set->len, "%s has %u vertices, expected %u", name, set->len, found);
}

static void expect_close(double value, double expected, double tolerance)
{
	cr_assert(fabs(value - expected) <= tolerance, "%.17g instead of %.17g", value, expected);
}

static void expect_point(Vec3 x, Vec3 expected, double tolerance)
{
	cr_assert(vec3_distance(x, expected) <= tolerance, "(%g %g %g) instead of (%g %g %g)", x.x, x.y, x.z,
	    expected.x, expected.y, expected.z);
}

static guint triangles_at(const Shape *shape, uint32_t vertex)
{
	guint count = 0;
	for (guint i = 0; i < 3 * shape->triangle->len; i++)
		count += ((const uint32_t *)(void *)shape->triangle->data)[i] == vertex;
	return count;
}

Test(generate, names)
{
	const char *const *names = generate_names();
	cr_assert_eq(g_strv_length((char **)names), 10);
	for (const char *const *name = names; *name; name++)
		cr_assert_not_null(generate_find(*name));
	cr_assert_null(generate_find("Sheet"));
	cr_assert_null(generate_find(""));
}

Test(generate, sheet)
{
	static const char *const diagonals[] = {"alternate", "same", "cross"};
	for (int i = 0; i < 3; i++) {
		bool cross = i == 2;
		g_autofree char *json = g_strdup_printf(
		    "{'generate': 'sheet', 'size': [2, 3], 'cells': [4, 5], 'diagonals': '%s'}", diagonals[i]);
		g_autoptr(Shape) shape = made(json);
		expect_counts(shape, cross ? 30 + 20 : 30, cross ? 80 : 40, 1);
		expect_close(area_of(shape), 6.0, 1e-14);
		for (guint t = 0; t < shape->triangle->len; t++)
			cr_assert(normal_of(shape, t).z > 0.1);
		for (uint32_t v = 0; v < shape_vertex_count(shape); v++)
			cr_assert_eq(position(shape, v).z, 0.0);
		/* Only the vertices of the grid: clamping "left2" takes no middles along. */
		expect_set(shape, "left", 30, 0, -1, -1);
		expect_set(shape, "right", 30, 0, 1, 1);
		expect_set(shape, "bottom", 30, 1, -1.5, -1.5);
		expect_set(shape, "top", 30, 1, 1.5, 1.5);
		expect_set(shape, "left2", 30, 0, -1, -0.5);
		expect_set(shape, "right2", 30, 0, 0.5, 1);
		expect_set(shape, "bottom2", 30, 1, -1.5, -0.9);
		expect_set(shape, "top2", 30, 1, 0.9, 1.5);
		const GArray *corners = set_of(shape, "corners"), *centre = set_of(shape, "centre");
		cr_assert_eq(corners->len, 4);
		for (guint k = 0; k < 4; k++)
			expect_point(position(shape, g_array_index(corners, uint32_t, k)),
			    vec3(k % 2 ? 1 : -1, k / 2 ? 1.5 : -1.5, 0), 0.0);
		cr_assert_eq(centre->len, 1);
		expect_point(position(shape, g_array_index(centre, uint32_t, 0)), vec3(0, -0.3, 0), 1e-15);
	}
}

/* How many triangles meet at the vertices tells how the cells are cut. */
Test(generate, diagonals)
{
	g_autoptr(Shape) same = made("{'generate': 'sheet', 'size': [1, 1], 'cells': [4, 4], 'diagonals': 'same'}");
	g_autoptr(Shape) alternate = made("{'generate': 'sheet', 'size': [1, 1], 'cells': [4, 4]}");
	g_autoptr(Shape) cross = made("{'generate': 'sheet', 'size': [1, 1], 'cells': [4, 4], 'diagonals': 'cross'}");
	for (uint32_t row = 1; row < 4; row++) {
		for (uint32_t column = 1; column < 4; column++) {
			uint32_t v = 5 * row + column;
			cr_assert_eq(triangles_at(same, v), 6);
			cr_assert_eq(triangles_at(alternate, v), (row + column) % 2 ? 4 : 8);
			cr_assert_eq(triangles_at(cross, v), 8);
		}
	}
	/* From lower left to upper right. */
	cr_assert_eq(triangles_at(same, 0), 2);
	cr_assert_eq(triangles_at(same, 4), 1);
	cr_assert_eq(triangles_at(same, 20), 1);
	cr_assert_eq(triangles_at(same, 24), 2);
	for (uint32_t v = 25; v < 41; v++)
		cr_assert_eq(triangles_at(cross, v), 4);
	expect_message("{'generate': 'sheet', 'size': [1, 1], 'diagonals': 'both'}",
	    "scene.json: diagonals: expected one of \"alternate\", \"same\", \"cross\", got \"both\"");
}

Test(generate, grading)
{
	static const double ratios[] = {7.0, 1.0, 0.125, 1e4, 1e-4};
	for (guint k = 0; k < G_N_ELEMENTS(ratios); k++) {
		g_autofree char *json =
		    g_strdup_printf("{'generate': 'sheet', 'size': [2, 1], 'cells': [10, 1], 'grading': [%g, %g]}",
		        ratios[k], ratios[k]);
		g_autoptr(Shape) shape = made(json);
		double first = position(shape, 1).x - position(shape, 0).x, before = first;
		double q = (position(shape, 2).x - position(shape, 1).x) / first;
		expect_close(position(shape, 0).x, -1.0, 0.0);
		expect_close(position(shape, 10).x, 1.0, 0.0);
		for (uint32_t i = 1; i < 10; i++) {
			double width = position(shape, i + 1).x - position(shape, i).x;
			expect_close(width / before, q, 1e-9 * q); /* widths are differences: 1e-16 of 2, over 1e-4 */
			before = width;
		}
		expect_close(before / first / ratios[k], 1.0, 1e-9);
		expect_close(position(shape, 11).y, 0.5, 0.0); /* a single cell cannot be graded */
	}
}

Test(generate, tube)
{
	g_autoptr(Shape) shape = made("{'generate': 'tube', 'radius': 2, 'length': 3, 'cells': [12, 4]}");
	expect_counts(shape, 60, 96, 0);
	/* A prism: twelve chords around. */
	expect_close(area_of(shape), 12 * 4.0 * real_sin(REAL_PI / 12) * 3.0, 1e-13);
	expect_set(shape, "bottom", 60, 1, -1.5, -1.5);
	expect_set(shape, "top", 60, 1, 1.5, 1.5);
	for (uint32_t v = 0; v < 60; v++)
		expect_close(vec3_norm(vec3(position(shape, v).x, 0, position(shape, v).z)), 2.0, 1e-15);

	g_autoptr(Shape) cone = made(
	    "{'generate': 'tube', 'radius': 2, 'radius2': 0.5, 'length': 3, 'cells': [3, 2], 'diagonals': 'cross'}");
	expect_counts(cone, 9 + 6, 24, 0);
	for (uint32_t v = 0; v < 9; v++)
		expect_close(vec3_norm(vec3(position(cone, v).x, 0, position(cone, v).z)), 2.0 - 0.75 * (v / 3), 1e-15);
	const Shape *both[] = {shape, cone};
	for (int i = 0; i < 2; i++) {
		for (guint t = 0; t < both[i]->triangle->len; t++) {
			Vec3 outward = corner(both[i], t, 0);
			outward.y = 0.0;
			cr_assert(vec3_dot(outward, normal_of(both[i], t)) > 0.0);
		}
	}
	g_autoptr(Shape) standard = made("{'generate': 'tube', 'radius': 2, 'length': 3}");
	expect_counts(standard, 24 * 25, 2 * 24 * 24, 0);
}

Test(generate, sphere)
{
	double before = 0.0;
	for (uint32_t n = 0; n < 6; n++) {
		g_autofree char *json = g_strdup_printf("{'generate': 'sphere', 'radius': 2, 'subdivisions': %u}", n);
		g_autoptr(Shape) shape = made(json);
		uint32_t power = 1u << 2 * n;
		expect_counts(shape, 10 * power + 2, 20 * power, 2);
		for (uint32_t v = 0; v < shape_vertex_count(shape); v++) {
			expect_close(vec3_norm(position(shape, v)), 2.0, 1e-15);
			cr_assert_eq(vec3_distance(position(shape, v), rest(shape, v)), 0.0);
		}
		for (guint t = 0; t < shape->triangle->len; t++)
			cr_assert(vec3_dot(corner(shape, t, 0), normal_of(shape, t)) > 0.0);
		expect_set(shape, "top", shape_vertex_count(shape), 1, 2, 2);
		expect_set(shape, "bottom", shape_vertex_count(shape), 1, -2, -2);
		double missing = 4.0 / 3.0 * REAL_PI * 8.0 - volume_of(shape);
		cr_assert(missing > 0.0);
		/* Second order in the length of the sides: a quarter each time, once the sides are short. */
		if (n > 2)
			expect_close(before / missing, 4.0, 0.1);
		before = missing;
	}
	g_autoptr(Shape) standard = made("{'generate': 'sphere', 'radius': 2}");
	cr_assert_eq(shape_vertex_count(standard), 642);
}

Test(generate, box)
{
	g_autoptr(Shape) shape = made("{'generate': 'box', 'size': [1, 2, 4], 'cells': [2, 3, 5]}");
	expect_counts(shape, 2 * (6 + 15 + 10) + 2, 4 * (6 + 15 + 10), 2);
	expect_close(volume_of(shape), 8.0, 1e-13);
	expect_close(area_of(shape), 28.0, 1e-13);
	static const char *const faces[3][2] = {{"left", "right"}, {"bottom", "top"}, {"back", "front"}};
	for (int axis = 0; axis < 3; axis++) {
		double half = 0.5 * (1 << axis);
		expect_set(shape, faces[axis][0], shape_vertex_count(shape), axis, -half, -half);
		expect_set(shape, faces[axis][1], shape_vertex_count(shape), axis, half, half);
	}
	/* Diagonals alternate: four or eight triangles meet inside of a face. */
	const GArray *front = set_of(shape, "front");
	for (guint i = 0; i < front->len; i++) {
		Vec3 x = position(shape, g_array_index(front, uint32_t, i));
		guint count = triangles_at(shape, g_array_index(front, uint32_t, i));
		cr_assert(fabs(x.x) > 0.4 || fabs(x.y) > 0.9 || count == 4 || count == 8, "%u", count);
	}
	g_autoptr(Shape) cube = made("{'generate': 'box', 'size': [1, 1, 1]}");
	expect_counts(cube, 8, 12, 2);
	expect_close(volume_of(cube), 1.0, 1e-15);
}

/* A ribbon along points made by a curve; `more` is JSON with further keys. */
static Shape *ribbon(Vec3 (*curve)(double share), int n, bool closed, const char *more)
{
	g_autoptr(GString) json = g_string_new("{'generate': 'ribbon', 'path': [");
	for (int i = 0; i < n; i++) {
		Vec3 x = curve((double)i / (closed ? n : n - 1));
		g_string_append_printf(json, "%s[%.17g, %.17g, %.17g]", i ? ", " : "", x.x, x.y, x.z);
	}
	g_string_append_printf(json, "], 'closed': %s, %s}", closed ? "true" : "false", more);
	return made(json->str);
}

static Vec3 circle(double share)
{
	return vec3(real_cos(2.0 * REAL_PI * share), real_sin(2.0 * REAL_PI * share), 0.0);
}

/* Two turns of radius 1, rising by 1 per radian. */
static Vec3 helix(double share)
{
	double angle = 4.0 * REAL_PI * share;
	return vec3(real_cos(angle), real_sin(angle), angle);
}

static Vec3 trefoil(double share)
{
	double a = 2.0 * REAL_PI * share;
	return vec3(real_sin(a) + 2.0 * real_sin(2.0 * a), real_cos(a) - 2.0 * real_cos(2.0 * a), -real_sin(3.0 * a));
}

Test(nails, counts_and_parts)
{
	g_autoptr(Shape) shape = made("{'generate': 'nails', 'count': [3, 2], 'spacing': 2, 'height': 1, 'base': 0.1}");
	expect_counts(shape, 30, 24, 6); /* each nail is a disc */
	const GArray *points = set_of(shape, "points");
	cr_assert_eq(points->len, 6);
	for (guint i = 0; i < points->len; i++) {
		Vec3 x = position(shape, g_array_index(points, uint32_t, i));
		expect_close(x.y, 1.0, 1e-15);
		expect_close(fabs(x.z), 1.0, 1e-15);
	}
	for (guint t = 0; t < shape->triangle->len; t++) {
		Vec3 foot = vec3_scale(0.5, vec3_add(corner(shape, t, 1), corner(shape, t, 2))), point = corner(shape, t, 0);
		Vec3 out = vec3(foot.x - point.x, 0, foot.z - point.z);
		cr_assert_gt(vec3_dot(normal_of(shape, t), out), 0.0, "triangle %u", t);
	}
	expect_message("{'generate': 'nails', 'spacing': 1, 'height': 1, 'base': 1}",
	    "scene.json: base: expected less than the spacing, 1, got 1");
}

Test(hull, corners_without_what_is_inside)
{
	g_autoptr(Shape) shape = made("{'generate': 'hull', 'points': [[0, 0, 0], [1, 0, 0], [0.2, 0.2, 0.2], [0, 1, 0], [0, 0, 1]]}");
	expect_counts(shape, 4, 4, 2);
	expect_close(volume_of(shape), 1.0 / 6.0, 1e-15);
	cr_assert_eq(position(shape, 2).y, 1.0);
	g_autoptr(Shape) cube = made("{'generate': 'hull', 'points': [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0],"
	                             " [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]]}");
	expect_counts(cube, 8, 12, 2);
	expect_close(volume_of(cube), 1.0, 1e-14);
}

/* No corner of the hull is on the outer side of any triangle, and it fills its ellipsoid as more points are taken. */
Test(hull, convex)
{
	double volume = 0.0;
	for (int count = 20; count <= 2000; count *= 10) {
		g_autofree char *json = g_strdup_printf("{'generate': 'hull', 'size': [2, 4, 6], 'count': %d, 'seed': 7}", count);
		g_autoptr(Shape) shape = made(json);
		for (guint t = 0; t < shape->triangle->len; t++)
			for (guint i = 0; i < shape->position->len; i++)
				cr_assert_lt(vec3_dot(normal_of(shape, t), vec3_sub(position(shape, i), corner(shape, t, 0))), 1e-12);
		cr_assert_gt(volume_of(shape), volume);
		volume = volume_of(shape);
	}
	cr_assert(volume > 0.9 * 8.0 * REAL_PI && volume < 8.0 * REAL_PI, "%g", volume);
}

/* All of the points are corners, and no triangle is a sliver. */
Test(hull, even)
{
	g_autoptr(Shape) shape = made("{'generate': 'hull', 'size': [2, 2, 2], 'count': 100, 'spread': 'even'}");
	expect_counts(shape, 100, 196, 2);
	for (guint t = 0; t < shape->triangle->len; t++)
		cr_assert_gt(vec3_norm(normal_of(shape, t)), 0.04, "triangle %u: %g", t, vec3_norm(normal_of(shape, t)));
}

Test(hull, refuses)
{
	expect_message("{'generate': 'hull', 'points': [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}",
	    "scene.json: points: expected four points or more that are not in one plane");
	expect_message("{'generate': 'hull', 'points': [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 3, 0]]}",
	    "scene.json: points: expected four points or more that are not in one plane");
	expect_message("{'generate': 'hull', 'size': [1, 0, 1]}", "scene.json: size: expected three numbers above zero");
}

Test(hare, closed_and_as_many_vertices_as_asked)
{
	g_autoptr(Shape) shape = made("{'generate': 'hare', 'radius': 2}");
	expect_counts(shape, 1768, 3532, 2);
	cr_assert_gt(volume_of(shape), 0.9 * 4.0 / 3.0 * REAL_PI * 8.0);
	g_autoptr(Shape) small = made("{'generate': 'hare', 'radius': 1, 'vertices': 600}");
	expect_counts(small, 600, 1196, 2);
}

Test(ribbon, straight)
{
	g_autoptr(Shape) shape = made("{'generate': 'ribbon', 'path': [[0, 0, 0], [2, 0, 0]], 'width': 0.5,"
	                              " 'cell_length': 0.26, 'cells_across': 2, 'normal': [5, 0, 3]}");
	expect_counts(shape, 27, 32, 1);
	expect_close(area_of(shape), 1.0, 1e-14);
	for (guint t = 0; t < shape->triangle->len; t++)
		cr_assert(normal_of(shape, t).z > 0.01);
	expect_set(shape, "start", 27, 0, 0, 0);
	expect_set(shape, "end", 27, 0, 2, 2);
	expect_set(shape, "start2", 27, 0, 0, 0.25);
	expect_set(shape, "end2", 27, 0, 1.75, 2);
	expect_set(shape, "left", 27, 1, 0.25, 0.25);
	expect_set(shape, "right", 27, 1, -0.25, -0.25); /* t x n = x x z */
	for (uint32_t v = 0; v < 27; v++) {
		Vec3 x = position(shape, v);
		expect_point(rest(shape, v), vec3(-x.y, x.x, 0), 1e-14);
	}
}

/* With as many cells as the path is long, but at least one, or three when closed. */
Test(ribbon, cells_are_rounded)
{
	static const struct {
		double cell;
		uint32_t rows;
	} cases[] = {{0.1, 20}, {0.3, 7}, {0.79, 3}, {0.81, 2}, {50, 1}};
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *json =
		    g_strdup_printf("{'generate': 'ribbon', 'path': [[0, 0, 0], [0, 2, 0]], 'width': 1,"
		                    " 'cell_length': %g, 'cells_across': 1, 'diagonals': 'same'}",
		        cases[i].cell);
		g_autoptr(Shape) shape = made(json);
		expect_counts(shape, 2 * (cases[i].rows + 1), 2 * cases[i].rows, 1);
	}
	g_autoptr(Shape) ring = ribbon(circle, 12, true, "'width': 0.2, 'cell_length': 50, 'cells_across': 1");
	expect_counts(ring, 6, 6, 0);
}

/* The middle line follows the trefoil, whose middle, at u = pi, is on the x axis; tails are straight. */
Test(ribbon, overhand_knot)
{
	g_autoptr(Shape) shape = made("{'generate': 'ribbon', 'knot': 'overhand', 'width': 1.2, 'cells_across': 4, 'cell_length': 0.3,"
	                              " 'tail': 16}");
	const Vec3 *x = (const Vec3 *)(void *)shape->position->data;
	guint rows = shape->position->len / 5;
	cr_assert_eq(shape->position->len % 5, 0);
	Vec3 middle = vec3_scale(0.5, vec3_add(x[(rows - 1) / 2 * 5 + 2], x[rows / 2 * 5 + 2]));
	double radius = 1.43 * 1.2 * (2.0 - 1.2);
	cr_assert_float_eq(vec3_distance(middle, vec3(radius, 0, 0)), 0.0, 0.05);
	Vec3 start = vec3_unit(vec3_sub(x[5 + 2], x[2])), later = vec3_unit(vec3_sub(x[50 * 5 + 2], x[49 * 5 + 2]));
	cr_assert_float_eq(vec3_dot(start, later), 1.0, 1e-9);
	for (guint row = 0; row < rows; row++)
		cr_assert_float_eq(vec3_distance(x[row * 5], x[row * 5 + 4]), 1.2, 1e-3);
}

Test(ribbon, closed_circle)
{
	g_autoptr(Shape) shape =
	    ribbon(circle, 24, true, "'width': 0.5, 'cell_length': 0.1, 'cells_across': 2, 'normal': [0, 0, 1]");
	uint32_t rows = shape_vertex_count(shape) / 3;
	expect_counts(shape, 3 * rows, 4 * rows, 0);
	for (uint32_t row = 0; row < rows; row++) {
		Vec3 middle = position(shape, 3 * row + 1), right = position(shape, 3 * row + 2);
		expect_close(vec3_norm(middle), 1.0, 2e-4); /* 3/128 of the fourth power of 2 pi/24 */
		expect_close(middle.z, 0.0, 1e-15);
		expect_close(vec3_norm(right), 1.25, 1e-3);
		expect_close(right.z, 0.0, 1e-12);
		double cell = vec3_distance(middle, position(shape, 3 * ((row + 1) % rows) + 1));
		expect_close(cell * rows, 2.0 * REAL_PI, 0.01);
	}
	cr_assert_null(g_hash_table_lookup(shape->sets, "start"));
	cr_assert_null(g_hash_table_lookup(shape->sets, "end2"));
	cr_assert_eq(set_of(shape, "left")->len, rows);
	for (guint t = 0; t < shape->triangle->len; t++)
		cr_assert(normal_of(shape, t).z > 0.0);
	cr_assert_eq(memcmp(shape->rest->data, shape->position->data, shape->rest->len * sizeof(Vec3)), 0);
}

/* A whole turn more: after a quarter of the way the strip stands upright. */
Test(ribbon, closed_and_twisted)
{
	g_autoptr(Shape) shape = ribbon(circle, 24, true,
	    "'width': 0.5, 'cell_length': 0.05, 'cells_across': 2, 'normal': [0, 0, 1], 'twist': 360");
	uint32_t rows = shape_vertex_count(shape) / 3;
	for (uint32_t row = 0; row < rows; row++) {
		double angle = 2.0 * REAL_PI * row / rows;
		Vec3 side = vec3_sub(position(shape, 3 * row + 2), position(shape, 3 * row + 1));
		expect_close(side.z, -0.25 * real_sin(angle), 1e-3);
	}
}

/* The largest angle by which the strip turns from one row to the next, the last to the first included. */
static double largest_turn(const Shape *shape)
{
	uint32_t rows = shape_vertex_count(shape) / 3;
	double most = 0.0;
	for (uint32_t row = 0; row < rows; row++) {
		uint32_t next = (row + 1) % rows;
		Vec3 a = vec3_sub(position(shape, 3 * row + 2), position(shape, 3 * row));
		Vec3 b = vec3_sub(position(shape, 3 * next + 2), position(shape, 3 * next));
		most = fmax(most, real_acos(vec3_dot(vec3_unit(a), vec3_unit(b))));
	}
	return most;
}

/* On a knot the frame does not come back by itself; what it misses is spread, so there is no jump anywhere. */
Test(ribbon, closed_knot_has_no_jump)
{
	static const char *const keys = "'width': 0.1, 'cell_length': %g, 'cells_across': 2, 'twist': %d";
	for (int twist = -360; twist <= 360; twist += 360) {
		g_autofree char *coarse_keys = g_strdup_printf(keys, 0.05, twist),
		                *fine_keys = g_strdup_printf(keys, 0.025, twist);
		g_autoptr(Shape) coarse = ribbon(trefoil, 60, true, coarse_keys),
		                 fine = ribbon(trefoil, 60, true, fine_keys);
		double turn = largest_turn(coarse);
		cr_assert(turn > 0.0 && turn < 0.15, "%g", turn);
		expect_close(largest_turn(fine) / turn, 0.5, 0.05); /* a jump would stay */
	}
}

/* The angle of the last row's side against the helix's own normal, about its tangent; minus the first row's. */
static double turn_against_helix(const Shape *shape)
{
	const double root = sqrt(2.0);
	uint32_t last = shape_vertex_count(shape) / 3 - 1;
	double turn[2];
	for (int end = 0; end < 2; end++) {
		uint32_t row = end ? last : 0;
		double angle = end ? 4.0 * REAL_PI : 0.0;
		Vec3 side = vec3_sub(position(shape, 3 * row + 2), position(shape, 3 * row + 1));
		Vec3 normal = vec3(-real_cos(angle), -real_sin(angle), 0.0);
		Vec3 tangent = vec3(-real_sin(angle) / root, real_cos(angle) / root, 1.0 / root);
		turn[end] = real_atan2(vec3_dot(side, vec3_cross(tangent, normal)), vec3_dot(side, normal));
	}
	double difference = turn[1] - turn[0];
	return difference - 2.0 * REAL_PI * floor(difference / (2.0 * REAL_PI));
}

/* A frame that turns as little as possible falls behind the helix's own normal by torsion times length: here 1/2 times
 * 4 pi sqrt(2), so -2 pi sqrt(2) in all. */
Test(ribbon, helix_turns_as_little_as_possible)
{
	static const char *const keys = "'width': 0.1, 'cell_length': 0.05, 'cells_across': 2";
	double expected = 2.0 * REAL_PI * (2.0 - sqrt(2.0));
	g_autoptr(Shape) coarse = ribbon(helix, 65, false, keys), fine = ribbon(helix, 1025, false, keys);
	double coarse_error = fabs(turn_against_helix(coarse) - expected);
	double fine_error = fabs(turn_against_helix(fine) - expected);
	cr_assert(coarse_error < 0.05, "%g", coarse_error);
	cr_assert(fine_error < 0.004, "%g", fine_error);
}

static double distance_to_segment(Vec3 x, Vec3 a, Vec3 b)
{
	Vec3 along = vec3_sub(b, a);
	double share = vec3_dot(vec3_sub(x, a), along) / vec3_norm2(along);
	return vec3_distance(x, vec3_madd(a, fmin(fmax(share, 0.0), 1.0), along));
}

/* The distance of a point from the ribbon's middle line. */
static double distance_to_line(const Shape *shape, Vec3 x, bool closed)
{
	uint32_t rows = shape_vertex_count(shape) / 3;
	double least = INFINITY;
	for (uint32_t row = 0; row + !closed < rows; row++)
		least = fmin(least,
		    distance_to_segment(x, position(shape, 3 * row + 1), position(shape, 3 * ((row + 1) % rows) + 1)));
	return least;
}

Test(ribbon, passes_through_its_points)
{
	static const char *const keys = "'width': 0.01, 'cell_length': 0.002, 'cells_across': 2%s";
	for (int kind = 0; kind < 4; kind++) {
		bool closed = kind % 2, linear = kind / 2;
		g_autofree char *all = g_strdup_printf(keys, linear ? ", 'interpolation': 'linear'" : "");
		g_autoptr(Shape) shape = ribbon(trefoil, 11, closed, all);
		for (int i = 0; i < 11; i++) {
			Vec3 x = trefoil((double)i / (closed ? 11 : 10));
			double distance = distance_to_line(shape, x, closed);
			cr_assert(distance < 1e-3, "kind %d, point %d: %g", kind, i, distance);
		}
		/* Half-way between two points a straight line is straight, and a smooth one is not. */
		Vec3 half = vec3_scale(0.5, vec3_add(trefoil(0.0), trefoil(closed ? 1.0 / 11.0 : 0.1)));
		cr_assert_eq(distance_to_line(shape, half, closed) < 1e-3, linear);
	}
}

Test(ribbon, cells_are_equally_long_and_rest_flat)
{
	g_autoptr(Shape) shape = ribbon(helix, 65, false, "'width': 0.3, 'cell_length': 0.1, 'cells_across': 2");
	uint32_t rows = shape_vertex_count(shape) / 3 - 1;
	double whole = rest(shape, 3 * rows).y, cell = whole / rows;
	expect_close(whole, 4.0 * REAL_PI * sqrt(2.0), 0.01);
	for (uint32_t row = 0; row <= rows; row++) {
		for (uint32_t column = 0; column < 3; column++)
			expect_point(
			    rest(shape, 3 * row + column), vec3(0.3 * (column / 2.0 - 0.5), row * cell, 0), 1e-13);
		if (row == rows)
			break;
		double built = vec3_distance(position(shape, 3 * row + 1), position(shape, 3 * row + 4));
		/* A chord is shorter than its arc by the square of curvature (1/2) times length, over 24. */
		expect_close(built / cell, 1.0 - 0.25 * cell * cell / 24.0, 3e-4);
		double across = vec3_distance(position(shape, 3 * row), position(shape, 3 * row + 2));
		expect_close(across, 0.3, 1e-14);
	}
	g_autoptr(Shape) built =
	    ribbon(helix, 65, false, "'width': 0.3, 'cell_length': 0.1, 'cells_across': 2, 'rest': 'as_built'");
	cr_assert_eq(memcmp(built->rest->data, shape->position->data, shape->position->len * sizeof(Vec3)), 0);
}

/* A right-handed quarter turn about the path takes t x n = -y to -z. */
Test(ribbon, twist)
{
	g_autoptr(Shape) shape = made("{'generate': 'ribbon', 'path': [[0, 0, 0], [2, 0, 0]], 'width': 1,"
	                              " 'cell_length': 0.5, 'cells_across': 1, 'normal': [0, 0, 1], 'twist': 90}");
	for (uint32_t row = 0; row <= 4; row++) {
		double angle = REAL_PI / 2.0 * row / 4.0;
		Vec3 right = vec3(0.5 * row, -0.5 * real_cos(angle), -0.5 * real_sin(angle));
		expect_point(position(shape, 2 * row + 1), right, 1e-3); /* normals are interpolated between samples */
	}
}

/* Around a corner the part of the normal in the plane of the bend turns, the other stays: no twist is added. */
Test(ribbon, corner)
{
	g_autoptr(Shape) shape =
	    made("{'generate': 'ribbon', 'path': [[0, 0, 0], [1, 0, 0], [1, 1, 0]], 'width': 0.2,"
	         " 'interpolation': 'linear', 'cell_length': 0.1, 'cells_across': 1, 'normal': [0, 1, 1]}");
	uint32_t last = shape_vertex_count(shape) - 1;
	expect_point(position(shape, 1), vec3_scale(0.1 / sqrt(2.0), vec3(0, -1, 1)), 1e-14);
	Vec3 right = vec3_madd(vec3(1, 1, 0), 0.1 / sqrt(2.0), vec3(1, 0, 1));
	expect_point(position(shape, last), right, 1e-14);
}

/* The middle of a span of the spline in another form: Hermite's, with the slopes that the uneven knots give. */
static Vec3 middle_of_span(const Vec3 p[4])
{
	double knot[4] = {0, 0, 0, 0};
	for (int k = 1; k < 4; k++)
		knot[k] = knot[k - 1] + sqrt(vec3_distance(p[k - 1], p[k]));
	Vec3 slope[2];
	for (int k = 1; k < 3; k++) {
		Vec3 before = vec3_scale(1.0 / (knot[k] - knot[k - 1]), vec3_sub(p[k], p[k - 1]));
		Vec3 over = vec3_scale(1.0 / (knot[k + 1] - knot[k - 1]), vec3_sub(p[k + 1], p[k - 1]));
		Vec3 after = vec3_scale(1.0 / (knot[k + 1] - knot[k]), vec3_sub(p[k + 1], p[k]));
		slope[k - 1] = vec3_scale(knot[2] - knot[1], vec3_add(vec3_sub(before, over), after));
	}
	Vec3 half = vec3_scale(0.5, vec3_add(p[1], p[2]));
	return vec3_madd(half, 0.125, vec3_sub(slope[0], slope[1]));
}

Test(ribbon, spline_is_centripetal)
{
	static const Vec3 p[4] = {{0, 0, 0}, {4, 0, 0}, {4.5, 0.5, 0.2}, {3, 4, 1}};
	g_autoptr(Shape) shape =
	    made("{'generate': 'ribbon', 'path': [[0, 0, 0], [4, 0, 0], [4.5, 0.5, 0.2], [3, 4, 1]],"
	         " 'width': 0.01, 'cell_length': 0.002, 'cells_across': 2}");
	double distance = distance_to_line(shape, middle_of_span(p), false);
	cr_assert(distance < 1e-4, "%g", distance);
}

/* Whatever direction the path has, some normal is found. */
Test(ribbon, default_normal)
{
	for (int i = 1; i < 27; i++) {
		g_autofree char *json = g_strdup_printf(
		    "{'generate': 'ribbon', 'path': [[0, 0, 0], [%d, %d, %d]], 'width': 1, 'cell_length': 1}",
		    (i % 3 + 1) % 3 - 1, (i / 3 % 3 + 1) % 3 - 1, (i / 9 + 1) % 3 - 1);
		if (strstr(json, "], [0, 0, 0]") != NULL)
			continue;
		g_autoptr(Shape) shape = made(json);
		cr_assert(area_of(shape) > 0.99);
	}
}

/* Waves in the plane of x and y: bent to and fro, with inflections. */
static Vec3 waves(double share)
{
	double x = 6.0 * REAL_PI * share;
	return vec3(x, 1.5 * real_sin(x), 0.0);
}

static double side_along_z(const Shape *shape, guint row, guint columns)
{
	Vec3 a = position(shape, row * columns), b = position(shape, row * columns + columns - 1);
	return fabs(vec3_unit(vec3_sub(b, a)).z);
}

/* A flat strip cannot bend within its plane: it stands on its edge, whatever it would do by default, and does not turn over
 * where the curve bends the other way. */
Test(ribbon, least_strain_stands_on_its_edge)
{
	const char *keys = "'width': 1, 'cell_length': 0.2, 'cells_across': 2, 'normal': [0, 0, 1]",
	           *eased = "'width': 1, 'cell_length': 0.2, 'cells_across': 2, 'frame': 'least_strain'";
	g_autoptr(Shape) lying = ribbon(waves, 97, false, keys), standing = ribbon(waves, 97, false, eased);
	guint rows = standing->position->len / 3;
	for (guint row = 5; row + 5 < rows; row++) {
		cr_assert_lt(side_along_z(lying, row, 3), 1e-6);
		cr_assert_gt(side_along_z(standing, row, 3), 0.995, "row %u: %g", row, side_along_z(standing, row, 3));
	}
	/* Its first normal, where one is given, stays. */
	g_autoptr(Shape) turning = ribbon(waves, 97, false,
	    "'width': 1, 'cell_length': 0.2, 'cells_across': 2, 'frame': 'least_strain', 'normal': [0, 0, 1]");
	cr_assert_lt(side_along_z(turning, 0, 3), 1e-6);
	cr_assert_gt(side_along_z(turning, rows * 7 / 12, 3), 0.95, "%g", side_along_z(turning, rows * 7 / 12, 3));
}

/* By how much the longest side is longer, or the shortest shorter, than at rest. */
static double largest_strain(const Shape *shape)
{
	double most = 0.0;
	for (guint t = 0; t < shape->triangle->len; t++) {
		const uint32_t *v = g_array_index(shape->triangle, Triangle, t).v;
		for (int i = 0; i < 3; i++) {
			uint32_t a = v[i], b = v[(i + 1) % 3];
			double length = vec3_distance(position(shape, a), position(shape, b));
			most = fmax(most, fabs(length / vec3_distance(rest(shape, a), rest(shape, b)) - 1.0));
		}
	}
	return most;
}

/* Flat strips of these knots are hardly stretched; with the frame that turns least they would be, by half. */
Test(ribbon, knots_of_tables)
{
	static const char *const knots[] = {"'reef', 'strand': 1", "'reef', 'strand': 2", "'bowline', 'tail2': 2"};
	for (guint i = 0; i < G_N_ELEMENTS(knots); i++) {
		g_autofree char *json = g_strdup_printf(
		    "{'generate': 'ribbon', 'knot': %s, 'width': 1, 'cells_across': 4, 'cell_length': 0.25, 'tail': 5}", knots[i]);
		g_autoptr(Shape) shape = made(json);
		cr_assert_lt(largest_strain(shape), 0.2, "%s: %g", knots[i], largest_strain(shape));
	}
}

/* Two bights that are the same but for half a turn about the y axis; their ends leave in opposite directions. */
Test(ribbon, reef_knot)
{
	const char *keys = "{'generate': 'ribbon', 'knot': 'reef', 'strand': %d, 'width': 1, 'cells_across': 2, 'cell_length': 0.5, 'tail': 5}";
	g_autofree char *first = g_strdup_printf(keys, 1), *second = g_strdup_printf(keys, 2);
	g_autoptr(Shape) right = made(first), left = made(second);
	cr_assert_eq(right->position->len, left->position->len);
	cr_assert_gt(position(right, 1).x, 12.0);
	cr_assert_gt(position(right, right->position->len - 2).x, 12.0);
	for (uint32_t i = 1; i < right->position->len; i += 3) { /* the middle line */
		Vec3 a = position(right, i), b = position(left, i);
		cr_assert_lt(vec3_distance(a, vec3(-b.x, b.y, -b.z)), 1e-9);
	}
}

/* A B-spline begins and ends at its outer points, and is straight where they are. */
Test(ribbon, smooth)
{
	g_autoptr(Shape) shape = made("{'generate': 'ribbon', 'path': [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [4, 2, 0]], 'width': 0.2,"
	                              " 'cell_length': 0.1, 'cells_across': 2, 'interpolation': 'smooth', 'normal': [0, 1, 0]}");
	guint n = shape->position->len;
	cr_assert_lt(vec3_distance(position(shape, 1), vec3(0, 0, 0)), 1e-12);
	cr_assert_lt(vec3_distance(position(shape, n - 2), vec3(4, 2, 0)), 1e-12);
	for (guint i = 1; i < n && position(shape, i).x < 2.0; i += 3)
		cr_assert_lt(fabs(position(shape, i).y), 1e-12);
}

Test(ribbon, refuses)
{
	expect_message("{'generate': 'ribbon', 'width': 1, 'cell_length': 1}",
	    "scene.json: path: missing; expected a list of points");
	expect_message(
	    "{'generate': 'ribbon', 'path': [[0, 0, 0], [1, 0, 0]], 'closed': true, 'width': 1, 'cell_length': 1}",
	    "scene.json: path: expected at least 3 points, got 2");
	expect_message("{'generate': 'ribbon', 'path': [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0]], 'closed': true,"
	               " 'width': 1, 'cell_length': 1}",
	    "scene.json: path: points 3 and 0 are the same");
	expect_message("{'generate': 'ribbon', 'path': [[0, 0, 0], [1, 0, 0], [0, 0, 0]], 'interpolation': 'linear',"
	               " 'width': 1, 'cell_length': 1}",
	    "scene.json: path: the path turns back on itself at or next to point 1");
	expect_message(
	    "{'generate': 'ribbon', 'path': [[0, 0, 0], [1, 0, 0]], 'normal': [2, 0, 0], 'width': 1, 'cell_length': 1}",
	    "scene.json: normal: it points along the path; expected a direction across its beginning");
	expect_message("{'generate': 'ribbon', 'path': [[0, 0, 0], [1, 0, 0], [1, 1, 0]], 'closed': true, 'twist': 90,"
	               " 'width': 1, 'cell_length': 1}",
	    "scene.json: twist: a closed ribbon can be twisted by whole turns only (multiples of 360), got 90");
}

Test(generate, particles)
{
	g_autoptr(Shape) shape = made("{'generate': 'particles', 'size': [2, 3, 4], 'count': [2, 3, 5]}");
	cr_assert_eq(shape->particle->len, 30);
	for (uint32_t i = 0; i < 30; i++) {
		cr_assert_eq(g_array_index(shape->particle, uint32_t, i), i);
		expect_point(position(shape, i), vec3(i % 2 - 0.5, i / 2 % 3 - 1.0, 0.8 * (i / 6) - 1.6), 1e-15);
	}
	g_autoptr(Shape) given = made("{'generate': 'particles', 'positions': [[1, 2, 3], [4, 5, 6]]}");
	cr_assert_eq(given->particle->len, 2);
	expect_point(position(given, 1), vec3(4, 5, 6), 0.0);
	expect_message(
	    "{'generate': 'particles'}", "scene.json: scene: expected either \"positions\" or \"size\" and \"count\"");
}

Test(generate, shaken_particles_stay_in_their_cells)
{
	static const char *const json =
	    "{'generate': 'particles', 'size': [3, 3, 3], 'count': [8, 8, 8], 'jitter': %g, 'seed': %d}";
	g_autofree char *seven = g_strdup_printf(json, 1.0, 7), *eight = g_strdup_printf(json, 1.0, 8),
	                *gentle = g_strdup_printf(json, 0.25, 7);
	g_autoptr(Shape) a = made(seven), again = made(seven), b = made(eight), c = made(gentle);
	cr_assert_eq(memcmp(a->position->data, again->position->data, 512 * sizeof(Vec3)), 0);
	guint same = 0;
	double most = 0.0;
	for (uint32_t i = 0; i < 512; i++) {
		Vec3 middle = vec3_scale(0.375, vec3(i % 8 - 3.5, i / 8 % 8 - 3.5, i / 64 - 3.5));
		Vec3 shift = vec3_sub(position(a, i), middle), small = vec3_sub(position(c, i), middle);
		double size = fmax(fabs(shift.x), fmax(fabs(shift.y), fabs(shift.z)));
		cr_assert(size <= 0.1875 + 1e-15);
		expect_point(small, vec3_scale(0.25, shift), 1e-15);
		same += vec3_distance(position(a, i), position(b, i)) == 0.0;
		most = fmax(most, size);
	}
	cr_assert_eq(same, 0);
	cr_assert(most > 0.18);
}

/* Made by another program, in integers: the numbers must not depend on the machine. */
Test(generate, random_numbers_are_those_of_splitmix64)
{
	g_autoptr(Shape) shape =
	    made("{'generate': 'particles', 'size': [1, 1, 1], 'count': [1, 1, 1], 'jitter': 1, 'seed': 7}");
	Vec3 x = vec3_add(position(shape, 0), vec3(0.5, 0.5, 0.5));
	expect_point(x, vec3(0.3898297483912715, 0.01678829452815611, 0.9007606806068834), 1e-15);
}

Test(generate, chain)
{
	g_autoptr(Shape) shape = made("{'generate': 'chain', 'from': [1, 0, 0], 'to': [1, 2, 0], 'links': 4}");
	cr_assert_eq(shape_vertex_count(shape), 5);
	cr_assert_eq(shape->edge->len, 4);
	for (uint32_t i = 0; i < 5; i++)
		expect_point(position(shape, i), vec3(1, 0.5 * i, 0), 0.0);
	for (uint32_t i = 0; i < 4; i++) {
		const Edge *edge = &g_array_index(shape->edge, Edge, i);
		cr_assert(edge->v[0] == i && edge->v[1] == i + 1);
	}
	expect_set(shape, "start", 5, 1, 0, 0);
	expect_set(shape, "end", 5, 1, 2, 2);
	g_autoptr(Shape) ring =
	    made("{'generate': 'chain', 'points': [[0, 0, 0], [1, 0, 0], [0, 1, 0]], 'closed': true}");
	cr_assert_eq(ring->edge->len, 3);
	cr_assert_eq(g_array_index(ring->edge, Edge, 2).v[0], 2);
	cr_assert_eq(g_array_index(ring->edge, Edge, 2).v[1], 0);
	g_autoptr(Shape) open = made("{'generate': 'chain', 'points': [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}");
	cr_assert_eq(open->edge->len, 2);
}

Test(generate, too_large)
{
	expect_message("{'generate': 'sheet', 'size': [1, 1], 'cells': [10000, 5000]}",
	    "scene.json: cells: the body would have 50015001 vertices; one body may have 50000000");
	expect_message("{'generate': 'sheet', 'size': [1, 1], 'cells': [5000, 5000], 'diagonals': 'cross'}",
	    "scene.json: cells: the body would have 50010001 vertices; one body may have 50000000");
	expect_message("{'generate': 'sheet', 'size': [1, 1], 'cells': [4294967295, 4294967295]}",
	    "scene.json: cells: expected whole numbers from 1 to 50000000, got 4294967295");
	expect_message("{'generate': 'tube', 'radius': 1, 'length': 1, 'cells': [50000000, 50000000]}",
	    "scene.json: cells: the body would have 2.50000005e+15 vertices; one body may have 50000000");
	expect_message("{'generate': 'box', 'size': [1, 1, 1], 'cells': [3000, 3000, 3000]}",
	    "scene.json: cells: the body would have 54000002 vertices; one body may have 50000000");
	expect_message("{'generate': 'particles', 'size': [1, 1, 1], 'count': [1000, 1000, 51]}",
	    "scene.json: count: the body would have 51000000 vertices; one body may have 50000000");
	expect_message("{'generate': 'chain', 'from': [0, 0, 0], 'to': [1, 0, 0], 'links': 50000000}",
	    "scene.json: links: the body would have 50000001 vertices; one body may have 50000000");
	expect_message("{'generate': 'ribbon', 'path': [[0, 0, 0], [1, 0, 0]], 'width': 1, 'cell_length': 1e-7}",
	    "scene.json: cell_length: the body would have 50000005 vertices; one body may have 50000000");
	expect_message("{'generate': 'ribbon', 'path': [[0, 0, 0], [1, 0, 0]], 'width': 1, 'cell_length': 1.25e-7,"
	               " 'diagonals': 'cross'}",
	    "scene.json: cell_length: the body would have 72000005 vertices; one body may have 50000000");
	expect_message("{'generate': 'ribbon', 'path': [[0, 0, 0], [1, 0, 0]], 'width': 1, 'cell_length': 1e-300}",
	    "scene.json: cell_length: the body would have 5e+300 vertices; one body may have 50000000");
}

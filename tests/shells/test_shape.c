#include "shells/shape.h"
#include <cinch/cinch.h>
#include <criterion/criterion.h>

/* Two triangles over the unit square, 0 1 2 3 counter-clockwise. */
static Shape *square(void)
{
	Shape *shape = shape_new();
	shape_add_vertex(shape, vec3(0, 0, 0));
	shape_add_vertex(shape, vec3(1, 0, 0));
	shape_add_vertex(shape, vec3(1, 1, 0));
	shape_add_vertex(shape, vec3(0, 1, 0));
	shape_add_triangle(shape, 0, 1, 2);
	shape_add_triangle(shape, 0, 2, 3);
	return shape;
}

/* Checks that the shape is refused with exactly this message, and frees it. */
static void expect_message(Shape *shape, const char *message)
{
	GError *error = NULL;
	cr_assert_not(shape_check(shape, "cloth.obj", &error), "expected: %s", message);
	cr_assert_not_null(error);
	cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_INPUT));
	cr_assert_str_eq(error->message, message, "%s", error->message);
	g_error_free(error);
	shape_free(shape);
}

static void expect_fine(Shape *shape)
{
	GError *error = NULL;
	cr_assert(shape_check(shape, "cloth.obj", &error), "%s", error ? error->message : "");
	shape_free(shape);
}

Test(shape, a_square_is_fine)
{
	expect_fine(square());
}

Test(shape, adding_counts_up)
{
	g_autoptr(Shape) shape = shape_new();
	cr_assert_eq(shape_add_vertex(shape, vec3(1, 2, 3)), 0);
	cr_assert_eq(shape_add_vertex(shape, vec3(4, 5, 6)), 1);
	cr_assert_eq(shape_vertex_count(shape), 2);
	cr_assert_eq(g_array_index(shape->position, Vec3, 1).y, 5.0);
	cr_assert_eq(g_array_index(shape->rest, Vec3, 1).z, 6.0);
	shape_add_edge(shape, 0, 1);
	shape_add_particle(shape, 1);
	cr_assert_eq(g_array_index(shape->edge, Edge, 0).v[1], 1);
	cr_assert_eq(g_array_index(shape->particle, uint32_t, 0), 1);
}

Test(shape, sets_are_ascending_without_repetition)
{
	g_autoptr(Shape) shape = shape_new();
	static const uint32_t in[] = {5, 9, 2, 9, 5, 7, 0, 10}, out[] = {0, 2, 5, 7, 9, 10};
	for (size_t i = 0; i < G_N_ELEMENTS(in); i++)
		shape_add_to_set(shape, "odd", in[i]);
	GArray *set = g_hash_table_lookup(shape->sets, "odd");
	cr_assert_eq(set->len, G_N_ELEMENTS(out));
	for (size_t i = 0; i < G_N_ELEMENTS(out); i++)
		cr_assert_eq(g_array_index(set, uint32_t, i), out[i]);
	cr_assert_null(g_hash_table_lookup(shape->sets, "even"));
}

Test(shape, no_vertices)
{
	expect_message(shape_new(), "cloth.obj: there are no vertices");
}

Test(shape, triangle_without_area)
{
	Shape *shape = square();
	uint32_t v = shape_add_vertex(shape, vec3(0.5, 1.0, 0.0));
	shape_add_triangle(shape, 3, 2, v);
	expect_message(shape, "cloth.obj: triangle 2 (vertices 3, 2, 4) has no area");
}

/* The bound is relative: neither size alone nor distance from the origin makes a triangle degenerate. */
Test(shape, area_is_relative_to_the_longest_side)
{
	static const double sizes[] = {1e-200, 1e-9, 1.0, 1e9, 1e200};
	for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
		for (int thin = 0; thin < 2; thin++) {
			double size = sizes[i], height = thin ? 1.9e-12 : 2.1e-12; /* area = height/2, bound 1e-12 */
			Shape *shape = shape_new();
			shape_add_vertex(shape, vec3(0, 0, 0));
			shape_add_vertex(shape, vec3(0, 0, size));
			shape_add_vertex(shape, vec3(0, size * height, size / 2));
			shape_add_triangle(shape, 0, 1, 2);
			if (thin)
				expect_message(shape, "cloth.obj: triangle 0 (vertices 0, 1, 2) has no area");
			else
				expect_fine(shape);
		}
	}
}

/* A body may be built folded flat or crumpled: only the rest shape needs an area. */
Test(shape, area_is_that_at_rest)
{
	Shape *shape = square();
	g_array_index(shape->position, Vec3, 1) = vec3(0, 0, 0);
	expect_fine(shape);
	shape = square();
	g_array_index(shape->rest, Vec3, 1) = vec3(0, 0, 0);
	expect_message(shape, "cloth.obj: triangle 0 (vertices 0, 1, 2) has no area");
}

Test(shape, triangle_repeats_a_vertex)
{
	Shape *shape = square();
	shape_add_triangle(shape, 1, 3, 1);
	expect_message(shape, "cloth.obj: triangle 2 (vertices 1, 3, 1) repeats vertex 1");
}

Test(shape, index_out_of_range)
{
	Shape *shape = square();
	shape_add_triangle(shape, 1, 4, 2);
	expect_message(shape, "cloth.obj: triangle 2 refers to vertex 4, but there are only 4 vertices");
	shape = square();
	shape_add_edge(shape, 1, UINT32_MAX);
	expect_message(shape, "cloth.obj: edge 0 refers to vertex 4294967295, but there are only 4 vertices");
	shape = square();
	shape_add_particle(shape, 17);
	expect_message(shape, "cloth.obj: particle 0 refers to vertex 17, but there are only 4 vertices");
}

Test(shape, coordinates_are_finite)
{
	Shape *shape = square();
	g_array_index(shape->position, Vec3, 2).y = NAN;
	expect_message(shape, "cloth.obj: the position of vertex 2 is not finite");
	shape = square();
	g_array_index(shape->rest, Vec3, 3).z = -INFINITY;
	expect_message(shape, "cloth.obj: the rest position of vertex 3 is not finite");
	shape = square();
	g_array_set_size(shape->rest, 3);
	expect_message(shape, "cloth.obj: there are 4 vertices but 3 rest positions");
}

Test(shape, three_triangles_at_a_side)
{
	Shape *shape = square();
	uint32_t v = shape_add_vertex(shape, vec3(0, 0, 1));
	shape_add_triangle(shape, 2, 0, v);
	expect_message(
	    shape, "cloth.obj: side 0-2 is shared by 3 triangles (0, 1 and 2): the surface must be a manifold");
	/* The same triangle twice, also turned over. */
	shape = square();
	shape_add_triangle(shape, 2, 1, 0);
	expect_message(
	    shape, "cloth.obj: side 0-2 is shared by 3 triangles (0, 1 and 2): the surface must be a manifold");
}

Test(shape, many_triangles_at_a_side)
{
	Shape *shape = shape_new();
	shape_add_vertex(shape, vec3(0, 0, 0));
	shape_add_vertex(shape, vec3(0, 0, 1));
	for (int i = 0; i < 10; i++)
		shape_add_triangle(shape, 0, 1, shape_add_vertex(shape, vec3(1 + i, i, 0)));
	expect_message(shape,
	    "cloth.obj: side 0-1 is shared by 10 triangles (0, 1, 2, 3, 4, 5, 6, 7, ...): the surface must "
	    "be a manifold");
}

Test(shape, orientations_disagree)
{
	Shape *shape = square();
	uint32_t v = shape_add_vertex(shape, vec3(2, 0, 0));
	shape_add_triangle(shape, 1, 2, v);
	expect_message(shape,
	    "cloth.obj: triangles 0 and 2 run along side 1-2 in the same direction: their orientations "
	    "disagree");
	shape = square();
	v = shape_add_vertex(shape, vec3(2, 0, 0));
	shape_add_triangle(shape, 2, 1, v);
	expect_fine(shape);
}

Test(shape, vertex_without_element)
{
	Shape *shape = square();
	uint32_t v = shape_add_vertex(shape, vec3(5, 5, 5));
	expect_message(shape, "cloth.obj: vertex 4 belongs to no element");
	for (int kind = 0; kind < 2; kind++) {
		shape = square();
		shape_add_vertex(shape, vec3(5, 5, 5));
		if (kind == 0)
			shape_add_particle(shape, v);
		else
			shape_add_edge(shape, 0, v);
		expect_fine(shape);
	}
}

Test(shape, loose_edges)
{
	Shape *shape = square();
	shape_add_edge(shape, 2, 2);
	expect_message(shape, "cloth.obj: edge 0 joins vertex 2 to itself");
	shape = square();
	uint32_t v = shape_add_vertex(shape, vec3(1, 1, 0));
	shape_add_edge(shape, 1, v);
	shape_add_edge(shape, v, 2);
	expect_message(shape, "cloth.obj: edge 1 (vertices 4, 2) has no length");
}

Test(shape, particle_named_twice)
{
	Shape *shape = square();
	shape_add_particle(shape, 1);
	shape_add_particle(shape, 1);
	expect_message(shape, "cloth.obj: vertex 1 is named as a particle more than once");
}

/* The boundary of a grid of n x n cells, against what it is by construction; a closed surface has none. */
Test(shape, boundary)
{
	const uint32_t n = 7, stride = n + 1;
	g_autoptr(Shape) shape = shape_new();
	for (uint32_t j = 0; j <= n; j++) {
		for (uint32_t i = 0; i <= n; i++)
			shape_add_vertex(shape, vec3(i, j, 0));
	}
	for (uint32_t j = 0; j < n; j++) {
		for (uint32_t i = 0; i < n; i++) {
			uint32_t v = j * stride + i;
			shape_add_triangle(shape, v, v + 1, v + stride + 1);
			shape_add_triangle(shape, v, v + stride + 1, v + stride);
		}
	}
	shape_name_boundary(shape);
	GArray *set = g_hash_table_lookup(shape->sets, "boundary");
	cr_assert_eq(set->len, 4 * n);
	for (guint k = 0; k < set->len; k++) {
		uint32_t v = g_array_index(set, uint32_t, k), i = v % stride, j = v / stride;
		cr_assert(i == 0 || j == 0 || i == n || j == n);
		cr_assert(k == 0 || g_array_index(set, uint32_t, k - 1) < v);
	}

	g_autoptr(Shape) closed = shape_new();
	for (int i = 0; i < 4; i++)
		shape_add_vertex(closed, vec3(i == 1, i == 2, i == 3));
	shape_add_triangle(closed, 0, 2, 1);
	shape_add_triangle(closed, 0, 1, 3);
	shape_add_triangle(closed, 0, 3, 2);
	shape_add_triangle(closed, 1, 2, 3);
	cr_assert(shape_check(closed, "tetrahedron", NULL));
	shape_name_boundary(closed);
	cr_assert_eq(((GArray *)g_hash_table_lookup(closed->sets, "boundary"))->len, 0);
}

#include "support/random.h"
#include "verify/exact.h"
#include "verify/intersections.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include <time.h>

/* ---- against every pair with every other ---- */

static GArray *all_pairs(const IntersectionsInput *input)
{
	uint32_t n = input->n_triangles + input->n_edges + input->n_particles;
	GArray *found = g_array_new(FALSE, FALSE, sizeof(Intersection));
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a + 1; b < n; b++) {
			uint32_t corner_a[3], corner_b[3];
			int n_a = intersections_corners(input, a, corner_a),
			    n_b = intersections_corners(input, b, corner_b);
			Intersection pair = {a, b};
			if (exact_meet(input->x, corner_a, n_a, corner_b, n_b))
				g_array_append_val(found, pair);
		}
	return found;
}

static void check_against_all_pairs(const IntersectionsInput *input)
{
	g_autoptr(GArray) expected = all_pairs(input);
	g_autoptr(GArray) found = intersections_find(input);
	cr_assert_eq(found->len, expected->len, "%u, not %u", found->len, expected->len);
	cr_assert(found->len == 0 || memcmp(found->data, expected->data, found->len * sizeof(Intersection)) == 0);
}

/* Elements of all kinds, some with shared vertices, some on a grid so that they touch. */
Test(intersections, are_those_of_all_pairs)
{
	enum { VERTICES = 150, ELEMENTS = 40 };
	random_seed = 1;
	for (int round = 0; round < 30; round++) {
		double x[VERTICES][3];
		uint32_t triangle[ELEMENTS][3], edge[ELEMENTS][2], particle[ELEMENTS];
		for (int i = 0; i < 3 * VERTICES; i++)
			x[i / 3][i % 3] = round % 2 ? random_below(6) : random_between(0, 5);
		for (int i = 0; i < ELEMENTS; i++) {
			uint32_t start = (uint32_t)random_below(VERTICES - 3);
			triangle[i][0] = start, triangle[i][1] = start + 1, triangle[i][2] = start + 2;
			edge[i][0] = (uint32_t)random_below(VERTICES), edge[i][1] = (edge[i][0] + 1) % VERTICES;
			particle[i] = (uint32_t)random_below(VERTICES);
		}
		IntersectionsInput input = {x, NULL, ELEMENTS, triangle, ELEMENTS, edge, ELEMENTS, particle};
		check_against_all_pairs(&input);
	}
}

Test(intersections, of_nothing_are_none)
{
	IntersectionsInput input = {0};
	g_autoptr(GArray) found = intersections_find(&input);
	cr_assert_eq(found->len, 0);
}

/* ---- sheets ---- */

typedef struct {
	GArray *x, *triangle; /* of double[3], uint32_t[3] */
} Mesh;

/* side x side squares of two triangles each, with the height of vertex (i, j) given, turned out of the axes. */
static void add_sheet(Mesh *mesh, uint32_t side, double (*height)(double, double))
{
	uint32_t first = mesh->x->len, row = side + 1;
	for (uint32_t i = 0; i < row * row; i++) {
		double u = (double)(i % row) / side, v = (double)(i / row) / side, w = height(u, v);
		const double x[3] = {u + 0.25 * w, 0.5 * u + v, w - 0.125 * u - 0.375 * v};
		g_array_append_val(mesh->x, x);
	}
	for (uint32_t i = 0; i < side; i++)
		for (uint32_t j = 0; j < side; j++) {
			uint32_t a = first + i * row + j;
			const uint32_t low[3] = {a, a + 1, a + row + 1}, high[3] = {a, a + row + 1, a + row};
			g_array_append_val(mesh->triangle, low);
			g_array_append_val(mesh->triangle, high);
		}
}

static Mesh mesh_new(void)
{
	return (Mesh){g_array_new(FALSE, FALSE, 3 * sizeof(double)), g_array_new(FALSE, FALSE, 3 * sizeof(uint32_t))};
}

static GArray *find(const Mesh *mesh, double *seconds)
{
	IntersectionsInput input = {.x = (const double(*)[3])mesh->x->data,
	    .n_triangles = mesh->triangle->len,
	    .triangle = (const uint32_t(*)[3])mesh->triangle->data};
	clock_t start = clock();
	GArray *found = intersections_find(&input);
	*seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	return found;
}

static void mesh_free(Mesh *mesh)
{
	g_array_unref(mesh->x);
	g_array_unref(mesh->triangle);
}

static double flat(double u, double v)
{
	(void)u, (void)v;
	return 0.0;
}

static double waves(double u, double v)
{
	return 0.02 * sin(40.0 * u) * cos(30.0 * v);
}

static double waves_above(double u, double v)
{
	return waves(u, v) + 1e-3;
}

/* Meets the flat sheet in a few places. */
static double one_dent(double u, double v)
{
	double r2 = (u - 0.5) * (u - 0.5) + (v - 0.5) * (v - 0.5);
	return 0.01 - 0.02 / (1.0 + 4e4 * r2);
}

/* A flat sheet is in one plane to the last bit in places and nearly so elsewhere: the slowest case of the signs. */
Test(intersections, of_large_sheets_take_seconds)
{
	double seconds;
	Mesh mesh = mesh_new();
	add_sheet(&mesh, 112, waves);
	add_sheet(&mesh, 112, waves_above);
	cr_assert_gt(mesh.triangle->len, 50000);
	g_autoptr(GArray) none = find(&mesh, &seconds);
	cr_assert_eq(none->len, 0);
	cr_log_info("%u triangles in two layers of waves: %.2f s", mesh.triangle->len, seconds);
	cr_assert_lt(seconds, 30.0, "seconds, not minutes");
	mesh_free(&mesh);
	mesh = mesh_new();
	add_sheet(&mesh, 160, flat);
	g_autoptr(GArray) still_none = find(&mesh, &seconds);
	cr_assert_eq(still_none->len, 0);
	cr_log_info("%u triangles, flat: %.2f s", mesh.triangle->len, seconds);
	mesh_free(&mesh);
}

Test(intersections, of_a_dent_are_found)
{
	double seconds;
	Mesh mesh = mesh_new();
	add_sheet(&mesh, 60, flat);
	uint32_t n = mesh.triangle->len;
	add_sheet(&mesh, 60, one_dent);
	g_autoptr(GArray) found = find(&mesh, &seconds);
	cr_log_info("%u pairs meet", found->len);
	cr_assert(found->len > 4 && found->len < 100);
	for (guint i = 0; i < found->len; i++) {
		Intersection pair = g_array_index(found, Intersection, i);
		cr_assert(pair.a < n && pair.b >= n, "one triangle of each sheet");
	}
	mesh_free(&mesh);
}

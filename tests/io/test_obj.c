/* Wavefront OBJ: what is read, what is refused and where, and that writing and reading keeps every bit. */
#include "io/obj.h"
#include <cinch/cinch.h>
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static Shape *parse(const char *text, GError **error)
{
	return obj_parse("mesh.obj", text, strlen(text), error);
}

static Shape *parsed(const char *text)
{
	GError *error = NULL;
	Shape *shape = parse(text, &error);
	cr_assert_not_null(shape, "%s: %s", text, error ? error->message : "");
	return shape;
}

static void expect_message(const char *text, const char *message)
{
	g_autoptr(GError) error = NULL;
	cr_assert_null(parse(text, &error), "expected: %s", message);
	cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_INPUT));
	g_autofree char *full = g_strdup_printf("mesh.obj:%s", message);
	cr_assert_str_eq(error->message, full, "%s\ninstead of\n%s", error->message, full);
}

static Vec3 position(const Shape *shape, uint32_t vertex)
{
	return g_array_index(shape->position, Vec3, vertex);
}

/* Triangles as text, such as "0 1 2, 0 2 3". */
static void expect_triangles(const Shape *shape, const char *expected)
{
	g_autoptr(GString) found = g_string_new(NULL);
	for (guint i = 0; i < shape->triangle->len; i++) {
		const uint32_t *v = g_array_index(shape->triangle, Triangle, i).v;
		g_string_append_printf(found, "%s%u %u %u", i ? ", " : "", v[0], v[1], v[2]);
	}
	cr_assert_str_eq(found->str, expected, "%s instead of %s", found->str, expected);
}

static void expect_set(const Shape *shape, const char *name, const char *expected)
{
	const GArray *set = g_hash_table_lookup(shape->sets, name);
	g_autoptr(GString) found = g_string_new(set ? "" : "none");
	for (guint i = 0; set != NULL && i < set->len; i++)
		g_string_append_printf(found, "%s%u", i ? " " : "", g_array_index(set, uint32_t, i));
	cr_assert_str_eq(found->str, expected, "%s: %s instead of %s", name, found->str, expected);
}

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

Test(obj, vertices_and_faces)
{
	g_autoptr(Shape) shape = parsed("# a comment\nmtllib x.mtl\nv 0 0 0\nv 1.5 -2e-1 .25 1.0\n"
	                                "v 0 1 0 0.1 0.2 0.3\nvn 0 0 1\nvt 0 0\ns off\nusemtl m\nf 1 2 3 # another\n");
	cr_assert_eq(shape_vertex_count(shape), 3);
	cr_assert(position(shape, 1).x == 1.5 && position(shape, 1).y == -0.2 && position(shape, 1).z == 0.25);
	cr_assert_eq(memcmp(shape->rest->data, shape->position->data, 3 * sizeof(Vec3)), 0);
	expect_triangles(shape, "0 1 2");
}

Test(obj, references)
{
	static const char *const faces[] = {"f 1 2 3", "f 1/4 2/5 3/6", "f 1//7 2//8 3//9", "f 1/4/7 2/5/8 3/6/9",
	    "f -4 -3 -2", "f -4/-1/-1 -3//-1 3", "f   1\t2   3  ", "f +1 2/ 3//", "f 1 2 3\r"};
	for (size_t i = 0; i < G_N_ELEMENTS(faces); i++) {
		g_autofree char *text = g_strconcat(SQUARE, faces[i], NULL);
		g_autoptr(Shape) shape = parsed(text);
		expect_triangles(shape, "0 1 2");
	}
	/* Negative indices count from where they stand, not from the end of the file. */
	g_autoptr(Shape) shape = parsed(SQUARE "f -4 -3 -2\nv 9 9 9\nv 8 8 8\nf -6 -2 -1\n");
	expect_triangles(shape, "0 1 2, 0 4 5");
}

Test(obj, lines_and_points)
{
	g_autoptr(Shape) shape = parsed(SQUARE "l 1 2/1 -2\nl 4 1\np 3\np 1 -1\n");
	static const Edge edges[] = {{{0, 1}}, {{1, 2}}, {{3, 0}}};
	static const uint32_t particles[] = {2, 0, 3};
	cr_assert_eq(shape->edge->len, 3);
	cr_assert_eq(memcmp(shape->edge->data, edges, sizeof edges), 0);
	cr_assert_eq(shape->particle->len, 3);
	cr_assert_eq(memcmp(shape->particle->data, particles, sizeof particles), 0);
	cr_assert_eq(shape->triangle->len, 0);
}

Test(obj, ends_of_lines)
{
	g_autoptr(Shape) unix_shape = parsed("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3");
	g_autoptr(Shape) windows = parsed("v 0 0 0\r\nv 1 0 0\r\nv 1 1 0\r\nf 1 2 \\\r\n 3\r\n");
	g_autoptr(Shape) joined = parsed("v 0 0 0\nv 1 \\\n0 0\nv 1 1 0\nf 1\\\n2\\\n\\\n3\n");
	g_autoptr(Shape) cut = parsed("\n\n  v 0 0 0\n\tv 1 0 0\nv 1 1 0\nf 1 2 3 \\");
	const Shape *all[] = {unix_shape, windows, joined, cut};
	for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
		cr_assert_eq(shape_vertex_count(all[i]), 3);
		cr_assert_eq(position(all[i], 1).x, 1.0);
		expect_triangles(all[i], "0 1 2");
	}
	g_autoptr(Shape) nothing = parsed("");
	cr_assert_eq(shape_vertex_count(nothing), 0);
}

/* A path in a comment must not swallow the vertex after it. */
Test(obj, comments_do_not_go_on)
{
	g_autoptr(Shape) shape = parsed("# made of C:\\models\\\nv 0 0 0\nv 1 0 0 # \\\nv 1 1 0\nf 1 2 3\n");
	cr_assert_eq(shape_vertex_count(shape), 3);
	expect_triangles(shape, "0 1 2");
}

Test(obj, groups_and_objects)
{
	g_autoptr(Shape) shape = parsed("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 5 5 5\nv 6 6 6\n"
	                                "f 1 2 3\n"
	                                "o my thing  \ng one two\nf 1 3 4\n"
	                                "g two\nl 3 5\n"
	                                "g\np 6\n"
	                                "o\ng one\np 5\n"
	                                "o \xff\nl 1 5\n");
	expect_set(shape, "my thing", "0 2 3 4 5");
	expect_set(shape, "one", "0 2 3 4");
	expect_set(shape, "two", "0 2 3 4");
	expect_set(shape, "\xef\xbf\xbd", "0 4"); /* what is not UTF-8 becomes it */
	cr_assert_eq(g_hash_table_size(shape->sets), 4);
}

/* A group that says more than once what belongs to it has each vertex once. */
Test(obj, sets_are_ascending)
{
	g_autoptr(Shape) shape = parsed(SQUARE "g all\nf 3 4 1\nf 1 2 3\ng\ng all\np 2\n");
	expect_set(shape, "all", "0 1 2 3");
}

Test(obj, convex_polygons_become_fans)
{
	g_autoptr(Shape) square = parsed(SQUARE "f 1 2 3 4\n");
	expect_triangles(square, "0 1 2, 0 2 3");
	g_autoptr(Shape) turned = parsed(SQUARE "f 4 3 2 1\n");
	expect_triangles(turned, "3 2 1, 3 1 0");
	g_autoptr(Shape) hexagon = parsed("v 2 0 0\nv 1 2 0\nv -1 2 0\nv -2 0 0\nv -1 -2 0\nv 1 -2 0\nf 1 2 3 4 5 6\n");
	expect_triangles(hexagon, "0 1 2, 0 2 3, 0 3 4, 0 4 5");
	g_autoptr(Shape) bent = parsed("v 0 0 0\nv 1 0 0\nv 1 1 0.3\nv 0 1 0\nf 1 2 3 4\n");
	expect_triangles(bent, "0 1 2, 0 2 3");
}

static Vec3 normal_of(const Shape *shape, guint triangle)
{
	const uint32_t *v = g_array_index(shape->triangle, Triangle, triangle).v;
	Vec3 a = position(shape, v[0]);
	return vec3_cross(vec3_sub(position(shape, v[1]), a), vec3_sub(position(shape, v[2]), a));
}

/* One face of n corners around the plane's point (x[i], y[i]), in a plane that leans; must become n - 2 triangles that
 * all face as the polygon does and have its area together: so they cover it and do not overlap. */
static void expect_division(const double (*corner)[2], size_t n, size_t first, bool turned_over)
{
	Vec3 u = vec3(0.6, 0.0, 0.8), v = vec3(0.0, 1.0, 0.0);
	g_autoptr(GString) text = g_string_new(NULL);
	double twice_area = 0.0;
	for (size_t i = 0; i < n; i++) {
		const double *a = corner[i], *b = corner[(i + 1) % n];
		Vec3 x = vec3_madd(vec3_scale(a[0], u), a[1], v);
		g_string_append_printf(text, "v %.17g %.17g %.17g\n", x.x, x.y, x.z);
		twice_area += a[0] * b[1] - a[1] * b[0];
	}
	g_string_append(text, "f");
	for (size_t i = 0; i < n; i++)
		g_string_append_printf(text, " %zu", 1 + (first + (turned_over ? n - i : i)) % n);
	g_autoptr(Shape) shape = parsed(text->str);
	cr_assert_eq(shape->triangle->len, n - 2);
	cr_assert(shape_check(shape, "mesh.obj", NULL));
	Vec3 normal = vec3_scale(turned_over ? -1.0 : 1.0, vec3_cross(u, v));
	double sum = 0.0;
	for (guint t = 0; t < shape->triangle->len; t++) {
		double part = vec3_dot(normal, normal_of(shape, t));
		cr_assert(part > 0.0, "triangle %u from corner %zu", t, first);
		sum += part;
	}
	cr_assert(fabs(sum - twice_area) < 1e-12 * twice_area, "%g instead of %g", sum, twice_area);
}

#define expect_all_divisions(corners)                                                                                  \
	for (size_t first = 0; first < G_N_ELEMENTS(corners); first++)                                                 \
		for (int over = 0; over < 2; over++)                                                                   \
	expect_division(corners, G_N_ELEMENTS(corners), first, over)

Test(obj, concave_polygons)
{
	static const double arrow[][2] = {{0, 0}, {2, 1}, {0, 2}, {0.5, 1}};
	static const double letter_l[][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
	static const double star[][2] = {
	    {0, 3}, {-0.7, 1}, {-3, 1}, {-1.2, -0.4}, {-2, -3}, {0, -1.2}, {2, -3}, {1.2, -0.4}, {3, 1}, {0.7, 1}};
	static const double comb[][2] = {{0, 0}, {7, 0}, {7, 3}, {6, 3}, {6, 1}, {5, 1}, {5, 3}, {4, 3}, {4, 1}, {3, 1},
	    {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};
	static const double spiral[][2] = {
	    {0, 0}, {5, 0}, {5, 5}, {1, 5}, {1, 2}, {3, 2}, {3, 3}, {2, 3}, {2, 4}, {4, 4}, {4, 1}, {0, 1}};
	expect_all_divisions(arrow);
	expect_all_divisions(letter_l);
	expect_all_divisions(star);
	expect_all_divisions(comb);
	expect_all_divisions(spiral);
}

/* Corners in the middle of straight sides: none may be left to a triangle without area. */
Test(obj, corners_on_straight_sides)
{
	static const double square[][2] = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
	static const double triangle[][2] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {1.5, 3}};
	expect_all_divisions(square);
	expect_all_divisions(triangle);
}

static double signed_area(const double *a, const double *b, const double *c)
{
	return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* The same division by the rule alone: clip the first corner, from the second on, that is convex and whose triangle
 * holds no other. Writes the triangles as text. */
static char *divide_plainly(const double (*corner)[2], size_t n)
{
	g_autoptr(GArray) left = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	GString *text = g_string_new(NULL);
	for (uint32_t i = 0; i < n; i++)
		g_array_append_val(left, i);
	for (size_t tried = 1; left->len > 2 && tried <= left->len; tried++) {
		const uint32_t *v = (const uint32_t *)(void *)left->data;
		size_t m = left->len, i = tried % m, before = v[(i + m - 1) % m], at = v[i], after = v[(i + 1) % m];
		bool ear = signed_area(corner[before], corner[at], corner[after]) > 0.0;
		for (size_t k = i + 2; ear && k < i + m - 1; k++) {
			const double *p = corner[v[k % m]];
			ear = signed_area(corner[before], corner[at], p) < 0.0 ||
			      signed_area(corner[at], corner[after], p) < 0.0 ||
			      signed_area(corner[after], corner[before], p) < 0.0;
		}
		if (!ear)
			continue;
		g_string_append_printf(text, "%s%zu %zu %zu", text->len ? ", " : "", before, at, after);
		g_array_remove_index(left, (guint)i);
		tried = 0;
	}
	return g_string_free(text, FALSE);
}

/* Against the plain rule, on polygons around a point whose corners are near and far at random. */
Test(obj, ears_are_clipped_by_the_rule)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(23);
	for (int trial = 0; trial < 300; trial++) {
		double corner[60][2];
		size_t n = (size_t)g_rand_int_range(random, 4, 60);
		g_autoptr(GString) text = g_string_new(NULL);
		for (size_t i = 0; i < n; i++) {
			double radius = g_rand_double_range(random, 0.1, 3.0),
			       angle = 2.0 * G_PI * (double)i / (double)n;
			corner[i][0] = radius * cos(angle);
			corner[i][1] = radius * sin(angle);
			g_string_append_printf(text, "v %.17g %.17g 0\n", corner[i][0], corner[i][1]);
		}
		g_string_append(text, "f");
		for (size_t i = 0; i < n; i++)
			g_string_append_printf(text, " %zu", i + 1);
		g_autoptr(Shape) shape = parsed(text->str);
		g_autofree char *expected = divide_plainly((const double(*)[2])corner, n);
		expect_triangles(shape, expected);
	}
}

/* A zigzag of as many corners as a face may have, in a time that nobody notices. */
Test(obj, large_polygons, .timeout = 60)
{
	enum { N = 2048 };
	static double zigzag[2 * N][2];
	for (int i = 0; i < N; i++) {
		zigzag[i][0] = i;
		zigzag[i][1] = i % 2 ? 1 : -1;
		zigzag[2 * N - 1 - i][0] = i;
		zigzag[2 * N - 1 - i][1] = (i % 2 ? 1 : -1) + 0.5;
	}
	expect_division(zigzag, 2 * N, 0, false);
}

Test(obj, impossible_faces)
{
	static const char crossing[] = "5: a face crosses itself or has no area, and cannot be divided into triangles";
	expect_message(SQUARE "f 1 3 2 4\n", crossing);
	expect_message("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3 4\n", crossing);
	expect_message("v 0 0 0\nv 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3 4\n", crossing);
	expect_message("v 0 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3 4\n", crossing);
	expect_message("v 0 0 0\nv 4 0 0\nv 4 3 0\nv 3 -1 0\nf 1 2 3 4\n", crossing);
	expect_message("v 0 5 0\nv -3 -4 0\nv 5 1 0\nv -5 1 0 # a pentagram\nv 3 -4 0\nf 1 2 3 4 5\n",
	    "6: a face crosses itself or has no area, and cannot be divided into triangles");
	expect_message(SQUARE "f 1 2 3 4 2\n", "5: a face repeats vertex 2");
	expect_message(SQUARE "f 1 2 1\n", "5: a face repeats vertex 1");
	g_autoptr(GString) text = g_string_new(NULL);
	for (int i = 0; i < 4097; i++)
		g_string_append_printf(text, "v %d %d 0\n", i, i * i);
	g_string_append(text, "f");
	for (int i = 0; i < 4097; i++)
		g_string_append_printf(text, " %d", i + 1);
	expect_message(
	    text->str, "4098: a face has 4097 corners, more than the 4096 that can be divided into triangles");
}

Test(obj, messages)
{
	static const char *const cases[][2] = {
	    {"v 1 2\n", "1: a vertex needs three coordinates"},
	    {"v\n", "1: a vertex needs three coordinates"},
	    {"v 1 2 x\n", "1: \"x\" is not a finite number"},
	    {"v 1 2 3x\n", "1: \"3x\" is not a finite number"},
	    {"v 1 2 nan\n", "1: \"nan\" is not a finite number"},
	    {"v 1 inf 3\n", "1: \"inf\" is not a finite number"},
	    {"v 1 -1e999 3\n", "1: \"-1e999\" is not a finite number"},
	    {"v 1,5 2 3\n", "1: \"1,5\" is not a finite number"},
	    {"\n\nv 1 2 3\nf 1 1\n", "4: a face needs at least 3 vertices"},
	    {"v 1 2 3\nf\n", "2: a face needs at least 3 vertices"},
	    {"v 1 2 3\nl 1\n", "2: a line needs at least 2 vertices"},
	    {"v 1 2 3\np\n", "2: a point needs at least 1 vertex"},
	    {"v 1 2 3\nl 1 1\n", "2: a line repeats vertex 1"},
	    {"v 1 2 3\np 2\n", "2: vertex index 2 is out of range (the file has 1 vertices so far)"},
	    {"p 1\nv 1 2 3\n", "1: vertex index 1 is out of range (the file has 0 vertices so far)"},
	    {"v 1 2 3\np -2\n", "2: vertex index -2 is out of range (the file has 1 vertices so far)"},
	    {"v 1 2 3\np 0\n", "2: vertex index 0 is out of range (indices count from 1)"},
	    {"v 1 2 3\np 4294967297\n", "2: vertex index 4294967297 is out of range (the file has 1 vertices so far)"},
	    {"v 1 2 3\np 1.5\n", "2: \"1.5\" is not a vertex index"},
	    {"v 1 2 3\np one\n", "2: \"one\" is not a vertex index"},
	    {"v 1 2 3\np /1\n", "2: \"/1\" is not a vertex index"},
	    {"v 1 2 3\np 1/x\n", "2: \"1/x\" is not a vertex index"},
	    {"v 1 2 3\np --1\n", "2: \"--1\" is not a vertex index"},
	    {"# 1\nv 1 2 \\\n3\nv 1 \\\n2\n", "4: a vertex needs three coordinates"}, /* where the statement begins */
	    {"v 1 2 \xff\xfe\n", "1: \"\xef\xbf\xbd\xef\xbf\xbd\" is not a finite number"},
	};
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		expect_message(cases[i][0], cases[i][1]);
}

Test(obj, hostile_texts)
{
	static const char zero[] = "v 1 2 3\nv 1 \0 3\n";
	g_autoptr(GError) error = NULL;
	cr_assert_null(obj_parse("mesh.obj", zero, sizeof zero - 1, &error));
	cr_assert_str_eq(error->message, "mesh.obj:2: there is a NUL byte: this is not a text file");
	/* Words and lines of a million letters. */
	g_autofree char *letters = g_strnfill(1000000, 'a'), *digits = g_strnfill(1000000, '9'),
	                *backslashes = g_strnfill(1000000, '\\');
	g_autofree char *word = g_strconcat("v 1 2 ", letters, NULL), *number = g_strconcat("v 1 2 ", digits, NULL),
	                *index = g_strconcat("v 1 2 3\np ", digits, NULL),
	                *keyword = g_strconcat(letters, "\n", backslashes, NULL);
	expect_message(word, "1: \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\" is not a finite number");
	expect_message(number, "1: \"9999999999999999999999999999999999999999\" is not a finite number");
	expect_message(index, "2: vertex index 9223372036854775807 is out of range (the file has 1 vertices so far)");
	g_autoptr(Shape) nothing = parsed(keyword);
	cr_assert_eq(shape_vertex_count(nothing), 0);
	/* A million lines that go on. */
	g_autoptr(GString) long_statement = g_string_new("v 1 2");
	for (int i = 0; i < 1000000; i++)
		g_string_append(long_statement, "\\\n");
	g_string_append(long_statement, "3\nv 4\n");
	expect_message(long_statement->str, "1000002: a vertex needs three coordinates");
}

/* Any bytes at all: read or refused, without harm. */
Test(obj, random_texts_do_not_crash)
{
	static const char alphabet[] = "vflpog 0123456789-/.e#\\\n\r\t\xff";
	g_autoptr(GRand) random = g_rand_new_with_seed(11);
	for (int trial = 0; trial < 3000; trial++) {
		g_autoptr(GString) text = g_string_new(trial % 2 ? SQUARE : "");
		int length = g_rand_int_range(random, 0, 200);
		for (int i = 0; i < length; i++)
			g_string_append_c(text, alphabet[g_rand_int_range(random, 0, sizeof alphabet - 1)]);
		g_autoptr(GError) error = NULL;
		g_autoptr(Shape) shape = parse(text->str, &error);
		cr_assert_eq(shape == NULL, error != NULL);
		cr_assert(error == NULL || g_utf8_validate(error->message, -1, NULL));
		if (shape != NULL)
			shape_check(shape, "mesh.obj", NULL);
	}
}

static char *directory;

static void set_up(void)
{
	directory = g_dir_make_tmp("cinch-obj-XXXXXX", NULL);
	cr_assert_not_null(directory);
}

static void tear_down(void)
{
	GDir *listing = g_dir_open(directory, 0, NULL);
	for (const char *name = g_dir_read_name(listing); name; name = g_dir_read_name(listing)) {
		g_autofree char *path = g_build_filename(directory, name, NULL);
		g_remove(path);
	}
	g_dir_close(listing);
	g_rmdir(directory);
	g_free(directory);
}

TestSuite(obj_file, .init = set_up, .fini = tear_down);

static char *in_directory(const char *name)
{
	return g_build_filename(directory, name, NULL);
}

/* Doubles of every size, among them the smallest, the largest and minus zero. */
static void fill(double *number, size_t n)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(5);
	static const double special[] = {0.0, -0.0, 4.9e-324, -2.2250738585072014e-308, 1.7976931348623157e308, 0.1,
	    1.0 / 3.0, 123456789.123456789, -1e22};
	for (size_t i = 0; i < n; i++) {
		guint64 bits = (guint64)g_rand_int(random) << 32 | g_rand_int(random);
		memcpy(&number[i], &bits, sizeof bits);
		if (i < G_N_ELEMENTS(special) || !isfinite(number[i]))
			number[i] = special[i % G_N_ELEMENTS(special)];
	}
}

Test(obj_file, round_trip_keeps_every_bit)
{
	enum { N = 3000 };
	static double number[3 * N];
	static const uint32_t triangle[][3] = {{0, 1, 2}, {2999, 1, 0}}, edge[][2] = {{5, 6}}, particle[] = {7, 2998};
	fill(number, 3 * N);
	g_autofree char *path = in_directory("a.obj"), *part = in_directory("a.obj.part");
	GError *error = NULL;
	bool written = obj_write(path, "first line\nv 9 9 9\n", number, N, triangle, 2, edge, 1, particle, 2, &error);
	cr_assert(written, "%s", error ? error->message : "");
	cr_assert_not(g_file_test(part, G_FILE_TEST_EXISTS));
	g_autoptr(Shape) shape = obj_read(path, &error);
	cr_assert_not_null(shape, "%s", error ? error->message : "");
	cr_assert_eq(shape_vertex_count(shape), N); /* the comment's second line is a comment */
	cr_assert_eq(memcmp(shape->position->data, number, sizeof number), 0);
	expect_triangles(shape, "0 1 2, 2999 1 0");
	cr_assert(shape->edge->len == 1 && g_array_index(shape->edge, Edge, 0).v[1] == 6);
	cr_assert(shape->particle->len == 2 && g_array_index(shape->particle, uint32_t, 1) == 2998);
	cr_assert_eq(g_hash_table_size(shape->sets), 0);
}

Test(obj_file, text)
{
	static const double number[] = {0.1, 1.0, -2.5};
	static const uint32_t particle[] = {0};
	g_autofree char *path = in_directory("a.obj"), *text = NULL;
	cr_assert(obj_write(path, "t = 1 s", number, 1, NULL, 0, NULL, 0, particle, 1, NULL));
	cr_assert(g_file_get_contents(path, &text, NULL, NULL));
	cr_assert_str_eq(text, "# t = 1 s\nv 0.10000000000000001 1 -2.5\np 1\n");
	cr_assert(obj_write(path, NULL, number, 1, NULL, 0, NULL, 0, NULL, 0, NULL));
	g_autofree char *replaced = NULL;
	cr_assert(g_file_get_contents(path, &replaced, NULL, NULL));
	cr_assert_str_eq(replaced, "v 0.10000000000000001 1 -2.5\n");
}

Test(obj_file, places_that_cannot_be_written)
{
	static const double number[] = {0, 0, 0};
	g_autofree char *missing = in_directory("no/such/a.obj");
	const char *const paths[] = {missing, directory};
	for (size_t i = 0; i < G_N_ELEMENTS(paths); i++) {
		g_autoptr(GError) error = NULL;
		cr_assert_not(obj_write(paths[i], NULL, number, 1, NULL, 0, NULL, 0, NULL, 0, &error));
		cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_FAILED));
		cr_assert(g_str_has_prefix(error->message, paths[i]), "%s", error->message);
	}
}

/* Reading must fail with one sentence about this path. */
static void expect_unreadable(const char *path, const char *reason)
{
	g_autoptr(GError) error = NULL;
	cr_assert_null(obj_read(path, &error));
	cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_INPUT));
	g_autofree char *message = g_strdup_printf("%s: %s", path, reason);
	cr_assert_str_eq(error->message, message, "%s", error->message);
}

Test(obj_file, files_that_cannot_be_read)
{
	g_autofree char *missing = in_directory("missing.obj"), *large = in_directory("large.obj");
	expect_unreadable(missing, "could not be opened: No such file or directory");
	expect_unreadable(directory, "is not a regular file");
	expect_unreadable("/dev/zero", "is not a regular file");
	cr_assert(g_file_set_contents(large, "", 0, NULL));
	cr_assert_eq(truncate(large, (1LL << 30) + 1), 0); /* takes no room on the disk */
	expect_unreadable(large, "is larger than 1 GiB, the most that is read");
}

Test(obj_file, rest)
{
	g_autofree char *path = in_directory("rest.obj");
	cr_assert(g_file_set_contents(path, "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 7 7 7\n", -1, NULL));
	g_autoptr(Shape) shape = parsed(SQUARE "f 1 2 3 4\n"), small = parsed("v 1 1 1\np 1\n");
	GError *error = NULL;
	cr_assert(obj_read_rest(shape, path, &error));
	cr_assert_eq(shape->rest->len, 4);
	cr_assert_eq(g_array_index(shape->rest, Vec3, 3).z, 7.0);
	cr_assert_eq(position(shape, 3).y, 1.0);
	cr_assert_not(obj_read_rest(small, path, &error));
	g_autofree char *message =
	    g_strdup_printf("%s: has 4 vertices, but the mesh whose rest shape it is has 1", path);
	cr_assert_str_eq(error->message, message);
	g_clear_error(&error);
	cr_assert_eq(small->rest->len, 1);
	cr_assert_not(obj_read_rest(small, "/no/such.obj", &error));
	g_clear_error(&error);
}

/* The reader: every getter with right and wrong values, what it says and where, and that the first error is kept. */
#include "scene/reader.h"
#include <cinch/cinch.h>
#include <criterion/criterion.h>
#include <string.h>

static JsonNode *root; /* outlives the reader, which borrows from it */

static void tear_down(void)
{
	g_clear_pointer(&root, json_node_unref);
}

TestSuite(reader, .fini = tear_down);
TestSuite(syntax, .fini = tear_down);

static Reader *open_text(const char *json)
{
	GError *error = NULL;
	g_clear_pointer(&root, json_node_unref);
	root = reader_parse("scene.json", json, -1, &error);
	cr_assert_not_null(root, "%s: %s", json, error ? error->message : "");
	return reader_open("scene.json", "/home/scenes", root);
}

/* Ends the reading, which must have gone well. */
static void expect_fine(Reader *reader)
{
	g_autoptr(GError) error = NULL;
	bool good = reader_finish(reader, &error);
	cr_assert(good, "%s", error ? error->message : "");
}

/* Ends the reading, which must have failed with exactly this message. */
static void expect_message(Reader *reader, const char *message)
{
	g_autoptr(GError) error = NULL;
	cr_assert_not(reader_finish(reader, &error), "expected: %s", message);
	cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_INPUT));
	cr_assert_str_eq(error->message, message, "%s\ninstead of\n%s", error->message, message);
}

Test(reader, numbers)
{
	Reader *reader = open_text("{'a': 1.5, 'b': -3, 'c': 1e-300, 'd': 0, 'e': 0.1, 'f': 123456789012345678}");
	cr_assert_eq(reader_number(reader, "a", 7.0), 1.5);
	cr_assert_eq(reader_number(reader, "b", 7.0), -3.0);
	cr_assert_eq(reader_positive(reader, "c", 7.0), 1e-300);
	cr_assert_eq(reader_nonnegative(reader, "d", 7.0), 0.0);
	cr_assert_eq(reader_range(reader, "e", 7.0, 0.1, 0.1), 0.1);
	cr_assert_eq(reader_number(reader, "f", 7.0), 123456789012345678.0);
	cr_assert_eq(reader_number(reader, "absent", 7.0), 7.0);
	cr_assert_eq(reader_positive(reader, "absent", 7.0), 7.0);
	cr_assert_eq(reader_nonnegative(reader, "absent", 7.0), 7.0);
	cr_assert_eq(reader_range(reader, "absent", 7.0, 0.0, 1.0), 7.0); /* a fallback is not checked */
	expect_fine(reader);
}

/* Every number that JSON can write is read as the nearest double. */
Test(reader, numbers_are_the_nearest_doubles)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(3);
	for (int i = 0; i < 2000; i++) {
		guint64 bits = (guint64)g_rand_int(random) << 32 | g_rand_int(random);
		double value;
		memcpy(&value, &bits, sizeof value);
		if (!isfinite(value))
			continue;
		char number[G_ASCII_DTOSTR_BUF_SIZE];
		g_autofree char *json =
		    g_strdup_printf("{'a': %s}", g_ascii_formatd(number, sizeof number, "%.16e", value));
		Reader *reader = open_text(json);
		double read = reader_number(reader, "a", READER_REQUIRED);
		expect_fine(reader);
		cr_assert_eq(memcmp(&read, &value, sizeof read), 0, "%s", json);
	}
}

/* Calls the getter that the letter stands for on the key "a", as required. */
static void get_number(Reader *reader, char kind)
{
	if (kind == 'n')
		reader_number(reader, "a", READER_REQUIRED);
	else if (kind == 'p')
		reader_positive(reader, "a", READER_REQUIRED);
	else if (kind == '0')
		reader_nonnegative(reader, "a", READER_REQUIRED);
	else if (kind == 'r')
		reader_range(reader, "a", READER_REQUIRED, -0.5, 2);
	else if (kind == 'i')
		reader_integer(reader, "a", READER_REQUIRED_INTEGER, 1, 8);
}

Test(reader, wrong_numbers)
{
	static const struct {
		char kind;
		const char *json, *message;
	} cases[] = {
	    {'n', "{}", "missing; expected a number"},
	    {'n', "{'a': '1'}", "expected a number, got \"1\""},
	    {'n', "{'a': true}", "expected a number, got true"},
	    {'n', "{'a': null}", "expected a number, got null"},
	    {'n', "{'a': [1]}", "expected a number, got [1]"},
	    {'n', "{'a': {'b': 1}}", "expected a number, got {\"b\":1}"},
	    {'p', "{}", "missing; expected a number above zero"},
	    {'p', "{'a': 0}", "expected a number above zero, got 0"},
	    {'p', "{'a': -2}", "expected a number above zero, got -2"},
	    {'0', "{'a': -2}", "expected a number, zero or above, got -2"},
	    {'r', "{'a': -0.75}", "expected a number from -0.5 to 2, got -0.75"},
	    {'r', "{'a': 3}", "expected a number from -0.5 to 2, got 3"},
	    {'i', "{}", "missing; expected a whole number from 1 to 8"},
	    {'i', "{'a': 0}", "expected a whole number from 1 to 8, got 0"},
	    {'i', "{'a': 9}", "expected a whole number from 1 to 8, got 9"},
	    {'i', "{'a': 2.5}", "expected a whole number from 1 to 8, got 2.5"},
	    {'i', "{'a': 1e300}", "expected a whole number from 1 to 8, got 1e+300"},
	    {'i', "{'a': 0.1}", "expected a whole number from 1 to 8, got 0.1"},
	    {'i', "{'a': 0.30000000000000004}", "expected a whole number from 1 to 8, got 0.30000000000000004"},
	    {'i', "{'a': '0.10000000000000001'}", "expected a whole number from 1 to 8, got \"0.10000000000000001\""},
	    {'i', "{'a': {\"e\\\"\": [1.1]}}", "expected a whole number from 1 to 8, got {\"e\\\"\":[1.1]}"},
	    {'i', "{'a': '2'}", "expected a whole number from 1 to 8, got \"2\""},
	};
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		Reader *reader = open_text(cases[i].json);
		get_number(reader, cases[i].kind);
		g_autofree char *message = g_strdup_printf("scene.json: a: %s", cases[i].message);
		expect_message(reader, message);
	}
}

/* After an error a required number is one that can be divided by, and another its fallback. */
Test(reader, wrong_numbers_return_something_harmless)
{
	Reader *reader = open_text("{'a': 'x', 'b': -1}");
	cr_assert_eq(reader_number(reader, "a", READER_REQUIRED), 1.0);
	cr_assert_eq(reader_number(reader, "absent", READER_REQUIRED), 1.0);
	cr_assert_eq(reader_positive(reader, "b", 5.0), 5.0);
	cr_assert_eq(reader_integer(reader, "a", READER_REQUIRED_INTEGER, 3, 9), 3);
	cr_assert_eq(reader_integer(reader, "a", 5, 3, 9), 5);
	cr_assert_str_eq(reader_string(reader, "b", READER_REQUIRED_STRING), "");
	cr_assert(vec3_is_zero(reader_vec3(reader, "b", READER_REQUIRED_VEC3)));
	expect_message(reader, "scene.json: a: expected a number, got \"x\"");
}

Test(reader, integers)
{
	Reader *reader = open_text("{'a': 3, 'b': 3.0, 'c': -9000000000000000, 'd': 4e3}");
	cr_assert_eq(reader_integer(reader, "a", 1, 0, 3), 3);
	cr_assert_eq(reader_integer(reader, "b", 1, 3, 10), 3);
	cr_assert_eq(reader_integer(reader, "c", 1, INT64_MIN + 1, INT64_MAX), -9000000000000000);
	cr_assert_eq(reader_integer(reader, "d", 1, 0, INT64_MAX), 4000);
	cr_assert_eq(reader_integer(reader, "absent", -1, 0, 10), -1);
	expect_fine(reader);
}

Test(reader, booleans)
{
	Reader *reader = open_text("{'a': true, 'b': false}");
	cr_assert(reader_boolean(reader, "a", false));
	cr_assert_not(reader_boolean(reader, "b", true));
	cr_assert(reader_boolean(reader, "absent", true));
	cr_assert_not(reader_boolean(reader, "absent", false));
	expect_fine(reader);
	reader = open_text("{'a': 1}");
	cr_assert(reader_boolean(reader, "a", true));
	expect_message(reader, "scene.json: a: expected true or false, got 1");
}

Test(reader, strings)
{
	Reader *reader = open_text("{\"a\": \"x \\\"y\\\" \\u00e9 // no comment /* nor this */\", 'b': ''}");
	cr_assert_str_eq(reader_string(reader, "a", "f"), "x \"y\" \xc3\xa9 // no comment /* nor this */");
	cr_assert_str_eq(reader_string(reader, "b", "f"), "");
	cr_assert_str_eq(reader_string(reader, "absent", "f"), "f");
	cr_assert_null(reader_string(reader, "absent", NULL));
	expect_fine(reader);
	reader = open_text("{'a': 5}");
	cr_assert_str_eq(reader_string(reader, "a", "f"), "f");
	expect_message(reader, "scene.json: a: expected a string, got 5");
	reader = open_text("{}");
	reader_string(reader, "a", READER_REQUIRED_STRING);
	expect_message(reader, "scene.json: a: missing; expected a string");
}

Test(reader, choices)
{
	static const char *const colours[] = {"red", "green", NULL};
	Reader *reader = open_text("{'a': 'red', 'b': 'green'}");
	cr_assert_eq(reader_choice(reader, "a", 1, colours), 0);
	cr_assert_eq(reader_choice(reader, "b", -1, colours), 1);
	cr_assert_eq(reader_choice(reader, "absent", 1, colours), 1);
	expect_fine(reader);
	reader = open_text("{'a': 'Red'}");
	cr_assert_eq(reader_choice(reader, "a", 1, colours), 1);
	expect_message(reader, "scene.json: a: expected one of \"red\", \"green\", got \"Red\"");
	reader = open_text("{'a': 0}");
	cr_assert_eq(reader_choice(reader, "a", -1, colours), 0);
	expect_message(reader, "scene.json: a: expected one of \"red\", \"green\", got 0");
	reader = open_text("{}");
	cr_assert_eq(reader_choice(reader, "a", -1, colours), 0);
	expect_message(reader, "scene.json: a: missing; expected one of \"red\", \"green\"");
}

Test(reader, vectors)
{
	Reader *reader = open_text("{'a': [1, -2.5, 3e2]}");
	Vec3 a = reader_vec3(reader, "a", READER_REQUIRED_VEC3), b = reader_vec3(reader, "absent", vec3(4, 5, 6));
	cr_assert(a.x == 1.0 && a.y == -2.5 && a.z == 300.0);
	cr_assert(b.x == 4.0 && b.y == 5.0 && b.z == 6.0);
	expect_fine(reader);
	static const char *const wrong[] = {
	    "[1,2]", "[1,2,3,4]", "[1,2,\"3\"]", "[1,2,null]", "[]", "5", "\"1,2,3\"", "{}"};
	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_autofree char *json = g_strdup_printf("{\"a\": %s}", wrong[i]);
		g_autofree char *message =
		    g_strdup_printf("scene.json: a: expected three numbers [x, y, z], got %s", wrong[i]);
		reader = open_text(json);
		Vec3 fallback = reader_vec3(reader, "a", vec3(4, 5, 6));
		cr_assert(fallback.x == 4.0 && fallback.z == 6.0);
		expect_message(reader, message);
	}
	reader = open_text("{}");
	reader_vec3(reader, "a", READER_REQUIRED_VEC3);
	expect_message(reader, "scene.json: a: missing; expected three numbers [x, y, z]");
}

Test(reader, lists_of_numbers)
{
	Reader *reader = open_text("{'a': [1, 2.5, -3], 'b': []}");
	g_autoptr(GArray) exact = reader_numbers(reader, "a", 3), any = reader_numbers(reader, "a", 0);
	g_autoptr(GArray) empty = reader_numbers(reader, "b", 0);
	cr_assert(exact->len == 3 && any->len == 3 && empty->len == 0);
	cr_assert_eq(g_array_index(exact, double, 1), 2.5);
	cr_assert_eq(g_array_index(any, double, 2), -3.0);
	cr_assert_null(reader_numbers(reader, "absent", 3));
	expect_fine(reader);
	static const char *const wrong[][3] = {
	    {"[1, 2]", "a", "a list of 3 numbers, got [1,2]"},
	    {"7", "a", "a list of 3 numbers, got 7"},
	    {"[1, 2, '3']", "a[2]", "a number, got \"3\""},
	    {"[1, [2], 3]", "a[1]", "a number, got [2]"},
	};
	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_autofree char *json = g_strdup_printf("{'a': %s}", wrong[i][0]);
		g_autofree char *message = g_strdup_printf("scene.json: %s: expected %s", wrong[i][1], wrong[i][2]);
		reader = open_text(json);
		g_autoptr(GArray) numbers = reader_numbers(reader, "a", 3);
		cr_assert(numbers == NULL || numbers->len == 3);
		expect_message(reader, message);
	}
	reader = open_text("{'a': 'x'}");
	cr_assert_null(reader_numbers(reader, "a", 0));
	expect_message(reader, "scene.json: a: expected a list of numbers, got \"x\"");
}

Test(reader, lists_of_points)
{
	Reader *reader = open_text("{'a': [[1, 2, 3], [4, 5, 6]]}");
	g_autoptr(GArray) points = reader_points(reader, "a");
	cr_assert_eq(points->len, 2);
	cr_assert_eq(g_array_index(points, Vec3, 1).y, 5.0);
	cr_assert_null(reader_points(reader, "absent"));
	expect_fine(reader);
	reader = open_text("{'a': [[1, 2, 3], [4, 5]]}");
	g_clear_pointer(&points, g_array_unref);
	points = reader_points(reader, "a");
	expect_message(reader, "scene.json: a[1]: expected three numbers [x, y, z], got [4,5]");
	reader = open_text("{'a': {}}");
	cr_assert_null(reader_points(reader, "a"));
	expect_message(reader, "scene.json: a: expected a list of points [x, y, z], got {}");
}

Test(reader, lists_of_indices)
{
	Reader *reader = open_text("{'a': [0, 4, 2.0, 2]}");
	g_autoptr(GArray) indices = reader_indices(reader, "a", 5);
	static const uint32_t expected[] = {0, 4, 2, 2};
	cr_assert_eq(indices->len, 4);
	cr_assert_eq(memcmp(indices->data, expected, sizeof expected), 0);
	cr_assert_null(reader_indices(reader, "absent", 5));
	expect_fine(reader);
	static const char *const wrong[] = {"5", "-1", "1.5", "\"1\"", "4294967296", "null"};
	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_autofree char *json = g_strdup_printf("{'a': [1, %s]}", wrong[i]);
		g_autofree char *message =
		    g_strdup_printf("scene.json: a[1]: expected a vertex index from 0 to 4, got %s", wrong[i]);
		reader = open_text(json);
		g_autoptr(GArray) list = reader_indices(reader, "a", 5);
		cr_assert_eq(g_array_index(list, uint32_t, 1), 0);
		expect_message(reader, message);
	}
	reader = open_text("{'a': 1}");
	cr_assert_null(reader_indices(reader, "a", 5));
	expect_message(reader, "scene.json: a: expected a list of vertex indices, got 1");
}

Test(reader, lists_of_strings)
{
	Reader *reader = open_text("{'a': ['x', 'y'], 'b': 'z', 'c': []}");
	g_auto(GStrv) a = reader_strings(reader, "a"), b = reader_strings(reader, "b"), c = reader_strings(reader, "c");
	cr_assert(g_strv_length(a) == 2 && g_strv_length(b) == 1 && g_strv_length(c) == 0);
	cr_assert_str_eq(a[1], "y");
	cr_assert_str_eq(b[0], "z");
	cr_assert_null(reader_strings(reader, "absent"));
	expect_fine(reader);
	reader = open_text("{'a': ['x', 1]}");
	g_strfreev(reader_strings(reader, "a"));
	expect_message(reader, "scene.json: a[1]: expected a string, got 1");
	reader = open_text("{'a': 1}");
	g_auto(GStrv) none = reader_strings(reader, "a");
	cr_assert_eq(g_strv_length(none), 0);
	expect_message(reader, "scene.json: a: expected a string or a list of strings, got 1");
}

Test(reader, pairs_of_strings)
{
	Reader *reader = open_text("{'a': [['x', 'y'], ['z', '']], 'none': []}");
	g_auto(GStrv) pairs = reader_pairs(reader, "a", "two letters"), none = reader_pairs(reader, "none", "two letters");
	cr_assert(g_strv_length(pairs) == 4 && g_strv_length(none) == 0);
	cr_assert(g_str_equal(pairs[1], "y") && g_str_equal(pairs[2], "z"));
	cr_assert_null(reader_pairs(reader, "absent", "two letters"));
	expect_fine(reader);
	reader = open_text("{'a': [['x', 'y'], ['x', 'y', 'z']]}");
	g_auto(GStrv) wrong = reader_pairs(reader, "a", "two letters");
	cr_assert_eq(g_strv_length(wrong), 2);
	expect_message(reader, "scene.json: a[1]: expected two letters, got [\"x\",\"y\",\"z\"]");
	reader = open_text("{'a': 'x'}");
	cr_assert_null(reader_pairs(reader, "a", "two letters"));
	expect_message(reader, "scene.json: a: expected a list of two letters, got \"x\"");
}

Test(reader, files)
{
	Reader *reader = open_text("{'a': 'cloth.obj', 'b': '../x/./cloth.obj', 'c': '/tmp/cloth.obj'}");
	g_autofree char *a = reader_file(reader, "a", true), *b = reader_file(reader, "b", false),
	                *c = reader_file(reader, "c", true);
	cr_assert_str_eq(a, "/home/scenes/cloth.obj");
	cr_assert_str_eq(b, "/home/x/cloth.obj");
	cr_assert_str_eq(c, "/tmp/cloth.obj");
	cr_assert_null(reader_file(reader, "absent", false));
	expect_fine(reader);
	reader = open_text("{}");
	g_free(reader_file(reader, "a", true));
	expect_message(reader, "scene.json: a: missing; expected a string");
}

/* A scene that is named without a directory stands in ".". */
Test(reader, files_relative_to_here)
{
	root = reader_parse("scene.json", "{'a': 'cloth.obj'}", -1, NULL);
	Reader *reader = reader_open("scene.json", ".", root);
	g_autofree char *here = g_get_current_dir(), *expected = g_build_filename(here, "cloth.obj", NULL);
	g_autofree char *file = reader_file(reader, "a", true);
	cr_assert_str_eq(file, expected);
	expect_fine(reader);
}

Test(reader, children)
{
	Reader *reader = open_text("{'a': {'b': {'c': 'x'}}, 'list': [{'x': 1}, {'x': 2}]}");
	Reader *a = reader_child(reader, "a"), *b = reader_child(a, "b");
	g_autofree char *path = reader_path(b, "c"), *own = reader_path(b, NULL), *top = reader_path(reader, "a"),
	                *whole = reader_path(reader, NULL);
	cr_assert_str_eq(path, "a.b.c");
	cr_assert_str_eq(own, "a.b");
	cr_assert_str_eq(top, "a");
	cr_assert_str_eq(whole, "scene");
	cr_assert(reader_has(b, "c") && !reader_has(b, "d"));
	cr_assert_null(reader_child(reader, "absent"));
	GPtrArray *list = reader_children(reader, "list"), *none = reader_children(reader, "absent");
	cr_assert(list->len == 2 && none->len == 0);
	cr_assert_eq(reader_number(list->pdata[1], "x", 0.0), 2.0);
	cr_assert_eq(reader_number(list->pdata[0], "x", 0.0), 1.0);
	g_autofree char *entry = reader_path(list->pdata[1], "x");
	cr_assert_str_eq(entry, "list[1].x");
	g_ptr_array_unref(list);
	g_ptr_array_unref(none);
	reader_close(b);
	reader_close(a);
	reader_close(NULL);
	expect_fine(reader);
}

Test(reader, switched_children)
{
	Reader *reader = open_text("{'a': {'b': 1}, 'on': true, 'off': false}");
	Reader *a = reader_switch(reader, "a"), *on = reader_switch(reader, "on");
	cr_assert_eq(reader_number(a, "b", 0.0), 1.0);
	cr_assert_eq(reader_number(on, "b", 2.0), 2.0);
	cr_assert_null(reader_switch(reader, "off"));
	cr_assert_null(reader_switch(reader, "absent"));
	reader_close(a);
	reader_close(on);
	expect_fine(reader);
	reader = open_text("{'a': []}");
	cr_assert_null(reader_switch(reader, "a"));
	expect_message(reader, "scene.json: a: expected an object { ... }, true or false, got []");
}

Test(reader, wrong_children)
{
	Reader *reader = open_text("{'a': []}");
	cr_assert_null(reader_child(reader, "a"));
	expect_message(reader, "scene.json: a: expected an object { ... }, got []");
	reader = open_text("{'a': {}}");
	g_ptr_array_unref(reader_children(reader, "a"));
	expect_message(reader, "scene.json: a: expected a list of objects [{ ... }, ...], got {}");
	reader = open_text("{'a': [{}, 3]}");
	g_ptr_array_unref(reader_children(reader, "a"));
	expect_message(reader, "scene.json: a[1]: expected an object { ... }, got 3");
}

Test(reader, members_are_known)
{
	Reader *reader = open_text("{'b': 1, 'a': 2, 'c': 3}");
	g_autoptr(GList) members = reader_members(reader);
	cr_assert_eq(g_list_length(members), 3);
	cr_assert_str_eq(members->data, "b"); /* in the order of the file */
	cr_assert_str_eq(members->next->data, "a");
	expect_fine(reader);
}

Test(reader, unknown_keys)
{
	Reader *reader = open_text("{'frame': 1, 'edn': 2}");
	reader_number(reader, "end", 1.0);
	reader_number(reader, "frame", 1.0);
	expect_message(reader, "scene.json: edn: unknown key; did you mean \"end\"?");

	/* Nothing like it: all that there is, in the order of the alphabet. */
	reader = open_text("{'xyzzy': 2}");
	reader_has(reader, "units");
	reader_number(reader, "gravity", 1.0);
	expect_message(reader, "scene.json: xyzzy: unknown key; known here: gravity, units");

	/* What was asked for and is not there is known too; the nearest wins. */
	reader = open_text("{'a': [{'stretch_stifness': 1}]}");
	GPtrArray *list = reader_children(reader, "a");
	reader_has(list->pdata[0], "bend_stiffness");
	reader_has(list->pdata[0], "stretch_stiffness");
	g_ptr_array_unref(list);
	expect_message(reader, "scene.json: a[0].stretch_stifness: unknown key; did you mean \"stretch_stiffness\"?");

	/* Of those equally near, the first of the alphabet. */
	reader = open_text("{'rat': 1}");
	reader_has(reader, "cat");
	reader_has(reader, "bat");
	expect_message(reader, "scene.json: rat: unknown key; did you mean \"bat\"?");

	/* Keys are compared as they are. */
	reader = open_text("{'End': 1}");
	reader_has(reader, "end");
	expect_message(reader, "scene.json: End: unknown key; did you mean \"end\"?");
}

/* The first error stays, whatever goes wrong afterwards, in whichever reader. */
Test(reader, first_error_is_kept)
{
	Reader *reader = open_text("{'a': 'x', 'b': {'c': 'y', 'unknown': 1}, 'unknown': 2}");
	Reader *b = reader_child(reader, "b");
	cr_assert(reader_ok(reader) && reader_ok(b));
	reader_number(b, "c", 1.0);
	cr_assert(!reader_ok(reader) && !reader_ok(b));
	reader_number(reader, "a", 1.0);
	reader_fail(reader, NULL, "something else");
	reader_take_error(reader, g_error_new_literal(CINCH_ERROR, CINCH_ERROR_FAILED, "another"));
	reader_close(b);
	expect_message(reader, "scene.json: b.c: expected a number, got \"y\"");
}

Test(reader, failures_of_others)
{
	Reader *reader = open_text("{'a': 1}");
	reader_fail(reader, "a", "%d is %s", 1, "not enough");
	expect_message(reader, "scene.json: a: 1 is not enough");
	reader = open_text("{}");
	reader_fail(reader, NULL, "nothing here");
	expect_message(reader, "scene.json: scene: nothing here");
	reader = open_text("{}");
	reader_take_error(reader, g_error_new_literal(CINCH_ERROR, CINCH_ERROR_INPUT, "mesh.obj:7: bad"));
	expect_message(reader, "mesh.obj:7: bad");
	reader = open_text("{'a': 1}"); /* and an error that nobody wants to see */
	cr_assert_not(reader_finish(reader, NULL));
}

/* Values are shown, long ones cut, also in the middle of other alphabets. */
Test(reader, long_values_are_cut)
{
	Reader *reader = open_text("{'a': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]}");
	reader_number(reader, "a", 1.0);
	expect_message(reader, "scene.json: a: expected a number, got [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,...");
	reader =
	    open_text("{'a': '\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
	              "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
	              "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
	              "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9'}");
	reader_number(reader, "a", 1.0);
	g_autoptr(GError) error = NULL;
	cr_assert_not(reader_finish(reader, &error));
	cr_assert(g_utf8_validate(error->message, -1, NULL) && g_str_has_suffix(error->message, "\xc3\xa9..."));
}

Test(syntax, comments)
{
	static const char *const texts[] = {
	    "// first\n{'a': 1} // last",
	    "/* first */ {'a': /* in */ 1} /* last */",
	    "{'a': 1 // it's \"here\n}",
	    "{'a': 1 /* it's \" // here\n * ** / */ }",
	    "{'b': '// no', 'c': '/* no', 'a': 1, 'd': '*/'}",
	    "{\"b\": \"\\\"// no\", 'a': 1}",
	    "{\"b\": \"\\\\\", /* \" */ 'a': 1}",
	    "{'a': 1}//",
	    "{'a': 1}/**/",
	    "/***/{'a': 1}",
	    "\xef\xbb\xbf{'a': 1}",
	    "{'a': 1}\r\n// end\r\n",
	};
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		Reader *reader = open_text(texts[i]);
		cr_assert_eq(reader_number(reader, "a", 0.0), 1.0, "%s", texts[i]);
		g_list_free(reader_members(reader));
		expect_fine(reader);
	}
	Reader *reader = open_text(texts[4]);
	cr_assert_str_eq(reader_string(reader, "b", ""), "// no");
	cr_assert_str_eq(reader_string(reader, "c", ""), "/* no");
	cr_assert_str_eq(reader_string(reader, "d", ""), "*/");
	g_list_free(reader_members(reader));
	expect_fine(reader);
}

/* Each text with the line, column and beginning of its message. */
Test(syntax, positions)
{
	static const char *const cases[][2] = {
	    {"", "1:1: expected a value, but the text ends"},
	    {"{", "1:2: expected a key in quotes, but the text ends"},
	    {"{'a'", "1:5: expected ':' after the key, but the text ends"},
	    {"{'a': 1", "1:8: expected ',' or '}', but the text ends"},
	    {"[1, 2", "1:6: expected ',' or ']', but the text ends"},
	    {"{\n\t'a': x\n}", "2:7: expected a value, got 'x'"},
	    {"// one\n/* two\n three */ {'a': x}", "3:17: expected a value, got 'x'"},
	    {"{'\xc3\xa9\xe2\x82\xac': x}", "1:8: expected a value, got 'x'"},
	    {"{'a': \xe2\x82\xac}", "1:7: expected a value, got '\xe2\x82\xac'"},
	    {"{'a': 1,}", "1:9: expected a key in quotes, got '}'"},
	    {"[1,]", "1:4: expected a value, got ']'"},
	    {"[,1]", "1:2: expected a value, got ','"},
	    {"[1 2]", "1:4: expected ',' or ']', got '2'"},
	    {"{'a' 1}", "1:6: expected ':' after the key, got '1'"},
	    {"{1: 2}", "1:2: expected a key in quotes, got '1'"},
	    {"[1] [2]", "1:5: expected the end of the text, got '['"},
	    {"[truer]", "1:2: expected a value, got 'truer'"},
	    {"[nul]", "1:2: expected a value, got 'nul'"},
	    {"[True]", "1:2: expected a value, got 'True'"},
	    {"['a", "1:2: the string is not closed on its line"},
	    {"[\"a\n\"]", "1:2: the string is not closed on its line"},
	    {"[\"a\tb\"]", "1:4: there is a control character in a string; write it as \\u0009"},
	    {"[\"\\x\"]", "1:3: there is an unknown \\ sequence in a string"},
	    {"[\"\\u12g4\"]", "1:3: there is an unknown \\ sequence in a string"},
	    {"[\"\\", "1:3: there is an unknown \\ sequence in a string"},
	    {"[\"\\u0000\"]", "1:3: there is a NUL character in a string"},
	    {"['\\n']", "1:3: there is a \\ in a string in single quotes; use double quotes"},
	    {"[1 /* 2]", "1:4: the comment is not closed"},
	    {"[1 / 2]", "1:4: expected ',' or ']', got '/'"},
	};
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *message = g_strdup_printf("scene.json:%s", cases[i][1]);
		cr_assert_null(reader_parse("scene.json", cases[i][0], -1, &error), "%s", cases[i][0]);
		cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_INPUT));
		cr_assert_str_eq(error->message, message, "%s\ninstead of\n%s", error->message, message);
	}
}

Test(syntax, numbers)
{
	static const char *const good[] = {"0", "-0", "10", "0.5", "-1.25e-3", "1E+5", "1e05", "999999999999999999",
	    "1e308", "4.9e-324", "1e-999", "0.00000000000000000000000000000000000001"};
	static const char *const bad[] = {"01", "-01", "+1", ".5", "5.", "1.e5", "1e", "1e+", "--1", "-", "0x10",
	    "1_000", "1.2.3", "NaN", "Infinity", "-Infinity", "1e309", "-1e999", "9999999999999999999", "1a", "1,5e"};
	for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
		g_autofree char *json = g_strdup_printf("{'a': %s}", good[i]);
		Reader *reader = open_text(json);
		cr_assert_eq(reader_number(reader, "a", READER_REQUIRED), g_ascii_strtod(good[i], NULL), "%s", good[i]);
		expect_fine(reader);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autofree char *json = g_strdup_printf("[%s]", bad[i]);
		g_autoptr(GError) error = NULL;
		cr_assert_null(reader_parse("scene.json", json, -1, &error), "%s", bad[i]);
		cr_assert(g_str_has_prefix(error->message, "scene.json:1:"), "%s", error->message);
	}
}

/* Brackets in strings and comments do not count. */
Test(syntax, nesting)
{
	for (int depth = 63; depth <= 66; depth++) {
		g_autofree char *opening = g_strnfill((gsize)depth, '['), *closing = g_strnfill((gsize)depth, ']');
		g_autofree char *json = g_strdup_printf("/* ]]] */ ['[[[[', ']]]]]', %s%s]", opening, closing);
		g_autoptr(JsonNode) node = reader_parse("scene.json", json, -1, NULL);
		cr_assert_eq(node != NULL, depth + 1 <= 64, "%d", depth);
	}
	/* Nor do those that are closed again. */
	g_autoptr(GString) beside = g_string_new("[[]");
	for (int i = 0; i < 1000; i++)
		g_string_append(beside, ", [{}]");
	g_string_append_c(beside, ']');
	g_autoptr(JsonNode) wide = reader_parse("scene.json", beside->str, -1, NULL);
	cr_assert_not_null(wide);

	g_autofree char *closing = g_strnfill(1000000, ']'), *opening = g_strnfill(1000000, '[');
	g_autofree char *json = g_strdup_printf("['%s', %s", closing, opening);
	g_autoptr(GError) error = NULL;
	cr_assert_null(reader_parse("scene.json", json, -1, &error));
	cr_assert_str_eq(
	    error->message, "scene.json:1:1000069: brackets are nested more than 64 deep", "%s", error->message);
}

Test(syntax, not_text)
{
	static const char latin[] = "{'a': '\xe9'}", zero[] = "{'a': 1}\0";
	g_autoptr(GError) error = NULL, other = NULL;
	cr_assert_null(reader_parse("scene.json", latin, -1, &error));
	cr_assert_str_eq(error->message, "scene.json: the file is not text in UTF-8");
	cr_assert_null(reader_parse("scene.json", zero, sizeof zero, &other));
	cr_assert_str_eq(other->message, "scene.json: the file is not text in UTF-8");
	/* Only as much as is asked for. */
	root = reader_parse("scene.json", "{'a': 1} and more", 8, NULL);
	cr_assert_not_null(root);
}

/* Any change of one character of a good text: it is read or refused, without harm. */
Test(syntax, damaged_texts_do_not_crash)
{
	static const char text[] = "{'a': [1, -2.5e3, true], /* x */ \"b\": {\"c\": \"\\u00e9\\n\"}, // y\n 'd': null}";
	static const char others[] = "{}[]'\",:/*\\\n 0e-.ut\x01";
	for (size_t i = 0; i < sizeof text - 1; i++) {
		for (size_t k = 0; k < sizeof others - 1; k++) {
			char changed[sizeof text];
			memcpy(changed, text, sizeof text);
			changed[i] = others[k];
			g_autoptr(GError) error = NULL;
			g_autoptr(JsonNode) node = reader_parse("scene.json", changed, -1, &error);
			cr_assert_eq(node == NULL, error != NULL);
			cr_assert(error == NULL || g_str_has_prefix(error->message, "scene.json:"), "%s", changed);
			/* What passes here must pass there: json-glib's own messages have no position. */
			cr_assert(
			    error == NULL || g_ascii_isdigit(error->message[11]), "%s: %s", changed, error->message);
		}
	}
}

/* --set: where it reaches, what values it makes, and what it refuses. */
#include "scene/override.h"
#include "scene/reader.h"
#include <cinch/cinch.h>
#include <criterion/criterion.h>

static const char scene[] =
    "{'time': {'end': 1}, 'list': [1, [2, 3]], 'text': 'x',"
    " 'meshes': [{'name': 'cloth', 'cells': [4, 5]}, {'size': 2}, {'name': 7}, 8, {'name': '1'}]}";

/* The scene after the assignments (NULL-terminated), as compact JSON. */
static char *apply(const char *const *assignments)
{
	GError *error = NULL;
	g_autoptr(JsonNode) root = reader_parse("scene.json", scene, -1, &error);
	for (; *assignments; assignments++) {
		bool good = override_apply(root, *assignments, &error);
		cr_assert(good, "%s: %s", *assignments, error ? error->message : "");
	}
	return json_to_string(root, FALSE);
}

/* After the assignment this part of the scene stands in place of that one. */
static void expect_change(const char *assignment, const char *before, const char *after)
{
	g_autofree char *plain = apply((const char *const[]){NULL}),
	                *found = apply((const char *const[]){assignment, NULL});
	cr_assert_not_null(strstr(plain, before), "%s", plain);
	g_auto(GStrv) parts = g_strsplit(plain, before, 2);
	g_autofree char *expected = g_strjoinv(after, parts);
	cr_assert_str_eq(found, expected, "%s: %s", assignment, found);
}

static void expect_message(const char *assignment, const char *message)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(JsonNode) root = reader_parse("scene.json", scene, -1, NULL);
	g_autofree char *before = json_to_string(root, FALSE),
	                *full = g_strdup_printf("--set %s: %s", assignment, message);
	cr_assert_not(override_apply(root, assignment, &error), "%s", assignment);
	cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_INPUT));
	cr_assert_str_eq(error->message, full, "%s", error->message);
	g_autofree char *after = json_to_string(root, FALSE);
	cr_assert_str_eq(after, before);
}

Test(override, values)
{
	expect_change("time.end=2", "{\"end\":1}", "{\"end\":2}");
	expect_change("time.end=2.5e-3", "{\"end\":1}", "{\"end\":0.0025000000000000001}");
	expect_change("time.end=true", "{\"end\":1}", "{\"end\":true}");
	expect_change("time.end=null", "{\"end\":1}", "{\"end\":null}");
	expect_change("time.end=[1, 2]", "{\"end\":1}", "{\"end\":[1,2]}");
	expect_change("time.end={\"a\": 1}", "{\"end\":1}", "{\"end\":{\"a\":1}}");
	expect_change("time.end=\"7\"", "{\"end\":1}", "{\"end\":\"7\"}");
	expect_change("time={'end': 3}", "{\"end\":1}", "{\"end\":3}");
}

/* What is not JSON is a string, as it stands. */
Test(override, strings)
{
	expect_change("text=silk", "\"text\":\"x\"", "\"text\":\"silk\"");
	expect_change("text=a = b", "\"text\":\"x\"", "\"text\":\"a = b\"");
	expect_change("text=", "\"text\":\"x\"", "\"text\":\"\"");
	expect_change("text=1, 2", "\"text\":\"x\"", "\"text\":\"1, 2\"");
	expect_change("text=1]", "\"text\":\"x\"", "\"text\":\"1]\"");
	expect_change("text=010", "\"text\":\"x\"", "\"text\":\"010\"");
	expect_change("text=NaN", "\"text\":\"x\"", "\"text\":\"NaN\"");
	expect_change("text=1e999", "\"text\":\"x\"", "\"text\":\"1e999\"");
	expect_change("text=[1,", "\"text\":\"x\"", "\"text\":\"[1,\"");
	expect_change("text=say \"no\"", "\"text\":\"x\"", "\"text\":\"say \\\"no\\\"\"");
}

Test(override, entries_of_lists)
{
	expect_change("meshes.0.cells=3", "\"cells\":[4,5]", "\"cells\":3");
	expect_change("meshes[0].cells=3", "\"cells\":[4,5]", "\"cells\":3");
	expect_change("meshes.cloth.cells=3", "\"cells\":[4,5]", "\"cells\":3");
	expect_change("meshes.cloth.cells[1]=3", "\"cells\":[4,5]", "\"cells\":[4,3]");
	expect_change("meshes[0][cells][0]=3", "\"cells\":[4,5]", "\"cells\":[3,5]");
	expect_change("list[0]=3", "[1,[2,3]]", "[3,[2,3]]");
	expect_change("list[1]=3", "[1,[2,3]]", "[1,3]");
	expect_change("list[1][0]=9", "[1,[2,3]]", "[1,[9,3]]");
	expect_change("meshes.1=9", "{\"size\":2}", "9");
	expect_change("meshes.cloth=9", "{\"name\":\"cloth\",\"cells\":[4,5]}", "9");
	expect_change("meshes.1.size=9", "{\"size\":2}", "{\"size\":9}"); /* the number, not the name */
}

Test(override, objects_are_made)
{
	expect_change("time.frame=2", "{\"end\":1}", "{\"end\":1,\"frame\":2}");
	expect_change("a.b.c=2", "{\"name\":\"1\"}]", "{\"name\":\"1\"}],\"a\":{\"b\":{\"c\":2}}");
}

Test(override, in_turn)
{
	g_autofree char *found = apply((const char *const[]){
	    "meshes.cloth.name=silk", "meshes.silk.cells=1", "time={}", "time.end=5", "time.end=6", NULL});
	cr_assert_not_null(strstr(found, "{\"name\":\"silk\",\"cells\":1}"), "%s", found);
	cr_assert_not_null(strstr(found, "\"time\":{\"end\":6}"), "%s", found);
}

Test(override, refuses)
{
	expect_message("time.end", "expected path.to.key=value");
	expect_message("", "expected path.to.key=value");
	expect_message("=1", "expected path.to.key=value");
	expect_message("time..end=1", "the path has an empty step");
	expect_message(".end=1", "the path has an empty step");
	expect_message("time.=1", "the path has an empty step");
	expect_message("[]=1", "the path has an empty step");
	expect_message("meshes.7.size=1", "the scene has no \"7\" there");
	expect_message("meshes.7=1", "the scene has no \"7\" there");
	expect_message("meshes.silk.size=1", "the scene has no \"silk\" there");
	expect_message("meshes.-1.size=1", "the scene has no \"-1\" there");
	expect_message("meshes.99999999999999999999.size=1", "the scene has no \"99999999999999999999\" there");
	expect_message("text.a=1", "the scene has no \"a\" there");
	expect_message("text.a.b=1", "the scene has no \"a\" there");
	expect_message("list.0.a=1", "the scene has no \"a\" there");
}

/* The parser must not be brought to overflow its stack from here either. */
Test(override, deep_values_are_strings)
{
	g_autofree char *deep = g_strnfill(100000, '['), *assignment = g_strconcat("text=", deep, NULL);
	g_autofree char *found = apply((const char *const[]){assignment, NULL});
	cr_assert_not_null(strstr(found, "\"text\":\"[[["));
}

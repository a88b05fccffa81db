/* Choices of a scene: which option counts, in which order changes are made, and what is refused. */
#include "scene/choices.h"
#include "scene/override.h"
#include "scene/reader.h"
#include <cinch/cinch.h>
#include <criterion/criterion.h>

static const char scene[] = "{'time': {'end': 1}, 'list': [{'name': 'cloth', 'cells': 3}], 'choices': {"
                            "'size': {'small': {}, 'large': {'list.cloth.cells': 9, 'time.end': 2}},"
                            "'kind': {'wool': {'time.end': 5}, 'silk': {'made.here': [1]}}}}";

static JsonNode *parse(const char *text)
{
	JsonNode *root = reader_parse("scene.json", text, -1, NULL);
	cr_assert_not_null(root, "%s", text);
	return root;
}

static void expect_scene(const char *const *overrides, const char *expected)
{
	GError *error = NULL;
	g_autoptr(JsonNode) root = parse(scene);
	cr_assert(choices_apply(root, "scene.json", overrides, &error), "%s", error ? error->message : "");
	g_autofree char *found = json_to_string(root, FALSE);
	cr_assert_str_eq(found, expected, "%s", found);
}

static void expect_message(const char *text, const char *assignment, const char *message)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(JsonNode) root = parse(text);
	cr_assert_not(choices_apply(root, "scene.json", (const char *const[]){assignment, NULL}, &error));
	cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_INPUT));
	cr_assert_str_eq(error->message, message, "%s", error->message);
}

Test(choices, first_option_by_default)
{
	expect_scene(NULL, "{\"time\":{\"end\":5},\"list\":[{\"name\":\"cloth\",\"cells\":3}],"
	                   "\"chosen\":{\"size\":\"small\",\"kind\":\"wool\"}}");
}

/* The later choice has the last word about time.end; the last assignment counts. */
Test(choices, options_in_their_order)
{
	expect_scene((const char *const[]){"size=small", "size=large", "other=1", NULL},
	    "{\"time\":{\"end\":5},\"list\":[{\"name\":\"cloth\",\"cells\":9}],"
	    "\"chosen\":{\"size\":\"large\",\"kind\":\"wool\"}}");
	expect_scene((const char *const[]){"kind=silk", "size=large", NULL},
	    "{\"time\":{\"end\":2},\"list\":[{\"name\":\"cloth\",\"cells\":9}],\"made\":{\"here\":[1]},"
	    "\"chosen\":{\"size\":\"large\",\"kind\":\"silk\"}}");
}

Test(choices, which_assignments_are_taken)
{
	g_autoptr(JsonNode) root = parse(scene);
	cr_assert(choices_apply(root, "scene.json", NULL, NULL));
	cr_assert(choices_has_taken(root, "size=large"));
	cr_assert_not(choices_has_taken(root, "sizes=large"));
	cr_assert_not(choices_has_taken(root, "size"));
	cr_assert_not(choices_has_taken(root, "time.end=2"));
	g_autofree char *text = choices_text(root);
	cr_assert_str_eq(text, "small, wool");
}

Test(choices, none)
{
	g_autoptr(JsonNode) root = parse("{'a': 1}");
	cr_assert(choices_apply(root, "scene.json", (const char *const[]){"size=large", NULL}, NULL));
	cr_assert_not(choices_has_taken(root, "size=large"));
	cr_assert_null(choices_text(root));
}

Test(choices, refuses)
{
	expect_message(scene, "size=huge", "--set size=huge: expected \"small\" or \"large\"");
	expect_message("{'choices': 3}", "a=1", "scene.json: choices: expected an object");
	expect_message("{'choices': {'size': []}}", "a=1", "scene.json: choices.size: expected an object of options");
	expect_message("{'choices': {'size': {}}}", "a=1", "scene.json: choices.size: expected an object of options");
	expect_message("{'choices': {'size': {'a': 1}}}", "a=1",
	    "scene.json: choices.size.a: expected an object of changes, {\"path.to.key\": value}");
	expect_message("{'time': {}, 'choices': {'time': {'a': {}}}}", "a=1",
	    "scene.json: choices.time: expected a name that is no key of the scene, without '.', '[' and '='");
	expect_message("{'choices': {'size': {'a': {'list.x.y': 1}}}, 'list': []}", "a=1",
	    "scene.json: choices.size.a: \"list.x.y\": the scene has no \"x\" there");
	expect_message("{'choices': {'size': {'a': {'': 1}}}}", "b=1",
	    "scene.json: choices.size.a: \"\": the path has an empty step");
}

/* What an archive keeps has chosen. */
Test(choices, once)
{
	expect_message("{'chosen': {'size': 'small'}}", "size=large",
	    "--set size=large: the scene was made with size=small, which cannot be changed any more");
}

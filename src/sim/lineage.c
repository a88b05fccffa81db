#include "sim/lineage.h"
#include "version.h"
#include <json-glib/json-glib.h>
#include <string.h>

/* The list, or an empty one. */
static JsonArray *parse(const char *lineage)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	if (lineage != NULL && json_parser_load_from_data(parser, lineage, -1, NULL)) {
		JsonNode *root = json_parser_get_root(parser);
		if (root != NULL && JSON_NODE_HOLDS_ARRAY(root))
			return json_node_dup_array(root);
	}
	return json_array_new();
}

/* The i-th step; NULL when it is none. */
static JsonObject *step_of(JsonArray *list, guint i)
{
	JsonNode *node = json_array_get_element(list, i);
	return JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

static JsonArray *set_of(JsonObject *step)
{
	JsonNode *node = json_object_get_member(step, "set");
	return node != NULL && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}

static void set_text(JsonObject *object, const char *key, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	json_object_set_string_member(object, key, valid);
}

char *lineage_extend(const char *lineage, const LineageStep *step)
{
	JsonArray *list = parse(lineage), *set = json_array_new();
	JsonObject *object = json_object_new();
	for (size_t i = 0; step->set != NULL && step->set[i] != NULL; i++) {
		g_autofree char *valid = g_utf8_make_valid(step->set[i], -1);
		json_array_add_string_element(set, valid);
	}
	set_text(object, "archive", step->archive);
	if (step->checkpoint != NULL)
		set_text(object, "checkpoint", step->checkpoint);
	json_object_set_double_member(object, "time", step->time);
	json_object_set_int_member(object, "frames", (gint64)step->frames);
	json_object_set_array_member(object, "set", set);
	set_text(object, "version", CINCH_VERSION);
	json_array_add_object_element(list, object);
	g_autoptr(JsonNode) root = json_node_init_array(json_node_alloc(), list);
	json_array_unref(list);
	return json_to_string(root, FALSE);
}

bool lineage_has_branch(const char *lineage)
{
	g_autoptr(JsonArray) list = parse(lineage);
	for (guint i = 0; i < json_array_get_length(list); i++) {
		JsonObject *step = step_of(list, i);
		JsonArray *set = step ? set_of(step) : NULL;
		if (set != NULL && json_array_get_length(set) > 0)
			return true;
	}
	return false;
}

/* "", or " with --set a=1 --set b=2". */
static char *describe_set(JsonArray *set)
{
	GString *text = g_string_new(NULL);
	for (guint i = 0; set != NULL && i < json_array_get_length(set); i++) {
		JsonNode *node = json_array_get_element(set, i);
		const char *value = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;
		g_string_append_printf(text, "%s --set %s", i == 0 ? " with" : "", value ? value : "?");
	}
	return g_string_free(text, FALSE);
}

char **lineage_describe(const char *lineage)
{
	g_autoptr(JsonArray) list = parse(lineage);
	GPtrArray *lines = g_ptr_array_new();
	for (guint i = 0; i < json_array_get_length(list); i++) {
		JsonObject *step = step_of(list, i);
		if (step == NULL)
			continue;
		g_autofree char *set = describe_set(set_of(step));
		g_ptr_array_add(lines, g_strdup_printf("%s from %s at %.9g s%s", set[0] ? "branched" : "resumed",
		                           json_object_get_string_member_with_default(step, "archive", "?"),
		                           json_object_get_double_member_with_default(step, "time", 0.0), set));
	}
	g_ptr_array_add(lines, NULL);
	return (char **)g_ptr_array_free(lines, FALSE);
}

#include "scene/override.h"
#include "core/error.h"
#include "scene/reader.h"
#include <string.h>

static JsonNode *parse_value(const char *text)
{
	JsonNode *value = reader_parse("--set", text, -1, NULL);
	return value != NULL ? value : json_node_init_string(json_node_alloc(), text);
}

/* The entry of a list with that number, or whose "name" it is; -1 when there is none. */
static int find_entry(JsonArray *array, const char *step)
{
	char *end;
	guint64 index = g_ascii_strtoull(step, &end, 10);
	if (end != step && *end == '\0')
		return index < json_array_get_length(array) ? (int)index : -1;
	for (guint i = 0; i < json_array_get_length(array); i++) {
		JsonNode *entry = json_array_get_element(array, i);
		if (JSON_NODE_HOLDS_OBJECT(entry) &&
		    g_strcmp0(json_object_get_string_member_with_default(json_node_get_object(entry), "name", NULL), step) == 0)
			return (int)i;
	}
	return -1;
}

/* One step down; NULL when there is nothing to step to. */
static JsonNode *descend(JsonNode *node, const char *step)
{
	if (JSON_NODE_HOLDS_ARRAY(node)) {
		int i = find_entry(json_node_get_array(node), step);
		return i < 0 ? NULL : json_array_get_element(json_node_get_array(node), (guint)i);
	}
	if (!JSON_NODE_HOLDS_OBJECT(node))
		return NULL;
	JsonObject *object = json_node_get_object(node);
	if (!json_object_has_member(object, step))
		json_object_set_object_member(object, step, json_object_new());
	return json_object_get_member(object, step);
}

/* Replaces entry i of a list (json-glib has no call for it). */
static void replace_entry(JsonNode *list, guint replaced, JsonNode *value)
{
	JsonArray *old = json_node_get_array(list), *array = json_array_new();
	for (guint i = 0; i < json_array_get_length(old); i++)
		json_array_add_element(array, i == replaced ? value : json_array_dup_element(old, i));
	json_node_take_array(list, array);
}

/* "a[0].b" to steps a, 0, b. */
static char **split(const char *path)
{
	g_autoptr(GString) plain = g_string_new(NULL);
	for (const char *c = path; *c; c++) {
		if (*c == '[')
			g_string_append_c(plain, '.');
		else if (*c != ']')
			g_string_append_c(plain, *c);
	}
	return g_strsplit(plain->str, ".", -1);
}

bool override_set(JsonNode *root, const char *path, JsonNode *value, const char *where, GError **error)
{
	g_autoptr(JsonNode) owned = value;
	g_auto(GStrv) steps = split(path);
	if (steps[0] == NULL)
		return error_set(error, CINCH_ERROR_INPUT, "%s: the path has an empty step", where);
	guint last = g_strv_length(steps) - 1;
	JsonNode *node = root;
	for (guint i = 0; i <= last; i++)
		if (steps[i][0] == '\0')
			return error_set(error, CINCH_ERROR_INPUT, "%s: the path has an empty step", where);
	for (guint i = 0; i < last; i++) {
		node = descend(node, steps[i]);
		if (node == NULL)
			return error_set(error, CINCH_ERROR_INPUT, "%s: the scene has no \"%s\" there", where, steps[i]);
	}
	if (JSON_NODE_HOLDS_OBJECT(node)) {
		json_object_set_member(json_node_get_object(node), steps[last], g_steal_pointer(&owned));
		return true;
	}
	int entry = JSON_NODE_HOLDS_ARRAY(node) ? find_entry(json_node_get_array(node), steps[last]) : -1;
	if (entry < 0)
		return error_set(error, CINCH_ERROR_INPUT, "%s: the scene has no \"%s\" there", where, steps[last]);
	replace_entry(node, (guint)entry, g_steal_pointer(&owned));
	return true;
}

bool override_apply(JsonNode *root, const char *assignment, GError **error)
{
	const char *equals = strchr(assignment, '=');
	if (equals == NULL || equals == assignment)
		return error_set(error, CINCH_ERROR_INPUT, "--set %s: expected path.to.key=value", assignment);
	g_autofree char *path = g_strndup(assignment, (gsize)(equals - assignment));
	g_autofree char *where = g_strdup_printf("--set %s", assignment);
	return override_set(root, path, parse_value(equals + 1), where, error);
}

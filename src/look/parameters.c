#include "look/parameters.h"
#include <json-glib/json-glib.h>
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 120, DEEPEST = 32 };

struct Parameters {
	GPtrArray *key;    /* char * */
	GHashTable *value; /* key -> char * */
};

static bool holds_objects(JsonArray *array)
{
	for (guint i = 0; i < json_array_get_length(array); i++)
		if (JSON_NODE_HOLDS_OBJECT(json_array_get_element(array, i)))
			return true;
	return false;
}

/* As JSON, but numbers with no more digits than they need. */
static void add_text(GString *text, JsonNode *node)
{
	GType type = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_value_type(node) : G_TYPE_INVALID;
	char digits[G_ASCII_DTOSTR_BUF_SIZE];
	if (type == G_TYPE_DOUBLE) {
		double value = json_node_get_double(node);
		int precision = 6;
		do
			g_snprintf(digits, sizeof digits, "%.*g", precision, value);
		while (g_ascii_strtod(digits, NULL) != value && ++precision <= 17);
		g_string_append(text, digits);
	} else if (JSON_NODE_HOLDS_ARRAY(node)) {
		JsonArray *array = json_node_get_array(node);
		for (guint i = 0; i < json_array_get_length(array); i++) {
			g_string_append(text, i ? ", " : "[");
			add_text(text, json_array_get_element(array, i));
		}
		g_string_append(text, json_array_get_length(array) ? "]" : "[]");
	} else {
		g_autofree char *plain = json_to_string(node, FALSE);
		g_string_append(text, plain);
	}
}

static void add_value(Parameters *parameters, const char *path, JsonNode *node)
{
	g_autoptr(GString) text = g_string_new(NULL);
	add_text(text, node);
	const char *end = text->len > LONGEST ? g_utf8_find_prev_char(text->str, text->str + LONGEST) : NULL;
	char *value = end ? g_strdup_printf("%.*s …", (int)(end - text->str), text->str) : g_strdup(text->str);
	char *key = g_strdup(path);
	g_ptr_array_add(parameters->key, key);
	g_hash_table_replace(parameters->value, key, value);
}

static void walk(Parameters *parameters, const char *path, JsonNode *node, int depth);

static void walk_member(Parameters *parameters, const char *path, const char *name, JsonNode *node, int depth)
{
	g_autofree char *below = path[0] ? g_strconcat(path, ".", name, NULL) : g_strdup(name);
	if (!g_hash_table_contains(parameters->value, below))
		walk(parameters, below, node, depth + 1);
}

static void walk_list(Parameters *parameters, const char *path, JsonArray *array, int depth)
{
	for (guint i = 0; i < json_array_get_length(array); i++) {
		JsonNode *node = json_array_get_element(array, i);
		const char *name = NULL;
		if (JSON_NODE_HOLDS_OBJECT(node)) {
			JsonNode *named = json_object_get_member(json_node_get_object(node), "name");
			name = named && JSON_NODE_HOLDS_VALUE(named) ? json_node_get_string(named) : NULL;
		}
		g_autofree char *number = g_strdup_printf("%u", i);
		walk_member(parameters, path, name ? name : number, node, depth);
	}
}

static void walk(Parameters *parameters, const char *path, JsonNode *node, int depth)
{
	if (depth > DEEPEST) {
		add_value(parameters, path, node);
	} else if (JSON_NODE_HOLDS_OBJECT(node)) {
		JsonObject *object = json_node_get_object(node);
		g_autoptr(GList) names = json_object_get_members(object);
		for (GList *name = names; name != NULL; name = name->next)
			walk_member(parameters, path, name->data, json_object_get_member(object, name->data), depth);
	} else if (JSON_NODE_HOLDS_ARRAY(node) && holds_objects(json_node_get_array(node))) {
		walk_list(parameters, path, json_node_get_array(node), depth);
	} else {
		add_value(parameters, path, node);
	}
}

Parameters *parameters_of(const char *scene)
{
	Parameters *parameters = g_new0(Parameters, 1);
	parameters->key = g_ptr_array_new();
	parameters->value = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	g_autoptr(JsonParser) parser = json_parser_new();
	if (json_parser_load_from_data(parser, scene, -1, NULL) && json_parser_get_root(parser) != NULL)
		walk(parameters, "", json_parser_get_root(parser), 0);
	return parameters;
}

void parameters_free(Parameters *parameters)
{
	if (parameters == NULL)
		return;
	g_ptr_array_unref(parameters->key);
	g_hash_table_unref(parameters->value);
	g_free(parameters);
}

size_t parameters_count(const Parameters *parameters)
{
	return parameters->key->len;
}

const char *parameters_key(const Parameters *parameters, size_t k)
{
	return parameters->key->pdata[k];
}

const char *parameters_get(const Parameters *parameters, const char *key)
{
	return g_hash_table_lookup(parameters->value, key);
}

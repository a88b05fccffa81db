/* Choices: the key "choices" names some, each with its options, and each option is a list of overrides:
 *
 *     "choices": {"size": {"preview": {}, "full": {"meshes.cloth.cells": [100, 100]}}}
 *
 * They are applied in the order in which they stand, before the user's own overrides. What stays is "chosen", so that the scene
 * that an archive keeps is the one that was run, whatever else could have been chosen. */
#include "scene/choices.h"
#include "core/error.h"
#include "scene/override.h"
#include <string.h>

/* The object at a key, or NULL. */
static JsonObject *object_at(JsonObject *parent, const char *key)
{
	JsonNode *node = json_object_get_member(parent, key);
	return node != NULL && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

/* The value of "name=value" (not copied) when that is the name. */
static const char *value_for(const char *assignment, const char *name)
{
	size_t length = strlen(name);
	return strncmp(assignment, name, length) == 0 && assignment[length] == '=' ? assignment + length + 1 : NULL;
}

/* The string at a key; "?" when it is none, which the reader will complain about. */
static const char *string_at(JsonObject *parent, const char *key)
{
	JsonNode *node = json_object_get_member(parent, key);
	return node != NULL && json_node_get_value_type(node) == G_TYPE_STRING ? json_node_get_string(node) : "?";
}

static char *quoted_names(JsonObject *object)
{
	g_autoptr(GList) members = json_object_get_members(object);
	GString *text = g_string_new(NULL);
	for (GList *member = members; member; member = member->next)
		g_string_append_printf(text, "%s\"%s\"", text->len ? " or " : "", (const char *)member->data);
	return g_string_free(text, FALSE);
}

/* The last assignment of the choice, else its first option. */
static const char *chosen_option(const char *name, JsonObject *options, const char *const *overrides, GError **error)
{
	const char *option = NULL, *assignment = NULL;
	for (const char *const *override = overrides; override && *override; override++) {
		const char *value = value_for(*override, name);
		option = value ? value : option;
		assignment = value ? *override : assignment;
	}
	if (option == NULL) {
		g_autoptr(GList) members = json_object_get_members(options);
		return members->data;
	}
	if (json_object_has_member(options, option))
		return option;
	g_autofree char *names = quoted_names(options);
	error_set(error, CINCH_ERROR_INPUT, "--set %s: expected %s", assignment, names);
	return NULL;
}

static bool apply_option(JsonNode *root, JsonObject *changes, const char *where, GError **error)
{
	g_autoptr(GList) paths = json_object_get_members(changes);
	for (GList *path = paths; path; path = path->next) {
		g_autofree char *place = g_strdup_printf("%s: \"%s\"", where, (const char *)path->data);
		if (!override_set(root, path->data, json_node_copy(json_object_get_member(changes, path->data)), place, error))
			return false;
	}
	return true;
}

/* One choice, which must be an object of options, each an object. */
static bool apply_choice(JsonNode *root, const char *file, JsonObject *choices, const char *name,
    const char *const *overrides, JsonObject *chosen, GError **error)
{
	JsonObject *options = object_at(choices, name);
	if (options == NULL || json_object_get_size(options) == 0)
		return error_set(error, CINCH_ERROR_INPUT, "%s: choices.%s: expected an object of options", file, name);
	if (name[0] == '\0' || strpbrk(name, ".[=") != NULL || json_object_has_member(json_node_get_object(root), name))
		return error_set(error, CINCH_ERROR_INPUT,
		    "%s: choices.%s: expected a name that is no key of the scene, without '.', '[' and '='", file, name);
	const char *option = chosen_option(name, options, overrides, error);
	if (option == NULL)
		return false;
	g_autofree char *where = g_strdup_printf("%s: choices.%s.%s", file, name, option);
	JsonObject *changes = object_at(options, option);
	if (changes == NULL)
		return error_set(error, CINCH_ERROR_INPUT, "%s: expected an object of changes, {\"path.to.key\": value}", where);
	json_object_set_string_member(chosen, name, option);
	return apply_option(root, changes, where, error);
}

/* A scene that an archive keeps has chosen already. */
static bool check_chosen(JsonObject *scene, const char *const *overrides, GError **error)
{
	JsonObject *chosen = object_at(scene, "chosen");
	if (chosen == NULL)
		return true;
	g_autoptr(GList) members = json_object_get_members(chosen);
	for (GList *member = members; member; member = member->next)
		for (const char *const *override = overrides; override && *override; override++)
			if (value_for(*override, member->data) != NULL)
				return error_set(error, CINCH_ERROR_INPUT,
				    "--set %s: the scene was made with %s=%s, which cannot be changed any more", *override,
				    (const char *)member->data, string_at(chosen, member->data));
	return true;
}

bool choices_apply(JsonNode *root, const char *file, const char *const *overrides, GError **error)
{
	JsonObject *scene = json_node_get_object(root);
	if (!json_object_has_member(scene, "choices"))
		return check_chosen(scene, overrides, error);
	JsonObject *choices = object_at(scene, "choices");
	if (choices == NULL)
		return error_set(error, CINCH_ERROR_INPUT, "%s: choices: expected an object", file);
	json_object_ref(choices);
	json_object_remove_member(scene, "choices");
	JsonObject *chosen = json_object_new();
	g_autoptr(GList) names = json_object_get_members(choices);
	bool good = true;
	for (GList *name = names; name && good; name = name->next)
		good = apply_choice(root, file, choices, name->data, overrides, chosen, error);
	json_object_set_object_member(scene, "chosen", chosen);
	json_object_unref(choices);
	return good;
}

bool choices_has_taken(JsonNode *root, const char *assignment)
{
	JsonObject *chosen = object_at(json_node_get_object(root), "chosen");
	const char *equals = strchr(assignment, '=');
	if (chosen == NULL || equals == NULL)
		return false;
	g_autofree char *name = g_strndup(assignment, (gsize)(equals - assignment));
	return json_object_has_member(chosen, name);
}

char *choices_text(JsonNode *root)
{
	JsonObject *chosen = object_at(json_node_get_object(root), "chosen");
	if (chosen == NULL)
		return NULL;
	g_autoptr(GList) members = json_object_get_members(chosen);
	GString *text = g_string_new(NULL);
	for (GList *member = members; member; member = member->next)
		g_string_append_printf(text, "%s%s", text->len ? ", " : "", string_at(chosen, member->data));
	return g_string_free(text, FALSE);
}

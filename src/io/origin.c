#include "io/origin.h"
#include "core/units.h"
#include <json-glib/json-glib.h>

/* A list of three numbers, or the fallback. */
static Vec3 vector_of(JsonObject *object, const char *key, Vec3 fallback)
{
	JsonNode *node = json_object_get_member(object, key);
	if (node == NULL || !JSON_NODE_HOLDS_ARRAY(node) || json_array_get_length(json_node_get_array(node)) != 3)
		return fallback;
	JsonArray *array = json_node_get_array(node);
	return vec3(json_array_get_double_element(array, 0), json_array_get_double_element(array, 1),
	    json_array_get_double_element(array, 2));
}

static bool holds_text(JsonObject *object, const char *key)
{
	JsonNode *node = json_object_get_member(object, key);
	return node != NULL && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING;
}

/* Bodies are the meshes of the scene, in its order; files were read in that order, a rest shape after its mesh. */
static void read_meshes(Origin *origin, const ArchiveHeader *header, JsonObject *scene)
{
	JsonNode *node = json_object_get_member(scene, "meshes");
	if (node == NULL || !JSON_NODE_HOLDS_ARRAY(node))
		return;
	JsonArray *meshes = json_node_get_array(node);
	size_t next_file = 0;
	for (guint i = 0; i < MIN(json_array_get_length(meshes), header->n_bodies); i++) {
		JsonNode *entry = json_array_get_element(meshes, i);
		if (!JSON_NODE_HOLDS_OBJECT(entry))
			continue;
		JsonObject *mesh = json_node_get_object(entry);
		origin->thickness[i] = json_object_get_double_member_with_default(mesh, "thickness", 0.0);
		if (!holds_text(mesh, "file"))
			continue;
		origin->file[i] = next_file < header->n_files ? next_file : ORIGIN_NO_FILE;
		next_file += holds_text(mesh, "rest_file") ? 2 : 1;
	}
}

Origin *origin_of(const ArchiveHeader *header)
{
	Origin *origin = g_new0(Origin, 1);
	const UnitSystem *units = g_str_equal(header->units, units_cgs.name) ? &units_cgs : &units_si;
	origin->gravity = vec3(0, -units->gravity, 0);
	origin->thickness = g_new0(double, header->n_bodies + 1);
	origin->file = g_new(size_t, header->n_bodies + 1);
	for (size_t i = 0; i < header->n_bodies; i++)
		origin->file[i] = ORIGIN_NO_FILE;
	g_autoptr(JsonParser) parser = json_parser_new();
	if (json_parser_load_from_data(parser, header->scene_effective, -1, NULL) &&
	    json_parser_get_root(parser) != NULL && JSON_NODE_HOLDS_OBJECT(json_parser_get_root(parser))) {
		JsonObject *scene = json_node_get_object(json_parser_get_root(parser));
		origin->gravity = vector_of(scene, "gravity", origin->gravity);
		if (holds_text(scene, "title"))
			origin->title = g_strdup(json_object_get_string_member(scene, "title"));
		read_meshes(origin, header, scene);
	}
	if (origin->title == NULL)
		origin->title = g_strdup("");
	return origin;
}

void origin_free(Origin *origin)
{
	if (origin == NULL)
		return;
	g_free(origin->thickness);
	g_free(origin->file);
	g_free(origin->title);
	g_free(origin);
}

Vec3 origin_up(const Origin *origin)
{
	return vec3_is_zero(origin->gravity) ? vec3(0, 1, 0) : vec3_unit(vec3_scale(-1.0, origin->gravity));
}

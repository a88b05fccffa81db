#include "scene/scene_private.h"
#include <string.h>

static GArray *whole_body(const Body *body)
{
	GArray *set = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	for (uint32_t i = body->first_vertex; i < body->first_vertex + body->n_vertices; i++)
		g_array_append_val(set, i);
	return set;
}

static char *list_parts(const Body *body)
{
	g_autoptr(GList) names = g_list_sort(g_hash_table_get_keys(body->sets), (GCompareFunc)strcmp);
	GString *list = g_string_new(NULL);
	for (GList *name = names; name; name = name->next)
		g_string_append_printf(list, "%s\"%s\"", list->len ? ", " : "", (const char *)name->data);
	return g_string_free(list, FALSE);
}

/* A copy of a part that the body's shape has named. */
static GArray *part_of_body(const Body *body, Reader *reader, const char *key, const char *part)
{
	GArray *set = g_hash_table_lookup(body->sets, part);
	if (set != NULL && set->len > 0)
		return g_array_copy(set);
	if (set != NULL) {
		reader_fail(reader, key, "the part \"%s\" of the body \"%s\" has no vertices", part, body->name);
		return NULL;
	}
	g_autofree char *parts = list_parts(body);
	reader_fail(reader, key, "the body \"%s\" has no part \"%s\"; it has %s", body->name, part,
	    parts[0] ? parts : "none");
	return NULL;
}

GArray *scene_find_set(const Scene *scene, GHashTable *sets, Reader *reader, const char *key, const char *name)
{
	GArray *named = g_hash_table_lookup(sets, name);
	if (named != NULL)
		return g_array_copy(named);
	const Body *body = world_find_body(scene->world, name);
	if (body != NULL)
		return whole_body(body);
	const char *dot = strchr(name, '.');
	g_autofree char *prefix = dot ? g_strndup(name, (gsize)(dot - name)) : NULL;
	body = prefix ? world_find_body(scene->world, prefix) : NULL;
	if (body != NULL)
		return part_of_body(body, reader, key, dot + 1);
	reader_fail(reader, key, "\"%s\" is neither a set, nor a body, nor a part of one (\"body.part\")", name);
	return NULL;
}

static GArray *by_indices(const Body *body, Reader *reader)
{
	GArray *set = reader_indices(reader, "indices", body->n_vertices);
	for (guint i = 0; set != NULL && i < set->len; i++)
		g_array_index(set, uint32_t, i) += body->first_vertex;
	return set;
}

/* Vertices inside of a box at time zero. */
static GArray *by_box(const Scene *scene, Reader *reader, uint32_t first, uint32_t n)
{
	g_autoptr(GArray) corners = reader_points(reader, "box");
	if (corners == NULL)
		return NULL;
	if (corners->len != 2) {
		reader_fail(reader, "box", "expected two corners [[x, y, z], [x, y, z]]");
		return NULL;
	}
	Vec3 low = g_array_index(corners, Vec3, 0), high = g_array_index(corners, Vec3, 1);
	GArray *set = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	for (uint32_t i = first; i < first + n; i++) {
		Vec3 x = g_array_index(scene->world->position, Vec3, i);
		if (x.x >= low.x && x.x <= high.x && x.y >= low.y && x.y <= high.y && x.z >= low.z && x.z <= high.z)
			g_array_append_val(set, i);
	}
	return set;
}

static int compare_indices(const void *a, const void *b)
{
	uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
	return p < q ? -1 : p > q;
}

/* Ascending, each once: so that a set is the same however it was written. */
static void tidy(GArray *set)
{
	g_array_sort(set, compare_indices);
	guint kept = 0;
	for (guint i = 0; i < set->len; i++) {
		uint32_t vertex = g_array_index(set, uint32_t, i);
		if (kept == 0 || g_array_index(set, uint32_t, kept - 1) != vertex)
			g_array_index(set, uint32_t, kept++) = vertex;
	}
	g_array_set_size(set, kept);
}

static GArray *by_union(const Scene *scene, GHashTable *sets, Reader *reader)
{
	g_auto(GStrv) names = reader_strings(reader, "union");
	GArray *all = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	for (char **name = names; name && *name; name++) {
		g_autoptr(GArray) set = scene_find_set(scene, sets, reader, "union", *name);
		if (set != NULL)
			g_array_append_vals(all, set->data, set->len);
	}
	return all;
}

static GArray *read_set(const Scene *scene, GHashTable *sets, Reader *reader)
{
	if (reader_has(reader, "union"))
		return by_union(scene, sets, reader);
	const char *name = reader_string(reader, "body", NULL);
	const Body *body = name ? world_find_body(scene->world, name) : NULL;
	if (name != NULL && body == NULL) {
		reader_fail(reader, "body", "there is no body \"%s\"", name);
		return NULL;
	}
	if (reader_has(reader, "box"))
		return by_box(scene, reader, body ? body->first_vertex : 0,
		    body ? body->n_vertices : world_vertex_count(scene->world));
	if (body == NULL) {
		reader_fail(reader, "body", "missing; expected the name of a body");
		return NULL;
	}
	if (reader_has(reader, "indices"))
		return by_indices(body, reader);
	const char *part = reader_string(reader, "part", NULL);
	if (part != NULL)
		return part_of_body(body, reader, "part", part);
	reader_fail(reader, NULL, "expected one of \"indices\", \"box\", \"part\" or \"union\"");
	return NULL;
}

GHashTable *scene_read_sets(const Scene *scene, Reader *root)
{
	GHashTable *sets = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_array_unref);
	Reader *reader = reader_child(root, "sets");
	if (reader == NULL)
		return sets;
	g_autoptr(GList) names = reader_members(reader);
	for (GList *name = names; name; name = name->next) {
		Reader *child = reader_child(reader, name->data);
		if (child == NULL)
			continue;
		if (world_find_body(scene->world, name->data) != NULL)
			reader_fail(reader, name->data, "there is a body of this name; a set needs another");
		GArray *set = read_set(scene, sets, child);
		if (set != NULL) {
			tidy(set);
			if (set->len == 0)
				reader_fail(reader, name->data, "no vertex is in this set");
			g_hash_table_insert(sets, g_strdup(name->data), set);
		}
		reader_close(child);
	}
	reader_close(reader);
	return sets;
}

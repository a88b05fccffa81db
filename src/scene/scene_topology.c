/* Which ribbons have a topology that must stay, and how they are made of vertices. */
#include "scene/scene_private.h"

static void clear_ribbon(void *data)
{
	SceneRibbon *ribbon = data;
	g_free(ribbon->left);
	g_free(ribbon->right);
	g_free(ribbon->middle);
}

static void add_side(GHashTable *sides, uint32_t a, uint32_t b)
{
	uint64_t key = (uint64_t)MIN(a, b) << 32 | MAX(a, b);
	g_hash_table_add(sides, g_memdup2(&key, sizeof key));
}

static bool has_side(GHashTable *sides, uint32_t a, uint32_t b)
{
	uint64_t key = (uint64_t)MIN(a, b) << 32 | MAX(a, b);
	return g_hash_table_contains(sides, &key);
}

/* All sides of triangles and loose edges of a body. */
static GHashTable *sides_of(const World *world, const Body *body)
{
	GHashTable *sides = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	for (uint32_t i = 0; i < body->n_triangles; i++) {
		const uint32_t *v = g_array_index(world->triangle, Triangle, body->first_triangle + i).v;
		for (int c = 0; c < 3; c++)
			add_side(sides, v[c], v[(c + 1) % 3]);
	}
	for (uint32_t i = 0; i < body->n_edges; i++) {
		const uint32_t *v = g_array_index(world->edge, Edge, body->first_edge + i).v;
		add_side(sides, v[0], v[1]);
	}
	return sides;
}

static bool is_line(GHashTable *sides, const uint32_t *vertex, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (!has_side(sides, vertex[i - 1], vertex[i]))
			return false;
	return true;
}

/* Its parts "left" and "right", and "middle" where it has that, or the whole of a chain. */
static void find_edges(const Body *body, SceneRibbon *ribbon)
{
	const GArray *left = g_hash_table_lookup(body->sets, "left"), *right = g_hash_table_lookup(body->sets, "right");
	const GArray *middle = g_hash_table_lookup(body->sets, "middle");
	if (body->n_triangles == 0) {
		ribbon->n = body->n_vertices;
		ribbon->left = g_new(uint32_t, body->n_vertices + 1u);
		for (uint32_t i = 0; i < body->n_vertices; i++)
			ribbon->left[i] = body->first_vertex + i;
	} else if (left != NULL && right != NULL && left->len == right->len) {
		ribbon->n = left->len;
		ribbon->left = g_memdup2(left->data, left->len * sizeof(uint32_t));
		ribbon->right = g_memdup2(right->data, right->len * sizeof(uint32_t));
		if (middle != NULL && middle->len == left->len)
			ribbon->middle = g_memdup2(middle->data, middle->len * sizeof(uint32_t));
	}
}

static bool turns(const World *world, uint32_t vertex)
{
	for (guint s = 0; s < world->scripts->len; s++) {
		const Script *script = world->scripts->pdata[s];
		bool any = script_turns(script);
		for (size_t i = 0; any && i < script->n_vertices; i++)
			if (script->vertex[i] == vertex)
				return true;
	}
	return false;
}

/* Both ends are held, and nothing turns them. */
static bool is_steady(const World *world, const SceneRibbon *ribbon)
{
	const uint32_t *right = ribbon->right ? ribbon->right : ribbon->left;
	const uint32_t end[] = {ribbon->left[0], ribbon->left[ribbon->n - 1], right[0], right[ribbon->n - 1]};
	for (size_t i = 0; i < G_N_ELEMENTS(end); i++)
		if (g_array_index(world->held, uint8_t, end[i]) == HELD_NOT || turns(world, end[i]))
			return false;
	return true;
}

static void read_ribbon(Scene *scene, Reader *reader, const char *name)
{
	const World *world = scene->world;
	const Body *body = world_find_body(world, name);
	SceneRibbon ribbon = {0};
	if (body == NULL) {
		reader_fail(reader, "ribbons", "there is no body \"%s\"", name);
		return;
	}
	while (world->bodies->pdata[ribbon.body] != body)
		ribbon.body++;
	find_edges(body, &ribbon);
	g_autoptr(GHashTable) sides = sides_of(world, body);
	uint32_t n = ribbon.n;
	if (n < 2 || !is_line(sides, ribbon.left, n) || (ribbon.right && !is_line(sides, ribbon.right, n))) {
		clear_ribbon(&ribbon);
		reader_fail(reader, "ribbons",
		    "the body \"%s\" is neither a ribbon, nor a strip with the parts \"left\" and \"right\", nor a chain", name);
		return;
	}
	if (ribbon.middle != NULL && !is_line(sides, ribbon.middle, n))
		g_clear_pointer(&ribbon.middle, g_free);
	ribbon.closed = n > 2 && has_side(sides, ribbon.left[n - 1], ribbon.left[0]) &&
	                (ribbon.right == NULL || has_side(sides, ribbon.right[n - 1], ribbon.right[0]));
	ribbon.steady = !ribbon.closed && is_steady(world, &ribbon);
	g_array_append_val(scene->ribbons, ribbon);
	if (body->remove_at < INFINITY)
		reader_fail(reader, "ribbons", "\"%s\" is removed by a script; expected a body that stays", name);
}

void scene_read_topology(Scene *scene, Reader *root)
{
	scene->ribbons = g_array_new(FALSE, FALSE, sizeof(SceneRibbon));
	g_array_set_clear_func(scene->ribbons, clear_ribbon);
	Reader *reader = reader_child(root, "topology");
	if (reader == NULL)
		return;
	g_auto(GStrv) names = reader_strings(reader, "ribbons");
	for (char **name = names; name && *name && reader_ok(reader); name++) {
		for (char **earlier = names; earlier < name; earlier++)
			if (g_str_equal(*earlier, *name))
				reader_fail(reader, "ribbons", "\"%s\" is named twice", *name);
		if (reader_ok(reader))
			read_ribbon(scene, reader, *name);
	}
	reader_close(reader);
}

#include "kds/volume.h"

const VolumeClass *volume_class(BroadPhase broad_phase)
{
	static const VolumeClass *const classes[] = {
	    [BROAD_AABB] = &volume_aabb,
	    [BROAD_DOP8] = &volume_dop8,
	    [BROAD_DOP18] = &volume_dop18,
	    [BROAD_DOP26] = &volume_dop26,
	    [BROAD_SPHERE] = &volume_sphere,
	    [BROAD_GRID] = NULL,
	};
	return classes[broad_phase];
}

static bool has_vertex(const VolumeTree *volumes, uint32_t begin, uint32_t vertex)
{
	for (uint32_t i = begin; i < volumes->vertex->len; i++)
		if (g_array_index(volumes->vertex, uint32_t, i) == vertex)
			return true;
	return false;
}

/* Those of another node that are not there yet. */
static void take_vertices(VolumeTree *volumes, uint32_t begin, uint32_t node)
{
	for (uint32_t i = 0; i < volumes->n_vertices[node]; i++) {
		uint32_t vertex = g_array_index(volumes->vertex, uint32_t, volumes->vertex_begin[node] + i);
		if (!has_vertex(volumes, begin, vertex))
			g_array_append_val(volumes->vertex, vertex);
	}
}

/* The vertices of a node whose children have theirs; none when they are too many. */
static void list_vertices(VolumeTree *volumes, uint32_t index)
{
	const Node *node = &volumes->tree->node[index];
	uint32_t begin = volumes->vertex->len;
	if (hierarchy_is_leaf(node)) {
		const Element *element = &volumes->tree->surface->element[node->left];
		g_array_append_vals(volumes->vertex, element->vertex, element->corners);
		volumes->radius[index] = volumes->tree->surface->half_thickness[element->body];
	} else {
		volumes->radius[index] = fmax(volumes->radius[node->left], volumes->radius[node->right]);
		if (volumes->n_vertices[node->left] > 0 && volumes->n_vertices[node->right] > 0) {
			take_vertices(volumes, begin, node->left);
			take_vertices(volumes, begin, node->right);
		}
		if (volumes->vertex->len - begin > volumes->class->most_vertices)
			g_array_set_size(volumes->vertex, begin);
	}
	volumes->vertex_begin[index] = begin;
	volumes->n_vertices[index] = volumes->vertex->len - begin;
}

static void refit(VolumeTree *volumes, uint32_t index, double time)
{
	const VolumeClass *class = volumes->class;
	const Node *node = &volumes->tree->node[index];
	void *volume = volumes->volume + index * class->size;
	if (volumes->n_vertices[index] > 0)
		class->of_vertices(volume, volumes->tree->flight,
		    &g_array_index(volumes->vertex, uint32_t, volumes->vertex_begin[index]), volumes->n_vertices[index],
		    volumes->radius[index], time);
	else
		class->join(volume, volume_tree_at(volumes, node->left), volume_tree_at(volumes, node->right), time);
}

VolumeTree *volume_tree_new(const VolumeClass *class, const Surface *surface, const Flight *flight, double time)
{
	VolumeTree *volumes = g_new0(VolumeTree, 1);
	volumes->class = class;
	volumes->tree = hierarchy_new(surface, flight, time);
	size_t n = volumes->tree->n_nodes;
	volumes->volume = g_malloc0((n + 1) * class->size);
	volumes->vertex_begin = g_new0(uint32_t, n + 1);
	volumes->n_vertices = g_new0(uint32_t, n + 1);
	volumes->radius = g_new0(double, n + 1);
	volumes->vertex = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	for (uint32_t i = volumes->tree->n_nodes; i-- > 0;) {
		list_vertices(volumes, i);
		refit(volumes, i, time);
	}
	return volumes;
}

void volume_tree_free(VolumeTree *volumes)
{
	if (volumes == NULL)
		return;
	hierarchy_free(volumes->tree);
	g_free(volumes->volume);
	g_free(volumes->vertex_begin);
	g_free(volumes->n_vertices);
	g_free(volumes->radius);
	g_array_unref(volumes->vertex);
	g_free(volumes);
}

void volume_tree_refit(VolumeTree *volumes, double time, const uint32_t *vertex, size_t n)
{
	Hierarchy *tree = volumes->tree;
	hierarchy_touch(tree, vertex, n);
	for (uint32_t i = 0; i < tree->n_stale; i++)
		refit(volumes, tree->stale[i], time);
}

bool volume_tree_validate(const VolumeTree *volumes, double time)
{
	const Hierarchy *tree = volumes->tree;
	for (uint32_t v = 0; v < world_vertex_count(tree->surface->world); v++)
		for (uint32_t i = tree->leaf_begin[v]; i < tree->leaf_begin[v + 1]; i++)
			for (uint32_t at = tree->leaf_of[i]; at != HIERARCHY_NONE; at = tree->node[at].parent)
				if (!volumes->class->holds(volume_tree_at(volumes, at), &tree->flight[v], time))
					return false;
	return true;
}

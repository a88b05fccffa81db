/* The surface of a box around the origin, facing outward. */
#include "scene/generate.h"
#include "scene/generate_grid.h"

typedef struct {
	Shape *shape;
	Vec3 size;
	uint32_t cells[3];
	GHashTable *vertex; /* lattice point -> index + 1: faces share the vertices of their sides */
} Box;

static uint32_t lattice_vertex(Box *box, const uint32_t at[3])
{
	gint64 key = ((gint64)at[0] * (box->cells[1] + 1) + at[1]) * (box->cells[2] + 1) + at[2];
	gpointer found = g_hash_table_lookup(box->vertex, &key);
	if (found != NULL)
		return GPOINTER_TO_UINT(found) - 1;
	uint32_t index = shape_add_vertex(box->shape,
	    vec3(box->size.x * ((double)at[0] / box->cells[0] - 0.5), box->size.y * ((double)at[1] / box->cells[1] - 0.5),
	        box->size.z * ((double)at[2] / box->cells[2] - 0.5)));
	g_hash_table_insert(box->vertex, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(index + 1));
	return index;
}

/* The face across `axis`, at its far or near end. */
static void add_face(Box *box, int axis, bool far, const char *name)
{
	int u = (axis + (far ? 1 : 2)) % 3, v = (axis + (far ? 2 : 1)) % 3; /* u x v points outward */
	for (uint32_t j = 0; j < box->cells[v]; j++) {
		for (uint32_t i = 0; i < box->cells[u]; i++) {
			uint32_t corner[4];
			for (uint32_t k = 0; k < 4; k++) {
				uint32_t at[3];
				at[axis] = far ? box->cells[axis] : 0;
				at[u] = i + (k == 1 || k == 2);
				at[v] = j + (k >= 2);
				corner[k] = lattice_vertex(box, at);
				shape_add_to_set(box->shape, name, corner[k]);
			}
			uint32_t turn = (i + j) % 2; /* alternate diagonals */
			for (uint32_t k = 1; k < 3; k++)
				shape_add_triangle(box->shape, corner[turn], corner[(turn + k) % 4], corner[(turn + k + 1) % 4]);
		}
	}
}

void generate_box(Reader *reader, Shape *shape)
{
	Box box = {.shape = shape, .size = reader_vec3(reader, "size", READER_REQUIRED_VEC3), .cells = {1, 1, 1}};
	if (reader_ok(reader) && !(box.size.x > 0.0 && box.size.y > 0.0 && box.size.z > 0.0))
		reader_fail(reader, "size", "expected three lengths above 0");
	generate_grid_counts(reader, "cells", 3, box.cells);
	double x = box.cells[0], y = box.cells[1], z = box.cells[2];
	if (!generate_grid_allows(reader, "cells", 2.0 * (x * y + y * z + z * x) + 2.0))
		return;
	box.vertex = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	add_face(&box, 0, false, "left");
	add_face(&box, 0, true, "right");
	add_face(&box, 1, false, "bottom");
	add_face(&box, 1, true, "top");
	add_face(&box, 2, false, "back");
	add_face(&box, 2, true, "front");
	g_hash_table_unref(box.vertex);
}

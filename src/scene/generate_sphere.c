/* A sphere around the origin: an icosahedron with poles on the y axis, each triangle cut into four and pushed outward
 * as many times as asked. */
#include "core/real.h"
#include "scene/generate.h"
#include "scene/generate_grid.h"

static void add_icosahedron(Shape *shape)
{
	double height = 1.0 / sqrt(5.0), radius = 2.0 / sqrt(5.0);
	shape_add_vertex(shape, vec3(0, 1, 0));
	for (int ring = 0; ring < 2; ring++) {
		for (int k = 0; k < 5; k++) {
			double angle = (2 * k + ring) * REAL_PI / 5.0;
			double y = ring == 0 ? height : -height;
			shape_add_vertex(shape, vec3(radius * real_sin(angle), y, radius * real_cos(angle)));
		}
	}
	shape_add_vertex(shape, vec3(0, -1, 0));
	for (uint32_t k = 0; k < 5; k++) {
		uint32_t upper = 1 + k, upper_next = 1 + (k + 1) % 5, lower = 6 + k, lower_next = 6 + (k + 1) % 5;
		shape_add_triangle(shape, 0, upper, upper_next);
		shape_add_triangle(shape, upper, lower, upper_next);
		shape_add_triangle(shape, upper_next, lower, lower_next);
		shape_add_triangle(shape, lower, 11, lower_next);
	}
}

/* The vertex in the middle of a side, made when the first of its two triangles asks. */
static uint32_t middle_of(Shape *shape, GHashTable *known, uint32_t a, uint32_t b)
{
	gint64 key = (gint64)MIN(a, b) << 32 | MAX(a, b);
	gpointer found = g_hash_table_lookup(known, &key);
	if (found != NULL)
		return GPOINTER_TO_UINT(found);
	Vec3 sum = vec3_add(g_array_index(shape->position, Vec3, a), g_array_index(shape->position, Vec3, b));
	uint32_t middle = shape_add_vertex(shape, vec3_unit(sum)); /* never 0: the icosahedron stands before it */
	g_hash_table_insert(known, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(middle));
	return middle;
}

static void subdivide(Shape *shape)
{
	GHashTable *known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	GArray *coarse = shape->triangle;
	shape->triangle = g_array_sized_new(FALSE, FALSE, sizeof(Triangle), 4 * coarse->len);
	for (guint t = 0; t < coarse->len; t++) {
		const uint32_t *v = g_array_index(coarse, Triangle, t).v;
		uint32_t middle[3];
		for (int i = 0; i < 3; i++)
			middle[i] = middle_of(shape, known, v[i], v[(i + 1) % 3]);
		for (int i = 0; i < 3; i++)
			shape_add_triangle(shape, v[i], middle[i], middle[(i + 2) % 3]);
		shape_add_triangle(shape, middle[0], middle[1], middle[2]);
	}
	g_array_unref(coarse);
	g_hash_table_unref(known);
}

void generate_sphere(Reader *reader, Shape *shape)
{
	double radius = reader_positive(reader, "radius", READER_REQUIRED);
	int64_t subdivisions = reader_integer(reader, "subdivisions", 3, 0, 8);
	if (!reader_ok(reader))
		return;
	add_icosahedron(shape);
	for (int64_t i = 0; i < subdivisions; i++)
		subdivide(shape);
	for (guint i = 0; i < shape->position->len; i++) {
		Vec3 scaled = vec3_scale(radius, g_array_index(shape->position, Vec3, i));
		g_array_index(shape->position, Vec3, i) = scaled;
		g_array_index(shape->rest, Vec3, i) = scaled;
	}
	shape_add_to_set(shape, "top", 0);
	shape_add_to_set(shape, "bottom", 11);
}

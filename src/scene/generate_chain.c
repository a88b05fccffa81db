/* Loose edges one after another: a straight chain of equal links, or one through given points. */
#include "scene/generate.h"
#include "scene/generate_grid.h"

static void add_straight(Reader *reader, Shape *shape)
{
	Vec3 from = reader_vec3(reader, "from", READER_REQUIRED_VEC3), to = reader_vec3(reader, "to", READER_REQUIRED_VEC3);
	int64_t links = reader_integer(reader, "links", READER_REQUIRED_INTEGER, 1, INT32_MAX);
	if (!generate_grid_allows(reader, "links", (double)links + 1.0))
		return;
	if (!(vec3_distance(from, to) > 0.0))
		reader_fail(reader, "to", "the chain has no length: \"from\" and \"to\" are the same point");
	for (int64_t i = 0; i <= links; i++)
		shape_add_vertex(shape, vec3_madd(from, (double)i / (double)links, vec3_sub(to, from)));
}

void generate_chain(Reader *reader, Shape *shape)
{
	GArray *points = reader_points(reader, "points");
	bool closed = reader_boolean(reader, "closed", false), given = points != NULL;
	if (!given) {
		add_straight(reader, shape);
	} else {
		for (guint i = 0; i < points->len; i++)
			shape_add_vertex(shape, g_array_index(points, Vec3, i));
		g_array_unref(points);
	}
	if (!reader_ok(reader))
		return;
	uint32_t n = shape_vertex_count(shape), least = closed ? 3 : 2;
	if (n < least) {
		reader_fail(reader, given ? "points" : "links", "expected at least %u points, got %u", least, n);
		return;
	}
	for (uint32_t i = 0; i + 1 < n; i++)
		shape_add_edge(shape, i, i + 1);
	if (closed)
		shape_add_edge(shape, n - 1, 0);
	shape_add_to_set(shape, "start", 0);
	shape_add_to_set(shape, "end", n - 1);
}

/* A bed of nails: each is four sliver triangles that meet in a point above a square, which is open. */
#include "scene/generate.h"
#include "scene/generate_grid.h"

static void add_nail(Shape *shape, Vec3 foot, double base, double height)
{
	static const double corner[4][2] = {{-0.5, 0.5}, {0.5, 0.5}, {0.5, -0.5}, {-0.5, -0.5}}; /* around +y, seen from below */
	uint32_t point = shape_add_vertex(shape, vec3_add(foot, vec3(0, height, 0)));
	shape_add_to_set(shape, "points", point);
	for (int i = 0; i < 4; i++) {
		uint32_t vertex = shape_add_vertex(shape, vec3_add(foot, vec3(base * corner[i][0], 0, base * corner[i][1])));
		shape_add_to_set(shape, "feet", vertex);
	}
	for (uint32_t i = 0; i < 4; i++)
		shape_add_triangle(shape, point, point + 1 + i, point + 1 + (i + 1) % 4);
}

void generate_nails(Reader *reader, Shape *shape)
{
	uint32_t count[2] = {10, 10};
	generate_grid_counts(reader, "count", 2, count);
	double spacing = reader_positive(reader, "spacing", READER_REQUIRED);
	double height = reader_positive(reader, "height", READER_REQUIRED);
	double base = reader_positive(reader, "base", 0.1 * height);
	if (reader_ok(reader) && base >= spacing)
		reader_fail(reader, "base", "expected less than the spacing, %g, got %g", spacing, base);
	if (!reader_ok(reader) || !generate_grid_allows(reader, "count", 5.0 * count[0] * count[1]))
		return;
	for (uint32_t row = 0; row < count[1]; row++)
		for (uint32_t column = 0; column < count[0]; column++)
			add_nail(shape, vec3((column - 0.5 * (count[0] - 1.0)) * spacing, 0, (row - 0.5 * (count[1] - 1.0)) * spacing),
			    base, height);
}

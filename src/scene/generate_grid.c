#include "scene/generate_grid.h"

#define MOST_VERTICES 50e6

static void split_along_rise(Shape *shape, const uint32_t corner[4])
{
	shape_add_triangle(shape, corner[0], corner[1], corner[2]);
	shape_add_triangle(shape, corner[0], corner[2], corner[3]);
}

static void split_along_fall(Shape *shape, const uint32_t corner[4])
{
	shape_add_triangle(shape, corner[0], corner[1], corner[3]);
	shape_add_triangle(shape, corner[1], corner[2], corner[3]);
}

static Vec3 mean_of(const GArray *points, const uint32_t corner[4])
{
	Vec3 sum = vec3(0, 0, 0);
	for (int i = 0; i < 4; i++)
		sum = vec3_add(sum, g_array_index(points, Vec3, corner[i]));
	return vec3_scale(0.25, sum);
}

static void split_crosswise(Shape *shape, const uint32_t corner[4])
{
	uint32_t middle = shape_add_vertex(shape, mean_of(shape->position, corner));
	g_array_index(shape->rest, Vec3, middle) = mean_of(shape->rest, corner);
	for (int i = 0; i < 4; i++)
		shape_add_triangle(shape, corner[i], corner[(i + 1) % 4], middle);
}

void generate_grid_triangles(Shape *shape, const Grid *grid)
{
	for (uint32_t row = 0; row < grid->rows; row++) {
		for (uint32_t column = 0; column < grid->columns; column++) {
			const uint32_t corner[4] = {
			    generate_grid_vertex(grid, column, row),
			    generate_grid_vertex(grid, column + 1, row),
			    generate_grid_vertex(grid, column + 1, row + 1),
			    generate_grid_vertex(grid, column, row + 1),
			};
			if (grid->diagonals == GRID_CROSS)
				split_crosswise(shape, corner);
			else if (grid->diagonals == GRID_ALTERNATE && (row + column) % 2 == 1)
				split_along_fall(shape, corner);
			else
				split_along_rise(shape, corner);
		}
	}
}

GridDiagonals generate_grid_diagonals(Reader *reader)
{
	static const char *const choices[] = {"alternate", "same", "cross", NULL};
	return (GridDiagonals)reader_choice(reader, "diagonals", GRID_ALTERNATE, choices);
}

void generate_grid_counts(Reader *reader, const char *key, unsigned count, uint32_t *value)
{
	g_autoptr(GArray) given = reader_numbers(reader, key, count);
	for (guint i = 0; given != NULL && i < count; i++) {
		double number = g_array_index(given, double, i);
		if (number >= 1.0 && number <= MOST_VERTICES && number == floor(number))
			value[i] = (uint32_t)number;
		else
			reader_fail(
			    reader, key, "expected whole numbers from 1 to %.0f, got %.15g", MOST_VERTICES, number);
	}
}

bool generate_grid_allows(Reader *reader, const char *key, double n_vertices)
{
	if (n_vertices > MOST_VERTICES)
		reader_fail(reader, key, "the body would have %.15g vertices; one body may have %.0f", n_vertices,
		    MOST_VERTICES);
	return reader_ok(reader);
}

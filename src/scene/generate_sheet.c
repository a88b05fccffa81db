/* A rectangle in the plane z = 0, centred at the origin, facing +z. */
#include "scene/generate.h"
#include "scene/generate_grid.h"

/* Where the lines between n cells stand, from -size/2 to size/2. The last cell is `grading` times as wide as the first,
 * and each as much wider than the one before (a geometric series); 1 is even. */
static double *spread(double size, uint32_t n, double grading)
{
	double *line = g_new(double, n + 1);
	double low = 1.0, high = grading; /* the ratio q of neighbours has q^(n-1) = grading: bisection, no pow() */
	if (grading < 1.0) {
		low = grading;
		high = 1.0;
	}
	for (int round = 0; round < 200 && n > 1; round++) {
		double q = 0.5 * (low + high), power = 1.0;
		for (uint32_t i = 1; i < n; i++)
			power *= q;
		if (power < grading)
			low = q;
		else
			high = q;
	}
	double q = grading == 1.0 ? 1.0 : 0.5 * (low + high), width = 1.0, sum = 0.0;
	for (uint32_t i = 0; i <= n; i++) {
		line[i] = sum;
		sum += width;
		width *= q;
	}
	double whole = line[n];
	for (uint32_t i = 0; i <= n; i++)
		line[i] = size * (line[i] / whole - 0.5);
	return line;
}

static void name_sides(Shape *shape, const Grid *grid)
{
	uint32_t columns = grid->columns, rows = grid->rows;
	for (uint32_t row = 0; row <= rows; row++) {
		for (uint32_t column = 0; column <= columns; column++) {
			uint32_t vertex = generate_grid_vertex(grid, column, row);
			bool side_x = column == 0 || column == columns, side_y = row == 0 || row == rows;
			const struct {
				bool in;
				const char *name;
			} member[] = {
			    {column == 0, "left"},
			    {column == columns, "right"},
			    {column == columns / 2, "middle"},
			    {row == 0, "bottom"},
			    {row == rows, "top"},
			    {column <= 1, "left2"},
			    {column + 1 >= columns, "right2"},
			    {row <= 1, "bottom2"},
			    {row + 1 >= rows, "top2"},
			    {side_x && side_y, "corners"},
			    {column == columns / 2 && row == rows / 2, "centre"},
			};
			for (guint i = 0; i < G_N_ELEMENTS(member); i++) {
				if (member[i].in)
					shape_add_to_set(shape, member[i].name, vertex);
			}
		}
	}
}

void generate_sheet(Reader *reader, Shape *shape)
{
	double size[2] = {1, 1}, grading[2] = {1, 1};
	GArray *given = reader_numbers(reader, "size", 2), *graded = reader_numbers(reader, "grading", 2);
	if (given == NULL)
		reader_fail(reader, "size", "missing; expected two lengths");
	for (int i = 0; i < 2; i++) {
		size[i] = given != NULL ? g_array_index(given, double, i) : 1.0;
		grading[i] = graded != NULL ? g_array_index(graded, double, i) : 1.0;
		if (!(size[i] > 0.0))
			reader_fail(reader, "size", "expected lengths above 0, got %g", size[i]);
		if (!(grading[i] >= 1e-4 && grading[i] <= 1e4))
			reader_fail(reader, "grading", "expected ratios from 0.0001 to 10000, got %g", grading[i]);
	}
	g_clear_pointer(&given, g_array_unref);
	g_clear_pointer(&graded, g_array_unref);

	uint32_t cells[2] = {10, 10};
	generate_grid_counts(reader, "cells", 2, cells);
	Grid grid = {.columns = cells[0], .rows = cells[1], .diagonals = generate_grid_diagonals(reader)};
	double middles = grid.diagonals == GRID_CROSS ? (double)cells[0] * cells[1] : 0.0;
	if (!generate_grid_allows(reader, "cells", (cells[0] + 1.0) * (cells[1] + 1.0) + middles))
		return;
	double *x = spread(size[0], cells[0], grading[0]), *y = spread(size[1], cells[1], grading[1]);
	for (uint32_t row = 0; row <= cells[1]; row++) {
		for (uint32_t column = 0; column <= cells[0]; column++)
			shape_add_vertex(shape, vec3(x[column], y[row], 0.0));
	}
	g_free(x);
	g_free(y);
	generate_grid_triangles(shape, &grid);
	name_sides(shape, &grid);
}

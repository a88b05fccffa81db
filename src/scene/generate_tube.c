/* The wall of a cylinder or cone around the y axis, centred at the origin, open at both ends, facing outward. */
#include "core/real.h"
#include "scene/generate.h"
#include "scene/generate_grid.h"

void generate_tube(Reader *reader, Shape *shape)
{
	double radius = reader_positive(reader, "radius", READER_REQUIRED);
	double top_radius = reader_positive(reader, "radius2", radius);
	double length = reader_positive(reader, "length", READER_REQUIRED);
	uint32_t cells[2] = {24, 24};
	generate_grid_counts(reader, "cells", 2, cells);
	if (cells[0] < 3)
		reader_fail(reader, "cells", "expected at least 3 cells around, got %u", cells[0]);
	Grid grid = {.columns = cells[0], .rows = cells[1], .closed = true, .diagonals = generate_grid_diagonals(reader)};
	double middles = grid.diagonals == GRID_CROSS ? (double)cells[0] * cells[1] : 0.0;
	if (!generate_grid_allows(reader, "cells", cells[0] * (cells[1] + 1.0) + middles))
		return;
	for (uint32_t row = 0; row <= cells[1]; row++) {
		double share = (double)row / cells[1];
		double r = radius + share * (top_radius - radius), y = length * (share - 0.5);
		for (uint32_t column = 0; column < cells[0]; column++) {
			double angle = 2.0 * REAL_PI * column / cells[0];
			uint32_t vertex = shape_add_vertex(shape, vec3(r * real_sin(angle), y, r * real_cos(angle)));
			if (row == 0)
				shape_add_to_set(shape, "bottom", vertex);
			if (row == cells[1])
				shape_add_to_set(shape, "top", vertex);
		}
	}
	generate_grid_triangles(shape, &grid);
}

/* What generators share: rectangular grids of cells cut into triangles, and counts that are checked before anything is
 * allocated. */
#ifndef CINCH_SCENE_GENERATE_GRID_H
#define CINCH_SCENE_GENERATE_GRID_H

#include "scene/reader.h"
#include "shells/shape.h"

typedef enum { GRID_ALTERNATE, GRID_SAME, GRID_CROSS } GridDiagonals;

/* Vertices stand row by row; `closed` means that the column after the last is the first again, `closed_rows` the same of
 * rows. Columns run along the first axis, rows along the second, and triangles face along first x second. */
typedef struct {
	uint32_t first;         /* the shape's index of vertex (0, 0) */
	uint32_t columns, rows; /* cells */
	bool closed, closed_rows;
	GridDiagonals diagonals;
} Grid;

static inline uint32_t generate_grid_vertex(const Grid *grid, uint32_t column, uint32_t row)
{
	uint32_t width = grid->columns + !grid->closed, height = grid->rows + !grid->closed_rows;
	return grid->first + row % height * width + column % width;
}

/* Adds the triangles of all cells; with GRID_CROSS also a vertex in the middle of each. */
void generate_grid_triangles(Shape *shape, const Grid *grid);

/* Reads the key "diagonals". */
GridDiagonals generate_grid_diagonals(Reader *reader);

/* Reads a list of `count` whole numbers of at least 1 into value[]; they keep their values when the key is absent. */
void generate_grid_counts(Reader *reader, const char *key, unsigned count, uint32_t *value);

/* Says so at `key` and returns false when a body would have more vertices than one is allowed (50 million). */
bool generate_grid_allows(Reader *reader, const char *key, double n_vertices);

#endif

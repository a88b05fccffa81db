/* Cells of an infinite grid, hashed: who is in which. A cell is there while somebody is in it. */
#ifndef CINCH_KDS_CELLS_H
#define CINCH_KDS_CELLS_H

#include <stddef.h>
#include <stdint.h>

/* Indices are clamped to +-CELLS_MOST: cells at the rim hold all that is beyond. */
enum { CELLS_MOST = (1 << 20) - 1 };

typedef struct {
	int32_t low[3], high[3]; /* cells low ... high along each axis */
} CellRange;

typedef struct Cells Cells;

Cells *cells_new(void);
void cells_free(Cells *cells);
void cells_clear(Cells *cells);
size_t cells_memory(const Cells *cells);

/* A member enters or leaves one cell. */
void cells_add(Cells *cells, const int32_t cell[3], uint32_t member);
void cells_remove(Cells *cells, const int32_t cell[3], uint32_t member);

/* Appends the members of a cell to `out` (uint32_t), which grows. */
typedef struct {
	uint32_t *member; /* (n) */
	size_t n, capacity;
} CellMembers;
void cells_collect(const Cells *cells, const int32_t cell[3], CellMembers *out);

/* Whether two ranges have a cell in common. */
static inline int cells_meet(const CellRange *a, const CellRange *b)
{
	for (int axis = 0; axis < 3; axis++)
		if (a->low[axis] > b->high[axis] || b->low[axis] > a->high[axis])
			return 0;
	return 1;
}

static inline int cells_has(const CellRange *range, const int32_t cell[3])
{
	for (int axis = 0; axis < 3; axis++)
		if (cell[axis] < range->low[axis] || cell[axis] > range->high[axis])
			return 0;
	return 1;
}

/* How many cells a range has. */
double cells_count(const CellRange *range);

#endif

/* Which cells of a grid an element is in, and until when (thesis §7.3).
 *
 * An element with its margin, half of the distance that has to be kept, is in a box of cells when
 *
 *   low_i cell_i <= x_i - margin,   x_i + margin <= (high_i + 1) cell_i      for each of its corners and each axis i.
 *
 * Corners fly straight, so it stays there until the first of them crosses one of these planes. Two elements without a common
 * cell are then apart, along some axis, by both of their margins. */
#ifndef CINCH_KDS_LATTICE_H
#define CINCH_KDS_LATTICE_H

#include "avi/flight.h"
#include "kds/cells.h"

typedef struct {
	double cell[3]; /* [length] */
	double pad;     /* [length] by which a box of cells is larger than needed when it is made: it lasts a while */
} Lattice;

/* The corners of an element. */
typedef struct {
	const Flight *flight;
	const uint32_t *vertex;
	int corners;
	double margin; /* [length] */
} LatticeShape;

/* The cells at `time`, the pad included. */
CellRange lattice_cells(const Lattice *lattice, const LatticeShape *shape, double time);

/* Until when the element stays within its cells; -INFINITY when it is not in them at `time`, INFINITY: for ever. */
double lattice_failure(const Lattice *lattice, const LatticeShape *shape, const CellRange *range, double time);

/* When it has left some of the cells, by twice the pad: an estimate, for work that may be late. */
double lattice_leaving(const Lattice *lattice, const LatticeShape *shape, const CellRange *range, double time);

#endif

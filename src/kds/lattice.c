#include "kds/lattice.h"
#include "kds/dop.h"
#include <math.h>

/* The margin with what rounding can take of it, as long as the flight plans last. */
static double margin_of(const LatticeShape *shape, double time)
{
	double size = 0.0;
	for (int c = 0; c < shape->corners; c++)
		size = fmax(size, dop_size(&shape->flight[shape->vertex[c]], time));
	return shape->margin + 2.0 * DOP_ROUNDING * size;
}

static void components(Vec3 v, double out[3])
{
	out[0] = v.x;
	out[1] = v.y;
	out[2] = v.z;
}

static int32_t clamp(double index)
{
	return index > CELLS_MOST ? CELLS_MOST : index > -CELLS_MOST ? (int32_t)index : -CELLS_MOST;
}

CellRange lattice_cells(const Lattice *lattice, const LatticeShape *shape, double time)
{
	double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
	double margin = margin_of(shape, time) + lattice->pad;
	CellRange range;
	for (int c = 0; c < shape->corners; c++) {
		double x[3];
		components(flight_position(&shape->flight[shape->vertex[c]], time), x);
		for (int axis = 0; axis < 3; axis++) {
			low[axis] = fmin(low[axis], x[axis] - margin);
			high[axis] = fmax(high[axis], x[axis] + margin);
		}
	}
	for (int axis = 0; axis < 3; axis++) {
		range.low[axis] = clamp(floor(low[axis] / lattice->cell[axis]));
		range.high[axis] = clamp(floor(high[axis] / lattice->cell[axis]));
	}
	return range;
}

/* The planes that bound a range along an axis; those at the rim are at infinity. */
static void planes(const Lattice *lattice, const CellRange *range, int axis, double *low, double *high)
{
	*low = range->low[axis] > -CELLS_MOST ? range->low[axis] * lattice->cell[axis] : -INFINITY;
	*high = range->high[axis] < CELLS_MOST ? (range->high[axis] + 1.0) * lattice->cell[axis] : INFINITY;
}

/* When a room that closes is used up; the quotient is short by more than its rounding. */
static double until(double room, double closing, double time)
{
	if (!(room >= 0.0))
		return -INFINITY;
	return closing > 0.0 ? time + room / closing * (1.0 - 1e-12) : INFINITY;
}

double lattice_failure(const Lattice *lattice, const LatticeShape *shape, const CellRange *range, double time)
{
	double earliest = INFINITY, margin = margin_of(shape, time);
	for (int c = 0; c < shape->corners; c++) {
		const Flight *plan = &shape->flight[shape->vertex[c]];
		double x[3], v[3];
		components(flight_position(plan, time), x);
		components(plan->v, v);
		for (int axis = 0; axis < 3; axis++) {
			double low, high;
			planes(lattice, range, axis, &low, &high);
			earliest = fmin(earliest, until(x[axis] - margin - low, -v[axis], time));
			earliest = fmin(earliest, until(high - (x[axis] + margin), v[axis], time));
		}
	}
	return earliest;
}

/* When the last corner has passed a plane: `missing` [length] of the way, at `speed`. */
static double passed(double missing, double speed, double time)
{
	if (missing <= 0.0)
		return time;
	return speed > 0.0 ? time + missing / speed : INFINITY;
}

double lattice_leaving(const Lattice *lattice, const LatticeShape *shape, const CellRange *range, double time)
{
	double low_time[3] = {-INFINITY, -INFINITY, -INFINITY}, high_time[3] = {-INFINITY, -INFINITY, -INFINITY};
	double margin = margin_of(shape, time) + 2.0 * lattice->pad, earliest = INFINITY;
	for (int c = 0; c < shape->corners; c++) {
		const Flight *plan = &shape->flight[shape->vertex[c]];
		double x[3], v[3];
		components(flight_position(plan, time), x);
		components(plan->v, v);
		for (int axis = 0; axis < 3; axis++) {
			double low = (range->low[axis] + 1.0) * lattice->cell[axis], high = range->high[axis] * lattice->cell[axis];
			low_time[axis] = fmax(low_time[axis], passed(low - (x[axis] - margin), v[axis], time));
			high_time[axis] = fmax(high_time[axis], passed(x[axis] + margin - high, -v[axis], time));
		}
	}
	for (int axis = 0; axis < 3; axis++)
		if (range->low[axis] < range->high[axis])
			earliest = fmin(earliest, fmin(low_time[axis], high_time[axis]));
	return earliest;
}

#include "kds/dop.h"

Dop dop_of_vertices(const Flight *flight, const uint32_t *vertex, int n, double radius, double time)
{
	Dop dop = {.time = time};
	for (int i = 0; i < n; i++) {
		const Flight *plan = &flight[vertex[i]];
		double x[DOP_AXES], v[DOP_AXES];
		dop_project(flight_position(plan, time), x);
		dop_project(plan->v, v);
		for (int axis = 0; axis < DOP_AXES; axis++) {
			dop.low[axis] = i ? fmin(dop.low[axis], x[axis] - radius) : x[axis] - radius;
			dop.high[axis] = i ? fmax(dop.high[axis], x[axis] + radius) : x[axis] + radius;
			dop.low_rate[axis] = i ? fmin(dop.low_rate[axis], v[axis]) : v[axis];
			dop.high_rate[axis] = i ? fmax(dop.high_rate[axis], v[axis]) : v[axis];
		}
		dop.size = fmax(dop.size, dop_size(plan, time));
	}
	return dop;
}

Dop dop_join(const Dop *a, const Dop *b, double time)
{
	Dop dop = {.time = time, .size = fmax(a->size, b->size)};
	double da = time - a->time, db = time - b->time;
	for (int axis = 0; axis < DOP_AXES; axis++) {
		dop.low[axis] = fmin(a->low[axis] + da * a->low_rate[axis], b->low[axis] + db * b->low_rate[axis]);
		dop.high[axis] = fmax(a->high[axis] + da * a->high_rate[axis], b->high[axis] + db * b->high_rate[axis]);
		dop.low_rate[axis] = fmin(a->low_rate[axis], b->low_rate[axis]);
		dop.high_rate[axis] = fmax(a->high_rate[axis], b->high_rate[axis]);
	}
	return dop;
}

/* Until when `below` stays under `above` along an axis by at least `gap`. */
static double axis_failure(const Dop *below, const Dop *above, int axis, double gap, double time)
{
	double high = below->high[axis] + (time - below->time) * below->high_rate[axis];
	double low = above->low[axis] + (time - above->time) * above->low_rate[axis];
	double room = low - high - gap, closing = below->high_rate[axis] - above->low_rate[axis];
	if (!(room > 0.0))
		return -INFINITY;
	/* The quotient is short by more than its rounding. */
	return closing > 0.0 ? time + room / closing * (1.0 - 1e-12) : INFINITY;
}

double dop_failure(const Dop *a, const Dop *b, double gap, double time)
{
	double latest = -INFINITY;
	gap += DOP_ROUNDING * (a->size + b->size);
	for (int axis = 0; axis < DOP_AXES; axis++) {
		latest = fmax(latest, axis_failure(a, b, axis, gap, time));
		latest = fmax(latest, axis_failure(b, a, axis, gap, time));
	}
	return latest;
}

static double axis_parting(const Dop *below, const Dop *above, int axis, double gap, double time)
{
	double high = below->high[axis] + (time - below->time) * below->high_rate[axis];
	double low = above->low[axis] + (time - above->time) * above->low_rate[axis];
	double missing = gap - (low - high), opening = above->high_rate[axis] - below->low_rate[axis];
	if (missing <= 0.0)
		return time;
	return opening > 0.0 ? time + missing / opening : INFINITY;
}

double dop_parting(const Dop *a, const Dop *b, double gap, double time)
{
	double earliest = INFINITY;
	for (int axis = 0; axis < DOP_AXES; axis++) {
		earliest = fmin(earliest, axis_parting(a, b, axis, gap, time));
		earliest = fmin(earliest, axis_parting(b, a, axis, gap, time));
	}
	return earliest;
}

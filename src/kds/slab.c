#include "kds/slab.h"
#include "kds/dop.h"

double slab_failure(const ContactPair *pair, const Flight *flight, Vec3 normal, double gap, double time)
{
	int first = distance_first[pair->kind], corners = distance_corners[pair->kind];
	double height[PAIR_MOST_CORNERS], rate[PAIR_MOST_CORNERS], size = 0.0, earliest = INFINITY;
	Vec3 origin = flight_position(&flight[pair->vertex[0]], time);
	for (int c = 0; c < corners; c++) {
		const Flight *plan = &flight[pair->vertex[c]];
		height[c] = vec3_dot(normal, vec3_sub(flight_position(plan, time), origin));
		rate[c] = vec3_dot(normal, plan->v);
		size = fmax(size, dop_size(plan, time));
	}
	gap += pair->offset + 2.0 * DOP_ROUNDING * size;
	for (int a = 0; a < first; a++) {
		for (int b = first; b < corners; b++) {
			double room = height[a] - height[b] - gap, closing = rate[b] - rate[a];
			if (!(room > 0.0))
				return -INFINITY;
			if (closing > 0.0)
				earliest = fmin(earliest, time + room / closing * (1.0 - 1e-12));
		}
	}
	return earliest;
}

double slab_gap(const ContactPair *pair, const Flight *flight, Vec3 normal, double time)
{
	int first = distance_first[pair->kind], corners = distance_corners[pair->kind];
	double above = INFINITY, below = -INFINITY, size = 0.0;
	Vec3 origin = flight_position(&flight[pair->vertex[0]], time);
	for (int c = 0; c < corners; c++) {
		const Flight *plan = &flight[pair->vertex[c]];
		double height = vec3_dot(normal, vec3_sub(flight_position(plan, time), origin));
		above = c < first && height < above ? height : above;
		below = c >= first && height > below ? height : below;
		size = fmax(size, dop_size(plan, time));
	}
	return above - below - pair->offset - 2.0 * DOP_ROUNDING * size;
}

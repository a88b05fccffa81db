#include "kds/advance.h"

double advance_gap(const ContactPair *pair, const Flight *flight, double time)
{
	Vec3 x[PAIR_MOST_CORNERS];
	for (int c = 0; c < distance_corners[pair->kind]; c++)
		x[c] = flight_position(&flight[pair->vertex[c]], time);
	return distance_closest(pair->kind, x).distance - pair->offset;
}

/* Nothing closes faster than the two fastest corners fly towards each other, so from a gap g it is safe to go on for
 * (g - least) over that speed. */
bool advance_stays_apart(const ContactPair *pair, const Flight *flight, double least, double time, double until)
{
	double speed = 0.0;
	int first = distance_first[pair->kind], corners = distance_corners[pair->kind];
	for (int a = 0; a < first; a++)
		for (int b = first; b < corners; b++)
			speed = fmax(speed, vec3_norm(vec3_sub(flight[pair->vertex[a]].v, flight[pair->vertex[b]].v)));
	for (double s = time; s <= until;) {
		double gap = advance_gap(pair, flight, s);
		if (!(gap >= least))
			return false;
		if (speed == 0.0)
			return true;
		s += fmax((gap - least) / speed, 1e-9 * least / speed);
	}
	return true;
}

#include "kds/tube.h"
#include <stdlib.h>

void tube_init(Tubes *tubes, const Flight *flight, size_t n, const double *radius)
{
	*tubes = (Tubes){.flight = flight, .n = n};
	tubes->reference = flight_allocate(n);
	tubes->reach2 = g_new0(double, n + 1);
	tubes->speed = g_new0(double, n + 1);
	tubes->level = g_new0(uint8_t, n + 1);
	for (int level = 0; level < TUBE_LEVELS; level++)
		tubes->radius[level] = radius[level];
}

void tube_free(Tubes *tubes)
{
	free(tubes->reference);
	g_free(tubes->reach2);
	g_free(tubes->speed);
	g_free(tubes->level);
}

/* Of the difference of the vertex and its reference. */
static double rounding_of(const Tubes *tubes, uint32_t vertex)
{
	const Flight *reference = &tubes->reference[vertex];
	double speed = 3.0 * tubes->speed[vertex];
	return 2.0 * DOP_ROUNDING * (dop_size(reference, tubes->end) + speed * fabs(tubes->end) + tubes->radius[TUBE_LEVELS - 1]);
}

/* The squared radius of a level, less rounding. */
static double reach2_of(const Tubes *tubes, uint32_t vertex, uint8_t level)
{
	double reach = tubes->radius[level] - rounding_of(tubes, vertex);
	return reach > 0.0 ? reach * reach * (1.0 - 1e-12) : -1.0;
}

double tube_rounding(const Tubes *tubes, uint32_t vertex)
{
	return 2.0 * rounding_of(tubes, vertex);
}

void tube_centre(Tubes *tubes, uint32_t vertex, double time, Vec3 velocity)
{
	tubes->reference[vertex] = (Flight){.x = flight_position(&tubes->flight[vertex], time), .v = velocity, .t = time};
	tubes->level[vertex] = 0;
	tubes->reach2[vertex] = reach2_of(tubes, vertex, tubes->level[vertex]);
}

void tube_allow(Tubes *tubes, uint32_t vertex, double speed)
{
	tubes->speed[vertex] = speed;
	tubes->reach2[vertex] = reach2_of(tubes, vertex, tubes->level[vertex]);
}

bool tube_widen(Tubes *tubes, uint32_t vertex)
{
	while (!tube_keeps_place(tubes, vertex)) {
		if (tubes->level[vertex] == TUBE_LEVELS - 1)
			return false;
		tubes->level[vertex]++;
		tubes->reach2[vertex] = reach2_of(tubes, vertex, tubes->level[vertex]);
	}
	return true;
}

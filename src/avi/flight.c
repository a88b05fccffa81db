#include "avi/flight.h"
#include <glib.h>
#include <stdlib.h>
#include <string.h>

Flight *flight_allocate(size_t n)
{
	size_t size = MAX(n, 1) * sizeof(Flight);
	Flight *flights = aligned_alloc(sizeof(Flight), size);
	if (flights == NULL)
		g_error("out of memory: %zu bytes for flight plans", size);
	memset(flights, 0, size);
	return flights;
}

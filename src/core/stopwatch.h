/* Wall time, for progress and counters; never for anything that could reach the motion. */
#ifndef CINCH_CORE_STOPWATCH_H
#define CINCH_CORE_STOPWATCH_H

#include <time.h>

static inline double stopwatch_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif

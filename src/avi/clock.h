/* Clocks: the k-th tick of a clock is k * h, never a running sum, so that a clock that sleeps and wakes, or is restored
 * from a checkpoint, ticks at the same instants to the last bit. */
#ifndef CINCH_AVI_CLOCK_H
#define CINCH_AVI_CLOCK_H

#include <math.h>
#include <stdint.h>

typedef struct {
	double step;   /* [s] h */
	uint64_t tick; /* k of the next tick */
} Clock;

static inline double clock_time(const Clock *clock)
{
	return (double)clock->tick * clock->step;
}

/* The k of the first tick after `time`. */
static inline uint64_t clock_tick_after(double step, double time)
{
	uint64_t k = (uint64_t)floor(time / step);
	while (k > 0 && (double)k * step > time)
		k--;
	while ((double)k * step <= time)
		k++;
	return k;
}

/* The least step that time can resolve: at 1000 units in the last place of the time that it is added to, a step is what
 * it says to a thousandth. */
static inline double clock_resolution(double time)
{
	return 1000.0 * (nextafter(time, INFINITY) - time);
}

/* How much time the tick at k h stands for: the interval of length h around it. The first, at time zero, has only its
 * later half. This makes the asynchronous scheme a leapfrog: second order, where kicks that stand for the whole interval
 * before them would be of first order. */
static inline double clock_weight(const Clock *clock)
{
	return clock->tick == 0 ? 0.5 * clock->step : clock->step;
}

/* The time by which the ticks done so far fall short of `time` (or run ahead: negative). A velocity read at `time`
 * becomes one of second order when it is kicked for just this long. */
static inline double clock_lag(const Clock *clock, double time)
{
	return clock->tick == 0 ? time : time - ((double)clock->tick - 0.5) * clock->step;
}

/* The largest step of the form m * 2^e with m in {4, 5, 6, 7} that is not above `step`: at most a quarter smaller, so
 * that steps that are nearly the same become the same and their elements can share a clock. */
static inline double clock_bin(double step)
{
	int exponent;
	double mantissa = frexp(step, &exponent); /* in [1/2, 1) */
	return ldexp(floor(mantissa * 8.0), exponent - 3);
}

#endif

/* Random numbers that are the same every time (splitmix64); the test sets the seed. */
#ifndef CINCH_TESTS_SUPPORT_RANDOM_H
#define CINCH_TESTS_SUPPORT_RANDOM_H

#include <stdint.h>

static uint64_t random_seed;

static inline uint64_t random_bits(void)
{
	uint64_t z = (random_seed += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static inline double random_between(double least, double most)
{
	return least + (most - least) * ((double)(random_bits() >> 11) * 0x1p-53);
}

/* 0 ... n - 1 */
static inline int random_below(int n)
{
	return (int)(random_bits() % (uint64_t)n);
}

#endif

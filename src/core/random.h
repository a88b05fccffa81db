/* Random numbers that are the same on every machine, from a seed. */
#ifndef CINCH_CORE_RANDOM_H
#define CINCH_CORE_RANDOM_H

#include <stdint.h>

/* Steele, Lea and Flood's splitmix64: integers only. Evenly spread in [0, 1). */
static inline double random_unit(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

#endif

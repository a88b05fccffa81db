/* A fingerprint of a motion, 256 bits: four lanes of 64, one for the time and one for each coordinate of a commit, mixed by
 * the rounds of XXH64 (Collet). A motion has tens of millions of commits, and a cryptographic hash would cost more than the
 * rest of the judgement; this one shows any change that was not made to deceive it. Against that, the run can be repeated. */
#ifndef CINCH_VERIFY_FINGERPRINT_H
#define CINCH_VERIFY_FINGERPRINT_H

#include <stdint.h>
#include <string.h>

#define FINGERPRINT_P1 UINT64_C(0x9e3779b185ebca87)
#define FINGERPRINT_P2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define FINGERPRINT_P3 UINT64_C(0x165667b19e3779f9)

/* All zero at first. */
typedef struct {
	uint64_t lane[4];
} Fingerprint;

static inline uint64_t fingerprint_bits(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static inline uint64_t fingerprint_round(uint64_t lane, uint64_t word)
{
	lane += word * FINGERPRINT_P2;
	return (lane << 31 | lane >> 33) * FINGERPRINT_P1;
}

/* A vertex is at x at a time. */
static inline void fingerprint_add(Fingerprint *fingerprint, uint32_t vertex, double time, const double x[3])
{
	uint64_t *lane = fingerprint->lane;
	lane[0] = fingerprint_round(lane[0], fingerprint_bits(time));
	lane[1] = fingerprint_round(lane[1], fingerprint_bits(x[0]) + vertex * FINGERPRINT_P3);
	lane[2] = fingerprint_round(lane[2], fingerprint_bits(x[1]));
	lane[3] = fingerprint_round(lane[3], fingerprint_bits(x[2]));
}

enum { FINGERPRINT_DIGITS = 64 };
/* In hexadecimal, terminated. */
void fingerprint_text(const Fingerprint *fingerprint, char text[FINGERPRINT_DIGITS + 1]);

#endif

/* Eight doubles at a time.
 *
 * Each lane does what scalar code would do, operation by operation: IEEE additions, multiplications, divisions and square
 * roots, none fused. So a kernel gives the same bits as its scalar twin, and as itself on a processor with shorter vectors:
 * files that use lanes are compiled once for each of the sets of instructions of core/processor.h, and the widest that the
 * processor has is taken at run time. For that their functions are static, or named by LANES_NAME(). */
#ifndef CINCH_CORE_LANES_H
#define CINCH_CORE_LANES_H

#include "core/arc_tangent.h"
#include "core/lanes_count.h"
#include "core/vec.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpsabi" /* nothing is passed by these types between files */

/* LANES_TARGET is what the build calls the set of instructions: plain, avx2, avx512. */
#define LANES_JOIN(name, target) name##_##target
#define LANES_EXPAND(name, target) LANES_JOIN(name, target)
#define LANES_NAME(name) LANES_EXPAND(name, LANES_TARGET)


typedef double Lanes __attribute__((vector_size(64), aligned(8)));
typedef int64_t LanesMask __attribute__((vector_size(64), aligned(8)));

typedef struct {
	Lanes x, y, z;
} Lanes3;

#define LANES_INLINE static inline __attribute__((always_inline, unused))

LANES_INLINE Lanes lanes_all(double a)
{
	return (Lanes){a, a, a, a, a, a, a, a};
}

LANES_INLINE Lanes lanes_load(const double *from)
{
	Lanes a;
	memcpy(&a, from, sizeof a);
	return a;
}

LANES_INLINE void lanes_store(double *to, Lanes a)
{
	memcpy(to, &a, sizeof a);
}

/* The first n. */
LANES_INLINE Lanes lanes_load_part(const double *from, uint32_t n)
{
	double a[LANES] = {0};
	memcpy(a, from, n * sizeof *a);
	return lanes_load(a);
}

LANES_INLINE void lanes_store_part(double *to, Lanes a, uint32_t n)
{
	double all[LANES];
	lanes_store(all, a);
	memcpy(to, all, n * sizeof *all);
}

LANES_INLINE Lanes lanes_select(LanesMask mask, Lanes yes, Lanes no)
{
#if defined __AVX512F__
	__mmask8 bits = _mm512_cmplt_epi64_mask((__m512i)mask, _mm512_setzero_si512());
	return (Lanes)_mm512_mask_blend_pd(bits, (__m512d)no, (__m512d)yes);
#else
	return (Lanes)((mask & (LanesMask)yes) | (~mask & (LanesMask)no));
#endif
}

LANES_INLINE bool lanes_any(LanesMask mask)
{
#if defined __AVX512F__
	return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#else
	int64_t all = 0;
	for (int l = 0; l < LANES; l++)
		all |= mask[l];
	return all != 0;
#endif
}

LANES_INLINE Lanes lanes_abs(Lanes a)
{
	return (Lanes)((LanesMask)a & INT64_MAX);
}

LANES_INLINE Lanes lanes_sqrt(Lanes a)
{
#if defined __AVX512F__
	return (Lanes)_mm512_sqrt_pd((__m512d)a);
#else
	for (int l = 0; l < LANES; l++)
		a[l] = sqrt(a[l]);
	return a;
#endif
}

LANES_INLINE Lanes3 lanes3_sub(Lanes3 a, Lanes3 b)
{
	return (Lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}

LANES_INLINE Lanes3 lanes3_add(Lanes3 a, Lanes3 b)
{
	return (Lanes3){a.x + b.x, a.y + b.y, a.z + b.z};
}

LANES_INLINE Lanes3 lanes3_scale(Lanes s, Lanes3 a)
{
	return (Lanes3){s * a.x, s * a.y, s * a.z};
}

LANES_INLINE Lanes3 lanes3_madd(Lanes3 a, Lanes s, Lanes3 b)
{
	return (Lanes3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

LANES_INLINE Lanes lanes3_dot(Lanes3 a, Lanes3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

LANES_INLINE Lanes3 lanes3_cross(Lanes3 a, Lanes3 b)
{
	return (Lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Rows of four doubles, x y z and one that does not count: eight of them as three lanes, and back. */
LANES_INLINE Lanes3 lanes3_rows(const double *rows, const uint16_t *row)
{
#if defined __AVX512F__
	__m512d pair[4];
	for (int i = 0; i < 4; i++)
		pair[i] = _mm512_insertf64x4(
		    _mm512_castpd256_pd512(_mm256_loadu_pd(rows + 4 * row[i])), _mm256_loadu_pd(rows + 4 * row[i + 4]), 1);
	__m512d low = _mm512_unpacklo_pd(pair[0], pair[1]), high = _mm512_unpacklo_pd(pair[2], pair[3]);
	__m512d low_y = _mm512_unpackhi_pd(pair[0], pair[1]), high_y = _mm512_unpackhi_pd(pair[2], pair[3]);
	const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
	return (Lanes3){(Lanes)_mm512_permutex2var_pd(low, first, high), (Lanes)_mm512_permutex2var_pd(low_y, first, high_y),
	    (Lanes)_mm512_permutex2var_pd(low, second, high)};
#else
	Lanes3 a;
	for (int l = 0; l < LANES; l++) {
		const double *from = rows + 4 * row[l];
		a.x[l] = from[0];
		a.y[l] = from[1];
		a.z[l] = from[2];
	}
	return a;
#endif
}

/* Adds lane after lane to its row. */
LANES_INLINE void lanes3_add_to_rows(Lanes3 a, double *rows, const uint16_t *row)
{
#if defined __AVX512F__
	__m512d low = _mm512_unpacklo_pd((__m512d)a.x, (__m512d)a.y), high = _mm512_unpackhi_pd((__m512d)a.x, (__m512d)a.y);
	__m512d z_low = _mm512_unpacklo_pd((__m512d)a.z, _mm512_setzero_pd());
	__m512d z_high = _mm512_unpackhi_pd((__m512d)a.z, _mm512_setzero_pd());
	/* low: x0 y0 x2 y2 x4 y4 x6 y6, z_low: z0 0 z2 0 ...; high and z_high the odd ones. */
	const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
	__m512d even04 = _mm512_permutex2var_pd(low, first, z_low), even26 = _mm512_permutex2var_pd(low, second, z_low);
	__m512d odd15 = _mm512_permutex2var_pd(high, first, z_high), odd37 = _mm512_permutex2var_pd(high, second, z_high);
	const __m256d each[LANES] = {_mm512_castpd512_pd256(even04), _mm512_castpd512_pd256(odd15),
	    _mm512_castpd512_pd256(even26), _mm512_castpd512_pd256(odd37), _mm512_extractf64x4_pd(even04, 1),
	    _mm512_extractf64x4_pd(odd15, 1), _mm512_extractf64x4_pd(even26, 1), _mm512_extractf64x4_pd(odd37, 1)};
	for (int l = 0; l < LANES; l++) {
		double *to = rows + 4 * row[l];
		_mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), each[l]));
	}
#else
	for (int l = 0; l < LANES; l++) {
		double *to = rows + 4 * row[l];
		to[0] += a.x[l];
		to[1] += a.y[l];
		to[2] += a.z[l];
	}
#endif
}

/* atan(z) for |z| <= tan(pi/8), as in real.c. */
LANES_INLINE Lanes lanes_arc_tangent(Lanes z)
{
	Lanes s = z * z, s2 = s * s, s4 = s2 * s2, s8 = s4 * s4;
	Lanes p01 = ARC_TANGENT_0 + s * ARC_TANGENT_1, p23 = ARC_TANGENT_2 + s * ARC_TANGENT_3;
	Lanes p45 = ARC_TANGENT_4 + s * ARC_TANGENT_5, p67 = ARC_TANGENT_6 + s * ARC_TANGENT_7;
	Lanes p89 = ARC_TANGENT_8 + s * ARC_TANGENT_9;
	Lanes p8 = p89 + s2 * ARC_TANGENT_10;
	Lanes p = ((p01 + s2 * p23) + s4 * (p45 + s2 * p67)) + s8 * p8;
	return z + z * (s * p);
}

/* real_atan2() where the larger of the two is between 2^-900 and 2^1000. */
LANES_INLINE Lanes lanes_angle(Lanes y, Lanes x)
{
	const Lanes none = lanes_all(0.0);
	Lanes across = lanes_abs(x), up = lanes_abs(y);
	LanesMask flat = (LanesMask)(up <= TAN_EIGHTH_PI * across);
	LanesMask steep = ~flat & (LanesMask)(across <= TAN_EIGHTH_PI * up);
	Lanes numerator = lanes_select(flat, up, lanes_select(steep, -across, up - across));
	Lanes denominator = lanes_select(flat, across, lanes_select(steep, up, up + across));
	Lanes rest = lanes_arc_tangent(numerator / denominator);
	LanesMask behind = (LanesMask)(x < none);
	rest = lanes_select(behind, -rest, rest);
	Lanes right_high = lanes_all(EIGHTH_HIGH_2), right_low = lanes_all(EIGHTH_LOW_2);
	Lanes high = lanes_select(flat, lanes_select(behind, lanes_all(EIGHTH_HIGH_4), none),
	    lanes_select(steep, right_high, lanes_select(behind, lanes_all(EIGHTH_HIGH_3), lanes_all(EIGHTH_HIGH_1))));
	Lanes low = lanes_select(flat, lanes_select(behind, lanes_all(EIGHTH_LOW_4), none),
	    lanes_select(steep, right_low, lanes_select(behind, lanes_all(EIGHTH_LOW_3), lanes_all(EIGHTH_LOW_1))));
	Lanes angle = high + (low + rest);
	return lanes_select((LanesMask)(y < none), -angle, angle);
}

#endif

/* Bounds of errors. With u = 2^-53, differences, products and sums each have a relative error of at most u: a product
 * of two differences 3u, a sum of two of them 4u, times a third difference 6u, a sum of three of those 8u, all relative
 * to the sum of absolute values, whose own rounding adds the same again at second order. 5u and 10u are used. Underflow
 * would break this: sums below LEAST_SUM are left to the integers. Overflow makes the comparisons false. */
#include "verify/exact.h"
#include "verify/meet.h"
#include <math.h>

#define UNIT 0x1p-53
#define LEAST_SUM 1e-280

/* ---- integers ---- */

/* value = mantissa 2^exponent with an odd mantissa; value is not 0. */
static int64_t split(double value, int *exponent)
{
	int64_t mantissa = (int64_t)ldexp(frexp(value, exponent), 53);
	int zeros = __builtin_ctzll((unsigned long long)mantissa);
	*exponent += zeros - 53;
	return mantissa / ((int64_t)1 << zeros);
}

void exact_integers(const double *value, size_t n, mpz_t *integer)
{
	int least = INT32_MAX, exponent;
	for (size_t i = 0; i < n; i++)
		if (value[i] != 0.0) {
			split(value[i], &exponent);
			least = exponent < least ? exponent : least;
		}
	for (size_t i = 0; i < n; i++)
		if (value[i] != 0.0) {
			mpz_set_si(integer[i], split(value[i], &exponent));
			mpz_mul_2exp(integer[i], integer[i], (mp_bitcnt_t)(exponent - least));
		} else {
			mpz_set_si(integer[i], 0);
		}
}

/* result = a d - b c */
static void determinant2(mpz_t result, const mpz_t a, const mpz_t b, const mpz_t c, const mpz_t d)
{
	mpz_mul(result, a, d);
	mpz_submul(result, b, c);
}

/* Rows of three coordinates become integers, all less those of the first row. */
static void difference_rows(const double *const *row, int n, mpz_t *integer)
{
	double value[12];
	for (int i = 0; i < n; i++)
		for (int k = 0; k < 3; k++)
			value[3 * i + k] = row[i][k];
	exact_integers(value, 3 * (size_t)n, integer);
	for (int i = 3; i < 3 * n; i++)
		mpz_sub(integer[i], integer[i], integer[i % 3]);
}

static void init_all(mpz_t *integer, int n)
{
	for (int i = 0; i < n; i++)
		mpz_init(integer[i]);
}

static void clear_all(mpz_t *integer, int n)
{
	for (int i = 0; i < n; i++)
		mpz_clear(integer[i]);
}

static int orient3_integer(const double a[3], const double b[3], const double c[3], const double d[3])
{
	const double *const row[4] = {a, b, c, d};
	mpz_t x[12], minor, sum;
	init_all(x, 12);
	mpz_inits(minor, sum, NULL);
	difference_rows(row, 4, x);
	for (int k = 0; k < 3; k++) {
		int i = (k + 1) % 3, j = (k + 2) % 3;
		determinant2(minor, x[3 + i], x[3 + j], x[6 + i], x[6 + j]);
		mpz_addmul(sum, minor, x[9 + k]);
	}
	int sign = mpz_sgn(sum);
	mpz_clears(minor, sum, NULL);
	clear_all(x, 12);
	return sign;
}

static int orient2_integer(int axis, const double a[3], const double b[3], const double c[3])
{
	const double *const row[3] = {a, b, c};
	int i = (axis + 1) % 3, j = (axis + 2) % 3;
	mpz_t x[9], minor;
	init_all(x, 9);
	mpz_init(minor);
	difference_rows(row, 3, x);
	determinant2(minor, x[3 + i], x[3 + j], x[6 + i], x[6 + j]);
	int sign = mpz_sgn(minor);
	mpz_clear(minor);
	clear_all(x, 9);
	return sign;
}

/* ---- signs ---- */

static int sign_of(double value)
{
	return (value > 0.0) - (value < 0.0);
}

int exact_orient2(int axis, const double a[3], const double b[3], const double c[3])
{
	int i = (axis + 1) % 3, j = (axis + 2) % 3;
	double bi = b[i] - a[i], bj = b[j] - a[j], ci = c[i] - a[i], cj = c[j] - a[j];
	double left = bi * cj, right = bj * ci;
	double sum = fabs(left) + fabs(right), value = left - right;
	if (sum > LEAST_SUM && fabs(value) > 5.0 * UNIT * sum)
		return sign_of(value);
	/* Differences of doubles are zero only when they are. */
	if ((bi == 0.0 || cj == 0.0) && (bj == 0.0 || ci == 0.0))
		return 0;
	return orient2_integer(axis, a, b, c);
}

int exact_orient3(const double a[3], const double b[3], const double c[3], const double d[3])
{
	double value = 0.0, sum = 0.0;
	for (int k = 0; k < 3; k++) {
		int i = (k + 1) % 3, j = (k + 2) % 3;
		double bi = b[i] - a[i], bj = b[j] - a[j], ci = c[i] - a[i], cj = c[j] - a[j], dk = d[k] - a[k];
		value += (bi * cj - bj * ci) * dk;
		sum += (fabs(bi * cj) + fabs(bj * ci)) * fabs(dk);
	}
	if (sum > LEAST_SUM && fabs(value) > 10.0 * UNIT * sum)
		return sign_of(value);
	for (int k = 0; k < 3; k++) /* sheets are often made in a coordinate plane */
		if (b[k] == a[k] && c[k] == a[k] && d[k] == a[k])
			return 0;
	return orient3_integer(a, b, c, d);
}

/* ---- elements ---- */

static int source_orient3(void *source, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	const double(*x)[3] = source;
	return exact_orient3(x[a], x[b], x[c], x[d]);
}

static int source_orient2(void *source, int axis, uint32_t a, uint32_t b, uint32_t c)
{
	const double(*x)[3] = source;
	return exact_orient2(axis, x[a], x[b], x[c]);
}

static int source_compare(void *source, int axis, uint32_t a, uint32_t b)
{
	const double(*x)[3] = source;
	return (x[a][axis] > x[b][axis]) - (x[a][axis] < x[b][axis]);
}

bool exact_meet(const double (*x)[3], const uint32_t *a, int n_a, const uint32_t *b, int n_b)
{
	const MeetSigns signs = {
	    .source = (void *)x,
	    .orient3 = source_orient3,
	    .orient2 = source_orient2,
	    .compare = source_compare,
	};
	return meet_elements(&signs, a, n_a, b, n_b);
}

/* The references are the long double functions of libm, whose own error (2^-64) does not count in ulps of a double.
 * Tolerances are those of real.h; what was measured is below 1 ulp for sine and cosine and below 2 for the others. */
#include "core/real.h"
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdint.h>

#define POINTS 100000

static uint64_t state;

static uint64_t random_bits(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static double random_between(double least, double most)
{
	return least + (most - least) * ((double)(random_bits() >> 11) * 0x1p-53);
}

/* The error in units of the last place of the true value. */
static double ulps(double value, long double truth)
{
	double magnitude = fabs((double)truth);
	double unit = magnitude < DBL_MIN ? 0x1p-1074 : nextafter(magnitude, INFINITY) - magnitude;
	return (double)(fabsl((long double)value - truth) / unit);
}

static void check_sine_and_cosine(double range, double most_ulps, double absolute)
{
	double worst = 0.0;
	for (int i = 0; i < POINTS; i++) {
		double a = random_between(-range, range);
		long double sine = sinl((long double)a), cosine = cosl((long double)a);
		double sine_error = ulps(real_sin(a), sine), cosine_error = ulps(real_cos(a), cosine);
		worst = fmax(worst, fmax(sine_error, cosine_error));
		cr_assert(sine_error <= most_ulps || fabsl(real_sin(a) - sine) <= absolute, "sin(%.17g): %.3g ulp", a,
		    sine_error);
		cr_assert(cosine_error <= most_ulps || fabsl(real_cos(a) - cosine) <= absolute, "cos(%.17g): %.3g ulp",
		    a, cosine_error);
		cr_assert_eq(real_sin(-a), -real_sin(a));
		cr_assert_eq(real_cos(-a), real_cos(a));
		cr_assert(fabs(real_sin(a)) <= 1.0 && fabs(real_cos(a)) <= 1.0);
	}
	cr_log_info("|a| <= %g: at most %.3f ulp", range, worst);
}

Test(real, sine_and_cosine_of_random_angles)
{
	state = 1;
	check_sine_and_cosine(1.0, 2.0, 0.0);
	check_sine_and_cosine(1e3, 2.0, 0.0);
	check_sine_and_cosine(1e6, 4.0, 1e-15);
}

/* Beside a multiple of pi/2 all leading bits cancel: the reduction is right only if its tail is. */
Test(real, sine_and_cosine_beside_their_zeros)
{
	for (int k = 1; k < 636000; k += k < 2000 ? 1 : 997) {
		double a = (double)(k * (3.14159265358979323846264338327950288L / 2.0L));
		long double truth = k & 1 ? cosl((long double)a) : sinl((long double)a);
		double value = k & 1 ? real_cos(a) : real_sin(a);
		/* The 64 bits of pi inside sinl leave k 2^-67 of error in the reference. */
		double doubt = (double)k * 0x1p-66;
		cr_assert(ulps(value, truth) <= 2.0 || fabsl(value - truth) <= doubt, "k = %d: %.17g, not %.17Lg", k,
		    value, truth);
	}
	/* sin(pi as a double), from pi to 40 digits. */
	cr_assert_eq(real_sin(REAL_PI), 1.2246467991473531772e-16);
	cr_assert_eq(real_cos(REAL_PI / 2), 6.1232339957367658861e-17);
}

Test(real, sine_and_cosine_at_special_points)
{
	cr_assert(real_sin(0.0) == 0.0 && !signbit(real_sin(0.0)));
	cr_assert(real_sin(-0.0) == 0.0 && signbit(real_sin(-0.0)));
	cr_assert_eq(real_cos(0.0), 1.0);
	cr_assert_eq(real_sin(0x1p-1074), 0x1p-1074);
	cr_assert_eq(real_cos(1e-300), 1.0);
	cr_assert_eq(real_sin(REAL_PI / 2), 1.0);
	cr_assert_eq(real_cos(REAL_PI), -1.0);
	cr_assert(
	    isnan(real_sin(INFINITY)) && isnan(real_cos(-INFINITY)) && isnan(real_sin(NAN)) && isnan(real_cos(1e20)));
}

Test(real, arc_tangent_of_random_points)
{
	state = 2;
	double worst = 0.0;
	for (int i = 0; i < POINTS; i++) {
		double y = random_between(-1.0, 1.0), x = random_between(-1.0, 1.0);
		if (i & 1) /* all magnitudes, also those that overflow or lose bits in the quotient */
			y = ldexp(y, (int)(random_bits() % 2090) - 1070);
		if (i & 2)
			x = ldexp(x, (int)(random_bits() % 2090) - 1070);
		double value = real_atan2(y, x);
		double error = ulps(value, atan2l((long double)y, (long double)x));
		worst = fmax(worst, error);
		cr_assert(error <= 2.0, "atan2(%.17g, %.17g): %.3g ulp", y, x, error);
		cr_assert(y == 0.0 || real_atan2(-y, x) == -value);
		cr_assert(fabs(value) <= REAL_PI);
	}
	cr_log_info("atan2: at most %.3f ulp", worst);
}

Test(real, arc_tangent_at_special_points)
{
	cr_assert_eq(real_atan2(0.0, 0.0), 0.0);
	cr_assert_eq(real_atan2(0.0, -0.0), 0.0);
	cr_assert_eq(real_atan2(0.0, 3.0), 0.0);
	cr_assert_eq(real_atan2(0.0, -3.0), REAL_PI);
	cr_assert_eq(real_atan2(-0.0, -3.0), REAL_PI, "the range is (-pi, pi]");
	cr_assert_eq(real_atan2(2.0, 0.0), REAL_PI / 2);
	cr_assert_eq(real_atan2(-2.0, 0.0), -REAL_PI / 2);
	cr_assert_eq(real_atan2(5.0, 5.0), REAL_PI / 4);
	cr_assert_eq(real_atan2(-5.0, 5.0), -REAL_PI / 4);
	cr_assert_eq(real_atan2(5.0, -5.0), 3.0 * (REAL_PI / 4));
	cr_assert_eq(real_atan2(DBL_MAX, DBL_MAX), REAL_PI / 4);
	cr_assert_eq(real_atan2(0x1p-1074, 0x1p-1074), REAL_PI / 4);
	cr_assert_eq(real_atan2(0x1p-1074, DBL_MAX), 0.0);
	cr_assert_eq(real_atan2(INFINITY, 1.0), REAL_PI / 2);
	cr_assert_eq(real_atan2(1.0, -INFINITY), REAL_PI);
	cr_assert_eq(real_atan2(-INFINITY, INFINITY), -REAL_PI / 4);
	cr_assert(isnan(real_atan2(NAN, 1.0)) && isnan(real_atan2(1.0, NAN)) && isnan(real_atan2(INFINITY, NAN)));
}

/* Where the eighths of the circle meet, the angle must not step back. */
Test(real, arc_tangent_grows_across_the_seams)
{
	for (int seam = 0; seam < 4; seam++) {
		double middle = REAL_PI / 8 + seam * REAL_PI / 4, last = -INFINITY;
		for (int i = -1000; i <= 1000; i++) {
			double a = middle + i * 1e-15;
			double value = real_atan2(sin(a), cos(a));
			cr_assert(value > last - 2e-15);
			cr_assert(fabs(value - a) < 2e-15);
			last = value;
		}
	}
}

Test(real, arc_cosine)
{
	state = 3;
	for (int i = 0; i < POINTS; i++) {
		double c = random_between(-1.0, 1.0);
		if (i & 1) /* also close to the ends, where the slope is infinite */
			c = copysign(1.0 - ldexp(fabs(c), -(int)(random_bits() % 52)), c);
		double error = ulps(real_acos(c), acosl((long double)c));
		cr_assert(error <= 4.0, "acos(%.17g): %.3g ulp", c, error);
	}
	cr_assert_eq(real_acos(1.0), 0.0);
	cr_assert_eq(real_acos(1.5), 0.0);
	cr_assert_eq(real_acos(-1.0), REAL_PI);
	cr_assert_eq(real_acos(-7.0), REAL_PI);
	cr_assert_eq(real_acos(0.0), REAL_PI / 2);
	cr_assert(isnan(real_acos(NAN)));
}

Test(real, smoothstep)
{
	cr_assert_eq(real_smoothstep(-1.0), 0.0);
	cr_assert_eq(real_smoothstep(0.0), 0.0);
	cr_assert_eq(real_smoothstep(0.5), 0.5);
	cr_assert_eq(real_smoothstep(1.0), 1.0);
	cr_assert_eq(real_smoothstep(2.0), 1.0);
	cr_assert_eq(real_smoothstep(0.25), 0.15625);
	cr_assert(real_smoothstep(1e-3) < 3e-6 && 1.0 - real_smoothstep(1.0 - 1e-3) < 3.1e-6);
	cr_assert(isnan(real_smoothstep(NAN)));
}

/* The bits of a few values, as they were when written: they must be the same on every machine. */
Test(real, bits_are_the_same_everywhere)
{
	uint64_t hash = 14695981039346656037u;
	state = 4;
	for (int i = 0; i < POINTS; i++) {
		double a = random_between(-100.0, 100.0), b = random_between(-1.0, 1.0);
		double values[] = {real_sin(a), real_cos(a), real_atan2(a, b), real_acos(b), real_smoothstep(b), real_cube_root(a)};
		for (int j = 0; j < 5; j++) {
			union {
				double value;
				uint64_t bits;
			} u = {values[j]};
			hash = (hash ^ u.bits) * 1099511628211u;
		}
	}
	cr_assert_eq(hash, 0x4936c9d0bb511434u, "hash 0x%016llx", (unsigned long long)hash);
}

Test(real, cube_root)
{
	for (int i = 0; i < 100000; i++) {
		double a = ldexp(1.0 + i / 1e5, i % 600 - 300);
		double error = ulps(real_cube_root(a), cbrtl((long double)a));
		cr_assert(error <= 4.0, "cube root of %.17g: %.3g ulp", a, error);
		cr_assert_eq(real_cube_root(-a), -real_cube_root(a));
	}
	cr_assert_eq(real_cube_root(0.0), 0.0);
	cr_assert_eq(real_cube_root(INFINITY), INFINITY);
	cr_assert_eq(real_cube_root(27.0), 3.0);
	cr_assert(isnan(real_cube_root(NAN)));
}

/* Invariant: each function is one fixed sequence of IEEE additions, multiplications, divisions and square roots, so its
 * result is the same bits wherever doubles are IEEE and the compiler neither contracts nor reorders.
 *
 * Sine and cosine: a = k pi/2 + r with |r| <= pi/4, where r is kept as a sum of two doubles (Cody and Waite's
 * reduction), then the Taylor polynomials, whose remainder at pi/4 is below 2^-57. Arc tangent: the plane's directions
 * are referred to the nearest multiple of pi/4, which leaves |z| <= tan(pi/8) after one division, then a polynomial. */
#include "core/real.h"
#include "core/arc_tangent.h"
#include <math.h>
#include <stdint.h>

/* pi/2 = the sum of these, within 2^-122. The first two have 33 bits, so that their products with k < 2^20 are exact.
 */
#define HALF_PI_1 0x1.921fb544p+0
#define HALF_PI_2 0x1.0b4611a6p-34
#define HALF_PI_3 0x1.3198a2e037073p-69
#define TWO_OVER_PI 0x1.45f306dc9c883p-1

/* Beyond it not even the quadrant would be right: NaN rather than a wrong number. (From 1e6 to here the error grows
 * with |a|, up to 1e-6.) */
#define LARGEST_ANGLE 0x1p31

/* r = high + low; the quadrant is k modulo 4. */
typedef struct {
	double high, low;
	unsigned quadrant;
} ReducedAngle;

/* a >= 0. */
static ReducedAngle reduce(double a)
{
	int64_t turns = (int64_t)(a * TWO_OVER_PI + 0.5);
	double k = (double)turns;
	/* Exact: the difference is below 1 and a multiple of 2^-53 (a >= pi/4 when k > 0). */
	double first = a - k * HALF_PI_1;
	double second = k * HALF_PI_2;
	double middle = first - second;
	/* Knuth's two-sum: what the subtraction rounded off. */
	double part = middle - first;
	double lost = (first - (middle - part)) - (second + part);
	double tail = lost - k * HALF_PI_3;
	double high = middle + tail;
	return (ReducedAngle){high, (middle - high) + tail, (unsigned)(turns & 3)};
}

/* sin(r + tail), |r| <= pi/4: Taylor to r^17. */
static double sine_polynomial(double r, double tail)
{
	double s = r * r;
	double p = -1.0 / 1307674368000.0 + s * (1.0 / 355687428096000.0);
	p = 1.0 / 6227020800.0 + s * p;
	p = -1.0 / 39916800.0 + s * p;
	p = 1.0 / 362880.0 + s * p;
	p = -1.0 / 5040.0 + s * p;
	p = 1.0 / 120.0 + s * p;
	p = -1.0 / 6.0 + s * p;
	return r + (r * s * p + tail * (1.0 - 0.5 * s));
}

/* cos(r + tail), |r| <= pi/4: Taylor to r^16. */
static double cosine_polynomial(double r, double tail)
{
	double s = r * r;
	double p = -1.0 / 87178291200.0 + s * (1.0 / 20922789888000.0);
	p = 1.0 / 479001600.0 + s * p;
	p = -1.0 / 3628800.0 + s * p;
	p = 1.0 / 40320.0 + s * p;
	p = -1.0 / 720.0 + s * p;
	p = 1.0 / 24.0 + s * p;
	/* 1 - s/2 is rounded; (1 - high) - s/2 is what it lost, exactly. */
	double half = 0.5 * s;
	double high = 1.0 - half;
	return high + (((1.0 - high) - half) + (s * s * p - r * tail));
}

/* The sine of the angle a + shift pi/2, a >= 0. */
static double sine_of_quadrant(double a, unsigned shift)
{
	if (!(a <= LARGEST_ANGLE))
		return NAN;
	ReducedAngle angle = reduce(a);
	unsigned quadrant = (angle.quadrant + shift) & 3;
	double value = quadrant & 1 ? cosine_polynomial(angle.high, angle.low) : sine_polynomial(angle.high, angle.low);
	return quadrant & 2 ? -value : value;
}

double real_sin(double a)
{
	/* By the sign bit, so that sin(-0) is -0. */
	return signbit(a) ? -sine_of_quadrant(-a, 0) : sine_of_quadrant(a, 0);
}

double real_cos(double a)
{
	return sine_of_quadrant(fabs(a), 1);
}

/* atan(z) for |z| <= tan(pi/8): z + z s P(s), s = z^2. P interpolates (atan(z)/z - 1)/s at the Chebyshev points of [0,
 * tan^2(pi/8)]; relative error of the whole below 2^-56.9. Summed in pairs: a chain of products would take twice as
 * long. */
static double arc_tangent_polynomial(double z)
{
	double s = z * z, s2 = s * s, s4 = s2 * s2, s8 = s4 * s4;
	double p01 = ARC_TANGENT_0 + s * ARC_TANGENT_1;
	double p23 = ARC_TANGENT_2 + s * ARC_TANGENT_3;
	double p45 = ARC_TANGENT_4 + s * ARC_TANGENT_5;
	double p67 = ARC_TANGENT_6 + s * ARC_TANGENT_7;
	double p89 = ARC_TANGENT_8 + s * ARC_TANGENT_9;
	double p8 = p89 + s2 * ARC_TANGENT_10;
	double p = ((p01 + s2 * p23) + s4 * (p45 + s2 * p67)) + s8 * p8;
	return z + z * (s * p);
}

static const double eighth_high[5] = {0.0, EIGHTH_HIGH_1, EIGHTH_HIGH_2, EIGHTH_HIGH_3, EIGHTH_HIGH_4};
static const double eighth_low[5] = {0.0, EIGHTH_LOW_1, EIGHTH_LOW_2, EIGHTH_LOW_3, EIGHTH_LOW_4};

/* The angle of a point whose larger coordinate neither overflows when doubled nor is so small that bits are missing. */
static double angle_of_point(double y, double x)
{
	double across = fabs(x), up = fabs(y);
	double numerator = up - across, denominator = up + across;
	unsigned eighth = 1;
	if (up <= TAN_EIGHTH_PI * across) {
		numerator = up;
		denominator = across;
		eighth = 0;
	} else if (across <= TAN_EIGHTH_PI * up) {
		numerator = -across;
		denominator = up;
		eighth = 2;
	}
	double rest = arc_tangent_polynomial(numerator / denominator);
	if (x < 0.0) {
		rest = -rest;
		eighth = 4 - eighth;
	}
	double angle = eighth_high[eighth] + (eighth_low[eighth] + rest);
	return y < 0.0 ? -angle : angle;
}

double real_atan2(double y, double x)
{
	double largest = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
	if (largest >= 0x1p-900 && largest <= 0x1p1000 && !isnan(x))
		return angle_of_point(y, x);
	if (isnan(x) || isnan(y))
		return NAN;
	if (largest == 0.0)
		return 0.0;
	if (isinf(largest)) /* The finite coordinate is nothing beside it. */
		return angle_of_point(isinf(y) ? copysign(1.0, y) : 0.0, isinf(x) ? copysign(1.0, x) : 0.0);
	double scale = largest < 1.0 ? 0x1p150 : 0x1p-150;
	double angle = angle_of_point(scale * fabs(y), scale * x);
	return y < 0.0 ? -angle : angle; /* the scaled y may have become zero */
}

double real_acos(double c)
{
	if (c >= 1.0)
		return 0.0;
	if (c <= -1.0)
		return REAL_PI;
	/* 1 - c is exact where it matters, near c = 1. */
	return real_atan2(sqrt((1.0 - c) * (1.0 + c)), c);
}

double real_cube_root(double a)
{
	if (a == 0.0 || !isfinite(a))
		return a;
	int exponent;
	double m = frexp(fabs(a), &exponent);
	while (exponent % 3 != 0) { /* m in [1/8, 1) */
		m *= 0.5;
		exponent++;
	}
	/* Newton's iteration from a straight line that is within 6%: squares its error each time. */
	double r = 0.47 + 0.56 * m;
	for (int i = 0; i < 5; i++)
		r -= (r * r * r - m) / (3.0 * r * r);
	return copysign(ldexp(r, exponent / 3), a);
}

double real_smoothstep(double t)
{
	if (t <= 0.0)
		return 0.0;
	if (t >= 1.0)
		return 1.0;
	return t * t * (3.0 - 2.0 * t);
}

/* A direction separates two elements when every corner of one is ahead of every corner of the other along it. When the
 * same direction separates them at the start and at the end of a linear motion, it does so all the way: the difference
 * of two corners along a fixed direction is linear in time.
 *
 * A direction may be anything; only the test of it must be right. It is right with a margin for rounding: coordinates
 * are taken from a corner of the pair, so that errors are relative to its size M. Differences, positions at a time
 * between and products sum up to less than 11 u |n|_1 M per projection, u = 2^-53, and two of them are compared: MARGIN
 * is 32 u. LEAST_GAP stands for underflow, and overflow makes comparisons false. */
#include "verify/separate.h"
#include <math.h>
#include <string.h>

#define MARGIN 0x1p-48
#define LEAST_GAP 1e-290

typedef struct {
	int n_first, n;
	double start[SEPARATE_MOST_CORNERS][3], end[SEPARATE_MOST_CORNERS][3];
	double middle[SEPARATE_MOST_CORNERS][3];
	double size; /* the largest coordinate */
} Pair;

/* Whether one of the elements is ahead along the direction by more than the margin: 1 the first, -1 the second, 0 none.
 */
static int ahead(const Pair *pair, const double (*x)[3], const double n[3])
{
	double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
	double margin = MARGIN * (fabs(n[0]) + fabs(n[1]) + fabs(n[2])) * pair->size + LEAST_GAP;
	for (int i = 0; i < pair->n; i++) {
		int side = i >= pair->n_first;
		double projection = n[0] * x[i][0] + n[1] * x[i][1] + n[2] * x[i][2];
		if (!(fabs(projection) < INFINITY))
			return 0;
		least[side] = projection < least[side] ? projection : least[side];
		most[side] = projection > most[side] ? projection : most[side];
	}
	return least[0] - most[1] > margin ? 1 : least[1] - most[0] > margin ? -1 : 0;
}

static bool separates(const Pair *pair, const double n[3])
{
	int side = ahead(pair, pair->start, n);
	return side != 0 && ahead(pair, pair->end, n) == side;
}

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(double n[3], const double a[3], const double b[3])
{
	n[0] = a[1] * b[2] - a[2] * b[1];
	n[1] = a[2] * b[0] - a[0] * b[2];
	n[2] = a[0] * b[1] - a[1] * b[0];
}

static void subtract(double r[3], const double a[3], const double b[3])
{
	for (int k = 0; k < 3; k++)
		r[k] = a[k] - b[k];
}

/* The corners of an element, and its sides. */
static int first_corner(const Pair *pair, int element)
{
	return element == 0 ? 0 : pair->n_first;
}

static int corner_count(const Pair *pair, int element)
{
	return element == 0 ? pair->n_first : pair->n - pair->n_first;
}

static int side_count(const Pair *pair, int element)
{
	int n = corner_count(pair, element);
	return n == 3 ? 3 : n - 1;
}

/* The side from corner i to the next, and where it starts. */
static const double *side(const Pair *pair, int element, int i, double u[3])
{
	int first = first_corner(pair, element), next = (i + 1) % corner_count(pair, element);
	subtract(u, pair->middle[first + next], pair->middle[first + i]);
	return pair->middle[first + i];
}

static bool normal_separates(const Pair *pair, int element)
{
	double u[3], w[3], n[3];
	if (corner_count(pair, element) < 3)
		return false;
	side(pair, element, 0, u);
	side(pair, element, 1, w);
	cross(n, u, w);
	return separates(pair, n);
}

static bool side_normal_separates(const Pair *pair)
{
	double u[3], w[3], n[3];
	for (int i = 0; i < side_count(pair, 0); i++)
		for (int j = 0; j < side_count(pair, 1); j++) {
			side(pair, 0, i, u);
			side(pair, 1, j, w);
			cross(n, u, w);
			if (separates(pair, n))
				return true;
		}
	return false;
}

/* From a side of one element straight to a corner of the other. */
static bool height_separates(const Pair *pair, int element)
{
	int corners = first_corner(pair, 1 - element);
	for (int i = 0; i < side_count(pair, element); i++)
		for (int j = 0; j < corner_count(pair, 1 - element); j++) {
			double u[3], r[3], n[3];
			subtract(r, pair->middle[corners + j], side(pair, element, i, u));
			double uu = dot(u, u), ur = dot(u, r);
			for (int k = 0; k < 3; k++)
				n[k] = uu * r[k] - ur * u[k];
			if (separates(pair, n))
				return true;
		}
	return false;
}

static bool connection_separates(const Pair *pair)
{
	for (int i = 0; i < pair->n_first; i++)
		for (int j = pair->n_first; j < pair->n; j++) {
			double n[3];
			subtract(n, pair->middle[i], pair->middle[j]);
			if (separates(pair, n))
				return true;
		}
	return false;
}

/* Among these is the direction between the closest points at the middle of the time, whatever features they are on. */
static bool some_direction_separates(const Pair *pair)
{
	return normal_separates(pair, 0) || normal_separates(pair, 1) || side_normal_separates(pair) ||
	       connection_separates(pair) || height_separates(pair, 0) || height_separates(pair, 1);
}

/* The motion between two times, as a pair of its own. */
static void cut(Pair *piece, const Pair *pair, double from, double to)
{
	piece->n_first = pair->n_first;
	piece->n = pair->n;
	piece->size = pair->size;
	for (int i = 0; i < pair->n; i++)
		for (int k = 0; k < 3; k++) {
			double start = pair->start[i][k], way = pair->end[i][k] - start;
			piece->start[i][k] = from == 0.0 ? start : start + from * way;
			piece->end[i][k] = to == 1.0 ? pair->end[i][k] : start + to * way;
			piece->middle[i][k] = 0.5 * (piece->start[i][k] + piece->end[i][k]);
		}
}

static bool apart_between(const Pair *pair, double from, double to, int depth)
{
	Pair piece;
	cut(&piece, pair, from, to);
	if (some_direction_separates(&piece))
		return true;
	double half = 0.5 * (from + to);
	return depth > 0 && apart_between(pair, from, half, depth - 1) && apart_between(pair, half, to, depth - 1);
}

bool separate_apart(int n_first, int n, const double (*x0)[3], const double (*x1)[3], int depth)
{
	Pair pair = {.n_first = n_first, .n = n};
	for (int i = 0; i < n; i++)
		for (int k = 0; k < 3; k++) {
			double start = x0[i][k] - x0[0][k], end = x1[i][k] - x0[0][k];
			pair.start[i][k] = start;
			pair.end[i][k] = end;
			pair.size = fmax(pair.size, fmax(fabs(start), fabs(end)));
		}
	return apart_between(&pair, 0.0, 1.0, depth);
}

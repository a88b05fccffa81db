#include "verify/closest.h"
#include <math.h>
#include <stddef.h>

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void way(double r[3], const double from[3], const double to[3])
{
	for (int k = 0; k < 3; k++)
		r[k] = to[k] - from[k];
}

static void cross(double n[3], const double a[3], const double b[3])
{
	n[0] = a[1] * b[2] - a[2] * b[1];
	n[1] = a[2] * b[0] - a[0] * b[2];
	n[2] = a[0] * b[1] - a[1] * b[0];
}

static double clamp(double value)
{
	return value > 0.0 ? (value < 1.0 ? value : 1.0) : 0.0;
}

static void along(double r[3], const double a[3], const double b[3], double share)
{
	for (int k = 0; k < 3; k++)
		r[k] = a[k] + share * (b[k] - a[k]);
}

/* The point of a segment that is closest to p; its distance squared. */
static double on_segment(const double p[3], const double a[3], const double b[3], double point[3])
{
	double u[3], r[3];
	way(u, a, b);
	way(r, a, p);
	double uu = dot(u, u);
	along(point, a, b, uu > 0.0 ? clamp(dot(u, r) / uu) : 0.0);
	way(r, point, p);
	return dot(r, r);
}

/* The foot of p in the triangle's plane, where it is inside; else the closest point of the three sides. */
static void on_triangle(const double p[3], const double (*t)[3], double point[3])
{
	double u[3], w[3], r[3];
	way(u, t[0], t[1]);
	way(w, t[0], t[2]);
	way(r, t[0], p);
	double uu = dot(u, u), ww = dot(w, w), uw = dot(u, w), ur = dot(u, r), wr = dot(w, r);
	double area = uu * ww - uw * uw, b = ur * ww - wr * uw, c = wr * uu - ur * uw;
	if (area > 0.0 && b >= 0.0 && c >= 0.0 && b + c <= area) {
		for (int k = 0; k < 3; k++)
			point[k] = t[0][k] + (b * u[k] + c * w[k]) / area;
		return;
	}
	double least = INFINITY;
	for (int i = 0; i < 3; i++) {
		double other[3], distance = on_segment(p, t[i], t[(i + 1) % 3], other);
		if (distance < least) {
			least = distance;
			for (int k = 0; k < 3; k++)
				point[k] = other[k];
		}
	}
}

/* The lines' closest points where both are inside the segments; else the best of the four ends. */
static void on_segments(const double (*x)[3], double first[3], double second[3])
{
	double u[3], w[3], r[3];
	way(u, x[0], x[1]);
	way(w, x[2], x[3]);
	way(r, x[0], x[2]);
	double uu = dot(u, u), ww = dot(w, w), uw = dot(u, w), ur = dot(u, r), wr = dot(w, r);
	double area = uu * ww - uw * uw, s = ur * ww - wr * uw, t = ur * uw - wr * uu;
	if (area > 1e-12 * uu * ww && s >= 0.0 && s <= area && t >= 0.0 && t <= area) {
		along(first, x[0], x[1], s / area);
		along(second, x[2], x[3], t / area);
		return;
	}
	double least = INFINITY;
	for (int i = 0; i < 4; i++) {
		double other[3], distance = on_segment(x[i], x[i < 2 ? 2 : 0], x[i < 2 ? 3 : 1], other);
		if (distance >= least)
			continue;
		least = distance;
		for (int k = 0; k < 3; k++) {
			first[k] = i < 2 ? x[i][k] : other[k];
			second[k] = i < 2 ? other[k] : x[i][k];
		}
	}
}

/* A direction across two that are given, or any. */
static void across(const double (*x)[3], double n[3])
{
	double u[3], w[3];
	way(u, x[0], x[1]);
	way(w, x[2], x[3]);
	cross(n, u, w);
	double length = sqrt(dot(n, n));
	for (int k = 0; k < 3; k++)
		n[k] = length > 0.0 ? n[k] / length : k == 0;
}

double closest_direction(SweepKind kind, const double (*x)[3], double direction[3], double place[3])
{
	double first[3] = {x[0][0], x[0][1], x[0][2]}, second[3] = {x[1][0], x[1][1], x[1][2]};
	if (kind == SWEEP_VERTEX_TRIANGLE)
		on_triangle(x[0], x + 1, second);
	else if (kind == SWEEP_EDGE_EDGE)
		on_segments(x, first, second);
	else if (kind == SWEEP_VERTEX_EDGE)
		on_segment(x[0], x[1], x[2], second);
	if (place != NULL)
		along(place, first, second, 0.5);
	way(direction, second, first);
	double length = sqrt(dot(direction, direction));
	if (length > 0.0 && length < INFINITY)
		for (int k = 0; k < 3; k++)
			direction[k] /= length;
	else if (sweep_corners[kind] == 4)
		across(x, direction);
	else
		direction[0] = 1.0, direction[1] = direction[2] = 0.0;
	return length;
}

/* Rounding. The share of a way, s = (t - t0)/(t1 - t0), is off by at most 3u + O(u^2), u = 2^-53; a way between two points
 * is at most 2M long in each coordinate, M the largest coordinate: so x0 + s (x1 - x0) is off by 6u M for the share, 2u M for
 * the difference, 2u M for the product and u M for the sum, 11u M in all per coordinate and 20u M as a distance. TRACK_ERROR is
 * 32u. A deviation is such a position less a point: its norm is off by that, and by a few u of itself. */
#include "verify/track.h"
#include <glib.h>
#include <math.h>
#include <string.h>

#define LEAST 1e-150 /* [length] squares of less underflow */

Track *track_new(uint32_t n)
{
	Track *track = g_new0(Track, 1);
	track->n = n;
	track->first = g_new0(size_t, (size_t)n + 2);
	track->vertex = g_new0(TrackVertex, (size_t)n + 1);
	track->last_time = g_new0(double, (size_t)n + 1);
	track->last_x = g_malloc0_n((size_t)n + 1, sizeof *track->last_x);
	track->start = g_malloc0_n((size_t)n + 1, sizeof *track->start);
	return track;
}

void track_free(Track *track)
{
	if (track == NULL)
		return;
	void *arrays[] = {track->first, track->time, track->x, track->vertex, track->arrived_vertex, track->arrived_time,
	    track->arrived_x, track->last_time, track->last_x, track->start};
	for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
		g_free(arrays[i]);
	g_free(track);
}

static bool is_finite(const double x[3])
{
	return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

TrackFault track_start(Track *track, double time, const double (*x)[3], uint32_t *culprit)
{
	track->start_time = time;
	track->n_arrived = 0;
	for (uint32_t i = 0; i < track->n; i++) {
		if (!isfinite(time) || !is_finite(x[i])) {
			*culprit = i;
			return TRACK_NOT_FINITE;
		}
		track->last_time[i] = time;
		memcpy(track->last_x[i], x[i], sizeof x[i]);
		memcpy(track->start[i], x[i], sizeof x[i]);
	}
	return TRACK_GOOD;
}

static void reserve(Track *track)
{
	if (track->n_arrived < track->capacity)
		return;
	track->capacity = MAX(2 * track->capacity, 4096);
	track->arrived_vertex = g_renew(uint32_t, track->arrived_vertex, track->capacity);
	track->arrived_time = g_renew(double, track->arrived_time, track->capacity);
	track->arrived_x = g_realloc_n(track->arrived_x, track->capacity, sizeof *track->arrived_x);
}

TrackFault track_commit(Track *track, uint32_t vertex, double time, const double x[3])
{
	double *last = track->last_x[vertex];
	if (!isfinite(time) || !is_finite(x))
		return TRACK_NOT_FINITE;
	if (time < track->last_time[vertex])
		return TRACK_BACKWARD;
	if (time == track->last_time[vertex])
		return x[0] == last[0] && x[1] == last[1] && x[2] == last[2] ? TRACK_GOOD : TRACK_JUMP;
	reserve(track);
	size_t i = track->n_arrived++;
	track->arrived_vertex[i] = vertex;
	track->arrived_time[i] = time;
	memcpy(track->arrived_x[i], x, sizeof track->arrived_x[i]);
	memcpy(last, x, sizeof track->last_x[vertex]);
	track->last_time[vertex] = time;
	return TRACK_GOOD;
}

/* Room for the points of each vertex: its start and its commits. Sets first[] to where each begins. */
static void count_points(Track *track)
{
	size_t n = track->n, total = track->n_arrived + n;
	if (total > track->point_capacity) {
		track->point_capacity = total + total / 2;
		track->time = g_renew(double, track->time, track->point_capacity);
		track->x = g_realloc_n(track->x, track->point_capacity, sizeof *track->x);
	}
	for (size_t i = 0; i <= n + 1; i++)
		track->first[i] = 0;
	for (size_t i = 0; i < track->n_arrived; i++)
		track->first[track->arrived_vertex[i] + 2]++;
	for (size_t i = 1; i <= n + 1; i++)
		track->first[i] += track->first[i - 1] + (i >= 2);
}

/* A counting sort: keeps the order of time. first[i + 1] runs from the first point of vertex i to behind its last. */
static void sort_points(Track *track)
{
	count_points(track);
	for (uint32_t i = 0; i < track->n; i++) {
		size_t to = track->first[i + 1]++;
		track->time[to] = track->start_time;
		memcpy(track->x[to], track->start[i], sizeof track->x[to]);
	}
	for (size_t i = 0; i < track->n_arrived; i++) {
		size_t to = track->first[track->arrived_vertex[i] + 1]++;
		track->time[to] = track->arrived_time[i];
		memcpy(track->x[to], track->arrived_x[i], sizeof track->x[to]);
	}
}

void track_position(const Track *track, size_t point, double time, double x[3])
{
	const double *from = track->x[point], *to = track->x[point + 1];
	double t0 = track->time[point];
	if (time <= t0) {
		memcpy(x, from, 3 * sizeof *x);
		return;
	}
	double share = (time - t0) / (track->time[point + 1] - t0);
	for (int k = 0; k < 3; k++)
		x[k] = time >= track->time[point + 1] ? to[k] : from[k] + share * (to[k] - from[k]);
}

/* What most tests need of a vertex. Returns its largest coordinate. */
static double describe(Track *track, uint32_t i)
{
	TrackVertex *vertex = &track->vertex[i];
	size_t begin = track->first[i], end = track->first[i + 1] - 1;
	memcpy(vertex->start, track->x[begin], sizeof vertex->start);
	memcpy(vertex->end, track->x[end], sizeof vertex->end);
	double most = 0.0, largest = 0.0, scale = 1.0 / (track->time[end] - track->time[begin]);
	for (size_t p = begin; p <= end; p++) {
		double share = (track->time[p] - track->time[begin]) * scale, sum = 0.0;
		for (int k = 0; k < 3; k++) {
			double away = track->x[p][k] - (vertex->start[k] + share * (vertex->end[k] - vertex->start[k]));
			sum += away * away;
			largest = fmax(largest, fabs(track->x[p][k]));
		}
		most = fmax(most, sum);
	}
	vertex->deviation = sqrt(most) * (1.0 + 0x1p-48) + LEAST;
	return largest;
}

TrackFault track_close(Track *track, double time, const double (*x)[3], uint32_t *culprit)
{
	for (uint32_t i = 0; i < track->n; i++) {
		TrackFault fault = track_commit(track, i, time, x[i]);
		if (fault != TRACK_GOOD) {
			*culprit = i;
			return fault;
		}
	}
	track->from = track->start_time;
	track->to = time;
	sort_points(track);
	track->largest = 0.0;
	for (uint32_t i = 0; i < track->n; i++)
		track->largest = fmax(track->largest, describe(track, i));
	for (uint32_t i = 0; i < track->n; i++)
		track->vertex[i].deviation += TRACK_ERROR * track->largest;
	memcpy(track->start, x, track->n * sizeof *track->start);
	track->start_time = time;
	track->n_arrived = 0;
	return TRACK_GOOD;
}

/* Rounding, with u = 2^-53 and M the largest coordinate.
 *
 * Between two points: the share of a way, s = (t - t0)/(t1 - t0), is off by at most 3u + O(u^2); a way between two points is at
 * most 2M long in each coordinate: so x0 + s (x1 - x0) is off by 6u M for the share, 2u M for the difference, 2u M for the product
 * and u M for the sum, 11u M in all per coordinate and 20u M as a distance. TRACK_ERROR is 32u.
 *
 * Against what is expected: x - (b + v tau) is off by 3u |v| T for tau and the product, u (|b| + |v| T) for the sum and u times
 * its own size, T the length of the window. The middle and half of a box, b + middle and that + v T are each off by u of their
 * size. None of these sizes is above 4 (M + |v| T): less than 32u (M + |v| T) in all. DRIFT_ERROR is 256u, also for three axes. */
#include "verify/track.h"
#include <glib.h>
#include <math.h>
#include <string.h>

#define DRIFT_ERROR 0x1p-45
#define LEAST 1e-150 /* [length] squares of less underflow */

Track *track_new(uint32_t n)
{
	Track *track = g_new0(Track, 1);
	track->n = n;
	track->first = g_new0(size_t, (size_t)n + 2);
	track->vertex = g_new0(TrackVertex, (size_t)n + 1);
	track->state = g_new0(TrackState, (size_t)n + 1);
	track->start = g_malloc0_n((size_t)n + 1, sizeof *track->start);
	return track;
}

void track_free(Track *track)
{
	if (track == NULL)
		return;
	void *arrays[] = {track->first, track->time, track->x, track->vertex, track->state, track->commit, track->start};
	for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
		g_free(arrays[i]);
	g_free(track);
}

static bool is_finite(double time, const double x[3])
{
	return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]) && isfinite(time);
}

static void begin(TrackState *state, double time, const double x[3])
{
	for (int k = 0; k < 3; k++) {
		state->begin[k] = state->last[k] = x[k];
		state->low[k] = state->high[k] = 0.0;
	}
	state->time = time;
}

TrackFault track_start(Track *track, double time, const double (*x)[3], uint32_t *culprit)
{
	track->start_time = time;
	track->n_commits = 0;
	for (uint32_t i = 0; i < track->n; i++) {
		if (!is_finite(time, x[i])) {
			*culprit = i;
			return TRACK_NOT_FINITE;
		}
		begin(&track->state[i], time, x[i]);
	}
	return TRACK_GOOD;
}

/* What there is to say against a commit; mostly nothing. */
static TrackFault fault_of(const TrackState *state, double time, const double x[3])
{
	if (!is_finite(time, x))
		return TRACK_NOT_FINITE;
	if (time < state->time)
		return TRACK_BACKWARD;
	bool same = x[0] == state->last[0] && x[1] == state->last[1] && x[2] == state->last[2];
	return time == state->time && !same ? TRACK_JUMP : TRACK_GOOD;
}

/* Later than the last, and finite. */
static void extend(TrackState *state, double after, double time, const double x[3])
{
	for (int k = 0; k < 3; k++) {
		double ahead = x[k] - (state->begin[k] + state->velocity[k] * after);
		state->low[k] = ahead < state->low[k] ? ahead : state->low[k];
		state->high[k] = ahead > state->high[k] ? ahead : state->high[k];
		state->last[k] = x[k];
	}
	state->time = time;
}

TrackFault track_commit(Track *track, uint32_t vertex, double time, const double x[3])
{
	TrackState *state = &track->state[vertex];
	/* The sum is finite when all are, but for numbers beyond all measure. */
	if (!(isfinite(x[0] + x[1] + x[2]) && time > state->time && time < INFINITY)) {
		TrackFault fault = fault_of(state, time, x);
		if (fault != TRACK_GOOD || time == state->time)
			return fault;
	}
	if (track->n_commits == track->most_commits) {
		track->most_commits = MAX(2 * track->most_commits, 4096);
		track->commit = g_renew(TrackCommit, track->commit, track->most_commits);
	}
	track->commit[track->n_commits++] = (TrackCommit){time, {x[0], x[1], x[2]}, vertex};
	extend(state, time - track->start_time, time, x);
	return TRACK_GOOD;
}

/* What most tests need of a vertex. Returns a bound of its coordinates. */
static double describe(TrackVertex *vertex, const TrackState *state, double lasts)
{
	double square = 0.0, size = 0.0;
	for (int k = 0; k < 3; k++) {
		double middle = 0.5 * (state->low[k] + state->high[k]), half = 0.5 * (state->high[k] - state->low[k]);
		double drift = state->velocity[k] * lasts;
		vertex->start[k] = state->begin[k] + middle;
		vertex->end[k] = vertex->start[k] + drift;
		square += half * half;
		size = fmax(size, fabs(vertex->start[k]) + fabs(drift));
	}
	vertex->deviation = sqrt(square) * (1.0 + 0x1p-50) + LEAST;
	size += vertex->deviation;
	vertex->deviation += DRIFT_ERROR * size;
	return size;
}

TrackFault track_close(Track *track, double time, const double (*x)[3], uint32_t *culprit)
{
	double lasts = time - track->start_time;
	for (uint32_t i = 0; i < track->n; i++) {
		TrackFault fault = fault_of(&track->state[i], time, x[i]);
		if (fault != TRACK_GOOD) {
			*culprit = i;
			return fault;
		}
		if (time > track->state[i].time)
			extend(&track->state[i], lasts, time, x[i]);
	}
	track->from = track->start_time;
	track->to = time;
	track->largest = 0.0;
	for (uint32_t i = 0; i < track->n; i++) {
		TrackState *state = &track->state[i];
		double size = describe(&track->vertex[i], state, lasts);
		if (!(size <= track->largest))
			track->largest = isfinite(size) ? size : INFINITY; /* for good: nothing is above it */
		memcpy(track->start[i], state->begin, sizeof track->start[i]);
		for (int k = 0; k < 3; k++) {
			double velocity = (x[i][k] - state->begin[k]) / lasts;
			state->velocity[k] = isfinite(velocity) ? velocity : 0.0;
		}
		begin(state, time, x[i]);
	}
	track->start_time = time;
	track->n_closed = track->n_commits;
	track->n_commits = 0;
	return TRACK_GOOD;
}

/* Whether a commit is a point of its own: not one at the end of the window, which every vertex has anyway. */
static bool is_inner(const Track *track, const TrackCommit *commit, const uint8_t *wanted)
{
	return wanted[commit->vertex] && commit->time < track->to;
}

/* Room for the points of each vertex that is wanted: both ends and its commits in between. Sets first[i + 1] to where those
 * of vertex i begin. */
static void count_points(Track *track, const uint8_t *wanted)
{
	size_t n = track->n;
	for (size_t i = 0; i <= n + 1; i++)
		track->first[i] = 0;
	for (size_t i = 0; i < track->n_closed; i++)
		track->first[track->commit[i].vertex + 2] += is_inner(track, &track->commit[i], wanted);
	for (size_t i = 2; i <= n + 1; i++)
		track->first[i] += track->first[i - 1] + (wanted[i - 2] ? 2 : 0);
	if (track->first[n + 1] > track->capacity) {
		track->capacity = track->first[n + 1] + track->first[n + 1] / 2;
		track->time = g_renew(double, track->time, track->capacity);
		track->x = g_realloc_n(track->x, track->capacity, sizeof *track->x);
	}
}

static void put_point(Track *track, uint32_t vertex, double time, const double x[3])
{
	size_t to = track->first[vertex + 1]++;
	track->time[to] = time;
	memcpy(track->x[to], x, sizeof track->x[to]);
}

/* A counting sort: keeps the order of time. first[i + 1] runs from the first point of vertex i to behind its last. */
void track_gather(Track *track, const uint8_t *wanted)
{
	count_points(track, wanted);
	for (uint32_t i = 0; i < track->n; i++)
		if (wanted[i])
			put_point(track, i, track->from, track->start[i]);
	for (size_t i = 0; i < track->n_closed; i++) {
		const TrackCommit *commit = &track->commit[i];
		if (is_inner(track, commit, wanted))
			put_point(track, commit->vertex, commit->time, commit->x);
	}
	for (uint32_t i = 0; i < track->n; i++)
		if (wanted[i])
			put_point(track, i, track->to, track->state[i].begin);
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

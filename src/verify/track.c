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

enum { FEWEST = 1024 }; /* commits, of those that room is made for at once */

Track *track_new(uint32_t n)
{
	Track *track = g_new0(Track, 1);
	track->n = n;
	track->first = g_new0(size_t, (size_t)n + 2);
	track->vertex = g_new0(TrackVertex, (size_t)n + 1);
	track->state = g_new0(TrackState, (size_t)n + 1);
	track->chain = g_new0(TrackChain, (size_t)n + 1);
	track->closed = g_new0(TrackChain, (size_t)n + 1);
	track->start = g_malloc0_n((size_t)n + 1, sizeof *track->start);
	return track;
}

void track_free(Track *track)
{
	if (track == NULL)
		return;
	void *arrays[] = {track->first, track->time, track->x, track->vertex, track->state, track->commit, track->start,
	    track->before, track->chain, track->closed};
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

static void make_room(Track *track, size_t commits)
{
	track->most_commits = commits;
	track->commit = g_renew(TrackCommit, track->commit, commits);
	track->before = g_renew(uint32_t, track->before, commits);
}

static void make_room_for_points(Track *track, size_t points)
{
	track->capacity = points;
	track->time = g_renew(double, track->time, points);
	track->x = g_realloc_n(track->x, points, sizeof *track->x);
}

void track_expect(Track *track, size_t commits)
{
	track->expected = commits;
	if (track->most_commits > commits + commits / 4)
		make_room(track, commits);
	if (track->capacity > commits + 2 * (size_t)track->n)
		make_room_for_points(track, commits + 2 * (size_t)track->n);
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
	if (track->n_commits == track->most_commits)
		make_room(track, MAX(track->expected, track->most_commits + track->most_commits / 4 + FEWEST));
	TrackChain *chain = &track->chain[vertex];
	track->commit[track->n_commits] = (TrackCommit){time, {x[0], x[1], x[2]}};
	track->before[track->n_commits++] = chain->last;
	chain->last = (uint32_t)track->n_commits;
	chain->n++;
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
	track->n_commits = 0;
	TrackChain *closed = track->chain;
	track->chain = track->closed;
	track->closed = closed;
	memset(track->chain, 0, track->n * sizeof *track->chain);
	return TRACK_GOOD;
}

/* How many commits of a vertex are points of their own: not one at the end of the window, which every vertex has anyway. */
static uint32_t inner_points(const Track *track, uint32_t vertex, uint32_t *last)
{
	TrackChain chain = track->closed[vertex];
	bool at_end = chain.n > 0 && track->commit[chain.last - 1].time == track->to;
	*last = at_end ? track->before[chain.last - 1] : chain.last;
	return chain.n - at_end;
}

/* Room for the points of each vertex that is wanted: both ends and its commits in between. */
static void count_points(Track *track, const uint8_t *wanted)
{
	uint32_t last;
	track->first[0] = 0;
	for (uint32_t i = 0; i < track->n; i++)
		track->first[i + 1] = track->first[i] + (wanted[i] ? inner_points(track, i, &last) + 2 : 0);
	size_t points = track->first[track->n];
	if (points > track->capacity)
		make_room_for_points(track, points + points / 4);
}

static void put_point(Track *track, size_t to, double time, const double x[3])
{
	track->time[to] = time;
	memcpy(track->x[to], x, sizeof track->x[to]);
}

void track_gather(Track *track, const uint8_t *wanted)
{
	count_points(track, wanted);
	for (uint32_t i = 0; i < track->n; i++) {
		if (!wanted[i])
			continue;
		uint32_t last, n = inner_points(track, i, &last);
		size_t at = track->first[i];
		put_point(track, at, track->from, track->start[i]);
		put_point(track, at + n + 1, track->to, track->state[i].begin);
		for (size_t k = n; k > 0; k--) {
			put_point(track, at + k, track->commit[last - 1].time, track->commit[last - 1].x);
			last = track->before[last - 1];
		}
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

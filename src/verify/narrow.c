/* Rounding, with u = 2^-53, M the largest coordinate, |n|_1 the sum of the components' sizes. A product n . x of three terms
 * is off by at most 3u |n|_1 M + O(u^2); a point that lies between two commits is itself off by TRACK_ERROR M = 32u M
 * (track.c), which adds 32u |n|_1 M. Two such are subtracted, and the difference is rounded once more: less than 72u |n|_1 M
 * in all. MARGIN is 128u. Coordinates below 1e-290 do not occur but as zeros or in vain: LEAST stands for underflow.
 *
 * Over a straight way the least of first corners less the most of second ones, along n, is a concave function of time: it is
 * not below the less of its values at both ends. So chords need only be looked at there; what a vertex deviates from its
 * chord is taken off. */
#include "verify/narrow.h"
#include "verify/closest.h"
#include <math.h>
#include <string.h>

#define MARGIN 0x1p-46
#define LEAST 1e-290
#define MOST_COORDINATE 1e150
#define DOWN (1.0 - 0x1p-50) /* for a quotient and a product that must not be too large */
#define UP (1.0 + 0x1p-50)

/* A bound is good enough when it is this part of the distance, less the thickness, in the middle of the time. */
#define FAIR 0.5
/* How often the time is halved for the sake of a better bound, ... */
enum { MOST_FOR_BOUND = 12 };
/* ... and, when nothing bends any more, before exact arithmetic: what is not apart then nearly always touches. */
enum { MOST_STRAIGHT = 8 };

/* A stretch of the window, and the points of each corner in it. */
typedef struct {
	double from, to;                   /* [s] */
	size_t before[SWEEP_MOST_CORNERS]; /* the last point not after `from` */
	size_t after[SWEEP_MOST_CORNERS];  /* the first point not before `to` */
	double start[SWEEP_MOST_CORNERS][3], end[SWEEP_MOST_CORNERS][3];
} Piece;

typedef struct {
	NarrowPair *pair;
	const Track *track;
	int n, n_first;
	double enough;
	NarrowResult *result;
} Search;

/* fmin() and fmax() without their care for what is not a number: coordinates that could become that are not judged here. */
static double lesser(double a, double b)
{
	return a < b ? a : b;
}

static double greater(double a, double b)
{
	return a > b ? a : b;
}

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* What a difference along n is worth as a distance, after rounding; nothing where products could overflow. */
static double distance_of(double difference, const double n[3], double largest)
{
	if (!(largest < MOST_COORDINATE))
		return 0.0;
	double sum = fabs(n[0]) + fabs(n[1]) + fabs(n[2]), length = sqrt(dot(n, n)) * UP;
	double sure = difference - (MARGIN * sum * largest + LEAST);
	return sure > 0.0 && length > 0.0 ? sure / length * DOWN : 0.0;
}

float narrow_round_up(double value)
{
	float nearest = (float)value;
	return (double)nearest < value ? nextafterf(nearest, INFINITY) : nearest;
}

static bool is_fair(const Search *search, double bound, double distance)
{
	double offset = search->pair->offset;
	return bound > 0.0 && (distance > offset ? bound - offset >= FAIR * (distance - offset) : bound >= FAIR * distance);
}

/* ---- chords ---- */

double narrow_chord_bound(const Track *track, const uint32_t *vertex, int n_first, int n, const float direction[3])
{
	double along[3] = {(double)direction[0], (double)direction[1], (double)direction[2]}, deviation[2] = {0.0, 0.0};
	double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
	for (int i = 0; i < n; i++) {
		const TrackVertex *v = &track->vertex[vertex[i]];
		double start = dot(v->start, along), end = dot(v->end, along);
		int second = i >= n_first;
		deviation[second] = v->deviation > deviation[second] ? v->deviation : deviation[second];
		if (second) {
			most[0] = start > most[0] ? start : most[0];
			most[1] = end > most[1] ? end : most[1];
		} else {
			least[0] = start < least[0] ? start : least[0];
			least[1] = end < least[1] ? end : least[1];
		}
	}
	double difference = least[0] - most[0] < least[1] - most[1] ? least[0] - most[0] : least[1] - most[1];
	return (distance_of(difference, along, track->largest) - (deviation[0] + deviation[1]) * UP) * DOWN;
}

static double look_at_middle(const Search *search, double n[3])
{
	double x[SWEEP_MOST_CORNERS][3];
	for (int i = 0; i < search->n; i++)
		for (int k = 0; k < 3; k++) {
			const TrackVertex *vertex = &search->track->vertex[search->pair->vertex[i]];
			x[i][k] = 0.5 * (vertex->start[k] + vertex->end[k]);
		}
	return closest_direction(search->pair->kind, (const double(*)[3])x, n, NULL);
}

/* ---- pieces ---- */

static double way_bound(const Search *search, const Piece *piece, const double n[3])
{
	const Track *track = search->track;
	double least = INFINITY, most = -INFINITY;
	for (int i = 0; i < search->n; i++) {
		double start = dot(piece->start[i], n), end = dot(piece->end[i], n);
		double low = lesser(start, end), high = greater(start, end);
		for (size_t p = piece->before[i] + 1; p < piece->after[i]; p++) {
			double height = dot(track->x[p], n);
			low = lesser(low, height);
			high = greater(high, height);
		}
		search->result->points += piece->after[i] - piece->before[i] + 1;
		if (i < search->n_first)
			least = lesser(least, low);
		else
			most = greater(most, high);
	}
	return distance_of(least - most, n, track->largest);
}

/* Where to halve a piece: at a point in the middle of the corner with the most points, or in the middle of the time. */
static double middle_of(const Search *search, const Piece *piece, bool *straight)
{
	size_t most = 1, point = 0;
	for (int i = 0; i < search->n; i++)
		if (piece->after[i] - piece->before[i] > most) {
			most = piece->after[i] - piece->before[i];
			point = piece->before[i] + most / 2;
		}
	*straight = most == 1;
	return *straight ? 0.5 * (piece->from + piece->to) : search->track->time[point];
}

/* The last point from `low` on that is not after the time; that of `high` is. */
static size_t find(const Track *track, size_t low, size_t high, double time)
{
	while (high - low > 1) {
		size_t half = low + (high - low) / 2;
		if (track->time[half] <= time)
			low = half;
		else
			high = half;
	}
	return low;
}

static void halve(const Search *search, const Piece *piece, double time, Piece *early, Piece *late)
{
	const Track *track = search->track;
	*early = *late = *piece;
	early->to = late->from = time;
	for (int i = 0; i < search->n; i++) {
		size_t point = find(track, piece->before[i], piece->after[i], time);
		early->after[i] = track->time[point] == time ? point : point + 1;
		late->before[i] = point;
		track_position(track, point, time, early->end[i]);
		memcpy(late->start[i], early->end[i], sizeof late->start[i]);
	}
}

/* Nothing bends in the piece. */
static bool check_exactly(const Search *search, const Piece *piece)
{
	const Track *track = search->track;
	SweepSegment segment[SWEEP_MOST_CORNERS];
	double when;
	for (int i = 0; i < search->n; i++) {
		size_t p = piece->before[i];
		segment[i] = (SweepSegment){track->time[p], track->time[p + 1], track->x[p], track->x[p + 1]};
	}
	search->result->exactly++;
	search->result->distance = 0.0;
	search->result->gap = lesser(search->result->gap, 0.0 - (double)search->pair->offset);
	if (!sweep_first_meeting(search->pair->kind, segment, piece->from, piece->to, &when))
		return true;
	search->result->touches = true;
	search->result->when = when;
	return false;
}

static void accept(const Search *search, double bound)
{
	search->result->distance = lesser(search->result->distance, bound);
	search->result->gap = lesser(search->result->gap, bound - search->pair->offset);
}

/* False at the first touch. `depth`: how often it was halved; `straight`: since when without need. */
static bool check_piece(const Search *search, const Piece *piece, const double guess[3], int depth, int straight)
{
	double n[3], bound = way_bound(search, piece, guess);
	search->result->pieces++;
	if (bound >= search->enough) {
		accept(search, bound);
		return true;
	}
	bool is_straight;
	double x[SWEEP_MOST_CORNERS][3], time = middle_of(search, piece, &is_straight);
	Piece early, late;
	halve(search, piece, time, &early, &late);
	memcpy(x, early.end, sizeof x);
	double distance = closest_direction(search->pair->kind, (const double(*)[3])x, n, NULL);
	double better = way_bound(search, piece, n);
	if (better < bound)
		memcpy(n, guess, sizeof n);
	bound = greater(bound, better);
	if (bound >= search->enough || is_fair(search, bound, distance) || (bound > 0.0 && depth >= MOST_FOR_BOUND)) {
		accept(search, bound);
		return true;
	}
	if (is_straight && (straight >= MOST_STRAIGHT || !(time > piece->from && time < piece->to)))
		return check_exactly(search, piece);
	return check_piece(search, &early, n, depth + 1, straight + is_straight) &&
	       check_piece(search, &late, n, depth + 1, straight + is_straight);
}

void narrow_by_way(NarrowPair *pair, const Track *track, double enough, NarrowResult *result)
{
	Search search = {pair, track, sweep_corners[pair->kind], sweep_first[pair->kind], enough, result};
	Piece whole = {.from = track->from, .to = track->to};
	for (int i = 0; i < search.n; i++) {
		whole.before[i] = track->first[pair->vertex[i]];
		whole.after[i] = track->first[pair->vertex[i] + 1] - 1;
		memcpy(whole.start[i], track->x[whole.before[i]], sizeof whole.start[i]);
		memcpy(whole.end[i], track->x[whole.after[i]], sizeof whole.end[i]);
	}
	const double guess[3] = {(double)pair->direction[0], (double)pair->direction[1], (double)pair->direction[2]};
	result->by_way++;
	check_piece(&search, &whole, guess, 0, 0);
}

bool narrow_by_chord(NarrowPair *pair, const Track *track, double enough, double *found, NarrowResult *result)
{
	Search search = {pair, track, sweep_corners[pair->kind], sweep_first[pair->kind], enough, result};
	double bound = narrow_chord_bound(track, pair->vertex, search.n_first, search.n, pair->direction);
	if (bound < enough) {
		double n[3], distance = look_at_middle(&search, n);
		const float direction[3] = {(float)n[0], (float)n[1], (float)n[2]};
		double better = narrow_chord_bound(track, pair->vertex, search.n_first, search.n, direction);
		if (better > bound)
			memcpy(pair->direction, direction, sizeof direction);
		bound = greater(bound, better);
		*found = bound;
		if (bound < enough && !is_fair(&search, bound, distance))
			return false;
	}
	*found = bound;
	result->by_chord++;
	accept(&search, bound);
	return true;
}

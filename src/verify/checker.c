/* Each window begins with the pairs of elements whose boxes may come near each other (moving.h). What is known of such a pair
 * is kept for later windows: its primitive pairs, and a direction that separates each of them, or all of it. It is dropped when
 * too much of what is kept has not been near of late. Nothing rests on what is kept but the time that it saves.
 *
 * Windows grow until looking at points costs as much as all that is done once per window, and shrink when it costs more. This
 * is measured in counts, not in seconds: so the windows, and with them all counts of a verdict, depend on the motion alone.
 *
 * Rounding of what says that a couple is far, with u = 2^-53 and M the largest coordinate: a vertex is never farther than 2 sqrt(3) M
 * from its straight way, so that a side of a box, a corner's coordinate less or more its deviation, is off by at most 4.5u M. Two
 * sides subtracted are off by twice that and u times at most 9M more, and the distance that they are compared with by another 9u M (a
 * larger one excludes nothing): less than 30u M in all. ROUNDING is 128u. */
#include "verify/checker.h"
#include "verify/closest.h"
#include "verify/moving.h"
#include <math.h>
#include <omp.h>
#include <string.h>

#define REACH 0.125 /* of a typical edge: the default */
#define ROUNDING 0x1p-46 /* of the largest coordinate */
#define MOST_COORDINATE 1e150 /* beyond this differences and products may overflow: no pair is far */
enum { FEWEST_COMMITS = 1024, MOST_COMMITS_PER_VERTEX = 256, MOST_COMMITS = 1 << 20 }; /* in a window */
enum { FEWEST_FOR_THREADS = 4096, FEWEST_OPEN_FOR_THREADS = 256 }; /* pairs */
enum { MOST_SKIPPED = 4 }; /* couples of the window before that are no longer near */
enum { MOST_KEPT = 2 }; /* couples for each that is near */
/* Costs in units of a point looked at: of a vertex in a window, two boxes compared, two elements that are near, a primitive
 * pair examined, two elements that were not near before. */
enum { COST_VERTEX = 10, COST_COMPARED = 2, COST_NEAR = 10, COST_EXAMINED = 20, COST_FOUND = 100 };

/* Two elements that were near in some window. */
typedef struct {
	uint32_t a, b;
	uint32_t first;     /* of its primitive pairs */
	uint32_t place;     /* in the list of those that were near when it was near last */
	uint8_t n;
	uint8_t joined;     /* they have a common vertex: no direction separates them as a whole */
	float direction[3]; /* about a unit vector that separated them last */
} Couple;

struct Checker {
	Pairs *pairs;
	Track *track;
	unsigned threads;
	size_t target;     /* commits in a window */
	uint8_t *wanted;   /* (vertices) whose points are to be looked at */
	MovingBox *box;    /* (elements) */
	Moving *moving;
	GArray *couple;    /* Couple: those that are kept */
	GArray *primitive; /* NarrowPair: theirs */
	uint32_t *slot;    /* (n_slots) open hash table of couples, by number from 1 on; 0: free */
	uint32_t n_slots;  /* a power of 2 */
	GArray *near;      /* uint32_t: couples that are near in the window at hand */
	GArray *before;    /* uint32_t: those of the window before, which mostly are the same in the same order */
	guint cursor;      /* in these: where to look first */
	uint32_t n_near;   /* primitive pairs of these */
	CheckerVerdict verdict;
	size_t memory;
};

/* ---- what was found ---- */

static void find_intersections(Checker *checker, double time, const double (*x)[3])
{
	CheckerFinding *finding = &checker->verdict.finding;
	g_autoptr(GArray) found = pairs_intersections(checker->pairs, x);
	if (found->len == 0)
		return;
	Intersection pair = g_array_index(found, Intersection, 0);
	const PairsElement *a = &checker->pairs->element[pair.a], *b = &checker->pairs->element[pair.b];
	finding->outcome = CHECKER_INTERSECTS;
	finding->time = time;
	finding->n_first = a->corners;
	finding->n = a->corners + b->corners;
	memcpy(finding->vertex, a->vertex, a->corners * sizeof *a->vertex);
	memcpy(finding->vertex + a->corners, b->vertex, b->corners * sizeof *b->vertex);
	for (int i = 0; i < finding->n; i++)
		for (int k = 0; k < 3; k++) {
			finding->x[i][k] = x[finding->vertex[i]][k];
			finding->place[k] += finding->x[i][k] / finding->n;
		}
}

static bool find_fault(Checker *checker, TrackFault fault, uint32_t vertex, double time, const double x[3])
{
	CheckerFinding *finding = &checker->verdict.finding;
	if (fault == TRACK_GOOD)
		return true;
	finding->outcome = CHECKER_MALFORMED;
	finding->fault = fault;
	finding->time = time;
	finding->n = finding->n_first = 1;
	finding->vertex[0] = vertex;
	memcpy(finding->x[0], x, sizeof finding->x[0]);
	memcpy(finding->place, x, sizeof finding->place);
	return false;
}

/* Where a vertex is at a time of the window. */
static void locate(const Track *track, uint32_t vertex, double time, double x[3])
{
	size_t p = track->first[vertex];
	while (p + 2 < track->first[vertex + 1] && track->time[p + 1] <= time)
		p++;
	track_position(track, p, time, x);
}

static void find_touch(Checker *checker, const NarrowPair *pair, double time)
{
	CheckerFinding *finding = &checker->verdict.finding;
	double direction[3];
	finding->outcome = CHECKER_TOUCHES;
	finding->time = time;
	finding->n_first = sweep_first[pair->kind];
	finding->n = sweep_corners[pair->kind];
	for (int i = 0; i < finding->n; i++) {
		finding->vertex[i] = pair->vertex[i];
		locate(checker->track, pair->vertex[i], time, finding->x[i]);
	}
	closest_direction(pair->kind, (const double(*)[3])finding->x, direction, finding->place);
}

/* ---- couples ---- */

static uint32_t hash_of(const Checker *checker, uint32_t a, uint32_t b)
{
	uint64_t key = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(key >> 32) & (checker->n_slots - 1);
}

/* Where a couple is, or would be. */
static uint32_t *find_slot(Checker *checker, uint32_t a, uint32_t b)
{
	uint32_t at = hash_of(checker, a, b);
	for (;; at = (at + 1) & (checker->n_slots - 1)) {
		uint32_t number = checker->slot[at];
		const Couple *couple = number > 0 ? &g_array_index(checker->couple, Couple, number - 1) : NULL;
		if (couple == NULL || (couple->a == a && couple->b == b))
			return &checker->slot[at];
	}
}

/* Room for n couples, at most half full, and not much more. */
static void make_slots(Checker *checker, uint32_t n)
{
	checker->n_slots = FEWEST_COMMITS;
	while (checker->n_slots < 2 * (uint64_t)n)
		checker->n_slots *= 2;
	g_free(checker->slot);
	checker->slot = g_new0(uint32_t, checker->n_slots);
	for (uint32_t i = 0; i < checker->couple->len; i++) {
		const Couple *couple = &g_array_index(checker->couple, Couple, i);
		*find_slot(checker, couple->a, couple->b) = i + 1;
	}
}

static void forget_all(Checker *checker)
{
	g_array_set_size(checker->couple, 0);
	g_array_set_size(checker->primitive, 0);
	g_array_set_size(checker->near, 0);
	g_array_set_size(checker->before, 0);
	make_slots(checker, 0);
}

/* Keeps those that are near now. */
static void forget_the_rest(Checker *checker)
{
	GArray *couples = g_array_new(FALSE, FALSE, sizeof(Couple)), *primitives = g_array_new(FALSE, FALSE, sizeof(NarrowPair));
	for (guint i = 0; i < checker->near->len; i++) {
		uint32_t *number = &g_array_index(checker->near, uint32_t, i);
		Couple couple = g_array_index(checker->couple, Couple, *number);
		const NarrowPair *first = &g_array_index(checker->primitive, NarrowPair, couple.first);
		couple.first = primitives->len;
		g_array_append_vals(primitives, first, couple.n);
		*number = couples->len;
		g_array_append_val(couples, couple);
	}
	g_array_unref(checker->couple);
	g_array_unref(checker->primitive);
	checker->couple = couples;
	checker->primitive = primitives;
	make_slots(checker, couples->len);
}

static uint32_t add_couple(Checker *checker, uint32_t a, uint32_t b)
{
	PairsPrimitive primitive[PAIRS_MOST];
	const PairsElement *one = &checker->pairs->element[a], *other = &checker->pairs->element[b];
	int n = pairs_of_elements(checker->pairs, a, b, primitive);
	Couple couple = {.a = a, .b = b, .first = checker->primitive->len, .n = (uint8_t)n,
	    .joined = intersections_share_vertex(one->vertex, one->corners, other->vertex, other->corners)};
	for (int i = 0; i < n; i++) {
		NarrowPair pair = {.kind = (uint8_t)primitive[i].kind, .offset = narrow_round_up(primitive[i].offset)};
		for (int c = 0; c < SWEEP_MOST_CORNERS; c++)
			pair.vertex[c] = c < sweep_corners[pair.kind] ? primitive[i].vertex[c] : pair.vertex[c > 0 ? c - 1 : 0];
		g_array_append_val(checker->primitive, pair);
	}
	g_array_append_val(checker->couple, couple);
	checker->verdict.count.work += COST_FOUND;
	return checker->couple->len - 1;
}

/* A couple that was near in the window before, soon after the last one that was found there; its number + 1, or 0. */
static uint32_t look_in_order(Checker *checker, uint32_t a, uint32_t b)
{
	guint end = MIN(checker->cursor + MOST_SKIPPED, checker->before->len);
	for (guint i = checker->cursor; i < end; i++) {
		uint32_t number = g_array_index(checker->before, uint32_t, i);
		const Couple *couple = &g_array_index(checker->couple, Couple, number);
		if (couple->a == a && couple->b == b) {
			checker->cursor = i + 1;
			return number + 1;
		}
	}
	return 0;
}

/* The number of a couple, which is made when it is new. */
static uint32_t number_of(Checker *checker, uint32_t a, uint32_t b)
{
	uint32_t known = look_in_order(checker, a, b);
	if (known > 0)
		return known - 1;
	uint32_t *slot = find_slot(checker, a, b);
	if (*slot > 0) {
		uint32_t place = g_array_index(checker->couple, Couple, *slot - 1).place;
		if (place < checker->before->len && g_array_index(checker->before, uint32_t, place) == *slot - 1)
			checker->cursor = place + 1;
		return *slot - 1;
	}
	uint32_t number = add_couple(checker, a, b);
	*slot = number + 1;
	if (2 * checker->couple->len > checker->n_slots)
		make_slots(checker, checker->couple->len);
	return number;
}

static void meet(uint32_t a, uint32_t b, void *data)
{
	Checker *checker = data;
	const Pairs *pairs = checker->pairs;
	if (!pairs->meets[pairs->body[pairs->element[a].vertex[0]] * pairs->n_bodies + pairs->body[pairs->element[b].vertex[0]]])
		return;
	uint32_t number = number_of(checker, a, b);
	Couple *couple = &g_array_index(checker->couple, Couple, number);
	couple->place = checker->near->len;
	checker->n_near += couple->n;
	g_array_append_val(checker->near, number);
}

static void place_boxes(Checker *checker)
{
	const Track *track = checker->track;
	for (uint32_t e = 0; e < checker->pairs->n_elements; e++) {
		const PairsElement *element = &checker->pairs->element[e];
		MovingBox *box = &checker->box[e];
		for (int c = 0; c < element->corners; c++) {
			const TrackVertex *vertex = &track->vertex[element->vertex[c]];
			for (int k = 0; k < 3; k++)
				for (int end = 0; end < 2; end++) {
					double x = (end ? vertex->end : vertex->start)[k];
					double low = x - vertex->deviation, high = x + vertex->deviation;
					box->low[end][k] = c == 0 || low < box->low[end][k] ? low : box->low[end][k];
					box->high[end][k] = c == 0 || high > box->high[end][k] ? high : box->high[end][k];
				}
		}
	}
}

/* Finds the couples that are near: all others stay farther apart than anyone wants to know. */
static void find_near(Checker *checker)
{
	const CheckerVerdict *verdict = &checker->verdict;
	double largest = checker->track->largest;
	double enough = fmax(verdict->gap + checker->pairs->largest_offset, verdict->distance) + ROUNDING * largest;
	GArray *other = checker->before;
	checker->before = checker->near;
	checker->near = other;
	g_array_set_size(checker->near, 0);
	checker->n_near = 0;
	checker->cursor = 0;
	place_boxes(checker);
	uint64_t compared =
	    moving_visit(checker->moving, checker->box, largest < MOST_COORDINATE ? enough : INFINITY, meet, checker);
	checker->verdict.count.work += compared * COST_COMPARED;
	if (checker->couple->len > MOST_KEPT * checker->near->len + FEWEST_COMMITS)
		forget_the_rest(checker);
}

/* ---- a window ---- */

/* What a thread has found; the first touch is the earliest, and of these the first in the list. */
typedef struct {
	NarrowResult result;
	uint64_t examined;
	double when;
	guint which;
	GArray *open; /* guint: primitive pairs that are to be looked at point by point */
} Share;

/* No use to know that a pair is farther apart than this. */
static double enough_for(const Checker *checker, const NarrowPair *pair)
{
	double gap = checker->verdict.gap + (double)pair->offset, distance = checker->verdict.distance;
	return gap > distance ? gap : distance;
}

/* Whether one direction keeps the two elements apart, by as much as anyone wants to know. */
static bool is_apart(const Checker *checker, const Couple *couple)
{
	const PairsElement *a = &checker->pairs->element[couple->a], *b = &checker->pairs->element[couple->b];
	uint32_t vertex[CHECKER_MOST_CORNERS];
	int n = 0;
	for (int c = 0; c < a->corners; c++)
		vertex[n++] = a->vertex[c];
	for (int c = 0; c < b->corners; c++)
		vertex[n++] = b->vertex[c];
	double offset = checker->pairs->largest_offset, enough = fmax(checker->verdict.gap + offset, checker->verdict.distance);
	return narrow_chord_bound(checker->track, vertex, a->corners, n, couple->direction) >= enough;
}

static void look_at(const Checker *checker, Couple *couple, Share *share)
{
	if (couple->n == 0 || (!couple->joined && is_apart(checker, couple)))
		return;
	double best = -INFINITY;
	share->examined += couple->n;
	for (guint i = couple->first; i < couple->first + couple->n; i++) {
		NarrowPair *pair = &g_array_index(checker->primitive, NarrowPair, i);
		double bound, enough = enough_for(checker, pair);
		if (!narrow_by_chord(pair, checker->track, enough, &bound, &share->result))
			g_array_append_val(share->open, i);
		/* The closest pair's direction may separate the elements the next time. */
		if (-bound > best) {
			best = -bound;
			memcpy(couple->direction, pair->direction, sizeof couple->direction);
		}
	}
}

static void look_closely(const Checker *checker, NarrowPair *pair, guint which, Share *share)
{
	share->result.touches = false;
	narrow_by_way(pair, checker->track, enough_for(checker, pair), &share->result);
	if (share->result.touches && share->result.when < share->when) {
		share->when = share->result.when;
		share->which = which;
	}
}

static void merge(Share *sum, const Share *share)
{
	sum->examined += share->examined;
	sum->result.by_chord += share->result.by_chord;
	sum->result.by_way += share->result.by_way;
	sum->result.pieces += share->result.pieces;
	sum->result.exactly += share->result.exactly;
	sum->result.points += share->result.points;
	sum->result.distance = fmin(sum->result.distance, share->result.distance);
	sum->result.gap = fmin(sum->result.gap, share->result.gap);
	if (share->when < sum->when || (share->when == sum->when && share->which < sum->which)) {
		sum->when = share->when;
		sum->which = share->which;
	}
}

static void share_init(Share *share, const Checker *checker)
{
	*share = (Share){
	    .result = {.distance = checker->verdict.distance, .gap = checker->verdict.gap},
	    .when = INFINITY,
	    .which = G_MAXUINT,
	    .open = g_array_new(FALSE, FALSE, sizeof(guint)),
	};
}

/* Couples are looked at by themselves, with what was known before the window: the same for any number of threads. */
static void look_at_all(Checker *checker, Share *sum)
{
	const uint32_t *near = (const uint32_t *)(void *)checker->near->data;
	guint n = checker->near->len;
#pragma omp parallel num_threads(checker->threads) if (checker->threads > 1 && n >= FEWEST_FOR_THREADS)
	{
		Share share;
		share_init(&share, checker);
#pragma omp for schedule(static) nowait
		for (guint i = 0; i < n; i++)
			look_at(checker, &g_array_index(checker->couple, Couple, near[i]), &share);
#pragma omp critical
		{
			merge(sum, &share);
			g_array_append_vals(sum->open, share.open->data, share.open->len);
		}
		g_array_unref(share.open);
	}
}

/* Those that are open, point by point. In any order: what is found does not depend on it. */
static void look_at_open(Checker *checker, Share *sum)
{
	NarrowPair *primitive = (NarrowPair *)(void *)checker->primitive->data;
	const guint *open = (const guint *)(void *)sum->open->data;
	guint n = sum->open->len;
	if (n == 0)
		return;
	memset(checker->wanted, 0, checker->track->n);
	for (guint i = 0; i < n; i++)
		for (int c = 0; c < SWEEP_MOST_CORNERS; c++)
			checker->wanted[primitive[open[i]].vertex[c]] = 1;
	track_gather(checker->track, checker->wanted);
#pragma omp parallel num_threads(checker->threads) if (checker->threads > 1 && n >= FEWEST_OPEN_FOR_THREADS)
	{
		Share share;
		share_init(&share, checker);
#pragma omp for schedule(dynamic, 16) nowait
		for (guint i = 0; i < n; i++)
			look_closely(checker, &primitive[open[i]], open[i], &share);
#pragma omp critical
		merge(sum, &share);
		g_array_unref(share.open);
	}
}

/* A window ends after the event that fills it, which moves each vertex at most once. */
static void set_target(Checker *checker, size_t commits)
{
	checker->target = commits;
	track_expect(checker->track, commits + checker->track->n);
}

/* More commits for the next window where points cost little, fewer where they cost much. */
static void adapt(Checker *checker, uint64_t points, uint64_t rest)
{
	size_t n = checker->track->n, most = MIN(MAX(n * MOST_COMMITS_PER_VERTEX, FEWEST_COMMITS), MOST_COMMITS);
	size_t least = MIN(MAX(2 * n, FEWEST_COMMITS), most);
	if (points > rest)
		set_target(checker, MAX(checker->target / 4 * 3, least));
	else if (points < rest / 2)
		set_target(checker, MIN(checker->target / 2 * 3, most));
}

/* Returns the work that was not for points. */
static uint64_t count(Checker *checker, const Share *sum, size_t commits, uint64_t work_before)
{
	CheckerVerdict *verdict = &checker->verdict;
	CheckerCount *counts = &verdict->count;
	counts->work += (uint64_t)checker->track->n * COST_VERTEX + (uint64_t)checker->near->len * COST_NEAR +
	                sum->examined * COST_EXAMINED;
	uint64_t rest = counts->work - work_before;
	counts->commits += commits;
	counts->windows++;
	counts->near += checker->n_near;
	counts->examined += sum->examined;
	counts->by_chord += sum->result.by_chord;
	counts->by_way += sum->result.by_way;
	counts->pieces += sum->result.pieces;
	counts->exactly += sum->result.exactly;
	counts->work += sum->result.points + commits;
	verdict->distance = sum->result.distance;
	verdict->gap = sum->result.gap;
	return rest;
}

static void measure_memory(Checker *checker)
{
	const Track *track = checker->track;
	size_t n = track->n, elements = checker->pairs->n_elements,
	       bytes = n * (sizeof(TrackVertex) + sizeof(TrackState) + 5 * sizeof(double)) +
	               track->most_commits * (sizeof(TrackCommit) + sizeof(uint32_t)) + track->capacity * 4 * sizeof(double) +
	               elements * (sizeof(PairsElement) + 3 * sizeof(MovingBox)) + checker->n_slots * sizeof(uint32_t) +
	               checker->couple->len * sizeof(Couple) + checker->primitive->len * sizeof(NarrowPair) +
	               2 * checker->near->len * sizeof(uint32_t);
	checker->memory = MAX(checker->memory, bytes);
}

static bool judge(Checker *checker, size_t commits)
{
	uint64_t work_before = checker->verdict.count.work;
	find_near(checker);
	Share sum;
	share_init(&sum, checker);
	look_at_all(checker, &sum);
	look_at_open(checker, &sum);
	uint64_t rest = count(checker, &sum, commits, work_before);
	g_array_unref(sum.open);
	measure_memory(checker);
	if (sum.when < INFINITY) {
		find_touch(checker, &g_array_index(checker->primitive, NarrowPair, sum.which), sum.when);
		return false;
	}
	checker->verdict.to = checker->track->to;
	adapt(checker, sum.result.points, rest);
	return true;
}

/* ---- the stream ---- */

Checker *checker_new(const PairsInput *input, const double (*x)[3], double time, double reach, unsigned threads)
{
	Checker *checker = g_new0(Checker, 1);
	size_t n = input->n_vertices;
	uint32_t culprit = 0;
	checker->pairs = pairs_new(input, x);
	checker->track = track_new(input->n_vertices);
	checker->threads = MAX(threads, 1);
	set_target(checker, MIN(MAX(16 * n, FEWEST_COMMITS), MOST_COMMITS));
	checker->wanted = g_new0(uint8_t, n + 1);
	checker->box = g_new0(MovingBox, checker->pairs->n_elements + 1u);
	checker->moving = moving_new(checker->pairs->n_elements);
	checker->couple = g_array_new(FALSE, FALSE, sizeof(Couple));
	checker->primitive = g_array_new(FALSE, FALSE, sizeof(NarrowPair));
	checker->near = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	checker->before = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	checker->n_slots = FEWEST_COMMITS;
	make_slots(checker, 0);
	double edge = checker->pairs->typical_edge;
	reach = reach > 0.0 ? reach : edge > 0.0 ? REACH * edge : 1.0;
	checker->verdict.reach = checker->verdict.distance = checker->verdict.gap = reach;
	checker->verdict.from = checker->verdict.to = time;
	TrackFault fault = track_start(checker->track, time, x, &culprit);
	if (find_fault(checker, fault, culprit, time, n > 0 ? x[culprit] : (const double[3]){0, 0, 0}))
		find_intersections(checker, time, x);
	return checker;
}

void checker_free(Checker *checker)
{
	if (checker == NULL)
		return;
	pairs_free(checker->pairs);
	track_free(checker->track);
	g_free(checker->wanted);
	g_free(checker->box);
	moving_free(checker->moving);
	g_array_unref(checker->couple);
	g_array_unref(checker->primitive);
	g_array_unref(checker->near);
	g_array_unref(checker->before);
	g_free(checker->slot);
	g_free(checker);
}

static bool passes(const Checker *checker)
{
	return checker->verdict.finding.outcome == CHECKER_PASS;
}

bool checker_commit(Checker *checker, uint32_t vertex, double time, const double x[3])
{
	return passes(checker) && find_fault(checker, track_commit(checker->track, vertex, time, x), vertex, time, x);
}

bool checker_is_due(const Checker *checker)
{
	return checker->track->n_commits >= checker->target;
}

bool checker_end_window(Checker *checker, double time, const double (*x)[3])
{
	Track *track = checker->track;
	uint32_t culprit = 0;
	if (!passes(checker))
		return false;
	size_t commits = track->n_commits;
	if (time == track->start_time) { /* nothing may have moved */
		for (uint32_t i = 0; i < track->n; i++)
			if (!checker_commit(checker, i, time, x[i]))
				return false;
		return true;
	}
	TrackFault fault = track_close(track, time, x, &culprit);
	return find_fault(checker, fault, culprit, time, track->n > 0 ? x[culprit] : NULL) && judge(checker, commits);
}

bool checker_test_at_rest(Checker *checker, double time, const double (*x)[3])
{
	if (passes(checker))
		find_intersections(checker, time, x);
	return passes(checker);
}

void checker_remove_body(Checker *checker, uint32_t body)
{
	pairs_remove_body(checker->pairs, body);
	forget_all(checker);
}

const CheckerVerdict *checker_verdict(const Checker *checker)
{
	return &checker->verdict;
}

size_t checker_memory(const Checker *checker)
{
	return checker->memory;
}

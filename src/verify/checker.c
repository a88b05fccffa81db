/* The list of near pairs. When it is made, every vertex i is at a place of reference y_i and gets an allowance s_i. The list
 * has every pair that can come within reach while each vertex stays within s_i of y_i: for a primitive is the hull of its
 * corners, and when each of these is within s of its place, so is every point of it; two primitives whose distance was d
 * are then at least d - s_a - s_b apart, s_a the largest allowance of the first one's corners. In each window u_i, how far i
 * gets from y_i, is measured over all its points: the list holds as long as u_i <= s_i for all i; else it is made anew, with
 * allowances that hold at least for this window. By the same argument with u in place of s most pairs of the list are not
 * even looked at.
 *
 * Windows grow until looking at points costs as much as all that is done once per window, and shrink when it costs more. This
 * is measured in counts, not in seconds: so the windows, and with them all counts of a verdict, depend on the motion alone. */
#include "verify/checker.h"
#include "verify/boxes.h"
#include "verify/closest.h"
#include <math.h>
#include <omp.h>
#include <string.h>

#define SKIN 0.2  /* of a typical edge: the least allowance */
#define REACH 0.125 /* of a typical edge: the default */
#define ROUNDING 0x1p-46 /* of the largest coordinate: more than any sum of a few coordinates is off by */
enum { FEWEST_COMMITS = 1024, MOST_COMMITS_PER_VERTEX = 256, MOST_COMMITS = 1 << 20 }; /* in a window */
enum { FEWEST_FOR_THREADS = 4096, FEWEST_OPEN_FOR_THREADS = 256 }; /* pairs */
/* Costs in units of a point looked at: of a vertex in a window, a pair in the list, one examined, one put into a list. */
enum { COST_VERTEX = 10, COST_NEAR = 2, COST_EXAMINED = 20, COST_LISTED = 60 };

struct Checker {
	Pairs *pairs;
	Track *track;
	unsigned threads;
	size_t target; /* commits in a window */
	double skin;   /* [length] */
	double (*reference)[3]; /* [length] (vertices) */
	double *allowance;      /* [length] (vertices) */
	uint8_t *wanted;        /* (vertices) whose points are to be looked at */
	double reference_largest;
	bool listed;      /* whether there is a list */
	GArray *near;     /* NarrowPair */
	GArray *overlaps; /* PairsPrimitive: pairs of which boxes overlap, while the list is made */
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

/* ---- the list of near pairs ---- */

static double length_of_way(const double from[3], const double to[3])
{
	double sum = 0.0;
	for (int k = 0; k < 3; k++)
		sum += (to[k] - from[k]) * (to[k] - from[k]);
	return sqrt(sum);
}

/* How far each vertex gets from its place of reference. Whether the list holds. */
static bool measure_moved(Checker *checker)
{
	Track *track = checker->track;
	double error = ROUNDING * fmax(track->largest, checker->reference_largest);
	bool holds = true;
	for (uint32_t i = 0; i < track->n; i++) {
		TrackVertex *vertex = &track->vertex[i];
		double start = length_of_way(checker->reference[i], vertex->start);
		double end = length_of_way(checker->reference[i], vertex->end);
		vertex->moved = fmax(start, end) + vertex->deviation + error;
		holds = holds && vertex->moved <= checker->allowance[i];
	}
	return holds;
}

static void collect(uint32_t a, uint32_t b, void *data)
{
	Checker *checker = data;
	PairsPrimitive primitive[PAIRS_MOST];
	int n = pairs_of_elements(checker->pairs, a, b, primitive);
	g_array_append_vals(checker->overlaps, primitive, (guint)n);
}

static void find_overlaps(Checker *checker)
{
	const Pairs *pairs = checker->pairs;
	g_autofree Box *box = g_new(Box, pairs->n_elements + 1u);
	double reach = 0.5 * (checker->verdict.reach + pairs->largest_offset) + ROUNDING * checker->reference_largest;
	for (uint32_t e = 0; e < pairs->n_elements; e++) {
		const PairsElement *element = &pairs->element[e];
		for (int k = 0; k < 3; k++) {
			box[e].least[k] = INFINITY;
			box[e].most[k] = -INFINITY;
			for (int c = 0; c < element->corners; c++) {
				uint32_t v = element->vertex[c];
				double x = checker->reference[v][k], more = checker->allowance[v] + reach;
				box[e].least[k] = fmin(box[e].least[k], x - more);
				box[e].most[k] = fmax(box[e].most[k], x + more);
			}
		}
	}
	g_array_set_size(checker->overlaps, 0);
	boxes_visit_overlaps(box, pairs->n_elements, collect, checker);
}

/* The largest allowances of both primitives, together. */
static double allowance_of(const Checker *checker, const PairsPrimitive *primitive)
{
	double most[2] = {0.0, 0.0};
	for (int i = 0; i < sweep_corners[primitive->kind]; i++) {
		int second = i >= sweep_first[primitive->kind];
		most[second] = fmax(most[second], checker->allowance[primitive->vertex[i]]);
	}
	return most[0] + most[1];
}

/* Whether some coordinate alone keeps the primitives that far apart. */
static bool is_far(const Checker *checker, const PairsPrimitive *primitive, double far)
{
	int n_first = sweep_first[primitive->kind], n = sweep_corners[primitive->kind];
	for (int k = 0; k < 3; k++) {
		double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
		for (int i = 0; i < n; i++) {
			double x = checker->reference[primitive->vertex[i]][k];
			least[i >= n_first] = fmin(least[i >= n_first], x);
			most[i >= n_first] = fmax(most[i >= n_first], x);
		}
		if (least[0] - most[1] > far || least[1] - most[0] > far)
			return true;
	}
	return false;
}

static float round_down(double value)
{
	float nearest = (float)value;
	return (double)nearest > value ? nextafterf(nearest, -INFINITY) : nearest;
}

/* Whether the pair can come within reach; then *pair is filled in. */
static bool is_near(const Checker *checker, const PairsPrimitive *primitive, NarrowPair *pair)
{
	double x[SWEEP_MOST_CORNERS][3];
	int n = sweep_corners[primitive->kind];
	double far = allowance_of(checker, primitive) + checker->verdict.reach + primitive->offset;
	far += ROUNDING * checker->reference_largest;
	if (is_far(checker, primitive, far))
		return false;
	for (int i = 0; i < SWEEP_MOST_CORNERS; i++) {
		pair->vertex[i] = primitive->vertex[i < n ? i : n - 1];
		memcpy(x[i], checker->reference[pair->vertex[i]], sizeof x[i]);
	}
	double apart = narrow_apart(primitive->kind, (const double(*)[3])x, checker->reference_largest, pair->direction);
	if (apart >= far)
		return false;
	pair->kind = (uint8_t)primitive->kind;
	pair->apart = round_down(apart);
	pair->offset = -round_down(-primitive->offset);
	return true;
}

/* Makes the list anew, with the start of the window as reference. */
static void make_list(Checker *checker)
{
	const Track *track = checker->track;
	checker->reference_largest = track->largest;
	for (uint32_t i = 0; i < track->n; i++) {
		memcpy(checker->reference[i], track->start[i], sizeof checker->reference[i]);
		checker->allowance[i] = INFINITY;
	}
	measure_moved(checker);
	for (uint32_t i = 0; i < track->n; i++)
		checker->allowance[i] = fmax(checker->skin, track->vertex[i].moved);
	find_overlaps(checker);
	guint n = checker->overlaps->len;
	g_array_set_size(checker->near, n);
	NarrowPair *near = (NarrowPair *)(void *)checker->near->data;
	g_autofree uint8_t *keep = g_new0(uint8_t, n + 1u);
#pragma omp parallel for schedule(static) num_threads(checker->threads) if (checker->threads > 1 && n >= FEWEST_FOR_THREADS)
	for (guint i = 0; i < n; i++)
		keep[i] = is_near(checker, &g_array_index(checker->overlaps, PairsPrimitive, i), &near[i]);
	guint kept = 0;
	for (guint i = 0; i < n; i++)
		if (keep[i])
			near[kept++] = near[i];
	g_array_set_size(checker->near, kept);
	checker->listed = true;
	checker->verdict.count.lists++;
	checker->verdict.count.work += (uint64_t)n * COST_LISTED;
}

/* ---- a window ---- */

/* What a thread has found; the first touch is the earliest, and of these the first in the list. */
typedef struct {
	NarrowResult result;
	uint64_t examined;
	double when;
	guint which;
	GArray *open; /* guint: pairs that are to be looked at point by point */
} Share;

/* No use to know that a pair is farther apart than this. */
static double enough_for(const Checker *checker, const NarrowPair *pair)
{
	return fmax(checker->verdict.gap + (double)pair->offset, checker->verdict.distance);
}

static void look_at(const Checker *checker, NarrowPair *pair, guint which, Share *share)
{
	const TrackVertex *vertex = checker->track->vertex;
	int n_first = sweep_first[pair->kind];
	double moved[2] = {0.0, 0.0}, enough = enough_for(checker, pair);
	for (int i = 0; i < SWEEP_MOST_CORNERS; i++)
		moved[i >= n_first] = fmax(moved[i >= n_first], vertex[pair->vertex[i]].moved);
	if (((double)pair->apart - moved[0] - moved[1]) * (1.0 - 0x1p-50) >= enough)
		return;
	share->examined++;
	if (!narrow_by_chord(pair, checker->track, enough, &share->result))
		g_array_append_val(share->open, which);
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

/* Pairs are looked at by themselves, with what was known before the window: the same for any number of threads. */
static void look_at_all(Checker *checker, Share *sum)
{
	NarrowPair *near = (NarrowPair *)(void *)checker->near->data;
	guint n = checker->near->len;
#pragma omp parallel num_threads(checker->threads) if (checker->threads > 1 && n >= FEWEST_FOR_THREADS)
	{
		Share share;
		share_init(&share, checker);
#pragma omp for schedule(static) nowait
		for (guint i = 0; i < n; i++)
			look_at(checker, &near[i], i, &share);
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
	NarrowPair *near = (NarrowPair *)(void *)checker->near->data;
	const guint *open = (const guint *)(void *)sum->open->data;
	guint n = sum->open->len;
	if (n == 0)
		return;
	memset(checker->wanted, 0, checker->track->n);
	for (guint i = 0; i < n; i++)
		for (int c = 0; c < SWEEP_MOST_CORNERS; c++)
			checker->wanted[near[open[i]].vertex[c]] = 1;
	track_gather(checker->track, checker->wanted);
#pragma omp parallel num_threads(checker->threads) if (checker->threads > 1 && n >= FEWEST_OPEN_FOR_THREADS)
	{
		Share share;
		share_init(&share, checker);
#pragma omp for schedule(dynamic, 16) nowait
		for (guint i = 0; i < n; i++)
			look_closely(checker, &near[open[i]], open[i], &share);
#pragma omp critical
		merge(sum, &share);
		g_array_unref(share.open);
	}
}

/* More commits for the next window where points cost little, fewer where they cost much. */
static void adapt(Checker *checker, uint64_t points, uint64_t rest)
{
	size_t n = checker->track->n, most = MIN(MAX(n * MOST_COMMITS_PER_VERTEX, FEWEST_COMMITS), MOST_COMMITS);
	size_t least = MIN(MAX(2 * n, FEWEST_COMMITS), most);
	if (points > rest)
		checker->target = MAX(checker->target / 4 * 3, least);
	else if (points < rest / 2)
		checker->target = MIN(checker->target / 2 * 3, most);
}

static void count(Checker *checker, const Share *sum, size_t commits)
{
	CheckerVerdict *verdict = &checker->verdict;
	CheckerCount *counts = &verdict->count;
	uint64_t rest = (uint64_t)checker->track->n * COST_VERTEX + (uint64_t)checker->near->len * COST_NEAR +
	                sum->examined * COST_EXAMINED;
	counts->commits += commits;
	counts->windows++;
	counts->near += checker->near->len;
	counts->examined += sum->examined;
	counts->by_chord += sum->result.by_chord;
	counts->by_way += sum->result.by_way;
	counts->pieces += sum->result.pieces;
	counts->exactly += sum->result.exactly;
	counts->work += rest + sum->result.points + commits;
	verdict->distance = sum->result.distance;
	verdict->gap = sum->result.gap;
	adapt(checker, sum->result.points, rest);
}

static void measure_memory(Checker *checker)
{
	const Track *track = checker->track;
	size_t n = track->n, bytes = n * (sizeof(TrackVertex) + sizeof(TrackState) + 9 * sizeof(double)) +
	                             track->most_commits * sizeof(TrackCommit) + track->capacity * 4 * sizeof(double) +
	                             checker->near->len * sizeof(NarrowPair) +
	                             checker->overlaps->len * sizeof(PairsPrimitive) +
	                             checker->pairs->n_elements * sizeof(PairsElement);
	checker->memory = MAX(checker->memory, bytes);
}

static bool judge(Checker *checker, size_t commits)
{
	if (!checker->listed || !measure_moved(checker)) {
		make_list(checker);
		measure_moved(checker);
	}
	Share sum;
	share_init(&sum, checker);
	look_at_all(checker, &sum);
	look_at_open(checker, &sum);
	count(checker, &sum, commits);
	g_array_unref(sum.open);
	measure_memory(checker);
	if (sum.when < INFINITY)
		find_touch(checker, &g_array_index(checker->near, NarrowPair, sum.which), sum.when);
	else
		checker->verdict.to = checker->track->to;
	return sum.when == INFINITY;
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
	checker->target = MIN(MAX(16 * n, FEWEST_COMMITS), MOST_COMMITS);
	checker->reference = g_malloc0_n(n + 1, sizeof *checker->reference);
	checker->allowance = g_new0(double, n + 1);
	checker->wanted = g_new0(uint8_t, n + 1);
	checker->near = g_array_new(FALSE, FALSE, sizeof(NarrowPair));
	checker->overlaps = g_array_new(FALSE, FALSE, sizeof(PairsPrimitive));
	double edge = checker->pairs->typical_edge;
	reach = reach > 0.0 ? reach : edge > 0.0 ? REACH * edge : 1.0;
	checker->skin = edge > 0.0 ? SKIN * edge : reach;
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
	g_free(checker->reference);
	g_free(checker->allowance);
	g_free(checker->wanted);
	g_array_unref(checker->near);
	g_array_unref(checker->overlaps);
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
	checker->listed = false;
}

const CheckerVerdict *checker_verdict(const Checker *checker)
{
	return &checker->verdict;
}

size_t checker_memory(const Checker *checker)
{
	return checker->memory;
}

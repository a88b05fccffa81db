/* The judge of whole motions: against brute force on small cases, against rational arithmetic at the last bit, and with
 * violations planted into motions that are good. */
#include "contact/distance.h"
#include "support/random.h"
#include "verify/checker.h"
#include <criterion/criterion.h>
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- streams: commits in the order of time, and a place of every vertex at every full second ---- */

typedef struct {
	double time;
	uint32_t vertex;
	double x[3];
} Commit;

typedef struct {
	PairsInput input;
	uint32_t body[512];
	uint32_t triangle[512][3];
	uint32_t edge[64][2];
	double start[512][3];
	GArray *commits; /* Commit */
	int rounds;      /* seconds */
} Stream;

static Stream *stream_new(int rounds)
{
	Stream *stream = g_new0(Stream, 1);
	stream->input.mesh.triangle = (const uint32_t(*)[3])stream->triangle;
	stream->input.mesh.edge = (const uint32_t(*)[2])stream->edge;
	stream->input.body = stream->body;
	stream->input.n_bodies = 1;
	stream->commits = g_array_new(FALSE, FALSE, sizeof(Commit));
	stream->rounds = rounds;
	return stream;
}

static void stream_free(Stream *stream)
{
	g_array_unref(stream->commits);
	g_free(stream);
}

static void put(Stream *stream, uint32_t vertex, double time, const double x[3])
{
	Commit commit = {time, vertex, {x[0], x[1], x[2]}};
	g_array_append_val(stream->commits, commit);
}

static int compare(const void *a, const void *b)
{
	const Commit *p = a, *q = b;
	if (p->time != q->time)
		return p->time < q->time ? -1 : 1;
	return p->vertex < q->vertex ? -1 : p->vertex > q->vertex;
}

/* Commits at full seconds are for all vertices, and end a window. */
static CheckerVerdict judge(Stream *stream, unsigned threads)
{
	uint32_t n = stream->input.n_vertices;
	double x[512][3];
	memcpy(x, stream->start, sizeof x);
	g_array_sort(stream->commits, compare);
	Checker *checker = checker_new(&stream->input, (const double(*)[3])x, 0.0, 0.0, threads);
	double time = 0.0;
	uint32_t present = 0;
	for (guint i = 0; i < stream->commits->len; i++) {
		const Commit *commit = &g_array_index(stream->commits, Commit, i);
		present = commit->time == time ? present + 1 : 1;
		time = commit->time;
		memcpy(x[commit->vertex], commit->x, sizeof commit->x);
		checker_commit(checker, commit->vertex, commit->time, commit->x);
		if (time == floor(time) && present == n)
			checker_end_window(checker, time, (const double(*)[3])x);
	}
	CheckerVerdict verdict = *checker_verdict(checker);
	checker_free(checker);
	return verdict;
}

/* ---- brute force: the engine's distance, halving the time ---- */

static void place_at(const Stream *stream, uint32_t vertex, double time, double x[3])
{
	const Commit *before = NULL, *after = NULL;
	for (guint i = 0; i < stream->commits->len; i++) {
		const Commit *commit = &g_array_index(stream->commits, Commit, i);
		if (commit->vertex != vertex)
			continue;
		if (commit->time <= time) {
			before = commit;
		} else {
			after = commit;
			break;
		}
	}
	const double *from = before ? before->x : stream->start[vertex];
	double began = before ? before->time : 0.0;
	for (int k = 0; k < 3; k++)
		x[k] = after ? from[k] + (time - began) / (after->time - began) * (after->x[k] - from[k]) : from[k];
}

static double distance_at(const Stream *stream, SweepKind kind, const uint32_t *vertex, double time)
{
	static const PairKind pair[SWEEP_N_KINDS] = {
	    PAIR_VERTEX_TRIANGLE, PAIR_EDGE_EDGE, PAIR_VERTEX_EDGE, PAIR_VERTEX_VERTEX};
	Vec3 at[4];
	for (int i = 0; i < sweep_corners[kind]; i++) {
		double x[3];
		place_at(stream, vertex[i], time, x);
		at[i] = vec3(x[0], x[1], x[2]);
	}
	return distance_closest(pair[kind], at).distance;
}

static bool comes_close(const Stream *stream, SweepKind kind, const uint32_t *v, double from, double to, double speed)
{
	double half = 0.5 * (from + to);
	if (distance_at(stream, kind, v, half) > speed * (to - from) + 1e-12)
		return false;
	if (to - from < 1e-9)
		return true;
	return comes_close(stream, kind, v, from, half, speed) || comes_close(stream, kind, v, half, to, speed);
}

static double fastest(const Stream *stream)
{
	double most = 0.0;
	for (uint32_t v = 0; v < stream->input.n_vertices; v++) {
		const double *x = stream->start[v];
		double time = 0.0;
		for (guint i = 0; i < stream->commits->len; i++) {
			const Commit *commit = &g_array_index(stream->commits, Commit, i);
			if (commit->vertex != v || commit->time == time)
				continue;
			double way = sqrt(pow(commit->x[0] - x[0], 2) + pow(commit->x[1] - x[1], 2) + pow(commit->x[2] - x[2], 2));
			most = fmax(most, way / (commit->time - time));
			x = commit->x;
			time = commit->time;
		}
	}
	return most;
}

/* Two triangles, or a triangle and a loose edge, or two loose edges, of different vertices. */
static bool touches_by_brute_force(const Stream *stream, int n_a, int n_b)
{
	double speed = fastest(stream);
	uint32_t a[3] = {0, 1, 2}, b[3];
	for (int i = 0; i < n_b; i++)
		b[i] = (uint32_t)(n_a + i);
	bool touches = false;
	for (int side = 0; side < 2; side++) {
		const uint32_t *one = side ? b : a, *other = side ? a : b;
		int n_one = side ? n_b : n_a, n_other = side ? n_a : n_b;
		for (int i = 0; i < n_one; i++) {
			uint32_t v[4] = {one[i], other[0], other[1], n_other == 3 ? other[2] : 0};
			SweepKind kind = n_other == 3 ? SWEEP_VERTEX_TRIANGLE : SWEEP_VERTEX_EDGE;
			touches = touches || comes_close(stream, kind, v, 0.0, stream->rounds, speed);
		}
	}
	for (int i = 0; i < (n_a == 3 ? 3 : 1); i++)
		for (int j = 0; j < (n_b == 3 ? 3 : 1); j++) {
			uint32_t v[4] = {a[i], a[(i + 1) % n_a], b[j], b[(j + 1) % n_b]};
			touches = touches || comes_close(stream, SWEEP_EDGE_EDGE, v, 0.0, stream->rounds, speed);
		}
	return touches;
}

/* Two elements that wander about on a small grid, with commits at their own times. */
static Stream *small_case(int n_a, int n_b, double drift)
{
	Stream *stream = stream_new(1);
	uint32_t n = (uint32_t)(n_a + n_b);
	stream->input.n_vertices = n;
	for (int side = 0; side < 2; side++) {
		int corners = side ? n_b : n_a, first = side ? n_a : 0;
		for (int i = 0; i < corners; i++)
			if (corners == 3)
				stream->triangle[stream->input.mesh.n_triangles][i] = (uint32_t)(first + i);
			else
				stream->edge[stream->input.mesh.n_edges][i] = (uint32_t)(first + i);
		if (corners == 3)
			stream->input.mesh.n_triangles++;
		else
			stream->input.mesh.n_edges++;
	}
	for (uint32_t v = 0; v < n; v++) {
		for (int k = 0; k < 3; k++)
			stream->start[v][k] = random_below(4) + (v >= (uint32_t)n_a && k == 2 ? drift : 0.0);
		int bends = random_below(4);
		for (int i = 0; i <= bends; i++) {
			double x[3] = {random_below(4), random_below(4), random_below(4) + (v >= (uint32_t)n_a ? drift : 0.0)};
			put(stream, v, i == bends ? 1.0 : (i + random_below(8) / 8.0) / (bends + 1) + 1.0 / 64.0, x);
		}
	}
	g_array_sort(stream->commits, compare);
	return stream;
}

Test(checker, agrees_with_brute_force_on_small_cases)
{
	random_seed = 11;
	static const int sizes[][2] = {{3, 3}, {3, 2}, {2, 2}};
	int found = 0, clean = 0, total = getenv("CINCH_FULL") ? 6000 : 600;
	for (int i = 0; i < total; i++) {
		const int *size = sizes[i % 3];
		Stream *stream = small_case(size[0], size[1], random_below(5));
		CheckerVerdict verdict = judge(stream, 1);
		bool touches = verdict.finding.outcome != CHECKER_PASS;
		if (verdict.finding.outcome != CHECKER_INTERSECTS) /* which the reference does not look at */
			cr_assert_eq(touches, touches_by_brute_force(stream, size[0], size[1]), "case %d: %d is wrong", i, touches);
		found += touches;
		clean += !touches;
		stream_free(stream);
	}
	cr_log_info("%d touch, %d do not", found, clean);
	cr_assert(found > total / 10 && clean > total / 10);
}

/* ---- near misses, by units in the last place ---- */

/* A corner at time t, on its way from x0 at t0 to x1 at t1. */
static void rational_place(mpq_t x[3], const double x0[3], double t0, const double x1[3], double t1, double t)
{
	mpq_t a, b, c;
	mpq_inits(a, b, c, NULL);
	for (int k = 0; k < 3; k++) {
		mpq_set_d(a, t);
		mpq_set_d(b, t0);
		mpq_sub(a, a, b);
		mpq_set_d(c, t1);
		mpq_sub(c, c, b);
		mpq_div(a, a, c); /* the share */
		mpq_set_d(b, x0[k]);
		mpq_set_d(c, x1[k]);
		mpq_sub(c, c, b);
		mpq_mul(c, c, a);
		mpq_add(x[k], b, c);
	}
	mpq_clears(a, b, c, NULL);
}

/* The sign of (p1 - p0) x (p2 - p0) . (p3 - p0). */
static int rational_volume(mpq_t p[4][3])
{
	mpq_t d[3][3], sum, term;
	mpq_inits(sum, term, NULL);
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++) {
			mpq_init(d[i][k]);
			mpq_sub(d[i][k], p[i + 1][k], p[0][k]);
		}
	for (int k = 0; k < 6; k++) {
		static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
		mpq_mul(term, d[0][order[k][0]], d[1][order[k][1]]);
		mpq_mul(term, term, d[2][order[k][2]]);
		if (k < 3)
			mpq_add(sum, sum, term);
		else
			mpq_sub(sum, sum, term);
	}
	int sign = mpq_sgn(sum);
	for (int i = 0; i < 9; i++)
		mpq_clear(d[i / 3][i % 3]);
	mpq_clears(sum, term, NULL);
	return sign;
}

/* A vertex comes down on a tilted triangle that moves, turns back at time 1/2 just above it, on it, or just below, and goes
 * up again; or two edges do so. All the while the triangle, or the other edge, is between two commits, where no double is. */
static Stream *near_miss(bool edges, int ulps, int *sign)
{
	Stream *stream = stream_new(1);
	uint32_t n = stream->input.n_vertices = edges ? 4 : 6, lower = edges ? 2 : 3;
	double x0[3][3], x1[3][3], lowest[3] = {0, 0, 0};
	for (uint32_t i = 0; i < lower; i++)
		for (int k = 0; k < 3; k++) {
			static const double corner[2][3][3] = {{{-1, -1, 0}, {2, -1, 0}, {-1, 2, 0}}, {{-1, 0, 0}, {1, 0, 0}, {0, 0, 0}}};
			x0[i][k] = corner[edges][i][k] + random_between(-0.2, 0.2);
			x1[i][k] = x0[i][k] + random_between(-0.05, 0.05);
		}
	/* About on it at half time, then that many units above. */
	for (int k = 0; k < 2 && !edges; k++)
		lowest[k] = random_between(-0.1, 0.1);
	mpq_t p[4][3];
	for (int i = 0; i < 12; i++)
		mpq_init(p[i / 3][i % 3]);
	double ahead = edges ? random_between(0.3, 0.7) : 0.0; /* the lower edge's height above the crossing */
	double from[3] = {lowest[0], edges ? -1.0 : lowest[1], 0}, to[3] = {lowest[0], edges ? 1.0 : lowest[1], 0};
	if (edges) {
		double mid[2][3];
		for (int k = 0; k < 3; k++) {
			mid[0][k] = 0.5 * (x0[0][k] + x1[0][k]);
			mid[1][k] = 0.5 * (x0[1][k] + x1[1][k]);
		}
		from[0] = to[0] = mid[0][0] + ahead * (mid[1][0] - mid[0][0]);
		from[2] = to[2] = mid[0][2] + ahead * (mid[1][2] - mid[0][2]);
	} else {
		double m[3][3], u[3], w[3];
		for (int k = 0; k < 3; k++) {
			for (int i = 0; i < 3; i++)
				m[i][k] = 0.5 * (x0[i][k] + x1[i][k]);
			u[k] = m[1][k] - m[0][k];
			w[k] = m[2][k] - m[0][k];
		}
		double nx = u[1] * w[2] - u[2] * w[1], ny = u[2] * w[0] - u[0] * w[2], nz = u[0] * w[1] - u[1] * w[0];
		from[2] = m[0][2] - (nx * (from[0] - m[0][0]) + ny * (from[1] - m[0][1])) / nz;
	}
	for (int i = 0; i < abs(ulps); i++)
		from[2] = nextafter(from[2], ulps > 0 ? INFINITY : -INFINITY);
	to[2] = edges ? from[2] : to[2];
	for (uint32_t i = 0; i < lower; i++)
		rational_place(p[i], x0[i], 0.0, x1[i], 1.0, 0.5);
	rational_place(p[lower], from, 0.0, from, 1.0, 0.5);
	if (edges)
		rational_place(p[3], to, 0.0, to, 1.0, 0.5);
	*sign = rational_volume(p);
	for (int i = 0; i < 12; i++)
		mpq_clear(p[i / 3][i % 3]);
	/* The lower one first; then the upper: of a triangle only one corner comes down. */
	for (uint32_t i = 0; i < n; i++) {
		double x[3], high = i == lower || edges ? 0.0 : 1.0;
		if (i < lower) {
			memcpy(stream->start[i], x0[i], sizeof x0[i]);
			put(stream, i, 1.0, x1[i]);
			continue;
		}
		memcpy(x, i == lower ? from : to, sizeof x);
		if (!edges && i > lower)
			x[0] += i == 4, x[1] += i == 5;
		x[2] += high;
		put(stream, i, 0.5, x);
		x[2] += 1.0;
		memcpy(stream->start[i], x, sizeof x);
		put(stream, i, 1.0, x);
	}
	if (edges) {
		stream->input.mesh.n_edges = 2;
		memcpy(stream->edge, (uint32_t[2][2]){{0, 1}, {2, 3}}, sizeof(uint32_t[2][2]));
	} else {
		stream->input.mesh.n_triangles = 2;
		memcpy(stream->triangle, (uint32_t[2][3]){{0, 1, 2}, {3, 4, 5}}, sizeof(uint32_t[2][3]));
	}
	return stream;
}

static void check_near_misses(bool edges, int total)
{
	int touching = 0, missing = 0;
	for (int i = 0; i < total; i++) {
		int sign, far_sign;
		uint64_t seed = random_seed;
		stream_free(near_miss(edges, 1 << 20, &far_sign)); /* the side from which it comes */
		random_seed = seed;
		Stream *stream = near_miss(edges, i % 9 - 4, &sign);
		CheckerVerdict verdict = judge(stream, 1);
		bool touches = verdict.finding.outcome == CHECKER_TOUCHES;
		cr_assert_eq(touches, sign != far_sign, "case %d: %d units off, %d is wrong", i, i % 9 - 4, touches);
		if (touches && sign == 0)
			cr_assert_eq(verdict.finding.time, 0.5);
		cr_assert(!touches || fabs(verdict.finding.time - 0.5) < 1e-12, "%.17g", verdict.finding.time);
		touching += touches;
		missing += !touches;
		stream_free(stream);
	}
	cr_log_info("edges %d: %d touch, %d miss, as rational arithmetic says", edges, touching, missing);
	cr_assert(touching > total / 5 && missing > total / 5);
}

Test(checker, decides_as_rational_arithmetic_does_at_the_last_bits)
{
	random_seed = 12;
	int total = getenv("CINCH_FULL") ? 9000 : 450;
	check_near_misses(false, total);
	check_near_misses(true, total);
}

/* ---- planted violations ---- */

enum { SIDE = 6, LOWER = 64, CHAIN = 8 };
#define GRID 0x1p-20 /* places are multiples of this, so that means of them are numbers */

static double on_grid(double x)
{
	return rint(x / GRID) * GRID;
}

/* A small sheet above a large one, and above both two chains across each other; all tremble. Times are their own. */
static Stream *good_motion(int rounds)
{
	Stream *stream = stream_new(rounds);
	uint32_t n = 0;
	for (int sheet = 0; sheet < 2; sheet++) {
		int side = sheet ? SIDE : SIDE + 2;
		uint32_t first = n;
		for (int j = 0; j < side; j++)
			for (int i = 0; i < side; i++, n++) {
				double x[3] = {i + !sheet * -1.0, j + !sheet * -1.0, 0.25 * sheet};
				memcpy(stream->start[n], x, sizeof x);
			}
		for (int j = 0; j + 1 < side; j++)
			for (int i = 0; i + 1 < side; i++) {
				uint32_t a = first + (uint32_t)(j * side + i), b = a + (uint32_t)side;
				uint32_t two[2][3] = {{a, a + 1, b + 1}, {a, b + 1, b}};
				memcpy(stream->triangle + stream->input.mesh.n_triangles, two, sizeof two);
				stream->input.mesh.n_triangles += 2;
			}
	}
	for (int chain = 0; chain < 2; chain++)
		for (int i = 0; i < CHAIN; i++, n++) {
			double along = i - 0.5 * (CHAIN - 1), x[3] = {chain ? 0 : along, chain ? along : 0, 1.0 + 0.25 * chain};
			memcpy(stream->start[n], x, sizeof x);
			if (i > 0)
				memcpy(stream->edge[stream->input.mesh.n_edges++], (uint32_t[2]){n - 1, n}, sizeof(uint32_t[2]));
		}
	stream->input.n_vertices = n;
	for (int round = 0; round < rounds; round++)
		for (uint32_t v = 0; v < n; v++) {
			int bends = random_below(6);
			for (int i = 0; i <= bends; i++) {
				double x[3];
				for (int k = 0; k < 3; k++)
					x[k] = on_grid(stream->start[v][k] + random_between(-0.05, 0.05));
				double time = i == bends ? 1.0 : (i + random_between(0.1, 0.9)) / (bends + 1);
				put(stream, v, round + time, x);
			}
		}
	return stream;
}

/* Removes what vertices do between two times. */
static void clear_between(Stream *stream, const uint32_t *vertex, int n, double from, double to)
{
	for (guint i = stream->commits->len; i-- > 0;) {
		const Commit *commit = &g_array_index(stream->commits, Commit, i);
		for (int k = 0; k < n; k++)
			if (commit->vertex == vertex[k] && commit->time >= from && commit->time <= to) {
				g_array_remove_index(stream->commits, i);
				break;
			}
	}
}

typedef struct {
	double from, to;
	uint32_t vertex;
} Planted;

/* Somewhere within a round. */
static Planted plant_time(const Stream *stream, double length)
{
	double from = random_below(stream->rounds) + random_between(0.1, 0.8);
	return (Planted){from, from + length, 0};
}

/* Between two times much closer than commits are. */
static Planted plant_vertex(Stream *stream)
{
	Planted planted = plant_time(stream, 1e-6);
	uint32_t v = planted.vertex = LOWER + (uint32_t)random_below(SIDE * SIDE);
	double x[3], y[3];
	memcpy(x, stream->start[v], sizeof x);
	memcpy(y, x, sizeof y);
	y[0] += random_between(-0.05, 0.05);
	y[1] += random_between(-0.05, 0.05);
	y[2] -= random_between(0.4, 0.6);
	put(stream, v, planted.from, x);
	put(stream, v, 0.5 * (planted.from + planted.to), y);
	put(stream, v, planted.to, x);
	return planted;
}

static Planted plant_edge(Stream *stream)
{
	Planted planted = plant_time(stream, 1e-3);
	uint32_t b = LOWER + SIDE * SIDE + CHAIN + CHAIN / 2 - 1, both[2] = {b, b + 1};
	planted.vertex = b;
	clear_between(stream, both, 2, planted.from, planted.to);
	for (int i = 0; i < 2; i++) {
		double x[3];
		memcpy(x, stream->start[both[i]], sizeof x);
		put(stream, both[i], planted.from, x);
		x[2] -= random_between(0.4, 0.6);
		put(stream, both[i], 0.5 * (planted.from + planted.to), x);
		memcpy(x, stream->start[both[i]], sizeof x);
		put(stream, both[i], planted.to, x);
	}
	return planted;
}

/* One instant at which a vertex is on a triangle, exactly, and the triangle where it has its commits. */
static Planted plant_graze(Stream *stream)
{
	Planted planted = plant_time(stream, 0.0);
	uint32_t v = planted.vertex = LOWER + (uint32_t)random_below(SIDE * SIDE);
	int i = (int)stream->start[v][0] + 1, j = (int)stream->start[v][1] + 1;
	uint32_t a = (uint32_t)(j * (SIDE + 2) + i), corner[3] = {a, a + 1, a + SIDE + 3};
	static const int weights[][3] = {{2, 1, 1}, {4, 0, 0}, {3, 1, 0}, {2, 2, 0}, {0, 2, 2}};
	const int *weight = weights[random_below(5)];
	double x[3] = {0, 0, 0};
	for (int c = 0; c < 3; c++) {
		double y[3];
		for (int k = 0; k < 3; k++) {
			y[k] = on_grid(stream->start[corner[c]][k] + random_between(-0.05, 0.05));
			x[k] += 0.25 * weight[c] * y[k];
		}
		put(stream, corner[c], planted.from, y);
	}
	/* Fast, so that it touches at no other time. */
	clear_between(stream, &v, 1, planted.from - 1e-3, planted.from + 1e-3);
	put(stream, v, planted.from - 1e-3, stream->start[v]);
	put(stream, v, planted.from, x);
	put(stream, v, planted.from + 1e-3, stream->start[v]);
	return planted;
}

static void check_planted(Planted (*plant)(Stream *), const char *what, int total)
{
	int found = 0;
	for (int i = 0; i < total; i++) {
		Stream *stream = good_motion(3);
		CheckerVerdict clean = judge(stream, 1);
		cr_assert_eq(clean.finding.outcome, CHECKER_PASS, "%s %d: the original is good", what, i);
		cr_assert(clean.distance > 0.01 && clean.to == 3.0);
		Planted planted = plant(stream);
		CheckerVerdict verdict = judge(stream, 1 + (unsigned)i % 2);
		cr_assert_eq(verdict.finding.outcome, CHECKER_TOUCHES, "%s %d was not found", what, i);
		bool is_it = false;
		for (int k = 0; k < verdict.finding.n; k++)
			is_it = is_it || verdict.finding.vertex[k] == planted.vertex;
		cr_assert(is_it, "%s %d: something else was found", what, i);
		cr_assert(verdict.finding.time >= planted.from - 1e-12 && verdict.finding.time <= planted.to + 1e-12);
		found++;
		stream_free(stream);
	}
	cr_log_info("%s: %d of %d found, none in the originals", what, found, total);
}

static int n_planted(void)
{
	return getenv("CINCH_FULL") ? 1000 : 100;
}

Test(checker, finds_a_vertex_that_goes_through_and_back)
{
	random_seed = 13;
	check_planted(plant_vertex, "vertex", n_planted());
}

Test(checker, finds_an_edge_that_goes_through_an_edge_and_back)
{
	random_seed = 14;
	check_planted(plant_edge, "edge", n_planted());
}

Test(checker, finds_a_touch_of_one_instant)
{
	random_seed = 15;
	check_planted(plant_graze, "graze", n_planted());
}

/* ---- what is no motion, and what does not count ---- */

static CheckerFinding fault_of(void (*spoil)(Stream *))
{
	random_seed = 16;
	Stream *stream = good_motion(2);
	spoil(stream);
	CheckerFinding finding = judge(stream, 1).finding;
	stream_free(stream);
	return finding;
}

static void spoil_by_jump(Stream *stream)
{
	put(stream, 7, 0.5, (double[3]){5, 0.1, 0});
	put(stream, 7, 0.5, (double[3]){5, 0.1, 0x1p-40});
}

static void spoil_by_infinity(Stream *stream)
{
	put(stream, 9, 0.5, (double[3]){1, INFINITY, 0});
}

Test(checker, refuses_what_is_no_motion)
{
	CheckerFinding finding = fault_of(spoil_by_jump);
	cr_assert_eq(finding.outcome, CHECKER_MALFORMED);
	cr_assert_eq(finding.fault, TRACK_JUMP);
	cr_assert_eq(finding.vertex[0], 7);
	finding = fault_of(spoil_by_infinity);
	cr_assert_eq(finding.fault, TRACK_NOT_FINITE);
	cr_assert_eq(finding.vertex[0], 9);
	random_seed = 16;
	Stream *stream = good_motion(1);
	const double(*x)[3] = (const double(*)[3])stream->start;
	Checker *checker = checker_new(&stream->input, x, 1.0, 0.0, 1);
	cr_assert(!checker_commit(checker, 0, 0.5, x[0]));
	cr_assert_eq(checker_verdict(checker)->finding.fault, TRACK_BACKWARD);
	checker_free(checker);
	stream_free(stream);
}

Test(checker, leaves_out_what_it_is_told_to)
{
	random_seed = 17;
	Stream *stream = good_motion(3);
	plant_vertex(stream);
	uint8_t held[512], meets[4] = {1, 0, 0, 1};
	memset(held, 1, sizeof held);
	stream->input.held = held;
	cr_assert_eq(judge(stream, 1).finding.outcome, CHECKER_PASS);
	stream->input.held = NULL;
	for (uint32_t v = LOWER; v < stream->input.n_vertices; v++)
		stream->body[v] = 1;
	stream->input.n_bodies = 2;
	cr_assert_eq(judge(stream, 1).finding.outcome, CHECKER_TOUCHES);
	stream->input.meets = meets;
	cr_assert_eq(judge(stream, 1).finding.outcome, CHECKER_PASS);
	stream_free(stream);
}

/* ---- memory ---- */

/* The corners of a grid of triangles, from `first` on. */
static void put_grid(Stream *stream, uint32_t first, uint32_t columns, uint32_t rows)
{
	for (uint32_t j = 0; j + 1 < rows; j++)
		for (uint32_t i = 0; i + 1 < columns; i++) {
			uint32_t a = first + j * columns + i, b = a + columns, two[2][3] = {{a, a + 1, b + 1}, {a, b + 1, b}};
			memcpy(stream->triangle + stream->input.mesh.n_triangles, two, sizeof two);
			stream->input.mesh.n_triangles += 2;
		}
}

/* A small sheet goes along a strip, by a cell in a second: ever others come near, but always as many. */
Test(checker, needs_memory_for_what_is_near_not_for_what_ever_was)
{
	enum { LENGTH = 150, WIDTH = 3, SMALL = 4, LOWER_POINTS = LENGTH * WIDTH, POINTS = LOWER_POINTS + SMALL * WIDTH };
	Stream *stream = stream_new(LENGTH - SMALL);
	static const uint8_t meets[4] = {0, 1, 1, 0};
	stream->input.n_vertices = POINTS;
	stream->input.n_bodies = 2;
	stream->input.meets = meets;
	for (uint32_t v = LOWER_POINTS; v < POINTS; v++)
		stream->body[v] = 1;
	put_grid(stream, 0, LENGTH, WIDTH);
	put_grid(stream, LOWER_POINTS, SMALL, WIDTH);
	double x[POINTS][3];
	for (int v = 0; v < POINTS; v++) {
		int upper = v >= LOWER_POINTS, columns = upper ? SMALL : LENGTH, k = upper ? v - LOWER_POINTS : v;
		int along = k % columns, across = k / columns; /* on a slope, where boxes do not tell them apart */
		memcpy(x[v], (double[3]){along, across, across + 0.1 * upper}, sizeof x[v]);
	}
	Checker *checker = checker_new(&stream->input, (const double(*)[3])x, 0.0, 0.0, 1);
	size_t early = 0;
	for (int round = 1; round <= stream->rounds; round++) {
		for (int v = LOWER_POINTS; v < POINTS; v++)
			x[v][0] += 1.0;
		cr_assert(checker_end_window(checker, round, (const double(*)[3])x));
		early = round == 50 ? checker_memory(checker) : early;
	}
	cr_log_info("%zu bytes at first, %zu in the end", early, checker_memory(checker));
	cr_assert(checker_memory(checker) < 1.1 * early);
	checker_free(checker);
	stream_free(stream);
}

/* The judge's own account must not depend on the number of threads. */
Test(checker, counts_the_same_for_any_number_of_threads)
{
	random_seed = 18;
	Stream *stream = good_motion(5);
	CheckerVerdict one = judge(stream, 1), two = judge(stream, 2);
	cr_assert(memcmp(&one.count, &two.count, sizeof one.count) == 0);
	cr_assert(one.distance == two.distance && one.gap == two.gap);
	stream_free(stream);
}

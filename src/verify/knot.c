/* Gauss' integral over two segments is the solid angle of all directions in which one is seen to cross the other, over 4 pi.
 * These directions fill a parallelogram, that of the differences of their points; its solid angle is that of two triangles,
 * each by Van Oosterom and Strackee's formula, exact but for rounding. A sum of a million terms is off by less than 1e-9, and
 * what is an integer can be rounded to it.
 *
 * Far ends. At first, every end of an open ribbon gets a direction, from the middle of all ribbons to it. From then on it is
 * continued by the same way: a ray along that direction to a radius hundreds of times as large as all ribbons, different for
 * every ribbon, and from there by two chords to the other end's ray, past a point that keeps them away from all other rays.
 * The edges of a ribbon go along at their distances from the centre line. So a linking number or a writhe can change when
 * something passes through something, or when a ribbon slips over an end: then the knot is another one, too. */
#include "verify/knot.h"
#include "core/real.h"
#include <glib.h>
#include <math.h>
#include <string.h>

#define FAR 1000.0    /* the least radius of a far end over the size of all ribbons */
#define FARTHER 4.0   /* of a ribbon's far ends over that of the one before */
#define SURE 0.01     /* how far at most from an integer what must be one is */
#define FLAT 0x1p-7   /* below this the arc tangent is its first terms: the next is less than 3e-16 */
enum { FAR_POINTS = 3, CANDIDATES = 32 };

/* ---- vectors ---- */

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3])
{
	for (int k = 0; k < 3; k++)
		c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void subtract(const double a[3], const double b[3], double c[3])
{
	for (int k = 0; k < 3; k++)
		c[k] = a[k] - b[k];
}

/* c = a + s b */
static void add(const double a[3], double s, const double b[3], double c[3])
{
	for (int k = 0; k < 3; k++)
		c[k] = a[k] + s * b[k];
}

static double size_of(const double a[3])
{
	return sqrt(dot(a, a));
}

/* To length 1; false for what has none. */
static bool normalise(double a[3])
{
	double length = size_of(a);
	for (int k = 0; k < 3 && length > 0.0; k++)
		a[k] /= length;
	return length > 0.0;
}

/* ---- integrals ---- */

static double angle_of(double y, double x)
{
	double t = y / x;
	return x > 0.0 && fabs(t) < FLAT ? t * (1.0 - t * t * (1.0 / 3.0 - t * t * 0.2)) : real_atan2(y, x);
}

/* Half of the solid angle of the triangle of three directions with the volume `det`. */
static double half_triangle(double det, const double a[3], const double b[3], const double c[3], double la, double lb,
    double lc)
{
	return angle_of(det, la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
}

/* Half of the solid angle under which segment p crosses segment q, positive where they cross right-handedly. */
static double crossing(const double p0[3], const double p1[3], const double q0[3], const double q1[3])
{
	double a[3], b[3], c[3], d[3], n[3];
	subtract(q0, p0, a);
	subtract(q1, p0, b);
	subtract(q1, p1, c);
	subtract(q0, p1, d);
	cross(b, c, n);
	double det = -dot(a, n), la = size_of(a), lb = size_of(b), lc = size_of(c), ld = size_of(d);
	return half_triangle(det, a, b, c, la, lb, lc) + half_triangle(det, c, d, a, lc, ld, la);
}

double knot_linking(const double (*a)[3], size_t n, const double (*b)[3], size_t m)
{
	double sum = 0.0;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m; j++)
			sum += crossing(a[i], a[(i + 1) % n], b[j], b[(j + 1) % m]);
	return sum / (2.0 * REAL_PI);
}

double knot_writhe(const double (*x)[3], size_t n)
{
	double sum = 0.0;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 2; j < n; j++)
			if ((j + 1) % n != i)
				sum += crossing(x[i], x[(i + 1) % n], x[j], x[(j + 1) % n]);
	return sum / REAL_PI;
}

static double triangle_on_sphere(const double a[3], const double b[3], const double c[3])
{
	double n[3];
	cross(b, c, n);
	return 2.0 * half_triangle(dot(a, n), a, b, c, 1.0, 1.0, 1.0);
}

/* Side i of a closed polygon, to length 1. */
static bool tangent(const double (*x)[3], size_t n, size_t i, double t[3])
{
	subtract(x[(i + 1) % n], x[i % n], t);
	return normalise(t);
}

double knot_swept(const double (*x)[3], const double (*y)[3], size_t n)
{
	double s[2][3], t[2][3], area = 0.0;
	for (size_t i = 0; i <= n; i++) {
		int now = (int)(i % 2), last = 1 - now;
		if (!tangent(x, n, i, s[now]) || !tangent(y, n, i, t[now]) || !(dot(s[now], t[now]) > 0.0))
			return INFINITY;
		if (i > 0)
			area += triangle_on_sphere(s[last], s[now], t[now]) + triangle_on_sphere(s[last], t[now], t[last]);
	}
	return -area / (2.0 * REAL_PI);
}

/* ---- ribbons ---- */

/* How an open ribbon goes on beyond its ends, for good. */
typedef struct {
	double away[2][3];  /* from the last point and from the first */
	double middle[3];   /* between the two, far away */
	double across[3];   /* from the centre line to the right edge there */
} Closing;

typedef struct {
	KnotState state;
	Closing closing;
	size_t n;            /* points of its polygons, with those far away */
	double (*centre)[3]; /* (n) */
	double (*before)[3]; /* (n) in the frame before */
	double (*edge[2])[3]; /* (n) NULL: not looked at */
} Line;

struct Knot {
	const KnotRibbon *ribbon;
	uint32_t n;
	Line *line;   /* (n) */
	int *between; /* (n * n) linking numbers of centre lines */
	double time;  /* of the last frame */
	uint64_t frames;
	char *failure;
};

static void centre_of(const KnotRibbon *ribbon, uint32_t i, const double (*x)[3], double centre[3])
{
	memcpy(centre, x[(ribbon->middle ? ribbon->middle : ribbon->left)[i]], 3 * sizeof *centre);
}

/* The three polygons where they are now. */
static void place(const KnotRibbon *ribbon, Line *line, const double (*x)[3])
{
	for (uint32_t i = 0; i < ribbon->n; i++) {
		centre_of(ribbon, i, x, line->centre[i]);
		for (int side = 0; side < 2 && line->edge[side]; side++)
			memcpy(line->edge[side][i], x[(side ? ribbon->right : ribbon->left)[i]], sizeof line->edge[side][i]);
	}
	if (ribbon->closed)
		return;
	const Closing *closing = &line->closing;
	uint32_t n = ribbon->n;
	double(*polygon[3])[3] = {line->centre, line->edge[0], line->edge[1]};
	for (int p = 0; p < 3 && polygon[p]; p++) {
		add(polygon[p][n - 1], 1.0, closing->away[0], polygon[p][n]);
		add(closing->middle, p == 1 ? -1.0 : p == 2 ? 1.0 : 0.0, closing->across, polygon[p][n + 1]);
		add(polygon[p][0], 1.0, closing->away[1], polygon[p][n + 2]);
	}
}

/* The middle of all ribbons, and how far they reach from there. */
static double extent(const Knot *knot, const double (*x)[3], double middle[3])
{
	double c[3], sum[3] = {0, 0, 0}, reach = 0.0;
	size_t count = 0;
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t r = 0; r < knot->n; r++)
			for (uint32_t i = 0; i < knot->ribbon[r].n; i++) {
				centre_of(&knot->ribbon[r], i, x, c);
				add(sum, 1.0, c, sum);
				count++;
				if (pass == 1) {
					subtract(c, middle, c);
					reach = fmax(reach, size_of(c));
				}
			}
		for (int k = 0; k < 3 && pass == 0; k++)
			middle[k] = sum[k] / (double)count;
	}
	return reach > 0.0 ? reach : 1.0;
}

/* Two unit vectors that are perpendicular to a and to each other. */
static void perpendiculars(const double a[3], double u[3], double w[3])
{
	int least = fabs(a[0]) < fabs(a[1]) ? 0 : 1;
	least = fabs(a[2]) < fabs(a[least]) ? 2 : least;
	double axis[3] = {least == 0, least == 1, least == 2};
	cross(a, axis, u);
	normalise(u);
	cross(a, u, w);
	normalise(w);
}

/* The way from the middle to an end of an open ribbon, of length 1. */
static void end_direction(const KnotRibbon *ribbon, bool last, const double (*x)[3], const double middle[3], double away[3])
{
	double c[3], inner[3];
	uint32_t i = last ? ribbon->n - 1 : 0;
	centre_of(ribbon, i, x, c);
	subtract(c, middle, away);
	if (normalise(away))
		return;
	centre_of(ribbon, last ? i - 1 : 1, x, inner); /* it ends in the very middle: straight on */
	subtract(c, inner, away);
	if (!normalise(away))
		away[0] = 1.0;
}

/* How near, as a cosine, the arc from a to b comes to any end's direction but those of ribbon `own`. */
static double nearest(const Knot *knot, uint32_t own, const double (*end)[2][3], const double a[3], const double b[3])
{
	double most = -1.0;
	for (int step = 0; step <= 16; step++) {
		double p[3];
		for (int k = 0; k < 3; k++)
			p[k] = a[k] + step / 16.0 * (b[k] - a[k]);
		normalise(p);
		for (uint32_t r = 0; r < knot->n; r++)
			for (int e = 0; e < 2 && r != own && !knot->ribbon[r].closed; e++)
				most = fmax(most, dot(p, end[r][e]));
	}
	return most;
}

/* A direction for the far middle: across from where the ends go, and away from other ends. */
static void find_middle(const Knot *knot, uint32_t own, const double (*end)[2][3], double best[3])
{
	double axis[3], u[3], w[3], least = INFINITY;
	subtract(end[own][0], end[own][1], axis);
	if (!normalise(axis))
		perpendiculars(end[own][0], axis, w);
	perpendiculars(axis, u, w);
	memcpy(best, u, sizeof u);
	for (int i = 0; i < CANDIDATES; i++) {
		double angle = 2.0 * REAL_PI * (i + 0.25) / CANDIDATES, c = real_cos(angle), s = real_sin(angle), m[3];
		for (int k = 0; k < 3; k++)
			m[k] = c * u[k] + s * w[k];
		double near = fmax(nearest(knot, own, end, end[own][0], m), nearest(knot, own, end, m, end[own][1]));
		if (near < least) {
			least = near;
			memcpy(best, m, sizeof m);
		}
	}
}

/* Half of the width at an end. */
static void half_width(const KnotRibbon *ribbon, uint32_t i, const double (*x)[3], double across[3])
{
	subtract(x[(ribbon->right ? ribbon->right : ribbon->left)[i]], x[ribbon->left[i]], across);
	for (int k = 0; k < 3; k++)
		across[k] *= 0.5;
}

static void close_far_away(Knot *knot, uint32_t r, const double (*end)[2][3], const double middle[3], double radius,
    const double (*x)[3])
{
	const KnotRibbon *ribbon = &knot->ribbon[r];
	Closing *closing = &knot->line[r].closing;
	double direction[3], first[3], last[3], across[3], length;
	find_middle(knot, r, end, direction);
	for (int e = 0; e < 2; e++)
		for (int k = 0; k < 3; k++)
			closing->away[e][k] = radius * end[r][e][k];
	add(middle, radius, direction, closing->middle);
	half_width(ribbon, 0, x, first);
	half_width(ribbon, ribbon->n - 1, x, last);
	length = size_of(first);
	/* Between the widths at both ends; where these are opposite, across of them. */
	if (normalise(first) && normalise(last)) {
		add(first, 1.0, last, across);
		if (size_of(across) < 0.5)
			cross(first, direction, across);
		normalise(across);
		for (int k = 0; k < 3; k++)
			closing->across[k] = length * across[k];
	}
}

static void close_all(Knot *knot, const double (*x)[3])
{
	double middle[3], radius = FAR * extent(knot, x, middle);
	double(*end)[2][3] = g_malloc0_n(knot->n + 1u, sizeof *end);
	for (uint32_t r = 0; r < knot->n; r++)
		for (int e = 0; e < 2 && !knot->ribbon[r].closed; e++)
			end_direction(&knot->ribbon[r], e == 0, x, middle, end[r][e]);
	for (uint32_t r = 0; r < knot->n; r++)
		if (!knot->ribbon[r].closed) {
			close_far_away(knot, r, (const double(*)[2][3])end, middle, radius, x);
			radius *= FARTHER;
		}
	g_free(end);
}

/* ---- frames ---- */

/* The linking number; false when it is not sure. */
static bool read_linking(const double (*a)[3], size_t n, const double (*b)[3], size_t m, int *linking)
{
	double value = knot_linking(a, n, b, m), whole = rint(value);
	*linking = (int)fmax(fmin(whole, 1e9), -1e9);
	return fabs(value - whole) < SURE;
}

static bool fail(Knot *knot, double time, const char *what, const char *a, const char *b, int was, int is)
{
	if (was == is)
		knot->failure = g_strdup_printf("at t = %.15g s %s %s%s%s cannot be told: they are too close", time, what, a,
		    b ? " and " : "", b ? b : "");
	else
		knot->failure = g_strdup_printf("by t = %.15g s %s %s%s%s has changed from %d to %d: something has passed through", time,
		    what, a, b ? " and " : "", b ? b : "", was, is);
	return false;
}

static bool check_edges(Knot *knot, uint32_t r, double time)
{
	Line *line = &knot->line[r];
	int now, was = line->state.edges;
	if (!line->state.has_edges)
		return true;
	const double(*left)[3] = (const double(*)[3])line->edge[0], (*right)[3] = (const double(*)[3])line->edge[1];
	bool sure = read_linking(left, line->n, right, line->n, &now);
	if (knot->frames == 0)
		line->state.edges = was = now;
	return (sure && was == now) ||
	       fail(knot, time, "the linking number of the edges of", knot->ribbon[r].name, NULL, was, sure ? now : was);
}

static bool check_between(Knot *knot, uint32_t a, uint32_t b, double time)
{
	int now, *was = &knot->between[a * knot->n + b];
	const Line *one = &knot->line[a], *other = &knot->line[b];
	const double(*first)[3] = (const double(*)[3])one->centre, (*second)[3] = (const double(*)[3])other->centre;
	bool sure = read_linking(first, one->n, second, other->n, &now);
	if (knot->frames == 0)
		*was = now;
	return (sure && *was == now) || fail(knot, time, "the linking number of", knot->ribbon[a].name, knot->ribbon[b].name,
	                                    *was, sure ? now : *was);
}

/* The writhe is followed through what tangents sweep; what remains of its change is a multiple of 2, and must be 0. */
static bool check_writhe(Knot *knot, uint32_t r, double time)
{
	Line *line = &knot->line[r];
	KnotState *state = &line->state;
	double now = knot_writhe((const double(*)[3])line->centre, line->n), was = state->last;
	state->last = now;
	if (knot->frames == 0)
		state->first = state->least = state->most = now;
	state->least = fmin(state->least, now);
	state->most = fmax(state->most, now);
	if (knot->frames == 0)
		return true;
	double swept = knot_swept((const double(*)[3])line->before, (const double(*)[3])line->centre, line->n);
	double passed = rint((now - was - swept) / 2.0);
	if (!isfinite(swept) || fabs(now - was - swept - 2.0 * passed) > SURE) {
		state->lost++;
		return true;
	}
	if (passed == 0.0)
		return true;
	knot->failure = g_strdup_printf("between t = %.15g and %.15g s the writhe of %s jumps by %g, from %.6g to %.6g: it has passed "
	    "through itself, or slipped over an end", knot->time, time, knot->ribbon[r].name, 2.0 * passed, was, now);
	return false;
}

static bool look(Knot *knot, double time, const double (*x)[3])
{
	bool good = true;
	for (uint32_t r = 0; r < knot->n; r++) {
		Line *line = &knot->line[r];
		memcpy(line->before, line->centre, line->n * sizeof *line->before);
		place(&knot->ribbon[r], line, x);
	}
	for (uint32_t r = 0; r < knot->n && good; r++)
		good = check_edges(knot, r, time) && check_writhe(knot, r, time);
	for (uint32_t a = 0; a < knot->n && good; a++)
		for (uint32_t b = a + 1; b < knot->n && good; b++)
			good = check_between(knot, a, b, time);
	knot->frames++;
	knot->time = time;
	return good;
}

Knot *knot_new(const KnotRibbon *ribbon, uint32_t n, double time, const double (*x)[3])
{
	Knot *knot = g_new0(Knot, 1);
	knot->ribbon = ribbon;
	knot->n = n;
	knot->line = g_new0(Line, n + 1u);
	knot->between = g_new0(int, (size_t)n * n + 1);
	for (uint32_t r = 0; r < n; r++) {
		Line *line = &knot->line[r];
		line->n = ribbon[r].n + (ribbon[r].closed ? 0 : FAR_POINTS);
		line->state.has_edges = ribbon[r].right != NULL && (ribbon[r].closed || ribbon[r].steady);
		line->centre = g_malloc0_n(line->n, sizeof *line->centre);
		line->before = g_malloc0_n(line->n, sizeof *line->before);
		for (int side = 0; side < 2 && line->state.has_edges; side++)
			line->edge[side] = g_malloc0_n(line->n, sizeof *line->edge[side]);
	}
	if (n > 0)
		close_all(knot, x);
	look(knot, time, x);
	return knot;
}

void knot_free(Knot *knot)
{
	if (knot == NULL)
		return;
	for (uint32_t r = 0; r < knot->n; r++) {
		Line *line = &knot->line[r];
		void *arrays[] = {line->centre, line->before, line->edge[0], line->edge[1]};
		for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
			g_free(arrays[i]);
	}
	g_free(knot->line);
	g_free(knot->between);
	g_free(knot->failure);
	g_free(knot);
}

bool knot_follow(Knot *knot, double time, const double (*x)[3])
{
	if (knot->failure != NULL)
		return false;
	return time == knot->time || look(knot, time, x);
}

const char *knot_failure(const Knot *knot)
{
	return knot->failure;
}

uint32_t knot_count(const Knot *knot)
{
	return knot->n;
}

uint64_t knot_frames(const Knot *knot)
{
	return knot->frames;
}

const KnotRibbon *knot_ribbon(const Knot *knot, uint32_t i)
{
	return &knot->ribbon[i];
}

const KnotState *knot_state(const Knot *knot, uint32_t i)
{
	return &knot->line[i].state;
}

int knot_between(const Knot *knot, uint32_t a, uint32_t b)
{
	return knot->between[a * knot->n + b];
}

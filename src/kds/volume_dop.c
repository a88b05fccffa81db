/* k-DOPs that move: bounds along k/2 axes, linear in time, as in dop.h, for axes from a table. The fewer axes, the less there
 * is to keep; the more, the closer the bounds. AABBs have three; 8-DOPs four in the plane of x and y, for scenes that stay in
 * it; 18-DOPs and 26-DOPs have the diagonals of the faces of a cube, and those of the cube.
 *
 * Any axis that separates proves that two are apart, so that not all of them have to be asked (thesis §8.1): it is enough to
 * find one that lasts as long as need be (short-circuiting), and it is found soon if the most useful axes are asked first. */
#include "kds/dop.h"
#include "kds/volume.h"

/* [axis]: low, high at `time` and their rates. */
typedef struct {
	double low, high;           /* [length] */
	double low_rate, high_rate; /* [length/s] */
} Span;

typedef struct {
	double time, size; /* as in Dop */
	Span span[];       /* (axes) */
} Bounds;

enum { PLANAR = 4, BOX = 3, FACES = 9, CUBE = 13 };

/* Unit vectors in the order of AABBs, 18- and 26-DOPs; planar ones have their own. */
static inline __attribute__((always_inline)) void project(int n, Vec3 x, double *along)
{
	const double s = 0.70710678118654752440, c = 0.57735026918962576451;
	along[0] = x.x;
	along[1] = x.y;
	along[2] = n == PLANAR ? s * (x.x + x.y) : x.z;
	if (n == PLANAR)
		along[3] = s * (x.x - x.y);
	if (n >= FACES) {
		along[3] = s * (x.x + x.y);
		along[4] = s * (x.x - x.y);
		along[5] = s * (x.x + x.z);
		along[6] = s * (x.x - x.z);
		along[7] = s * (x.y + x.z);
		along[8] = s * (x.y - x.z);
	}
	if (n >= CUBE) {
		along[9] = c * (x.x + x.y + x.z);
		along[10] = c * (x.x + x.y - x.z);
		along[11] = c * (x.x - x.y + x.z);
		along[12] = c * (x.x - x.y - x.z);
	}
}

static inline __attribute__((always_inline)) void of_vertices(
    int n_axes, Bounds *bounds, const Flight *flight, const uint32_t *vertex, uint32_t n, double radius, double time)
{
	bounds->time = time;
	bounds->size = 0.0;
	for (uint32_t i = 0; i < n; i++) {
		const Flight *plan = &flight[vertex[i]];
		double x[VOLUME_MOST_AXES], v[VOLUME_MOST_AXES];
		project(n_axes, flight_position(plan, time), x);
		project(n_axes, plan->v, v);
		for (int axis = 0; axis < n_axes; axis++) {
			Span *span = &bounds->span[axis];
			span->low = i ? fmin(span->low, x[axis] - radius) : x[axis] - radius;
			span->high = i ? fmax(span->high, x[axis] + radius) : x[axis] + radius;
			span->low_rate = i ? fmin(span->low_rate, v[axis]) : v[axis];
			span->high_rate = i ? fmax(span->high_rate, v[axis]) : v[axis];
		}
		bounds->size = fmax(bounds->size, dop_size(plan, time));
	}
}

static inline __attribute__((always_inline)) void join(int n_axes, Bounds *bounds, const Bounds *a, const Bounds *b, double time)
{
	double da = time - a->time, db = time - b->time;
	bounds->time = time;
	bounds->size = fmax(a->size, b->size);
	for (int axis = 0; axis < n_axes; axis++) {
		const Span *p = &a->span[axis], *q = &b->span[axis];
		bounds->span[axis] = (Span){
		    fmin(p->low + da * p->low_rate, q->low + db * q->low_rate),
		    fmax(p->high + da * p->high_rate, q->high + db * q->high_rate),
		    fmin(p->low_rate, q->low_rate),
		    fmax(p->high_rate, q->high_rate),
		};
	}
}

/* Until when `below` stays under `above` by at least `gap`. */
static double span_failure(const Span *below, double below_age, const Span *above, double above_age, double gap)
{
	double room = above->low + above_age * above->low_rate - (below->high + below_age * below->high_rate) - gap;
	double closing = below->high_rate - above->low_rate;
	if (!(room > 0.0))
		return -INFINITY;
	/* The quotient is short by more than its rounding. */
	return closing > 0.0 ? room / closing * (1.0 - 1e-12) : INFINITY;
}

/* In the order of the query, until one is enough; of axes in order of use, until one fails to improve what there is. The best
 * comes first the next time. */
static inline __attribute__((always_inline)) double failure(int n_axes, const Bounds *a, const Bounds *b, VolumeQuery *query)
{
	double gap = query->gap + DOP_ROUNDING * (a->size + b->size), latest = -INFINITY;
	double enough = query->enough - query->time, a_age = query->time - a->time, b_age = query->time - b->time;
	int best = 0;
	query->tested = 0;
	for (int i = 0; i < n_axes; i++) {
		int axis = query->order ? query->order[i] : i;
		const Span *p = &a->span[axis], *q = &b->span[axis];
		double lasts = fmax(span_failure(p, a_age, q, b_age, gap), span_failure(q, b_age, p, a_age, gap));
		query->tested++;
		if (lasts > latest) {
			latest = lasts;
			best = i;
		} else if (query->order && latest > 0.0) {
			break;
		}
		if (latest >= enough)
			break;
	}
	if (query->order && best > 0) {
		uint8_t axis = query->order[best];
		for (; best > 0; best--)
			query->order[best] = query->order[best - 1];
		query->order[0] = axis;
	}
	return query->time + latest;
}

static double span_parting(const Span *below, double below_age, const Span *above, double above_age, double gap)
{
	double missing = gap - (above->low + above_age * above->low_rate - (below->high + below_age * below->high_rate));
	double opening = above->high_rate - below->low_rate;
	if (missing <= 0.0)
		return 0.0;
	return opening > 0.0 ? missing / opening : INFINITY;
}

static inline __attribute__((always_inline)) double parting(int n_axes, const Bounds *a, const Bounds *b, double gap, double time)
{
	double earliest = INFINITY;
	for (int axis = 0; axis < n_axes; axis++) {
		const Span *p = &a->span[axis], *q = &b->span[axis];
		earliest = fmin(earliest, span_parting(p, time - a->time, q, time - b->time, gap));
		earliest = fmin(earliest, span_parting(q, time - b->time, p, time - a->time, gap));
	}
	return time + earliest;
}

static double extent(int n_axes, const Bounds *bounds)
{
	double sum = 0.0;
	for (int axis = 0; axis < (n_axes == PLANAR ? 2 : 3); axis++)
		sum += bounds->span[axis].high - bounds->span[axis].low;
	return sum;
}

static bool holds(int n_axes, const Bounds *bounds, const Flight *plan, double time)
{
	double x[VOLUME_MOST_AXES], rounding = DOP_ROUNDING * (bounds->size + dop_size(plan, time)), age = time - bounds->time;
	project(n_axes, flight_position(plan, time), x);
	for (int axis = 0; axis < n_axes; axis++) {
		const Span *span = &bounds->span[axis];
		if (x[axis] < span->low + age * span->low_rate - rounding || x[axis] > span->high + age * span->high_rate + rounding)
			return false;
	}
	return true;
}

/* Each number of axes has functions of its own, so that loops over them have a fixed length. */
#define DEFINE_DOP(kind, label, n) \
	static void kind##_of_vertices( \
	    void *volume, const Flight *flight, const uint32_t *vertex, uint32_t count, double radius, double time) \
	{ \
		of_vertices(n, volume, flight, vertex, count, radius, time); \
	} \
	static void kind##_join(void *volume, const void *a, const void *b, double time) \
	{ \
		join(n, volume, a, b, time); \
	} \
	static double kind##_failure(const void *a, const void *b, VolumeQuery *query) \
	{ \
		return failure(n, a, b, query); \
	} \
	static double kind##_parting(const void *a, const void *b, double gap, double time) \
	{ \
		return parting(n, a, b, gap, time); \
	} \
	static double kind##_extent(const void *volume) \
	{ \
		return extent(n, volume); \
	} \
	static bool kind##_holds(const void *volume, const Flight *plan, double time) \
	{ \
		return holds(n, volume, plan, time); \
	} \
	const VolumeClass volume_##kind = { \
	    .name = label, \
	    .size = sizeof(Bounds) + (n) * sizeof(Span), \
	    .axes = (n), \
	    .most_vertices = 3, \
	    .of_vertices = kind##_of_vertices, \
	    .join = kind##_join, \
	    .failure = kind##_failure, \
	    .parting = kind##_parting, \
	    .extent = kind##_extent, \
	    .holds = kind##_holds, \
	};
DEFINE_DOP(aabb, "aabb", BOX)
DEFINE_DOP(dop8, "8-dop", PLANAR)
DEFINE_DOP(dop18, "18-dop", FACES)
DEFINE_DOP(dop26, "26-dop", CUBE)

#include "kds/chart.h"
#include "kds/hierarchy.h"
#include <string.h>

enum {
	ENTRIES = 6,     /* of F */
	ROOM = 8,        /* floats for them */
	MOST_LEVELS = 16,
	MOST_ACROSS = 3, /* cells of a level across a rectangle */
	MOST_CELLS = 1 << 20,
	FEWEST_TRIANGLES = 1000 /* that are worth a team */
};

/* How much a body may differ from being flat and convex at rest, over its size: rounding. */
#define FLATNESS 1e-9
/* More than the rounding of a double to a float, and of what is computed from floats. */
#define FLOAT_MARGIN 1e-6f

typedef struct {
	float x, y;
} Point;

typedef struct {
	float low[2], high[2];
} Rectangle;

/* Around the entries of all gradients: the first column's three, then the second's. */
typedef struct {
	float low[ROOM], high[ROOM];
} Box;

typedef struct {
	uint32_t first;   /* cell, in Charts.box */
	uint32_t n[2];    /* cells */
	float cell;       /* [length] */
} Level;

typedef struct {
	uint32_t body, first_triangle, n_triangles;
	float origin[2];  /* [length] */
	uint32_t n_levels;
	Level level[MOST_LEVELS];
	double size;      /* [length] of the body */
} Chart;

struct Charts {
	const Surface *surface;
	uint32_t n_charts;
	Chart *chart;       /* (n_charts) */
	uint32_t *chart_of; /* (bodies) + 1; 0: none */
	double (*inverse)[4]; /* [1/length] (triangles) of [X1 - X0, X2 - X0], by rows; of those in charts */
	Rectangle *around;  /* (triangles) in the chart */
	float *height;      /* [length] (triangles) the least of the triangles around its vertices */
	uint32_t n_boxes;
	Box *box;           /* (n_boxes) by chart, level and cell; written by chart_fit() */
	Team team;          /* whether threads pay there */
	/* Of the tree that was taken last. */
	uint32_t n_nodes;
	uint32_t *node_chart; /* (n_nodes) + 1; 0: none */
	Rectangle *node_around;
	float *node_height;
};

/* --- Which bodies have one --------------------------------------------------------------------------------------- */

/* A body at rest, in its plane. */
typedef struct {
	const World *world;
	const Body *body;
	const Triangle *triangle; /* (n_triangles) of the body */
	double (*point)[2];       /* [length] (n_vertices) */
	double size;              /* [length] */
} Flat;

static double cross2(const double *a, const double *b, const double *c)
{
	return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static const double *point_of(const Flat *flat, uint32_t vertex)
{
	return flat->point[vertex - flat->body->first_vertex];
}

static double area_of(const Flat *flat, const Triangle *t)
{
	return 0.5 * cross2(point_of(flat, t->v[0]), point_of(flat, t->v[1]), point_of(flat, t->v[2]));
}

/* The body's vertices in the plane of its first triangle; false when one is off it. */
static bool lay_flat(Flat *flat)
{
	const Vec3 *rest = (const Vec3 *)(void *)flat->world->rest->data;
	const uint32_t *v = flat->triangle[0].v;
	Vec3 origin = rest[v[0]], a = vec3_unit(vec3_sub(rest[v[1]], origin));
	Vec3 normal = vec3_unit(vec3_cross(a, vec3_sub(rest[v[2]], origin))), b = vec3_cross(normal, a);
	double off = 0.0;
	for (uint32_t i = 0; i < flat->body->n_vertices; i++) {
		Vec3 x = vec3_sub(rest[flat->body->first_vertex + i], origin);
		flat->point[i][0] = vec3_dot(x, a);
		flat->point[i][1] = vec3_dot(x, b);
		flat->size = fmax(flat->size, vec3_norm(x));
		off = fmax(off, fabs(vec3_dot(x, normal)));
	}
	return isfinite(flat->size) && off <= FLATNESS * flat->size;
}

static int compare_points(const void *a, const void *b)
{
	const double *p = a, *q = b;
	if (p[0] != q[0])
		return p[0] < q[0] ? -1 : 1;
	return p[1] < q[1] ? -1 : p[1] > q[1];
}

/* Of the convex hull (Andrew's chains). */
static double hull_area(const Flat *flat)
{
	uint32_t n = flat->body->n_vertices, k = 0;
	g_autofree double (*sorted)[2] = g_memdup2(flat->point, n * sizeof *flat->point);
	g_autofree double (*hull)[2] = g_malloc_n(2u * n + 2u, sizeof *hull);
	qsort(sorted, n, sizeof *sorted, compare_points);
	for (uint32_t i = 0; i < n; i++) {
		while (k >= 2 && cross2(hull[k - 2], hull[k - 1], sorted[i]) <= 0.0)
			k--;
		memcpy(hull[k++], sorted[i], sizeof *sorted);
	}
	for (uint32_t i = n - 1, lower = k + 1; i-- > 0;) {
		while (k >= lower && cross2(hull[k - 2], hull[k - 1], sorted[i]) <= 0.0)
			k--;
		memcpy(hull[k++], sorted[i], sizeof *sorted);
	}
	double area = 0.0;
	for (uint32_t i = 1; i + 1 < k; i++)
		area += 0.5 * cross2(hull[0], hull[i], hull[i + 1]);
	return area;
}

typedef struct {
	uint32_t a, b;
} Side;

static int compare_sides(const void *a, const void *b)
{
	const Side *p = a, *q = b;
	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return p->b < q->b ? -1 : p->b > q->b;
}

static bool has_side(const Side *sides, size_t n, uint32_t a, uint32_t b)
{
	return bsearch(&(Side){a, b}, sides, n, sizeof *sides, compare_sides) != NULL;
}

/* The area within the sides that only one triangle has; NAN when a side has two triangles on the same side of it, or when
 * those are not one closed line. All triangles turn the same way, so the plane is covered as often as that line
 * goes around: once, if it goes around the area of the hull. */
static double boundary_area(const Flat *flat)
{
	size_t n = 3 * (size_t)flat->body->n_triangles, n_outer = 0;
	g_autofree Side *sides = g_new(Side, n), *outer = g_new(Side, n);
	for (size_t i = 0; i < n; i++) {
		const uint32_t *v = flat->triangle[i / 3].v;
		sides[i] = (Side){v[i % 3], v[(i + 1) % 3]};
	}
	qsort(sides, n, sizeof *sides, compare_sides);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && compare_sides(&sides[i], &sides[i - 1]) == 0)
			return NAN;
		if (!has_side(sides, n, sides[i].b, sides[i].a))
			outer[n_outer++] = sides[i];
	}
	double area = 0.0;
	size_t steps = 0;
	if (n_outer == 0)
		return NAN;
	const Side *at = outer;
	do { /* `outer` is sorted by where sides begin */
		size_t low = 0, high = n_outer;
		while (high - low > 1) {
			size_t middle = low + (high - low) / 2;
			if (outer[middle].a <= at->b)
				low = middle;
			else
				high = middle;
		}
		if (outer[low].a != at->b || (low > 0 && outer[low - 1].a == at->b))
			return NAN;
		area += 0.5 * cross2(flat->point[0], point_of(flat, at->a), point_of(flat, at->b));
		at = &outer[low];
		steps++;
	} while (at != outer && steps <= n_outer);
	return steps == n_outer ? area : NAN;
}

/* Of triangles only, flat, and a convex region covered once. */
static bool is_flat_and_convex(Flat *flat)
{
	const Body *body = flat->body;
	if (body->n_triangles == 0 || body->n_edges > 0 || body->n_particles > 0 || !lay_flat(flat))
		return false;
	double area = 0.0;
	for (uint32_t t = 0; t < body->n_triangles; t++) {
		double own = area_of(flat, &flat->triangle[t]);
		if (!(own > FLATNESS * flat->size * flat->size / body->n_triangles))
			return false;
		area += own;
	}
	double hull = hull_area(flat), within = boundary_area(flat);
	return fabs(area - hull) <= FLATNESS * hull && fabs(within - hull) <= FLATNESS * hull;
}

/* --- Layout ------------------------------------------------------------------------------------------------------ */

/* The heights of a triangle: twice the area over each side; the least. */
static double least_height(const Flat *flat, const Triangle *t)
{
	double longest2 = 0.0;
	for (int c = 0; c < 3; c++) {
		const double *p = point_of(flat, t->v[c]), *q = point_of(flat, t->v[(c + 1) % 3]);
		longest2 = fmax(longest2, (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]));
	}
	return 2.0 * area_of(flat, t) / sqrt(longest2);
}

static void enter_triangles(Charts *charts, const Flat *flat)
{
	const Body *body = flat->body;
	g_autofree float *least = g_new(float, body->n_vertices); /* of the triangles around each vertex */
	for (uint32_t i = 0; i < body->n_vertices; i++)
		least[i] = INFINITY;
	for (uint32_t t = 0; t < body->n_triangles; t++) {
		const uint32_t *v = flat->triangle[t].v;
		uint32_t at = body->first_triangle + t;
		const double *p[3] = {point_of(flat, v[0]), point_of(flat, v[1]), point_of(flat, v[2])};
		double determinant = cross2(p[0], p[1], p[2]);
		double inverse[4] = {(p[2][1] - p[0][1]) / determinant, -(p[2][0] - p[0][0]) / determinant,
		    -(p[1][1] - p[0][1]) / determinant, (p[1][0] - p[0][0]) / determinant};
		memcpy(charts->inverse[at], inverse, sizeof inverse);
		for (int axis = 0; axis < 2; axis++) {
			double low = fmin(fmin(p[0][axis], p[1][axis]), p[2][axis]), high = fmax(fmax(p[0][axis], p[1][axis]), p[2][axis]);
			charts->around[at].low[axis] = (float)(low - FLOAT_MARGIN * flat->size);
			charts->around[at].high[axis] = (float)(high + FLOAT_MARGIN * flat->size);
		}
		float height = (float)(least_height(flat, &flat->triangle[t]) * (1.0 - FLOAT_MARGIN));
		for (int c = 0; c < 3; c++)
			least[v[c] - body->first_vertex] = fminf(least[v[c] - body->first_vertex], height);
	}
	for (uint32_t t = 0; t < body->n_triangles; t++) {
		float *height = &charts->height[body->first_triangle + t];
		*height = INFINITY;
		for (int c = 0; c < 3; c++)
			*height = fminf(*height, least[flat->triangle[t].v[c] - body->first_vertex]);
	}
}

/* Cells about as large as a cell of the mesh. */
static void lay_out_levels(Charts *charts, Chart *chart, const Flat *flat)
{
	double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, area = 0.0;
	for (uint32_t i = 0; i < flat->body->n_vertices; i++)
		for (int axis = 0; axis < 2; axis++) {
			low[axis] = fmin(low[axis], flat->point[i][axis]);
			high[axis] = fmax(high[axis], flat->point[i][axis]);
		}
	for (uint32_t t = 0; t < flat->body->n_triangles; t++)
		area += area_of(flat, &flat->triangle[t]);
	double cell = sqrt(2.0 * area / flat->body->n_triangles), margin = 2.0 * FLOAT_MARGIN * flat->size;
	double extent[2] = {high[0] - low[0] + 2.0 * margin, high[1] - low[1] + 2.0 * margin};
	while (extent[0] / cell * (extent[1] / cell) > MOST_CELLS)
		cell *= 2.0;
	chart->origin[0] = (float)(low[0] - margin);
	chart->origin[1] = (float)(low[1] - margin);
	chart->n_levels = 0;
	for (uint32_t level = 0; level < MOST_LEVELS; level++, cell *= 2.0) {
		Level *out = &chart->level[chart->n_levels++];
		*out = (Level){charts->n_boxes, {1u + (uint32_t)(extent[0] / cell), 1u + (uint32_t)(extent[1] / cell)}, (float)cell};
		charts->n_boxes += out->n[0] * out->n[1];
		if (out->n[0] <= MOST_ACROSS && out->n[1] <= MOST_ACROSS)
			break;
	}
}

static void enter_body(Charts *charts, const World *world, uint32_t b)
{
	const Body *body = world->bodies->pdata[b];
	Flat flat = {.world = world, .body = body};
	flat.triangle = (const Triangle *)(void *)world->triangle->data + body->first_triangle;
	flat.point = g_malloc_n(MAX(body->n_vertices, 1), sizeof *flat.point);
	if (is_flat_and_convex(&flat)) {
		Chart *chart = &charts->chart[charts->n_charts++];
		*chart = (Chart){.body = b, .first_triangle = body->first_triangle, .n_triangles = body->n_triangles, .size = flat.size};
		charts->chart_of[b] = charts->n_charts;
		enter_triangles(charts, &flat);
		lay_out_levels(charts, chart, &flat);
	}
	g_free(flat.point);
}

Charts *chart_new(const Surface *surface)
{
	const World *world = surface->world;
	Charts *charts = g_new0(Charts, 1);
	charts->surface = surface;
	charts->chart = g_new0(Chart, world->bodies->len + 1);
	charts->chart_of = g_new0(uint32_t, world->bodies->len + 1);
	charts->inverse = g_malloc_n(world->triangle->len + 1u, sizeof *charts->inverse);
	charts->around = g_new0(Rectangle, world->triangle->len + 1);
	charts->height = g_new0(float, world->triangle->len + 1);
	for (uint32_t b = 0; b < world->bodies->len; b++)
		enter_body(charts, world, b);
	charts->box = g_new0(Box, charts->n_boxes + 1);
	if (charts->n_charts > 0)
		return charts;
	chart_free(charts);
	return NULL;
}

void chart_free(Charts *charts)
{
	if (charts == NULL)
		return;
	void *arrays[] = {charts->chart, charts->chart_of, charts->inverse, charts->around, charts->height, charts->box,
	    charts->node_chart, charts->node_around, charts->node_height};
	for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
		g_free(arrays[i]);
	g_free(charts);
}

size_t chart_memory(const Charts *charts)
{
	const World *world = charts->surface->world;
	return sizeof *charts + charts->n_boxes * sizeof(Box) +
	       world->triangle->len * (sizeof *charts->inverse + sizeof(Rectangle) + sizeof(float)) +
	       charts->n_nodes * (sizeof(uint32_t) + sizeof(Rectangle) + sizeof(float));
}

bool chart_has(const Charts *charts, uint32_t body)
{
	return charts != NULL && charts->chart_of[body] != 0;
}

static void join_rectangles(Rectangle *a, const Rectangle *b)
{
	for (int axis = 0; axis < 2; axis++) {
		a->low[axis] = b->low[axis] < a->low[axis] ? b->low[axis] : a->low[axis];
		a->high[axis] = b->high[axis] > a->high[axis] ? b->high[axis] : a->high[axis];
	}
}

void chart_take(Charts *charts, const ChordTree *tree)
{
	charts->n_nodes = tree->n_nodes;
	charts->node_chart = g_renew(uint32_t, charts->node_chart, tree->n_nodes + 1u);
	charts->node_around = g_renew(Rectangle, charts->node_around, tree->n_nodes + 1u);
	charts->node_height = g_renew(float, charts->node_height, tree->n_nodes + 1u);
	for (uint32_t i = tree->n_nodes; i-- > 0;) {
		const ChordNode *node = &tree->node[i];
		charts->node_chart[i] = node->body == HIERARCHY_NONE ? 0 : charts->chart_of[node->body];
		if (charts->node_chart[i] == 0)
			continue;
		if (node->right == HIERARCHY_NONE) {
			uint32_t triangle = charts->surface->element[node->left].triangle;
			charts->node_around[i] = charts->around[triangle];
			charts->node_height[i] = charts->height[triangle];
		} else {
			charts->node_around[i] = charts->node_around[node->left];
			join_rectangles(&charts->node_around[i], &charts->node_around[node->right]);
			charts->node_height[i] = fminf(charts->node_height[node->left], charts->node_height[node->right]);
		}
	}
}

/* --- Windows ----------------------------------------------------------------------------------------------------- */

static inline void join_boxes(Box *a, const Box *b)
{
	for (int i = 0; i < ROOM; i++) {
		a->low[i] = b->low[i] < a->low[i] ? b->low[i] : a->low[i];
		a->high[i] = b->high[i] > a->high[i] ? b->high[i] : a->high[i];
	}
}

/* Of one triangle in the window. */
static Box box_of(const Charts *charts, uint32_t triangle, const Vec3 (*ends)[2], double rounding)
{
	/* Two ends of each of two sides are off, over a height. */
	float margin = (float)(8.0 * rounding / charts->height[triangle]) + 1e-30f;
	const uint32_t *v = g_array_index(charts->surface->world->triangle, Triangle, triangle).v;
	const double *d = charts->inverse[triangle];
	Box box = {{0}, {0}};
	for (int end = 0; end < 2; end++) {
		Vec3 a = vec3_sub(ends[v[1]][end], ends[v[0]][end]), b = vec3_sub(ends[v[2]][end], ends[v[0]][end]);
		Vec3 f = vec3_madd(vec3_scale(d[0], a), d[2], b), g = vec3_madd(vec3_scale(d[1], a), d[3], b);
		const float entry[ENTRIES] = {(float)f.x, (float)f.y, (float)f.z, (float)g.x, (float)g.y, (float)g.z};
		for (int i = 0; i < ENTRIES; i++) {
			float room = margin + FLOAT_MARGIN * fabsf(entry[i]), low = entry[i] - room, high = entry[i] + room;
			box.low[i] = end && box.low[i] < low ? box.low[i] : low;
			box.high[i] = end && box.high[i] > high ? box.high[i] : high;
		}
	}
	return box;
}

/* The cells of a level across a rectangle along an axis. */
typedef struct {
	uint32_t first, last;
} Span;

static inline Span span_of(const Chart *chart, const Level *level, const Rectangle *around, int axis)
{
	float first = (around->low[axis] - chart->origin[axis]) / level->cell;
	float last = (around->high[axis] - chart->origin[axis]) / level->cell;
	Span span = {first > 0.0f ? (uint32_t)first : 0, last > 0.0f ? (uint32_t)last : 0};
	span.first = MIN(span.first, level->n[axis] - 1);
	span.last = MIN(span.last, level->n[axis] - 1);
	return span;
}

/* Into those cells of a level, of these along its axes, that a triangle may overlap. */
static void enter_triangle(
    const Charts *charts, const Chart *chart, uint32_t l, uint32_t t, const Box *box, const Span cells[2])
{
	const Level *level = &chart->level[l];
	Span x = span_of(chart, level, &charts->around[t], 0), y = span_of(chart, level, &charts->around[t], 1);
	x = (Span){MAX(x.first, cells[0].first), MIN(x.last, cells[0].last)};
	y = (Span){MAX(y.first, cells[1].first), MIN(y.last, cells[1].last)};
	for (uint32_t j = y.first; j <= y.last; j++)
		for (uint32_t i = x.first; i <= x.last; i++)
			join_boxes(&charts->box[level->first + j * level->n[0] + i], box);
}

typedef struct {
	const Charts *charts;
	const Chart *chart;
	const Vec3 (*ends)[2];
	double rounding;
	int along; /* the axis along which the finest level is cut into parts */
} Fitting;

static void fit_finest(void *data, size_t begin, size_t end, unsigned thread)
{
	(void)thread;
	const Fitting *fitting = data;
	const Chart *chart = fitting->chart;
	const Level *finest = &chart->level[0];
	Span cells[2] = {{0, finest->n[0] - 1}, {0, finest->n[1] - 1}};
	if (begin == end)
		return;
	cells[fitting->along] = (Span){(uint32_t)begin, (uint32_t)end - 1};
	for (uint32_t j = cells[1].first; j <= cells[1].last; j++)
		for (uint32_t i = cells[0].first; i <= cells[0].last; i++) {
			Box *box = &fitting->charts->box[finest->first + j * finest->n[0] + i];
			for (int k = 0; k < ROOM; k++) {
				box->low[k] = INFINITY;
				box->high[k] = -INFINITY;
			}
		}
	for (uint32_t t = chart->first_triangle; t < chart->first_triangle + chart->n_triangles; t++) {
		Span span = span_of(chart, finest, &fitting->charts->around[t], fitting->along);
		if (span.first >= end || span.last < begin)
			continue;
		Box box = box_of(fitting->charts, t, fitting->ends, fitting->rounding);
		enter_triangle(fitting->charts, chart, 0, t, &box, cells);
	}
}

static void fit_coarser(Charts *charts, const Chart *chart, uint32_t l)
{
	const Level *below = &chart->level[l - 1], *level = &chart->level[l];
	for (uint32_t j = 0; j < level->n[1]; j++)
		for (uint32_t i = 0; i < level->n[0]; i++) {
			Box *box = &charts->box[level->first + j * level->n[0] + i];
			/* Of the four below, those that there are; the first always is. */
			uint32_t x = MIN(2 * i + 1, below->n[0] - 1), y = MIN(2 * j + 1, below->n[1] - 1);
			*box = charts->box[below->first + 2 * j * below->n[0] + 2 * i];
			join_boxes(box, &charts->box[below->first + 2 * j * below->n[0] + x]);
			join_boxes(box, &charts->box[below->first + y * below->n[0] + 2 * i]);
			join_boxes(box, &charts->box[below->first + y * below->n[0] + x]);
		}
}

void chart_fit(Charts *charts, const Vec3 (*ends)[2], double rounding, unsigned threads)
{
	for (uint32_t c = 0; c < charts->n_charts; c++) {
		const Chart *chart = &charts->chart[c];
		const uint32_t *n = chart->level[0].n;
		Fitting fitting = {charts, chart, ends, rounding, n[1] > n[0]};
		unsigned workers = team_is_worth(threads, chart->n_triangles, FEWEST_TRIANGLES) ? threads : 1;
		TeamCut cut = {.fewest = 2, .work = chart->n_triangles};
		team_share(&charts->team, workers, n[fitting.along], cut, fit_finest, &fitting);
		for (uint32_t l = 1; l < chart->n_levels; l++)
			fit_coarser(charts, chart, l);
	}
}

void chart_refit(Charts *charts, const Vec3 (*ends)[2], double rounding, uint32_t triangle)
{
	for (uint32_t c = 0; c < charts->n_charts; c++) {
		const Chart *chart = &charts->chart[c];
		if (triangle - chart->first_triangle >= chart->n_triangles) /* also when it is before */
			continue;
		static const Span all[2] = {{0, UINT32_MAX}, {0, UINT32_MAX}};
		Box box = box_of(charts, triangle, ends, rounding);
		for (uint32_t l = 0; l < chart->n_levels; l++)
			enter_triangle(charts, chart, l, triangle, &box, all);
	}
}

/* The box around all gradients in a rectangle. */
static Box box_in(const Charts *charts, const Chart *chart, const Rectangle *around)
{
	float x_extent = around->high[0] - around->low[0], y_extent = around->high[1] - around->low[1];
	float extent = x_extent > y_extent ? x_extent : y_extent;
	uint32_t l = 0;
	while (l + 1 < chart->n_levels && extent > (float)(MOST_ACROSS - 1) * chart->level[l].cell)
		l++;
	const Level *level = &chart->level[l];
	Span x = span_of(chart, level, around, 0), y = span_of(chart, level, around, 1);
	Box box = charts->box[level->first + y.first * level->n[0] + x.first];
	for (uint32_t j = y.first; j <= y.last; j++)
		for (uint32_t i = x.first; i <= x.last; i++)
			join_boxes(&box, &charts->box[level->first + j * level->n[0] + i]);
	return box;
}

#ifndef chart_spread /* tests break it */
#define chart_spread sqrt
#endif

/* s - e for the gradients in a box. */
static double least_stretch(const Box *box)
{
	double f[ENTRIES], spread2 = 0.0;
	for (int i = 0; i < ENTRIES; i++) {
		double half = 0.5 * ((double)box->high[i] - (double)box->low[i]);
		f[i] = 0.5 * ((double)box->high[i] + (double)box->low[i]);
		spread2 += half * half;
	}
	double a = f[0] * f[0] + f[1] * f[1] + f[2] * f[2], c = f[3] * f[3] + f[4] * f[4] + f[5] * f[5];
	double b = f[0] * f[3] + f[1] * f[4] + f[2] * f[5];
	double least2 = 0.5 * (a + c - sqrt((a - c) * (a - c) + 4.0 * b * b));
	return least2 > 0.0 ? sqrt(least2) - chart_spread(spread2) - (double)FLOAT_MARGIN : -1.0;
}

/* Two parts of one chart, at least `height` apart where they have no vertex in common. */
static bool keeps_apart(const Charts *charts, uint32_t c, const Rectangle *a, const Rectangle *b, float height, double gap)
{
	Rectangle around = *a;
	float apart2 = 0.0f;
	for (int axis = 0; axis < 2; axis++) {
		float above = b->low[axis] - a->high[axis], below = a->low[axis] - b->high[axis], open = above > below ? above : below;
		apart2 += open > 0.0f ? open * open : 0.0f;
	}
	double apart = apart2 > height * height ? sqrt((double)apart2) : (double)height;
	join_rectangles(&around, b);
	Box box = box_in(charts, &charts->chart[c - 1], &around);
	return least_stretch(&box) * apart * (1.0 - (double)FLOAT_MARGIN) > gap;
}

bool chart_keeps_apart(const Charts *charts, uint32_t a, uint32_t b, double gap)
{
	uint32_t c = charts->node_chart[a];
	if (c == 0 || charts->node_chart[b] != c)
		return false;
	float height = charts->node_height[a] < charts->node_height[b] ? charts->node_height[a] : charts->node_height[b];
	return keeps_apart(charts, c, &charts->node_around[a], &charts->node_around[b], height, gap);
}

ChartPatch chart_patch(const Charts *charts, const uint32_t *triangles, uint32_t n)
{
	const World *world = charts->surface->world;
	uint32_t body = charts->surface->vertex_body[g_array_index(world->triangle, Triangle, triangles[0]).v[0]];
	ChartPatch patch = {.chart = charts->chart_of[body], .height = INFINITY};
	if (patch.chart == 0)
		return patch;
	Rectangle around = charts->around[triangles[0]];
	for (uint32_t i = 0; i < n; i++) {
		join_rectangles(&around, &charts->around[triangles[i]]);
		patch.height = charts->height[triangles[i]] < patch.height ? charts->height[triangles[i]] : patch.height;
	}
	memcpy(patch.low, around.low, sizeof patch.low);
	memcpy(patch.high, around.high, sizeof patch.high);
	return patch;
}

bool chart_keeps_patch_apart(const Charts *charts, const ChartPatch *patch, uint32_t node, double gap)
{
	if (patch->chart == 0 || charts->node_chart[node] != patch->chart)
		return false;
	float height = charts->node_height[node] < patch->height ? charts->node_height[node] : patch->height;
	Rectangle around = {{patch->low[0], patch->low[1]}, {patch->high[0], patch->high[1]}};
	return keeps_apart(charts, patch->chart, &around, &charts->node_around[node], height, gap);
}

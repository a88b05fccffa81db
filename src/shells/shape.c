/* Sides are found by sorting: every triangle contributes its three sides, counted into buckets by their lower vertex
 * and ordered within a bucket by (higher vertex, triangle), so that all triangles at one side are neighbours in one
 * array. */
#include "shells/shape.h"
#include "core/error.h"
#include <stdlib.h>

/* The area of a triangle, as a fraction of its longest side squared, at or below which it has none. Coordinates have 16
 * digits: at this height (2e-12 of the longest side) the direction of the normal would have fewer than 4. */
#define NO_AREA 1e-12

Shape *shape_new(void)
{
	Shape *shape = g_new0(Shape, 1);
	shape->position = g_array_new(FALSE, FALSE, sizeof(Vec3));
	shape->rest = g_array_new(FALSE, FALSE, sizeof(Vec3));
	shape->triangle = g_array_new(FALSE, FALSE, sizeof(Triangle));
	shape->edge = g_array_new(FALSE, FALSE, sizeof(Edge));
	shape->particle = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	shape->sets = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_array_unref);
	return shape;
}

void shape_free(Shape *shape)
{
	if (shape == NULL)
		return;
	g_array_unref(shape->position);
	g_array_unref(shape->rest);
	g_array_unref(shape->triangle);
	g_array_unref(shape->edge);
	g_array_unref(shape->particle);
	g_hash_table_unref(shape->sets);
	g_free(shape);
}

uint32_t shape_add_vertex(Shape *shape, Vec3 position)
{
	uint32_t index = shape->position->len;
	g_array_append_val(shape->position, position);
	g_array_append_val(shape->rest, position);
	return index;
}

void shape_add_triangle(Shape *shape, uint32_t a, uint32_t b, uint32_t c)
{
	Triangle triangle = {{a, b, c}};
	g_array_append_val(shape->triangle, triangle);
}

void shape_add_edge(Shape *shape, uint32_t a, uint32_t b)
{
	Edge edge = {{a, b}};
	g_array_append_val(shape->edge, edge);
}

void shape_add_particle(Shape *shape, uint32_t vertex)
{
	g_array_append_val(shape->particle, vertex);
}

/* The set of that name, made when it is new. */
static GArray *named_set(Shape *shape, const char *name)
{
	GArray *set = g_hash_table_lookup(shape->sets, name);
	if (set == NULL) {
		set = g_array_new(FALSE, FALSE, sizeof(uint32_t));
		g_hash_table_insert(shape->sets, g_strdup(name), set);
	}
	return set;
}

/* Keeps the set ascending and without repetition; the usual case, a vertex beyond the last, costs nothing. */
static void insert_sorted(GArray *set, uint32_t vertex)
{
	guint low = 0, high = set->len;
	if (high > 0 && g_array_index(set, uint32_t, high - 1) < vertex)
		low = high;
	while (low < high) {
		guint middle = low + (high - low) / 2;
		if (g_array_index(set, uint32_t, middle) < vertex)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == set->len || g_array_index(set, uint32_t, low) != vertex)
		g_array_insert_val(set, low, vertex);
}

void shape_add_to_set(Shape *shape, const char *name, uint32_t vertex)
{
	insert_sorted(named_set(shape, name), vertex);
}

/* One triangle's claim to a side. */
typedef struct {
	uint32_t low, high; /* its vertices, low < high */
	uint32_t triangle;
	bool forward; /* the triangle runs from low to high */
} Side;

static int compare_sides(const void *first, const void *second)
{
	const Side *a = first, *b = second;
	if (a->high != b->high)
		return a->high < b->high ? -1 : 1;
	return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

/* All sides of all triangles, ordered by (low, high, triangle). Indices must be in range. */
static GArray *sorted_sides(const Shape *shape)
{
	guint n_triangles = shape->triangle->len;
	uint32_t n_vertices = shape_vertex_count(shape);
	GArray *sides = g_array_sized_new(FALSE, FALSE, sizeof(Side), 3 * n_triangles);
	g_array_set_size(sides, 3 * n_triangles);
	Side *side = (Side *)(void *)sides->data;
	guint *start = g_new0(guint, (gsize)n_vertices + 2); /* start[v + 1]: where the next side of vertex v goes */

	for (int pass = 0; pass < 2; pass++) { /* first count, then fill */
		for (guint t = 0; t < n_triangles; t++) {
			const uint32_t *v = g_array_index(shape->triangle, Triangle, t).v;
			for (int i = 0; i < 3; i++) {
				uint32_t a = v[i], b = v[(i + 1) % 3];
				uint32_t low = MIN(a, b), high = MAX(a, b);
				if (pass == 0)
					start[low + 2]++;
				else
					side[start[low + 1]++] = (Side){low, high, t, a < b};
			}
		}
		for (uint32_t v = 0; pass == 0 && v < n_vertices; v++)
			start[v + 2] += start[v + 1];
	}
	/* Having been filled, start[v + 1] is the end of v's bucket, and start[v] its beginning. */
	for (uint32_t v = 0; v < n_vertices; v++) {
		if (start[v + 1] > start[v])
			qsort(side + start[v], start[v + 1] - start[v], sizeof(Side), compare_sides);
	}
	g_free(start);
	return sides;
}

/* How many triangles share the side that begins at entry `first`. */
static guint triangles_at_side(const GArray *sides, guint first)
{
	const Side *side = &g_array_index(sides, Side, first);
	guint count = 1;
	while (first + count < sides->len && side[count].low == side->low && side[count].high == side->high)
		count++;
	return count;
}

void shape_name_boundary(Shape *shape)
{
	GArray *set = named_set(shape, "boundary"), *sides = sorted_sides(shape);
	uint32_t n_vertices = shape_vertex_count(shape);
	bool *at_boundary = g_new0(bool, n_vertices); /* (n_vertices) */
	for (guint i = 0, count; i < sides->len; i += count) {
		count = triangles_at_side(sides, i);
		const Side *side = &g_array_index(sides, Side, i);
		if (count == 1)
			at_boundary[side->low] = at_boundary[side->high] = true;
	}
	for (uint32_t v = 0; v < n_vertices; v++) {
		if (at_boundary[v])
			insert_sorted(set, v);
	}
	g_free(at_boundary);
	g_array_unref(sides);
}

static Vec3 rest_of(const Shape *shape, uint32_t vertex)
{
	return g_array_index(shape->rest, Vec3, vertex);
}

static bool check_vertices(const Shape *shape, const char *where, GError **error)
{
	if (shape->position->len == 0)
		return error_set(error, CINCH_ERROR_INPUT, "%s: there are no vertices", where);
	if (shape->rest->len != shape->position->len)
		return error_set(error, CINCH_ERROR_INPUT, "%s: there are %u vertices but %u rest positions", where,
		    shape->position->len, shape->rest->len);
	for (uint32_t v = 0; v < shape_vertex_count(shape); v++) {
		if (!vec3_is_finite(g_array_index(shape->position, Vec3, v)))
			return error_set(
			    error, CINCH_ERROR_INPUT, "%s: the position of vertex %u is not finite", where, v);
		if (!vec3_is_finite(rest_of(shape, v)))
			return error_set(
			    error, CINCH_ERROR_INPUT, "%s: the rest position of vertex %u is not finite", where, v);
	}
	return true;
}

static bool check_index(
    const Shape *shape, uint32_t vertex, const char *kind, guint element, const char *where, GError **error)
{
	if (vertex < shape_vertex_count(shape))
		return true;
	return error_set(error, CINCH_ERROR_INPUT, "%s: %s %u refers to vertex %u, but there are only %u vertices",
	    where, kind, element, vertex, shape_vertex_count(shape));
}

/* The area of a triangle at rest is at most NO_AREA times the square of its longest side. The scale is taken out
 * first, so that neither tiny nor huge triangles underflow or overflow. */
static bool has_no_area(const Shape *shape, const uint32_t v[3])
{
	Vec3 a = rest_of(shape, v[0]), b = rest_of(shape, v[1]), c = rest_of(shape, v[2]);
	Vec3 sides[3] = {vec3_sub(b, a), vec3_sub(c, b), vec3_sub(a, c)};
	double extent = 0.0;
	for (int i = 0; i < 3; i++)
		extent = fmax(extent, fmax(fabs(sides[i].x), fmax(fabs(sides[i].y), fabs(sides[i].z))));
	if (extent == 0.0)
		return true;
	double longest2 = 0.0;
	for (int i = 0; i < 3; i++) {
		sides[i] = vec3(sides[i].x / extent, sides[i].y / extent, sides[i].z / extent);
		longest2 = fmax(longest2, vec3_norm2(sides[i]));
	}
	return !(0.5 * vec3_norm(vec3_cross(sides[0], sides[1])) > NO_AREA * longest2);
}

static bool check_triangles(const Shape *shape, const char *where, GError **error)
{
	for (guint t = 0; t < shape->triangle->len; t++) {
		const uint32_t *v = g_array_index(shape->triangle, Triangle, t).v;
		for (int i = 0; i < 3; i++) {
			if (!check_index(shape, v[i], "triangle", t, where, error))
				return false;
		}
		for (int i = 0; i < 3; i++) {
			if (v[i] == v[(i + 1) % 3])
				return error_set(error, CINCH_ERROR_INPUT,
				    "%s: triangle %u (vertices %u, %u, %u) repeats vertex %u", where, t, v[0], v[1],
				    v[2], v[i]);
		}
		if (has_no_area(shape, v))
			return error_set(error, CINCH_ERROR_INPUT, "%s: triangle %u (vertices %u, %u, %u) has no area",
			    where, t, v[0], v[1], v[2]);
	}
	return true;
}

static bool check_edges(const Shape *shape, const char *where, GError **error)
{
	for (guint e = 0; e < shape->edge->len; e++) {
		const uint32_t *v = g_array_index(shape->edge, Edge, e).v;
		if (!check_index(shape, v[0], "edge", e, where, error) ||
		    !check_index(shape, v[1], "edge", e, where, error))
			return false;
		if (v[0] == v[1])
			return error_set(
			    error, CINCH_ERROR_INPUT, "%s: edge %u joins vertex %u to itself", where, e, v[0]);
		if (!(vec3_distance(rest_of(shape, v[0]), rest_of(shape, v[1])) > 0.0))
			return error_set(error, CINCH_ERROR_INPUT, "%s: edge %u (vertices %u, %u) has no length", where,
			    e, v[0], v[1]);
	}
	return true;
}

/* "4, 8 and 12"; of a long list only the beginning. */
static char *list_triangles(const Side *side, guint count)
{
	const guint most = 8;
	GString *text = g_string_new(NULL);
	for (guint i = 0; i < count && i < most; i++)
		g_string_append_printf(text, "%s%u", i == 0 ? "" : i + 1 == count ? " and " : ", ", side[i].triangle);
	if (count > most)
		g_string_append(text, ", ...");
	return g_string_free(text, FALSE);
}

static bool check_manifold(const Shape *shape, const char *where, GError **error)
{
	GArray *sides = sorted_sides(shape);
	bool fine = true;
	for (guint i = 0, count; fine && i < sides->len; i += count) {
		count = triangles_at_side(sides, i);
		const Side *side = &g_array_index(sides, Side, i);
		if (count > 2) {
			char *list = list_triangles(side, count);
			fine = error_set(error, CINCH_ERROR_INPUT,
			    "%s: side %u-%u is shared by %u triangles (%s): the surface must be a manifold", where,
			    side->low, side->high, count, list);
			g_free(list);
		} else if (count == 2 && side[0].forward == side[1].forward) {
			fine = error_set(error, CINCH_ERROR_INPUT,
			    "%s: triangles %u and %u run along side %u-%u in the same direction: their orientations "
			    "disagree",
			    where, side[0].triangle, side[1].triangle, side->low, side->high);
		}
	}
	g_array_unref(sides);
	return fine;
}

/* Particles are in range and named once; every vertex has an element. Triangles and edges have been checked. */
static bool check_membership(const Shape *shape, const char *where, GError **error)
{
	uint32_t n_vertices = shape_vertex_count(shape);
	bool *used = g_new0(bool, n_vertices); /* (n_vertices) */
	bool fine = true;
	for (guint p = 0; fine && p < shape->particle->len; p++) {
		uint32_t vertex = g_array_index(shape->particle, uint32_t, p);
		fine = check_index(shape, vertex, "particle", p, where, error);
		if (fine && used[vertex])
			fine = error_set(error, CINCH_ERROR_INPUT,
			    "%s: vertex %u is named as a particle more than once", where, vertex);
		if (fine)
			used[vertex] = true;
	}
	for (guint t = 0; t < shape->triangle->len; t++) {
		const uint32_t *v = g_array_index(shape->triangle, Triangle, t).v;
		used[v[0]] = used[v[1]] = used[v[2]] = true;
	}
	for (guint e = 0; e < shape->edge->len; e++) {
		const uint32_t *v = g_array_index(shape->edge, Edge, e).v;
		used[v[0]] = used[v[1]] = true;
	}
	for (uint32_t v = 0; fine && v < n_vertices; v++) {
		if (!used[v])
			fine = error_set(error, CINCH_ERROR_INPUT, "%s: vertex %u belongs to no element", where, v);
	}
	g_free(used);
	return fine;
}

bool shape_check(const Shape *shape, const char *where, GError **error)
{
	return check_vertices(shape, where, error) && check_triangles(shape, where, error) &&
	       check_edges(shape, where, error) && check_manifold(shape, where, error) &&
	       check_membership(shape, where, error);
}

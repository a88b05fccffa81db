/* Convex bodies: the hull of points, given or at random in an ellipsoid around the origin. */
#include "scene/generate_hull.h"
#include "core/random.h"
#include "core/real.h"
#include "scene/generate.h"
#include "scene/generate_grid.h"
#include <libqhull_r/libqhull_r.h>
#include <stdio.h>

enum { MOST_HULL_POINTS = 1000000 };

/* Three indices into the points for each facet of the hull, facing outward; NULL when Qhull finds none. */
static GArray *find_facets(const GArray *points)
{
	char *said = NULL; /* what Qhull has to say is for those who call it by its name */
	size_t length = 0;
	FILE *messages = open_memstream(&said, &length);
	GArray *copy = g_array_copy((GArray *)(void *)points), *facets = NULL;
	char options[] = "qhull Qt";
	qhT state, *qh = &state;
	qh_zero(qh, messages);
	if (qh_new_qhull(qh, 3, (int)points->len, (coordT *)(void *)copy->data, False, options, NULL, messages) == 0) {
		facetT *facet;
		vertexT *vertex, **vertexp;
		facets = g_array_new(FALSE, FALSE, sizeof(Triangle));
		FORALLfacets {
			Triangle triangle = {{0, 0, 0}};
			int corner = 0;
			FOREACHvertex_(facet->vertices)
				if (corner < 3)
					triangle.v[corner++] = (uint32_t)qh_pointid(qh, vertex->point);
			g_array_append_val(facets, triangle);
		}
	}
	int left, bytes; /* of its memory: none */
	qh_freeqhull(qh, False);
	qh_memfreeshort(qh, &left, &bytes);
	g_array_unref(copy);
	fclose(messages);
	free(said);
	return facets;
}

static Vec3 mean_of(const GArray *points)
{
	Vec3 sum = vec3(0, 0, 0);
	for (guint i = 0; i < points->len; i++)
		sum = vec3_madd(sum, 1.0 / points->len, g_array_index(points, Vec3, i));
	return sum;
}

/* Whether the triangle faces away from a point inside of the hull. */
static bool faces_outward(const GArray *points, const Triangle *triangle, Vec3 inside)
{
	Vec3 a = g_array_index(points, Vec3, triangle->v[0]);
	Vec3 ab = vec3_sub(g_array_index(points, Vec3, triangle->v[1]), a);
	Vec3 ac = vec3_sub(g_array_index(points, Vec3, triangle->v[2]), a);
	return vec3_dot(vec3_cross(ab, ac), vec3_sub(a, inside)) > 0.0;
}

bool generate_hull_add(Shape *shape, const GArray *points)
{
	GArray *facets = points->len < 4 ? NULL : find_facets(points);
	if (facets == NULL)
		return false;
	enum { UNUSED = UINT32_MAX };
	uint32_t *vertex = g_new(uint32_t, points->len);
	for (guint i = 0; i < points->len; i++)
		vertex[i] = (uint32_t)UNUSED;
	for (guint f = 0; f < facets->len; f++)
		for (int c = 0; c < 3; c++)
			vertex[g_array_index(facets, Triangle, f).v[c]] = 0;
	for (guint i = 0; i < points->len; i++)
		if (vertex[i] != (uint32_t)UNUSED)
			vertex[i] = shape_add_vertex(shape, g_array_index(points, Vec3, i));
	Vec3 inside = mean_of(points);
	for (guint f = 0; f < facets->len; f++) {
		const Triangle *facet = &g_array_index(facets, Triangle, f);
		int second = faces_outward(points, facet, inside) ? 1 : 2;
		shape_add_triangle(shape, vertex[facet->v[0]], vertex[facet->v[second]], vertex[facet->v[3 - second]]);
	}
	g_free(vertex);
	g_array_unref(facets);
	return true;
}

GArray *generate_hull_lattice(uint32_t count)
{
	GArray *sphere = g_array_new(FALSE, FALSE, sizeof(Vec3));
	double golden = REAL_PI * (3.0 - sqrt(5.0));
	for (uint32_t i = 0; i < count; i++) {
		double y = 1.0 - (2.0 * i + 1.0) / count, across = sqrt(1.0 - y * y);
		Vec3 point = vec3(across * real_cos(golden * i), y, across * real_sin(golden * i));
		g_array_append_val(sphere, point);
	}
	return sphere;
}

static GArray *stretch(GArray *points, Vec3 size)
{
	for (guint i = 0; i < points->len; i++) {
		Vec3 *x = &g_array_index(points, Vec3, i);
		*x = vec3(0.5 * size.x * x->x, 0.5 * size.y * x->y, 0.5 * size.z * x->z);
	}
	return points;
}

/* At random in the sphere: points in its box, of which those outside are thrown away. */
static GArray *scatter(uint32_t count, uint64_t seed)
{
	GArray *points = g_array_new(FALSE, FALSE, sizeof(Vec3));
	uint64_t state = seed;
	while (points->len < count) {
		double x = 2.0 * random_unit(&state) - 1.0, y = 2.0 * random_unit(&state) - 1.0;
		double z = 2.0 * random_unit(&state) - 1.0;
		Vec3 point = vec3(x, y, z);
		if (x * x + y * y + z * z <= 1.0)
			g_array_append_val(points, point);
	}
	return points;
}

void generate_hull(Reader *reader, Shape *shape)
{
	static const char *const spreads[] = {"random", "even", NULL};
	g_autoptr(GArray) points = reader_points(reader, "points");
	const char *key = points ? "points" : "count";
	if (points == NULL) {
		Vec3 size = reader_vec3(reader, "size", READER_REQUIRED_VEC3);
		int64_t count = reader_integer(reader, "count", 40, 4, MOST_HULL_POINTS);
		bool even = reader_choice(reader, "spread", 0, spreads) == 1;
		int64_t seed = reader_integer(reader, "seed", 1, 0, INT64_MAX);
		if (reader_ok(reader) && !(size.x > 0.0 && size.y > 0.0 && size.z > 0.0))
			reader_fail(reader, "size", "expected three numbers above zero");
		if (!reader_ok(reader))
			return;
		GArray *sphere = even ? generate_hull_lattice((uint32_t)count) : scatter((uint32_t)count, (uint64_t)seed);
		points = stretch(sphere, size);
	}
	if (!reader_ok(reader) || !generate_grid_allows(reader, key, points->len))
		return;
	if (!generate_hull_add(shape, points))
		reader_fail(reader, key, "expected four points or more that are not in one plane");
}

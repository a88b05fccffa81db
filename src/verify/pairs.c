#include "verify/pairs.h"
#include <math.h>
#include <string.h>

static const int n_sides[] = {0, 0, 1, 3};

static bool is_held(const Pairs *pairs, const uint32_t *vertex, int n)
{
	for (int i = 0; i < n; i++)
		if (!pairs->held[vertex[i]])
			return false;
	return true;
}

static double distance(const double a[3], const double b[3])
{
	double sum = 0.0;
	for (int k = 0; k < 3; k++)
		sum += (a[k] - b[k]) * (a[k] - b[k]);
	return sqrt(sum);
}

/* The first element with a vertex or a side owns it. */
static void find_owners(Pairs *pairs, const double (*x)[3])
{
	g_autofree uint8_t *owned = g_new0(uint8_t, pairs->n_vertices + 1u);
	g_autoptr(GHashTable) sides = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	double sum = 0.0;
	for (uint32_t e = 0; e < pairs->n_elements; e++) {
		PairsElement *element = &pairs->element[e];
		for (int c = 0; c < element->corners; c++) {
			uint32_t vertex = element->vertex[c];
			element->owns_vertex |= (uint8_t)(!owned[vertex] << c);
			owned[vertex] = 1;
		}
		for (int c = 0; c < n_sides[element->corners]; c++) {
			uint32_t a = element->vertex[c], b = element->vertex[(c + 1) % element->corners];
			uint64_t key = (uint64_t)MIN(a, b) << 32 | MAX(a, b);
			if (!g_hash_table_add(sides, g_memdup2(&key, sizeof key)))
				continue;
			element->owns_side |= (uint8_t)(1u << c);
			sum += distance(x[a], x[b]);
		}
	}
	guint n = g_hash_table_size(sides);
	pairs->typical_edge = n > 0 ? sum / n : 0.0;
}

static void copy_bodies(Pairs *pairs, const PairsInput *input)
{
	size_t n = pairs->n_bodies;
	pairs->meets = g_new0(uint8_t, n * n + 1);
	pairs->half_thickness = g_new0(double, n + 1);
	for (size_t a = 0; a < n; a++)
		pairs->half_thickness[a] = input->thickness ? 0.5 * input->thickness[a] : 0.0;
	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b < n; b++) {
			uint8_t meets = input->meets ? input->meets[a * n + b] : 1;
			pairs->meets[a * n + b] = meets;
			if (meets)
				pairs->largest_offset =
				    fmax(pairs->largest_offset, pairs->half_thickness[a] + pairs->half_thickness[b]);
		}
}

Pairs *pairs_new(const PairsInput *input, const double (*x)[3])
{
	Pairs *pairs = g_new0(Pairs, 1);
	pairs->n_vertices = input->n_vertices;
	pairs->n_bodies = input->n_bodies;
	pairs->n_elements = input->mesh.n_triangles + input->mesh.n_edges + input->mesh.n_particles;
	pairs->element = g_new0(PairsElement, pairs->n_elements + 1u);
	pairs->body = g_memdup2(input->body, input->n_vertices * sizeof *input->body);
	pairs->held = g_new0(uint8_t, input->n_vertices + 1u);
	for (uint32_t i = 0; i < input->n_vertices && input->held; i++)
		pairs->held[i] = input->held[i] != 0;
	pairs->mesh = input->mesh;
	for (uint32_t e = 0; e < pairs->n_elements; e++)
		pairs->element[e].corners = (uint8_t)intersections_corners(&pairs->mesh, e, pairs->element[e].vertex);
	copy_bodies(pairs, input);
	find_owners(pairs, x);
	return pairs;
}

void pairs_free(Pairs *pairs)
{
	if (pairs == NULL)
		return;
	g_free(pairs->element);
	g_free(pairs->body);
	g_free(pairs->held);
	g_free(pairs->meets);
	g_free(pairs->half_thickness);
	g_free(pairs);
}

void pairs_remove_body(Pairs *pairs, uint32_t body)
{
	for (uint32_t other = 0; other < pairs->n_bodies; other++)
		pairs->meets[body * pairs->n_bodies + other] = pairs->meets[other * pairs->n_bodies + body] = 0;
}

static bool must_stay_apart(const Pairs *pairs, const uint32_t *a, int n_a, const uint32_t *b, int n_b)
{
	return pairs->meets[pairs->body[a[0]] * pairs->n_bodies + pairs->body[b[0]]] &&
	       !(is_held(pairs, a, n_a) && is_held(pairs, b, n_b));
}

/* Puts the pair into *primitive; 0 when it is left out, else 1. */
static int put(const Pairs *pairs, SweepKind kind, const uint32_t *a, const uint32_t *b, PairsPrimitive *primitive)
{
	int n_a = sweep_first[kind], n_b = sweep_corners[kind] - n_a;
	if (intersections_share_vertex(a, n_a, b, n_b) || !must_stay_apart(pairs, a, n_a, b, n_b))
		return 0;
	primitive->kind = kind;
	memcpy(primitive->vertex, a, (size_t)n_a * sizeof *a);
	memcpy(primitive->vertex + n_a, b, (size_t)n_b * sizeof *b);
	primitive->offset = pairs->half_thickness[pairs->body[a[0]]] + pairs->half_thickness[pairs->body[b[0]]];
	return 1;
}

/* The vertices of `a` with `b` as a whole. */
static int put_vertices(const Pairs *pairs, const PairsElement *a, const PairsElement *b, PairsPrimitive *primitive)
{
	int n = 0;
	for (int c = 0; c < a->corners && b->corners > 1; c++)
		if (a->owns_vertex >> c & 1)
			n += put(pairs, b->corners == 3 ? SWEEP_VERTEX_TRIANGLE : SWEEP_VERTEX_EDGE, &a->vertex[c],
			    b->vertex, &primitive[n]);
	return n;
}

int pairs_of_elements(const Pairs *pairs, uint32_t first, uint32_t second, PairsPrimitive primitive[PAIRS_MOST])
{
	const PairsElement *a = &pairs->element[MIN(first, second)], *b = &pairs->element[MAX(first, second)];
	if (!pairs->meets[pairs->body[a->vertex[0]] * pairs->n_bodies + pairs->body[b->vertex[0]]])
		return 0;
	int n = put_vertices(pairs, a, b, primitive);
	n += put_vertices(pairs, b, a, primitive + n);
	if (a->corners == 1 && b->corners == 1 && a->owns_vertex && b->owns_vertex)
		n += put(pairs, SWEEP_VERTEX_VERTEX, a->vertex, b->vertex, &primitive[n]);
	for (int i = 0; i < n_sides[a->corners]; i++)
		for (int j = 0; j < n_sides[b->corners]; j++) {
			const uint32_t one[2] = {a->vertex[i], a->vertex[(i + 1) % a->corners]};
			const uint32_t other[2] = {b->vertex[j], b->vertex[(j + 1) % b->corners]};
			if (a->owns_side >> i & 1 && b->owns_side >> j & 1)
				n += put(pairs, SWEEP_EDGE_EDGE, one, other, &primitive[n]);
		}
	return n;
}

GArray *pairs_intersections(const Pairs *pairs, const double (*x)[3])
{
	IntersectionsInput mesh = pairs->mesh;
	mesh.x = x;
	GArray *found = intersections_find(&mesh);
	guint n = 0;
	for (guint i = 0; i < found->len; i++) {
		Intersection pair = g_array_index(found, Intersection, i);
		const PairsElement *a = &pairs->element[pair.a], *b = &pairs->element[pair.b];
		if (must_stay_apart(pairs, a->vertex, a->corners, b->vertex, b->corners))
			g_array_index(found, Intersection, n++) = pair;
	}
	g_array_set_size(found, n);
	return found;
}

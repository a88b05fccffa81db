#include "contact/surface.h"
#include "avi/clock.h"
#include <string.h>

/* Edges at more than about 18 degrees are not weakened: |e1 x e2|^2 = 0.1 |e1|^2 |e2|^2. A narrower range would make the
 * weight change so fast with the angle that it, not the layer, would set the step: its second derivative adds about
 * 2/0.1 (eta/length)^2 times the layer's stiffness. */
#define MOLLIFIER_RANGE 0.1
/* That addition at the largest eta1 that makes sense, about a quarter of an edge, doubles the stiffness at the most. */
#define MOLLIFIER_STIFFNESS 2.0

static void list_vertices(Surface *surface, const World *world)
{
	uint32_t n = world_vertex_count(world);
	surface->vertex_body = g_new0(uint32_t, n + 1);
	surface->inverse_mass = g_new0(double, n + 1);
	for (uint32_t b = 0; b < world->bodies->len; b++) {
		const Body *body = world->bodies->pdata[b];
		for (uint32_t i = body->first_vertex; i < body->first_vertex + body->n_vertices; i++)
			surface->vertex_body[i] = b;
	}
	for (uint32_t i = 0; i < n; i++)
		if (g_array_index(world->held, uint8_t, i) == HELD_NOT)
			surface->inverse_mass[i] = 1.0 / g_array_index(world->mass, double, i);
}

static uint64_t edge_key(uint32_t a, uint32_t b)
{
	return (uint64_t)MIN(a, b) << 32 | MAX(a, b);
}

/* The edges of all elements: each side once, whatever number of triangles it has, then loose edges. */
static void list_edges(Surface *surface, const World *world)
{
	g_autoptr(GHashTable) index = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	GArray *edges = g_array_new(FALSE, FALSE, sizeof(Edge));
	for (uint32_t e = 0; e < surface->n_elements; e++) {
		Element *element = &surface->element[e];
		int sides = element->corners == 3 ? 3 : element->corners - 1;
		for (int c = 0; c < sides; c++) {
			uint32_t a = element->vertex[c], b = element->vertex[(c + 1) % element->corners];
			uint64_t key = edge_key(a, b);
			gpointer found;
			if (g_hash_table_lookup_extended(index, &key, NULL, &found)) {
				element->edge[c] = GPOINTER_TO_UINT(found);
				continue;
			}
			Edge edge = {{MIN(a, b), MAX(a, b)}};
			element->edge[c] = edges->len;
			element->owns_edge |= (uint8_t)(1u << c);
			g_hash_table_insert(index, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(edges->len));
			g_array_append_val(edges, edge);
		}
	}
	surface->n_edges = edges->len;
	surface->edge = (Edge *)(void *)g_array_free(edges, FALSE);
	surface->edge_length2 = g_new0(double, surface->n_edges + 1u);
	for (uint32_t i = 0; i < surface->n_edges; i++)
		surface->edge_length2[i] = vec3_norm2(vec3_sub(g_array_index(world->rest, Vec3, surface->edge[i].v[1]),
		    g_array_index(world->rest, Vec3, surface->edge[i].v[0])));
}

static double largest_inverse_mass(const Surface *surface, const uint32_t *vertex, int n)
{
	double most = 0.0;
	for (int c = 0; c < n; c++)
		most = fmax(most, surface->inverse_mass[vertex[c]]);
	return most;
}

/* The vertices across each side that has just two triangles. */
static void list_wings(Surface *surface)
{
	g_autofree uint8_t *found = g_new0(uint8_t, surface->n_edges + 1u);
	surface->edge_wing = g_malloc_n(surface->n_edges + 1u, sizeof *surface->edge_wing);
	memset(surface->edge_wing, 0xff, surface->n_edges * sizeof *surface->edge_wing);
	for (uint32_t e = 0; e < surface->n_elements; e++) {
		const Element *element = &surface->element[e];
		for (int c = 0; c < 3 && element->corners == 3; c++) {
			uint32_t edge = element->edge[c];
			if (found[edge] < 2)
				surface->edge_wing[edge][found[edge]] = element->vertex[(c + 2) % 3];
			found[edge] = (uint8_t)MIN(found[edge] + 1, 3);
		}
	}
	for (uint32_t i = 0; i < surface->n_edges; i++)
		if (found[i] != 2)
			surface->edge_wing[i][0] = surface->edge_wing[i][1] = SURFACE_NO_WING;
}

/* Vertices that are held with all that is around them, and inside of a mesh. */
static void list_ground(Surface *surface)
{
	uint32_t n = world_vertex_count(surface->world), sum = 0;
	g_autofree uint8_t *is_other = g_new0(uint8_t, n + 1u);
	surface->ground_begin = g_new0(uint32_t, n + 2u);
	for (uint32_t i = 0; i < surface->n_edges; i++) {
		const uint32_t *v = surface->edge[i].v, *wing = surface->edge_wing[i];
		bool held = wing[0] != SURFACE_NO_WING && largest_inverse_mass(surface, v, 2) == 0.0 &&
		            largest_inverse_mass(surface, wing, 2) == 0.0;
		is_other[v[0]] |= !held;
		is_other[v[1]] |= !held;
	}
	for (uint32_t i = 0; i < surface->n_edges; i++)
		for (int end = 0; end < 2; end++)
			if (!is_other[surface->edge[i].v[end]])
				surface->ground_begin[surface->edge[i].v[end] + 2]++;
	for (uint32_t v = 0; v < n + 2u; v++)
		surface->ground_begin[v] = sum += surface->ground_begin[v];
	surface->ground_edge = g_new0(uint32_t, sum + 1u);
	for (uint32_t i = 0; i < surface->n_edges; i++)
		for (int end = 0; end < 2; end++)
			if (!is_other[surface->edge[i].v[end]])
				surface->ground_edge[surface->ground_begin[surface->edge[i].v[end] + 1]++] = i;
}

/* Inclusion and exclusion: around a vertex the triangles count 1, the sides between two of them -1, and the vertex what is
 * missing to 1. */
static void list_shares(Surface *surface)
{
	uint32_t n = world_vertex_count(surface->world);
	g_autofree uint32_t *triangles = g_new0(uint32_t, n + 1u), *sides = g_new0(uint32_t, n + 1u);
	g_autofree uint32_t *loose = g_new0(uint32_t, n + 1u), *around = g_new0(uint32_t, surface->n_edges + 1u);
	surface->edge_share = g_new0(double, surface->n_edges + 1u);
	surface->vertex_share = g_new0(double, n + 1u);
	surface->chain_share = g_new0(double, n + 1u);
	for (uint32_t e = 0; e < surface->n_elements; e++) {
		const Element *element = &surface->element[e];
		for (int c = 0; c < element->corners; c++) {
			triangles[element->vertex[c]] += element->corners == 3;
			loose[element->vertex[c]] += element->corners == 2;
			if (element->corners == 3)
				around[element->edge[c]]++;
		}
	}
	for (uint32_t i = 0; i < surface->n_edges; i++) {
		if (around[i] < 2)
			continue;
		surface->edge_share[i] = (1.0 - around[i]) / around[i];
		sides[surface->edge[i].v[0]] += around[i] - 1;
		sides[surface->edge[i].v[1]] += around[i] - 1;
	}
	for (uint32_t v = 0; v < n; v++) {
		if (triangles[v] > 0)
			surface->vertex_share[v] = (1.0 - triangles[v] + sides[v]) / triangles[v];
		if (loose[v] > 0)
			surface->chain_share[v] = (1.0 - loose[v]) / loose[v];
	}
}

static void list_elements(Surface *surface, const World *world)
{
	surface->n_elements = world->triangle->len + world->edge->len + world->particle->len;
	surface->element = g_new0(Element, surface->n_elements + 1u);
	g_autofree uint8_t *owned = g_new0(uint8_t, world_vertex_count(world) + 1u);
	for (uint32_t e = 0; e < surface->n_elements; e++) {
		Element *element = &surface->element[e];
		const uint32_t *vertex;
		uint32_t i = e;
		if (i < world->triangle->len) {
			vertex = g_array_index(world->triangle, Triangle, i).v;
			element->corners = 3;
			element->triangle = i;
		} else if ((i -= world->triangle->len) < world->edge->len) {
			vertex = g_array_index(world->edge, Edge, i).v;
			element->corners = 2;
		} else {
			vertex = &g_array_index(world->particle, uint32_t, i - world->edge->len);
			element->corners = 1;
		}
		element->body = surface->vertex_body[vertex[0]];
		for (uint8_t c = 0; c < element->corners; c++) {
			element->vertex[c] = vertex[c];
			element->moves |= surface->inverse_mass[vertex[c]] > 0.0;
			if (!owned[vertex[c]])
				element->owns_vertex |= (uint8_t)(1u << c);
			owned[vertex[c]] = 1;
		}
	}
}

static void list_thicknesses(Surface *surface)
{
	const GPtrArray *bodies = surface->world->bodies;
	surface->half_thickness = g_new0(double, bodies->len + 1);
	for (uint32_t i = 0; i < bodies->len; i++)
		surface->half_thickness[i] = 0.5 * ((const Body *)bodies->pdata[i])->thickness;
}

void surface_leave_out(Surface *surface, const ContactRule *rule, const uint8_t *gone)
{
	const World *world = surface->world;
	uint32_t n = world->bodies->len;
	for (uint32_t a = 0; a < n; a++) {
		const Body *body = world->bodies->pdata[a];
		for (uint32_t b = 0; b < n; b++)
			surface->meets[a * n + b] = a != b || !(rule->no_self || body->no_self);
	}
	for (guint i = 0; rule->exclude && i < rule->exclude->len; i++) {
		BodyPair pair = g_array_index(rule->exclude, BodyPair, i);
		surface->meets[pair.a * n + pair.b] = surface->meets[pair.b * n + pair.a] = false;
	}
	for (uint32_t a = 0; gone != NULL && a < n; a++)
		for (uint32_t b = 0; gone[((const Body *)world->bodies->pdata[a])->first_vertex] && b < n; b++)
			surface->meets[a * n + b] = surface->meets[b * n + a] = false;
}

static ContactLaw law_of(const ContactRule *rule, const World *world, const Body *a, const Body *b)
{
	for (guint i = 0; rule->laws && i < rule->laws->len; i++) {
		const MaterialLaw *law = &g_array_index(rule->laws, MaterialLaw, i);
		const Material *p = world->materials->pdata[law->a], *q = world->materials->pdata[law->b];
		if ((a->material == p && b->material == q) || (a->material == q && b->material == p))
			return law->law;
	}
	return rule->law;
}

static void list_laws(Surface *surface, const ContactRule *rule)
{
	uint32_t n = surface->world->bodies->len;
	surface->law = g_new0(ContactLaw, (size_t)n * n + 1);
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < n; b++)
			surface->law[a * n + b] =
			    law_of(rule, surface->world, surface->world->bodies->pdata[a], surface->world->bodies->pdata[b]);
}

/* The number of the bin that a step falls into, in quarters of octaves. */
static int bin_number(double step)
{
	int exponent;
	double mantissa = frexp(step, &exponent);
	return 4 * exponent + (int)floor(mantissa * 8.0) - 4;
}

static double bin_step(int number)
{
	int quarter = number & 3;
	return ldexp(4.0 + quarter, (number - quarter) / 4 - 3);
}

static double step_of(const Surface *surface, double inverse_mass)
{
	return surface->step_scale / sqrt(inverse_mass);
}

static void range_bins(Surface *surface)
{
	double least = INFINITY, most = 0.0;
	for (uint32_t i = 0; i < world_vertex_count(surface->world); i++) {
		if (surface->inverse_mass[i] > 0.0)
			least = fmin(least, surface->inverse_mass[i]);
		most = fmax(most, surface->inverse_mass[i]);
	}
	if (most == 0.0)
		return;
	surface->least_bin = bin_number(step_of(surface, MOLLIFIER_STIFFNESS * 2.0 * most));
	surface->n_bins = (uint16_t)(bin_number(step_of(surface, least)) - surface->least_bin + 1);
}

static void count_elements(Surface *surface)
{
	surface->vertex_elements = g_new0(uint32_t, world_vertex_count(surface->world) + 1u);
	surface->edge_elements = g_new0(uint32_t, surface->n_edges + 1u);
	for (uint32_t e = 0; e < surface->n_elements; e++) {
		const Element *element = &surface->element[e];
		int sides = element->corners == 3 ? 3 : element->corners - 1;
		for (int c = 0; c < element->corners; c++)
			surface->vertex_elements[element->vertex[c]]++;
		for (int side = 0; side < sides; side++)
			surface->edge_elements[element->edge[side]]++;
	}
}

Surface *surface_new(const World *world, const ContactRule *rule, double step_scale)
{
	Surface *surface = g_new0(Surface, 1);
	surface->world = world;
	surface->step_scale = step_scale;
	list_vertices(surface, world);
	list_elements(surface, world);
	list_edges(surface, world);
	list_wings(surface);
	list_ground(surface);
	list_shares(surface);
	if (rule->valence_shares)
		count_elements(surface);
	list_thicknesses(surface);
	surface->meets = g_new0(bool, (size_t)world->bodies->len * world->bodies->len + 1);
	surface_leave_out(surface, rule, NULL);
	list_laws(surface, rule);
	range_bins(surface);
	return surface;
}

void surface_free(Surface *surface)
{
	if (surface == NULL)
		return;
	void *arrays[] = {surface->element, surface->edge, surface->vertex_body, surface->inverse_mass,
	    surface->half_thickness, surface->meets, surface->law, surface->edge_length2, surface->edge_wing,
	    surface->ground_begin, surface->ground_edge,
	    surface->edge_share, surface->vertex_share, surface->chain_share, surface->vertex_elements, surface->edge_elements};
	for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
		g_free(arrays[i]);
	g_free(surface);
}

double surface_bin_step(const Surface *surface, uint16_t bin)
{
	return bin_step(surface->least_bin + bin);
}

/* The vertices of a primitive, behind those that are there; returns how many. */
static int put_corners(const Surface *surface, int count, uint32_t primitive, uint32_t *vertex)
{
	switch (count) {
	case 3:
		memcpy(vertex, g_array_index(surface->world->triangle, Triangle, primitive).v, 3 * sizeof *vertex);
		break;
	case 2:
		memcpy(vertex, surface->edge[primitive].v, 2 * sizeof *vertex);
		break;
	default:
		vertex[0] = primitive;
	}
	return count;
}

bool surface_corners(const Surface *surface, const PrimitivePair *primitives, uint32_t *vertex)
{
	int first = distance_first[primitives->kind], corners = distance_corners[primitives->kind];
	put_corners(surface, first, primitives->first, vertex);
	put_corners(surface, corners - first, primitives->second, vertex + first);
	for (int a = 0; a < first; a++)
		for (int b = first; b < corners; b++)
			if (vertex[a] == vertex[b])
				return false;
	return true;
}

/* Folds act on the wings of an edge too, with at most half of the stiffness of the layer (fold.c). */
static double edge_inverse_mass(const Surface *surface, uint32_t edge)
{
	double most = largest_inverse_mass(surface, surface->edge[edge].v, 2);
	if (surface->edge_wing[edge][0] == SURFACE_NO_WING)
		return most;
	return fmax(most, 0.5 * largest_inverse_mass(surface, surface->edge_wing[edge], 2));
}

bool surface_pair(const Surface *surface, PairKind kind, uint32_t first, uint32_t second, ContactPair *pair)
{
	if ((kind == PAIR_EDGE_EDGE || kind == PAIR_VERTEX_VERTEX) && first > second) {
		uint32_t swap = first;
		first = second;
		second = swap;
	}
	int n_first = distance_first[kind], corners = distance_corners[kind];
	*pair = (ContactPair){.kind = (uint8_t)kind};
	bool share = !surface_corners(surface, &(PrimitivePair){kind, first, second}, pair->vertex);
	uint32_t a = surface->vertex_body[pair->vertex[0]], b = surface->vertex_body[pair->vertex[n_first]];
	if (!surface->meets[a * surface->world->bodies->len + b] || share)
		return false;
	double inverse_mass = largest_inverse_mass(surface, pair->vertex, n_first) +
	                      largest_inverse_mass(surface, pair->vertex + n_first, corners - n_first);
	if (inverse_mass == 0.0)
		return false;
	if (kind == PAIR_EDGE_EDGE) {
		pair->mollifier = MOLLIFIER_RANGE * surface->edge_length2[first] * surface->edge_length2[second];
		inverse_mass = MOLLIFIER_STIFFNESS * (edge_inverse_mass(surface, first) + edge_inverse_mass(surface, second));
	}
	pair->key = (uint64_t)kind << 2 * SURFACE_KEY_BITS | (uint64_t)first << SURFACE_KEY_BITS | second;
	pair->law = &surface->law[a * surface->world->bodies->len + b];
	pair->offset = surface->half_thickness[a] + surface->half_thickness[b];
	pair->bin = (uint16_t)(bin_number(step_of(surface, inverse_mass)) - surface->least_bin);
	return true;
}

/* The pairs of the vertices that `a` owns with element b as a whole. */
static int vertex_primitives(const Element *a, const Element *b, PrimitivePair *primitives)
{
	int n = 0;
	for (uint8_t c = 0; c < a->corners && b->corners > 1; c++)
		if (a->owns_vertex >> c & 1)
			primitives[n++] = b->corners == 3 ? (PrimitivePair){PAIR_VERTEX_TRIANGLE, a->vertex[c], b->triangle}
			                                  : (PrimitivePair){PAIR_VERTEX_EDGE, a->vertex[c], b->edge[0]};
	return n;
}

int surface_element_primitives(const Surface *surface, uint32_t first, uint32_t second, PrimitivePair *primitives)
{
	const Element *a = &surface->element[first], *b = &surface->element[second];
	int n = vertex_primitives(a, b, primitives);
	n += vertex_primitives(b, a, primitives + n);
	if (a->corners == 1 && b->corners == 1 && a->owns_vertex && b->owns_vertex)
		primitives[n++] = (PrimitivePair){PAIR_VERTEX_VERTEX, a->vertex[0], b->vertex[0]};
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			if (a->owns_edge >> i & 1 && b->owns_edge >> j & 1)
				primitives[n++] = (PrimitivePair){PAIR_EDGE_EDGE, a->edge[i], b->edge[j]};
	return n;
}

int surface_element_pairs(const Surface *surface, uint32_t first, uint32_t second, ContactPair *pairs)
{
	PrimitivePair primitives[SURFACE_MOST_PAIRS];
	int n = surface_element_primitives(surface, first, second, primitives), kept = 0;
	for (int i = 0; i < n; i++)
		kept += surface_pair(surface, primitives[i].kind, primitives[i].first, primitives[i].second, &pairs[kept]);
	return kept;
}

char *surface_name(const Surface *surface, const uint32_t *vertex, int n)
{
	static const char *const names[] = {"", "vertex", "edge", "triangle"};
	const Body *body = surface->world->bodies->pdata[surface->vertex_body[vertex[0]]];
	GString *text = g_string_new(names[n]);
	for (int i = 0; i < n; i++)
		g_string_append_printf(text, "%c%u", i ? '-' : ' ', vertex[i] - body->first_vertex);
	g_string_append_printf(text, " of %s", body->name);
	return g_string_free(text, FALSE);
}

char *surface_pair_name(const Surface *surface, const ContactPair *pair)
{
	int first = distance_first[pair->kind];
	g_autofree char *one = surface_name(surface, pair->vertex, first);
	g_autofree char *other = surface_name(surface, pair->vertex + first, distance_corners[pair->kind] - first);
	return g_strdup_printf("%s and %s", one, other);
}

static void add_pair(const Surface *surface, PairKind kind, uint32_t first, uint32_t second, GArray *pairs)
{
	ContactPair pair;
	if (surface_pair(surface, kind, first, second, &pair))
		g_array_append_val(pairs, pair);
}

static int compare_keys(const void *a, const void *b)
{
	const ContactPair *p = a, *q = b;
	return p->key < q->key ? -1 : p->key > q->key;
}

GArray *surface_all_pairs(const Surface *surface)
{
	const World *world = surface->world;
	GArray *pairs = g_array_new(FALSE, FALSE, sizeof(ContactPair));
	uint32_t n_sides = surface->n_edges, n = world_vertex_count(world);
	g_autofree uint8_t *in_mesh = g_new0(uint8_t, n + 1u);
	g_autofree uint8_t *loose = g_new0(uint8_t, surface->n_edges + 1u);
	for (uint32_t e = 0; e < surface->n_elements; e++) {
		const Element *element = &surface->element[e];
		for (int c = 0; c < element->corners && element->corners > 1; c++)
			in_mesh[element->vertex[c]] = 1;
		if (element->corners == 2)
			loose[element->edge[0]] = 1;
	}
	for (uint32_t v = 0; v < n; v++) {
		for (uint32_t t = 0; t < world->triangle->len; t++)
			add_pair(surface, PAIR_VERTEX_TRIANGLE, v, t, pairs);
		for (uint32_t e = 0; e < n_sides; e++)
			if (loose[e])
				add_pair(surface, PAIR_VERTEX_EDGE, v, e, pairs);
		for (uint32_t w = v + 1; w < n && !in_mesh[v]; w++)
			if (!in_mesh[w])
				add_pair(surface, PAIR_VERTEX_VERTEX, v, w, pairs);
	}
	for (uint32_t a = 0; a < n_sides; a++)
		for (uint32_t b = a + 1; b < n_sides; b++)
			add_pair(surface, PAIR_EDGE_EDGE, a, b, pairs);
	g_array_sort(pairs, compare_keys);
	return pairs;
}

#include "kds/facets.h"
#include <float.h>

/* Of the last digits: directions that prove a distance to within this are taken for its. */
#define PROVED 1e-9

/* A pair of features: corners of the facets, those of the first primitive first. The first primitive may be of the second
 * element. */
typedef struct {
	PairKind kind;
	int corner[PAIR_MOST_CORNERS];
	bool swapped;
} Feature;

static Feature vertex_feature(int from, int to, int to_corners, int index)
{
	PairKind kind = to_corners == 3 ? PAIR_VERTEX_TRIANGLE : to_corners == 2 ? PAIR_VERTEX_EDGE : PAIR_VERTEX_VERTEX;
	return (Feature){kind, {from + index, to, to + 1, to + 2}, from > to};
}

static int n_sides(int corners)
{
	return corners == 3 ? 3 : corners - 1;
}

/* Pair number `index` of elements with so many corners: vertices of the first, vertices of the second, edges; false behind
 * the last. */
static bool feature_at(int first, int second, int index, Feature *feature)
{
	if (index < first + second) {
		*feature = index < first ? vertex_feature(0, first, second, index) : vertex_feature(first, 0, first, index - first);
		return true;
	}
	index -= first + second;
	int sides = n_sides(second);
	if (index >= n_sides(first) * sides)
		return false;
	int i = index / sides, j = index % sides;
	*feature = (Feature){PAIR_EDGE_EDGE, {i, (i + 1) % first, first + j, first + (j + 1) % second}, false};
	return true;
}

static double measure(const Facets *facets, const Feature *feature, Vec3 *normal)
{
	Vec3 x[PAIR_MOST_CORNERS];
	for (int c = 0; c < distance_corners[feature->kind]; c++)
		x[c] = facets->x[feature->corner[c]];
	Closest closest = distance_closest(feature->kind, x);
	*normal = feature->swapped ? vec3_scale(-1.0, closest.normal) : closest.normal;
	return closest.distance;
}

/* The corners of both that come closest along a direction, and by how much they are apart. */
static double extremes(const Facets *facets, Vec3 normal, int *low, int *high)
{
	double least = INFINITY, most = -INFINITY;
	for (int c = 0; c < facets->corners; c++) {
		double height = vec3_dot(normal, vec3_sub(facets->x[c], facets->x[0]));
		if (c < facets->first && height < least) {
			least = height;
			*low = c;
		} else if (c >= facets->first && height > most) {
			most = height;
			*high = c;
		}
	}
	return least - most;
}

/* The feature not yet seen that has most of two corners; -1: all were seen. */
static int next_feature(const Facets *facets, uint32_t seen, int low, int high)
{
	int best = -1, most = -1;
	Feature feature;
	for (int i = 0; feature_at(facets->first, facets->corners - facets->first, i, &feature); i++) {
		int score = 0;
		if (seen >> i & 1)
			continue;
		for (int c = 0; c < distance_corners[feature.kind]; c++)
			score += feature.corner[c] == low || feature.corner[c] == high;
		if (score > most) {
			most = score;
			best = i;
		}
	}
	return best;
}

FacetsClosest facets_closest(const Facets *facets, int last)
{
	FacetsClosest closest = {.distance = INFINITY};
	uint32_t seen = 0;
	for (int i = last < 0 ? 0 : last; i >= 0;) {
		Feature feature;
		Vec3 normal;
		int low = 0, high = facets->first;
		if (!feature_at(facets->first, facets->corners - facets->first, i, &feature))
			break;
		double distance = measure(facets, &feature, &normal);
		seen |= UINT32_C(1) << i;
		closest.measured++;
		if (distance < closest.distance) {
			closest.distance = distance;
			closest.normal = normal;
			closest.feature = i;
		}
		if (last < 0)
			i++;
		else if (distance > 0.0 && extremes(facets, normal, &low, &high) >= distance * (1.0 - PROVED))
			break;
		else
			i = next_feature(facets, seen, low, high);
	}
	return closest;
}

static PrimitivePair vertex_primitives(const Element *a, const Element *b, int corner)
{
	if (b->corners == 3)
		return (PrimitivePair){PAIR_VERTEX_TRIANGLE, a->vertex[corner], b->triangle};
	if (b->corners == 2)
		return (PrimitivePair){PAIR_VERTEX_EDGE, a->vertex[corner], b->edge[0]};
	return (PrimitivePair){PAIR_VERTEX_VERTEX, a->vertex[corner], b->vertex[0]};
}

PrimitivePair facets_primitives(const Element *first, const Element *second, int index)
{
	Feature feature = {0};
	feature_at(first->corners, second->corners, index, &feature);
	int one = feature.corner[0], other = feature.corner[2] - first->corners;
	if (feature.kind == PAIR_EDGE_EDGE)
		return (PrimitivePair){PAIR_EDGE_EDGE, first->edge[one], second->edge[other]};
	return feature.swapped ? vertex_primitives(second, first, one - first->corners) : vertex_primitives(first, second, one);
}

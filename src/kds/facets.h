/* Two elements as a whole: their closest points, from one pair of features to the next (thesis §8.3).
 *
 * Disjoint convex elements are closest at one of a few pairs of features: a vertex and a triangle, two edges, and so on, 15 of
 * two triangles. The direction n between the closest points of any pair of features shows by itself whether they are those of the
 * elements: they are when all of the one is above all of the other, along n, by their distance. So a search that begins at the
 * pair that was closest the last time is mostly over at once. When it is not, it goes on, as Lin and Canny do, where the
 * corners are that stand out against n. */
#ifndef CINCH_KDS_FACETS_H
#define CINCH_KDS_FACETS_H

#include "contact/surface.h"

enum { FACETS_MOST_CORNERS = 6 };

typedef struct {
	int first, corners; /* of the one, and of both */
	Vec3 x[FACETS_MOST_CORNERS];
} Facets;

typedef struct {
	double distance;
	Vec3 normal;  /* unit vector from the second element to the first */
	int feature;  /* which pair of features, to begin with the next time */
	int measured; /* pairs of features that were looked at */
} FacetsClosest;

/* `last`: the feature to begin with; negative: all are looked at. */
FacetsClosest facets_closest(const Facets *facets, int last);

/* The primitives of a pair of features of two elements. */
PrimitivePair facets_primitives(const Element *first, const Element *second, int feature);

#endif

/* Which primitive pairs are to stay apart: of vertices, edges and triangles, as the mesh and the bodies say.
 *
 * Elements are triangles, loose edges and particles, counted through in this order. Every vertex and every edge has an
 * owner among the elements, so that each primitive pair belongs to one pair of elements. Left out are pairs that share a
 * vertex, pairs of bodies that need not stay apart, and pairs whose vertices are all held: nothing could keep them apart.
 *
 * Together the pairs say all: as long as none of them touches, no two elements come to intersect, and elements with common
 * vertices do not outside of these (docs/guarantees.md). */
#ifndef CINCH_VERIFY_PAIRS_H
#define CINCH_VERIFY_PAIRS_H

#include "verify/intersections.h"
#include "verify/sweep.h"

typedef struct {
	uint32_t n_vertices;
	IntersectionsInput mesh; /* without positions */
	uint32_t n_bodies;
	const uint32_t *body;    /* (vertices) */
	const uint8_t *held;     /* (vertices) whether it is; NULL: none */
	const uint8_t *meets;    /* (bodies * bodies) whether two must stay apart; NULL: all, and each of itself */
	const double *thickness; /* [length] (bodies); NULL: none */
} PairsInput;

typedef struct {
	uint8_t corners;     /* 3 triangle, 2 loose edge, 1 particle */
	uint8_t owns_vertex; /* bit c: corner c */
	uint8_t owns_side;   /* bit c: the side from corner c to the next */
	uint32_t vertex[3];
} PairsElement;

typedef struct {
	uint32_t n_vertices, n_elements, n_bodies;
	PairsElement *element;   /* (n_elements) */
	uint32_t *body;          /* (vertices) */
	uint8_t *held;           /* (vertices) */
	uint8_t *meets;          /* (bodies * bodies) */
	double *half_thickness;  /* [length] (bodies) */
	double largest_offset;   /* [length] of two bodies that meet */
	double typical_edge;     /* [length] mean over all sides, of the positions given to pairs_new(); 0: none */
	IntersectionsInput mesh; /* without positions; its arrays are the caller's, and must stay */
} Pairs;

typedef struct {
	SweepKind kind;
	uint32_t vertex[SWEEP_MOST_CORNERS];
	double offset; /* [length] by which their surfaces are ahead of them: half of the thickness of both bodies */
} PairsPrimitive;

Pairs *pairs_new(const PairsInput *input, const double (*x)[3]);
void pairs_free(Pairs *pairs);

/* A body that takes no part from now on. */
void pairs_remove_body(Pairs *pairs, uint32_t body);

/* The primitive pairs of two different elements. */
enum { PAIRS_MOST = 15 };
int pairs_of_elements(const Pairs *pairs, uint32_t a, uint32_t b, PairsPrimitive primitive[PAIRS_MOST]);

/* Elements that meet although they must not, exactly, at rest at x: GArray of Intersection. */
GArray *pairs_intersections(const Pairs *pairs, const double (*x)[3]);

#endif

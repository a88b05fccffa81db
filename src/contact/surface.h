/* Everything that can touch: elements, the primitives that they own, and the pairs that these form.
 *
 * Elements are triangles, loose edges and particles: the leaves of hierarchies. Every vertex and every edge has one owner
 * among the elements that it belongs to, so that every primitive pair belongs to just one pair of elements: no hash, no
 * double counting. Pairs are left out, once and for all, that share a vertex, that no force can move (both held), or
 * whose bodies the scene says do not meet. */
#ifndef CINCH_CONTACT_SURFACE_H
#define CINCH_CONTACT_SURFACE_H

#include "avi/flight.h"
#include "contact/distance.h"
#include "contact/rule.h"
#include "shells/world.h"

typedef struct {
	uint8_t corners;        /* 3 triangle, 2 loose edge, 1 particle */
	uint8_t owns_vertex;    /* bit c: corner c is owned */
	uint8_t owns_edge;      /* bit c: side c (from corner c to c + 1) is owned; bit 0 of a loose edge always */
	uint8_t moves;          /* whether any corner is not held */
	uint32_t body;
	uint32_t vertex[3];
	uint32_t edge[3];       /* indices of its sides in Surface.edge */
	uint32_t triangle;      /* index in the world; of triangles */
} Element;

enum { SURFACE_KEY_BITS = 31 }; /* for each primitive in a key */
#define SURFACE_NO_WING UINT32_MAX

/* All that is known of a primitive pair before the run. */
typedef struct {
	uint64_t key; /* kind, first primitive, second primitive: the order in which impulses are summed */
	uint32_t vertex[PAIR_MOST_CORNERS];
	uint16_t bin;     /* of the clocks of its layers */
	uint8_t kind;     /* PairKind */
	double offset;    /* [length] half of the thickness of both bodies: the gap is the distance less this */
	double mollifier; /* [length^4] scale of an edge-edge pair's weight; 0: the weight is 1 */
	const ContactLaw *law;
} ContactPair;

typedef struct {
	const World *world;
	uint32_t n_elements;
	Element *element;        /* (n_elements) triangles, then loose edges, then particles, in the world's order */
	uint32_t n_edges;
	Edge *edge;              /* (n_edges) sides of triangles, then loose edges; start < end in sides */
	uint32_t *vertex_body;   /* (vertices) */
	double *inverse_mass;    /* [1/mass] (vertices) 0: held */
	double *half_thickness;  /* [length] (bodies) */
	bool *meets;             /* (bodies * bodies) none of a body that is gone; see surface_leave_out() */
	ContactLaw *law;         /* (bodies * bodies) */
	double *edge_length2;    /* [length^2] (n_edges) at rest */
	uint32_t *ground_begin;  /* (vertices + 1) in ground_edge */
	uint32_t *ground_edge;   /* edges around each vertex that is held with all its neighbours and not at a rim: see fold.h */
	uint32_t (*edge_wing)[2]; /* (n_edges) the vertices across a side with two triangles; SURFACE_NO_WING for all others */

	/* How often features are counted in the potential of a vertex over a mesh, see penalty.h: what each triangle takes of
	 * its sides and vertices, and each loose edge of its ends. */
	double *edge_share;      /* (n_edges) -1/2 between two triangles, else 0 */
	double *vertex_share;    /* (vertices) 1 over the number of triangles around an inner vertex, 0 at a boundary */
	double *chain_share;     /* (vertices) (1 - n)/n at the end of n loose edges */

	/* Elements around each vertex and side; NULL: their pairs do not share forces, see penalty.h. */
	uint32_t *vertex_elements; /* (vertices) */
	uint32_t *edge_elements;   /* (n_edges) */

	/* Steps of layer 1, see surface_bin_step(). */
	int least_bin;    /* clock bin of bin 0, counted in quarters of octaves */
	uint16_t n_bins;
	double step_scale; /* [s sqrt(mass)] */
} Surface;

/* step_scale: the step of layer 1 of a pair is step_scale / sqrt(1/m_a + 1/m_b), rounded down to a bin, where m_a and m_b
 * are the least masses among the corners of its primitives: the worst case over all weights. */
Surface *surface_new(const World *world, const ContactRule *rule, double step_scale);
void surface_free(Surface *surface);

/* From now on bodies whose vertices are gone (by vertex; NULL: none) meet nothing, and the others meet again what the rule
 * says. Who knows pairs has to make them anew. */
void surface_leave_out(Surface *surface, const ContactRule *rule, const uint8_t *gone);

/* The step of layer 1 for the pairs of a bin [s]. */
double surface_bin_step(const Surface *surface, uint16_t bin);

/* The number of a pair's first primitive, a vertex or edge, and of its second: a triangle, edge or vertex. */
static inline uint32_t surface_first(const ContactPair *pair)
{
	return (uint32_t)(pair->key >> SURFACE_KEY_BITS & ((UINT64_C(1) << SURFACE_KEY_BITS) - 1));
}

static inline uint32_t surface_second(const ContactPair *pair)
{
	return (uint32_t)(pair->key & ((UINT64_C(1) << SURFACE_KEY_BITS) - 1));
}

/* The pair of two primitives, vertices, edges or triangles as `kind` says; false when it is left out. */
bool surface_pair(const Surface *surface, PairKind kind, uint32_t first, uint32_t second, ContactPair *pair);

/* Two primitives, vertices, edges or triangles as `kind` says. */
typedef struct {
	PairKind kind;
	uint32_t first, second;
} PrimitivePair;

/* The primitive pairs that two different elements own, at most SURFACE_MOST_PAIRS, also those that are left out. */
enum { SURFACE_MOST_PAIRS = 15 };
int surface_element_primitives(const Surface *surface, uint32_t a, uint32_t b, PrimitivePair *primitives);
/* Their vertices, those of the first before those of the second; false when they share one. */
bool surface_corners(const Surface *surface, const PrimitivePair *primitives, uint32_t *vertex);

/* The same as pairs, without those that are left out. */
int surface_element_pairs(const Surface *surface, uint32_t a, uint32_t b, ContactPair *pairs);

/* The primitive with these n vertices, all of one body, in words: "vertex 12 of cloth", "edge 3-4 of rope", with
 * vertices counted from the body's first. Free with g_free. */
char *surface_name(const Surface *surface, const uint32_t *vertex, int n);
/* "vertex 12 of cloth and edge 3-4 of rope", the two of a pair. Free with g_free. */
char *surface_pair_name(const Surface *surface, const ContactPair *pair);

/* Every pair that there is (GArray of ContactPair, in the order of keys), found by walking over primitives, not elements:
 * for brute force, and to check the owners. */
GArray *surface_all_pairs(const Surface *surface);

#endif

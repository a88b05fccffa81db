/* A tree of bounds over all elements for a window of time, in which every vertex stays within a radius of a straight line.
 *
 * A node has bounds along nine axes at the beginning and at the end of the window. Lines are straight, so at any time between
 * the two everything below the node is within the bounds that one gets by going from the ones to the others: two nodes that
 * an axis keeps apart at both ends it keeps apart all the time.
 *
 * Bounds are floats, rounded outwards, from an origin near the scene: a node is three cache lines. */
#ifndef CINCH_KDS_CHORD_H
#define CINCH_KDS_CHORD_H

#include "contact/surface.h"
#include "core/team.h"
#include <glib.h>

enum { CHORD_AXES = 9, CHORD_ROOM = 12 };

typedef struct {
	float low[2][CHORD_ROOM], high[2][CHORD_ROOM]; /* [length] at the window's beginning and end */
} ChordBound;

typedef struct {
	uint32_t parent;      /* HIERARCHY_NONE for the root */
	uint32_t left, right; /* children; a leaf has right = HIERARCHY_NONE and its element in left */
	uint32_t body;        /* of all its elements; HIERARCHY_NONE when they are of several */
	bool moves;           /* whether any of its vertices is not held */
} ChordNode;

/* The window that the bounds are for. */
typedef struct {
	const Flight *reference; /* (vertices) the straight lines */
	double begin, end;       /* [s] */
	double radius;           /* [length] around them */
} ChordWindow;

typedef struct {
	const Surface *surface;
	uint32_t n_nodes;
	ChordNode *node;      /* (n_nodes) a node comes before its children */
	ChordBound *bound;    /* (n_nodes) written by chord_fit() and chord_refit() */
	uint32_t *leaf;       /* (elements) */
	uint32_t *end;        /* (n_nodes) the nodes below i are i + 1 ... end[i] - 1 */
	Vec3 origin;
	Team team;            /* whether threads pay for chord_fit() */
} ChordTree;

/* From where the elements are at a time. */
ChordTree *chord_new(const Surface *surface, const Flight *flight, double time);
void chord_free(ChordTree *tree);
size_t chord_memory(const ChordTree *tree);

/* Bounds of all nodes; later, of the nodes above one element whose lines have changed: they only grow. */
void chord_fit(ChordTree *tree, const ChordWindow *window, unsigned threads);
void chord_refit(ChordTree *tree, const ChordWindow *window, uint32_t element);

/* Who looks for pairs, one for each thread. */
typedef void ChordVisitor(void *data, uint32_t first, uint32_t second);
typedef bool ChordExcuse(const void *data, uint32_t a, uint32_t b);
typedef struct {
	ChordVisitor *visit;
	ChordExcuse *excuse;
	void *data;     /* for both */
	uint64_t tests; /* of two nodes so far */
} ChordSearch;

/* Calls visit() once for every two elements that may come closer than `gap` in the window, each of them with radius and
 * half its thickness around it, unless `excuse` says of two nodes, or of one with itself, that what is below them stays apart
 * for another reason. That is the search in tasks, each by itself: of two nodes, or of one with itself. */
typedef struct {
	uint32_t a, b;
} ChordTask;

/* Appends at least about `n` tasks (ChordTask) that make up the whole search. */
void chord_tasks(const ChordTree *tree, double gap, uint32_t n, ChordSearch *search, GArray *tasks);
void chord_do(const ChordTree *tree, double gap, ChordTask task, ChordSearch *search);

/* The same for n elements of one body that are near each other, against all. The excuse is asked about all of them and a node;
 * its first number means nothing. */
void chord_query(const ChordTree *tree, const uint32_t *elements, uint32_t n, double gap, ChordSearch *search);

/* Whether the bounds above a vertex's elements hold its line: for tests. */
bool chord_holds(const ChordTree *tree, const ChordWindow *window, uint32_t element);

#endif

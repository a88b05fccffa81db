/* Charts: a sheet that is flat at rest cannot touch itself where it is hardly bent.
 *
 * Most pairs of elements that are near each other are neighbours in one sheet. A chart says of whole neighbourhoods, from how
 * the sheet is deformed there, that nothing in them comes near anything else in them.
 *
 * A body has a chart when it is made of triangles only, lies in a plane at rest, and fills a convex region of it, each point
 * once. Let X be a point of that region, x(X) where it is at some time: a map that is linear on each triangle, with the
 * gradient F (3 x 2). For two points P and Q the straight way from P to Q lies in the region and
 *
 *   x(Q) - x(P) = integral of F (Q - P)/|Q - P| along it.
 *
 * If every triangle that the way crosses has a gradient within e of one F0 (in the operator norm), then
 *
 *   |x(Q) - x(P)| >= |F0 (Q - P)| - e |Q - P| >= (s - e) |Q - P|,     s the least singular value of F0.
 *
 * This is about the references of a window (detector_tube.c). They move on straight lines, so F is linear in time, and a box
 * around the entries of F at the window's beginning and end holds them all the time. Its middle is F0, and the root of the
 * sum of squares of its half widths is an e. The boxes of all triangles are collected in cells of the chart, the cells
 * in a pyramid; a rectangle's box is that of the cells that cover it.
 *
 * Two primitives without a common vertex are at least the least height h of the triangles around them apart in the chart: a
 * vertex and what does not contain it are parted by the triangles around the vertex, which reach as far as their heights;
 * two edges that do not cross are closest at an end of one of them. They are as far apart as the rectangles around
 * them, too. So with D the larger of the two, what is in a rectangle stays apart by (s - e) D. */
#ifndef CINCH_KDS_CHART_H
#define CINCH_KDS_CHART_H

#include "kds/chord.h"

typedef struct Charts Charts;

/* Of all bodies that have one; NULL when none has. */
Charts *chart_new(const Surface *surface);
void chart_free(Charts *charts);
size_t chart_memory(const Charts *charts);

/* Whether a body has one. */
bool chart_has(const Charts *charts, uint32_t body);

/* Takes note of what is below each node of a tree. Anew for every tree. */
void chart_take(Charts *charts, const ChordTree *tree);

/* Takes note of how sheets are deformed in a window. ends: (vertices, 2) references at its beginning and end, each off by
 * at most `rounding`. */
void chart_fit(Charts *charts, const Vec3 (*ends)[2], double rounding, unsigned threads);

/* The same for one triangle, when the references of its vertices have changed: boxes only grow. What was said of pairs before
 * stays true of those whose own references are the same: it is about these, and the others were only what it was seen by. */
void chart_refit(Charts *charts, const Vec3 (*ends)[2], double rounding, uint32_t triangle);

/* Whether references keep all primitives below node a apart from all below b by more than `gap` in the window, where these have
 * no vertex in common. a and b may be the same node. */
bool chart_keeps_apart(const Charts *charts, uint32_t a, uint32_t b, double gap);

/* The same for some triangles and a node. */
typedef struct {
	uint32_t chart;       /* + 1; 0: none */
	float low[2], high[2]; /* [length] around them in the chart */
	float height;          /* [length] */
} ChartPatch;

ChartPatch chart_patch(const Charts *charts, const uint32_t *triangles, uint32_t n);
bool chart_keeps_patch_apart(const Charts *charts, const ChartPatch *patch, uint32_t node, double gap);

#endif

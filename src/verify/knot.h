/* Topology: how ribbons are linked with each other and with themselves, and that it stays so from frame to frame.
 *
 * A ribbon is a strip with two edges, or a line. Its centre line is a closed polygon that lies on the ribbon: what is only
 * between the edges, such as the means of their points, may pass through itself although no ribbon does, when that is rolled
 * up. An open ribbon is closed far away, by rays from its ends outward and an arc that joins them. What is followed:
 * - the linking number of two centre lines, and that of the two edges of one ribbon: integers that must not change;
 * - the writhe of a centre line. It changes smoothly while the line bends, and by 2 at once when the line passes through
 *   itself. */
#ifndef CINCH_VERIFY_KNOT_H
#define CINCH_VERIFY_KNOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The linking number of two closed polygons, as Gauss' integral gives it: an integer but for rounding, as long as
 * they do not touch. Right-handed crossings count as positive. */
double knot_linking(const double (*a)[3], size_t n, const double (*b)[3], size_t m);

/* The writhe of a closed polygon: its crossings with their signs, in the mean over all directions to look from. */
double knot_writhe(const double (*x)[3], size_t n);

/* How much the writhe changes while the vertices of a closed polygon go from x to y and nothing passes through, but for a
 * multiple of 2 that does not show in tangents: the area that these sweep on the sphere, over 2 pi (Fuller). INFINITY when a
 * tangent turns by a right angle or more, so that its way is not sure. */
double knot_swept(const double (*x)[3], const double (*y)[3], size_t n);

typedef struct {
	const char *name;
	bool closed;
	bool steady;            /* open, and its ends are held and do not turn */
	uint32_t n;             /* points along it: at least 2, closed 3 */
	const uint32_t *left;   /* (n) vertices of one edge */
	const uint32_t *right;  /* (n) of the other; NULL: a line without width */
	const uint32_t *middle; /* (n) of its centre line; NULL: the left edge stands for it */
} KnotRibbon;

/* What became of a ribbon. */
typedef struct {
	bool has_edges; /* that are closed or end where they are held, so that they have a linking number: */
	int edges;
	double first, last, least, most; /* writhe */
	uint64_t lost;  /* steps between frames, too long to follow the writhe */
} KnotState;

typedef struct Knot Knot;

/* The ribbons and their lists must stay. */
Knot *knot_new(const KnotRibbon *ribbon, uint32_t n, double time, const double (*x)[3]);
void knot_free(Knot *knot);

/* The next frame. False once something has changed that must not. Nothing happens at the time of the frame before. */
bool knot_follow(Knot *knot, double time, const double (*x)[3]);

/* A sentence without a full stop; NULL: nothing has changed. */
const char *knot_failure(const Knot *knot);
uint32_t knot_count(const Knot *knot);
uint64_t knot_frames(const Knot *knot);
const KnotRibbon *knot_ribbon(const Knot *knot, uint32_t i);
const KnotState *knot_state(const Knot *knot, uint32_t i);
int knot_between(const Knot *knot, uint32_t a, uint32_t b); /* linking number of two centre lines, a < b */

#endif

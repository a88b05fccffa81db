/* The potential of a layer, and its forces on a primitive pair.
 *
 * A vertex over a mesh is in range of several triangles at once. Their clamped distances have features in common: the
 * triangle beside the one below the vertex is as far away as the side between them. Summed up they would make ridges over
 * every side and vertex of a flat mesh. So features are counted once, by inclusion and exclusion: with phi the potential
 * of a distance, the sum over triangles of phi, less that over sides between two of them, plus that over inner vertices,
 *
 *   sum phi(d_triangle) - sum phi(d_side) + sum phi(d_vertex),
 *
 * is phi of the distance to the mesh where the nearest point is the only one that is nearest around it: flat over what is
 * flat, and smooth, since no term is ever switched. In general it is the sum of phi over the minima of the distance on the
 * mesh, less that over its saddles, which are farther: so it grows without bound as the distance goes to zero, and the
 * layers stay a barrier. Each triangle takes its share of its sides and vertices, so that all of it acts in one tick. A
 * vertex over a chain of loose edges is the same with one dimension less.
 *
 * Edge-edge pairs have the weight of distance_mollifier(), and that of fold_of() for each of the two edges: they count
 * where neither is flat ground, or parallel to the other.
 *
 * A primitive pair acts once, for the one pair of elements that owns it. In the thesis (§8.3) it acts in every pair of elements
 * that has it, k of them, with a force of 1/k: as many as there are elements around its vertex, or around its two edges. That is
 * the same but for rounding, and so another motion; with `valence_shares` it is done so, k parts being added up for each pair,
 * wherever it was found. */
#ifndef CINCH_CONTACT_PENALTY_H
#define CINCH_CONTACT_PENALTY_H

#include "contact/layers.h"
#include "contact/surface.h"

/* Corners of the pair, and the vertices across its edges. */
enum { PENALTY_MOST_VERTICES = PAIR_MOST_CORNERS + 4 };

typedef struct {
	int n;                                  /* vertices: the corners of the pair first */
	uint32_t vertex[PENALTY_MOST_VERTICES]; /* none twice among the corners; the others may be any */
	Vec3 force[PENALTY_MOST_VERTICES];
	double row[PAIR_MOST_CORNERS]; /* sums of shares times |weights|: of the rows of stiffness, over the layer's */
	Vec3 push;                     /* on the first primitive as a whole */
	double energy;
} Penalty;

typedef struct {
	const Surface *surface;
	const Layers *layers;
	const Flight *flight;
	double time;
} PenaltySite;

/* Of a pair in range with its corners at x, whose closest points are known. */
Penalty penalty_of(const PenaltySite *site, const ContactPair *pair, uint32_t layer, const Vec3 *x, const Closest *closest);

#endif

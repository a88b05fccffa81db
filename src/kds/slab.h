/* Separation slabs: a fixed direction along which one primitive stays above another by some distance.
 *
 * All vertices fly straight, so along the direction every vertex of the one and every vertex of the other have a gap that
 * is linear in time, and the least of these, over all of them, is a lower bound of the distance of the primitives: points
 * in between are means of the vertices. The certificate fails when the first of these gaps is used up. */
#ifndef CINCH_KDS_SLAB_H
#define CINCH_KDS_SLAB_H

#include "contact/surface.h"

/* The time at which the direction `normal` (unit, from the second primitive to the first) no longer shows that the gap of
 * the pair is at least `gap`; -INFINITY when it does not at `time`, INFINITY for never. */
double slab_failure(const ContactPair *pair, const Flight *flight, Vec3 normal, double gap, double time);

/* By how much the direction keeps the pair apart at a time, less its offset: not above the gap, rounding included. */
double slab_gap(const ContactPair *pair, const Flight *flight, Vec3 normal, double time);

#endif

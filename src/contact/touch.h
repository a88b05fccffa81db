/* For the files of contact: clocks of layers, and which pairs act as one. */
#ifndef CINCH_CONTACT_TOUCH_H
#define CINCH_CONTACT_TOUCH_H

#include "contact/contact.h"

static inline LayerClock *touch_clock(const Contact *contact, uint32_t layer, uint16_t bin)
{
	return &contact->clock[(size_t)(layer - 1) * contact->surface->n_bins + bin];
}

static inline void touch_corners(const Contact *contact, const ContactPair *pair, double time, Vec3 *x)
{
	for (int c = 0; c < distance_corners[pair->kind]; c++)
		x[c] = flight_position(&contact->flight[pair->vertex[c]], time);
}

static inline bool touch_is_over_surface(const ContactPair *pair)
{
	return pair->kind == PAIR_VERTEX_TRIANGLE || pair->kind == PAIR_VERTEX_EDGE;
}

static inline uint32_t touch_second_body(const Contact *contact, const ContactPair *pair)
{
	return contact->surface->vertex_body[pair->vertex[distance_first[pair->kind]]];
}

/* What acts as one contact at a tick: a vertex over the triangles of one body, or over its loose edges, which are one
 * surface however it is cut; or a pair by itself. In the order of keys its pairs follow each other. */
static inline bool touch_is_same(const Contact *contact, const ContactPair *a, const ContactPair *b)
{
	return touch_is_over_surface(b) && a->kind == b->kind && a->vertex[0] == b->vertex[0] &&
	       touch_second_body(contact, a) == touch_second_body(contact, b);
}

/* Of its memory. Bins tick apart, so they remember apart. */
static inline uint64_t touch_key(const Contact *contact, const ContactPair *pair)
{
	if (!touch_is_over_surface(pair))
		return pair->key;
	uint64_t last = (uint64_t)touch_second_body(contact, pair) * contact->surface->n_bins + pair->bin;
	return (pair->key >> SURFACE_KEY_BITS << SURFACE_KEY_BITS) | (last & ((UINT64_C(1) << SURFACE_KEY_BITS) - 1));
}

#endif

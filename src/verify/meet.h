/* Whether points, segments and triangles meet, decided from signs alone.
 *
 * Elements are closed: touching is meeting. They are lists of corners (1: a point, 2: a segment, 3: a triangle),
 * numbers that only the source of the signs understands; a corner that is in both lists is a shared vertex, and
 * elements with shared vertices meet only when they have a point in common outside of the face that these vertices
 * span. Segments without length and triangles without area are what they are: points and segments.
 *
 * When the signs are exact, so is the answer. The signs may be those of points at rest (exact.c) or at a moment of
 * their motion that no number describes (sweep.c). */
#ifndef CINCH_VERIFY_MEET_H
#define CINCH_VERIFY_MEET_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
	void *source;
	/* The sign of (b - a) x (c - a) . (d - a). */
	int (*orient3)(void *source, uint32_t a, uint32_t b, uint32_t c, uint32_t d);
	/* The sign of the component along `axis` of (b - a) x (c - a). */
	int (*orient2)(void *source, int axis, uint32_t a, uint32_t b, uint32_t c);
	/* The sign of the component along `axis` of a - b. */
	int (*compare)(void *source, int axis, uint32_t a, uint32_t b);
} MeetSigns;

bool meet_elements(const MeetSigns *signs, const uint32_t *a, int n_a, const uint32_t *b, int n_b);

#endif

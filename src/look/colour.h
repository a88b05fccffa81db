/* Colours of bodies, and of numbers. */
#ifndef CINCH_LOOK_COLOUR_H
#define CINCH_LOOK_COLOUR_H

#include "io/selection.h"
#include "look/image.h"

/* 0xRRGGBB */
Colour colour_of_bytes(uint32_t bytes);
Colour colour_mix(Colour a, Colour b, float share);

/* The i-th of those for bodies that move, and the one of bodies that are held as a whole. */
uint32_t colour_body(size_t i);
uint32_t colour_held(void);
/* Whether no vertex of the b-th body of a selection is free. */
bool colour_is_held(const Selection *selection, size_t b);
/* The colour of each body of a selection, in 0xRRGGBB (n_bodies); free with g_free. */
uint32_t *colour_bodies(const Selection *selection);

/* From light to dark over a share from 0 to 1; evenly so for the eye, also for those who see no red or no green. */
Colour colour_scale(float share);
enum { COLOUR_STOPS = 9 };
extern const uint32_t colour_stops[COLOUR_STOPS]; /* of that scale, at even distances; linear in bytes between */

#endif

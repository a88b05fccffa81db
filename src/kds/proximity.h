/* All primitive pairs of a state that are closer than some distance, found once, from nothing. */
#ifndef CINCH_KDS_PROXIMITY_H
#define CINCH_KDS_PROXIMITY_H

#include "contact/surface.h"

typedef struct {
	ContactPair pair;
	double gap; /* [length] distance less thickness; zero or below: overlapping */
} Proximity;

/* GArray of Proximity with gap < below, in the order of keys, for the flight plans at a time. */
GArray *proximity_find(const Surface *surface, const Flight *flight, double time, double below);

#endif

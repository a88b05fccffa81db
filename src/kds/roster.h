/* Who is awake in a layer of a bin: pairs in the order of their keys, as a tick needs them.
 *
 * Pairs that wake are appended; they are sorted in, and those that have gone to sleep are dropped, only when the list is asked
 * for, and only when there has been any of that. Between, a list is handed out as it is. */
#ifndef CINCH_KDS_ROSTER_H
#define CINCH_KDS_ROSTER_H

#include "contact/surface.h"

/* A pair with the layers that are awake for it: what a detector's own pairs begin with. */
typedef struct {
	ContactPair pair;
	uint32_t awake; /* layers 1 ... awake are */
} RosterPair;

typedef struct {
	uint32_t layer;
	bool stale;          /* someone listed sleeps */
	size_t n, n_sorted, capacity;
	const ContactPair **pair; /* (n) each the beginning of a RosterPair; the first n_sorted by key */
	const ContactPair **merged; /* (capacity) */
} Roster;

void roster_init(Roster *roster, uint32_t layer);
void roster_clear(Roster *roster);
void roster_free(Roster *roster);

/* A pair whose `awake` has just come to the layer, or gone below it. */
void roster_add(Roster *roster, const RosterPair *pair);
static inline void roster_drop(Roster *roster)
{
	roster->stale = true;
}

/* All pairs awake in the layer, by key; valid until the next call. */
size_t roster_list(Roster *roster, const ContactPair *const **pairs);

/* In the order of keys. */
void roster_sort(const ContactPair **pairs, size_t n);

#endif

/* Conservative advancement: whether a pair stays apart for a whole interval of time, not for samples of it. For tests and
 * validation: slow. */
#ifndef CINCH_KDS_ADVANCE_H
#define CINCH_KDS_ADVANCE_H

#include "contact/surface.h"

/* The gap of a pair at a time. */
double advance_gap(const ContactPair *pair, const Flight *flight, double time);

/* Whether the gap stays at `least` or more from `time` to `until` on these flight plans. */
bool advance_stays_apart(const ContactPair *pair, const Flight *flight, double least, double time, double until);

#endif

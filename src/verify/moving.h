/* All pairs of moving boxes that may come near each other: a tree of boxes that move along with what they hold.
 *
 * A box has places for the begin and the end of a window of time, and stands for everything that is between its sides while
 * these go straight from the one place to the other. Two boxes are apart when, along some axis, one is ahead of the other by
 * more than the distance at both ends: for the way between their sides is a linear function of time, and is no less in
 * between. So what moves together does not come near because it moves far. */
#ifndef CINCH_VERIFY_MOVING_H
#define CINCH_VERIFY_MOVING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
	double low[2][3], high[2][3]; /* [length] at the begin and at the end */
} MovingBox;

typedef struct Moving Moving;

Moving *moving_new(uint32_t n);
void moving_free(Moving *moving);

/* Calls visit(a, b) for every two of the n boxes that are not apart by `distance`, a < b, once, in an order that depends on the
 * boxes alone, now and in the calls before. Returns how much there was to do: boxes compared. A distance of INFINITY visits
 * all pairs. */
typedef void MovingVisit(uint32_t a, uint32_t b, void *data);
uint64_t moving_visit(Moving *moving, const MovingBox *box, double distance, MovingVisit *visit, void *data);

#endif

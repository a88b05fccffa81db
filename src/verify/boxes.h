/* All pairs of boxes that overlap: a tree of boxes, made anew each time, and joined with itself. */
#ifndef CINCH_VERIFY_BOXES_H
#define CINCH_VERIFY_BOXES_H

#include <stdint.h>

typedef struct {
	double least[3], most[3];
} Box;

/* Calls visit(a, b) for every two of n boxes that overlap or touch, once, in an order that depends on nothing else. */
typedef void BoxesVisit(uint32_t a, uint32_t b, void *data);
void boxes_visit_overlaps(const Box *box, uint32_t n, BoxesVisit *visit, void *data);

#endif

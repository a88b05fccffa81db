/* A filter in floating point: two elements that are certainly apart, all the way of a linear motion. */
#ifndef CINCH_VERIFY_SEPARATE_H
#define CINCH_VERIFY_SEPARATE_H

#include <stdbool.h>

enum { SEPARATE_MOST_CORNERS = 6 };

/* Corners 0 ... n_first - 1 are those of the first element (1, 2 or 3), the rest up to n those of the second; they move
 * from x0 to x1. True: the elements do not meet, at any time. False: not known. The time is halved at most `depth`
 * times. */
bool separate_apart(int n_first, int n, const double (*x0)[3], const double (*x1)[3], int depth);

#endif

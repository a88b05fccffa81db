/* How many doubles the kernels take at a time: for those who lay out data for them (core/lanes.h). */
#ifndef CINCH_CORE_LANES_COUNT_H
#define CINCH_CORE_LANES_COUNT_H

enum { LANES = 8 };

#endif

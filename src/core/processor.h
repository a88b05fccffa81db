/* What the processor can do: which of the builds of a kernel to take (core/lanes.h). They all give the same bits. */
#ifndef CINCH_CORE_PROCESSOR_H
#define CINCH_CORE_PROCESSOR_H

typedef enum {
	PROCESSOR_PLAIN, /* what every processor of its kind has */
	PROCESSOR_AVX2,
	PROCESSOR_AVX512
} Processor;

/* The best that this one has, but not above the limit. */
Processor processor_level(void);

/* For tests: that all levels give the same bits. */
void processor_limit(Processor level);

#endif

#include "core/processor.h"

/* -1: not looked at yet. Threads that look at the same time find the same. */
static int found = -1;
static Processor limit = PROCESSOR_AVX512;

static Processor look(void)
{
#if defined __x86_64__
	if (__builtin_cpu_supports("avx512f"))
		return PROCESSOR_AVX512;
	if (__builtin_cpu_supports("avx2"))
		return PROCESSOR_AVX2;
#endif
	return PROCESSOR_PLAIN;
}

Processor processor_level(void)
{
	if (found < 0)
		found = (int)look();
	return (Processor)found < limit ? (Processor)found : limit;
}

void processor_limit(Processor level)
{
	limit = level;
}

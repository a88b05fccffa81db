#include "core/processor.h"
#include <stdatomic.h>

/* -1: not looked at yet. Threads that look at the same time find the same. */
static _Atomic int found = -1;
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
	int level = atomic_load_explicit(&found, memory_order_relaxed);
	if (level < 0) {
		level = (int)look();
		atomic_store_explicit(&found, level, memory_order_relaxed);
	}
	return (Processor)level < limit ? (Processor)level : limit;
}

void processor_limit(Processor level)
{
	limit = level;
}

#include "shells/kernel.h"
#include "core/processor.h"

#define KERNEL_BUILDS(name) \
	Kernel name##_plain, name##_avx2, name##_avx512;

/* On processors of another kind there is only the plain build. */
#if defined __x86_64__
#define KERNEL(name) \
	KERNEL_BUILDS(name) \
	void name(KernelBatch *batch) \
	{ \
		static Kernel *const builds[] = { \
		    [PROCESSOR_PLAIN] = name##_plain, [PROCESSOR_AVX2] = name##_avx2, [PROCESSOR_AVX512] = name##_avx512}; \
		builds[processor_level()](batch); \
	}
#else
#define KERNEL(name) \
	KERNEL_BUILDS(name) \
	void name(KernelBatch *batch) \
	{ \
		name##_plain(batch); \
	}
#endif

KERNEL(kernel_spring)
KERNEL(kernel_stvk)
KERNEL(kernel_hinge)

/* Forces of many elements at once: what field.c gives to a force that has a kernel, and what the kernel is.
 *
 * A kernel does for every element what the class's act() does, force and loss added up, to the last bit; act() stays as
 * its reference. Elements come in blocks of LANES, of which the last may be filled up with elements that do not count:
 * their corners are all the row behind the last vertex, where nobody looks. A block's forces are added to their vertices
 * corner by corner, for each corner in the order of the elements. */
#ifndef CINCH_SHELLS_KERNEL_H
#define CINCH_SHELLS_KERNEL_H

#include "core/lanes_count.h"
#include <stdint.h>

typedef struct {
	uint32_t n_elements;
	const uint16_t *corner;  /* (blocks, corners, LANES) rows of x and force */
	const double *parameter; /* (blocks, parameters, LANES) */
	double *measure, *pull;  /* (n_elements, measures) as in ForceInput; NULL: no losses */
	const double *x;         /* [length] (vertices + 1, 4) */
	double *force;           /* [force] (vertices + 1, 4) added to */
	double since;            /* [s] as in ForceInput */
	double work[LANES];         /* [energy] of the losses, by place in the block; added to */
} KernelBatch;

typedef void Kernel(KernelBatch *batch);

Kernel kernel_spring, kernel_stvk, kernel_hinge;

#endif

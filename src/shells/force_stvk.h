/* Constant-strain triangles of St. Venant-Kirchhoff material in plane stress. */
#ifndef CINCH_SHELLS_FORCE_STVK_H
#define CINCH_SHELLS_FORCE_STVK_H

#include "shells/force.h"

typedef struct {
	double membrane;   /* [force/length] Young's modulus times thickness */
	double poisson;    /* ratio */
	double relaxation; /* [s] */
	double max_strain; /* up to which the step has to be stable */
} StvkMaterial;

/* From the rest positions of the three corners. */
void force_stvk_parameters(double *parameter, const StvkMaterial *material, const Vec3 rest[3]);

#endif

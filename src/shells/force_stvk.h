/* Constant-strain triangles of St. Venant-Kirchhoff material in plane stress. */
#ifndef CINCH_SHELLS_FORCE_STVK_H
#define CINCH_SHELLS_FORCE_STVK_H

#include "shells/force.h"

enum {
	FORCE_STVK_D11,
	FORCE_STVK_D12,
	FORCE_STVK_D21,
	FORCE_STVK_D22,
	FORCE_STVK_LAMBDA,
	FORCE_STVK_MU,
	FORCE_STVK_RELAXATION,
	FORCE_STVK_HARDENING,
	FORCE_STVK_N
};

typedef struct {
	double membrane;   /* [force/length] Young's modulus times thickness */
	double poisson;    /* ratio */
	double relaxation; /* [s] */
	double max_strain; /* up to which the step has to be stable */
} StvkMaterial;

/* From the rest positions of the three corners. */
void force_stvk_parameters(double *parameter, const StvkMaterial *material, const Vec3 rest[3]);

#endif

/* Discrete Shells bending at the hinge between two triangles (Grinspun et al. 2003). */
#ifndef CINCH_SHELLS_FORCE_HINGE_H
#define CINCH_SHELLS_FORCE_HINGE_H

#include "shells/force.h"

enum {
	FORCE_HINGE_STIFFNESS,
	FORCE_HINGE_REST_ANGLE,
	FORCE_HINGE_RELAXATION,
	FORCE_HINGE_SCALE_1, /* [1/length^4] of the two triangles: the square of twice the area, times this, is q */
	FORCE_HINGE_SCALE_2,
	FORCE_HINGE_N
};

/* [rad^2] What hinges of a collapsed triangle hold, over their stiffness. */
#define FORCE_HINGE_COLLAPSE 2.0

/* The bend_stiffness [energy] of a sheet whose strips have this flexural rigidity E t^3/12 [energy] per width. */
double force_hinge_stiffness(double rigidity);

/* `bend_stiffness` [energy]; rest: positions of (edge start, edge end, opposite corner left, right) in which the two
 * triangles are (0, 1, 2) and (1, 0, 3). */
void force_hinge_parameters(double *parameter, double bend_stiffness, double relaxation, const Vec3 rest[4]);

#endif

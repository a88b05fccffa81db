/* Edge springs: E = k/2 (l - L)^2, the stretching model of the thesis. */
#ifndef CINCH_SHELLS_FORCE_SPRING_H
#define CINCH_SHELLS_FORCE_SPRING_H

#include "shells/force.h"

enum { FORCE_SPRING_STIFFNESS, FORCE_SPRING_LENGTH, FORCE_SPRING_RELAXATION, FORCE_SPRING_N };

/* stiffness [force/length], rest length, relaxation [s] */
void force_spring_parameters(double *parameter, double stiffness, double rest_length, double relaxation);

#endif

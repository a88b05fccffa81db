/* Forces on single vertices: gravity, mass damping, loads. */
#ifndef CINCH_SHELLS_FORCE_BODY_H
#define CINCH_SHELLS_FORCE_BODY_H

#include "shells/force.h"

/* A constant force vector: a vertex's weight, or its share of a load. */
void force_body_vector(double *parameter, Vec3 force);
/* Drag -rate * mass * v. */
void force_body_damping(double *parameter, double rate, double mass);

#endif

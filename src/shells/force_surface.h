/* Forces on triangles from what surrounds them: pressure and wind. */
#ifndef CINCH_SHELLS_FORCE_SURFACE_H
#define CINCH_SHELLS_FORCE_SURFACE_H

#include "shells/force.h"

/* pressure [force/area] along the normal (0, 1, 2). */
void force_surface_pressure(double *parameter, double pressure);

/* Air of this density [mass/volume] moving with velocity `wind` against a triangle of this mass: the normal component
 * of the relative velocity pushes with `drag`, the tangential one with `friction` (coefficients as of a flat plate). */
void force_surface_wind(double *parameter, double air_density, double drag, double friction, double mass, Vec3 wind);

#endif

#include "shells/force.h"
#include <stddef.h>

const ForceClass *const force_classes[] = {
    &force_spring,
    &force_stvk,
    &force_hinge,
    &force_gravity,
    &force_mass_damping,
    &force_load,
    &force_pressure,
    &force_wind,
    NULL,
};

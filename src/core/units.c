#include "core/units.h"

const UnitSystem units_si = {
    .name = "si",
    .length = "m",
    .mass = "kg",
    .time = "s",
    .force = "N",
    .energy = "J",
    .momentum = "kg m/s",
    .angular_momentum = "kg m^2/s",
    .gravity = 9.80665,
};

const UnitSystem units_cgs = {
    .name = "cgs",
    .length = "cm",
    .mass = "g",
    .time = "s",
    .force = "dyn",
    .energy = "erg",
    .momentum = "g cm/s",
    .angular_momentum = "g cm^2/s",
    .gravity = 980.665,
};

/* Systems of units: the scene says which one its numbers are in, and every output carries it. */
#ifndef CINCH_CORE_UNITS_H
#define CINCH_CORE_UNITS_H

typedef struct {
	const char *name;
	const char *length, *mass, *time;
	const char *force, *energy, *momentum, *angular_momentum;
	double gravity; /* [length/s^2] standard gravity */
} UnitSystem;

extern const UnitSystem units_si, units_cgs;

#endif

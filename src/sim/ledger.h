/* The energy ledger: what is stored, what went in and out, and momentum, at one instant. */
#ifndef CINCH_SIM_LEDGER_H
#define CINCH_SIM_LEDGER_H

#include "sim/simulation.h"

typedef enum {
	LEDGER_TIME,
	LEDGER_KINETIC,
	LEDGER_STRETCHING,
	LEDGER_BENDING,
	LEDGER_GRAVITATIONAL,
	LEDGER_CONTACT,
	LEDGER_TOTAL,
	LEDGER_WORK_LOADS,
	LEDGER_WORK_WIND,
	LEDGER_WORK_SCRIPTS,
	LEDGER_LOST_STRETCH_DAMPING,
	LEDGER_LOST_BEND_DAMPING,
	LEDGER_LOST_MASS_DAMPING,
	LEDGER_LOST_RESTITUTION,
	LEDGER_LOST_FRICTION,
	LEDGER_REMOVED,
	LEDGER_BALANCE,
	LEDGER_MOMENTUM,                                 /* three columns */
	LEDGER_ANGULAR_MOMENTUM = LEDGER_MOMENTUM + 3,   /* three columns, about the origin */
	LEDGER_IMPULSE = LEDGER_ANGULAR_MOMENTUM + 3,    /* three columns: what the momentum has come from since the start */
	LEDGER_ANGULAR_IMPULSE = LEDGER_IMPULSE + 3,     /* three columns */
	LEDGER_N = LEDGER_ANGULAR_IMPULSE + 3
} LedgerColumn;

/* The name of a column, and its unit in a system of units. */
const char *ledger_name(int column);
const char *ledger_unit(int column, const UnitSystem *units);
/* The column of that name, or -1. */
int ledger_find(const char *name);

/* One row. Velocities are brought to `time` first (clock_lag()), so that energies are of second order in the steps,
 * however the clocks stand at that instant. Reads only. */
void ledger_compute(const Simulation *simulation, double time, double row[LEDGER_N]);

/* A body has been taken away at `time`; `before` is the row from before that. Its energy and momentum go into the account,
 * as does what its forces have done since their last ticks, which will not come. */
void ledger_settle_removal(Simulation *simulation, double time, const double before[LEDGER_N]);

#endif

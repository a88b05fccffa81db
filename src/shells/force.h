/* What a force is: one file that fills in a ForceClass, and one line in the table of force.c.
 *
 * A force acts on elements, each with a stencil of one to four vertices and a few parameters. It splits into a part that
 * has a potential (`energy`, whose negative gradient is `force`) and a part that has none (damping, loads), whose work
 * the ledger counts as it is done. */
#ifndef CINCH_SHELLS_FORCE_H
#define CINCH_SHELLS_FORCE_H

#include "core/vec.h"
#include "shells/kernel.h"
#include <stdbool.h>
#include <stddef.h>

enum { FORCE_MOST_CORNERS = 4, FORCE_MOST_PARAMETERS = 8, FORCE_MOST_MEASURES = 3 };

/* The ledger's entries for energies that are stored ... */
typedef enum {
	STORE_NONE,
	STORE_STRETCH,
	STORE_BEND,
	STORE_GRAVITY,
	STORE_N
} ForceStore;

/* ... and for work that has gone in or out. */
typedef enum {
	WORK_LOADS,
	WORK_WIND,
	WORK_STRETCH_DAMPING,
	WORK_BEND_DAMPING,
	WORK_MASS_DAMPING,
	WORK_SCRIPTS,
	WORK_RESTITUTION,
	WORK_FRICTION,
	WORK_REMOVAL, /* what bodies had that were taken away */
	WORK_N
} ForceWork;

/* What an element is given at a tick. */
typedef struct {
	const double *parameter; /* of this element (n_parameters) */
	const Vec3 *x;           /* [length] (corners) positions at the tick */
	const Vec3 *v;           /* [length/s] (corners) velocities before it; only when the field needs them */
	double step;             /* [s] the time that the tick stands for */
	double scale;            /* the load's factor at this time; 1 elsewhere */

	/* What damping measures (a length, an angle, strains) and what resisted it, at the element's last tick, `since` [s] ago;
	 * act() replaces them by those of now, and takes the rate from the difference. A velocity would not do: at a tick it has
	 * had its share of some forces but not yet of others, and would stand for a time that is off by half a step; and a
	 * straight flight stretches what only turns. NULL where there are none: the rate then comes from v, and nothing is
	 * counted. */
	double *measure, *pull;
	double since;
	bool by_velocity; /* the rate comes from v in any case, */
	bool only_looks;  /* and nothing is stored */
	double *work;     /* [energy] added to: what resistance has done since the last tick; NULL: not counted */
} ForceInput;

/* By how much a measure has changed since the last tick, and how fast. */
typedef struct {
	double change, rate;
} ForceChange;

static inline ForceChange force_change(const ForceInput *input, int i, double now, double from_velocity)
{
	if (input->measure == NULL)
		return (ForceChange){0.0, from_velocity};
	double change = now - input->measure[i];
	return (ForceChange){change, input->by_velocity ? from_velocity : change / input->since};
}

/* Counts the work of what resists a measure, by the trapezoidal rule from tick to tick, and remembers both. */
static inline void force_resist(const ForceInput *input, int i, double now, double pull, double change)
{
	if (input->measure == NULL)
		return;
	if (input->work != NULL)
		*input->work -= 0.5 * (input->pull[i] + pull) * change;
	if (input->only_looks)
		return;
	input->measure[i] = now;
	input->pull[i] = pull;
}

typedef struct {
	const char *name; /* "stretch (springs)" */
	int corners;      /* vertices per element */
	int n_parameters; /* doubles per element */
	int n_measures;   /* what damping remembers from tick to tick, per element; 0: nothing */
	ForceStore store; /* where energy() is counted */
	ForceWork work;   /* where the work of the loss is counted */
	bool external;    /* gives momentum from outside: gravity, loads, drag */

	/* Potential energy; NULL for a force without potential. */
	double (*energy)(const ForceInput *input);
	/* Minus its gradient, written to force[corners] (not touched by a force without potential), and the force without
	 * potential, damping or load, written to loss[corners] unless that is NULL (which says that nobody needs it). */
	void (*act)(const ForceInput *input, Vec3 *force, Vec3 *loss);
	/* The same for many elements at once, force and loss together; NULL: there is none. See kernel.h. */
	Kernel *kernel;
	/* A bound of the stiffness felt at each corner: row[a] >= sum over b of |d2E/dx_a dx_b| in the rest state (x).
	 * NULL for forces that need no stable step of their own. */
	void (*stiffness)(const ForceInput *input, double *row);
	/* The relaxation time of the element's damping [s] (viscous force = relaxation * d(force)/dt); NULL for a force that
	 * is not of this kind. An element of relaxation zero has no loss. */
	double (*relaxation)(const double *parameter);
} ForceClass;

extern const ForceClass force_spring, force_stvk, force_hinge, force_gravity, force_mass_damping, force_load,
    force_pressure, force_wind;

/* Every force, NULL-terminated. */
extern const ForceClass *const force_classes[];

#endif

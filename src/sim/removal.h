/* Bodies that a script takes away. From that time on a body is in no pair of contact, its elements do nothing, its vertices
 * stay where they are, and frames no longer show it. Its energy and momentum leave the ledger with it. */
#ifndef CINCH_SIM_REMOVAL_H
#define CINCH_SIM_REMOVAL_H

#include "sim/simulation.h"

/* What the scene says; nothing is gone. */
void removal_plan(Simulation *simulation);
/* Puts into the queue what is still to go. */
void removal_schedule(Simulation *simulation);

bool removal_is_gone(const Simulation *simulation, guint body);

/* In place of what is gone now: the times (by body) at which those went that are gone; INFINITY for the others. What
 * should have gone before `time` goes then. Contact has to be started afterwards. */
void removal_restore(Simulation *simulation, const double *removed, double time);

#endif

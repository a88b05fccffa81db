/* Checkpoints: the state of a run under way as a file beside its archive, from which `cinch resume` goes on. */
#ifndef CINCH_SIM_CHECKPOINT_H
#define CINCH_SIM_CHECKPOINT_H

#include "sim/state.h"

/* The checkpoint beside an archive: "run.h5.checkpoint" (g_free). */
char *checkpoint_name(const char *archive);

/* Says where checkpoints go, and writes one at each multiple of `every` [s] that the simulation passes from now on;
 * with `every` 0 only checkpoint_write() does. With `keep` each of these stays, as path.1, path.2, ... by its multiple.
 */
void checkpoint_begin(Simulation *simulation, const char *path, double every, bool keep);

/* Puts the next one into the queue, if there is one. */
void checkpoint_schedule(Simulation *simulation);

/* Writes one of the current time. */
bool checkpoint_write(const Simulation *simulation, GError **error);

/* After contact has reached its limit: the event that found it has acted, others of the same instant have not, so there
 * is no whole state. Goes back to `before`, a state that was whole, and from there to the last time before the limit;
 * writes that, or `before` where even this stops early. Whichever it is, its time is the simulation's. */
bool checkpoint_write_before_limit(Simulation *simulation, const State *before, GError **error);

#endif

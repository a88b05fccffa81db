/* Checkpoints: the state of a run under way as a file beside its archive, from which `cinch resume` goes on. */
#ifndef CINCH_SIM_CHECKPOINT_H
#define CINCH_SIM_CHECKPOINT_H

#include "sim/state.h"

/* The checkpoint beside an archive: "run.h5.checkpoint" (g_free). */
char *checkpoint_name(const char *archive);

/* The one before it, which stays: "run.h5.checkpoint.previous" (g_free). */
char *checkpoint_previous(const char *checkpoint);

/* Removes both: they belong to nothing when the archive is replaced by a new run. */
void checkpoint_remove(const char *archive);

/* Says where checkpoints go, and writes one at each multiple of `every` [s] that the simulation passes from now on;
 * with `every` 0 only checkpoint_write() does. The last `keep` of these stay, as path.1, path.2, ... by their multiple. */
void checkpoint_begin(Simulation *simulation, const char *path, double every, uint64_t keep);

/* Puts the next one into the queue, if there is one. */
void checkpoint_schedule(Simulation *simulation);

/* A state as a checkpoint. At every instant there is a good one at `path`, the old or the new, when there was one. */
bool checkpoint_save(const State *state, const char *path, GError **error);

/* Writes one of the current time, after the archive is safe on the disk. */
bool checkpoint_write(const Simulation *simulation, GError **error);

/* After contact has reached its limit: the event that found it has acted, others of the same instant have not, so there
 * is no whole state. Goes back to `before`, a state that was whole, and from there to the last time before the limit;
 * writes that, or `before` where even this stops early. Whichever it is, its time is the simulation's. */
bool checkpoint_write_before_limit(Simulation *simulation, const State *before, GError **error);

#endif

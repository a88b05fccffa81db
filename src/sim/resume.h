/* Going on from a checkpoint: the scene from the archive, the state from the file beside it, the frames so far from the
 * archive. */
#ifndef CINCH_SIM_RESUME_H
#define CINCH_SIM_RESUME_H

#include "sim/state.h"

typedef struct {
	const char *checkpoint;       /* NULL: the one beside the archive */
	const char *const *overrides; /* NULL or empty: the same run; else a branch of it */
	double until;                 /* [s] NAN: the end that the run was given, or that the overrides give */
} ResumeOptions;

/* The scene of an archive, with further overrides or NULL. */
Scene *resume_scene(const Archive *archive, const char *const *overrides, GError **error);

/* The simulation of an archive at the time of its checkpoint. */
Simulation *resume_load(const char *path, Archive *archive, const ResumeOptions *options, GError **error);

/* Records it to `path`, with the frames of the archive, which is at `from`, up to now; the two may be the same. */
bool resume_record(
    Simulation *simulation, const char *path, const char *from, Archive *archive, bool branch, GError **error);

#endif

/* Going on from a checkpoint: the scene from the archive, the state from the file beside it, the frames so far from the
 * archive. Where no file is named, it is the newest that is whole and fits; when there is none, the run begins anew, which
 * gives the same bits, only later. */
#ifndef CINCH_SIM_RESUME_H
#define CINCH_SIM_RESUME_H

#include "sim/settle.h"
#include "sim/state.h"

typedef struct {
	const char *checkpoint;       /* NULL: the one beside the archive */
	const char *const *overrides; /* NULL or empty: the same run; else a branch of it */
	double until;                 /* [s] NAN: the end that the run was given, or that the overrides give */
	SettleWatch watch;            /* looks on when it settles: where it begins anew */
} ResumeOptions;

/* The scene of an archive, with further overrides or NULL. */
Scene *resume_scene(const Archive *archive, const char *const *overrides, GError **error);

/* What became of it. */
typedef struct {
	char *checkpoint; /* that it goes on from; NULL: from the start */
	char *passed_over; /* a sentence about newer ones that could not be used; NULL: none */
} ResumeSource;

void resume_source_clear(ResumeSource *source);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ResumeSource, resume_source_clear)

/* The simulation of an archive at the time of its checkpoint. */
Simulation *resume_load(const char *path, Archive *archive, const ResumeOptions *options, ResumeSource *source, GError **error);

/* Records it to `path`, with the frames of the archive, which is at `from`, up to now; the two may be the same. Leaves a
 * checkpoint of now beside it. */
bool resume_record(Simulation *simulation, const char *path, const char *from, Archive *archive, const ResumeSource *source,
    const ResumeOptions *options, GError **error);

#endif

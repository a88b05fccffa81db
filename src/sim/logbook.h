/* Writes a log of a motion (io/motion.h): what is moving, every commit, and now and then where everything is. */
#ifndef CINCH_SIM_LOGBOOK_H
#define CINCH_SIM_LOGBOOK_H

#include "sim/proof.h"

typedef struct Logbook Logbook;

/* From a time on at which all vertices are at `place`. `reach`: see CheckerVerdict. */
Logbook *logbook_new(const Scene *scene, const ProofSubject *subject, double time, double reach, const double (*place)[3],
    const char *path, GError **error);

void logbook_commit(Logbook *logbook, uint32_t vertex, double time, const double x[3]);
/* Whether the block has become long enough; logbook_keyframe() ends it with the places of all vertices. */
bool logbook_is_due(const Logbook *logbook);
bool logbook_keyframe(Logbook *logbook, double time, const double (*place)[3], GError **error);
/* A body takes no part from now on: right after a keyframe. */
bool logbook_remove(Logbook *logbook, double time, uint32_t body, GError **error);

/* Closes the log and frees it. What came after the last keyframe is not in it. `complete`: it goes as far as it was to. */
bool logbook_finish(Logbook *logbook, bool complete, GError **error);

#endif

/* A witness of a run: sees every commit of every vertex, and has the motion judged while it goes on (verify/checker.h), or keeps a
 * log of it (logbook.h), or both.
 *
 * What a witness tells the judge is what it reads off the flight plans after each event; it stores nothing there, so the
 * motion is the same with a witness and without. */
#ifndef CINCH_SIM_WITNESS_H
#define CINCH_SIM_WITNESS_H

#include "sim/simulation.h"
#include "verify/checker.h"
#include <json-glib/json-glib.h>

typedef struct Witness Witness;

/* Watches from now on, at the simulation's time. Free it before the simulation. `judge`: whether the motion is judged; without,
 * there is no verdict to ask for. */
Witness *witness_new(Simulation *simulation, bool judge);
void witness_free(Witness *witness);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Witness, witness_free)

/* An event has given these vertices new flight plans, or some of them; called by the simulation. */
bool witness_event(Witness *witness, double time, const uint32_t *vertex, size_t n, GError **error);

/* A body is taken away at `time`, after all that moves at that time: it takes no part any longer. */
bool witness_removal(Witness *witness, double time, uint32_t body, GError **error);

/* Looks at a frame, three numbers per vertex: whether the ribbons that the scene names are linked as before. */
bool witness_frame(Witness *witness, double time, const double *position, GError **error);

/* A log from now on, and its end. `whole`: the simulation is where its last event left it, so that the log can go as far as that;
 * else it ends with its last keyframe. `complete`: it goes as far as it was to. */
bool witness_begin_log(Witness *witness, const char *path, GError **error);
bool witness_end_log(Witness *witness, bool whole, bool complete, GError **error);

/* Tests a frame at rest: exactly. */
bool witness_test_at_rest(Witness *witness, double time, const double *position, GError **error);

/* Whether the motion is judged. */
bool witness_judges(const Witness *witness);
/* Whether nothing has been found, and the linking of ribbons stays. */
bool witness_passes(const Witness *witness);
/* Whether what was found can be written as evidence. */
bool witness_has_evidence(const Witness *witness);

/* Judges what has not been judged, up to the simulation's time. */
bool witness_finish(Witness *witness, GError **error);

const CheckerVerdict *witness_verdict(const Witness *witness);

/* Of every commit up to witness_finish(), in hexadecimal; empty before that. See verify/fingerprint.h. */
const char *witness_fingerprint(const Witness *witness);

/* Writes the two primitives or elements that a violation is about, where they are at that time, as an OBJ file. */
bool witness_write_evidence(const Witness *witness, const char *path, GError **error);

/* The member "proof" of a summary. */
void witness_put_proof(const Witness *witness, JsonBuilder *builder);

#endif

/* A witness of a run: sees every commit of every vertex, and has the motion judged while it goes on (verify/checker.h).
 *
 * What a witness tells the judge is what it reads off the flight plans after each event; it stores nothing there, so the
 * motion is the same with a witness and without. */
#ifndef CINCH_SIM_WITNESS_H
#define CINCH_SIM_WITNESS_H

#include "sim/simulation.h"
#include "verify/checker.h"
#include <json-glib/json-glib.h>

typedef struct Witness Witness;

/* Watches from now on, at the simulation's time. Free it before the simulation. */
Witness *witness_new(Simulation *simulation);
void witness_free(Witness *witness);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Witness, witness_free)

/* An event has given these vertices new flight plans, or some of them; called by the simulation. */
bool witness_event(Witness *witness, double time, const uint32_t *vertex, size_t n, GError **error);

/* A body is taken away at `time`, after all that moves at that time: it takes no part any longer. */
bool witness_removal(Witness *witness, double time, uint32_t body, GError **error);

/* Looks at a frame, three numbers per vertex: whether the ribbons that the scene names are linked as before. */
bool witness_frame(Witness *witness, double time, const double *position, GError **error);

/* Tests a frame at rest: exactly. */
bool witness_test_at_rest(Witness *witness, double time, const double *position, GError **error);

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

/* What a proof is about and how it is told: who has to stay apart, the names of things, the sentence about a violation, the
 * verdict as JSON. */
#ifndef CINCH_SIM_PROOF_H
#define CINCH_SIM_PROOF_H

#include "scene/scene.h"
#include "verify/checker.h"
#include "verify/knot.h"
#include <json-glib/json-glib.h>

typedef struct {
	PairsInput input;
	uint32_t *body;        /* (vertices) */
	uint8_t *held;         /* (vertices) */
	uint8_t *meets;        /* (bodies * bodies) */
	double *thickness;     /* [length] (bodies) */
	char **name;           /* (bodies), then NULL */
	uint32_t *first;       /* (bodies) its first vertex */
	const char *length;    /* the unit */
	GPtrArray *excluded;   /* char *: "a and b (both are held)": pairs of bodies that are not looked at */
} ProofSubject;

/* The scene must stay. */
ProofSubject *proof_subject_of_scene(const Scene *scene);
/* A body that is gone before the proof begins. */
void proof_remove_body(ProofSubject *subject, uint32_t body);
void proof_subject_free(ProofSubject *subject);

/* "vertex 3 of cloth", free with g_free. */
char *proof_name(const ProofSubject *subject, const uint32_t *vertex, int n);
/* What was found, in a sentence without a full stop; free with g_free. */
char *proof_sentence(const ProofSubject *subject, const CheckerFinding *finding);
bool proof_write_evidence(
    const ProofSubject *subject, const CheckerFinding *finding, const char *path, GError **error);

/* Members of an object: what was judged, its counts, what was excluded, and what was found. */
void proof_put_verdict(const ProofSubject *subject, const CheckerVerdict *verdict, JsonBuilder *builder);
/* The member "topology". */
void proof_put_topology(const Knot *knot, JsonBuilder *builder);

/* SHA-256 in hexadecimal, of the scene (scene_identity()) and of the program that runs. Free with g_free. */
char *proof_scene_hash(const Scene *scene);
char *proof_program_hash(void);

#endif

/* The judgement of a motion that was not simulated here: of a log of commits, or of frames of whatever program. */
#ifndef CINCH_SIM_JUDGEMENT_H
#define CINCH_SIM_JUDGEMENT_H

#include "sim/proof.h"

typedef struct {
	ProofSubject *subject; /* what it is about; NULL: that could not be read */
	Checker *checker;      /* NULL: neither could the motion */
	char *failure;         /* a sentence; NULL: PASS */
	uint32_t (*triangle)[3], (*edge)[2], *particle; /* of the mesh */

	/* Of a log: */
	bool is_log, complete;
	uint64_t n_blocks;
	char *scene, *scene_sha256, *program_sha256, *fingerprint;

	/* Of frames: */
	size_t n_frames, n_intersecting; /* in which elements intersect */
	GPtrArray *frame;                /* char *: their names */
} Judgement;

/* NULL for what cannot be read. A log that was cut or changed has a failure. */
Judgement *judgement_of_log(const char *path, unsigned threads, GError **error);
/* All OBJ and PLY files in a folder, in the order of the numbers in their names. */
Judgement *judgement_of_frames(const char *folder, unsigned threads, GError **error);
void judgement_free(Judgement *judgement);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Judgement, judgement_free)

/* Whether there are two elements to show, and them as an OBJ file. */
bool judgement_has_evidence(const Judgement *judgement);
bool judgement_write_evidence(const Judgement *judgement, const char *path, GError **error);

/* Members of an object. */
void judgement_put(const Judgement *judgement, JsonBuilder *builder);

#endif

/* The verification of an archive: is it what its scene gives, and did nothing touch on the way?
 *
 * The scene is simulated again. Every frame must come out bit for bit, the whole motion in between is judged (witness.h),
 * every frame as it is stored is tested exactly, the ledger must close, and a verdict that is in the archive must be about
 * this very motion. So the proof needs no record of the motion: the scene is the record. */
#ifndef CINCH_SIM_VERIFICATION_H
#define CINCH_SIM_VERIFICATION_H

#include "io/archive.h"
#include "sim/witness.h"

typedef struct {
	const char *checkpoint; /* to begin from; NULL: the start */
	unsigned threads;       /* 0: all processors */
	void (*progress)(double time, void *data); /* may be NULL */
	void *data;
} VerificationOptions;

typedef struct {
	Simulation *simulation; /* with its witness, at the end of what was verified */
	Witness *witness;
	char *failure;          /* a sentence; NULL: PASS */
	double from, to;        /* [s] */
	size_t n_frames;        /* that were compared and tested */
	double balance;         /* the largest, as a part of what the energies have changed by */
	bool was_proved;        /* the archive has a verdict of the same time, which was compared */
	bool same_program;      /* it was made by this very program */
	bool complete;          /* the run came to its end */
} Verification;

/* NULL when it could not be done: a file that cannot be read, a scene that does not load. */
Verification *verification_of_archive(const char *path, const VerificationOptions *options, GError **error);
void verification_free(Verification *verification);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Verification, verification_free)

#endif

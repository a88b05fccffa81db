/* Detectors that are broken on purpose: each must be found out, by validation and by a motion that is not that of brute force.
 * A test has the sources of a detector in it, with a few calls going through functions that it can break. */
#ifndef CINCH_TESTS_SUPPORT_MUTANTS_H
#define CINCH_TESTS_SUPPORT_MUTANTS_H

#include "support/contact_scenes.h"
#include "support/scenes.h"

enum { MUTANTS_CHECKS = 25, MUTANTS_NONE = 0 };

/* What is broken now; MUTANTS_NONE: nothing. */
static int mutants_broken;

/* Runs a scene with validation at random times; returns the first complaint, or NULL. *hash takes the final state. */
static char *mutants_run(const ContactScene *scene, const char *keys, bool validated, char **hash)
{
	g_autofree char *json = contact_scene_text(scene, keys);
	Simulation *simulation = scenes_load(json);
	Detector *detector = simulation->contact->detector;
	uint64_t seed = 7;
	char *wrong = NULL;
	g_autoptr(GError) error = NULL;
	for (int i = 0; i < MUTANTS_CHECKS && wrong == NULL; i++) {
		double time = scene->end * (i + scenes_random(&seed, 0.0, 1.0)) / MUTANTS_CHECKS;
		if (!simulation_advance(simulation, time, &error))
			wrong = g_strdup(error->message);
		else if (validated)
			wrong = detector->class->validate(detector, time);
	}
	size_t n = world_vertex_count(simulation->scene->world);
	*hash = g_compute_checksum_for_data(
	    G_CHECKSUM_SHA256, (const guchar *)simulation->flight, n * sizeof *simulation->flight);
	simulation_free(simulation);
	return wrong;
}

/* Honest certificates never lie: at random times of runs in which much touches, validation finds nothing. */
static inline void mutants_check_honest_with(const char *keys)
{
	for (size_t i = 0; i < G_N_ELEMENTS(contact_scenes); i++) {
		g_autofree char *hash = NULL, *wrong = mutants_run(&contact_scenes[i], keys, true, &hash);
		cr_assert_null(wrong, "%s, %s: %s", contact_scenes[i].name, keys, wrong);
	}
}

static inline void mutants_check_honest(const char *detect)
{
	g_autofree char *keys = g_strdup_printf("'detect': '%s'", detect);
	mutants_check_honest_with(keys);
}

/* Free flight, where one certificate has to last for long: in a box of many walls that stand straight, where that is up to
 * the bounds; and in one of few walls that stand askew, so that their bounds hold all of it and it is up to the slabs. */
#define FREE_FLIGHT(walls) \
	"{'units': 'si', 'gravity': [0, 0, 0], 'time': {'end': 10}, 'materials': {'m': {'particle_mass': 0.01, 'density': 1}}," \
	" 'meshes': [{'name': 'p', 'generate': 'particles', 'size': [2, 2, 2], 'count': [3, 3, 3], 'jitter': 0.8," \
	"   'material': 'm', 'velocity': [1, 0.5, -0.7]}," \
	"  {'name': 'q', 'generate': 'particles', 'size': [2, 2, 2], 'count': [3, 3, 3], 'jitter': 0.8, 'seed': 5," \
	"   'material': 'm', 'velocity': [-1.2, -0.4, 0.9]}," \
	"  {'name': 'box', 'generate': 'box', 'material': 'm', 'pinned': true, " walls "}]," \
	" 'contact': {'eta1': 0.02"
static const ContactScene mutants_straight = {
    "particles in a straight box", 2.0, FREE_FLIGHT("'size': [3, 3, 3], 'cells': [3, 3, 3]")};
static const ContactScene mutants_askew = {"particles in a box askew", 2.0,
    FREE_FLIGHT("'size': [4, 4, 4], 'cells': [1, 1, 1], 'rotate': [{'axis': [1, 2, 3], 'angle': 25}]")};

/* By what it must be caught. */
typedef enum {
	MUTANTS_BY_VALIDATION = 1,
	MUTANTS_BY_MOTION = 2,
	MUTANTS_BY_BOTH = 3
} MutantsCatch;

static inline void mutants_check_caught_with(const char *keys, int which, MutantsCatch by, const char *name)
{
	const ContactScene *scenes[] = {&mutants_straight, &mutants_askew, &contact_scenes[4], &contact_scenes[3]};
	int by_validation = 0, by_motion = 0;
	for (size_t i = 0; i < G_N_ELEMENTS(scenes); i++) {
		g_autofree char *true_hash = NULL, *hash = NULL, *ignored = NULL;
		mutants_broken = MUTANTS_NONE;
		g_autofree char *fault = mutants_run(scenes[i], "'detect': 'brute'", false, &true_hash);
		cr_assert_null(fault, "%s", fault);
		mutants_broken = which;
		g_autofree char *wrong = mutants_run(scenes[i], keys, true, &hash);
		by_validation += wrong != NULL;
		g_free(hash);
		ignored = mutants_run(scenes[i], keys, false, &hash);
		by_motion += ignored != NULL || strcmp(hash, true_hash) != 0;
	}
	cr_log_info("%s: caught by validation in %d and by the motion in %d of %zu scenes", name, by_validation, by_motion,
	    G_N_ELEMENTS(scenes));
	if (which == MUTANTS_NONE)
		cr_assert(by_validation == 0 && by_motion == 0, "honest certificates are accused");
	else
		cr_assert((by_validation > 0 || !(by & MUTANTS_BY_VALIDATION)) && (by_motion > 0 || !(by & MUTANTS_BY_MOTION)),
		    "%s: not caught", name);
}

/* By validation; and, where `moves`, by the motion too. */
static inline void mutants_check_caught(const char *detect, int which, bool moves, const char *name)
{
	g_autofree char *keys = g_strdup_printf("'detect': '%s'", detect);
	mutants_check_caught_with(keys, which, moves ? MUTANTS_BY_BOTH : MUTANTS_BY_VALIDATION, name);
}

#endif

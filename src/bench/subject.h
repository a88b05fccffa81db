/* What is measured: a scene, and the state of it from which all rows of a table set out. */
#ifndef CINCH_BENCH_SUBJECT_H
#define CINCH_BENCH_SUBJECT_H

#include "sim/state.h"

typedef struct {
	char *name;      /* for headings and messages */
	char *path;      /* of the scene's file; NULL: it is `text` */
	char *text;
	char **overrides; /* of the scene */
	double at;       /* [s] of the state */
	State *state;    /* made by subject_state() when it is first asked for */
	double seconds;  /* of processors that making it took */
	char *cache;     /* file that keeps the state; NULL: none */
} Subject;

/* A file; one of the scenes in the program (scenes.gresource.xml), "overhand"; a text. `overrides`: NULL or
 * NULL-terminated. */
Subject *subject_of_file(const char *path, const char *const *overrides, double at);
Subject *subject_of_scene(const char *scene, const char *const *overrides, double at);
Subject *subject_of_text(const char *name, const char *text, double at);
void subject_free(Subject *subject);

/* The scene with more overrides, at time zero. Refuses one without contact. */
Simulation *subject_load(const Subject *subject, const char *const *more, GError **error);

/* Simulated with the scene's own way of finding contact, by one thread; or taken from the cache. The subject's. */
const State *subject_state(Subject *subject, GError **error);

/* Seconds of all processors that this process has taken. */
double subject_processor_seconds(void);

#endif

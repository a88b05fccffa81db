/* cinch.h: simulate cloth and thin shells on an asynchronous clock, from C.
 *
 *     GError *error = NULL;
 *     CinchSimulation *simulation = cinch_load("scene.json", NULL, &error);
 *     if (simulation && cinch_advance(simulation, 1.0, &error))
 *             ...
 *     cinch_free(simulation);
 *
 * Every function that can fail takes a GError ** (which may be NULL) and returns NULL or false when it fails. The
 * domain is CINCH_ERROR; the message is one sentence that names the file and the key or element. A simulation is used
 * by one thread at a time; inside, it uses as many threads as cinch_set_threads() allows, with the same result for any
 * number of them. */
#ifndef CINCH_H
#define CINCH_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CINCH_API __attribute__((visibility("default")))

#define CINCH_ERROR (cinch_error_quark())
CINCH_API GQuark cinch_error_quark(void);

typedef enum {
	CINCH_ERROR_FAILED, /* the work could not be done: disk full, file not writable, motion not finite */
	CINCH_ERROR_INPUT,  /* the scene or the call is wrong */
	CINCH_ERROR_LIMIT,  /* stopped at the limit of the resolution of time */
	CINCH_ERROR_PROOF   /* what was to be proved is not true: something touches, or a record is not what it says */
} CinchError;

typedef struct CinchSimulation CinchSimulation;

/* The version of the library, such as "0.1.0". */
CINCH_API const char *cinch_version(void);

/* Loads a scene file. `overrides` is NULL or a NULL-terminated list of "path.to.key=value". A scene with a settling phase is
 * simulated through it, which may take long. */
CINCH_API CinchSimulation *cinch_load(const char *path, const char *const *overrides, GError **error);

/* Frees a simulation; an archive that is still being written is finished first. NULL is allowed. */
CINCH_API void cinch_free(CinchSimulation *simulation);

/* Threads used inside one event; 0 means all processors. The motion does not depend on it. */
CINCH_API void cinch_set_threads(CinchSimulation *simulation, unsigned threads);

/* Advances the motion to `time` [s]: acts on every event up to and including that instant. */
CINCH_API bool cinch_advance(CinchSimulation *simulation, double time, GError **error);

/* The time that the simulation has reached, and the end that the scene asks for [s]. */
CINCH_API double cinch_time(const CinchSimulation *simulation);
CINCH_API double cinch_end_time(const CinchSimulation *simulation);

CINCH_API size_t cinch_vertex_count(const CinchSimulation *simulation);
CINCH_API size_t cinch_triangle_count(const CinchSimulation *simulation);

/* Three vertex indices for each triangle; owned by the simulation, constant. */
CINCH_API const uint32_t *cinch_triangles(const CinchSimulation *simulation);

/* Positions or velocities of all vertices at the current time, three doubles each, written to `out`, which has room
 * for 3 * cinch_vertex_count() doubles. Reading does not disturb the motion. */
CINCH_API void cinch_positions(const CinchSimulation *simulation, double *out);
CINCH_API void cinch_velocities(const CinchSimulation *simulation, double *out);

/* The range of vertices of a body by its name; false when there is none of that name. */
CINCH_API bool cinch_body(const CinchSimulation *simulation, const char *name, size_t *first, size_t *count);

/* One entry of the energy ledger at the current time, by the name of its column ("kinetic", "total", ...; see
 * docs/archive-format.md). NaN when there is no such column. */
CINCH_API double cinch_ledger(const CinchSimulation *simulation, const char *column);

/* Saves to an archive from now on: the current state at once, then the state at each further frame time of the scene
 * that cinch_advance() passes. cinch_finish() closes the archive, so that it can be read by anything. */
CINCH_API bool cinch_record(CinchSimulation *simulation, const char *archive_path, GError **error);
CINCH_API bool cinch_finish(CinchSimulation *simulation, GError **error);

/* Saves all that the further motion depends on to a file, replaced in one step; and puts such a state in the place of the
 * present one, forward or back in time. The simulation must be of the same scene with the same overrides; from there it
 * goes on with the same bits as the one that was saved. After cinch_advance() has failed there is nothing to save, but an
 * earlier state can be restored. Not while an archive is being written. */
CINCH_API bool cinch_save_state(const CinchSimulation *simulation, const char *path, GError **error);
CINCH_API bool cinch_restore_state(CinchSimulation *simulation, const char *path, GError **error);

#ifdef __cplusplus
}
#endif

#endif

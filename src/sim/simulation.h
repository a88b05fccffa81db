/* A simulation: a scene under way. Owns the flight plans, the forces on their clocks, the loop and the archive that is
 * being written. What the motion depends on is listed in docs/architecture.md ("State"). */
#ifndef CINCH_SIM_SIMULATION_H
#define CINCH_SIM_SIMULATION_H

#include "avi/avi.h"
#include "contact/contact.h"
#include "io/archive.h"
#include "scene/scene.h"

/* What a force event refers to by its id. */
typedef struct {
	Field *field;
	uint32_t group;
} ForceEvent;

typedef struct CinchSimulation Simulation;

struct CinchSimulation {
	Scene *scene;
	Avi *avi;
	Flight *flight;          /* (vertices of the world) */
	GPtrArray *fields;       /* Field */
	GArray *force_events;    /* ForceEvent, by id of the event: fields in order, groups from slow to fast */
	double *removal;         /* [s] (bodies) when it is taken away, or was; INFINITY: never; see removal.h */
	uint8_t *gone;           /* (vertices) 1: of a body that was taken away; written by removal.c */
	Contact *contact;        /* NULL: bodies pass through each other */
	Account account;         /* since time zero */
	uint8_t identity[SCENE_IDENTITY]; /* of the scene */
	double initial_total;    /* [energy] total of the ledger at time zero */
	unsigned threads;

	uint64_t rebuild_random; /* says when detection is made anew next */

	ArchiveWriter *archive; /* being written; NULL when none */
	uint64_t next_frame;    /* its number */
	double wall_seconds;    /* spent in simulation_advance() */
	double advance_began;   /* [s] of stopwatch_seconds(), while it is under way; else 0 */

	char *lineage; /* see lineage.h; NULL: from the start */

	char *checkpoint_path;  /* see checkpoint.h; NULL: there are none */
	Clock checkpoint_clock; /* step 0: only when asked for */
	uint64_t checkpoint_keep; /* how many of those by simulated time stay beside it */

	struct Settled *settled; /* what came before time zero, see settle.h; NULL: nothing, or it was in another program's run */
	struct Witness *witness; /* told of every commit, see witness.h; NULL: nobody. The caller's */
};

struct SettleWatch;

/* Each takes the scene. The first lets it settle where it says so, which may take long; `watch` (settle.h) looks on, NULL: nobody.
 * The second does not: it is for whoever puts a state into it, or only wants to know what there is. */
Simulation *simulation_new_watched(Scene *scene, const struct SettleWatch *watch, GError **error);
Simulation *simulation_new_as_built(Scene *scene, GError **error);
Simulation *simulation_new(Scene *scene, GError **error); /* with nobody looking on */
void simulation_free(Simulation *simulation);
bool simulation_advance(Simulation *simulation, double time, GError **error);

/* Puts into an empty queue what the clocks, the archive and the options say comes next; contact adds its own. */
void simulation_schedule(Simulation *simulation);
/* The first frame of the archive after the current time. */
void simulation_schedule_frame(Simulation *simulation);

/* A line to `file`, which stays the caller's, for where the simulation stands, and one for every event from now on. Does
 * not touch the motion. */
void simulation_trace(Simulation *simulation, FILE *file);

/* One frame at the current time into the archive. */
bool simulation_write_frame(Simulation *simulation, double time, GError **error);
/* See cinch_record() and cinch_finish(). */
bool simulation_record(Simulation *simulation, const char *path, GError **error);
/* Goes on with the first frames of an earlier archive, which are those up to the current time. */
bool simulation_record_after(
    Simulation *simulation, const char *path, Archive *earlier, size_t n_frames, GError **error);
bool simulation_finish(Simulation *simulation, GError **error);

/* Counts and times as JSON text (for the archive); free with g_free. */
char *simulation_summary(const Simulation *simulation);

/* The smallest and largest step of all clocks [s]. */
void simulation_steps(const Simulation *simulation, double *least, double *most);
uint64_t simulation_evaluations(const Simulation *simulation);
/* Bytes that the simulation holds for its vertices, elements and queue. */
size_t simulation_memory(const Simulation *simulation);

/* Positions or velocities at the current time. */
void simulation_positions(const Simulation *simulation, double *out);
void simulation_velocities(const Simulation *simulation, double *out);

#endif

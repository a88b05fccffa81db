/* The settling phase before time zero: the scene that scene_of_settling() says is simulated, and where it leaves things is where
 * the scene begins.
 *
 * It is a simulation of its own, with a time of its own, so that a run that has settled begins like any other: a function of the
 * scene alone, and states, which have all that counts, know nothing of it. Two things are handed over: where vertices are, and how
 * far the tangential springs of pairs in contact are stretched, without which what friction held would start to creep.
 * Velocities are not: things begin at rest, or with what the scene gives them. */
#ifndef CINCH_SIM_SETTLE_H
#define CINCH_SIM_SETTLE_H

#include "sim/simulation.h"
#include <json-glib/json-glib.h>

/* Whoever looks on. All of it may be zero. */
typedef struct SettleWatch {
	unsigned threads; /* 0: all processors */
	bool judge;       /* whether that motion is judged, too (witness.h): touching then ends it with CINCH_ERROR_PROOF */
	/* Called about ten times a second with the settling simulation's time and end; false gives up. */
	bool (*under_way)(const Simulation *settling, void *data);
	void *data;
} SettleWatch;

/* What has become of it. */
typedef struct Settled {
	double time, damping; /* as in the scene */
	Vec3 *position;       /* [length] (vertices) */
	double speed;         /* [length/s] in the end, root of the mean square by mass, of what moves */
	double wall_seconds;
	uint64_t events;
	uint32_t deepest;     /* layer */
	JsonNode *proof;      /* the verdict; NULL: nobody judged */
	GArray *pairs;        /* PairMemory: of pairs in contact, as after their first tick */
} Settled;

/* Lets a scene settle; the scene stays as it is. NULL without an error: it has no such phase. */
Settled *settle(const Scene *scene, const SettleWatch *watch, GError **error);
void settled_free(Settled *settled);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Settled, settled_free)

/* The member "settling" of a summary. */
void settled_put(const Settled *settled, JsonBuilder *builder);

#endif

/* Contact under way: the clocks of the layers, and what they do at a tick.
 *
 * Pairs with nearly the same stable step share a bin; each layer of a bin has one clock, whose tick k is at k h and looks
 * at all pairs of the bin that are closer than the layer is thick. The clock of (layer, bin) exists for all times; while
 * nobody needs it, it is not in the queue. When it is needed from a time t on, its next tick is the first k h > t.
 *
 * Steps hold for a crowd (LAYERS_CROWD pairs at a vertex). A tick adds up how crowded each vertex really is, by
 * Gershgorin's bound; where a step is too long for that, it is halved for good. This is decided from pairs in range, so it
 * is part of the motion, not of its detection. */
#ifndef CINCH_CONTACT_CONTACT_H
#define CINCH_CONTACT_CONTACT_H

#include "avi/avi.h"
#include "avi/clock.h"
#include "contact/memory.h"
#include "contact/penalty.h"
#include "contact/rule.h"
#include "core/team.h"
#include "kds/detector.h"
#include "shells/account.h"

/* The clock of a layer of a bin. */
typedef struct {
	Clock clock;        /* tick counts only while it runs */
	QueueHandle handle; /* of its event; null while nobody needs it */
	uint8_t halvings;   /* of its step: part of the state, */
	uint64_t first;     /* as is the tick that begins its present step */
} LayerClock;

typedef struct {
	uint64_t ticks;       /* of layers */
	uint64_t evaluations; /* of pairs at ticks */
	uint64_t in_range;    /* of these, closer than the layer */
	uint32_t deepest;     /* layer in range ever */
	double smallest_gap;  /* [length] at any tick; INFINITY: never in range */
	uint64_t halvings;
	uint32_t most_crowded; /* most pairs in range of one vertex at one tick */
	double layer_seconds;       /* of wall time in ticks of layers */
	double certificate_seconds; /* in the detector */
} ContactCount;

/* Why the run had to stop. */
typedef struct {
	bool reached;
	ContactPair pair;
	uint32_t layer;
	double time;
} ContactLimit;

typedef struct {
	const World *world;
	const ContactRule *rule;
	Layers *layers;
	Surface *surface;
	Detector *detector;
	Flight *flight;
	Avi *avi;
	uint32_t first_id;   /* of its events among those of AVI_FORCE: first_id + (layer - 1) n_bins + bin */
	uint32_t last_layer; /* that ticks; one above what the scene allows: in range there, the run stops */
	LayerClock *clock;   /* (last_layer, n_bins) */
	MemoryTable *memory; /* of pairs with losses: part of the state */
	bool at_start;       /* while the first candidates are found, at time zero: clocks begin with tick 0 */
	double end;          /* [s] of the run: what time has to resolve */
	unsigned threads;    /* that may work on one event; the caller's to say, 1 at first */

	/* Of the tick under way. */
	double *gap;         /* [length] (candidates) */
	Closest *closest;    /* (candidates) */
	Penalty *penalty;    /* (candidates) of those in range */
	size_t capacity;
	Team team;           /* whether threads pay there */
	Vec3 *impulse;       /* [momentum] (vertices) zero between ticks */
	double *row;         /* [1/length] (vertices) sum of weights: how crowded; zero between ticks */
	uint32_t *crowd;     /* (vertices) pairs in range; zero between ticks */
	uint8_t *is_touched; /* (vertices) */
	uint32_t *touched;   /* (vertices) those with an impulse, in the order of their first pair */
	size_t n_touched;
	Vec3 *force;         /* (vertices) of the group under way; zero between groups */
	uint8_t *is_grouped; /* (vertices) */
	uint32_t *group;     /* (vertices) of the group under way */

	ContactLimit limit;
	ContactCount count;
	uint64_t changes; /* told to the detector, in builds that validate */
} Contact;

/* Contact of a world as `rule` says. `first_id` is the first free id of AVI_FORCE; contact_events() ids are used. */
Contact *contact_new(const World *world, const ContactRule *rule, Flight *flight, Avi *avi, uint32_t first_id, double end);
void contact_free(Contact *contact);
uint32_t contact_events(const Contact *contact);
/* The smallest step of all its clocks [s]. */
double contact_least_step(const Contact *contact);

/* Memories of pairs that were last renewed before this are void. */
double contact_void_before(const Contact *contact, double time);

/* Finds all that is near at `time`, and starts the clocks that are needed. At time zero clocks begin with tick 0. */
bool contact_start(Contact *contact, double time, GError **error);
/* Throws away all that the detector knows and makes it anew. Changes no bit of the motion. */
bool contact_rebuild(Contact *contact, double time, GError **error);

/* Before another state is put in the place of the present one: no clock runs or is refined, no limit is reached. Then
 * contact_refine() for each clock that was, and contact_start() or contact_rebuild(). */
void contact_reset(Contact *contact);
void contact_refine(Contact *contact, uint32_t layer, uint16_t bin, uint8_t halvings, uint64_t first);

/* Vertices have new flight plans. */
bool contact_changed(Contact *contact, double time, const uint32_t *vertex, size_t n, GError **error);
/* A tick of a layer: impulses. *next is INFINITY when nobody needs it any longer. */
bool contact_tick(Contact *contact, uint32_t id, double time, Account *account, double *next, GError **error);
/* An event of AVI_CERTIFICATE. */
bool contact_certificate(Contact *contact, uint32_t id, double time, double *next, GError **error);

/* Calls visit() for every layer of every pair in range at `time`, in a fixed order. */
typedef struct {
	const ContactPair *pair;
	uint32_t layer;
	double gap;
	const Penalty *penalty; /* its energy and forces */
	double lag;             /* [s] by which the ticks of its clock fall short of `time`, see clock_lag() */
} ContactVisit;
typedef void ContactVisitor(const ContactVisit *visit, void *data);
void contact_visit(const Contact *contact, double time, ContactVisitor *visitor, void *data);

/* Calls visit() for what the tangential springs of each layer of each contact would do at `time`. (The thesis' friction goes
 * by velocities and has no spring; there is nothing of it.) */
typedef struct {
	const ContactPair *pair; /* the closest */
	const Closest *closest;
	Vec3 force; /* on the first primitive, at the closest points */
	double lag; /* [s] as above */
} FrictionVisit;
typedef void FrictionVisitor(const FrictionVisit *visit, void *data);
void contact_visit_friction(const Contact *contact, double time, FrictionVisitor *visitor, void *data);

#endif

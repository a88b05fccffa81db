/* The state: all that may influence the motion from now on, and nothing else (docs/architecture.md, "State").
 *
 * A state is taken at a time t when every event up to and including t has acted. Everything else that a simulation
 * holds follows from the scene and the state: the queue from the clocks, what detection knows from the flight plans,
 * the ticks of the layers of contact from t (the first k h > t). So a simulation that is given a state goes on with the
 * same bits as the one that it was taken from: motion, and ledger, for which the state carries what has been counted so
 * far. */
#ifndef CINCH_SIM_STATE_H
#define CINCH_SIM_STATE_H

#include "sim/simulation.h"

enum { STATE_IDENTITY = SCENE_IDENTITY, STATE_NAME = 32 };

/* A flight plan; the mass is the scene's. */
typedef struct {
	Vec3 x, v;
	double t;
} StateVertex;

/* How much of clocks, memories and stations belongs to a field. */
typedef struct {
	char name[STATE_NAME]; /* of its class */
	uint64_t clocks, memories, stations;
	uint64_t evaluations; /* counted, not needed */
	double seconds;       /* likewise */
} StateField;

/* A clock of contact whose step has been halved. */
typedef struct {
	uint32_t layer, bin;
	uint64_t halvings;
	uint64_t first; /* tick with the present step */
} StateLayer;

/* What there is one of. */
typedef struct {
	uint8_t identity[STATE_IDENTITY]; /* of the scene */
	double time;
	uint64_t begun;  /* 0: time zero, before its events */
	double bin_step; /* [s] of bin 0 of contact: what layers refer to; 0 without contact */
	uint64_t n_bins;

	/* For the ledger. */
	Account account;
	double initial_total;

	/* Counters, which go on. */
	AviCount count[AVI_N_KINDS];
	ContactCount contact;
	double wall_seconds;
} StateHead;

typedef struct {
	StateHead head;
	GArray *vertices; /* StateVertex */
	GArray *fields;   /* StateField */
	GArray *clocks;   /* Clock: of the groups of all fields */
	GArray *memories; /* double: of all fields, by element */
	GArray *stations; /* Station: for the ledger; of each field those of `touched`, then those of `held` */
	GArray *scripts;  /* Clock */
	GArray *layers;   /* StateLayer, by layer and bin */
	GArray *removals; /* double [s]: by body, when it was taken away; INFINITY: it was not */
	GArray *pairs;    /* PairMemory: what pairs in range remember, in the order of keys */
} State;

/* The arrays above, for whoever treats them all alike. */
typedef struct {
	size_t offset; /* in State */
	guint size;    /* of an entry [byte] */
} StateArray;
enum { STATE_N_ARRAYS = 9 };
extern const StateArray state_arrays[STATE_N_ARRAYS];

State *state_new(void);
void state_free(State *state);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(State, state_free)

/* Refuses after an event has failed: then nothing says what has acted. */
State *state_capture(const Simulation *simulation, GError **error);

typedef enum {
	STATE_SAME,  /* the state must be one of this very scene */
	STATE_BRANCH /* the scene may have been changed: what does not fit begins anew, as far as it can */
} StateFit;

/* Puts a state into a simulation, fresh or under way, in place of its own. `name` begins the message of a state that
 * does not fit; the simulation is then untouched. It also fails when contact is at its limit right there. */
bool state_restore(Simulation *simulation, const State *state, StateFit fit, const char *name, GError **error);

/* A file with a checksum, replaced in one step; the layout is in docs/archive-format.md. A file that is cut off,
 * damaged or not of this format gives CINCH_ERROR_INPUT. */
bool state_save(const State *state, const char *path, GError **error);
State *state_load(const char *path, GError **error);

#endif

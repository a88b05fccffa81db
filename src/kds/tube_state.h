/* What the files of the detector `tube` share: detector_tube.c opens with the invariant.
 *
 *   detector_tube.c  the detector: slots, ticks, what is made and thrown away
 *   tube_window.c    windows: references, and the pairs that are listed
 *   tube_pairs.c     followed pairs: when they are looked at, and in which layers they are awake
 *   tube_repair.c    vertices that do not keep what was said of them
 *   tube_validate.c  whether all of it is true
 *   tube.c           how far each vertex is from its reference */
#ifndef CINCH_KDS_TUBE_STATE_H
#define CINCH_KDS_TUBE_STATE_H

#include "kds/chart.h"
#include "kds/chord.h"
#include "kds/detector.h"
#include "kds/roster.h"
#include "kds/tube.h"

enum {
	TUBE_SLOTS = 32,          /* of a window */
	TUBE_SNAPSHOT_SLOT = 24,  /* mean velocities are taken from here to the end of the window */
	TUBE_BLOCK = 1024,        /* pairs are allocated in blocks, which do not move: layers' lists point at them */
	TUBE_FOLLOWED = TUBE_LEVELS /* as a level: not certified */
};

typedef struct {
	RosterPair roster; /* the pair, and the layers that are awake */
	double rate;       /* [length/s] at which its gap closes at most; while followed */
	QueueHandle event; /* of a look at a time of its own */
	uint32_t index;    /* of itself */
	uint32_t slot;     /* at whose beginning it is due; 0: none */
	uint8_t level;     /* that certifies it, or TUBE_FOLLOWED */
} TubePair;

/* A pair found for a window, before it is listed. */
typedef struct {
	uint64_t key;
	PrimitivePair primitives;
	uint8_t level;
	uint32_t slot;
	double gap;
} TubeFound;

typedef struct {
	uint32_t pair, next; /* next: in `extra`, + 1 */
} TubeExtra;

typedef struct {
	Detector base;
	Tubes tubes;
	ChordTree *tree;
	Charts *charts;          /* NULL: there are none */
	uint64_t tests, tests_when_new; /* of the tree for this window; for the first after it was made, 0: yet to come */

	double begin, span;      /* [s] of the window; of a slot */
	uint32_t slot;           /* under way */
	double window;           /* [s] length of windows */
	Vec3 *snapshot;          /* [length] (vertices) positions at snapshot_time */
	double snapshot_time;    /* [s] NAN: none */
	uint64_t examined;       /* pairs, when this window was made */
	uint32_t found_first;    /* of these, listed */
	uint64_t looks;          /* at followed pairs, since */
	uint32_t repairs;        /* vertices that got a new reference in this window */
	QueueHandle sweep;

	GPtrArray *block;        /* TubePair [TUBE_BLOCK] */
	uint32_t n_pairs;
	uint32_t *near_begin;    /* (vertices, TUBE_LEVELS + 1) + 1: in near_pair, by level at the beginning of the window */
	uint32_t *near_pair;     /* pairs of each vertex */
	size_t near_capacity;
	GArray *extra;           /* TubeExtra: pairs listed since */
	uint32_t *extra_first;   /* (vertices) in extra, + 1; 0: none */
	GArray *due[TUBE_SLOTS + 1];  /* uint32_t: pairs that may be due in a slot */
	Roster *roster;          /* (last_layer, bins) */
	Roster *measured;        /* of the tick under way */
	GPtrArray *listed;       /* of near() */

	double listing_gap;      /* [length] that references keep apart what is not listed, with room for rounding */
	GArray *found;           /* TubeFound */
	GArray *known;           /* uint64_t: keys of the pairs of a vertex, ascending */
	uint32_t *element_begin; /* (vertices + 1) in element_of */
	uint32_t *element_of;    /* elements of each vertex */
	double *ends;            /* [length] (vertices, 2, 3) references at the window's beginning and end */
	GArray *left;            /* uint32_t: vertices that do not keep what was said of them */
	GArray *around;          /* uint32_t: triangles of a vertex */
	DetectorCount count;
} Tube;

static inline TubePair *tube_pair_at(const Tube *tube, uint32_t i)
{
	return (TubePair *)tube->block->pdata[i / TUBE_BLOCK] + i % TUBE_BLOCK;
}

static inline uint32_t tube_vertex_count(const Tube *tube)
{
	return (uint32_t)tube->tubes.n;
}

static inline double tube_slot_time(const Tube *tube, uint32_t slot)
{
	return tube->begin + slot * tube->span;
}

static inline ChordWindow tube_chord_window(const Tube *tube)
{
	return (ChordWindow){tube->tubes.reference, tube->begin, tube_slot_time(tube, TUBE_SLOTS), tube->tubes.radius[TUBE_LEVELS - 1]};
}

static inline Roster *tube_roster_of(const Tube *tube, uint32_t layer, uint16_t bin)
{
	return &tube->roster[(size_t)(layer - 1) * tube->base.site.surface->n_bins + bin];
}

static inline double tube_interval(const Tube *tube, uint32_t layer, uint16_t bin)
{
	return tube->base.site.interval(tube->base.site.context, layer, bin);
}

/* --- tube_pairs.c ------------------------------------------------------------------------------------------------ */

/* The event of a look; INFINITY takes it off. */
void tube_schedule(Tube *tube, QueueHandle *event, double time, uint32_t id);
/* The last slot whose beginning is not after `time`, at most TUBE_SLOTS. */
uint32_t tube_slot_before(const Tube *tube, double time);
void tube_put_due(Tube *tube, uint32_t index, uint32_t slot);
/* How fast the gap of a pair that is followed can close. */
void tube_find_rate(const Tube *tube, TubePair *p);
/* Sees to it that a followed pair with this gap is looked at again in time. */
void tube_place(Tube *tube, uint32_t index, double time, double gap);
void tube_look(Tube *tube, uint32_t index, double time);
/* A certificate ends: from now on the pair is followed. */
void tube_follow(Tube *tube, uint32_t index, double time);
/* DetectorClass.measured. */
void tube_measured(Detector *detector, uint32_t layer, uint16_t bin, double time, const double *gap);

/* --- tube_window.c ----------------------------------------------------------------------------------------------- */

/* The length of the next window, from how the last went. */
void tube_adapt(Tube *tube);
void tube_begin_window(Tube *tube, double time);
void tube_forget_pairs(Tube *tube);
void tube_plant_tree(Tube *tube, double time);
/* A new reference for a vertex, from `time` on. */
void tube_set_out(Tube *tube, uint32_t vertex, double time, Vec3 velocity);
/* Appends the pair to `found` if it has to be listed. */
void tube_examine(Tube *tube, const PrimitivePair *primitives, double time);
/* Lists a pair; its place in the lists of its vertices is the caller's. False when it is left out for good. */
bool tube_list_pair(Tube *tube, const TubeFound *found);

/* --- tube_repair.c ----------------------------------------------------------------------------------------------- */

/* Sees to the vertices in `left`, which do not keep what was said of them. */
void tube_see_to_all(Tube *tube, double time);
/* DetectorClass.changed. */
void tube_changed(Detector *detector, double time, const uint32_t *vertex, size_t n);

/* --- tube_validate.c --------------------------------------------------------------------------------------------- */

/* DetectorClass.validate. */
char *tube_validate(Detector *detector, double time);

#endif

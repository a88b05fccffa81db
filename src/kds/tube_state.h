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
	bool is_to_look;   /* it is in Tube.look, */
	bool has_old_rate; /* and needs a new rate before */
} TubePair;

/* A pair found for a window, before it is listed. */
typedef struct {
	ContactPair pair;
	double gap;
	uint32_t slot;
	uint8_t level;
} TubeFound;

/* A vertex that does not keep what was said of it, and what has been done about that. */
typedef struct {
	uint32_t vertex;
	uint8_t level;  /* before; it may have been raised since */
	bool is_faster; /* its speed has been raised */
	bool is_again;  /* it has a new reference */
} TubeLeft;

struct Tube;

/* What a thread finds while several work. Each finds the same as one would that did all of it, in whatever order: what they have
 * found is put together in the order of vertices or keys. */
typedef struct {
	struct Tube *tube;
	GArray *found;      /* TubeFound */
	GArray *left;       /* TubeLeft */
	GArray *known;      /* uint64_t: keys of the pairs of a vertex, ascending */
	GArray *around;     /* uint32_t: triangles of a vertex */
	ChordSearch search;
	uint64_t examined;  /* pairs */
	double rounding;    /* [length] the most of its vertices */
	guint merged;       /* of `found`, while they are put together */
} TubeFinder;

typedef struct {
	uint32_t pair, next; /* next: in `extra`, + 1 */
} TubeExtra;

typedef struct Tube {
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
	uint32_t *element_begin; /* (vertices + 1) in element_of */
	uint32_t *element_of;    /* elements of each vertex */
	double *ends;            /* [length] (vertices, 2, 3) references at the window's beginning and end */
	GPtrArray *finder;       /* TubeFinder: at least one for every thread */
	GArray *tasks;           /* ChordTask */
	GArray *again;           /* uint32_t: vertices that have just got a new reference */
	GArray *look;            /* uint32_t: pairs to look at now */
	double *gap;             /* [length] (gap_capacity) of these */
	size_t gap_capacity;
	struct {
		Team check, setting_out, pairs, sort, queries, look;
	} team;                  /* whether threads pay */
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

static inline TubeFinder *tube_finder(const Tube *tube, unsigned thread)
{
	return tube->finder->pdata[thread];
}

static inline unsigned tube_threads(const Tube *tube)
{
	return *tube->base.site.threads;
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
/* The same for many, together: notes a pair, with a new rate if what that comes from has changed ... */
void tube_look_later(Tube *tube, uint32_t index, bool has_old_rate);
/* ... or that its certificate has ended, so that from now on it is followed ... */
void tube_follow_later(Tube *tube, uint32_t index);
/* ... and looks at all that were noted; or not, since they have been thrown away. */
void tube_look_at_noted(Tube *tube, double time);
void tube_forget_noted(Tube *tube);
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
/* Finders that have found nothing yet, for all threads. */
void tube_provide_finders(Tube *tube);
void tube_free_finder(gpointer finder);
/* Appends the pair to those found if it has to be listed. */
void tube_examine(TubeFinder *finder, const PrimitivePair *primitives, double time);
/* Sorts what each has found; then hands out one after the other, in the order of keys, the same one twice if it was found
 * twice. NULL: that was all. */
void tube_sort_found(Tube *tube);
const TubeFound *tube_next_found(Tube *tube);
/* Lists a pair, and returns it; its place in the lists of its vertices is the caller's. */
TubePair *tube_list_pair(Tube *tube, const TubeFound *found);

/* --- tube_repair.c ----------------------------------------------------------------------------------------------- */

/* Looks at these vertices, or at the first n when `vertex` is NULL: whether they keep what was said of them. Sees to those that
 * do not, and to the pairs that are noted. */
void tube_check(Tube *tube, const uint32_t *vertex, size_t n, double time);
/* DetectorClass.changed. */
void tube_changed(Detector *detector, double time, const uint32_t *vertex, size_t n);

/* --- tube_validate.c --------------------------------------------------------------------------------------------- */

/* DetectorClass.validate. */
char *tube_validate(Detector *detector, double time);

#endif

/* What pairs in range remember from tick to tick: part of the state of the motion.
 *
 * A memory begins at the first tick of any layer that finds the pair in range. It ends when a tick of the pair's layer 1
 * would find it out of range, whether or not anybody looks then: a memory that was not renewed since the latest tick of
 * layer 1 before now is void. So it does not depend on who was awake. One memory serves all layers of a pair. */
#ifndef CINCH_CONTACT_MEMORY_H
#define CINCH_CONTACT_MEMORY_H

#include "avi/flight.h"
#include "contact/distance.h"
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* For the ledger: a pair's way since the latest tick of layer 1, what losses took meanwhile, and what has been counted for it.
 * Half of a tick of layer 1 is before it, half after. */
typedef struct {
	double gap;      /* [length] then, */
	double time;     /* [s] which was then */
	double withheld[2]; /* [momentum] of the elastic push, in layer 1 and in deeper ones */
	double lost[2];     /* [energy] counted for that */
	Vec3 pulled;     /* [momentum] along the surface, */
	double rubbed;   /* [energy] and counted for that */
	Vec3 moved;      /* [length] along the surface, until the latest tick of any layer, */
	Vec3 stretch;    /* [length] which left the tangential spring stretched like this */
} PairWay;

typedef struct {
	uint64_t key;    /* of the pair */
	double since;    /* [s] of the first tick in range */
	double time;     /* [s] of the last one */
	double approach; /* [length/s] largest speed of approach in the latest approach */
	double opening;  /* [length/s] by which the gap had opened between the latest two ticks of layer 1; INFINITY: unknown */
	PairWay way;
	/* The tangential spring is stretched by `stretch` and what the weighted corners have moved apart along the surface
	 * since they were its anchor, when they were the closest points. */
	Vec3 stretch;                        /* [length] */
	double weight[PAIR_MOST_CORNERS];
	uint32_t vertex[PAIR_MOST_CORNERS];
	uint32_t n;                          /* corners */
	uint32_t separating;                 /* whether the approach has ended */
} PairMemory;

typedef struct {
	GHashTable *index; /* by key: PairMemory * */
} MemoryTable;

MemoryTable *memory_new(void);
void memory_free(MemoryTable *table);

/* A memory that knows nothing yet. */
PairMemory memory_blank(uint64_t key, double since);

/* The memory of a pair as it was left, or NULL. */
PairMemory *memory_find(const MemoryTable *table, uint64_t key);

/* The memory of a pair at a tick at `time`, where the latest tick of its layer 1 before that was at `before` (negative:
 * there was none): as it was left, or a new one, blank but for the time. *is_new says which. */
PairMemory *memory_recall(MemoryTable *table, uint64_t key, double time, double before, bool *is_new);

/* Anchors the tangential spring, not stretched, at these points. */
void memory_anchor(PairMemory *memory, const uint32_t *vertex, const double *weight, int n);

/* How far the tangential spring is stretched when vertices fly like that. */
Vec3 memory_stretch(const PairMemory *memory, const Flight *flight, double time);

/* Forgets what was last renewed before `time`. */
void memory_sweep(MemoryTable *table, double time);

/* All memories renewed at `since` or later in the order of keys (GArray of PairMemory), and the way back. */
GArray *memory_list(const MemoryTable *table, double since);
void memory_restore(MemoryTable *table, const GArray *list);

#endif

/* Primitive pairs that somebody has to keep an eye on: the part that detectors by certificates have in common.
 *
 * A detector says which pairs of elements are near (slab_table_open()) and which no longer (slab_table_close()); the table does
 * the rest: a slab for each of their primitive pairs, its event, layers that wake and sleep, candidates of a tick.
 *
 * Invariant: at any instant every primitive pair of an open group is awake in layers 1 ... l, and has an unfailed slab for the
 * waking distance of layer l + 1, or its two elements have one (facets.h). Elements as a whole are kept apart in two ways: until
 * they are near, when each of their primitive pairs gets a slab of its own (`slabs`); or also from then on, so that layers wake
 * for all of their pairs together (`wake`). Elements with a common corner, and those that are closest by a pair that contact leaves
 * out, are left to their primitive pairs in any case. When all of these sleep, wide apart, the elements get one slab again. A slab stays valid while its corners keep their limits (cone.h): who breaks one is scheduled
 * anew at once. What no limit watches over has an event at which it ends.
 *
 * Events of the table have odd ids; even ones are the detector's own. */
#ifndef CINCH_KDS_SLAB_TABLE_H
#define CINCH_KDS_SLAB_TABLE_H

#include "kds/detector.h"

#define SLAB_TABLE_NONE UINT32_MAX

typedef struct SlabTable SlabTable;

/* How; what the scene says, as far as it concerns slabs, is in site->certificates. */
SlabTable *slab_table_new(const DetectorSite *site);
void slab_table_free(SlabTable *table);
/* No group is open. */
void slab_table_clear(SlabTable *table);

/* The primitive pairs of two different elements, with a slab each. Returns the group; SLAB_TABLE_NONE when the two own no
 * pairs. Wakes what has to be awake. */
uint32_t slab_table_open(SlabTable *table, uint32_t first, uint32_t second, double time);
void slab_table_close(SlabTable *table, uint32_t group);
/* The elements of an open group. */
void slab_table_elements(const SlabTable *table, uint32_t group, uint32_t element[2]);
/* Whether no layer is awake for any pair of the group. */
bool slab_table_sleeps(const SlabTable *table, uint32_t group);

/* Calls lapsed() when a slab of a group has failed or has had to be scheduled anew, if no layer is awake for it: the detector
 * may want to see whether it still needs the group. It may close it later, not from there. */
typedef void SlabTableLapse(void *context, uint32_t group);
void slab_table_listen(SlabTable *table, SlabTableLapse *lapsed, void *context);

/* These follow DetectorClass. act() is for odd ids. */
void slab_table_changed(SlabTable *table, double time, const uint32_t *vertex, size_t n);
void slab_table_act(SlabTable *table, uint32_t id, double time);
size_t slab_table_candidates(
    SlabTable *table, uint32_t layer, uint16_t bin, double time, const ContactPair *const **pairs);
void slab_table_measured(SlabTable *table, uint32_t layer, uint16_t bin, double time, const double *gap);
size_t slab_table_near(SlabTable *table, double time, const ContactPair *const **pairs);
/* Adds what the table has counted. */
void slab_table_count(const SlabTable *table, DetectorCount *count);

/* What is wrong (free with g_free), or NULL; adds the number of pairs that are covered. Slow: for tests. */
char *slab_table_validate(SlabTable *table, double time, uint64_t *covered);

#endif

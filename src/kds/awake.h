/* Who is awake in a layer of a bin: pairs in the order of their keys, as a tick needs them.
 *
 * An entry names a slab by index and generation, so that it may outlive it; a list may hold entries that are out of date, or
 * twice. They are dropped when the list is asked for, and only when something has changed since. (roster.h does the same for
 * pairs that stay where they are in memory.) */
#ifndef CINCH_KDS_AWAKE_H
#define CINCH_KDS_AWAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
	uint64_t key;
	uint32_t slab, generation;
	uint32_t place; /* of the pair among those of the slab */
} AwakeEntry;

typedef struct {
	AwakeEntry *entry; /* (n) the first n_sorted by key */
	size_t n, n_sorted, capacity;
	bool stale;        /* someone listed may sleep */
} AwakeList;

/* Whether what an entry names is still there, and awake in the layer. */
typedef bool AwakeTest(const void *context, const AwakeEntry *entry, uint32_t layer);

void awake_add(AwakeList *list, AwakeEntry entry);
static inline void awake_drop(AwakeList *list)
{
	list->stale = true;
}

/* Makes the list what it should be. */
void awake_tidy(AwakeList *list, AwakeTest *test, const void *context, uint32_t layer);
void awake_clear(AwakeList *list);
void awake_free(AwakeList *list);

#endif

#include "kds/cells.h"
#include <glib.h>
#include <stdbool.h>
#include <string.h>

#define NONE UINT32_MAX

/* One member of one cell. */
typedef struct {
	uint64_t cell;
	uint32_t member, next; /* in the bucket; of a free one the next free one */
} Entry;

/* Entries of all cells with the same hash are in one bucket, those of one cell not in any order. */
struct Cells {
	Entry *entry;     /* (n_entries) */
	uint32_t n_entries, capacity, n_used, free_entry;
	uint32_t *bucket; /* (n_buckets) first entry */
	uint32_t n_buckets; /* a power of two */
};

enum { FIRST_BUCKETS = 1024 };

static uint64_t key_of(const int32_t cell[3])
{
	uint64_t key = 0;
	for (int axis = 0; axis < 3; axis++)
		key = key << 21 | (uint64_t)(cell[axis] + CELLS_MOST);
	return key;
}

static uint32_t *bucket_of(const Cells *cells, uint64_t key)
{
	/* Neighbours differ in the low bits of three fields: a product spreads them over the high bits. */
	uint64_t mixed = key * UINT64_C(0x9e3779b97f4a7c15);
	return &cells->bucket[(mixed ^ mixed >> 29) >> 20 & (cells->n_buckets - 1)];
}

static void make_buckets(Cells *cells, uint32_t n)
{
	cells->n_buckets = n;
	cells->bucket = g_renew(uint32_t, cells->bucket, n);
	memset(cells->bucket, 0xff, n * sizeof *cells->bucket);
}

Cells *cells_new(void)
{
	Cells *cells = g_new0(Cells, 1);
	cells->free_entry = NONE;
	make_buckets(cells, FIRST_BUCKETS);
	return cells;
}

void cells_free(Cells *cells)
{
	if (cells == NULL)
		return;
	g_free(cells->entry);
	g_free(cells->bucket);
	g_free(cells);
}

void cells_clear(Cells *cells)
{
	cells->n_entries = cells->n_used = 0;
	cells->free_entry = NONE;
	memset(cells->bucket, 0xff, cells->n_buckets * sizeof *cells->bucket);
}

size_t cells_memory(const Cells *cells)
{
	return cells->capacity * sizeof *cells->entry + cells->n_buckets * sizeof *cells->bucket;
}

/* Every entry into the bucket that it has now; free ones are not in any. */
static void spread(Cells *cells)
{
	uint32_t *old = g_memdup2(cells->bucket, cells->n_buckets * sizeof *old), n = cells->n_buckets;
	make_buckets(cells, 2 * n);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t at = old[i], next; at != NONE; at = next) {
			uint32_t *bucket = bucket_of(cells, cells->entry[at].cell);
			next = cells->entry[at].next;
			cells->entry[at].next = *bucket;
			*bucket = at;
		}
	}
	g_free(old);
}

static uint32_t new_entry(Cells *cells)
{
	uint32_t index = cells->free_entry;
	if (index != NONE) {
		cells->free_entry = cells->entry[index].next;
		return index;
	}
	if (cells->n_entries == cells->capacity) {
		cells->capacity = MAX(2 * cells->capacity, FIRST_BUCKETS);
		cells->entry = g_renew(Entry, cells->entry, cells->capacity);
	}
	return cells->n_entries++;
}

void cells_add(Cells *cells, const int32_t cell[3], uint32_t member)
{
	if (++cells->n_used > cells->n_buckets)
		spread(cells);
	uint64_t key = key_of(cell);
	uint32_t index = new_entry(cells), *bucket = bucket_of(cells, key);
	cells->entry[index] = (Entry){key, member, *bucket};
	*bucket = index;
}

void cells_remove(Cells *cells, const int32_t cell[3], uint32_t member)
{
	uint64_t key = key_of(cell);
	for (uint32_t *link = bucket_of(cells, key); *link != NONE; link = &cells->entry[*link].next) {
		Entry *entry = &cells->entry[*link];
		if (entry->cell != key || entry->member != member)
			continue;
		uint32_t index = *link;
		*link = entry->next;
		entry->next = cells->free_entry;
		cells->free_entry = index;
		cells->n_used--;
		return;
	}
}

void cells_collect(const Cells *cells, const int32_t cell[3], CellMembers *out)
{
	uint64_t key = key_of(cell);
	for (uint32_t at = *bucket_of(cells, key); at != NONE; at = cells->entry[at].next) {
		if (cells->entry[at].cell != key)
			continue;
		if (out->n == out->capacity) {
			out->capacity = MAX(2 * out->capacity, 64);
			out->member = g_renew(uint32_t, out->member, out->capacity);
		}
		out->member[out->n++] = cells->entry[at].member;
	}
}

double cells_count(const CellRange *range)
{
	double n = 1.0;
	for (int axis = 0; axis < 3; axis++)
		n *= (double)range->high[axis] - range->low[axis] + 1.0;
	return n;
}

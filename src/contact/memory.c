#include "contact/memory.h"
#include <stdlib.h>

/* The table's keys are not pointers to keys but the keys themselves: to find a memory does not take a look at others. */
G_STATIC_ASSERT(sizeof(gpointer) == sizeof(uint64_t));

static gpointer as_pointer(uint64_t key)
{
	return GSIZE_TO_POINTER(key);
}

/* GLib's own xors the halves of a key, which puts neighbours in a mesh into the same few places. */
static guint hash_key(gconstpointer key)
{
	return (guint)(GPOINTER_TO_SIZE(key) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

MemoryTable *memory_new(void)
{
	MemoryTable *table = g_new0(MemoryTable, 1);
	table->index = g_hash_table_new_full(hash_key, NULL, NULL, g_free);
	return table;
}

void memory_free(MemoryTable *table)
{
	if (table == NULL)
		return;
	g_hash_table_unref(table->index);
	g_free(table);
}

PairMemory memory_blank(uint64_t key, double since)
{
	return (PairMemory){.key = key, .since = since, .opening = INFINITY, .way = {.time = -INFINITY}};
}

PairMemory *memory_find(const MemoryTable *table, uint64_t key)
{
	return g_hash_table_lookup(table->index, as_pointer(key));
}

PairMemory *memory_recall(MemoryTable *table, uint64_t key, double time, double before, bool *is_new)
{
	PairMemory *memory = memory_find(table, key);
	if (memory == NULL) {
		memory = g_new0(PairMemory, 1);
		memory->key = key;
		memory->time = -INFINITY;
		g_hash_table_insert(table->index, as_pointer(memory->key), memory);
	}
	*is_new = memory->time == -INFINITY || memory->time < before;
	if (*is_new)
		*memory = memory_blank(key, time);
	memory->time = time;
	return memory;
}

void memory_anchor(PairMemory *memory, const uint32_t *vertex, const double *weight, int n)
{
	memory->stretch = vec3(0, 0, 0);
	memory->n = (uint32_t)n;
	for (int c = 0; c < n; c++) {
		memory->vertex[c] = vertex[c];
		memory->weight[c] = weight[c];
	}
}

Vec3 memory_stretch(const PairMemory *memory, const Flight *flight, double time)
{
	Vec3 stretch = memory->stretch;
	for (uint32_t c = 0; c < memory->n; c++)
		stretch = vec3_madd(stretch, memory->weight[c], flight_position(&flight[memory->vertex[c]], time));
	return stretch;
}

static gboolean is_older(gpointer key, gpointer value, gpointer data)
{
	(void)key;
	return ((const PairMemory *)value)->time < *(const double *)data;
}

void memory_sweep(MemoryTable *table, double time)
{
	g_hash_table_foreach_remove(table->index, is_older, &time);
}

/* A memory is large, and states are taken often: what is sorted is this. */
typedef struct {
	uint64_t key;
	const PairMemory *memory;
} Sorted;

static int compare_keys(const void *a, const void *b)
{
	const Sorted *p = a, *q = b;
	return p->key < q->key ? -1 : p->key > q->key;
}

GArray *memory_list(const MemoryTable *table, double since)
{
	guint size = g_hash_table_size(table->index);
	g_autofree Sorted *sorted = g_new(Sorted, size + 1u);
	GArray *list = g_array_sized_new(FALSE, FALSE, sizeof(PairMemory), size);
	GHashTableIter iterator;
	gpointer value;
	size_t n = 0;
	g_hash_table_iter_init(&iterator, table->index);
	while (g_hash_table_iter_next(&iterator, NULL, &value))
		if (((const PairMemory *)value)->time >= since)
			sorted[n++] = (Sorted){((const PairMemory *)value)->key, value};
	qsort(sorted, n, sizeof *sorted, compare_keys);
	for (size_t i = 0; i < n; i++)
		g_array_append_vals(list, sorted[i].memory, 1);
	return list;
}

void memory_restore(MemoryTable *table, const GArray *list)
{
	g_hash_table_remove_all(table->index);
	for (guint i = 0; i < list->len; i++) {
		PairMemory *memory = g_memdup2(&g_array_index(list, PairMemory, i), sizeof(PairMemory));
		g_hash_table_insert(table->index, as_pointer(memory->key), memory);
	}
}

#include "kds/awake.h"
#include <glib.h>
#include <stdlib.h>
#include <string.h>

void awake_add(AwakeList *list, AwakeEntry entry)
{
	if (list->n == list->capacity) {
		list->capacity = MAX(16, 2 * list->capacity);
		list->entry = g_renew(AwakeEntry, list->entry, list->capacity);
	}
	/* Often they come in order, as when all is made anew. */
	if (list->n == list->n_sorted && (list->n == 0 || list->entry[list->n - 1].key < entry.key))
		list->n_sorted++;
	list->entry[list->n++] = entry;
}

static int compare(const void *a, const void *b)
{
	const AwakeEntry *p = a, *q = b;
	if (p->key != q->key)
		return p->key < q->key ? -1 : 1;
	return p->generation < q->generation ? -1 : p->generation > q->generation;
}

/* Sorts what was appended, by itself, and merges it in, from the end. */
static void merge(AwakeList *list)
{
	size_t n_fresh = list->n - list->n_sorted, old = list->n_sorted, fresh = n_fresh, to = list->n;
	g_autofree AwakeEntry *copy = g_memdup2(list->entry + list->n_sorted, n_fresh * sizeof *copy);
	qsort(copy, n_fresh, sizeof *copy, compare);
	while (fresh > 0) {
		bool take_old = old > 0 && compare(&list->entry[old - 1], &copy[fresh - 1]) > 0;
		list->entry[--to] = take_old ? list->entry[--old] : copy[--fresh];
	}
}

void awake_tidy(AwakeList *list, AwakeTest *test, const void *context, uint32_t layer)
{
	size_t n = 0;
	if (list->n == list->n_sorted && !list->stale)
		return;
	if (list->n > list->n_sorted)
		merge(list);
	for (size_t i = 0; i < list->n; i++) {
		bool again = n > 0 && list->entry[n - 1].key == list->entry[i].key;
		if (!again && test(context, &list->entry[i], layer))
			list->entry[n++] = list->entry[i];
	}
	list->n = list->n_sorted = n;
	list->stale = false;
}

void awake_clear(AwakeList *list)
{
	list->n = list->n_sorted = 0;
	list->stale = false;
}

void awake_free(AwakeList *list)
{
	g_free(list->entry);
	*list = (AwakeList){0};
}

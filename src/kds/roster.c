#include "kds/roster.h"
#include <stdlib.h>

void roster_init(Roster *roster, uint32_t layer)
{
	*roster = (Roster){.layer = layer};
}

void roster_clear(Roster *roster)
{
	roster->n = roster->n_sorted = 0;
	roster->stale = false;
}

void roster_free(Roster *roster)
{
	g_free(roster->pair);
	g_free(roster->merged);
}

void roster_add(Roster *roster, const RosterPair *pair)
{
	if (roster->n == roster->capacity) {
		roster->capacity = MAX(16, 2 * roster->capacity);
		roster->pair = g_renew(const ContactPair *, roster->pair, roster->capacity);
		roster->merged = g_renew(const ContactPair *, roster->merged, roster->capacity);
	}
	/* Often they come in order, as when all is made anew. */
	if (roster->n == roster->n_sorted && (roster->n == 0 || roster->pair[roster->n - 1]->key < pair->pair.key))
		roster->n_sorted++;
	roster->pair[roster->n++] = &pair->pair;
}

static int compare(const void *a, const void *b)
{
	const ContactPair *p = *(const ContactPair *const *)a, *q = *(const ContactPair *const *)b;
	return p->key < q->key ? -1 : p->key > q->key;
}

void roster_sort(const ContactPair **pairs, size_t n)
{
	if (n > 1)
		qsort(pairs, n, sizeof *pairs, compare);
}

static bool is_awake(const Roster *roster, const ContactPair *pair)
{
	return ((const RosterPair *)(const void *)pair)->awake >= roster->layer;
}

/* Merges what was appended, sorted by itself, and drops what sleeps or is there twice: a pair that went to sleep and woke
 * again before anybody asked. */
static void merge(Roster *roster)
{
	const ContactPair **old = roster->pair, **end = old + roster->n_sorted, **fresh = end, **last = old + roster->n;
	size_t n = 0;
	roster_sort(fresh, (size_t)(last - fresh));
	while (old < end || fresh < last) {
		bool take_old = fresh == last || (old < end && (*old)->key <= (*fresh)->key);
		const ContactPair *pair = take_old ? *old++ : *fresh++;
		if (is_awake(roster, pair) && (n == 0 || roster->merged[n - 1] != pair))
			roster->merged[n++] = pair;
	}
	const ContactPair **swap = roster->pair;
	roster->pair = roster->merged;
	roster->merged = swap;
	roster->n = roster->n_sorted = n;
}

static void compact(Roster *roster)
{
	size_t n = 0;
	for (size_t i = 0; i < roster->n; i++)
		if (is_awake(roster, roster->pair[i]))
			roster->pair[n++] = roster->pair[i];
	roster->n = roster->n_sorted = n;
}

size_t roster_list(Roster *roster, const ContactPair *const **pairs)
{
	if (roster->n > roster->n_sorted)
		merge(roster);
	else if (roster->stale)
		compact(roster);
	roster->stale = false;
	*pairs = (const ContactPair *const *)roster->pair;
	return roster->n;
}

/* The queue against a slow twin: an array kept sorted by plain comparison, given the same operations. */
#include "avi/queue.h"
#include <criterion/criterion.h>
#include <glib.h>
#include <math.h>
#include <signal.h>
#include <string.h>

static uint64_t state;

static uint64_t random_bits(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static uint32_t random_below(uint32_t limit)
{
	return (uint32_t)(random_bits() % limit);
}

/* The twin: `event` is sorted by (time, kind, id). */
typedef struct {
	QueueEvent *event; /* (capacity) */
	uint32_t length;
} Twin;

static int compare_events(const QueueEvent *a, const QueueEvent *b)
{
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* The first place whose event is not before this one. */
static uint32_t twin_place(const Twin *twin, const QueueEvent *event)
{
	uint32_t low = 0, high = twin->length;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (compare_events(&twin->event[middle], event) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void twin_push(Twin *twin, QueueEvent event)
{
	uint32_t place = twin_place(twin, &event);
	memmove(twin->event + place + 1, twin->event + place, (twin->length - place) * sizeof(QueueEvent));
	twin->event[place] = event;
	twin->length++;
}

static void twin_remove(Twin *twin, const QueueEvent *event)
{
	uint32_t place = twin_place(twin, event);
	cr_assert(place < twin->length && compare_events(&twin->event[place], event) == 0);
	memmove(twin->event + place, twin->event + place + 1, (twin->length - place - 1) * sizeof(QueueEvent));
	twin->length--;
}

/* Few values, so that many times are equal; now and then one that never comes, or one before all others. */
static double random_time(double now)
{
	switch (random_below(40)) {
	case 0:
		return INFINITY;
	case 1:
		return -(double)random_below(3) / 4.0;
	case 2:
		return now + (double)(random_bits() >> 11) * 0x1p-50;
	default:
		return now + (double)random_below(64) / 8.0;
	}
}

typedef struct {
	Queue *queue;
	Twin twin;
	QueueEvent *entry; /* (n_entries), what is in the queue; its id is a function of its index */
	bool *alive;       /* (n_entries) */
	uint32_t n_entries;
	double now;
} Pair;

static void pair_push(Pair *pair, uint32_t i)
{
	QueueEvent event = {.time = random_time(pair->now), .kind = random_below(4), .id = i * 2654435761u};
	event.handle = queue_push(pair->queue, event.time, event.kind, event.id);
	cr_assert(queue_contains(pair->queue, event.handle));
	pair->entry[i] = event;
	pair->alive[i] = true;
	twin_push(&pair->twin, event);
}

static void pair_pop(Pair *pair)
{
	QueueEvent first, peeked;
	bool seen = queue_peek(pair->queue, &peeked), popped = queue_pop(pair->queue, &first);
	cr_assert_eq(popped, pair->twin.length > 0);
	cr_assert_eq(seen, popped);
	if (!popped)
		return;
	const QueueEvent *expected = &pair->twin.event[0];
	cr_assert(compare_events(&first, expected) == 0, "popped (%g, %u, %u), not (%g, %u, %u)", first.time,
	    first.kind, first.id, expected->time, expected->kind, expected->id);
	cr_assert_eq(memcmp(&first, &peeked, sizeof first), 0);
	cr_assert_eq(first.handle.index, expected->handle.index);
	cr_assert_eq(first.handle.generation, expected->handle.generation);
	cr_assert_not(queue_contains(pair->queue, first.handle));
	pair->alive[first.id * 244002641u] = false; /* the inverse of 2654435761 modulo 2^32 */
	if (isfinite(first.time) && first.time > pair->now)
		pair->now = first.time;
	twin_remove(&pair->twin, &first);
}

/* Any handle, stale ones too: both must agree whether it lives. */
static void pair_update(Pair *pair, uint32_t i)
{
	double time = random_time(pair->now);
	cr_assert_eq(queue_update(pair->queue, pair->entry[i].handle, time), pair->alive[i]);
	if (!pair->alive[i])
		return;
	twin_remove(&pair->twin, &pair->entry[i]);
	pair->entry[i].time = time;
	twin_push(&pair->twin, pair->entry[i]);
	cr_assert_eq(queue_time(pair->queue, pair->entry[i].handle), time);
}

static void pair_remove(Pair *pair, uint32_t i)
{
	cr_assert_eq(queue_remove(pair->queue, pair->entry[i].handle), pair->alive[i]);
	if (!pair->alive[i])
		return;
	twin_remove(&pair->twin, &pair->entry[i]);
	pair->alive[i] = false;
}

static void run_pair(uint64_t seed, uint32_t n_entries, uint32_t n_operations)
{
	state = seed;
	Pair pair = {.queue = queue_new(), .n_entries = n_entries};
	pair.twin.event = g_new0(QueueEvent, n_entries);
	pair.entry = g_new0(QueueEvent, n_entries);
	pair.alive = g_new0(bool, n_entries);
	for (uint32_t operation = 0; operation < n_operations; operation++) {
		uint32_t i = random_below(n_entries), choice = random_below(100);
		/* Pushing and popping take turns to prevail, so that the queue is also empty and also full. */
		uint32_t pushes = operation / (4 * n_entries) % 2 ? 15 : 45;
		if (choice < pushes) {
			if (!pair.alive[i])
				pair_push(&pair, i);
		} else if (choice < 60) {
			pair_pop(&pair);
		} else if (choice < 95) {
			pair_update(&pair, i);
		} else {
			pair_remove(&pair, i);
		}
		cr_assert_eq(queue_length(pair.queue), pair.twin.length);
		if (operation % (n_entries / 2) == 0)
			cr_assert(queue_validate(pair.queue), "after %u operations", operation);
	}
	while (pair.twin.length > 0)
		pair_pop(&pair);
	pair_pop(&pair);
	cr_assert(queue_validate(pair.queue));
	queue_free(pair.queue);
	g_free(pair.twin.event);
	g_free(pair.entry);
	g_free(pair.alive);
}

Test(queue, agrees_with_its_twin_when_small)
{
	for (uint64_t seed = 1; seed <= 10; seed++)
		run_pair(seed, 3 + 5 * (uint32_t)seed, 30000);
}

Test(queue, agrees_with_its_twin_when_large)
{
	run_pair(11, 2000, 1000000);
}

Test(queue, order_is_time_then_kind_then_id)
{
	static const QueueEvent sorted[] = {
	    {.time = -INFINITY, .kind = 9, .id = 9},
	    {.time = -2.0, .kind = 9, .id = 9},
	    {.time = -1.0, .kind = 9, .id = 9},
	    {.time = -0x1p-1074, .kind = 9, .id = 9},
	    {.time = 0.0, .kind = 0, .id = 0},
	    {.time = -0.0, .kind = 0, .id = 1},
	    {.time = 0.0, .kind = 0, .id = 2},
	    {.time = 0x1p-1074, .kind = 0, .id = 0},
	    {.time = 1.0, .kind = 0, .id = UINT32_MAX},
	    {.time = 1.0, .kind = 1, .id = 0},
	    {.time = 1.0, .kind = UINT32_MAX, .id = 0},
	    {.time = 1.0 + 0x1p-52, .kind = 0, .id = 0},
	    {.time = INFINITY, .kind = 0, .id = 5},
	    {.time = INFINITY, .kind = 1, .id = 4},
	};
	const uint32_t n = G_N_ELEMENTS(sorted);
	state = 12;
	for (int trial = 0; trial < 200; trial++) {
		uint32_t order[G_N_ELEMENTS(sorted)];
		for (uint32_t i = 0; i < n; i++) {
			uint32_t j = random_below(i + 1);
			order[i] = order[j];
			order[j] = i;
		}
		Queue *queue = queue_new();
		for (uint32_t i = 0; i < n; i++)
			queue_push(queue, sorted[order[i]].time, sorted[order[i]].kind, sorted[order[i]].id);
		for (uint32_t i = 0; i < n; i++) {
			QueueEvent event;
			cr_assert(queue_pop(queue, &event));
			cr_assert(
			    event.time == sorted[i].time && event.kind == sorted[i].kind && event.id == sorted[i].id);
		}
		queue_free(queue);
	}
}

Test(queue, empty)
{
	Queue *queue = queue_new();
	QueueEvent event;
	cr_assert_not(queue_pop(queue, &event));
	cr_assert_not(queue_peek(queue, &event));
	cr_assert_eq(queue_length(queue), 0);
	cr_assert(queue_validate(queue));
	cr_assert_not(queue_contains(queue, (QueueHandle){0, 0}));
	cr_assert_not(queue_remove(queue, (QueueHandle){0, 1}));
	queue_free(queue);
	queue_free(NULL);
}

Test(queue, stale_and_null_handles_do_nothing)
{
	Queue *queue = queue_new();
	const QueueHandle null = {0, 0};
	QueueHandle first = queue_push(queue, 1.0, 0, 1);
	cr_assert(queue_contains(queue, first) && first.generation != 0);
	cr_assert(!queue_contains(queue, null) && !queue_update(queue, null, 0.0) && !queue_remove(queue, null));
	cr_assert(queue_remove(queue, first));
	cr_assert(!queue_contains(queue, first) && !queue_remove(queue, first));

	QueueHandle second = queue_push(queue, 2.0, 0, 2);
	cr_assert_eq(second.index, first.index, "the slot is used again");
	cr_assert(!queue_update(queue, first, 7.0) && isnan(queue_time(queue, first)));
	cr_assert_eq(queue_time(queue, second), 2.0);

	QueueEvent event;
	cr_assert(queue_pop(queue, &event) && event.id == 2 && event.time == 2.0);
	cr_assert(!queue_contains(queue, second) && isnan(queue_time(queue, second)));
	queue_free(queue);
}

/* At the last generation a slot is retired: no handle of it, nor null, ever comes alive again. */
Test(queue, generations_do_not_wrap)
{
	Queue *queue = queue_new();
	QueueHandle early = queue_push(queue, 1.0, 0, 1);
	cr_assert(queue_remove(queue, early));
	queue->slot[early.index].generation = UINT32_MAX;
	QueueHandle last = queue_push(queue, 2.0, 0, 2);
	cr_assert(last.index == early.index && last.generation == UINT32_MAX && queue_contains(queue, last));
	cr_assert(queue_remove(queue, last));
	cr_assert(queue_validate(queue));
	for (uint32_t i = 0; i < 100; i++) {
		QueueHandle handle = queue_push(queue, 3.0, 0, i);
		cr_assert(handle.index != early.index && handle.generation != 0);
	}
	cr_assert(!queue_contains(queue, early) && !queue_contains(queue, last));
	cr_assert_not(queue_contains(queue, (QueueHandle){early.index, 0}));
	cr_assert(queue_validate(queue));
	queue_free(queue);
}

/* Events that agree in everything should not occur; if they do, the same calls give the same handles in the same order.
 */
Test(queue, equal_events_come_out_the_same_way_each_time)
{
	uint32_t popped[2][300];
	for (int run = 0; run < 2; run++) {
		state = 13;
		Queue *queue = queue_new();
		for (int i = 0; i < 300; i++)
			queue_push(queue, random_below(3), 0, 7);
		for (int i = 0; i < 300; i++) {
			QueueEvent event;
			cr_assert(queue_pop(queue, &event));
			popped[run][i] = event.handle.index;
		}
		queue_free(queue);
	}
	cr_assert_eq(memcmp(popped[0], popped[1], sizeof popped[0]), 0);
}

Test(queue, nothing_is_allocated_in_steady_state)
{
	Queue *queue = queue_new();
	state = 14;
	for (uint32_t i = 0; i < 1000; i++)
		queue_push(queue, random_below(100), 0, i);
	size_t memory = queue_memory(queue);
	const void *key = queue->key, *slot = queue->slot;
	for (int i = 0; i < 100000; i++) {
		QueueEvent event;
		queue_pop(queue, &event);
		queue_push(queue, event.time + random_below(100), 0, event.id);
	}
	cr_assert_eq(queue_memory(queue), memory);
	cr_assert(queue->key == key && queue->slot == slot);
	cr_assert(memory >= 1000 * (sizeof(QueueKey) + sizeof(uint32_t) + sizeof(QueueSlot)));
	cr_assert_eq((uintptr_t)queue->key % 64, 0);
	queue_free(queue);
}

Test(queue, validation_sees_damage)
{
	Queue *queue = queue_new();
	for (uint32_t i = 0; i < 20; i++)
		queue_push(queue, i, 0, i);
	queue_remove(queue, (QueueHandle){5, 1});
	cr_assert(queue_validate(queue));
	QueueKey key = queue->key[QUEUE_ROOT + 8];
	queue->key[QUEUE_ROOT + 8].time_bits = 0;
	cr_assert_not(queue_validate(queue), "order");
	queue->key[QUEUE_ROOT + 8] = key;
	queue->slot[3].place++;
	cr_assert_not(queue_validate(queue), "link");
	queue->slot[3].place--;
	queue->first_free = 5 + 1;
	cr_assert_not(queue_validate(queue), "free list");
	queue_free(queue);
}

Test(queue, not_a_number_aborts, .signal = SIGABRT)
{
	Queue *queue = queue_new();
	queue_push(queue, NAN, 0, 0);
}

/* A 4-ary heap in which every event knows its place.
 *
 * Invariants (queue_validate):
 *   - the key of a node is not greater than those of its children, which stand at 4 (p - 2) ... 4 (p - 2) + 3;
 *   - slot[owner[p]].place == p for every place p in use: so update and remove need no search;
 *   - every slot is either owned by one place, or in the list of free slots, or retired.
 *
 * Four children rather than two: a level costs one cache line whatever the arity, and there are half as many levels. */
#include "avi/queue.h"
#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_SLOT UINT32_MAX
#define CACHE_LINE 64

static uint32_t parent_of(uint32_t place)
{
	return place / 4 + 2;
}

/* 64 bits, since the children of the last places may lie beyond 2^32. */
static uint64_t first_child_of(uint32_t place)
{
	return 4 * ((uint64_t)place - 2);
}

/* The bits of a positive double grow with it as an integer; those of a negative one fall. */
static uint64_t bits_of_time(double time)
{
	g_assert(!isnan(time));
	time += 0.0; /* -0 becomes 0 */
	uint64_t bits;
	memcpy(&bits, &time, sizeof bits);
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double time_of_bits(uint64_t bits)
{
	bits = bits >> 63 ? bits & ~(UINT64_C(1) << 63) : ~bits;
	double time;
	memcpy(&time, &bits, sizeof time);
	return time;
}

/* Compiles to a subtraction with borrow: no branch to be predicted wrongly. */
static inline bool is_before(QueueKey a, QueueKey b)
{
	unsigned __int128 first = (unsigned __int128)a.time_bits << 64 | a.rank;
	unsigned __int128 second = (unsigned __int128)b.time_bits << 64 | b.rank;
	return first < second;
}

Queue *queue_new(void)
{
	Queue *queue = g_new0(Queue, 1);
	queue->end = QUEUE_ROOT;
	queue->first_free = NO_SLOT;
	return queue;
}

void queue_free(Queue *queue)
{
	if (queue == NULL)
		return;
	free(queue->key);
	g_free(queue->owner);
	g_free(queue->slot);
	g_free(queue);
}

static void grow_places(Queue *queue)
{
	g_assert(queue->capacity < UINT32_C(1) << 31);
	uint32_t capacity = MAX(64u, 2 * queue->capacity);
	size_t bytes = (size_t)capacity * sizeof(QueueKey);
	QueueKey *key = aligned_alloc(CACHE_LINE, bytes);
	if (key == NULL)
		g_error("out of memory: %zu bytes for the event queue", bytes);
	memset(key, 0, bytes);
	if (queue->key != NULL)
		memcpy(key, queue->key, (size_t)queue->end * sizeof(QueueKey));
	free(queue->key);
	queue->key = key;
	queue->owner = g_renew(uint32_t, queue->owner, capacity);
	queue->capacity = capacity;
}

static uint32_t take_slot(Queue *queue)
{
	uint32_t index = queue->first_free;
	if (index != NO_SLOT) {
		queue->first_free = queue->slot[index].place;
		return index;
	}
	if (queue->slot_count == queue->slot_capacity) {
		g_assert(queue->slot_capacity < UINT32_C(1) << 31);
		queue->slot_capacity = MAX(64u, 2 * queue->slot_capacity);
		queue->slot = g_renew(QueueSlot, queue->slot, queue->slot_capacity);
	}
	index = queue->slot_count++;
	queue->slot[index].generation = 1;
	return index;
}

/* A slot that would begin again at generation 0 is never used again: after 2^32 events in one slot (a quarter of an
 * hour of popping and pushing) an old handle would otherwise seem to be alive. It costs 8 bytes. */
static void release_slot(Queue *queue, uint32_t index)
{
	QueueSlot *slot = &queue->slot[index];
	slot->generation++;
	if (slot->generation == 0)
		return;
	slot->place = queue->first_free;
	queue->first_free = index;
}

static inline void put(Queue *queue, uint32_t place, QueueKey key, uint32_t owner)
{
	queue->key[place] = key;
	queue->owner[place] = owner;
	queue->slot[owner].place = place;
}

/* Fills the hole at `place`, or one above it, with this event. */
static void sift_up(Queue *queue, uint32_t place, QueueKey key, uint32_t owner)
{
	while (place > QUEUE_ROOT) {
		uint32_t parent = parent_of(place);
		if (!is_before(key, queue->key[parent]))
			break;
		put(queue, place, queue->key[parent], queue->owner[parent]);
		place = parent;
	}
	put(queue, place, key, owner);
}

/* The first of the children that begin at `child`; there is at least one. */
static inline uint32_t first_of_children(const Queue *queue, uint32_t child)
{
	const QueueKey *key = queue->key;
	if (child + 4 <= queue->end) {
		/* Added rather than chosen: which child is first cannot be predicted, and a branch here costs twice the
		 * time. */
		uint32_t left = child + is_before(key[child + 1], key[child]);
		uint32_t right = child + 2 + is_before(key[child + 3], key[child + 2]);
		return left + (right - left) * is_before(key[right], key[left]);
	}
	uint32_t best = child;
	for (uint32_t other = child + 1; other < queue->end; other++)
		best = is_before(key[other], key[best]) ? other : best;
	return best;
}

/* Asks for all four groups of grandchildren while the children are compared: without a branch the processor cannot
 * guess which will be needed. An address beyond the array is only a hint, hence the integer. */
static inline void fetch_grandchildren(const Queue *queue, uint32_t children)
{
	uintptr_t address = (uintptr_t)queue->key + first_child_of(children) * sizeof(QueueKey);
	for (unsigned i = 0; i < 4; i++)
		__builtin_prefetch((const void *)(address + i * CACHE_LINE));
}

/* Fills the hole at `place`, or one below it, with this event. */
static void sift_down(Queue *queue, uint32_t place, QueueKey key, uint32_t owner)
{
	while (first_child_of(place) < queue->end) {
		uint32_t children = (uint32_t)first_child_of(place);
		fetch_grandchildren(queue, children);
		uint32_t child = first_of_children(queue, children);
		if (!is_before(queue->key[child], key))
			break;
		put(queue, place, queue->key[child], queue->owner[child]);
		place = child;
	}
	put(queue, place, key, owner);
}

/* Fills the hole at `place` with this event, moving it whichever way is right. */
static void settle(Queue *queue, uint32_t place, QueueKey key, uint32_t owner)
{
	if (place > QUEUE_ROOT && is_before(key, queue->key[parent_of(place)]))
		sift_up(queue, place, key, owner);
	else
		sift_down(queue, place, key, owner);
}

/* Takes the event at `place` out and fills the hole with the last event. */
static void take_out(Queue *queue, uint32_t place)
{
	release_slot(queue, queue->owner[place]);
	uint32_t last = --queue->end;
	if (place != last)
		settle(queue, place, queue->key[last], queue->owner[last]);
}

static QueueEvent event_at(const Queue *queue, uint32_t place)
{
	QueueKey key = queue->key[place];
	uint32_t owner = queue->owner[place];
	return (QueueEvent){
	    .time = time_of_bits(key.time_bits),
	    .kind = (uint32_t)(key.rank >> 32),
	    .id = (uint32_t)key.rank,
	    .handle = {owner, queue->slot[owner].generation},
	};
}

QueueHandle queue_push(Queue *queue, double time, uint32_t kind, uint32_t id)
{
	QueueKey key = {bits_of_time(time), (uint64_t)kind << 32 | id};
	if (queue->end >= queue->capacity)
		grow_places(queue);
	uint32_t index = take_slot(queue);
	sift_up(queue, queue->end++, key, index);
	return (QueueHandle){index, queue->slot[index].generation};
}

bool queue_peek(const Queue *queue, QueueEvent *event)
{
	if (queue->end == QUEUE_ROOT)
		return false;
	*event = event_at(queue, QUEUE_ROOT);
	return true;
}

bool queue_pop(Queue *queue, QueueEvent *event)
{
	if (!queue_peek(queue, event))
		return false;
	take_out(queue, QUEUE_ROOT);
	return true;
}

bool queue_contains(const Queue *queue, QueueHandle handle)
{
	/* A free slot already bears its next generation, which no handle has yet; a retired one bears 0, that of null.
	 */
	return handle.generation != 0 && handle.index < queue->slot_count &&
	       queue->slot[handle.index].generation == handle.generation;
}

double queue_time(const Queue *queue, QueueHandle handle)
{
	if (!queue_contains(queue, handle))
		return NAN;
	return time_of_bits(queue->key[queue->slot[handle.index].place].time_bits);
}

bool queue_update(Queue *queue, QueueHandle handle, double time)
{
	if (!queue_contains(queue, handle))
		return false;
	uint32_t place = queue->slot[handle.index].place;
	QueueKey key = {bits_of_time(time), queue->key[place].rank};
	settle(queue, place, key, handle.index);
	return true;
}

bool queue_remove(Queue *queue, QueueHandle handle)
{
	if (!queue_contains(queue, handle))
		return false;
	take_out(queue, queue->slot[handle.index].place);
	return true;
}

size_t queue_memory(const Queue *queue)
{
	return sizeof *queue + (size_t)queue->capacity * (sizeof *queue->key + sizeof *queue->owner) +
	       (size_t)queue->slot_capacity * sizeof *queue->slot;
}

bool queue_validate(const Queue *queue)
{
	if (queue->end < QUEUE_ROOT || (queue->end > QUEUE_ROOT && queue->end > queue->capacity))
		return false;
	for (uint32_t place = QUEUE_ROOT; place < queue->end; place++) {
		uint32_t owner = queue->owner[place];
		if (owner >= queue->slot_count || queue->slot[owner].place != place ||
		    queue->slot[owner].generation == 0)
			return false;
		if (place > QUEUE_ROOT && is_before(queue->key[place], queue->key[parent_of(place)]))
			return false;
	}
	/* No slot can be both free and live, nor twice in the list, if live, free and retired add up to all. */
	uint32_t n_free = 0, n_retired = 0;
	for (uint32_t i = queue->first_free; i != NO_SLOT && n_free <= queue->slot_count;
	     i = queue->slot[i].place, n_free++) {
		if (i >= queue->slot_count)
			return false;
	}
	for (uint32_t i = 0; i < queue->slot_count; i++)
		n_retired += queue->slot[i].generation == 0;
	return queue_length(queue) + n_free + n_retired == queue->slot_count;
}

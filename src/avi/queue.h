/* The event queue: an indexed heap of what happens next.
 *
 * Events come out in the order (time, kind, id): a run must not depend on heap history, so the order is a total order
 * of what the scene says, not of when an event was pushed. No two events should agree in all three; if they do, they
 * come out in an order that depends only on the sequence of calls.
 *
 * An event is known by its handle, with which its time can be changed or the event removed. A handle goes stale when
 * its event is popped or removed, and stays stale for ever: generations do not wrap, a slot that has used them all is
 * retired.
 *
 * Times may be INFINITY (the event never comes, but keeps its place) and may be negative; -0 counts as 0. NaN is a
 * programming error and aborts. Nothing is allocated while the length stays below its earlier maximum. */
#ifndef CINCH_AVI_QUEUE_H
#define CINCH_AVI_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All-zero is null, which no event ever has. */
typedef struct {
	uint32_t index, generation;
} QueueHandle;

typedef struct {
	double time; /* [s] */
	uint32_t kind, id;
	QueueHandle handle;
} QueueEvent;

/* The order as two integers: the bits of the time, made to grow with it, then kind and id. 16 bytes, so that the four
 * children of a node are one cache line and their comparison needs no branch. */
typedef struct {
	uint64_t time_bits;
	uint64_t rank; /* kind << 32 | id */
} QueueKey;

typedef struct {
	uint32_t place;      /* in the heap while live; the next free slot (or none) while free */
	uint32_t generation; /* of the event that lives here, or of the next that will; 0 when retired */
} QueueSlot;

/* For reading only outside of queue.c. The root is at place QUEUE_ROOT and the children of p begin at 4 (p - 2), a
 * multiple of 4, so that in arrays aligned to 64 bytes they are one cache line. */
#define QUEUE_ROOT 3u
typedef struct {
	QueueKey
	    *key; /* (capacity), aligned to 64 bytes, used from QUEUE_ROOT on; written by push, pop, update, remove */
	uint32_t *owner;   /* (capacity), the slot of the event at each place; written with key */
	QueueSlot *slot;   /* (slot_capacity), by handle index */
	uint32_t end;      /* one past the last place in use; QUEUE_ROOT when empty */
	uint32_t capacity; /* places */
	uint32_t slot_count, slot_capacity;
	uint32_t first_free; /* head of the list of free slots */
} Queue;

Queue *queue_new(void);
/* NULL is allowed. */
void queue_free(Queue *queue);

QueueHandle queue_push(Queue *queue, double time, uint32_t kind, uint32_t id);

/* The first event, taken out or left in; false when the queue is empty. The handle of a popped event is stale. */
bool queue_pop(Queue *queue, QueueEvent *event);
bool queue_peek(const Queue *queue, QueueEvent *event);

/* Changes the time of an event, or takes it out. False, and nothing is done, when the handle is null or stale. */
bool queue_update(Queue *queue, QueueHandle handle, double time);
bool queue_remove(Queue *queue, QueueHandle handle);

bool queue_contains(const Queue *queue, QueueHandle handle);
/* The time of an event; NaN when the handle is null or stale. */
double queue_time(const Queue *queue, QueueHandle handle);

static inline uint32_t queue_length(const Queue *queue)
{
	return queue->end - QUEUE_ROOT;
}

/* Bytes allocated. */
size_t queue_memory(const Queue *queue);

/* Checks the order of the heap, the links between places and slots, and the list of free slots: for tests and debug
 * builds, linear in the length. */
bool queue_validate(const Queue *queue);

#endif

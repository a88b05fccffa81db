/* The event queue beside GLib's GSequence (a balanced tree, the nearest thing that GLib offers), under two workloads:
 *
 *   hold     pop the first event and push one at a random later time: what forces do;
 *   update   90% changes of the time of a random event, 10% pop and push: what rescheduling certificates does.
 *
 * Both queues are given the same operations, and what they popped is compared by a sum. It prints nanoseconds per
 * operation (a pop with its push counts as one) and asserts nothing about them.
 *
 * Usage: bench_queue [operations per measurement] */
#include "avi/queue.h"
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t state;

static uint64_t random_bits(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Between 0 and 2, so that the events of a queue lie within 2 of now. */
static double random_delay(void)
{
	return (double)(random_bits() >> 11) * 0x1p-52;
}

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct {
	double nanoseconds; /* per operation */
	double sum;         /* of the times popped */
} Measurement;

/* Per ten operations, how many are updates. */
typedef enum { HOLD = 0, UPDATE = 9 } Workload;

static Measurement measure_queue(Workload workload, uint32_t n_events, uint32_t n_operations)
{
	Queue *queue = queue_new();
	QueueHandle *handle = g_new(QueueHandle, n_events);
	state = 1;
	for (uint32_t i = 0; i < n_events; i++)
		handle[i] = queue_push(queue, random_delay(), 0, i);
	double now = 0.0, sum = 0.0, start = seconds();
	for (uint32_t operation = 0; operation < n_operations; operation++) {
		if (operation % 10 < (uint32_t)workload) {
			uint32_t i = (uint32_t)(random_bits() % n_events);
			queue_update(queue, handle[i], now + random_delay());
		} else {
			QueueEvent event;
			queue_pop(queue, &event);
			now = event.time;
			sum += now;
			handle[event.id] = queue_push(queue, now + random_delay(), 0, event.id);
		}
	}
	double elapsed = seconds() - start;
	g_free(handle);
	queue_free(queue);
	return (Measurement){1e9 * elapsed / n_operations, sum};
}

typedef struct {
	double time;
	uint32_t kind, id;
} Item;

static int compare_items(const void *first, const void *second, void *data G_GNUC_UNUSED)
{
	const Item *a = first, *b = second;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* The items stay where they are, so that the sequence allocates its nodes only. */
static Measurement measure_sequence(Workload workload, uint32_t n_events, uint32_t n_operations)
{
	GSequence *sequence = g_sequence_new(NULL);
	Item *item = g_new(Item, n_events);
	GSequenceIter **place = g_new(GSequenceIter *, n_events);
	state = 1;
	for (uint32_t i = 0; i < n_events; i++) {
		item[i] = (Item){random_delay(), 0, i};
		place[i] = g_sequence_insert_sorted(sequence, &item[i], compare_items, NULL);
	}
	double now = 0.0, sum = 0.0, start = seconds();
	for (uint32_t operation = 0; operation < n_operations; operation++) {
		if (operation % 10 < (uint32_t)workload) {
			uint32_t i = (uint32_t)(random_bits() % n_events);
			item[i].time = now + random_delay();
			g_sequence_sort_changed(place[i], compare_items, NULL);
		} else {
			GSequenceIter *first = g_sequence_get_begin_iter(sequence);
			Item *popped = g_sequence_get(first);
			g_sequence_remove(first);
			now = popped->time;
			sum += now;
			popped->time = now + random_delay();
			place[popped->id] = g_sequence_insert_sorted(sequence, popped, compare_items, NULL);
		}
	}
	double elapsed = seconds() - start;
	g_sequence_free(sequence);
	g_free(item);
	g_free(place);
	return (Measurement){1e9 * elapsed / n_operations, sum};
}

int main(int n_arguments, char **arguments)
{
	uint32_t n_operations = n_arguments > 1 ? (uint32_t)strtoul(arguments[1], NULL, 10) : 1000000;
	static const uint32_t sizes[] = {1000, 10000, 100000, 1000000};
	if (n_operations == 0) {
		fprintf(stderr, "usage: %s [operations per measurement]\n", arguments[0]);
		return 2;
	}
	printf("%-8s %9s %14s %14s %7s\n", "workload", "events", "queue [ns]", "GSequence [ns]", "ratio");
	for (int i = 0; i < 2; i++) {
		Workload workload = i == 0 ? HOLD : UPDATE;
		for (size_t j = 0; j < G_N_ELEMENTS(sizes); j++) {
			Measurement ours = measure_queue(workload, sizes[j], n_operations);
			Measurement theirs = measure_sequence(workload, sizes[j], n_operations);
			if (ours.sum != theirs.sum) {
				fprintf(stderr, "the queues disagree: %.17g and %.17g\n", ours.sum, theirs.sum);
				return 1;
			}
			printf("%-8s %9u %14.1f %14.1f %7.1f\n", workload == HOLD ? "hold" : "update", sizes[j],
			    ours.nanoseconds, theirs.nanoseconds, theirs.nanoseconds / ours.nanoseconds);
		}
	}
	return 0;
}

#include "avi/avi.h"
#include "core/stopwatch.h"
#include <math.h>

Avi *avi_new(void)
{
	Avi *avi = g_new0(Avi, 1);
	avi->queue = queue_new();
	return avi;
}

void avi_free(Avi *avi)
{
	if (avi == NULL)
		return;
	queue_free(avi->queue);
	g_free(avi);
}

void avi_handle(Avi *avi, AviKind kind, AviHandler handler)
{
	avi->handler[kind] = handler;
}

QueueHandle avi_schedule(Avi *avi, double time, AviKind kind, uint32_t id)
{
	return queue_push(avi->queue, time, kind, id);
}

void avi_reset(Avi *avi, double time, bool begun)
{
	QueueEvent event;
	while (queue_pop(avi->queue, &event))
		continue;
	avi->time = time;
	avi->begun = begun;
	avi->stopped = false;
}

bool avi_advance(Avi *avi, double until, GError **error)
{
	QueueEvent event;
	avi->begun = true;
	while (queue_peek(avi->queue, &event) && event.time <= until) {
		const AviHandler *handler = &avi->handler[event.kind];
		double next = INFINITY;
		double began = stopwatch_seconds();
		if (!handler->act(handler->context, event.id, event.time, &next, error)) {
			avi->stopped = true;
			return false;
		}
		avi->count[event.kind].seconds += stopwatch_seconds() - began;
		avi->count[event.kind].events++;
		avi->time = event.time;
		if (next == INFINITY)
			queue_remove(avi->queue, event.handle);
		else
			queue_update(avi->queue, event.handle, next);
	}
	avi->time = until;
	return true;
}

uint64_t avi_event_count(const Avi *avi)
{
	uint64_t sum = 0;
	for (int kind = 0; kind < AVI_N_KINDS; kind++)
		sum += avi->count[kind].events;
	return sum;
}

#include "avi/avi.h"
#include "avi/clock.h"
#include "core/error.h"
#include "core/stopwatch.h"
#include <math.h>

Avi *avi_new(void)
{
	Avi *avi = g_new0(Avi, 1);
	avi->queue = queue_new();
	avi->instant_end = -INFINITY;
	return avi;
}

void avi_free(Avi *avi)
{
	if (avi == NULL)
		return;
	queue_free(avi->queue);
	if (avi->line != NULL)
		g_string_free(avi->line, TRUE);
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
	avi->instant_end = -INFINITY;
}

/* No clock ticks twice within the resolution of time, and certificates that fail there, at most a few times each, are
 * computed anew. Events without end at one instant, or at instants that no clock could tell apart, are numbers that
 * are too large for the arithmetic: a vertex that flies at 1e200, say. */
static bool time_stands_still(Avi *avi, double time)
{
	if (time > avi->instant_end) {
		avi->instant_end = time + clock_resolution(time);
		avi->instant_events = 0;
		return false;
	}
	return ++avi->instant_events > 100 * (1000 + (uint64_t)queue_length(avi->queue));
}

static bool fail_still(const Avi *avi, double time, GError **error)
{
	return error_set(error, CINCH_ERROR_LIMIT,
	    "stopped at t = %.9g s: %" G_GUINT64_FORMAT " events have passed and time does not go on; something moves too fast "
	    "for its resolution",
	    time, avi->instant_events);
}

bool avi_advance(Avi *avi, double until, GError **error)
{
	QueueEvent event;
	avi->begun = true;
	while (queue_peek(avi->queue, &event) && event.time <= until) {
		const AviHandler *handler = &avi->handler[event.kind];
		double next = INFINITY;
		double began = stopwatch_seconds();
		bool good = time_stands_still(avi, event.time)
		                ? fail_still(avi, event.time, error)
		                : handler->act(handler->context, event.id, event.time, &next, error);
		if (avi->trace != NULL)
			avi_end_line(avi, event.time, handler->name);
		if (!good) {
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

void avi_trace(Avi *avi, FILE *file)
{
	avi->trace = file;
	if (avi->line == NULL)
		avi->line = g_string_new(NULL);
}

void avi_note(Avi *avi, const char *format, ...)
{
	if (avi->trace == NULL)
		return;
	va_list arguments;
	va_start(arguments, format);
	g_string_append(avi->line, avi->line->len > 0 ? "; " : "");
	g_string_append_vprintf(avi->line, format, arguments);
	va_end(arguments);
}

void avi_end_line(Avi *avi, double time, const char *kind)
{
	/* Nine decimals: steps of deep layers are microseconds and less. */
	fprintf(avi->trace, "%.9f s  %-11s  %s\n", time, kind, avi->line->str);
	g_string_truncate(avi->line, 0);
}

/* The loop: one queue, sorted by time, drives everything.
 *
 * An event is a (time, kind, id). Its kind names a handler; the handler acts and says when that event comes next. The
 * loop knows nothing else of what a force, a script or a certificate is. */
#ifndef CINCH_AVI_AVI_H
#define CINCH_AVI_AVI_H

#include "avi/queue.h"
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* In the order in which events of the same time act: what decides who takes part comes before what moves, and what
 * only reads comes last. */
typedef enum {
	AVI_CERTIFICATE,
	AVI_SCRIPT,
	AVI_FORCE,
	AVI_REMOVAL, /* of a body: when it acts, all that moves at that time has moved */
	AVI_REBUILD, /* of all detection state; moves nothing */
	AVI_FRAME,
	AVI_CHECKPOINT, /* last: when it acts, every event up to its time has */
	AVI_N_KINDS
} AviKind;

typedef struct {
	const char *name;
	void *context;
	/* Acts on event `id` at `time` and sets *next to the time of its next occurrence; INFINITY ends it. */
	bool (*act)(void *context, uint32_t id, double time, double *next, GError **error);
} AviHandler;

typedef struct {
	uint64_t events; /* acted on */
	double seconds;  /* of wall time in their handlers */
} AviCount;

typedef struct {
	Queue *queue;
	AviHandler handler[AVI_N_KINDS];
	AviCount count[AVI_N_KINDS];
	double time;  /* [s] up to which every event has acted */
	bool begun;   /* whether the events at time zero have acted: time alone does not tell */
	bool stopped; /* an event has failed, so that others of its time may not have acted, or it only in part */
	double instant_end;      /* [s] until then time has not gone on, by its resolution, since instant_events began */
	uint64_t instant_events; /* acted on since */

	FILE *trace;   /* gets a line for each event; NULL: none */
	GString *line; /* what the event under way has noted; only while there is a trace */
} Avi;

Avi *avi_new(void);
void avi_free(Avi *avi);
void avi_handle(Avi *avi, AviKind kind, AviHandler handler);
QueueHandle avi_schedule(Avi *avi, double time, AviKind kind, uint32_t id);

/* Takes every event out of the queue and sets the time; all handles are stale from then on. */
void avi_reset(Avi *avi, double time, bool begun);

/* Acts on every event up to and including `until`. */
bool avi_advance(Avi *avi, double until, GError **error);

uint64_t avi_event_count(const Avi *avi);

/* From now on every event writes a line to `file`, which stays the caller's: its time, its kind, and what those who acted
 * have noted, in the order in which they did. Reads only: the motion is the same with a trace and without. */
void avi_trace(Avi *avi, FILE *file);
/* Adds to the line of the event under way; does nothing without a trace. Where it takes work to find the words, ask for
 * avi->trace first. */
void avi_note(Avi *avi, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Writes the line: the loop does so after each event. */
void avi_end_line(Avi *avi, double time, const char *kind);

#endif

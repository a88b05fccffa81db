/* The progress line of a run: on a terminal one line that is rewritten; nothing where output is piped. */
#ifndef CINCH_CLI_PROGRESS_H
#define CINCH_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
	bool shown;           /* standard error is a terminal */
	double start_time;    /* [s] simulated */
	double end_time;      /* [s] simulated */
	double started;       /* wall clock */
	double last_drawn;    /* wall clock */
	double last_time;     /* [s] simulated, at last_drawn */
	uint64_t last_events; /* at last_drawn */
} Progress;

void progress_begin(Progress *progress, bool wanted, double start_time, double end_time);
/* Redraws at most a few times a second. */
void progress_update(Progress *progress, double time, uint64_t events);
/* Removes the line. */
void progress_end(Progress *progress);

/* "3 h 20 min", "12 s". Free with g_free. */
char *progress_duration(double seconds);

#endif

/* The progress line of a run: on a terminal one line that is rewritten; nothing where output is piped. */
#ifndef CINCH_CLI_PROGRESS_H
#define CINCH_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
	bool shown;           /* standard error is a terminal */
	const char *what;     /* before the time: "settling: "; NULL: nothing */
	double start_time;    /* [s] simulated */
	double end_time;      /* [s] simulated */
	double started;       /* wall clock */
	double last_drawn;    /* wall clock */
	double last_time;     /* [s] simulated, at last_drawn */
	uint64_t last_events; /* at last_drawn */
	double best_pace;     /* simulated per wall second, of the fastest stretch between two drawings */
} Progress;

void progress_begin(Progress *progress, bool wanted, double start_time, double end_time);
/* Redraws at most a few times a second, with the deepest layer of contact (0: none). */
void progress_update(Progress *progress, double time, uint64_t events, uint32_t layer);
/* Removes the line. */
void progress_end(Progress *progress);

/* "3 h 20 min", "12 s". Free with g_free. */
char *progress_duration(double seconds);

#endif

/* Whether a team of threads pays, found out by trying.
 *
 * On a quiet machine two threads do a piece of work in about half the time. On a busy one a thread that has lost its
 * processor keeps the others waiting at every barrier, and a team can take twenty times as long as one thread alone. No
 * count of processors says which it will be, and it changes while a run goes on. So the work is timed, and now and then
 * a piece is done the other way; the way that is faster per unit of work stays in use.
 *
 * A trial that loses is repeated only after TEAM_PATIENCE times the time that it lost: so trials cost at most 1 part in
 * TEAM_PATIENCE, however bad the other way is, and are frequent where they are cheap.
 *
 * This decides from wall time, so it may decide differently in each run: use it only where the result does not depend on
 * the number of threads. */
#ifndef CINCH_CORE_TEAM_H
#define CINCH_CORE_TEAM_H

#include <stdbool.h>
#include <stddef.h>

#define TEAM_PATIENCE 32.0
#define TEAM_LONGEST_PATIENCE 1.0 /* [s] of work, after which a team is tried again in any case */

/* All zero is a team that has yet to be tried. */
typedef struct {
	bool fixed;      /* never try: always together. For benchmarks */
	bool alone;      /* the way in use: one thread, or (at first) all together */
	double seconds;  /* spent in the way in use since the last trial ... */
	double work;     /* ... on this much work, in units of the caller */
	double patience; /* [s] until the next trial */
} Team;

/* Whether the next piece of work is to be done together. */
bool team_together(const Team *team);

/* Tells how long that piece of work took, done in the way that team_together() said. */
void team_learn(Team *team, bool together, double seconds, double work);

/* Whether a piece of n items is worth a thought of a team at all: below `fewest` waking one costs more than it saves. With
 * CINCH_TEAMS=always in the environment every piece is, and all are done together: so that tests of threads need not be large. */
bool team_is_worth(unsigned threads, size_t n, size_t fewest);

/* The items [begin, end) of a piece of work, by the thread of this number, 0 ... threads - 1. */
typedef void TeamPart(void *data, size_t begin, size_t end, unsigned thread);

/* How a piece is cut: below `fewest` items it is done alone. Together, everybody takes `grain` items at a time, as soon as the
 * last are done; or with grain 0 one stretch each, in the order of threads. `work` is what the cost of the piece goes with, where
 * that is not n; 0: it is. */
typedef struct {
	size_t fewest, grain;
	double work;
} TeamCut;

/* Does n items, alone or together, whatever has been faster for this team lately. */
void team_share(Team *team, unsigned threads, size_t n, TeamCut cut, TeamPart *part, void *data);

#endif

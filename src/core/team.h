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

#endif

#include "core/team.h"
#include "core/stopwatch.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* For tests; not asked for each piece, but once. */
static bool are_forced(void)
{
	static _Atomic int forced = -1;
	if (forced < 0) {
		const char *teams = getenv("CINCH_TEAMS");
		forced = teams != NULL && strcmp(teams, "always") == 0;
	}
	return forced;
}

bool team_together(const Team *team)
{
	if (team->fixed || are_forced())
		return true;
	bool trial = team->work > 0.0 && team->seconds >= team->patience;
	return trial ? team->alone : !team->alone;
}

/* The other way was faster. What a team has lost until it was found out counts as a trial that it lost. A team that wins
 * may have been lucky once: it is compared again after one more piece. */
static void change_over(Team *team, double seconds, double work)
{
	double lost = team->seconds - team->work * seconds / work;
	team->alone = !team->alone;
	team->patience = team->alone ? fmin(TEAM_PATIENCE * lost, TEAM_LONGEST_PATIENCE) : seconds;
	team->seconds = seconds;
	team->work = work;
}

void team_learn(Team *team, bool together, double seconds, double work)
{
	if (together != team->alone) { /* the way in use */
		team->seconds += seconds;
		team->work += work;
		return;
	}
	double lost = seconds - work * team->seconds / team->work;
	if (lost < 0.0) {
		change_over(team, seconds, work);
		return;
	}
	team->patience = fmin(TEAM_PATIENCE * lost, TEAM_LONGEST_PATIENCE);
	team->seconds = team->work = 0.0;
}

bool team_is_worth(unsigned threads, size_t n, size_t fewest)
{
	return threads > 1 && (n >= fewest || are_forced());
}

static void share_out(unsigned threads, size_t n, size_t grain, TeamPart *part, void *data)
{
#pragma omp parallel num_threads(threads)
	{
		unsigned thread = (unsigned)omp_get_thread_num();
		size_t all = (size_t)omp_get_num_threads();
		if (grain == 0) {
			part(data, n * thread / all, n * (thread + 1) / all, thread);
		} else {
			size_t pieces = (n + grain - 1) / grain;
#pragma omp for schedule(dynamic) nowait
			for (size_t i = 0; i < pieces; i++)
				part(data, i * grain, i + 1 < pieces ? (i + 1) * grain : n, thread);
		}
	}
}

void team_share(Team *team, unsigned threads, size_t n, TeamCut cut, TeamPart *part, void *data)
{
	if (!team_is_worth(threads, n, cut.fewest)) {
		if (n > 0)
			part(data, 0, n, 0);
		return;
	}
	bool together = team_together(team);
	double began = stopwatch_seconds();
	if (together)
		share_out(threads, n, cut.grain, part, data);
	else
		part(data, 0, n, 0);
	team_learn(team, together, stopwatch_seconds() - began, cut.work > 0.0 ? cut.work : (double)n);
}

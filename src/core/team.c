#include "core/team.h"
#include <math.h>

bool team_together(const Team *team)
{
	if (team->fixed)
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

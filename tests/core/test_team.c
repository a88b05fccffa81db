/* The choice between one thread and a team, with made-up times: no clock is read here. */
#include "core/team.h"
#include <criterion/criterion.h>

/* Does pieces of one unit of work for `span` seconds, at the given cost of each way; returns how much was done. */
static double work_for(Team *team, double span, double alone, double together)
{
	double seconds = 0.0, work = 0.0;
	while (seconds < span) {
		bool choice = team_together(team);
		double cost = choice ? together : alone;
		team_learn(team, choice, cost, 1.0);
		seconds += cost;
		work += 1.0;
	}
	return work / seconds;
}

Test(team, is_used_where_it_pays)
{
	Team team = {0};
	double rate = work_for(&team, 10.0, 1e-3, 0.55e-3);
	cr_assert(rate * 0.55e-3 > 0.95, "%g of the work that a team could do", rate * 0.55e-3);
}

Test(team, is_left_where_it_does_not_pay)
{
	Team team = {0};
	double rate = work_for(&team, 10.0, 1e-3, 20e-3);
	cr_assert(rate * 1e-3 > 0.95, "%g of the work that one thread could do", rate * 1e-3);
}

Test(team, follows_when_the_machine_becomes_busy_and_quiet_again)
{
	Team team = {0};
	for (int i = 0; i < 5; i++) {
		double busy = work_for(&team, 10.0, 1e-3, 50e-3), quiet = work_for(&team, 10.0, 1e-3, 0.55e-3);
		cr_assert(busy * 1e-3 > 0.9, "busy: %g of the work that one thread could do", busy * 1e-3);
		cr_assert(quiet * 0.55e-3 > 0.9, "quiet: %g of the work that a team could do", quiet * 0.55e-3);
	}
}

Test(team, survives_luck)
{
	/* Every third piece of a team happens to be fast; on average it is far slower. */
	Team team = {0};
	double seconds = 0.0, work = 0.0;
	for (int i = 0; seconds < 20.0; i++) {
		bool choice = team_together(&team);
		double cost = !choice ? 1e-3 : i % 3 == 0 ? 0.5e-3 : 30e-3;
		team_learn(&team, choice, cost, 1.0);
		seconds += cost;
		work += 1.0;
	}
	cr_assert(work / seconds * 1e-3 > 0.8, "%g of the work that one thread could do", work / seconds * 1e-3);
}

Test(team, survives_a_clock_that_stands_still)
{
	Team team = {0};
	for (int i = 0; i < 1000; i++)
		team_learn(&team, team_together(&team), 0.0, 1.0);
}

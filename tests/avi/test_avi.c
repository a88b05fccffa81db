#include "avi/avi.h"
#include "core/error.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* Comes again after `wait`, without end. */
typedef struct {
	double wait; /* [s] */
	uint64_t acted;
} Ticker;

static bool act(void *context, uint32_t id, double time, double *next, GError **error)
{
	(void)id, (void)error;
	Ticker *ticker = context;
	ticker->acted++;
	*next = time + ticker->wait;
	return true;
}

static bool advance(Ticker *ticker, double from, double until, GError **error)
{
	Avi *avi = avi_new();
	avi_handle(avi, AVI_FORCE, (AviHandler){"tick", ticker, act});
	avi_schedule(avi, from, AVI_FORCE, 0);
	bool good = avi_advance(avi, until, error);
	cr_assert_eq(avi->stopped, !good);
	avi_free(avi);
	return good;
}

static void expect_still(double wait, double from)
{
	g_autoptr(GError) error = NULL;
	Ticker ticker = {wait, 0};
	cr_assert_not(advance(&ticker, from, from + 1.0, &error), "it went on for ever");
	cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_LIMIT), "%s", error->message);
	cr_assert(strstr(error->message, "time does not go on") != NULL, "%s", error->message);
	cr_assert_gt(ticker.acted, 10000, "too soon");
}

Test(avi, notices_that_time_stands_still)
{
	expect_still(0.0, 0.0);
	expect_still(0.0, 3.0);
}

Test(avi, lets_the_shortest_step_be)
{
	/* As short as time can resolve: a run of such steps is slow, but goes on. */
	double step = 1001.0 * (nextafter(1.0, 2.0) - 1.0);
	Ticker ticker = {step, 0};
	g_autoptr(GError) error = NULL;
	cr_assert(advance(&ticker, 1.0, 1.0 + 1e6 * step, &error), "%s", error ? error->message : "");
	cr_assert_gt(ticker.acted, 900000);
}

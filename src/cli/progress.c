#include "cli/progress.h"
#include "core/stopwatch.h"
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

static const double REDRAW_SECONDS = 0.25;

void progress_begin(Progress *progress, bool wanted, double start_time, double end_time)
{
	double now = stopwatch_seconds();
	*progress = (Progress){
	    .shown = wanted && isatty(STDERR_FILENO),
	    .start_time = start_time,
	    .end_time = end_time,
	    .started = now,
	    .last_drawn = now,
	    .last_time = start_time,
	};
}

char *progress_duration(double seconds)
{
	if (seconds < 10.0)
		return g_strdup_printf("%.1f s", seconds);
	if (seconds < 100.0)
		return g_strdup_printf("%.0f s", seconds);
	if (seconds < 6000.0)
		return g_strdup_printf("%d min %02d s", (int)seconds / 60, (int)seconds % 60);
	if (seconds < 360000.0)
		return g_strdup_printf("%d h %02d min", (int)seconds / 3600, (int)seconds / 60 % 60);
	return g_strdup_printf("%.0f days", seconds / 86400.0);
}

void progress_update(Progress *progress, double time, uint64_t events, uint32_t layer)
{
	double now = stopwatch_seconds();
	if (!progress->shown || now - progress->last_drawn < REDRAW_SECONDS)
		return;
	double part = (time - progress->start_time) / (progress->end_time - progress->start_time);
	/* The rest at the pace of the last while, weighed with that of the whole run. */
	double recent = (time - progress->last_time) / (now - progress->last_drawn);
	double overall = (time - progress->start_time) / (now - progress->started);
	double pace = 0.5 * (recent + overall);
	g_autofree char *left = pace > 0.0 ? progress_duration((progress->end_time - time) / pace) : g_strdup("?");
	g_autofree char *deep = layer > 1 ? g_strdup_printf("  layer %u", layer) : g_strdup("");
	progress->best_pace = fmax(progress->best_pace, recent);
	g_autofree char *slow = recent < 0.1 * progress->best_pace
	                            ? g_strdup_printf("  at 1/%.0f of the best pace", progress->best_pace / recent)
	                            : g_strdup("");
	fprintf(stderr, "\r%st = %.4f of %g s  %5.1f%%  %.3g events/s%s%s  %s left\033[K", progress->what ? progress->what : "", time,
	    progress->end_time, 100.0 * part,
	    (double)(events - progress->last_events) / (now - progress->last_drawn), deep, slow, left);
	fflush(stderr);
	progress->last_drawn = now;
	progress->last_time = time;
	progress->last_events = events;
}

void progress_end(Progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
}

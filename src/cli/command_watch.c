/* Follows a run that is still going, by reading its archive again and again; HDF5's single-writer mode allows that. It
 * ends when the run does. A run that was killed leaves an archive that never ends: where no process of this machine has
 * it open any more, watching ends too. */
#include "cli/chart.h"
#include "cli/choice.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "core/stopwatch.h"
#include "io/archive.h"
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	DEFAULT_WIDTH = 80,
	CHART_ROWS = 3,
	HEAD_ROWS = 5,
	RECENT = 20 /* frames whose pace tells how long it will take */
};
#define PATIENCE 3.0 /* [s] without a frame, after which it is asked whether anybody still writes */

typedef struct {
	const char *path;
	bool screen; /* standard output is a terminal: the picture is drawn over and over; else a line per change */
	bool ascii;
	double every;   /* [s] between looks */
	size_t lines;   /* of the picture on the screen */
	size_t frames;  /* at the last look */
	double changed; /* stopwatch, when there was a new frame */
} Watch;

/* What a frame tells, or the ledger; (n_frames). Free with g_free. */
static double *series_of(Archive *archive, const char *name)
{
	double *value = g_new(double, archive->n_frames + 1);
	int column = archive_column(&archive->header, name),
	    field = archive_field(&archive->header, name, ARCHIVE_FIELD_FRAME);
	for (size_t k = 0; k < archive->n_frames; k++) {
		value[k] = NAN;
		if (column >= 0)
			value[k] = archive->ledger[k * archive->header.n_columns + (size_t)column];
		else if (field >= 0 && !archive_read_field(archive, (size_t)field, k, &value[k], NULL))
			value[k] = NAN;
	}
	return value;
}

/* From a sum to its rate over wall or simulated time. */
static void make_rate(double *value, const double *time, size_t n)
{
	for (size_t k = n; k-- > 1;)
		value[k] = time[k] > time[k - 1] && value[k] >= value[k - 1]
		               ? (value[k] - value[k - 1]) / (time[k] - time[k - 1])
		               : NAN;
	if (n > 0)
		value[0] = NAN;
}

/* Simulated seconds per second, over the last frames. */
static double pace_of(const Archive *archive, const double *wall)
{
	size_t last = archive->n_frames - 1, first = last > RECENT ? last - RECENT : 0;
	double took = wall[last] - wall[first];
	return took > 0.0 ? (archive->time[last] - archive->time[first]) / took : NAN;
}

/* "t = 1.2 of 5.5 s, 22 %, frame 24, 3.5 s per simulated second, 15 s left". */
static void add_status(GString *text, Archive *archive)
{
	g_autofree double *wall = series_of(archive, "wall_seconds");
	double time = archive->time[archive->n_frames - 1], end = archive->header.end_time,
	       pace = pace_of(archive, wall);
	g_string_append_printf(text, "t = %.6g of %g s, %.1f %%, frame %zu", time, end,
	    end > 0.0 ? 100.0 * time / end : 100.0, archive->n_frames);
	if (pace > 0.0 && !archive->closed) {
		g_autofree char *left = progress_duration((end - time) / pace);
		g_string_append_printf(text, ", %.3g s per simulated second, %s left", 1.0 / pace, left);
	}
	g_string_append_c(text, '\n');
}

static void add_bar(GString *text, const Archive *archive, int width, bool ascii)
{
	double end = archive->header.end_time, share = end > 0.0 ? archive->time[archive->n_frames - 1] / end : 1.0;
	int whole = MAX(width - 2, 8), full = (int)(CLAMP(share, 0.0, 1.0) * whole);
	g_string_append_c(text, '[');
	for (int i = 0; i < whole; i++)
		g_string_append(text, i < full ? (ascii ? "#" : "█") : (ascii ? "." : "░"));
	g_string_append(text, "]\n");
}

/* As many as there is room for: a picture that is higher than the screen could not be drawn over. */
static void add_charts(GString *text, Archive *archive, int width, int height, bool ascii)
{
	static const struct {
		const char *name, *title;
		bool is_rate, logarithmic;
	} charts[] = {
	    {"total", "total energy", false, false},
	    {"kinetic", "kinetic energy", false, false},
	    {"balance", "balance of energy: what is not accounted for", false, false},
	    {"touching", "pairs in contact", false, false},
	    {"smallest_gap", "smallest gap", false, true},
	    {"events", "events per simulated second", true, false},
	};
	int room = height - HEAD_ROWS;
	for (size_t i = 0; i < G_N_ELEMENTS(charts) && room > CHART_ROWS; i++) {
		if (archive_column(&archive->header, charts[i].name) < 0 &&
		    archive_field(&archive->header, charts[i].name, ARCHIVE_FIELD_FRAME) < 0)
			continue;
		room -= CHART_ROWS + 1;
		g_autofree double *value = series_of(archive, charts[i].name);
		if (charts[i].is_rate)
			make_rate(value, archive->time, archive->n_frames);
		int column = archive_column(&archive->header, charts[i].name);
		const char *unit = column >= 0 ? archive->header.columns[column].unit : "";
		g_autofree char *title =
		    unit[0] ? g_strdup_printf("%s [%s]", charts[i].title, unit) : g_strdup(charts[i].title);
		Chart chart = {title, archive->time, value, archive->n_frames, archive->time[0],
		    archive->header.end_time, charts[i].logarithmic};
		chart_draw(text, &chart, width, CHART_ROWS, ascii);
	}
}

/* Columns and rows of the terminal. */
static void measure_screen(int *width, int *height)
{
	struct winsize size;
	bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
	*width = known ? size.ws_col : DEFAULT_WIDTH;
	*height = known ? size.ws_row : INT_MAX;
}

/* Over the picture before it. */
static void show(Watch *watch, const char *text)
{
	if (watch->screen && watch->lines > 0)
		printf("\033[%zuA\033[J", watch->lines);
	fputs(text, stdout);
	fflush(stdout);
	watch->lines = 0;
	for (const char *c = text; *c != '\0'; c++)
		watch->lines += *c == '\n';
}

static void draw(Watch *watch, Archive *archive)
{
	g_autoptr(GString) text = g_string_new(NULL);
	int width, height;
	measure_screen(&width, &height);
	if (archive->n_frames == 0) {
		show(watch, "no frames yet\n");
		return;
	}
	if (watch->screen) {
		g_string_append_printf(text, "%s: %s\n", watch->path, archive->header.scene_name);
		add_bar(text, archive, width, watch->ascii);
	}
	add_status(text, archive);
	if (watch->screen || archive->closed)
		add_charts(text, archive, width, height, watch->ascii);
	show(watch, text->str);
}

/* Whether a process of this machine has the file open, this one aside. Where nobody may know, yes. */
static bool is_open_elsewhere(const char *path)
{
	GStatBuf file, other;
	g_autoptr(GDir) processes = g_dir_open("/proc", 0, NULL);
	if (processes == NULL || g_stat(path, &file) != 0)
		return true;
	for (const char *process = g_dir_read_name(processes); process != NULL; process = g_dir_read_name(processes)) {
		g_autofree char *folder = g_strdup_printf("/proc/%s/fd", process);
		g_autoptr(GDir) opened =
		    g_ascii_isdigit(*process) && atoi(process) != getpid() ? g_dir_open(folder, 0, NULL) : NULL;
		for (const char *name = opened ? g_dir_read_name(opened) : NULL; name != NULL;
		     name = g_dir_read_name(opened)) {
			g_autofree char *link = g_strdup_printf("%s/%s", folder, name);
			if (g_stat(link, &other) == 0 && other.st_dev == file.st_dev && other.st_ino == file.st_ino)
				return true;
		}
	}
	return false;
}

typedef enum { GOES_ON, HAS_ENDED, WAS_CUT_OFF, FAILED } Outcome;

static Outcome look(Watch *watch, GError **error)
{
	double now = stopwatch_seconds();
	g_autoptr(Archive) archive = archive_open(watch->path, error);
	if (archive == NULL)
		return FAILED;
	bool grown = archive->n_frames != watch->frames || watch->changed == 0.0;
	if (grown) {
		watch->frames = archive->n_frames;
		watch->changed = now;
	}
	if (grown || archive->closed || watch->screen)
		draw(watch, archive);
	if (archive->closed) {
		printf("the run %s\n", archive->complete ? "has come to its end" : "was ended before its time");
		return HAS_ENDED;
	}
	return now - watch->changed > PATIENCE && !is_open_elsewhere(watch->path) ? WAS_CUT_OFF : GOES_ON;
}

/* In short sleeps, so that a signal is heard. */
static void wait_for(double seconds)
{
	for (double end = stopwatch_seconds() + seconds; stopwatch_seconds() < end && !signals_end();)
		g_usleep((gulong)(1e6 * CLAMP(end - stopwatch_seconds(), 0.0, 0.1)));
}

static int follow(Watch *watch, bool once)
{
	signals_begin();
	for (;;) {
		GError *error = NULL;
		double began = stopwatch_seconds();
		Outcome outcome = look(watch, &error);
		if (outcome == FAILED)
			return command_fail(error);
		if (outcome == HAS_ENDED || once)
			return 0;
		if (outcome == WAS_CUT_OFF) {
			command_warn("no process of this machine writes the archive any more: the run was cut off "
			             "('cinch resume' goes on)");
			return 1;
		}
		/* A large archive takes its time to open: most of it belongs to the run. */
		wait_for(fmax(watch->every, 4.0 * (stopwatch_seconds() - began)));
		if (signals_end())
			return 128 + signals_end();
	}
}

int command_watch(int argc, char **argv)
{
	g_autofree char *every = NULL;
	gboolean once = FALSE, ascii = FALSE;
	GOptionEntry entries[] = {
	    {"every", 0, 0, G_OPTION_ARG_STRING, &every, "Look so often; default: each second", "SECONDS"},
	    {"once", 0, 0, G_OPTION_ARG_NONE, &once, "Look once, and do not wait for the end", NULL},
	    {"ascii", 0, 0, G_OPTION_ARG_NONE, &ascii, "Draw with plain characters", NULL},
	    G_OPTION_ENTRY_NULL,
	};
	int status;
	if (!command_parse("A.h5",
	        "Follows a run that is going on: its progress, how long it will take, its energies and contacts as "
	        "plots in the\n"
	        "terminal; elsewhere a line per frame. Ends when the run does.",
	        entries, &argc, &argv, &status))
		return status;
	if (argc != 2)
		return command_fail_usage("watch", "expected one archive");
	GError *error = NULL;
	Watch watch = {.path = argv[1], .screen = isatty(STDOUT_FILENO), .ascii = ascii || !g_get_charset(NULL)};
	if (!choice_number("--every", every, 0.05, 3600.0, &watch.every, &error))
		return command_fail(error);
	watch.every = isnan(watch.every) ? 1.0 : watch.every;
	return follow(&watch, once);
}

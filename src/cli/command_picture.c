#include "cli/choice.h"
#include "cli/command.h"
#include "cli/film.h"
#include "core/error.h"
#include "io/files.h"
#include "look/studio.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TURN_SECONDS = 6 };

typedef struct {
	Choice choice;
	char *time, *output, *size, *colour, *range, *azimuth, *elevation, *zoom, *focus, *quality, *slow;
	gboolean movie, turntable, wireframe, no_ground, label, close;
} Options;

static bool read_size(const char *text, StudioOptions *studio, GError **error)
{
	int length = 0;
	if (text == NULL)
		return true;
	return (sscanf(text, "%dx%d%n", &studio->width, &studio->height, &length) == 2 && text[length] == '\0' &&
	           studio->width >= 16 && studio->height >= 16 && studio->width <= 8192 && studio->height <= 8192) ||
	       error_set(error, CINCH_ERROR_INPUT, "--size %s: expected WIDTHxHEIGHT, each from 16 to 8192", text);
}

static bool read_range(const char *text, StudioOptions *studio, GError **error)
{
	if (text == NULL)
		return true;
	g_auto(GStrv) ends = g_strsplit(text, ":", 2);
	if (g_strv_length(ends) != 2)
		return error_set(error, CINCH_ERROR_INPUT, "--range %s: expected LOW:HIGH", text);
	return choice_number("--range", ends[0], -1e30, 1e30, &studio->low, error) &&
	       choice_number("--range", ends[1], -1e30, 1e30, &studio->high, error);
}

static bool read_quality(const char *text, StudioOptions *studio, GError **error)
{
	static const char *const names[] = {"draft", "good", "best"};
	for (unsigned i = 0; text != NULL && i < G_N_ELEMENTS(names); i++)
		if (strcmp(text, names[i]) == 0) {
			studio->quality = i + 1;
			return true;
		}
	return text == NULL || error_set(error, CINCH_ERROR_INPUT, "--quality %s: expected draft, good or best", text);
}

static bool read_studio(const Options *options, StudioOptions *studio, GError **error)
{
	*studio = STUDIO_DEFAULTS;
	studio->wireframe = options->wireframe;
	studio->no_ground = options->no_ground;
	studio->label = options->label;
	studio->turntable = options->turntable;
	studio->focus = options->focus;
	if (options->colour != NULL)
		studio->colour = options->colour;
	if (!choice_number("--azimuth", options->azimuth, -3600, 3600, &studio->azimuth, error) ||
	    !choice_number("--elevation", options->elevation, -89.9, 89.9, &studio->elevation, error) ||
	    !choice_number("--zoom", options->zoom, 0.01, 1000, &studio->zoom, error))
		return false;
	studio->zoom = isnan(studio->zoom) ? 1.0 : studio->zoom;
	return read_size(options->size, studio, error) && read_range(options->range, studio, error) &&
	       read_quality(options->quality, studio, error);
}

/* A sequence of pictures: times and turns. */
typedef struct {
	Studio *studio;
	StudioOptions look;
	size_t n;
	double *time, *turn; /* [s], [degrees] (n) */
	double rate;         /* [1/s] */
} Sequence;

static bool write_png(const Image *image, const char *path, GError **error)
{
	g_autoptr(GByteArray) png = image_png(image);
	return files_replace(path, (const char *)png->data, png->len, error);
}

static void tell(size_t k, size_t n)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\rpicture %zu of %zu%s", k + 1, n, k + 1 == n ? "\n" : "");
}

static bool draw_film(const Sequence *sequence, const char *path, GError **error)
{
	Film *film = film_new(path, sequence->look.width, sequence->look.height, sequence->rate, error);
	bool good = film != NULL;
	for (size_t k = 0; good && k < sequence->n; k++) {
		g_autoptr(Image) image = studio_draw(sequence->studio, sequence->time[k], sequence->turn[k], error);
		good = image != NULL && film_add(film, image, error);
		tell(k, sequence->n);
	}
	return film != NULL && film_finish(film, error) && good;
}

static bool draw_files(const Sequence *sequence, const char *directory, GError **error)
{
	if (g_mkdir_with_parents(directory, 0777) != 0)
		return error_set(
		    error, CINCH_ERROR_FAILED, "%s: could not make this directory: %s", directory, g_strerror(errno));
	for (size_t k = 0; k < sequence->n; k++) {
		g_autofree char *name = g_strdup_printf("%s/picture%05zu.png", directory, k);
		g_autoptr(Image) image = studio_draw(sequence->studio, sequence->time[k], sequence->turn[k], error);
		if (image == NULL || !write_png(image, name, error))
			return false;
		tell(k, sequence->n);
	}
	return true;
}

static bool is_film(const char *path)
{
	return g_str_has_suffix(path, ".mp4") || g_str_has_suffix(path, ".webm") || g_str_has_suffix(path, ".gif");
}

static bool draw_sequence(const Sequence *sequence, const Options *options, const char *archive, GError **error)
{
	const char *what = options->turntable ? "_turntable" : "_movie";
	g_autofree char *film = g_strconcat(what, ".mp4", NULL);
	g_autofree char *path = options->output ? g_strdup(options->output)
	                                        : choice_output(archive, film_possible() ? film : what);
	if (is_film(path) && !film_possible())
		return error_set(error, CINCH_ERROR_FAILED,
		    "%s: there is no ffmpeg to make a film; with -o DIRECTORY the pictures are written one by one", path);
	if (!(is_film(path) ? draw_film(sequence, path, error) : draw_files(sequence, path, error)))
		return false;
	printf("%zu pictures in %s%s\n", sequence->n, path, is_film(path) ? "" : "/");
	return true;
}

/* A film shows the motion as fast as it was, with the archive's own frames where that makes a usual film. */
static bool plan_movie(Sequence *sequence, Selection *selection, const Options *options, GError **error)
{
	double interval = selection->archive->header.frame_interval, slow;
	if (!choice_number("--slow", options->slow, 1e-3, 1e3, &slow, error))
		return false;
	slow = isnan(slow) ? 1.0 : slow;
	double first = selection->time[0], last = selection->time[selection->n_times - 1];
	double own = selection->n_times > 1 ? (double)(selection->n_times - 1) / (last - first) : 1.0 / interval;
	sequence->rate = own / slow;
	if (sequence->rate >= 10.0 && sequence->rate <= 61.0) {
		sequence->n = selection->n_times;
		sequence->time = g_memdup2(selection->time, sequence->n * sizeof(double));
	} else {
		sequence->rate = 30.0;
		sequence->n = (size_t)((last - first) * slow * sequence->rate) + 1;
		sequence->time = g_new(double, sequence->n);
		for (size_t k = 0; k < sequence->n; k++)
			sequence->time[k] = fmin(first + (double)k / (slow * sequence->rate), last);
		printf("the archive has %.4g frames per second: the film's are interpolated between them\n", own);
	}
	sequence->turn = g_new0(double, sequence->n);
	return true;
}

static void plan_turntable(Sequence *sequence, double time)
{
	sequence->rate = 30.0;
	sequence->n = (size_t)(TURN_SECONDS * sequence->rate);
	sequence->time = g_new(double, sequence->n);
	sequence->turn = g_new(double, sequence->n);
	for (size_t k = 0; k < sequence->n; k++) {
		sequence->time[k] = time;
		sequence->turn[k] = 360.0 * (double)k / (double)sequence->n;
	}
}

static bool draw_one(Studio *studio, const Options *options, const char *archive, double time, GError **error)
{
	g_autofree char *path = options->output ? g_strdup(options->output) : choice_output(archive, ".png");
	g_autoptr(Image) image = studio_draw(studio, time, 0.0, error);
	if (image == NULL || !write_png(image, path, error))
		return false;
	printf("t = %.6g s in %s\n", time, path);
	return true;
}

/* The time that was asked for, by default the last. */
static bool find_time(const Selection *selection, const Options *options, double *time, GError **error)
{
	const Archive *archive = selection->archive;
	double last = archive->time[archive->n_frames - 1];
	if (!choice_number("--time", options->time, 0.0, 1e9, time, error))
		return false;
	if (isnan(*time))
		*time = last;
	return *time <= last || error_set(error, CINCH_ERROR_INPUT, "--time %g: the archive ends at t = %g s", *time, last);
}

static bool draw(const Options *options, const char *path, GError **error)
{
	g_autoptr(Archive) archive = NULL;
	g_autoptr(Selection) selection = choice_select(&options->choice, path, &archive, error);
	StudioOptions look;
	double time;
	if (selection == NULL || !read_studio(options, &look, error) || !find_time(selection, options, &time, error))
		return false;
	look.only = options->close ? time : NAN;
	g_autoptr(Studio) studio = studio_new(selection, &look, error);
	if (studio == NULL)
		return false;
	if (!options->movie && !options->turntable)
		return draw_one(studio, options, path, time, error);
	Sequence sequence = {.studio = studio, .look = look};
	bool good = true;
	if (options->turntable)
		plan_turntable(&sequence, time);
	else
		good = plan_movie(&sequence, selection, options, error);
	good = good && draw_sequence(&sequence, options, path, error);
	g_free(sequence.time);
	g_free(sequence.turn);
	return good;
}

static void options_clear(Options *options)
{
	choice_clear(&options->choice);
	char *texts[] = {options->time, options->output, options->size, options->colour, options->range, options->azimuth,
	    options->elevation, options->zoom, options->focus, options->quality, options->slow};
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
		g_free(texts[i]);
}

int command_picture(int argc, char **argv)
{
	Options options = {0};
	GOptionEntry entries[18 + CHOICE_N_ENTRIES] = {
	    {"time", 't', 0, G_OPTION_ARG_STRING, &options.time, "What to show [s]; default: the last frame", "T"},
	    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
	        "Picture (.png), film (.mp4, .webm, .gif) or directory for the pictures of a film", "PATH"},
	    {"movie", 0, 0, G_OPTION_ARG_NONE, &options.movie, "The whole motion, as a film", NULL},
	    {"turntable", 0, 0, G_OPTION_ARG_NONE, &options.turntable, "Once around it, as a film", NULL},
	    {"slow", 0, 0, G_OPTION_ARG_STRING, &options.slow, "Films so many times slower than the motion", "FACTOR"},
	    {"size", 's', 0, G_OPTION_ARG_STRING, &options.size, "Pixels; default: 960x600", "WxH"},
	    {"colour", 'c', 0, G_OPTION_ARG_STRING, &options.colour,
	        "body (default), speed, strain, or a field of the archive such as layer, contact_force", "WHAT"},
	    {"range", 0, 0, G_OPTION_ARG_STRING, &options.range, "Ends of the scale of colours", "LOW:HIGH"},
	    {"azimuth", 0, 0, G_OPTION_ARG_STRING, &options.azimuth, "Degrees to the side of where most faces look", "A"},
	    {"elevation", 0, 0, G_OPTION_ARG_STRING, &options.elevation, "Degrees above the horizon", "E"},
	    {"zoom", 0, 0, G_OPTION_ARG_STRING, &options.zoom, "1: the whole motion is in the picture", "Z"},
	    {"focus", 0, 0, G_OPTION_ARG_STRING, &options.focus, "Look at where pairs are in contact, or at a place", "contact|X,Y,Z"},
	    {"close", 0, 0, G_OPTION_ARG_NONE, &options.close, "Frame what there is at this time, not the whole motion", NULL},
	    {"wireframe", 'w', 0, G_OPTION_ARG_NONE, &options.wireframe, "Show the sides of triangles", NULL},
	    {"no-ground", 0, 0, G_OPTION_ARG_NONE, &options.no_ground, "No shadow on the ground", NULL},
	    {"label", 'l', 0, G_OPTION_ARG_NONE, &options.label, "Write title and time into the picture", NULL},
	    {"quality", 'q', 0, G_OPTION_ARG_STRING, &options.quality, "draft, good (default), best", "Q"},
	};
	choice_entries(&options.choice, entries + 17);
	int status;
	if (!command_parse("A.h5",
	        "Draws a picture or a film of an archive. Needs no display; films need ffmpeg, without which their pictures are\n"
	        "written one by one.",
	        entries, &argc, &argv, &status)) {
		options_clear(&options);
		return status;
	}
	GError *error = NULL;
	if (argc != 2)
		status = command_fail_usage("picture", "expected one archive");
	else
		status = draw(&options, argv[1], &error) ? 0 : command_fail(error);
	options_clear(&options);
	return status;
}

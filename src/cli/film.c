#include "cli/film.h"
#include "core/error.h"
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

struct Film {
	char *path;
	GPid process;
	int pipe;
	bool failed;
};

bool film_possible(void)
{
	g_autofree char *program = g_find_program_in_path("ffmpeg");
	return program != NULL;
}

Film *film_new(const char *path, int width, int height, double rate, GError **error)
{
	g_autofree char *size = g_strdup_printf("%dx%d", width, height), *speed = g_strdup_printf("%.9g", rate);
	/* A name is a file, even when it begins with a dash or looks like an address. */
	g_autofree char *file = g_strconcat("file:", path, NULL);
	/* Pictures with an odd side are cut by a row: the usual colours of films come in squares of four. */
	char *arguments[] = {(char *)"ffmpeg", (char *)"-y", (char *)"-loglevel", (char *)"error", (char *)"-f",
	    (char *)"rawvideo", (char *)"-pix_fmt", (char *)"rgb24", (char *)"-s", size, (char *)"-r", speed, (char *)"-i",
	    (char *)"-", (char *)"-vf", (char *)"crop=trunc(iw/2)*2:trunc(ih/2)*2", (char *)"-pix_fmt", (char *)"yuv420p",
	    file, NULL};
	if (g_str_has_suffix(path, ".gif")) {
		arguments[15] = (char *)"split[a][b];[a]palettegen[p];[b][p]paletteuse";
		arguments[16] = file;
		arguments[17] = NULL;
	}
	Film *film = g_new0(Film, 1);
	film->path = g_strdup(path);
	signal(SIGPIPE, SIG_IGN); /* when ffmpeg gives up, writing fails instead */
	if (g_spawn_async_with_pipes(NULL, arguments, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
	        &film->process, &film->pipe, NULL, NULL, error))
		return film;
	g_free(film->path);
	g_free(film);
	return NULL;
}

bool film_add(Film *film, const Image *image, GError **error)
{
	const uint8_t *rest = image->rgb;
	size_t length = 3 * (size_t)image->width * (size_t)image->height;
	while (length > 0 && !film->failed) {
		ssize_t written = write(film->pipe, rest, length);
		if (written < 0 && errno == EINTR)
			continue;
		film->failed = written < 0;
		rest += written < 0 ? 0 : written;
		length -= written < 0 ? 0 : (size_t)written;
	}
	return !film->failed || error_set(error, CINCH_ERROR_FAILED, "%s: ffmpeg has stopped before its time", film->path);
}

bool film_finish(Film *film, GError **error)
{
	int status = 0;
	close(film->pipe);
	bool good = waitpid(film->process, &status, 0) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 && !film->failed;
	if (!good && error != NULL && *error == NULL)
		error_set(error, CINCH_ERROR_FAILED, "%s: ffmpeg could not make it", film->path);
	g_free(film->path);
	g_free(film);
	return good;
}

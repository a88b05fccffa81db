#include "io/files.h"

#include "core/error.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

char *files_part_name(const char *path)
{
	return g_strconcat(path, ".part", NULL);
}

bool files_is_replaceable(const char *path)
{
	GStatBuf status;
	return g_stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

static bool write_all(int descriptor, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t written = write(descriptor, text, length);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return false;
		text += written;
		length -= (size_t)written;
	}
	return true;
}

/* A name is safe when its directory is. Some file systems cannot do this, and none fails at it alone. */
static void sync_directory(const char *path)
{
	g_autofree char *directory = g_path_get_dirname(path);
	int descriptor = g_open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (descriptor < 0)
		return;
	fsync(descriptor);
	close(descriptor);
}

struct FilesPart {
	char *path, *part; /* part NULL: written directly */
	int descriptor;
	int reason; /* errno of the first failure; 0: none */
};

FilesPart *files_begin(const char *path)
{
	FilesPart *file = g_new0(FilesPart, 1);
	file->path = g_strdup(path);
	file->part = files_is_replaceable(path) ? files_part_name(path) : NULL;
	file->descriptor = g_open(file->part ? file->part : path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	file->reason = file->descriptor < 0 ? errno : 0;
	return file;
}

void files_put(FilesPart *file, const char *text, size_t length)
{
	if (file->reason == 0 && !write_all(file->descriptor, text, length))
		file->reason = errno;
}

/* close() is checked because a network file system reports a full disk there. */
static void close_part(FilesPart *file)
{
	if (file->reason == 0 && file->part != NULL && fsync(file->descriptor) != 0)
		file->reason = errno;
	if (file->descriptor >= 0 && close(file->descriptor) != 0 && file->reason == 0)
		file->reason = errno;
	if (file->part == NULL)
		return;
	if (file->reason == 0 && g_rename(file->part, file->path) != 0)
		file->reason = errno;
	if (file->reason == 0)
		sync_directory(file->path);
	else
		g_unlink(file->part);
}

bool files_end(FilesPart *file, GError **error)
{
	close_part(file);
	bool good = file->reason == 0 || error_set(error, CINCH_ERROR_FAILED, "%s: could not be written: %s", file->path,
	                                     g_strerror(file->reason));
	g_free(file->path);
	g_free(file->part);
	g_free(file);
	return good;
}

bool files_replace(const char *path, const char *text, size_t length, GError **error)
{
	FilesPart *file = files_begin(path);
	files_put(file, text, length);
	return files_end(file, error);
}

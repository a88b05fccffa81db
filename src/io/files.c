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

/* Leaves errno of the first failure. close() is checked because a network file system reports a full disk there. */
static bool write_file(const char *path, const char *text, size_t length, bool sync)
{
	int descriptor = g_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (descriptor < 0)
		return false;
	if (!write_all(descriptor, text, length) || (sync && fsync(descriptor) != 0)) {
		int reason = errno;
		close(descriptor);
		errno = reason;
		return false;
	}
	return close(descriptor) == 0;
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

bool files_replace(const char *path, const char *text, size_t length, GError **error)
{
	bool replaceable = files_is_replaceable(path);
	g_autofree char *part = files_part_name(path);
	bool written = write_file(replaceable ? part : path, text, length, replaceable);
	if (written && replaceable)
		written = g_rename(part, path) == 0;
	if (written && replaceable)
		sync_directory(path);
	if (written)
		return true;
	int reason = errno;
	if (replaceable)
		g_unlink(part);
	return error_set(error, CINCH_ERROR_FAILED, "%s: could not be written: %s", path, g_strerror(reason));
}

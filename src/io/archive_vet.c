#include "io/archive_vet.h"

#include "core/error.h"
#include "io/archive.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_SECONDS 120                           /* of processor time */
#define MOST_MEMORY (UINT64_C(4) << 30)            /* [byte] besides what the size of the file explains */
#define MOST_EXPANSION 64                          /* [byte] of memory for each of the file */
#define ALL_FRAMES_BYTES (UINT64_C(64) * 1024 * 1024) /* up to this much, every frame is read; else some */

/* Sanitizers reserve terabytes of addresses, so that no limit on them means anything. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ADDRESSES_TELL_MEMORY false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ADDRESSES_TELL_MEMORY false
#endif
#endif
#ifndef ADDRESSES_TELL_MEMORY
#define ADDRESSES_TELL_MEMORY true
#endif

static void set_limit(int resource, uint64_t limit)
{
	struct rlimit now;
	if (getrlimit((__rlimit_resource_t)resource, &now) != 0)
		return;
	now.rlim_cur = MIN(limit, now.rlim_max);
	setrlimit((__rlimit_resource_t)resource, &now);
}

static void set_limits(uint64_t file_size)
{
	set_limit(RLIMIT_CORE, 0);
	set_limit(RLIMIT_CPU, MOST_SECONDS);
	if (ADDRESSES_TELL_MEMORY && file_size < UINT64_MAX / (2 * MOST_EXPANSION))
		set_limit(RLIMIT_AS, MOST_MEMORY + MOST_EXPANSION * file_size);
	/* Nobody waits for it when its parent is gone. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void read_frame(Archive *archive, size_t frame)
{
	const ArchiveHeader *header = &archive->header;
	g_autofree double *row = g_try_new(double, 3 * header->n_vertices + 1);
	if (row == NULL || !archive_read_positions(archive, frame, row, NULL) ||
	    !archive_read_velocities(archive, frame, row, NULL))
		return;
	for (size_t i = 0; i < header->n_fields; i++) {
		g_autofree double *values = g_try_new(double, archive_field_size(header, i) + 1);
		if (values != NULL)
			archive_read_field(archive, i, frame, values, NULL);
	}
}

/* What the child does. That reading fails in order is no reason to worry. */
static void try_to_read(const char *path)
{
	g_autoptr(Archive) archive = archive_open_trusting(path, NULL);
	if (archive == NULL || archive->n_frames == 0)
		return;
	uint64_t bytes = (uint64_t)archive->header.n_vertices * 2 * 3 * sizeof(double);
	uint64_t most = MAX(ALL_FRAMES_BYTES / MAX(bytes, 1), 2);
	size_t stride = archive->n_frames <= most ? 1 : archive->n_frames / most + 1;
	for (size_t frame = 0; frame < archive->n_frames; frame += stride)
		read_frame(archive, frame);
	read_frame(archive, archive->n_frames - 1);
}

static void be_child(const char *path, uint64_t file_size)
{
	int nowhere = g_open("/dev/null", O_RDWR | O_CLOEXEC, 0);
	for (int stream = STDIN_FILENO; nowhere >= 0 && stream <= STDERR_FILENO; stream++)
		dup2(nowhere, stream);
	set_limits(file_size);
	try_to_read(path);
	_exit(0); /* what the parent has begun to print is the parent's */
}

bool archive_vet(const char *path, GError **error)
{
	GStatBuf status;
	if (g_stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return true; /* opening it tells better what is wrong */
	pid_t child = fork();
	if (child < 0)
		return error_set(error, CINCH_ERROR_FAILED, "%s: could not be looked at by a child process: %s", path,
		    g_strerror(errno));
	if (child == 0)
		be_child(path, (uint64_t)status.st_size);
	int ended = 0;
	while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
		continue;
	if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
		return true;
	if (WIFSIGNALED(ended) && WTERMSIG(ended) == SIGXCPU)
		return error_set(error, CINCH_ERROR_INPUT, "%s: is damaged: reading it does not come to an end", path);
	return error_set(error, CINCH_ERROR_INPUT, "%s: is damaged: reading it in a child process ended with %s", path,
	    WIFSIGNALED(ended) ? strsignal(WTERMSIG(ended)) : "a failure");
}

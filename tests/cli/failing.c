/* Preloaded into cinch by test_faults.py: the k-th call that changes a regular file fails, and with FAIL_ON all after it.
 *
 *     FAIL_AT=k       which call, from 1 on; 0 or none: none
 *     FAIL_ON=yes     all after it fail, too
 *     FAIL_WITH=n     errno (default: ENOSPC)
 *     FAIL_SHORT=yes  before it fails, a write writes half of what it should, in whole pages
 *     FAIL_COUNT=FILE gets how many calls there were
 */
#undef _FILE_OFFSET_BITS /* both names of each call are wanted */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096 };

static atomic_long calls;

static long number_of(const char *name, long otherwise)
{
	const char *text = getenv(name);
	return text ? atol(text) : otherwise;
}

/* Whether this call is to fail. */
static int fails(void)
{
	long at = number_of("FAIL_AT", 0), call = ++calls;
	if (at == 0 || call < at || (call > at && !getenv("FAIL_ON")))
		return 0;
	errno = (int)number_of("FAIL_WITH", ENOSPC);
	return 1;
}

static int is_regular(int file)
{
	struct stat status;
	return fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

#define EXPORT __attribute__((visibility("default")))

EXPORT ssize_t write(int file, const void *data, size_t length)
{
	if (!is_regular(file) || !fails())
		return syscall(SYS_write, file, data, length);
	if (!getenv("FAIL_SHORT") || length < 2)
		return -1;
	return syscall(SYS_write, file, data, length / 2);
}

EXPORT ssize_t pwrite(int file, const void *data, size_t length, off_t offset)
{
	if (!is_regular(file) || !fails())
		return syscall(SYS_pwrite64, file, data, length, offset);
	/* Files are written in pages: of one, all or nothing arrives. */
	off_t end = (offset + (off_t)length / 2) / PAGE * PAGE;
	if (getenv("FAIL_SHORT") && end > offset) {
		int reason = errno;
		syscall(SYS_pwrite64, file, data, end - offset, offset);
		errno = reason;
	}
	return -1;
}

EXPORT ssize_t pwrite64(int file, const void *data, size_t length, off_t offset)
{
	return pwrite(file, data, length, offset);
}

EXPORT int ftruncate(int file, off_t length)
{
	return fails() ? -1 : (int)syscall(SYS_ftruncate, file, length);
}

EXPORT int ftruncate64(int file, off_t length)
{
	return ftruncate(file, length);
}

EXPORT int fsync(int file)
{
	return fails() ? -1 : (int)syscall(SYS_fsync, file);
}

EXPORT int rename(const char *from, const char *to)
{
	return fails() ? -1 : (int)syscall(SYS_rename, from, to);
}

__attribute__((destructor)) static void tell(void)
{
	const char *path = getenv("FAIL_COUNT");
	FILE *file = path ? fopen(path, "w") : NULL;
	if (file == NULL)
		return;
	fprintf(file, "%ld\n", (long)calls);
	fclose(file);
}

#include "fuzz.h"
#include <sys/mman.h>
#include <unistd.h>

const char *fuzz_file(const uint8_t *data, size_t size)
{
	static char path[64];
	static int file = -1;
	if (file < 0)
		file = memfd_create("fuzz", MFD_CLOEXEC);
	if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size)
		g_error("no file in memory: %m");
	g_snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	return path;
}

void fuzz_expect_sentence(const void *result, GError *error)
{
	if ((result == NULL) != (error != NULL) || (error != NULL && (error->message == NULL || error->message[0] == '\0')))
		g_error("failed without a word, or succeeded with one");
	g_clear_error(&error);
}

enum { EDIT = 4 }; /* bytes */

uint8_t *fuzz_edit(const uint8_t *good, size_t good_size, const uint8_t *edits, size_t size, size_t *length)
{
	uint8_t *bytes = g_memdup2(good, good_size);
	*length = good_size;
	for (size_t i = 0; i + EDIT <= size; i += EDIT) {
		size_t place = ((size_t)edits[i] | (size_t)edits[i + 1] << 8 | (size_t)edits[i + 2] << 16) % good_size;
		if (i > 0)
			bytes[place] = edits[i + 3];
		else if (edits[3] & 1)
			*length = place;
	}
	return bytes;
}

/* Archives: what opens is read to its end.
 *
 * HDF5 protects its metadata with checksums, which no change by chance survives, but one on purpose does. Here the function
 * that computes them is replaced: every checksum is zero, in the good file too, and so every change gets through to what
 * lies behind. HDF5 itself is not made for that; cinch opens archives in a child process first (io/archive_vet.h), and
 * what fuzzing is after is our own code. */
#include "fuzz.h"
#include "io/archive_sample.h"
#include <glib/gstdio.h>
#include <hdf5.h>
#include <time.h>
#include <unistd.h>

enum { FRAMES = 5 };

/* Nobody writes the file meanwhile, so that there is nothing to wait for. */
__attribute__((visibility("default"))) int nanosleep(const struct timespec *time, struct timespec *rest)
{
	(void)time, (void)rest;
	return 0;
}

uint32_t H5_checksum_metadata(const void *data, size_t length, uint32_t start);

__attribute__((visibility("default"))) uint32_t H5_checksum_metadata(const void *data, size_t length, uint32_t start)
{
	(void)data, (void)length, (void)start;
	return 0;
}

/* A closed archive of a few frames, in memory. */
static char *make_good(gsize *length)
{
	g_autofree char *folder = g_dir_make_tmp("fuzz-XXXXXX", NULL), *path = g_build_filename(folder, "good.h5", NULL);
	g_autofree char *sidecar = g_build_filename(folder, "good.xdmf", NULL);
	ArchiveHeader header = sample_header();
	char *bytes = NULL;
	ArchiveWriter *writer = archive_create(path, &header, NULL);
	for (size_t k = 0; writer != NULL && k < FRAMES; k++)
		sample_append(writer, &header, k, NULL);
	if (writer == NULL || !archive_finish(writer, "{}", NULL) || !g_file_get_contents(path, &bytes, length, NULL))
		g_error("no good archive");
	g_unlink(path);
	g_unlink(sidecar);
	g_rmdir(folder);
	return bytes;
}

static void read_frames(Archive *archive)
{
	g_autofree double *row = g_try_new(double, 3 * archive->header.n_vertices + 1);
	for (size_t k = 0; row != NULL && k < archive->n_frames; k++) {
		GError *error = NULL;
		if (!archive_read_positions(archive, k, row, &error) || !archive_read_velocities(archive, k, row, &error))
			fuzz_expect_sentence(NULL, error);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char *good;
	static gsize good_size;
	if (good == NULL) {
		good = make_good(&good_size);
		H5set_free_list_limits(-1, -1, -1, -1, -1, -1); /* its tables of megabytes are used again: five times as fast */
	}
	size_t length;
	g_autofree uint8_t *bytes = fuzz_edit((const uint8_t *)good, good_size, data, size, &length);
	GError *error = NULL;
	Archive *archive = archive_open_trusting(fuzz_file(bytes, length), &error);
	fuzz_expect_sentence(archive, error);
	if (archive != NULL)
		read_frames(archive);
	archive_close(archive);
	return 0;
}

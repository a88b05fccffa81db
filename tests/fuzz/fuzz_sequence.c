/* Scenes with a body that a sequence of OBJ files moves, and vertices that follow it. The input is the files, one after the
 * other with a byte 0xff in between; a single one is both frames. */
#include "fuzz.h"
#include "scene/scene.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FIRST = 700, MOST = 4 }; /* files in memory have these numbers, and with them names */

static void put_frame(int number, const uint8_t *data, size_t size)
{
	static bool open[MOST];
	if (!open[number]) {
		int file = memfd_create("frame", MFD_CLOEXEC);
		if (file < 0 || dup2(file, FIRST + number) < 0)
			g_error("no file in memory: %m");
		close(file);
		open[number] = true;
	}
	if (ftruncate(FIRST + number, 0) != 0 || pwrite(FIRST + number, data, size, 0) != (ssize_t)size)
		g_error("no file in memory: %m");
}

static int put_frames(const uint8_t *data, size_t size)
{
	const uint8_t *at = data, *end = data + size;
	int n = 0;
	while (n < MOST && (at < end || n < 2)) {
		const uint8_t *stop = at < end ? memchr(at, 0xff, (size_t)(end - at)) : NULL;
		if (at >= end)
			put_frame(n++, data, size);
		else
			put_frame(n++, at, (size_t)((stop ? stop : end) - at));
		at = stop ? stop + 1 : end;
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	GError *error = NULL;
	g_autofree char *text = g_strdup_printf(
	    "{\"units\": \"si\", \"materials\": {\"m\": {\"density\": 1, \"line_density\": 1, \"stretch_stiffness\": 50}},"
	    " \"meshes\": [{\"name\": \"body\", \"sequence\": {\"files\": \"/proc/self/fd/#\", \"first\": %d, \"frames\": %d, \"start\": 0.5}, \"material\": \"m\"},"
	    " {\"name\": \"rope\", \"generate\": \"chain\", \"points\": [[0, 0, 0], [1, 0, 0]], \"material\": \"m\"}],"
	    " \"scripts\": [{\"set\": \"rope.start\", \"follow\": \"body\"}], \"time\": {\"end\": 1}}",
	    FIRST, put_frames(data, size));
	Scene *scene = scene_load(fuzz_file((const uint8_t *)text, strlen(text)), NULL, &error);
	fuzz_expect_sentence(scene, error);
	scene_free(scene);
	return 0;
}

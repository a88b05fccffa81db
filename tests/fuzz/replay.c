/* Feeds files to a fuzzer's target, once each: replay FILE-or-FOLDER... */
#include "fuzz.h"
#include <stdio.h>
#include <stdlib.h>

static void feed(const char *path)
{
	g_autofree char *data = NULL;
	gsize length;
	GError *error = NULL;
	if (!g_file_get_contents(path, &data, &length, &error))
		g_error("%s", error->message);
	/* A block of just this size: reading beyond it is seen by the sanitizers. */
	uint8_t *exact = g_memdup2(data, length);
	LLVMFuzzerTestOneInput(exact, length);
	g_free(exact);
}

static int feed_folder(const char *path)
{
	GDir *folder = g_dir_open(path, 0, NULL);
	if (folder == NULL) {
		feed(path);
		return 1;
	}
	int n = 0;
	for (const char *name; (name = g_dir_read_name(folder)) != NULL; n++) {
		g_autofree char *file = g_build_filename(path, name, NULL);
		feed(file);
	}
	g_dir_close(folder);
	return n;
}

int main(int argc, char **argv)
{
	int n = 0;
	for (int i = 1; i < argc; i++)
		n += feed_folder(argv[i]);
	printf("%d inputs\n", n);
	return n > 0 ? 0 : 1;
}

#include "cli/command.h"
#include "cli/runner.h"
#include "io/archive.h"
#include <stdio.h>

enum { MOST_RANGES = 8 }; /* told one by one */

/* "12, 40 to 99", and how many more there are. */
static char *describe_lost(const GArray *lost)
{
	GString *text = g_string_new(NULL);
	unsigned ranges = 0;
	for (guint first = 0, last; first < lost->len; first = last + 1) {
		const size_t *frame = &g_array_index(lost, size_t, 0);
		for (last = first; last + 1 < lost->len && frame[last + 1] == frame[last] + 1;)
			last++;
		if (ranges++ == MOST_RANGES) {
			g_string_append_printf(text, " and %u more", lost->len - first);
			break;
		}
		g_string_append_printf(text, "%s%zu", ranges > 1 ? ", " : "", frame[first]);
		if (last > first)
			g_string_append_printf(text, " to %zu", frame[last]);
	}
	return g_string_free(text, FALSE);
}

static void tell(const ArchiveSalvage *result, const char *path)
{
	printf("%zu of %zu frames, from %.9g to %.9g s, are in %s\n", result->n_saved, result->n_frames, result->from,
	    result->until, path);
	g_autofree char *lost = describe_lost(result->lost);
	if (result->lost->len > 0)
		printf("lost: frame%s %s\n", result->lost->len > 1 ? "s" : "", lost);
	else if (!result->ended)
		printf("lost: the end of the run, with whatever frames came after these\n");
	else
		printf("nothing is lost\n");
	if (result->lost->len > 0 || !result->ended)
		printf("'cinch resume %s' simulates again what is missing\n", path);
}

int command_salvage(int argc, char **argv)
{
	int status;
	g_autofree char *output = NULL;
	GOptionEntry entries[] = {
	    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Archive to write", "B.h5"},
	    G_OPTION_ENTRY_NULL,
	};
	if (!command_parse("A.h5",
	        "Writes every frame that is whole in an archive that was cut off or damaged to another archive, and says what\n"
	        "is lost.",
	        entries, &argc, &argv, &status))
		return status;
	if (argc != 2)
		return command_fail_usage("salvage", "expected one archive");
	if (output == NULL)
		return command_fail_usage("salvage", "expected -o with the archive to write");
	if (runner_is_same_file(argv[1], output))
		return command_fail_usage("salvage", "--output %s: this is the damaged archive, which stays as it is", output);
	g_auto(ArchiveSalvage) result = {0};
	GError *error = NULL;
	if (!archive_salvage(argv[1], output, &result, &error))
		return command_fail(error);
	tell(&result, output);
	return 0;
}

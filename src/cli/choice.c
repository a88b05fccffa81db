#include "cli/choice.h"
#include "core/error.h"
#include <math.h>
#include <string.h>

void choice_entries(Choice *choice, GOptionEntry *entries)
{
	GOptionEntry all[CHOICE_N_ENTRIES] = {
	    {"bodies", 0, 0, G_OPTION_ARG_STRING, &choice->bodies, "Only these bodies", "NAME,NAME"},
	    {"from", 0, 0, G_OPTION_ARG_STRING, &choice->from, "Begin at this time [s]", "T"},
	    {"to", 0, 0, G_OPTION_ARG_STRING, &choice->to, "End at this time [s]", "T"},
	    {"fps", 0, 0, G_OPTION_ARG_STRING, &choice->rate, "Frames per second instead of the archive's own", "N"},
	    {"every", 0, 0, G_OPTION_ARG_INT, &choice->every, "Take only each N-th frame", "N"},
	};
	memcpy(entries, all, sizeof all);
}

bool choice_number(const char *option, const char *text, double least, double most, double *value, GError **error)
{
	char *end = NULL;
	*value = NAN;
	if (text == NULL)
		return true;
	*value = g_ascii_strtod(text, &end);
	return (end != text && *end == '\0' && *value >= least && *value <= most) ||
	       error_set(error, CINCH_ERROR_INPUT, "%s %s: expected a number from %g to %g", option, text, least, most);
}

Selection *choice_select(const Choice *choice, const char *path, Archive **archive, GError **error)
{
	SelectionOptions options = {.bodies = choice->bodies, .every = (size_t)MAX(choice->every, 1)};
	if (choice->every < 0) {
		error_set(error, CINCH_ERROR_INPUT, "--every %d: expected a number from 1 on", choice->every);
		return NULL;
	}
	if (!choice_number("--from", choice->from, 0.0, 1e9, &options.from, error) ||
	    !choice_number("--to", choice->to, 0.0, 1e9, &options.to, error) ||
	    !choice_number("--fps", choice->rate, 1e-6, 1e6, &options.rate, error))
		return NULL;
	*archive = archive_open(path, error);
	return *archive ? selection_new(*archive, &options, error) : NULL;
}

void choice_clear(Choice *choice)
{
	g_free(choice->bodies);
	g_free(choice->from);
	g_free(choice->to);
	g_free(choice->rate);
}

char *choice_output(const char *archive, const char *suffix)
{
	g_autofree char *base = g_path_get_basename(archive);
	char *dot = strrchr(base, '.');
	if (dot != NULL && dot != base)
		*dot = '\0';
	return g_strconcat(base, suffix, NULL);
}

#include "cli/choice.h"
#include "cli/command.h"
#include "io/files.h"
#include "look/view.h"
#include <math.h>
#include <stdio.h>

static bool make(const Choice *choice, const char *path, const char *output, const char *limit, GError **error)
{
	double most;
	if (!choice_number("--size-limit", limit, 1.0, 2000.0, &most, error))
		return false;
	g_autoptr(Archive) archive = NULL;
	g_autoptr(Selection) selection = choice_select(choice, path, &archive, error);
	if (selection == NULL)
		return false;
	g_autofree char *name = g_path_get_basename(path);
	g_autofree char *valid = g_utf8_make_valid(name, -1);
	g_autofree char *page_path = output ? g_strdup(output) : choice_output(path, ".html");
	GString *page = view_page(selection, valid, isnan(most) ? VIEW_MOST_BYTES : 1e6 * most, error);
	if (page == NULL)
		return false;
	bool good = files_replace(page_path, page->str, page->len, error);
	if (good)
		printf("%.1f MB in %s: open it in a browser\n", (double)page->len / 1e6, page_path);
	g_string_free(page, TRUE);
	return good;
}

int command_view(int argc, char **argv)
{
	Choice choice = {0};
	char *output = NULL, *limit = NULL;
	GOptionEntry entries[3 + CHOICE_N_ENTRIES] = {
	    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Page to write; default: named after the archive, here", "X.html"},
	    {"size-limit", 0, 0, G_OPTION_ARG_STRING, &limit, "Leave out frames so that the page stays below this; default: 95", "MB"},
	};
	choice_entries(&choice, entries + 2);
	int status;
	if (command_parse("A.h5",
	        "Makes a page that plays an archive in the browser, with its plots: one file, which needs no network. Large runs\n"
	        "lose frames so that it stays below 100 MB.",
	        entries, &argc, &argv, &status)) {
		GError *error = NULL;
		if (argc != 2)
			status = command_fail_usage("view", "expected one archive");
		else
			status = make(&choice, argv[1], output, limit, &error) ? 0 : command_fail(error);
	}
	choice_clear(&choice);
	g_free(output);
	g_free(limit);
	return status;
}

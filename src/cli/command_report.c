#include "cli/choice.h"
#include "cli/command.h"
#include "io/files.h"
#include "look/report.h"
#include "sim/lineage.h"
#include <stdio.h>

/* The runs that a report is about. */
typedef struct {
	size_t n;
	Archive **archive;
	ReportRun *run;
	char **name, **comes_from;
} Runs;

static void runs_clear(Runs *runs)
{
	for (size_t i = 0; i < runs->n; i++) {
		selection_free(runs->run[i].selection);
		archive_close(runs->archive[i]);
		g_free(runs->name[i]);
		g_free(runs->comes_from[i]);
	}
	g_free(runs->archive);
	g_free(runs->run);
	g_free(runs->name);
	g_free(runs->comes_from);
}

static bool open_runs(Runs *runs, char **paths, size_t n, GError **error)
{
	const Choice whole = {0};
	*runs = (Runs){n, g_new0(Archive *, n), g_new0(ReportRun, n), g_new0(char *, n), g_new0(char *, n)};
	for (size_t i = 0; i < n; i++) {
		g_autofree char *name = g_path_get_basename(paths[i]);
		runs->name[i] = g_utf8_make_valid(name, -1);
		Selection *selection = choice_select(&whole, paths[i], &runs->archive[i], error);
		if (selection == NULL)
			return false;
		g_auto(GStrv) lineage = lineage_describe(runs->archive[i]->header.lineage);
		if (lineage[0] != NULL)
			runs->comes_from[i] = g_strjoinv("; ", lineage);
		runs->run[i] = (ReportRun){selection, runs->name[i], runs->comes_from[i]};
	}
	return true;
}

static bool make(const Runs *runs, const char *first, const char *output, GError **error)
{
	g_autofree char *path = output ? g_strdup(output) : choice_output(first, "_report.html");
	GString *page = report_page(runs->run, runs->n, error);
	if (page == NULL)
		return false;
	bool good = files_replace(path, page->str, page->len, error);
	if (good)
		printf("%.1f MB in %s: open it in a browser, or print it\n", (double)page->len / 1e6, path);
	g_string_free(page, TRUE);
	return good;
}

int command_report(int argc, char **argv)
{
	g_autofree char *output = NULL;
	GOptionEntry entries[] = {
	    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
	        "Page to write; default: named after the first archive, here", "X.html"},
	    G_OPTION_ENTRY_NULL,
	};
	int status;
	if (!command_parse("A.h5 [B.h5...]",
	        "Makes a page that tells what a run was and what came of it, or several runs side by side: scene, "
	        "parameters,\n"
	        "verdict, key frames, plots, ledger, counters. One file, without scripts.",
	        entries, &argc, &argv, &status))
		return status;
	if (argc < 2)
		return command_fail_usage("report", "expected an archive, or several");
	GError *error = NULL;
	Runs runs;
	bool good = open_runs(&runs, argv + 1, (size_t)argc - 1, &error) && make(&runs, argv[1], output, &error);
	runs_clear(&runs);
	return good ? 0 : command_fail(error);
}

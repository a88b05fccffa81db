#include "cli/choice.h"
#include "cli/command.h"
#include "core/error.h"
#include "io/export.h"
#include <stdio.h>
#include <string.h>

typedef struct {
	Choice choice;
	char *format, *output, *fields;
	gboolean velocities;
} Options;

/* What the format cannot do is said, not left out. */
static bool suits(const ExportFormat *format, const Options *options, GError **error)
{
	if (format->ending == NULL && options->output != NULL)
		return error_set(error, CINCH_ERROR_INPUT,
		    "--format %s: the file stands beside the archive; -o is not for it", format->name);
	const Choice *choice = &options->choice;
	if (format->ending == NULL && (choice->bodies || choice->from || choice->to || choice->every > 1))
		return error_set(error, CINCH_ERROR_INPUT,
		    "--format %s: points to the whole archive; --bodies, --from, --to and --every are not for it",
		    format->name);
	if (!format->takes_rate && options->choice.rate != NULL)
		return error_set(error, CINCH_ERROR_INPUT,
		    "--format %s: has the archive's own frames; --fps is not for it", format->name);
	if (!format->holds_numbers && (options->velocities || options->fields != NULL))
		return error_set(error, CINCH_ERROR_INPUT,
		    "--format %s: cannot hold %s of vertices; ply, vtp and usd can", format->name,
		    options->velocities ? "velocities" : "fields");
	return true;
}

/* "run_ply/ has 16 frames from 0 to 0.3 s". */
static void tell(const Export *export, const ExportFormat *format, const char *path)
{
	const Selection *selection = export->selection;
	bool directory = format->ending != NULL && format->ending[0] == '_';
	if (format->ending == NULL)
		printf("%s has its .%s beside it\n", export->archive, format->name);
	else
		printf("%zu %s in %s%s\n", selection->n_times, strcmp(format->name, "csv") == 0 ? "rows" : "frames",
		    path, directory ? "/" : "");
	printf("%s", export->notes->str);
}

static bool hand_over(const ExportFormat *format, const Options *options, const char *archive_path, GError **error)
{
	g_autoptr(Archive) archive = NULL;
	if (!suits(format, options, error))
		return false;
	g_autoptr(Selection) selection = choice_select(&options->choice, archive_path, &archive, error);
	if (selection == NULL)
		return false;
	g_autoptr(Export) export = export_new(archive_path, selection, options->velocities, options->fields, error);
	g_autofree char *path = options->output ? g_strdup(options->output)
	                                        : choice_output(archive_path, format->ending ? format->ending : "");
	if (export == NULL || !format->write(export, path, error))
		return false;
	tell(export, format, path);
	return true;
}

static int run(const Options *options, int argc, char **argv)
{
	g_autofree char *names = export_format_names();
	GError *error = NULL;
	if (argc != 2)
		return command_fail_usage("export", "expected one archive");
	if (options->format == NULL)
		return command_fail_usage("export", "expected --format %s", names);
	const ExportFormat *format = export_format(options->format);
	if (format == NULL)
		return command_fail_usage("export", "--format %s: expected %s", options->format, names);
	return hand_over(format, options, argv[1], &error) ? 0 : command_fail(error);
}

static char *describe_formats(void)
{
	GString *text = g_string_new("Hands an archive's frames or ledger to other programs. Formats:\n");
	for (size_t i = 0; export_formats[i] != NULL; i++)
		g_string_append_printf(text, "\n  %-5s %s", export_formats[i]->name, export_formats[i]->about);
	return g_string_free(text, FALSE);
}

int command_export(int argc, char **argv)
{
	Options options = {0};
	GOptionEntry entries[5 + CHOICE_N_ENTRIES] = {
	    {"format", 'f', 0, G_OPTION_ARG_STRING, &options.format, "One of those above", "NAME"},
	    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
	        "Directory or file to write; default: named after the archive, here", "PATH"},
	    {"velocities", 0, 0, G_OPTION_ARG_NONE, &options.velocities,
	        "With the velocities of vertices, for motion blur", NULL},
	    {"fields", 0, 0, G_OPTION_ARG_STRING, &options.fields,
	        "With these numbers of vertices: speed, strain, layer, ...", "NAME,NAME"},
	};
	choice_entries(&options.choice, entries + 4);
	g_autofree char *summary = describe_formats();
	int status;
	if (command_parse("A.h5", summary, entries, &argc, &argv, &status))
		status = run(&options, argc, argv);
	choice_clear(&options.choice);
	g_free(options.format);
	g_free(options.output);
	g_free(options.fields);
	return status;
}

#include "cli/command.h"
#include "cli/manual.h"
#include "cli/memory.h"
#include "core/error.h"
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *summary;
	CommandFunction *function;
} commands[] = {
    {"run", "simulate a scene and write its archive", command_run},
    {"resume", "go on from a checkpoint, bit for bit, or branch", command_resume},
    {"check", "look for intersections and other trouble before a run", command_check},
    {"verify", "prove that nothing ever touched, and that an archive is what its scene gives", command_verify},
    {"bound", "tell which impacts a scene's contact can stop", command_bound},
    {"info", "tell what an archive holds", command_info},
    {"watch", "follow a run that is going on", command_watch},
    {"view", "make a page that plays an archive in the browser", command_view},
    {"report", "make a page that tells what one run was, or several side by side", command_report},
    {"picture", "draw a picture or a film of an archive", command_picture},
    {"export", "hand an archive's frames or ledger to other programs", command_export},
    {"bench", "measure what finding contact costs, option by option", command_bench},
    {"salvage", "save what is whole of a damaged archive", command_salvage},
    {"diff", "say whether two archives are the same run, bit for bit", command_diff},
};

/* One line, whatever names from files are in it: line breaks and what else commands a terminal become "?". */
void command_warn(const char *message)
{
	g_autofree char *line = g_strdup(message);
	for (char *c = line; *c; c++)
		if (g_ascii_iscntrl(*c))
			*c = '?';
	fflush(stdout);
	fprintf(stderr, "cinch: %s\n", line);
}

int command_fail(GError *error)
{
	int status = error_exit_status(error);
	command_warn(error->message);
	g_error_free(error);
	return status;
}

int command_fail_usage(const char *command, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	g_autofree char *message = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_autofree char *advice = g_strdup_printf("%s (see 'cinch %s --help')", message, command);
	command_warn(advice);
	return 2;
}

bool command_parse(const char *arguments, const char *summary, const GOptionEntry *entries, int *argc, char ***argv,
    int *status)
{
	g_autoptr(GOptionContext) context = g_option_context_new(arguments);
	g_autofree char *command = g_strdup(strchr((*argv)[0], ' ') + 1);
	gboolean help = FALSE, manual = FALSE;
	GOptionEntry help_entry[] = {{"help", 'h', 0, G_OPTION_ARG_NONE, &help, "Show this help", NULL},
	    {"man", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &manual, "Print the man page", NULL}, G_OPTION_ENTRY_NULL};
	g_autoptr(GError) error = NULL;
	g_option_context_set_help_enabled(context, FALSE);
	g_option_context_set_summary(context, summary);
	if (entries != NULL)
		g_option_context_add_main_entries(context, entries, NULL);
	g_option_context_add_main_entries(context, help_entry, NULL);
	g_set_prgname((*argv)[0]);
	if (!g_option_context_parse(context, argc, argv, &error)) {
		*status = command_fail_usage(command, "%s", error->message);
		return false;
	}
	/* GOption leaves it when the name after it begins with a dash. */
	if (*argc > 1 && g_str_equal((*argv)[1], "--")) {
		memmove(&(*argv)[1], &(*argv)[2], (size_t)(*argc - 1) * sizeof(char *)); /* and the NULL at the end */
		--*argc;
	}
	if (manual) {
		manual_print((*argv)[0], arguments, summary, entries);
		*status = 0;
		return false;
	}
	if (help) {
		g_autofree char *text = g_option_context_get_help(context, TRUE, NULL);
		fputs(text, stdout);
		*status = 0;
		return false;
	}
	return true;
}

static void print_help(void)
{
	fputs("Usage: cinch COMMAND [OPTION...] FILE...\n\n"
	      "Simulates cloth and thin shells on an asynchronous clock.\n\nCommands:\n",
	    stdout);
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
		printf("  %-8s %s\n", commands[i].name, commands[i].summary);
	fputs("\n'cinch COMMAND --help' tells more. 'cinch --version' prints the version.\n"
	      "Exit status: 0 done, 1 failure (or, for diff, different), 2 wrong usage or input, 3 stopped at the limit of\n"
	      "time's resolution, 4 not proved: something touches, 130 or 143 interrupted.\n",
	    stdout);
}

static void print_manual(void)
{
	const char *pairs[2 * G_N_ELEMENTS(commands) + 1] = {0};
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		pairs[2 * i] = commands[i].name;
		pairs[2 * i + 1] = commands[i].summary;
	}
	manual_print_program(pairs);
}

/* What was printed must have arrived: a full disk shows only when the buffer is written. */
static int finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	g_autofree char *message = g_strdup_printf("standard output: could not be written: %s", g_strerror(errno));
	command_warn(message);
	return status == 0 ? 1 : status;
}

int main(int argc, char **argv)
{
	memory_begin();
	setlocale(LC_CTYPE, "");
	if (argc < 2) {
		command_warn("expected a command (see 'cinch --help')");
		return 2;
	}
	if (g_str_equal(argv[1], "--help") || g_str_equal(argv[1], "-h") || g_str_equal(argv[1], "help")) {
		print_help();
		return finish(0);
	}
	if (g_str_equal(argv[1], "--man")) {
		print_manual();
		return finish(0);
	}
	if (g_str_equal(argv[1], "--version")) {
		printf("cinch %s\n", cinch_version());
		return finish(0);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		if (!g_str_equal(argv[1], commands[i].name))
			continue;
		g_autofree char *name = g_strconcat("cinch ", commands[i].name, NULL);
		g_autofree char **arguments = g_new0(char *, (gsize)argc);
		arguments[0] = name;
		for (int k = 2; k < argc; k++)
			arguments[k - 1] = argv[k];
		return finish(commands[i].function(argc - 1, arguments));
	}
	g_autofree char *message =
	    g_file_test(argv[1], G_FILE_TEST_EXISTS)
	        ? g_strdup_printf("there is no command \"%s\"; did you mean 'cinch run %s'?", argv[1], argv[1])
	        : g_strdup_printf("there is no command \"%s\" (see 'cinch --help')", argv[1]);
	command_warn(message);
	return 2;
}

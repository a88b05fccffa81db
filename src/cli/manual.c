#include "cli/manual.h"

#include <cinch/cinch.h>
#include <stdio.h>
#include <string.h>

/* Text as roff takes it: backslashes and dashes are commands there, and so is a dot or a quote that begins a line. */
static void put(const char *text)
{
	bool begins = true;
	for (const char *c = text; *c != '\0'; c++) {
		if (begins && (*c == '.' || *c == '\''))
			fputs("\\&", stdout);
		begins = *c == '\n';
		if (*c == '\\')
			fputs("\\e", stdout);
		else if (*c == '-')
			fputs("\\-", stdout);
		else
			putchar(*c);
	}
}

/* Paragraphs; lines that are indented stay as they are. */
static void put_paragraphs(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	bool literal = false;
	for (char **line = lines; *line != NULL; line++) {
		if (g_str_has_prefix(*line, "  ") != literal) {
			literal = !literal;
			puts(literal ? ".nf" : ".fi");
		}
		if (**line == '\0')
			puts(".PP");
		else {
			put(*line);
			putchar('\n');
		}
	}
	if (literal)
		puts(".fi");
}

static void put_head(const char *name)
{
	g_autofree char *title = g_strdelimit(g_ascii_strup(name, -1), " ", '-');
	printf(".TH \"");
	put(title);
	printf("\" \"1\" \"\" \"Cinch %s\" \"Cinch\"\n", cinch_version());
}

static void put_option(const GOptionEntry *entry)
{
	puts(".TP");
	printf(".B ");
	if (entry->short_name != '\0')
		printf("\\-%c, ", entry->short_name);
	fputs("\\-\\-", stdout);
	put(entry->long_name);
	if (entry->arg_description != NULL) {
		fputs("=\\fI", stdout);
		put(entry->arg_description);
		fputs("\\fR", stdout);
	}
	putchar('\n');
	put_paragraphs(entry->description ? entry->description : "");
}

static void put_statuses(void)
{
	puts(".SH EXIT STATUS");
	put_paragraphs("0 done; 1 failure (of diff: different); 2 wrong usage or input; 3 stopped at the limit of time's resolution;\n"
	               "4 not proved: something touches; 130 or 143 interrupted, and can be resumed.");
}

void manual_print(const char *command, const char *arguments, const char *summary, const GOptionEntry *entries)
{
	g_autofree char *page = g_strdelimit(g_strdup(command), " ", '-');
	g_auto(GStrv) sentences = g_strsplit(summary, ".", 2);
	g_autofree char *first = g_strdelimit(g_strdup(sentences[0]), "\n", ' ');
	put_head(command);
	puts(".SH NAME");
	put(page);
	fputs(" \\- ", stdout);
	put(first);
	printf("\n.SH SYNOPSIS\n.B ");
	put(command);
	printf("\n[\\fIOPTION\\fR...] ");
	put(arguments);
	puts("\n.SH DESCRIPTION");
	put_paragraphs(summary);
	puts(".SH OPTIONS");
	for (const GOptionEntry *entry = entries; entry != NULL && entry->long_name != NULL; entry++)
		put_option(entry);
	put_option(&(GOptionEntry){"help", 'h', 0, G_OPTION_ARG_NONE, NULL, "Show this help", NULL});
	put_statuses();
	puts(".SH SEE ALSO\n.BR cinch (1)");
}

void manual_print_program(const char *const *commands)
{
	put_head("cinch");
	puts(".SH NAME\ncinch \\- asynchronous simulation of cloth and thin shells in contact");
	puts(".SH SYNOPSIS\n.B cinch\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] \\fIFILE\\fR...");
	puts(".SH DESCRIPTION");
	put_paragraphs("Simulates cloth and thin shells on an asynchronous clock: every element has its own time step, and so has every\n"
	               "layer of contact. Nothing passes through anything; the motion is a function of the scene alone. A scene is a JSON\n"
	               "file; a run writes an archive (HDF5), which the other commands show, prove and hand over.");
	puts(".SH COMMANDS");
	for (const char *const *command = commands; *command != NULL; command += 2) {
		printf(".TP\n.BR cinch\\-");
		put(command[0]);
		puts(" (1)");
		put_paragraphs(command[1]);
	}
	put_statuses();
	puts(".SH FILES");
	put_paragraphs("The manual is in docs/ of the sources: tutorial.md, scene-format.md and others; scenes/ has examples.");
}

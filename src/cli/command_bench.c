/* What finding contact costs: stretches of runs, from one state, with one option after the other. The parts are in src/bench. */
#include "bench/thesis.h"
#include "cli/command.h"
#include "core/error.h"
#include "version.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
	gboolean json, markdown, small, whole;
	double at, length; /* [s] NaN: not given */
	char *cache;
	char **overrides;
} Options;

/* "model name : ..." of the first processor; free with g_free. */
static char *processor_name(void)
{
	g_autofree char *text = NULL;
	if (!g_file_get_contents("/proc/cpuinfo", &text, NULL, NULL))
		return g_strdup("unknown processor");
	const char *line = strstr(text, "model name");
	const char *colon = line ? strchr(line, ':') : NULL;
	return colon ? g_strstrip(g_strndup(colon + 1, strcspn(colon + 1, "\n"))) : g_strdup("unknown processor");
}

static char *machine(void)
{
	g_autofree char *processor = processor_name();
	return g_strdup_printf("cinch %s (%s), %u processors: %s", CINCH_VERSION, CINCH_BUILD, g_get_num_processors(), processor);
}

static void print_json(const Bench *bench)
{
	g_autofree char *name = machine();
	g_autoptr(JsonBuilder) builder = json_builder_new();
	json_builder_begin_object(builder);
	json_builder_set_member_name(builder, "machine");
	json_builder_add_string_value(builder, name);
	for (guint i = 0; i < bench->tables->len; i++)
		table_put(bench->tables->pdata[i], builder);
	json_builder_end_object(builder);
	g_autoptr(JsonNode) root = json_builder_get_root(builder);
	g_autofree char *text = json_to_string(root, TRUE);
	printf("%s\n", text);
}

/* Tables are printed as they are found: the next may take minutes. */
static bool run_part(Bench *bench, const Part *part, const Options *options, GError **error)
{
	guint before = bench->tables->len;
	bool good = part->run(bench, error);
	for (guint i = before; i < bench->tables->len && !options->json; i++)
		(options->markdown ? table_print_markdown : table_print)(bench->tables->pdata[i]);
	fflush(stdout);
	return good;
}

/* Exit status 1 when the motion depends on how contact was found. */
static int run_parts(Bench *bench, const GPtrArray *parts, const Options *options)
{
	GError *error = NULL;
	bool good = true;
	g_autofree char *name = machine();
	if (!options->json)
		printf("%s\n\n", name);
	fflush(stdout);
	for (guint i = 0; good && i < parts->len; i++)
		good = run_part(bench, parts->pdata[i], options, &error);
	if (!good)
		return command_fail(error);
	if (options->json)
		print_json(bench);
	if (bench->differs)
		command_warn("the motion depends on how contact was found: this must not happen");
	return bench->differs ? 1 : 0;
}

/* The parts that are named; without names those that are run by default, with a scene of the user's those about it. */
static GPtrArray *choose_parts(char **names, int n, bool has_scene, int *status)
{
	GPtrArray *parts = g_ptr_array_new();
	for (int i = 0; i < n; i++) {
		const Part *part = bench_part(names[i]);
		if (part == NULL || (has_scene && !part->of_scene)) {
			*status = command_fail_usage("bench", part ? "\"%s\" has scenes of its own" : "there is no part \"%s\"", names[i]);
			g_ptr_array_unref(parts);
			return NULL;
		}
		for (size_t k = 0; k < bench_n_parts(); k++)
			if (bench_part_matches(&bench_parts[k], names[i]))
				g_ptr_array_add(parts, (gpointer)&bench_parts[k]);
	}
	for (size_t i = 0; n == 0 && i < bench_n_parts(); i++)
		if (has_scene ? strcmp(bench_parts[i].name, "ablation") == 0 : bench_parts[i].by_default)
			g_ptr_array_add(parts, (gpointer)&bench_parts[i]);
	return parts;
}

/* The scene that is named, or the knot that tightens. */
static Subject *make_tight(const char *scene, const Options *options)
{
	const char *const *overrides = (const char *const *)options->overrides;
	const char *const knot[] = {options->small ? "size=preview" : "size=full", NULL};
	Subject *tight = scene ? subject_of_file(scene, overrides, isnan(options->at) ? 0.0 : options->at)
	                       : subject_of_scene("overhand", knot, isnan(options->at) ? 2.0 : options->at);
	tight->cache = g_strdup(options->cache);
	return tight;
}

static char *summary(void)
{
	GString *text = g_string_new(
	    "Measures what finding contact costs, from a saved state in which much touches, with one option after the other, and sees\n"
	    "that the motion is the same, bit for bit; exit status 1 if it is not. Without names it runs those that are not of the thesis, on\n"
	    "scenes of its own; with a scene file, \"ablation\" of that scene:\n");
	for (size_t i = 0; i < bench_n_parts(); i++)
		g_string_append_printf(text, "\n  %-10s %s", bench_parts[i].name, bench_parts[i].what);
	g_string_append(text, "\n\n\"thesis\" means all of its tables and figures.");
	return g_string_free(text, FALSE);
}

static bool check(const Options *options, bool has_scene, int *status)
{
	if ((!isnan(options->at) && !(options->at >= 0.0 && isfinite(options->at))) ||
	    (!isnan(options->length) && !(options->length > 0.0 && isfinite(options->length))))
		*status = command_fail_usage("bench", "expected a time from 0 on (--at) and a length above 0 (--for)");
	else if (options->overrides != NULL && !has_scene)
		*status = command_fail_usage("bench", "--set is for the scene that is named; there is none");
	else
		return true;
	return false;
}

static int run(const Options *options, char **names, int n)
{
	int status = 0;
	/* What is no part's name is a scene. */
	const char *scene = n > 0 && bench_part(names[0]) == NULL ? names[0] : NULL;
	if (!check(options, scene != NULL, &status))
		return status;
	GPtrArray *parts = choose_parts(scene ? names + 1 : names, scene ? n - 1 : n, scene != NULL, &status);
	if (parts == NULL)
		return status;
	Bench bench = {.length = isnan(options->length) ? 0.1 : options->length,
	    .small = options->small,
	    .whole = options->whole,
	    .thesis = thesis_new(),
	    .tables = g_ptr_array_new_with_free_func((GDestroyNotify)table_free)};
	bench.tight = make_tight(scene, options);
	status = run_parts(&bench, parts, options);
	subject_free(bench.tight);
	thesis_free(bench.thesis);
	g_ptr_array_unref(bench.tables);
	g_ptr_array_unref(parts);
	return status;
}

int command_bench(int argc, char **argv)
{
	int status;
	Options options = {.at = NAN, .length = NAN};
	g_autofree char *about = summary();
	GOptionEntry entries[] = {
	    {"at", 0, 0, G_OPTION_ARG_DOUBLE, &options.at, "Simulate up to here first, and measure from there (2; with a scene 0)", "T"},
	    {"for", 0, 0, G_OPTION_ARG_DOUBLE, &options.length, "Measure for this long; slow rows for less (0.1 s)", "S"},
	    {"set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.overrides,
	        "Override a value of the scene, such as contact.eta1=0.01; may be repeated", "KEY=VALUE"},
	    {"state", 0, 0, G_OPTION_ARG_FILENAME, &options.cache,
	        "Keep the state to measure from in this file, and take it from there the next time", "FILE"},
	    {"small", 0, 0, G_OPTION_ARG_NONE, &options.small, "Small scenes: to see that it works, not for figures", NULL},
	    {"whole", 0, 0, G_OPTION_ARG_NONE, &options.whole,
	        "Of the thesis: table 6.2 to the ends of runs, and figure 6.7 in full size", NULL},
	    {"json", 0, 0, G_OPTION_ARG_NONE, &options.json, "Print JSON", NULL},
	    {"markdown", 0, 0, G_OPTION_ARG_NONE, &options.markdown, "Print tables in Markdown", NULL},
	    G_OPTION_ENTRY_NULL,
	};
	if (command_parse("[SCENE] [PART...]", about, entries, &argc, &argv, &status))
		status = run(&options, argv + 1, argc - 1);
	g_strfreev(options.overrides);
	g_free(options.cache);
	return status;
}

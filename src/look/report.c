#include "look/report.h"
#include "io/origin.h"
#include "look/figure.h"
#include "look/page.h"
#include "look/parameters.h"
#include "look/studio.h"
#include "look/survey.h"
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

enum { PICTURE_WIDTH = 480, PICTURE_HEIGHT = 320, N_PICTURES = 4 };

typedef struct {
	Selection *selection;
	Archive *archive;
	const ArchiveHeader *header;
	const char *name, *comes_from; /* of ReportRun */
	Origin *origin;
	GPtrArray *plots;  /* Plot */
	JsonNode *summary; /* an object, empty where the run has not ended */
	Parameters *parameters;
} Run;

typedef struct {
	Run *run;
	size_t n;
	GString *html;
} Report;

/* Members of a summary that may be missing, or something else than they should be. */

static JsonObject *object_in(JsonObject *object, const char *key)
{
	JsonNode *node = object ? json_object_get_member(object, key) : NULL;
	return node != NULL && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

static double number_in(JsonObject *object, const char *key)
{
	JsonNode *node = object ? json_object_get_member(object, key) : NULL;
	return node != NULL && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) != G_TYPE_STRING
	           ? json_node_get_double(node)
	           : NAN;
}

static const char *text_in(JsonObject *object, const char *key)
{
	JsonNode *node = object ? json_object_get_member(object, key) : NULL;
	return node != NULL && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING
	           ? json_node_get_string(node)
	           : NULL;
}

static JsonObject *summary_of(const Run *run)
{
	return json_node_get_object(run->summary);
}

/* Tables: a row of one thing, a cell for each run. Cells take their texts. */

static void begin_table(Report *report, const char *heading)
{
	g_string_append_printf(report->html, "<h2>%s</h2>\n<table class=\"runs\">\n", heading);
	if (report->n < 2)
		return;
	g_string_append(report->html, "<tr><th></th>");
	for (size_t i = 0; i < report->n; i++) {
		g_autofree char *name = page_escape(report->run[i].name);
		g_string_append_printf(report->html, "<th>%s</th>", name);
	}
	g_string_append(report->html, "</tr>\n");
}

static void end_table(Report *report)
{
	g_string_append(report->html, "</table>\n");
}

static void add_cell(Report *report, char *text)
{
	g_autofree char *safe = page_escape(text ? text : "");
	g_string_append_printf(report->html, "<td>%s</td>", safe);
	g_free(text);
}

typedef char *Teller(const Run *run, const char *key);

static void add_row(Report *report, const char *label, Teller *tell, const char *key)
{
	GPtrArray *texts = g_ptr_array_new();
	bool any = false;
	for (size_t i = 0; i < report->n; i++) {
		char *text = tell(&report->run[i], key);
		any |= text != NULL;
		g_ptr_array_add(texts, text);
	}
	g_autofree char *safe = page_escape(label);
	if (any)
		g_string_append_printf(report->html, "<tr><th>%s</th>", safe);
	for (size_t i = 0; i < report->n && any; i++)
		add_cell(report, texts->pdata[i]);
	g_string_append(report->html, any ? "</tr>\n" : "");
	g_ptr_array_free(texts, TRUE);
}

static char *tell_number(double value, const char *unit)
{
	if (!isfinite(value))
		return NULL;
	g_autofree char *number = fabs(value) < 1e15 && value == floor(value) ? g_strdup_printf("%.0f", value)
	                                                                      : g_strdup_printf("%.6g", value);
	return unit != NULL && unit[0] ? g_strdup_printf("%s %s", number, unit) : g_steal_pointer(&number);
}

/* What was run. */

static char *tell_title(const Run *run, const char *key)
{
	(void)key;
	return run->origin->title[0] ? g_strdup(run->origin->title) : NULL;
}

static char *tell_scene(const Run *run, const char *key)
{
	(void)key;
	return g_strdup(run->header->scene_name);
}

static char *tell_mesh(const Run *run, const char *key)
{
	(void)key;
	const ArchiveHeader *header = run->header;
	return g_strdup_printf("%zu bodies: %zu vertices, %zu triangles, %zu loose edges, %zu particles",
	    header->n_bodies, header->n_vertices, header->n_triangles, header->n_edges, header->n_particles);
}

static char *tell_frames(const Run *run, const char *key)
{
	(void)key;
	return g_strdup_printf("%zu, from %g to %g s, every %g s", run->archive->n_frames, run->archive->time[0],
	    run->archive->time[run->archive->n_frames - 1], run->header->frame_interval);
}

static char *tell_end(const Run *run, const char *key)
{
	(void)key;
	if (run->archive->complete)
		return g_strdup("came to its end");
	return g_strdup(
	    run->archive->closed ? "was ended before its time" : "has not ended: it goes on, or was cut off");
}

static char *tell_program(const Run *run, const char *key)
{
	(void)key;
	return g_strdup_printf("Cinch %s (%s)", run->header->version, run->header->build);
}

static char *tell_lineage(const Run *run, const char *key)
{
	(void)key;
	return g_strdup(run->comes_from);
}

static char *tell_units(const Run *run, const char *key)
{
	(void)key;
	return g_strdup(run->header->units);
}

static void add_scenes(Report *report)
{
	begin_table(report, "What was run");
	add_row(report, "title", tell_title, NULL);
	add_row(report, "scene", tell_scene, NULL);
	add_row(report, "units", tell_units, NULL);
	add_row(report, "mesh", tell_mesh, NULL);
	add_row(report, "frames", tell_frames, NULL);
	add_row(report, "the run", tell_end, NULL);
	add_row(report, "comes from", tell_lineage, NULL);
	add_row(report, "program", tell_program, NULL);
	end_table(report);
}

/* The verdict: whether anything touched, and whether the energy is accounted for. */

static char *tell_proof(const Run *run, const char *key)
{
	(void)key;
	JsonObject *proof = object_in(summary_of(run), "proof");
	const char *verdict = text_in(proof, "verdict");
	if (verdict == NULL)
		return g_strdup("not judged on the way (cinch run --prove); cinch verify does it afterwards");
	double separation = number_in(proof, "separation");
	if (strcmp(verdict, "PASS") != 0)
		return g_strdup_printf("%s: something touched", verdict);
	return g_strdup_printf("PASS from %g to %g s: nothing touched, never closer than %.6g %s",
	    number_in(proof, "from"), number_in(proof, "to"), separation, run->header->length_unit);
}

/* The change of a column over the run. */
static double change_of(const Run *run, const char *name)
{
	int column = archive_column(run->header, name);
	size_t width = run->header->n_columns;
	if (column < 0)
		return NAN;
	return run->archive->ledger[(run->archive->n_frames - 1) * width + (size_t)column] -
	       run->archive->ledger[column];
}

static char *tell_balance(const Run *run, const char *key)
{
	(void)key;
	static const char *const stores[] = {"kinetic", "stretching", "bending", "gravitational", "contact",
	    "work_loads", "work_wind", "work_scripts", "lost_stretch_damping", "lost_bend_damping", "lost_mass_damping",
	    "lost_restitution", "lost_friction", "removed"};
	double through = 0.0, balance = change_of(run, "balance");
	for (size_t i = 0; i < G_N_ELEMENTS(stores); i++) {
		double change = change_of(run, stores[i]);
		through += isfinite(change) ? 0.5 * fabs(change) : 0.0;
	}
	int total = archive_column(run->header, "total");
	if (!isfinite(balance) || total < 0)
		return NULL;
	return g_strdup_printf(
	    "%.4g %s are not accounted for, %.2g %% of the %.4g %s that went from one place to another", balance,
	    run->header->columns[total].unit, through > 0.0 ? 100.0 * fabs(balance) / through : 0.0, through,
	    run->header->columns[total].unit);
}

static char *tell_contact(const Run *run, const char *key)
{
	(void)key;
	JsonObject *contact = object_in(summary_of(run), "contact");
	double gap = number_in(contact, "smallest_gap");
	if (contact == NULL)
		return NULL;
	if (!(gap >= 0.0))
		return g_strdup("nothing came into contact");
	return g_strdup_printf("smallest gap at a tick %.6g %s, deepest layer %.0f", gap, run->header->length_unit,
	    number_in(contact, "deepest_layer"));
}

static char *tell_sign(const Run *run, const char *key)
{
	return g_strdup(text_in(object_in(summary_of(run), "proof"), key));
}

static void add_verdicts(Report *report)
{
	begin_table(report, "Verdict");
	add_row(report, "contact", tell_proof, NULL);
	add_row(report, "", tell_contact, NULL);
	add_row(report, "energy", tell_balance, NULL);
	add_row(report, "scene (SHA-256)", tell_sign, "scene_sha256");
	add_row(report, "program (SHA-256)", tell_sign, "program_sha256");
	add_row(report, "motion (fingerprint)", tell_sign, "motion_fingerprint");
	end_table(report);
}

/* Parameters: all of one run, or those in which runs differ. */

static char *tell_parameter(const Run *run, const char *key)
{
	return g_strdup(parameters_get(run->parameters, key));
}

static bool is_same(const Report *report, const char *key)
{
	const char *first = parameters_get(report->run[0].parameters, key);
	for (size_t i = 1; i < report->n; i++)
		if (g_strcmp0(first, parameters_get(report->run[i].parameters, key)) != 0)
			return false;
	return report->n > 1;
}

static void add_parameters(Report *report)
{
	size_t shown = 0;
	begin_table(report, report->n > 1 ? "Parameters that differ" : "Parameters");
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	for (size_t i = 0; i < report->n; i++)
		for (size_t k = 0; k < parameters_count(report->run[i].parameters); k++) {
			const char *key = parameters_key(report->run[i].parameters, k);
			if (!g_hash_table_add(seen, (gpointer)(uintptr_t)key) || is_same(report, key))
				continue;
			add_row(report, key, tell_parameter, key);
			shown++;
		}
	end_table(report);
	if (shown == 0)
		g_string_append(report->html, "<p>None: the scenes say the same.</p>\n");
	for (size_t i = 0; i < report->n; i++) {
		g_autofree char *name = page_escape(report->run[i].name),
		                *scene = page_escape(report->run[i].header->scene_effective);
		g_string_append_printf(report->html,
		    "<details><summary>The whole scene of %s</summary><pre>%s</pre></details>\n", name, scene);
	}
}

/* Key frames. */

static void embed(Report *report, const Image *image, const char *caption)
{
	g_autoptr(GByteArray) png = image_png(image);
	g_autofree char *data = g_base64_encode(png->data, png->len), *safe = page_escape(caption);
	g_string_append_printf(report->html,
	    "<figure><img alt=\"%s\" width=\"%d\" height=\"%d\" "
	    "src=\"data:image/png;base64,%s\"><figcaption>%s</figcaption></figure>\n",
	    safe, image->width, image->height, data, safe);
}

/* Pictures of one kind: what is coloured how. With `close` the camera frames where there is contact at that time. */
typedef struct {
	const char *colour;
	bool close;
	double low, high; /* of the scale; NAN: what the run has */
} Look;

static bool draw(Report *report, const Run *run, const Look *look, const double *time, size_t n, GError **error)
{
	StudioOptions options = STUDIO_DEFAULTS;
	options.width = PICTURE_WIDTH;
	options.height = PICTURE_HEIGHT;
	options.colour = look->colour;
	options.low = look->low;
	options.high = look->high;
	options.focus = look->close ? "contact" : NULL;
	options.only = look->close ? time[0] : NAN;
	g_autoptr(Studio) studio = studio_new(run->selection, &options, error);
	for (size_t k = 0; studio != NULL && k < n; k++) {
		g_autoptr(Image) image = studio_draw(studio, time[k], 0.0, error);
		if (image == NULL)
			return false;
		bool plain = strcmp(look->colour, "body") == 0;
		g_autofree char *caption = g_strdup_printf("t = %.4g s%s%s%s", time[k], plain ? "" : ": ",
		    plain ? "" : look->colour, look->close ? ", where there is contact" : "");
		embed(report, image, g_strdelimit(caption, "_", ' '));
	}
	return studio != NULL;
}

/* One scale for all runs, so that their colours mean the same. */
static bool find_scale(const Report *report, Look *look, GError **error)
{
	look->low = look->high = 0.0;
	for (size_t i = 0; i < report->n; i++) {
		double low, high;
		if (archive_field(report->run[i].header, look->colour, ARCHIVE_FIELD_VERTEX) < 0 &&
		    strcmp(look->colour, "strain") != 0)
			continue;
		if (!survey_field(report->run[i].selection, look->colour, &low, &high, error))
			return false;
		look->low = fmin(look->low, low);
		look->high = fmax(look->high, high);
	}
	return true;
}

/* The frame with the most pairs in contact: there forces are worth a look. */
static bool find_crowd(const Run *run, double *time, GError **error)
{
	int field = archive_field(run->header, "touching", ARCHIVE_FIELD_FRAME);
	double most = 0.0;
	*time = NAN;
	for (size_t k = 0; field >= 0 && k < run->archive->n_frames; k++) {
		double pairs = 0.0;
		if (!archive_read_field(run->archive, (size_t)field, k, &pairs, error))
			return false;
		if (pairs > most) {
			most = pairs;
			*time = run->archive->time[k];
		}
	}
	return true;
}

static bool add_pictures_of(Report *report, const Run *run, const Look *strain, const Look *force, GError **error)
{
	const Look whole = {"body", false, NAN, NAN}, near = {"body", true, NAN, NAN};
	double time[N_PICTURES], crowd;
	size_t last = run->archive->n_frames - 1, n = 0;
	for (size_t k = 0; k < N_PICTURES; k++) {
		double at = run->archive->time[k * last / (N_PICTURES - 1)];
		if (n == 0 || time[n - 1] < at)
			time[n++] = at;
	}
	g_string_append(report->html, "<td>");
	if (!draw(report, run, &whole, time, n, error) || !find_crowd(run, &crowd, error) ||
	    !draw(report, run, strain, time + n - 1, 1, error))
		return false;
	bool touched = isfinite(crowd) && archive_field(run->header, "pairs", ARCHIVE_FIELD_LIST) >= 0;
	bool forces = touched && archive_field(run->header, force->colour, ARCHIVE_FIELD_VERTEX) >= 0;
	if ((touched && !draw(report, run, &near, time + n - 1, 1, error)) ||
	    (forces && !draw(report, run, force, &crowd, 1, error)))
		return false;
	g_string_append(report->html, "</td>");
	return true;
}

static bool add_pictures(Report *report, GError **error)
{
	Look strain = {.colour = "strain"}, force = {.colour = "contact_force", .close = true};
	if (!find_scale(report, &strain, error) || !find_scale(report, &force, error))
		return false;
	begin_table(report, "Key frames");
	g_string_append(report->html, report->n > 1 ? "<tr class=\"pictures\"><th></th>" : "<tr class=\"pictures\">");
	for (size_t i = 0; i < report->n; i++)
		if (!add_pictures_of(report, &report->run[i], &strain, &force, error))
			return false;
	g_string_append(report->html, "</tr>\n");
	end_table(report);
	return true;
}

/* Plots: what several runs have, on the same axes. Where a run has none, the axes are empty. */

/* A run's plot of that kind, or NULL. */
static const Plot *plot_of(const Run *run, const Plot *model)
{
	for (guint i = 0; i < run->plots->len; i++) {
		const Plot *plot = run->plots->pdata[i];
		if (strcmp(plot->title, model->title) == 0 && strcmp(plot->unit, model->unit) == 0)
			return plot;
	}
	return NULL;
}

static void add_figures(Report *report, const Plot *model)
{
	FigureRange range = figure_range_empty();
	g_autoptr(GPtrArray) none = g_ptr_array_new();
	Plot empty = *model;
	empty.series = none;
	for (size_t i = 0; i < report->n; i++) {
		const Plot *plot = plot_of(&report->run[i], model);
		if (plot != NULL)
			figure_extend(&range, plot, report->run[i].archive->time, report->run[i].archive->n_frames);
	}
	g_autofree char *title = page_escape(model->title), *unit = page_escape(model->unit);
	g_string_append_printf(report->html, "<div class=\"plot\"><h3>%s%s%s%s</h3><div class=\"figures\">", title,
	    unit[0] ? " [" : "", unit, unit[0] ? "]" : "");
	for (size_t i = 0; i < report->n; i++) {
		const Run *run = &report->run[i];
		const Plot *plot = plot_of(run, model);
		g_autofree char *name = page_escape(run->name);
		g_string_append_printf(report->html, report->n > 1 ? "<div><p class=\"name\">%s</p>" : "<div>", name);
		figure_draw(report->html, plot ? plot : &empty, run->archive->time, run->archive->n_frames, &range);
		g_string_append(report->html, "</div>");
	}
	g_string_append(report->html, "</div></div>\n");
}

static void add_plots(Report *report)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	g_string_append_printf(
	    report->html, "<h2>Over time</h2>\n<div class=\"%s\">\n", report->n > 1 ? "rows" : "tiles");
	for (size_t i = 0; i < report->n; i++)
		for (guint k = 0; k < report->run[i].plots->len; k++) {
			const Plot *plot = report->run[i].plots->pdata[k];
			if (g_hash_table_add(seen, plot->title))
				add_figures(report, plot);
		}
	g_string_append(report->html, "</div>\n");
}

/* The ledger and the counters. */

static char *tell_ledger(const Run *run, const char *key)
{
	int column = archive_column(run->header, key);
	size_t width = run->header->n_columns;
	if (column < 0)
		return NULL;
	const double *last = run->archive->ledger + (run->archive->n_frames - 1) * width;
	return g_strdup_printf(
	    "%.9g → %.9g %s", run->archive->ledger[column], last[column], run->header->columns[column].unit);
}

static void add_ledger(Report *report)
{
	begin_table(report, "Ledger, at the first and at the last frame");
	for (size_t i = 0; i < report->run[0].header->n_columns; i++) {
		g_autofree char *label = g_strdelimit(g_strdup(report->run[0].header->columns[i].name), "_", ' ');
		add_row(report, label, tell_ledger, report->run[0].header->columns[i].name);
	}
	end_table(report);
}

static char *tell_counter(const Run *run, const char *key)
{
	return tell_number(number_in(summary_of(run), key), NULL);
}

static char *tell_contact_counter(const Run *run, const char *key)
{
	return tell_number(number_in(object_in(summary_of(run), "contact"), key), NULL);
}

static char *tell_proof_counter(const Run *run, const char *key)
{
	return tell_number(number_in(object_in(summary_of(run), "proof"), key), NULL);
}

static char *tell_detector(const Run *run, const char *key)
{
	return g_strdup(text_in(object_in(summary_of(run), "contact"), key));
}

static JsonArray *list_of(const Run *run, const char *key)
{
	JsonNode *node = json_object_get_member(summary_of(run), key);
	return node != NULL && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}

/* The k-th entry of a list of the summary, "forces:3". */
static JsonObject *entry_of(const Run *run, const char *key)
{
	g_auto(GStrv) parts = g_strsplit(key, ":", 2);
	JsonArray *list = list_of(run, parts[0]);
	guint64 k = g_ascii_strtoull(parts[1], NULL, 10);
	JsonNode *node =
	    list != NULL && k < json_array_get_length(list) ? json_array_get_element(list, (guint)k) : NULL;
	return node != NULL && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

static char *tell_force(const Run *run, const char *key)
{
	JsonObject *force = entry_of(run, key);
	if (force == NULL)
		return NULL;
	return g_strdup_printf("%.0f elements, steps %.3g to %.3g s, %.0f evaluations in %.0f events, %.3g s",
	    number_in(force, "elements"), number_in(force, "smallest_step"), number_in(force, "largest_step"),
	    number_in(force, "evaluations"), number_in(force, "events"), number_in(force, "seconds"));
}

static char *tell_kind(const Run *run, const char *key)
{
	JsonObject *kind = entry_of(run, key);
	if (kind == NULL || !(number_in(kind, "events") > 0.0))
		return NULL;
	return g_strdup_printf("%.0f events, %.3g s", number_in(kind, "events"), number_in(kind, "seconds"));
}

/* Rows for the entries of a list, as the first run that has it names them. */
static void add_list(Report *report, const char *list, const char *what, Teller *tell)
{
	const Run *model = NULL;
	for (size_t i = 0; i < report->n && model == NULL; i++)
		model = list_of(&report->run[i], list) ? &report->run[i] : NULL;
	for (guint k = 0; model != NULL && k < json_array_get_length(list_of(model, list)); k++) {
		g_autofree char *key = g_strdup_printf("%s:%u", list, k);
		const char *name = text_in(entry_of(model, key), "name");
		g_autofree char *label = g_strdup_printf("%s%s", what, name ? name : "?");
		add_row(report, label, tell, key);
	}
}

static void add_counters(Report *report)
{
	static const char *const totals[] = {
	    "time", "wall_seconds", "threads", "events", "memory_bytes", "queue_seconds"};
	static const char *const contact[] = {"eta1", "r1", "most_crowded", "ticks", "evaluations", "in_range",
	    "halvings", "certificates", "failed", "rescheduled", "rescheduled_per_force_event", "layer_seconds",
	    "certificate_seconds"};
	static const char *const proof[] = {
	    "commits", "segments", "windows", "examined", "by_chord", "by_way", "exactly", "seconds"};
	begin_table(report, "Counters");
	for (size_t i = 0; i < G_N_ELEMENTS(totals); i++)
		add_row(report, totals[i], tell_counter, totals[i]);
	add_list(report, "kinds", "events: ", tell_kind);
	add_list(report, "forces", "force: ", tell_force);
	add_row(report, "contact: detect", tell_detector, "detect");
	for (size_t i = 0; i < G_N_ELEMENTS(contact); i++) {
		g_autofree char *label = g_strdup_printf("contact: %s", contact[i]);
		add_row(report, label, tell_contact_counter, contact[i]);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(proof); i++) {
		g_autofree char *label = g_strdup_printf("proof: %s", proof[i]);
		add_row(report, label, tell_proof_counter, proof[i]);
	}
	end_table(report);
}

static void add_bodies(Report *report)
{
	for (size_t i = 0; i < report->n; i++) {
		const ArchiveHeader *header = report->run[i].header;
		g_autofree char *name = page_escape(report->run[i].name);
		g_string_append_printf(report->html,
		    report->n > 1 ? "<h2>Bodies of %s</h2>\n" : "<h2>Bodies</h2><!-- %s -->\n",
		    report->n > 1 ? name : "");
		g_string_append(report->html, "<table "
		                              "class=\"list\"><tr><th>name</th><th>material</th><th>vertices</"
		                              "th><th>triangles</th><th>loose edges</th><th>particles</th></tr>\n");
		for (size_t b = 0; b < header->n_bodies; b++) {
			const ArchiveBody *body = &header->bodies[b];
			g_autofree char *safe = page_escape(body->name), *material = page_escape(body->material);
			g_string_append_printf(report->html,
			    "<tr><td>%s</td><td>%s</td><td>%u</td><td>%u</td><td>%u</td><td>%u</td></tr>\n", safe,
			    material, body->n_vertices, body->n_triangles, body->n_edges, body->n_particles);
		}
		g_string_append(report->html, "</table>\n");
	}
}

static bool run_open(Run *run, const ReportRun *from, GError **error)
{
	Archive *archive = from->selection->archive;
	*run = (Run){.selection = from->selection,
	    .archive = archive,
	    .header = &archive->header,
	    .name = from->name,
	    .comes_from = from->comes_from};
	run->origin = origin_of(run->header);
	run->parameters = parameters_of(run->header->scene_effective);
	g_autoptr(JsonParser) parser = json_parser_new();
	if (run->archive->summary != NULL && json_parser_load_from_data(parser, run->archive->summary, -1, NULL) &&
	    json_parser_get_root(parser) != NULL && JSON_NODE_HOLDS_OBJECT(json_parser_get_root(parser)))
		run->summary = json_parser_steal_root(parser);
	else
		run->summary = json_node_init_object(json_node_alloc(), json_object_new());
	run->plots = plots_of(run->archive, error);
	return run->plots != NULL;
}

static void run_close(Run *run)
{
	origin_free(run->origin);
	parameters_free(run->parameters);
	g_clear_pointer(&run->summary, json_node_unref);
	g_clear_pointer(&run->plots, g_ptr_array_unref);
}

static GString *fill(const Report *report)
{
	const Run *first = &report->run[0];
	g_autoptr(GString) about = g_string_new(NULL);
	for (size_t i = 0; i < report->n; i++)
		g_string_append_printf(about, "%s%s", i ? ", " : "", report->run[i].name);
	bool named = first->origin->title[0] != '\0';
	for (size_t i = 1; i < report->n; i++)
		named &= strcmp(report->run[i].origin->title, first->origin->title) == 0;
	g_autofree char *title = page_escape(named ? first->origin->title : about->str),
	                *names = page_escape(about->str);
	const char *pairs[] = {
	    "title", title, "about", names, "style", page_part("report.css"), "body", report->html->str, NULL};
	return page_fill(page_part("report.html"), pairs);
}

GString *report_page(const ReportRun *runs, size_t n, GError **error)
{
	Report report = {g_new0(Run, n), n, g_string_new(NULL)};
	GString *page = NULL;
	bool good = true;
	for (size_t i = 0; i < n && good; i++)
		good = run_open(&report.run[i], &runs[i], error);
	if (good) {
		add_verdicts(&report);
		add_scenes(&report);
		good = add_pictures(&report, error);
	}
	if (good) {
		add_plots(&report);
		add_parameters(&report);
		add_ledger(&report);
		add_counters(&report);
		add_bodies(&report);
		page = fill(&report);
	}
	for (size_t i = 0; i < n; i++)
		run_close(&report.run[i]);
	g_free(report.run);
	g_string_free(report.html, TRUE);
	return page;
}

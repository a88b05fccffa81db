#include "io/export.h"

#include "core/error.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define MOST_KEPT 1e9 /* [byte] of a motion in memory; what is more is read again for each body */

/* The table: a line for each export_NAME.c. */
#define FORMATS(FORMAT)                                                                                                \
	FORMAT(obj)                                                                                                    \
	FORMAT(ply)                                                                                                    \
	FORMAT(vtp)                                                                                                    \
	FORMAT(pc2)                                                                                                    \
	FORMAT(usd)                                                                                                    \
	FORMAT(gltf)                                                                                                   \
	FORMAT(csv)                                                                                                    \
	FORMAT(xdmf)

#define DECLARE(name) extern const ExportFormat export_##name;
#define ADDRESS(name) &export_##name,

FORMATS(DECLARE)
const ExportFormat *const export_formats[] = {FORMATS(ADDRESS) NULL};

const ExportFormat *export_format(const char *name)
{
	for (size_t i = 0; export_formats[i] != NULL; i++)
		if (strcmp(export_formats[i]->name, name) == 0)
			return export_formats[i];
	return NULL;
}

char *export_format_names(void)
{
	GString *names = g_string_new(export_formats[0]->name);
	for (size_t i = 1; export_formats[i] != NULL; i++)
		g_string_append_printf(names, "%s%s", export_formats[i + 1] ? ", " : " or ", export_formats[i]->name);
	return g_string_free(names, FALSE);
}

static bool read_attribute(Export *export, ExportAttribute *attribute, size_t k, GError **error)
{
	Selection *selection = export->selection;
	if (attribute->width == 3)
		return selection_velocities(selection, k, attribute->value, error);
	return selection_field_at(selection, attribute->name, selection->time[k], attribute->value, error);
}

static void add_attribute(Export *export, const char *name, const char *unit, size_t width)
{
	ExportAttribute attribute = {
	    g_strdup(name), unit, width, g_new(double, width *export->selection->n_vertices + 1)};
	export->attribute = g_renew(ExportAttribute, export->attribute, export->n_attributes + 1);
	export->attribute[export->n_attributes++] = attribute;
}

static bool add_fields(Export *export, const char *list, GError **error)
{
	g_auto(GStrv) names = g_strsplit(list, ",", -1);
	g_autoptr(GArray) fields = selection_fields(export->selection);
	for (char **name = names; *name != NULL; name++) {
		const char *unit = "";
		for (guint i = 0; i < fields->len; i++)
			if (strcmp(g_array_index(fields, SelectionField, i).name, g_strstrip(*name)) == 0)
				unit = g_array_index(fields, SelectionField, i).unit;
		add_attribute(export, *name, unit, 1);
		/* A name that is wrong is noticed before anything is written. */
		if (!selection_field_at(export->selection, *name, export->selection->time[0],
		        export->attribute[export->n_attributes - 1].value, error))
			return false;
	}
	return true;
}

Export *export_new(const char *archive, Selection *selection, bool velocities, const char *fields, GError **error)
{
	g_autoptr(Export) export = g_new0(Export, 1);
	export->archive = archive;
	export->selection = selection;
	export->header = &selection->archive->header;
	export->origin = origin_of(export->header);
	export->faces = faces_of(selection, export->origin);
	export->position = g_new(double, 3 * selection->n_vertices + 1);
	export->notes = g_string_new(NULL);
	if (velocities)
		add_attribute(export, "velocity", strcmp(export->header->length_unit, "cm") == 0 ? "cm/s" : "m/s", 3);
	if (fields != NULL && !add_fields(export, fields, error))
		return NULL;
	if (selection->interpolated)
		g_string_append(export->notes, "frames between those of the archive are interpolated linearly\n");
	return g_steal_pointer(&export);
}

void export_free(Export *export)
{
	if (export == NULL)
		return;
	origin_free(export->origin);
	faces_free(export->faces);
	g_free(export->position);
	for (size_t i = 0; i < export->n_attributes; i++) {
		g_free(export->attribute[i].name);
		g_free(export->attribute[i].value);
	}
	g_free(export->attribute);
	if (export->notes != NULL)
		g_string_free(export->notes, TRUE);
	g_free(export);
}

bool export_frame(Export *export, size_t k, GError **error)
{
	if (!selection_positions(export->selection, k, export->position, error))
		return false;
	for (size_t i = 0; i < export->n_attributes; i++)
		if (!read_attribute(export, &export->attribute[i], k, error))
			return false;
	return true;
}

bool export_shows(const Export *export, size_t body, size_t k)
{
	return archive_shows(export->header, export->selection->body[body], export->selection->time[k]);
}

bool export_vanishes(const Export *export, size_t body)
{
	return !export_shows(export, body, export->selection->n_times - 1);
}

bool export_directory(const char *path, GError **error)
{
	return g_mkdir_with_parents(path, 0777) == 0 ||
	       error_set(error, CINCH_ERROR_FAILED, "%s: could not make this directory: %s", path, g_strerror(errno));
}

bool export_sequence(Export *export, const char *directory, const char *ending, ExportWriter *writer, GError **error)
{
	if (!export_directory(directory, error))
		return false;
	for (size_t k = 0; k < export->selection->n_times; k++) {
		g_autofree char *name = g_strdup_printf("%s/frame%05zu%s", directory, k, ending);
		if (!export_frame(export, k, error))
			return false;
		Stream *stream = stream_open(name);
		writer(export, k, stream);
		if (!stream_close(stream, true, error))
			return false;
	}
	return true;
}

struct ExportMotion {
	Export *export;
	ExportAttribute *attribute; /* NULL: positions */
	size_t n;                   /* numbers of a frame */
	float *kept;                /* (n_times, n); NULL: too much */
	bool *is_kept;              /* (n_times) */
	float *frame;               /* (n) */
	size_t at;                  /* the time that `frame` has; SIZE_MAX: none */
};

ExportMotion *export_motion_new(Export *export, ExportAttribute *attribute)
{
	const Selection *selection = export->selection;
	ExportMotion *motion = g_new0(ExportMotion, 1);
	motion->export = export;
	motion->attribute = attribute;
	motion->n = (attribute ? attribute->width : 3) * selection->n_vertices;
	motion->at = SIZE_MAX;
	motion->frame = g_new(float, motion->n + 1);
	double bytes = sizeof(float) * (double)motion->n * (double)selection->n_times;
	if (bytes <= MOST_KEPT)
		motion->kept = g_try_malloc((gsize)bytes + 1);
	motion->is_kept = g_new0(bool, selection->n_times);
	return motion;
}

void export_motion_free(ExportMotion *motion)
{
	if (motion == NULL)
		return;
	g_free(motion->kept);
	g_free(motion->is_kept);
	g_free(motion->frame);
	g_free(motion);
}

const float *export_motion_at(ExportMotion *motion, size_t k, GError **error)
{
	Export *export = motion->export;
	float *out = motion->kept ? motion->kept + motion->n * k : motion->frame;
	if (motion->kept ? motion->is_kept[k] : motion->at == k)
		return out;
	if (motion->attribute ? !read_attribute(export, motion->attribute, k, error)
	                      : !selection_positions(export->selection, k, export->position, error))
		return NULL;
	const double *value = motion->attribute ? motion->attribute->value : export->position;
	for (size_t i = 0; i < motion->n; i++)
		out[i] = (float)value[i];
	motion->is_kept[k] = true;
	motion->at = k;
	return out;
}

char *export_quote(const char *text)
{
	GString *quoted = g_string_new("\"");
	for (const char *c = text; *c != '\0'; c++) {
		if ((unsigned char)*c < 0x20)
			g_string_append_printf(quoted, "\\u%04x", (unsigned)*c);
		else if (*c == '"' || *c == '\\')
			g_string_append_printf(quoted, "\\%c", *c);
		else
			g_string_append_c(quoted, *c);
	}
	g_string_append_c(quoted, '"');
	return g_string_free(quoted, FALSE);
}

double export_metres(const Export *export)
{
	return strcmp(export->header->length_unit, "cm") == 0 ? 0.01 : 1.0;
}

void export_turn(const Export *export, double turn[4])
{
	Vec3 up = origin_up(export->origin);
	turn[0] = -up.z, turn[1] = 0.0, turn[2] = up.x, turn[3] = 1.0 + up.y; /* up x y, and 1 + up . y */
	double norm = sqrt(turn[0] * turn[0] + turn[2] * turn[2] + turn[3] * turn[3]);
	if (norm < 1e-9) { /* upside down: half a turn about x */
		turn[0] = 1.0;
		turn[2] = turn[3] = 0.0;
		return;
	}
	for (int i = 0; i < 4; i++)
		turn[i] /= norm;
}

static char *plain_name(const char *name)
{
	GString *plain = g_string_new(g_ascii_isdigit(*name) ? "_" : NULL);
	for (const char *c = name; *c != '\0'; c++)
		g_string_append_c(plain, g_ascii_isalnum(*c) ? *c : '_');
	if (plain->len == 0)
		g_string_append(plain, "body");
	return g_string_free(plain, FALSE);
}

char *export_identifier(const Export *export, size_t body)
{
	const Selection *selection = export->selection;
	char *name = plain_name(selection->bodies[body].name);
	for (size_t other = 0; other < selection->n_bodies; other++) {
		g_autofree char *same = plain_name(selection->bodies[other].name);
		if (other == body || strcmp(same, name) != 0)
			continue;
		char *numbered = g_strdup_printf("%s_%zu", name, body);
		g_free(name);
		return numbered;
	}
	return name;
}

#include "cli/command.h"
#include "core/error.h"
#include "io/archive.h"
#include "io/files.h"
#include "io/obj.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

/* "dir/knot.h5" to "knot" + suffix. */
static char *named_after(const char *archive, const char *suffix)
{
	g_autofree char *base = g_path_get_basename(archive);
	char *dot = strrchr(base, '.');
	if (dot != NULL && dot != base)
		*dot = '\0';
	return g_strconcat(base, suffix, NULL);
}

/* The elements of those bodies that a frame shows. */
typedef struct {
	GArray *triangle, *edge, *particle; /* of three, two and one uint32_t */
} Shown;

static Shown shown_at(const ArchiveHeader *header, double time)
{
	Shown shown = {g_array_new(FALSE, FALSE, 3 * sizeof(uint32_t)), g_array_new(FALSE, FALSE, 2 * sizeof(uint32_t)),
	    g_array_new(FALSE, FALSE, sizeof(uint32_t))};
	for (size_t i = 0; i < header->n_bodies; i++) {
		const ArchiveBody *body = &header->bodies[i];
		if (!archive_shows(header, i, time))
			continue;
		g_array_append_vals(shown.triangle, header->triangle + body->first_triangle, body->n_triangles);
		g_array_append_vals(shown.edge, header->edge + body->first_edge, body->n_edges);
		g_array_append_vals(shown.particle, header->particle + body->first_particle, body->n_particles);
	}
	return shown;
}

static void shown_clear(Shown *shown)
{
	g_array_unref(shown->triangle);
	g_array_unref(shown->edge);
	g_array_unref(shown->particle);
}

static bool write_obj(const char *name, const Archive *archive, size_t frame, const double *position, GError **error)
{
	const ArchiveHeader *header = &archive->header;
	g_autofree char *comment =
	    g_strdup_printf("t = %.17g %s, lengths in %s", archive->time[frame], header->time_unit, header->length_unit);
	Shown shown = shown_at(header, archive->time[frame]);
	bool good = obj_write(name, comment, position, header->n_vertices, (const uint32_t(*)[3])(void *)shown.triangle->data,
	    shown.triangle->len, (const uint32_t(*)[2])(void *)shown.edge->data, shown.edge->len,
	    (const uint32_t *)(void *)shown.particle->data, shown.particle->len, error);
	shown_clear(&shown);
	return good;
}

/* One OBJ file per frame: DIRECTORY/frame00000.obj and so on. */
static bool export_obj(Archive *archive, const char *path, const char *output, GError **error)
{
	const ArchiveHeader *header = &archive->header;
	g_autofree char *directory = output ? g_strdup(output) : named_after(path, "_obj");
	if (g_mkdir_with_parents(directory, 0777) != 0)
		return error_set(error, CINCH_ERROR_FAILED, "%s: could not make this directory: %s", directory, g_strerror(errno));
	g_autofree double *position = g_new(double, 3 * header->n_vertices + 1);
	for (size_t frame = 0; frame < archive->n_frames; frame++) {
		g_autofree char *name = g_strdup_printf("%s/frame%05zu.obj", directory, frame);
		if (!archive_read_positions(archive, frame, position, error) ||
		    !write_obj(name, archive, frame, position, error))
			return false;
	}
	printf("%zu frames in %s/\n", archive->n_frames, directory);
	return true;
}

/* The ledger as a table, units in the heading. */
static bool export_csv(Archive *archive, const char *path, const char *output, GError **error)
{
	const ArchiveHeader *header = &archive->header;
	g_autofree char *name = output ? g_strdup(output) : named_after(path, ".csv");
	g_autoptr(GString) text = g_string_new(NULL);
	for (size_t i = 0; i < header->n_columns; i++)
		g_string_append_printf(text, "%s%s [%s]", i ? "," : "", header->columns[i].name, header->columns[i].unit);
	g_string_append_c(text, '\n');
	for (size_t k = 0; k < archive->n_frames * header->n_columns; k++) {
		char number[G_ASCII_DTOSTR_BUF_SIZE];
		g_string_append(text, g_ascii_formatd(number, sizeof number, "%.17g", archive->ledger[k]));
		g_string_append_c(text, (k + 1) % header->n_columns ? ',' : '\n');
	}
	if (!files_replace(name, text->str, text->len, error))
		return false;
	printf("%zu rows in %s\n", archive->n_frames, name);
	return true;
}

static bool export_xdmf(Archive *archive, const char *path, const char *output, GError **error)
{
	(void)archive;
	if (output != NULL)
		return error_set(error, CINCH_ERROR_INPUT, "--format xdmf: the file stands beside the archive; -o is not for it");
	if (!archive_write_xdmf(path, error))
		return false;
	printf("%s has its .xdmf beside it\n", path);
	return true;
}

static const struct {
	const char *name;
	bool (*write)(Archive *archive, const char *path, const char *output, GError **error);
} formats[] = {
    {"obj", export_obj},
    {"csv", export_csv},
    {"xdmf", export_xdmf},
};

int command_export(int argc, char **argv)
{
	int status;
	g_autofree char *format = NULL, *output = NULL;
	GOptionEntry entries[] = {
	    {"format", 'f', 0, G_OPTION_ARG_STRING, &format,
	        "obj: one file per frame, 17 digits; csv: the ledger; xdmf: for ParaView", "obj|csv|xdmf"},
	    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
	        "Directory (obj) or file (csv) to write; default: named after the archive, here", "PATH"},
	    G_OPTION_ENTRY_NULL,
	};
	if (!command_parse("A.h5", "Hands an archive's frames or ledger to other programs.", entries, &argc, &argv, &status))
		return status;
	if (argc != 2)
		return command_fail_usage("export", "expected one archive");
	if (format == NULL)
		return command_fail_usage("export", "expected --format obj, csv or xdmf");
	for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
		if (!g_str_equal(format, formats[i].name))
			continue;
		GError *error = NULL;
		g_autoptr(Archive) archive = archive_open(argv[1], &error);
		if (archive == NULL || !formats[i].write(archive, argv[1], output, &error))
			return command_fail(error);
		return 0;
	}
	return command_fail_usage("export", "--format %s: expected obj, csv or xdmf", format);
}

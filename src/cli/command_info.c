#include "cli/command.h"
#include "cli/summary.h"
#include "io/archive.h"
#include "sim/lineage.h"
#include <math.h>
#include <stdio.h>

static void print_header(const Archive *archive, const char *path)
{
	const ArchiveHeader *header = &archive->header;
	printf("%s: cinch %s (%s), units %s, scene %s\n", path, header->version, header->build, header->units,
	    header->scene_name);
	g_auto(GStrv) lineage = lineage_describe(header->lineage);
	for (char **line = lineage; *line != NULL; line++)
		printf("%s\n", *line);
	printf("%zu vertices, %zu triangles, %zu loose edges, %zu particles in %zu bodies:\n", header->n_vertices,
	    header->n_triangles, header->n_edges, header->n_particles, header->n_bodies);
	for (size_t i = 0; i < header->n_bodies; i++) {
		const ArchiveBody *body = &header->bodies[i];
		printf("  %-20s %8u vertices from %u, %u triangles, %u loose edges, %u particles, material %s", body->name,
		    body->n_vertices, body->first_vertex, body->n_triangles, body->n_edges, body->n_particles,
		    body->material);
		if (header->removed != NULL && isfinite(header->removed[i]))
			printf(", removed at %g %s", header->removed[i], header->time_unit);
		printf("\n");
	}
}

static const char *ending(const Archive *archive)
{
	if (archive->complete)
		return "has ended";
	return archive->closed ? "was ended before its time" : "has not ended (it goes on, or was cut off)";
}

static void print_frames(const Archive *archive)
{
	const ArchiveHeader *header = &archive->header;
	if (archive->n_frames == 0) {
		printf("no frames\n");
		return;
	}
	printf("%zu frames from %g to %g %s, every %g; the run %s\n", archive->n_frames, archive->time[0],
	    archive->time[archive->n_frames - 1], header->time_unit, header->frame_interval, ending(archive));
	g_autofree const char **names = g_new0(const char *, header->n_columns + 1);
	g_autofree const char **units = g_new0(const char *, header->n_columns + 1);
	for (size_t i = 0; i < header->n_columns; i++) {
		names[i] = header->columns[i].name;
		units[i] = header->columns[i].unit;
	}
	summary_print_ledger(
	    names, units, archive->ledger, archive->ledger + (archive->n_frames - 1) * header->n_columns);
}

static int print_hash(Archive *archive)
{
	GError *error = NULL;
	g_autofree char *motion = NULL, *ledger = NULL;
	if (!archive_hash(archive, &motion, &ledger, &error))
		return command_fail(error);
	printf("%s  motion\n%s  ledger\n", motion, ledger);
	return 0;
}

int command_info(int argc, char **argv)
{
	int status;
	gboolean scene = FALSE, hash = FALSE;
	GOptionEntry entries[] = {
	    {"scene", 0, 0, G_OPTION_ARG_NONE, &scene, "Print the scene that was run, after --set, and nothing else", NULL},
	    {"hash", 0, 0, G_OPTION_ARG_NONE, &hash, "Print SHA-256 of the frames and of the ledger, and nothing else", NULL},
	    G_OPTION_ENTRY_NULL,
	};
	if (!command_parse("A.h5", "Tells what an archive holds, also while it is being written.", entries, &argc, &argv,
	        &status))
		return status;
	if (argc != 2)
		return command_fail_usage("info", "expected one archive");
	GError *error = NULL;
	g_autoptr(Archive) archive = archive_open(argv[1], &error);
	if (archive == NULL)
		return command_fail(error);
	if (scene) {
		printf("%s\n", archive->header.scene_effective);
		return 0;
	}
	if (hash)
		return print_hash(archive);
	print_header(archive, argv[1]);
	print_frames(archive);
	if (archive->summary != NULL)
		summary_print(archive->summary);
	return 0;
}

/* A small archive whose every number is known. */
#ifndef CINCH_TESTS_IO_ARCHIVE_SAMPLE_H
#define CINCH_TESTS_IO_ARCHIVE_SAMPLE_H

#include "io/archive.h"
#include <math.h>

#define SAMPLE_VERTICES 7
#define SAMPLE_COLUMNS 3

static const double sample_rest[SAMPLE_VERTICES][3] = {
    {0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, -0.0}, {2, 0.1, 0}, {3, 1.0 / 3, 0}, {5, 5, 5}};
static const double sample_mass[SAMPLE_VERTICES] = {0.1, 0.2, 0.1, 0.2, 5e-324, 1, 2};
static const uint8_t sample_held[SAMPLE_VERTICES] = {1, 0, 0, 2, 0, 0, 0};
static const uint32_t sample_triangle[2][3] = {{0, 1, 2}, {0, 2, 3}};
static const uint32_t sample_edge[1][2] = {{4, 5}};
static const uint32_t sample_particle[1] = {6};
static const ArchiveBody sample_bodies[3] = {
    {"sheet", "cotton", 0, 4, 0, 2, 0, 0, 0, 0},
    {"spring \xc3\xa9", "", 4, 2, 2, 0, 0, 1, 0, 0},
    {"ball", "steel", 6, 1, 2, 0, 1, 0, 0, 1},
};
static const ArchiveColumn sample_columns[SAMPLE_COLUMNS] = {{"time", "s"}, {"kinetic", "J"}, {"total", "J"}};
static const ArchiveFile sample_files[2] = {{"../meshes/sheet.obj", "v 0 0 0\n\0\xff", 10}, {"empty", "", 0}};

static inline ArchiveHeader sample_header(void)
{
	return (ArchiveHeader){
	    .version = "0.1.0",
	    .build = "test",
	    .units = "si",
	    .length_unit = "m",
	    .time_unit = "s",
	    .scene_name = "scenes/sample.json",
	    .scene_source = "{ /* caf\xc3\xa9 */ }\n",
	    .scene_effective = "{}",
	    .files = sample_files,
	    .n_files = 2,
	    .frame_interval = 0.04,
	    .end_time = 1.0 / 3,
	    .n_vertices = SAMPLE_VERTICES,
	    .n_triangles = 2,
	    .n_edges = 1,
	    .n_particles = 1,
	    .n_bodies = 3,
	    .n_columns = SAMPLE_COLUMNS,
	    .rest = &sample_rest[0][0],
	    .mass = sample_mass,
	    .held = sample_held,
	    .triangle = sample_triangle,
	    .edge = sample_edge,
	    .particle = sample_particle,
	    .bodies = sample_bodies,
	    .columns = sample_columns,
	};
}

static inline double sample_time(size_t frame)
{
	return 0.04 * (double)frame;
}

/* Fills a row with numbers that use all bits; `kind` tells position, velocity and ledger apart. */
static inline void sample_fill(double *row, size_t n, size_t frame, unsigned kind)
{
	for (size_t i = 0; i < n; i++)
		row[i] = ((double)i + 1.0 / (double)(frame + 3)) / (double)(kind + 1);
	if (n > 2 && kind > 0) {
		row[0] = -0.0;
		row[1] = (double)NAN;
	}
}

static inline bool sample_append(ArchiveWriter *writer, const ArchiveHeader *header, size_t frame, GError **error)
{
	g_autofree double *position = g_new(double, 3 * header->n_vertices + 1);
	g_autofree double *velocity = g_new(double, 3 * header->n_vertices + 1);
	g_autofree double *ledger = g_new(double, header->n_columns + 1);
	sample_fill(position, 3 * header->n_vertices, frame, 0);
	sample_fill(velocity, 3 * header->n_vertices, frame, 1);
	sample_fill(ledger, header->n_columns, frame, 2);
	return archive_append(writer, sample_time(frame), position, velocity, ledger, error);
}

#endif

/* A part of an archive to look at or to hand over: some of its bodies, at some times. Vertices and elements are counted
 * anew, from the first that was chosen; whoever uses a selection needs not know what was left out. */
#ifndef CINCH_IO_SELECTION_H
#define CINCH_IO_SELECTION_H

#include "io/archive.h"

typedef struct {
	const char *bodies; /* names, separated by commas; NULL: all */
	double from, to;    /* [s] NAN: the first, the last frame */
	double rate;        /* [1/s] frames per second; NAN: the archive's own frames */
	size_t every;       /* of these, each so many-th; 0 is 1 */
} SelectionOptions;

typedef struct {
	Archive *archive;
	size_t n_vertices, n_triangles, n_edges, n_particles, n_bodies;
	uint32_t *vertex;        /* (n_vertices) its index in the archive */
	uint32_t (*triangle)[3]; /* (n_triangles) */
	uint32_t (*edge)[2];     /* (n_edges) */
	uint32_t *particle;      /* (n_particles) */
	ArchiveBody *bodies;     /* (n_bodies) with their ranges in the selection */
	size_t *body;            /* (n_bodies) its index in the archive */
	double *rest;            /* [length] (n_vertices, 3) */

	size_t n_times;
	double *time;      /* [s] (n_times) */
	bool interpolated; /* whether any of them is between frames */

	double *whole;     /* (archive's vertices, 3) room for a frame */
	double *between;   /* the same, for the frame after it */
} Selection;

/* The archive stays the caller's, and must outlive the selection. */
Selection *selection_new(Archive *archive, const SelectionOptions *options, GError **error);
void selection_free(Selection *selection);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Selection, selection_free)

/* Of the k-th time, (n_vertices, 3). Between frames they are interpolated linearly: that overshoots nothing. */
bool selection_positions(Selection *selection, size_t k, double *out, GError **error);
bool selection_velocities(Selection *selection, size_t k, double *out, GError **error);
/* At any time within the archive, of the same vertices. */
bool selection_positions_at(Selection *selection, double time, double *out, GError **error);

/* What vertices can be coloured by, or exported with: "speed", "strain" and the archive's own fields. */
typedef struct {
	const char *name, *unit, *about;
} SelectionField;
/* All that this archive has (GArray of SelectionField). */
GArray *selection_fields(const Selection *selection);
/* Of every vertex at a time; false with an error also when there is no such field. */
bool selection_field_at(Selection *selection, const char *name, double time, double *out, GError **error);

/* The frame at or before a time. */
size_t selection_frame_at(const Archive *archive, double time);

#endif

/* The archive: one HDF5 file per run, described in docs/archive-format.md.
 *
 * Everything that does not change is written first; then the file goes into HDF5's single-writer mode and grows by one
 * frame at a time, each flushed: a run that dies at any instant leaves a file in which every finished frame is
 * readable. The header is written under a temporary name, so that the final name never shows a half-written header. */
#ifndef CINCH_IO_ARCHIVE_H
#define CINCH_IO_ARCHIVE_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
	const char *name;
	const char *material;
	uint32_t first_vertex, n_vertices;
	uint32_t first_triangle, n_triangles;
	uint32_t first_edge, n_edges;
	uint32_t first_particle, n_particles;
} ArchiveBody;

typedef struct {
	const char *name; /* "kinetic" */
	const char *unit; /* "J" */
} ArchiveColumn;

/* What frames tell besides motion and ledger: one dataset of /fields each. */
typedef enum {
	ARCHIVE_FIELD_FRAME,  /* one number per frame */
	ARCHIVE_FIELD_VERTEX, /* one number per vertex */
	ARCHIVE_FIELD_LIST    /* up to `rows` rows of `width` numbers; those that are not used are NaN, and last */
} ArchiveFieldShape;

typedef struct {
	const char *name;  /* "layer" */
	const char *unit;  /* "" for a pure number */
	const char *about; /* in a few words */
	ArchiveFieldShape shape;
	uint32_t rows, width; /* of a list */
} ArchiveField;

typedef struct {
	const char *name;
	const void *data;
	size_t length;
} ArchiveFile;

/* What is known before the first frame. All pointers belong to whoever fills it in. */
typedef struct {
	const char *version, *build;         /* of the program: "0.1.0", "release gcc 12.2.0 ..." */
	const char *units;                   /* "cgs" or "si" */
	const char *length_unit, *time_unit; /* "m", "s" */
	const char *scene_name;              /* the scene's file name as the user gave it */
	const char *scene_source;            /* its text, untouched */
	const char *scene_effective;         /* JSON after --set: what was really run */
	const char *lineage;                 /* JSON list of what it was resumed from; NULL reads and writes as "[]" */
	const ArchiveFile *files;            /* files that the scene refers to, whole */
	size_t n_files;
	double frame_interval, end_time; /* [s] */
	size_t n_vertices, n_triangles, n_edges, n_particles, n_bodies, n_columns;
	const double *rest;            /* [length] (n_vertices, 3) */
	const double *mass;            /* [mass] (n_vertices) */
	const uint8_t *held;           /* (n_vertices) 0 free, 1 pinned, 2 scripted */
	const uint32_t (*triangle)[3]; /* (n_triangles) */
	const uint32_t (*edge)[2];     /* (n_edges) loose edges */
	const uint32_t *particle;      /* (n_particles) */
	const ArchiveBody *bodies;
	const double *removed;        /* [s] (n_bodies) from when on it is not there any more; INFINITY: never; NULL: all */
	const ArchiveColumn *columns; /* of the ledger; the first is "time" */
	const ArchiveField *fields;   /* (n_fields) */
	size_t n_fields;
} ArchiveHeader;

typedef struct ArchiveWriter ArchiveWriter;
typedef struct Archive Archive;

ArchiveWriter *archive_create(const char *path, const ArchiveHeader *header, GError **error);
/* The same with the first n_frames of an earlier archive, of the same vertices and columns. `path` may be that archive's
 * own: it is replaced in one step when all of them are in the new file. */
ArchiveWriter *archive_create_after(
    const char *path, const ArchiveHeader *header, Archive *earlier, size_t n_frames, GError **error);
/* The fields of the next frame, before archive_append() adds that: for each its archive_field_size() numbers. */
bool archive_append_fields(ArchiveWriter *writer, double *const *values, GError **error);
/* position, velocity: 3 per vertex; ledger: one row of n_columns. */
bool archive_append(ArchiveWriter *writer, double time, const double *position, const double *velocity,
    const double *ledger, GError **error);
size_t archive_frames_written(const ArchiveWriter *writer);
/* Makes what is written so far survive the death of the machine; false with errno when that failed. */
bool archive_sync(ArchiveWriter *writer);
/* Ends the run with a summary (JSON text): marks the archive closed, and complete when its last frame is at end_time;
 * writes the XDMF sidecar, closes and frees. */
bool archive_finish(ArchiveWriter *writer, const char *summary, GError **error);
/* Closes and frees without marking it closed (after a failure). */
void archive_abandon(ArchiveWriter *writer);

/* An archive opened for reading; also while it is still being written, or after its writer was killed. */
struct Archive {
	ArchiveHeader header; /* what was written; strings and arrays belong to the archive */
	size_t n_frames;
	double *time;   /* [s] (n_frames) */
	double *ledger; /* (n_frames, n_columns) */
	bool closed;    /* archive_finish was reached */
	bool complete;  /* closed, and the run had come to its end */
	char *summary;  /* JSON text; NULL when not closed */
	struct ArchivePrivate *private;
};

/* A child process reads the file first (archive_vet.h): it may come from anywhere. */
Archive *archive_open(const char *path, GError **error);
/* Without that. */
Archive *archive_open_trusting(const char *path, GError **error);
/* Also when parts of it are damaged: frames may not be readable, or have a time that is not a number or not later than the
 * one before. Fields and summary may be missing. For salvage. */
Archive *archive_open_lenient(const char *path, GError **error);
void archive_close(Archive *archive);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Archive, archive_close)
bool archive_read_positions(Archive *archive, size_t frame, double *out, GError **error);
bool archive_read_velocities(Archive *archive, size_t frame, double *out, GError **error);

/* The names of the rows of a list (NULL-terminated, free with g_strfreev): those that `about` has behind a colon, where there are as
 * many, else their numbers from 1 on. */
char **archive_field_labels(const ArchiveField *field);

/* archive_field_size() numbers; NaN where the frame has none. */
bool archive_read_field(Archive *archive, size_t field, size_t frame, double *out, GError **error);

/* The XDMF sidecar "run.xdmf" beside "run.h5", for ParaView; replaced in one step. */
bool archive_write_xdmf(const char *archive_path, GError **error);

/* Whether a body is to be shown in a frame of that time: it has not been taken away. */
bool archive_shows(const ArchiveHeader *header, size_t body, double time);

/* The column of that name, or -1. */
int archive_column(const ArchiveHeader *header, const char *name);
/* The field of that name and shape, or -1. */
int archive_field(const ArchiveHeader *header, const char *name, ArchiveFieldShape shape);
/* How many numbers a frame of it has. */
size_t archive_field_size(const ArchiveHeader *header, size_t field);

/* Says whether two archives are the same run: /motion and /ledger equal bit for bit. *difference is NULL when equal,
 * else a sentence with the first difference (g_free). False only on a read failure. */
bool archive_compare(const char *path_a, const char *path_b, char **difference, GError **error);

typedef struct {
	size_t n_frames; /* that the damaged archive has, or had: when not even this is known, those that are left */
	GArray *lost;    /* size_t: those of them that are */
	bool ended;      /* the end of the run was there, too */
	double from, until; /* [s] of the first and the last frame that are saved */
	size_t n_saved;
} ArchiveSalvage;

/* Writes what is whole in a damaged archive to another. False when there is nothing to save, or it cannot be written. */
bool archive_salvage(const char *damaged, const char *path, ArchiveSalvage *result, GError **error);
void archive_salvage_clear(ArchiveSalvage *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ArchiveSalvage, archive_salvage_clear)

/* SHA-256 of /motion and of /ledger, in hexadecimal (g_free): frame by frame its time, positions and velocities, or its row, as
 * doubles of this machine. */
bool archive_hash(Archive *archive, char **motion, char **ledger, GError **error);

/* A frame that is in memory; as archive_append() takes it. */
typedef struct {
	double time;
	const double *position, *velocity, *ledger;
} ArchiveFrame;

/* The same for one frame of an archive and another frame of as many vertices and columns. */
bool archive_match_frame(
    Archive *archive, size_t frame, const ArchiveFrame *other, char **difference, GError **error);

#endif

/* A part of an archive in the files of other programs.
 *
 * A format is one file export_NAME.c, which defines an ExportFormat, and a line in the table of export.c. What a format
 * cannot hold (a body that goes away, texture coordinates with seams) is told in `notes`, not left out in silence. */
#ifndef CINCH_IO_EXPORT_H
#define CINCH_IO_EXPORT_H

#include "io/faces.h"
#include "io/origin.h"
#include "io/selection.h"
#include "io/stream.h"

/* Numbers of vertices: their velocities, or a field. */
typedef struct {
	char *name;
	const char *unit;
	size_t width;  /* numbers per vertex: 3 or 1 */
	double *value; /* (n_vertices, width) at the time of export_frame() */
} ExportAttribute;

typedef struct {
	const char *archive; /* its path */
	Selection *selection;
	const ArchiveHeader *header;
	Origin *origin;
	Faces *faces;
	double *position; /* [length] (n_vertices, 3) at the time of export_frame() */
	size_t n_attributes;
	ExportAttribute *attribute;
	GString *notes; /* sentences for the user, a line each */
} Export;

typedef struct {
	const char *name;   /* "ply" */
	const char *about;  /* in a few words, for --help */
	const char *ending; /* of what is written: "_ply" a directory, ".usda" a file; NULL: it has its place */
	bool holds_numbers; /* of vertices: velocities, fields */
	bool takes_rate;    /* frames between those of the archive */
	bool (*write)(Export *export, const char *path, GError **error);
} ExportFormat;

extern const ExportFormat *const export_formats[]; /* NULL at the end */
/* The format of that name, or NULL. */
const ExportFormat *export_format(const char *name);
/* "obj, csv or xdmf"; free with g_free. */
char *export_format_names(void);

/* `fields` are names separated by commas, or NULL. The selection stays the caller's. */
Export *export_new(const char *archive, Selection *selection, bool velocities, const char *fields, GError **error);
void export_free(Export *export);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Export, export_free)

/* What formats are made of. */

/* Takes the k-th time: positions and attributes. */
bool export_frame(Export *export, size_t k, GError **error);
/* Whether a body is there at the k-th time. */
bool export_shows(const Export *export, size_t body, size_t k);
/* Whether a body goes away at some time of the selection. */
bool export_vanishes(const Export *export, size_t body);
bool export_directory(const char *path, GError **error);
/* One file per frame: DIRECTORY/frame00000.obj and so on. */
typedef void ExportWriter(Export *export, size_t k, Stream *stream);
bool export_sequence(Export *export, const char *directory, const char *ending, ExportWriter *writer, GError **error);
/* Positions of all times as floats, or the numbers of an attribute; kept in memory where that is not too much, for
 * formats that want one body after the other. */
typedef struct ExportMotion ExportMotion;
ExportMotion *export_motion_new(Export *export, ExportAttribute *attribute);
void export_motion_free(ExportMotion *motion);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ExportMotion, export_motion_free)
/* (n_vertices, width), until the next call; NULL after a failure. */
const float *export_motion_at(ExportMotion *motion, size_t k, GError **error);

/* A text as in JSON, in quotes. */
char *export_quote(const char *text);
/* The length of the scene's unit in metres. */
double export_metres(const Export *export);
/* The turn that brings up to y, as a quaternion x, y, z, w. */
void export_turn(const Export *export, double turn[4]);
/* How a body's name can be part of a file's name, or an identifier; different for different bodies. */
char *export_identifier(const Export *export, size_t body);

#endif

/* What the scene in an archive says of bodies that is not in the archive's own tables: which way is up, how thick bodies
 * are, and which mesh file each came from. */
#ifndef CINCH_IO_ORIGIN_H
#define CINCH_IO_ORIGIN_H

#include "core/vec.h"
#include "io/archive.h"

#define ORIGIN_NO_FILE SIZE_MAX

typedef struct {
	Vec3 gravity;      /* [length/s^2] */
	double *thickness; /* [length] (n_bodies) */
	size_t *file;      /* (n_bodies) among the archive's files; ORIGIN_NO_FILE: it was generated */
	char *title;       /* of the scene; may be empty */
} Origin;

/* Never fails: what the scene does not say has its default. */
Origin *origin_of(const ArchiveHeader *header);
void origin_free(Origin *origin);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Origin, origin_free)

/* The unit vector against gravity; y where there is none. */
Vec3 origin_up(const Origin *origin);

#endif

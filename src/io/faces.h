/* The faces of a selection as the mesh files of its bodies had them: polygons, coordinates of textures, groups. Bodies
 * that were generated have their triangles. */
#ifndef CINCH_IO_FACES_H
#define CINCH_IO_FACES_H

#include "io/origin.h"
#include "io/selection.h"

#define FACES_NONE UINT32_MAX

typedef struct {
	GArray *first;      /* uint32_t: where each face begins among the corners; one more at the end */
	GArray *triangle;   /* uint32_t: where each begins among the triangles that it was divided into; one more at the
	                       end */
	GArray *corner;     /* uint32_t: vertices of the selection */
	GArray *texture;    /* uint32_t: beside each corner, among the coordinates; FACES_NONE */
	GArray *coordinate; /* double, two each */
	GArray *group;      /* uint32_t: of each face, among the names; FACES_NONE */
	GPtrArray *name;    /* char *: names of groups, separated by spaces where a face is in several */
	size_t *of_body;    /* (bodies + 1) where the faces of each begin */
} Faces;

Faces *faces_of(const Selection *selection, const Origin *origin);
void faces_free(Faces *faces);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Faces, faces_free)

/* One face: its corners, and how many they are. */
static inline const uint32_t *faces_corners(const Faces *faces, size_t face, size_t *n)
{
	const uint32_t *first = &g_array_index(faces->first, uint32_t, face);
	*n = first[1] - first[0];
	return &g_array_index(faces->corner, uint32_t, first[0]);
}

/* The coordinates of the c-th of all corners; false when it has none. */
bool faces_texture(const Faces *faces, size_t corner, double coordinate[2]);
/* The same by vertex: (n_vertices, 2), 0 for those without. False where a mesh has seams: vertices with several. */
bool faces_smooth_texture(const Faces *faces, size_t n_vertices, double *coordinate);
/* The name of a face's group, or NULL. */
const char *faces_group(const Faces *faces, size_t face);

#endif

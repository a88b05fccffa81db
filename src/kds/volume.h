/* Bounding volumes that move (thesis §7.2): what a hierarchy bounds its nodes with.
 *
 * A volume holds a set of vertices, widened by a radius, from the time it was made for until the flight plan of one of them
 * changes. Two volumes can say until when they are apart, and that never too late. A new kind is one file volume_NAME.c and a
 * line in the table of volume.c. */
#ifndef CINCH_KDS_VOLUME_H
#define CINCH_KDS_VOLUME_H

#include "contact/rule.h"
#include "kds/hierarchy.h"

enum { VOLUME_MOST_AXES = 13 };

/* Until when two volumes are apart by a gap. */
typedef struct {
	double gap, time;
	double enough;    /* [s] a certificate until then will do, there may be a later one; INFINITY: the latest */
	uint8_t *order;   /* (axes) from the most useful one on, which the answer renews; NULL: all, in a fixed order */
	uint32_t tested;  /* axes that were looked at: written */
} VolumeQuery;

typedef struct {
	const char *name;
	size_t size;            /* [bytes] of a volume */
	uint32_t axes;          /* that can separate; 0: there are none, and no order */
	uint32_t most_vertices; /* sets up to this size are bounded from their vertices, larger ones from two volumes */
	void (*of_vertices)(void *volume, const Flight *flight, const uint32_t *vertex, uint32_t n, double radius, double time);
	/* Of two sets together, at a time not before either's own. */
	void (*join)(void *volume, const void *a, const void *b, double time);
	/* -INFINITY when nothing shows that they are apart by the gap now, INFINITY: for ever. */
	double (*failure)(const void *a, const void *b, VolumeQuery *query);
	/* When they may be apart by more than a gap: an estimate, for work that may be late. */
	double (*parting)(const void *a, const void *b, double gap, double time);
	/* [length] how large it is, to compare volumes of one kind. */
	double (*extent)(const void *volume);
	/* Whether a vertex is where it was said to be, but for rounding: for tests. */
	bool (*holds)(const void *volume, const Flight *plan, double time);
} VolumeClass;

extern const VolumeClass volume_aabb, volume_dop8, volume_dop18, volume_dop26, volume_sphere;

/* NULL for one without volumes. */
const VolumeClass *volume_class(BroadPhase broad_phase);

/* A hierarchy with a volume at each node. */
typedef struct {
	const VolumeClass *class;
	Hierarchy *tree;
	char *volume;           /* (nodes) of class->size bytes each */
	uint32_t *vertex_begin; /* (nodes) in vertex->data, of those that are bounded from their vertices, ... */
	uint32_t *n_vertices;   /* (nodes) 0: from its children */
	GArray *vertex;         /* uint32_t */
	double *radius;         /* [length] (nodes) */
} VolumeTree;

VolumeTree *volume_tree_new(const VolumeClass *class, const Surface *surface, const Flight *flight, double time);
void volume_tree_free(VolumeTree *volumes);

static inline const void *volume_tree_at(const VolumeTree *volumes, uint32_t node)
{
	return volumes->volume + node * volumes->class->size;
}

/* New volumes, at `time`, for all nodes above these vertices; they are listed in tree->stale. */
void volume_tree_refit(VolumeTree *volumes, double time, const uint32_t *vertex, size_t n);

/* Whether every vertex is within the volumes of its nodes at a time: for tests. */
bool volume_tree_validate(const VolumeTree *volumes, double time);

#endif

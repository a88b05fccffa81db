/* A scene file, read: the world that it describes and how to run it. Every key is described in docs/scene-format.md. */
#ifndef CINCH_SCENE_SCENE_H
#define CINCH_SCENE_SCENE_H

#include "contact/rule.h"
#include "shells/world.h"

/* A file that the scene refers to, kept whole for the archive. */
typedef struct {
	char *name;
	char *data;
	size_t length;
} SceneFile;

/* A strip between two edges, or a line; see verify/knot.h. */
typedef struct {
	uint32_t body;
	bool closed;
	bool steady;     /* open, and its ends are held and do not turn */
	uint32_t n;
	uint32_t *left, *right; /* (n) vertices along its edges; right NULL: a line */
	uint32_t *middle;       /* (n) along its middle; NULL: not known, or a line */
} SceneRibbon;

/* What comes before time zero, see sim/settle.h. */
typedef struct {
	double time;    /* [s] it takes; 0: nothing does */
	double damping; /* [1/s] of every vertex besides that of its material */
	char **bodies;  /* names of those that move; NULL: all */
} SceneSettle;

typedef struct {
	char *name;      /* the path as the user gave it */
	char *title;     /* one line about it; may be empty */
	char *source;    /* the text of the file, untouched */
	char *effective; /* JSON after overrides */
	GPtrArray *files; /* SceneFile */
	const struct SceneCopy *copy; /* while it is loaded from one */

	World *world;
	StepRule rule;
	ContactRule contact; /* with every default resolved */
	double end;   /* [s] */
	double frame; /* [s] between frames of the archive */
	SceneSettle settle;
	GArray *ribbons; /* SceneRibbon: whose topology must stay */
	char **fields;       /* names of those that frames have, see sim/instrument.h; NULL: all */
	uint32_t most_pairs; /* in contact that a frame lists */
} Scene;

/* `overrides` is NULL or a NULL-terminated list of "path.to.key=value". */
Scene *scene_load(const char *path, const char *const *overrides, GError **error);
void scene_free(Scene *scene);

/* A scene as an archive keeps it, with the files that it refers to in the order in which it reads them. */
typedef struct SceneCopy {
	const char *name, *source, *effective;
	const SceneFile *files;
	size_t n_files;
} SceneCopy;

/* The scene of a copy: the same, to the last bit, as the one that was copied. Overrides come on top of its own; files that
 * only they name are read from the disk. */
Scene *scene_load_copy(const SceneCopy *copy, const char *const *overrides, GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Scene, scene_free)

/* The scene of the settling phase: the same bodies at rest, with more damping and for as long as that takes; what scripts move
 * stands still, loads are as at time zero, and nothing is removed. */
Scene *scene_of_settling(const Scene *scene, GError **error);

/* A checksum (SHA-256) of all that a scene says: its text after overrides, and the files that it refers to. */
enum { SCENE_IDENTITY = 32 };
void scene_identity(const Scene *scene, uint8_t identity[SCENE_IDENTITY]);

/* How many frames an archive of the whole scene has after the first, and the time of the k-th: multiples of `frame`, and
 * the end. */
uint64_t scene_frame_count(const Scene *scene);
double scene_frame_time(const Scene *scene, uint64_t k);

#endif

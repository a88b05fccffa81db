/* The parts of a scene, each read by a file of its own. Errors go to the reader. */
#ifndef CINCH_SCENE_SCENE_PRIVATE_H
#define CINCH_SCENE_SCENE_PRIVATE_H

#include "scene/reader.h"
#include "scene/scene.h"

/* scene_materials.c */
void scene_read_materials(Scene *scene, Reader *root);

/* scene_bodies.c; script_step: [s] of scripts that do not say. */
void scene_read_bodies(Scene *scene, Reader *root, double script_step);
/* Reads a mesh and keeps the whole file for the archive. */
Shape *scene_read_mesh(Scene *scene, const char *path, GError **error);
/* A body's scale, then each rotation in turn, then the shift; the rest shape goes along. */
void scene_place(Shape *shape, Reader *body);

/* scene_sequence.c: the frames of a body's "sequence", as a script that has no vertices yet, and the shape of the first. */
Script *scene_read_sequence(Scene *scene, Reader *body, double default_step, Shape **shape);

/* scene_sets.c: name -> GArray of uint32_t, ascending; the caller keeps the table. */
GHashTable *scene_read_sets(const Scene *scene, Reader *root);
/* The vertices that a name stands for: a named set, a body, or a part of a body ("cloth.top"). NULL after an error at
 * `key`. Owned by the caller. */
GArray *scene_find_set(const Scene *scene, GHashTable *sets, Reader *reader, const char *key, const char *name);

/* scene_actions.c */
void scene_read_pins(Scene *scene, Reader *root, GHashTable *sets);
void scene_read_loads(Scene *scene, Reader *root, GHashTable *sets);
void scene_read_scripts(Scene *scene, Reader *root, GHashTable *sets, double default_step);

/* scene_topology.c: the same. */
void scene_read_topology(Scene *scene, Reader *root);

/* scene_contact.c: after everything that can hold a vertex. */
void scene_read_contact(Scene *scene, Reader *root);

#endif

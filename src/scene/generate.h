/* Generators: bodies made from a few numbers. Each is one function in a file generate_NAME.c and a line in the table of
 * generate.c; its keys are documented in docs/scene-format.md. */
#ifndef CINCH_SCENE_GENERATE_H
#define CINCH_SCENE_GENERATE_H

#include "scene/reader.h"
#include "shells/shape.h"

/* Reads its keys from the body's object and fills the empty shape (vertices, elements, named sets). Errors go to the reader. */
typedef void GenerateFunction(Reader *reader, Shape *shape);

GenerateFunction generate_sheet, generate_ribbon, generate_tube, generate_sphere, generate_box, generate_particles,
    generate_chain, generate_hare, generate_hull, generate_nails;

/* The generator of that name, or NULL; and all names, NULL-terminated. */
GenerateFunction *generate_find(const char *name);
const char *const *generate_names(void);

#endif

/* The values of a scene by their paths, as --set names them: "contact.eta1", "meshes.ribbon.width". */
#ifndef CINCH_LOOK_PARAMETERS_H
#define CINCH_LOOK_PARAMETERS_H

#include <glib.h>

typedef struct Parameters Parameters;

/* Of a scene as JSON; empty when it is none. */
Parameters *parameters_of(const char *scene);
void parameters_free(Parameters *parameters);

size_t parameters_count(const Parameters *parameters);
/* In the order of the scene. */
const char *parameters_key(const Parameters *parameters, size_t k);
/* The value as JSON, long ones cut; NULL: there is none. */
const char *parameters_get(const Parameters *parameters, const char *key);

#endif

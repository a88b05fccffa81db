/* What a scene lets its user choose by name: --set size=full. */
#ifndef CINCH_SCENE_CHOICES_H
#define CINCH_SCENE_CHOICES_H

#include <json-glib/json-glib.h>
#include <stdbool.h>

/* Applies the options that are chosen, by `overrides` (NULL or a NULL-terminated list of assignments) or by default the first of each
 * choice, and puts "chosen" in the place of "choices": the scene then stands by itself. `file` begins messages. */
bool choices_apply(JsonNode *root, const char *file, const char *const *overrides, GError **error);

/* Whether the assignment was one of an option, which choices_apply() has done. */
bool choices_has_taken(JsonNode *root, const char *assignment);

/* The chosen options, "full, ribbon"; NULL when the scene has no choices. */
char *choices_text(JsonNode *root);

#endif

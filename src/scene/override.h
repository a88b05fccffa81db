/* --set path.to.key=value: changes a scene's JSON before it is read. */
#ifndef CINCH_SCENE_OVERRIDE_H
#define CINCH_SCENE_OVERRIDE_H

#include <json-glib/json-glib.h>
#include <stdbool.h>

/* Applies one "path=value". A step of the path is a key, the number of an entry ("meshes.0" or "meshes[0]") or the name
 * of one ("meshes.cloth"); objects on the way are made when they are missing. The value is JSON; what is not JSON is
 * taken as a string. Whether the key means anything is found out when the scene is read. */
bool override_apply(JsonNode *root, const char *assignment, GError **error);

/* The same with the value as JSON, which it takes over; `where` begins the message. */
bool override_set(JsonNode *root, const char *path, JsonNode *value, const char *where, GError **error);

#endif

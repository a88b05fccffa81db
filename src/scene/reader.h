/* Reading a scene's JSON with messages that help.
 *
 * A Reader is one JSON object with its path. Each getter names a key, says what it expects, and remembers that the key
 * is known; reader_close() then rejects whatever key was never asked for, with a suggestion. The first thing that goes
 * wrong is kept in the scene's common error, and everything after it returns its fallback: so code that reads a scene
 * is a list of keys, and checks once at the end. Messages read "scene.json: meshes[0].cells: expected ...". */
#ifndef CINCH_SCENE_READER_H
#define CINCH_SCENE_READER_H

#include "core/vec.h"
#include <glib.h>
#include <json-glib/json-glib.h>
#include <stdint.h>

typedef struct Reader Reader;

/* As a fallback these mean that the key must be there. */
#define READER_REQUIRED ((double)NAN)
#define READER_REQUIRED_INTEGER INT64_MIN
#define READER_REQUIRED_VEC3 vec3(NAN, NAN, NAN)
extern const char reader_required_string[];
#define READER_REQUIRED_STRING reader_required_string

/* Text to JSON, any one value of it: strict but for comments and single quotes. Positions in messages are those of the
 * text. */
JsonNode *reader_parse(const char *file, const char *text, gssize length, GError **error);

/* The reader of the whole scene, an object. `file` is named in messages; paths are resolved relative to `directory`. */
Reader *reader_open(const char *file, const char *directory, JsonNode *root);
/* Rejects unknown keys (in the common error) and frees the reader. NULL is allowed. */
void reader_close(Reader *reader);
/* Closes the root: moves the common error to *error and returns false when there is one. */
bool reader_finish(Reader *root, GError **error);

bool reader_ok(const Reader *reader);
/* "meshes[0].cells", for messages; key NULL for the object itself. Free with g_free. */
char *reader_path(const Reader *reader, const char *key);
/* Says that what stands at `key` (or the object itself when key is NULL) is wrong; only the first is kept. */
void reader_fail(Reader *reader, const char *key, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* Among the keys of a table (strings), the one that is most like a word that is not there; NULL when none is near. */
const char *reader_nearest(GHashTable *names, const char *word);
/* Takes over an error made elsewhere (its message is kept as it is). */
void reader_take_error(Reader *reader, GError *error);

bool reader_has(Reader *reader, const char *key);
double reader_number(Reader *reader, const char *key, double fallback);
double reader_range(Reader *reader, const char *key, double fallback, double least, double most);
double reader_positive(Reader *reader, const char *key, double fallback);
double reader_nonnegative(Reader *reader, const char *key, double fallback);
int64_t reader_integer(Reader *reader, const char *key, int64_t fallback, int64_t least, int64_t most);
bool reader_boolean(Reader *reader, const char *key, bool fallback);
/* The string lives as long as the scene's JSON. */
const char *reader_string(Reader *reader, const char *key, const char *fallback);
/* The index of the string in a NULL-terminated list; fallback -1 means required. */
int reader_choice(Reader *reader, const char *key, int fallback, const char *const *choices);
/* A list of three numbers. */
Vec3 reader_vec3(Reader *reader, const char *key, Vec3 fallback);
/* A list of numbers (GArray of double); NULL when absent. `count` is the exact length, or 0 for any. */
GArray *reader_numbers(Reader *reader, const char *key, unsigned count);
/* A list of lists of three numbers (GArray of Vec3); NULL when absent. */
GArray *reader_points(Reader *reader, const char *key);
/* A list of integers from 0 to limit - 1 (GArray of uint32_t); NULL when absent. */
GArray *reader_indices(Reader *reader, const char *key, uint32_t limit);
/* A list of strings (or one string): NULL-terminated, free with g_strfreev; NULL when absent. */
char **reader_strings(Reader *reader, const char *key);
/* A list of pairs of strings, one after the other and NULL-terminated; free with g_strfreev; NULL when absent. `expected`
 * says in words what a pair is. */
char **reader_pairs(Reader *reader, const char *key, const char *expected);
/* A file name, made absolute relative to the scene's directory (free with g_free); NULL when absent. */
char *reader_file(Reader *reader, const char *key, bool required);
/* An object below this one; NULL when absent. Close it. */
Reader *reader_child(Reader *reader, const char *key);
/* The same for an object that can be switched: true is one without keys, false is none. */
Reader *reader_switch(Reader *reader, const char *key);
/* A list of objects below this one: GPtrArray of Reader * (empty when absent), each of which is closed with it. */
GPtrArray *reader_children(Reader *reader, const char *key);
/* The keys of this object, when they are names chosen by the user (each counts as known). Free the list only. */
GList *reader_members(Reader *reader);

#endif

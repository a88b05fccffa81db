#include "scene/reader.h"
#include "core/error.h"
#include <string.h>

/* What all readers of one scene share. */
typedef struct {
	char *file;      /* as the user named it */
	char *directory; /* that paths in the scene are relative to */
	GError *error;   /* the first thing that went wrong */
} Common;

struct Reader {
	Common *common;
	JsonObject *object; /* borrowed from the scene's JSON */
	char *path;         /* "" for the root, "meshes[0]" below */
	GHashTable *known;  /* the keys that were asked for */
	bool is_root;
};

const char reader_required_string[] = "(required)";

/* Blanks out comments to the end of a line, outside of strings and block comments, so that json-glib (which knows only
 * block comments) sees the rest at the same line and column. */
static char *blank_line_comments(const char *text, gsize length)
{
	char *copy = g_strndup(text, length);
	bool in_string = false, in_block = false;
	for (gsize i = 0; i < length; i++) {
		char c = copy[i];
		if (in_block) {
			if (c == '*' && copy[i + 1] == '/') {
				in_block = false;
				i++;
			}
		} else if (in_string) {
			if (c == '\\')
				i++;
			else if (c == '"' || c == '\n')
				in_string = false;
		} else if (c == '"') {
			in_string = true;
		} else if (c == '/' && copy[i + 1] == '*') {
			in_block = true;
			i++;
		} else if (c == '/' && copy[i + 1] == '/') {
			while (i < length && copy[i] != '\n')
				copy[i++] = ' ';
		}
	}
	return copy;
}

/* Nesting is checked before json-glib sees the text, because its parser recurses. */
static bool nesting_is_sane(const char *text, gsize length)
{
	enum { DEEPEST = 64 };
	int depth = 0;
	for (gsize i = 0; i < length; i++) {
		if (text[i] == '{' || text[i] == '[')
			depth++;
		else if (text[i] == '}' || text[i] == ']')
			depth--;
		if (depth > DEEPEST)
			return false;
	}
	return true;
}

JsonNode *reader_parse(const char *file, const char *text, gssize length, GError **error)
{
	gsize size = length < 0 ? strlen(text) : (gsize)length;
	if (!g_utf8_validate(text, (gssize)size, NULL)) {
		error_set(error, CINCH_ERROR_INPUT, "%s: the file is not text in UTF-8", file);
		return NULL;
	}
	if (!nesting_is_sane(text, size)) {
		error_set(error, CINCH_ERROR_INPUT, "%s: brackets are nested more than 64 deep", file);
		return NULL;
	}
	g_autofree char *plain = blank_line_comments(text, size);
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autoptr(GError) problem = NULL;
	if (!json_parser_load_from_data(parser, plain, (gssize)size, &problem)) {
		/* json-glib begins its message with "<data>:LINE:COLUMN: " */
		const char *message = problem->message;
		if (g_str_has_prefix(message, "<data>:"))
			error_set(error, CINCH_ERROR_INPUT, "%s:%s", file, message + strlen("<data>:"));
		else
			error_set(error, CINCH_ERROR_INPUT, "%s: %s", file, message);
		return NULL;
	}
	JsonNode *root = json_parser_get_root(parser);
	if (root == NULL || !JSON_NODE_HOLDS_OBJECT(root)) {
		error_set(error, CINCH_ERROR_INPUT, "%s: expected one JSON object { ... }", file);
		return NULL;
	}
	return json_parser_steal_root(parser);
}

static Reader *reader_new(Common *common, JsonObject *object, char *path)
{
	Reader *reader = g_new0(Reader, 1);
	reader->common = common;
	reader->object = object;
	reader->path = path;
	reader->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return reader;
}

Reader *reader_open(const char *file, const char *directory, JsonNode *root)
{
	Common *common = g_new0(Common, 1);
	common->file = g_strdup(file);
	common->directory = g_strdup(directory);
	Reader *reader = reader_new(common, json_node_get_object(root), g_strdup(""));
	reader->is_root = true;
	return reader;
}

/* The number of single-letter changes between two words (Levenshtein), for suggestions. */
static unsigned edit_distance(const char *a, const char *b)
{
	size_t n = strlen(b);
	g_autofree unsigned *row = g_new(unsigned, n + 1);
	for (size_t j = 0; j <= n; j++)
		row[j] = (unsigned)j;
	for (size_t i = 0; a[i]; i++) {
		unsigned diagonal = row[0];
		row[0] = (unsigned)i + 1;
		for (size_t j = 0; j < n; j++) {
			unsigned above = row[j + 1];
			unsigned change = diagonal + (a[i] != b[j]);
			row[j + 1] = MIN(change, MIN(above, row[j]) + 1);
			diagonal = above;
		}
	}
	return row[n];
}

static const char *nearest_known(GHashTable *known, const char *key)
{
	const char *best = NULL;
	unsigned least = (unsigned)strlen(key) / 2 + 2;
	g_autoptr(GList) names = g_list_sort(g_hash_table_get_keys(known), (GCompareFunc)strcmp);
	for (GList *name = names; name; name = name->next) {
		unsigned distance = edit_distance(key, name->data);
		if (distance < least) {
			least = distance;
			best = name->data;
		}
	}
	return best;
}

static void reject_unknown_keys(Reader *reader)
{
	g_autoptr(GList) members = json_object_get_members(reader->object);
	for (GList *member = members; member; member = member->next) {
		const char *key = member->data;
		if (g_hash_table_contains(reader->known, key))
			continue;
		const char *near = nearest_known(reader->known, key);
		if (near != NULL) {
			reader_fail(reader, key, "unknown key; did you mean \"%s\"?", near);
		} else {
			GList *names = g_list_sort(g_hash_table_get_keys(reader->known), (GCompareFunc)strcmp);
			g_autoptr(GString) list = g_string_new(NULL);
			for (GList *name = names; name; name = name->next)
				g_string_append_printf(list, "%s%s", list->len ? ", " : "", (char *)name->data);
			reader_fail(reader, key, "unknown key; known here: %s", list->str);
			g_list_free(names);
		}
	}
}

void reader_close(Reader *reader)
{
	if (reader == NULL)
		return;
	if (reader->common->error == NULL)
		reject_unknown_keys(reader);
	g_free(reader->path);
	g_hash_table_unref(reader->known);
	g_free(reader);
}

bool reader_finish(Reader *root, GError **error)
{
	g_assert(root->is_root);
	Common *common = root->common;
	reader_close(root);
	bool good = common->error == NULL;
	if (!good)
		g_propagate_error(error, common->error);
	g_free(common->file);
	g_free(common->directory);
	g_free(common);
	return good;
}

bool reader_ok(const Reader *reader)
{
	return reader->common->error == NULL;
}

char *reader_path(const Reader *reader, const char *key)
{
	if (key == NULL)
		return g_strdup(reader->path[0] ? reader->path : "scene");
	return g_strdup_printf("%s%s%s", reader->path, reader->path[0] ? "." : "", key);
}

void reader_fail(Reader *reader, const char *key, const char *format, ...)
{
	if (!reader_ok(reader))
		return;
	va_list arguments;
	va_start(arguments, format);
	g_autofree char *message = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_autofree char *path = reader_path(reader, key);
	error_set(&reader->common->error, CINCH_ERROR_INPUT, "%s: %s: %s", reader->common->file, path, message);
}

void reader_take_error(Reader *reader, GError *error)
{
	if (reader_ok(reader))
		reader->common->error = error;
	else
		g_error_free(error);
}

/* The node at a key, which is from now on known; NULL when absent. */
static JsonNode *look_up(Reader *reader, const char *key)
{
	g_hash_table_add(reader->known, g_strdup(key));
	return json_object_get_member(reader->object, key);
}

static void fail_missing(Reader *reader, const char *key, const char *expected)
{
	reader_fail(reader, key, "missing; expected %s", expected);
}

/* "got ..." for a message, shortened. */
static char *describe(JsonNode *node)
{
	g_autofree char *text = json_to_string(node, FALSE);
	if (g_utf8_strlen(text, -1) <= 40)
		return g_strdup(text);
	g_autofree char *head = g_utf8_substring(text, 0, 37);
	return g_strconcat(head, "...", NULL);
}

static void fail_expected(Reader *reader, const char *key, const char *expected, JsonNode *node)
{
	g_autofree char *got = describe(node);
	reader_fail(reader, key, "expected %s, got %s", expected, got);
}

static bool node_number(JsonNode *node, double *value)
{
	if (!JSON_NODE_HOLDS_VALUE(node))
		return false;
	GType type = json_node_get_value_type(node);
	if (type != G_TYPE_INT64 && type != G_TYPE_DOUBLE)
		return false;
	*value = json_node_get_double(node);
	return isfinite(*value);
}

static bool node_integer(JsonNode *node, int64_t *value)
{
	double number;
	if (!node_number(node, &number) || number != floor(number) || fabs(number) > 9e15)
		return false;
	*value = json_node_get_value_type(node) == G_TYPE_INT64 ? json_node_get_int(node) : (int64_t)number;
	return true;
}

bool reader_has(Reader *reader, const char *key)
{
	return look_up(reader, key) != NULL;
}

/* A number for which `within` holds; `expected` says it in words. */
static double number_where(Reader *reader, const char *key, double fallback, const char *expected, double least,
    bool least_allowed, double most)
{
	JsonNode *node = look_up(reader, key);
	if (node == NULL) {
		if (isnan(fallback))
			fail_missing(reader, key, expected);
		return isnan(fallback) ? 1.0 : fallback;
	}
	double value;
	if (!node_number(node, &value) || value < least || (value == least && !least_allowed) || value > most) {
		fail_expected(reader, key, expected, node);
		return isnan(fallback) ? 1.0 : fallback;
	}
	return value;
}

double reader_number(Reader *reader, const char *key, double fallback)
{
	return number_where(reader, key, fallback, "a number", -INFINITY, true, INFINITY);
}

double reader_range(Reader *reader, const char *key, double fallback, double least, double most)
{
	g_autofree char *expected = g_strdup_printf("a number from %g to %g", least, most);
	return number_where(reader, key, fallback, expected, least, true, most);
}

double reader_positive(Reader *reader, const char *key, double fallback)
{
	return number_where(reader, key, fallback, "a number above zero", 0.0, false, INFINITY);
}

double reader_nonnegative(Reader *reader, const char *key, double fallback)
{
	return number_where(reader, key, fallback, "a number, zero or above", 0.0, true, INFINITY);
}

int64_t reader_integer(Reader *reader, const char *key, int64_t fallback, int64_t least, int64_t most)
{
	bool required = fallback == READER_REQUIRED_INTEGER;
	g_autofree char *expected =
	    g_strdup_printf("a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, least, most);
	JsonNode *node = look_up(reader, key);
	if (node == NULL) {
		if (required)
			fail_missing(reader, key, expected);
		return required ? least : fallback;
	}
	int64_t value;
	if (!node_integer(node, &value) || value < least || value > most) {
		fail_expected(reader, key, expected, node);
		return required ? least : fallback;
	}
	return value;
}

bool reader_boolean(Reader *reader, const char *key, bool fallback)
{
	JsonNode *node = look_up(reader, key);
	if (node == NULL)
		return fallback;
	if (!JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_BOOLEAN) {
		fail_expected(reader, key, "true or false", node);
		return fallback;
	}
	return json_node_get_boolean(node);
}

static bool node_is_string(JsonNode *node)
{
	return JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING;
}

const char *reader_string(Reader *reader, const char *key, const char *fallback)
{
	bool required = fallback == reader_required_string;
	JsonNode *node = look_up(reader, key);
	if (node == NULL) {
		if (required)
			fail_missing(reader, key, "a string");
		return required ? "" : fallback;
	}
	if (!node_is_string(node)) {
		fail_expected(reader, key, "a string", node);
		return required ? "" : fallback;
	}
	return json_node_get_string(node);
}

int reader_choice(Reader *reader, const char *key, int fallback, const char *const *choices)
{
	g_autofree char *list = g_strjoinv("\", \"", (char **)choices);
	g_autofree char *expected = g_strdup_printf("one of \"%s\"", list);
	JsonNode *node = look_up(reader, key);
	if (node == NULL) {
		if (fallback < 0)
			fail_missing(reader, key, expected);
		return MAX(fallback, 0);
	}
	if (node_is_string(node))
		for (int i = 0; choices[i]; i++)
			if (g_str_equal(choices[i], json_node_get_string(node)))
				return i;
	fail_expected(reader, key, expected, node);
	return MAX(fallback, 0);
}

static bool node_vec3(JsonNode *node, Vec3 *value)
{
	if (!JSON_NODE_HOLDS_ARRAY(node) || json_array_get_length(json_node_get_array(node)) != 3)
		return false;
	JsonArray *array = json_node_get_array(node);
	return node_number(json_array_get_element(array, 0), &value->x) &&
	       node_number(json_array_get_element(array, 1), &value->y) &&
	       node_number(json_array_get_element(array, 2), &value->z);
}

Vec3 reader_vec3(Reader *reader, const char *key, Vec3 fallback)
{
	static const char expected[] = "three numbers [x, y, z]";
	bool required = isnan(fallback.x);
	JsonNode *node = look_up(reader, key);
	Vec3 value;
	if (node != NULL && node_vec3(node, &value))
		return value;
	if (node != NULL)
		fail_expected(reader, key, expected, node);
	else if (required)
		fail_missing(reader, key, expected);
	return required ? vec3(0, 0, 0) : fallback;
}

/* The list at a key, or NULL when absent or not a list. */
static JsonArray *look_up_array(Reader *reader, const char *key, const char *expected)
{
	JsonNode *node = look_up(reader, key);
	if (node == NULL)
		return NULL;
	if (!JSON_NODE_HOLDS_ARRAY(node)) {
		fail_expected(reader, key, expected, node);
		return NULL;
	}
	return json_node_get_array(node);
}

/* Says that entry i of the list at `key` is not what it should be. */
static void fail_entry(Reader *reader, const char *key, unsigned i, const char *expected, JsonNode *node)
{
	g_autofree char *entry = g_strdup_printf("%s[%u]", key, i);
	fail_expected(reader, entry, expected, node);
}

GArray *reader_numbers(Reader *reader, const char *key, unsigned count)
{
	g_autofree char *expected =
	    count ? g_strdup_printf("a list of %u numbers", count) : g_strdup("a list of numbers");
	JsonArray *array = look_up_array(reader, key, expected);
	if (array == NULL)
		return NULL;
	unsigned n = json_array_get_length(array);
	if (count != 0 && n != count) {
		fail_expected(reader, key, expected, json_object_get_member(reader->object, key));
		return NULL;
	}
	GArray *numbers = g_array_sized_new(FALSE, TRUE, sizeof(double), n);
	for (unsigned i = 0; i < n; i++) {
		double value = 0.0;
		JsonNode *node = json_array_get_element(array, i);
		if (!node_number(node, &value))
			fail_entry(reader, key, i, "a number", node);
		g_array_append_val(numbers, value);
	}
	return numbers;
}

GArray *reader_points(Reader *reader, const char *key)
{
	JsonArray *array = look_up_array(reader, key, "a list of points [x, y, z]");
	if (array == NULL)
		return NULL;
	unsigned n = json_array_get_length(array);
	GArray *points = g_array_sized_new(FALSE, TRUE, sizeof(Vec3), n);
	for (unsigned i = 0; i < n; i++) {
		Vec3 value = {0};
		JsonNode *node = json_array_get_element(array, i);
		if (!node_vec3(node, &value))
			fail_entry(reader, key, i, "three numbers [x, y, z]", node);
		g_array_append_val(points, value);
	}
	return points;
}

GArray *reader_indices(Reader *reader, const char *key, uint32_t limit)
{
	JsonArray *array = look_up_array(reader, key, "a list of vertex indices");
	if (array == NULL)
		return NULL;
	unsigned n = json_array_get_length(array);
	GArray *indices = g_array_sized_new(FALSE, TRUE, sizeof(uint32_t), n);
	for (unsigned i = 0; i < n; i++) {
		int64_t value = 0;
		JsonNode *node = json_array_get_element(array, i);
		if (!node_integer(node, &value) || value < 0 || value >= (int64_t)limit) {
			g_autofree char *expected =
			    g_strdup_printf("a vertex index from 0 to %" G_GINT64_FORMAT, (int64_t)limit - 1);
			fail_entry(reader, key, i, expected, node);
			value = 0;
		}
		uint32_t index = (uint32_t)value;
		g_array_append_val(indices, index);
	}
	return indices;
}

char **reader_strings(Reader *reader, const char *key)
{
	JsonNode *node = look_up(reader, key);
	if (node == NULL)
		return NULL;
	GPtrArray *strings = g_ptr_array_new();
	if (node_is_string(node)) {
		g_ptr_array_add(strings, g_strdup(json_node_get_string(node)));
	} else if (JSON_NODE_HOLDS_ARRAY(node)) {
		JsonArray *array = json_node_get_array(node);
		for (unsigned i = 0; i < json_array_get_length(array); i++) {
			JsonNode *entry = json_array_get_element(array, i);
			if (node_is_string(entry))
				g_ptr_array_add(strings, g_strdup(json_node_get_string(entry)));
			else
				fail_entry(reader, key, i, "a string", entry);
		}
	} else {
		fail_expected(reader, key, "a string or a list of strings", node);
	}
	g_ptr_array_add(strings, NULL);
	return (char **)g_ptr_array_free(strings, FALSE);
}

char *reader_file(Reader *reader, const char *key, bool required)
{
	const char *name = reader_string(reader, key, required ? READER_REQUIRED_STRING : NULL);
	return name != NULL ? g_canonicalize_filename(name, reader->common->directory) : NULL;
}

Reader *reader_child(Reader *reader, const char *key)
{
	JsonNode *node = look_up(reader, key);
	if (node == NULL)
		return NULL;
	if (!JSON_NODE_HOLDS_OBJECT(node)) {
		fail_expected(reader, key, "an object { ... }", node);
		return NULL;
	}
	return reader_new(reader->common, json_node_get_object(node), reader_path(reader, key));
}

GPtrArray *reader_children(Reader *reader, const char *key)
{
	GPtrArray *children = g_ptr_array_new_with_free_func((GDestroyNotify)reader_close);
	JsonArray *array = look_up_array(reader, key, "a list of objects [{ ... }, ...]");
	if (array == NULL)
		return children;
	for (unsigned i = 0; i < json_array_get_length(array); i++) {
		JsonNode *node = json_array_get_element(array, i);
		if (!JSON_NODE_HOLDS_OBJECT(node)) {
			fail_entry(reader, key, i, "an object { ... }", node);
			continue;
		}
		g_autofree char *entry = g_strdup_printf("%s[%u]", key, i);
		g_ptr_array_add(children,
		    reader_new(reader->common, json_node_get_object(node), reader_path(reader, entry)));
	}
	return children;
}

GList *reader_members(Reader *reader)
{
	GList *members = json_object_get_members(reader->object);
	for (GList *member = members; member; member = member->next)
		g_hash_table_add(reader->known, g_strdup(member->data));
	return members;
}

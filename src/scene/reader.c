#include "scene/reader.h"
#include "core/error.h"
#include <stdlib.h>
#include <string.h>

/* What all readers of one scene share. */
typedef struct {
	char *file;      /* as the user named it */
	char *directory; /* that paths in the scene are relative to */
	GError *error;   /* the first thing that went wrong */
} Common;

struct Reader {
	Common *common;
	JsonObject *object; /* of the scene's JSON; a reference */
	char *path;         /* "" for the root, "meshes[0]" below */
	GHashTable *known;  /* the keys that were asked for */
	bool is_root;
};

const char reader_required_string[] = "(required)";

/* Blanks out comments, outside of strings, so that what is left is at the same line and column. */
static char *blank_comments(const char *text, gsize length)
{
	char *copy = g_strndup(text, length);
	char quote = '\0'; /* of the string that this is in */
	for (gsize i = 0; i < length; i++) {
		const char *stop = NULL;
		if (quote && copy[i] == '\\')
			i++;
		else if (quote && (copy[i] == quote || copy[i] == '\n'))
			quote = '\0';
		else if (!quote && (copy[i] == '"' || copy[i] == '\''))
			quote = copy[i];
		else if (!quote && copy[i] == '/' && (copy[i + 1] == '/' || copy[i + 1] == '*'))
			stop = copy[i + 1] == '/' ? "\n" : "*/";
		if (stop == NULL)
			continue;
		const char *end = strstr(copy + i + 2, stop);
		if (end == NULL && *stop == '*')
			break; /* not closed: it stays, and is found to be no JSON */
		gsize after = end == NULL ? length : (gsize)(end - copy) + (*stop == '*' ? 2 : 0);
		for (; i < after; i++)
			if (copy[i] != '\n' && copy[i] != '\r')
				copy[i] = ' ';
		i--;
	}
	return copy;
}

/* A strict check of the syntax before json-glib sees the text: its parser overflows the stack when brackets are nested
 * deeply, reads 010 as eight, cuts off large integers and takes one of two documents, all without a word. */
typedef struct {
	const char *at;    /* the next character; the text ends with a NUL */
	const char *where; /* where the problem is */
	char *problem;     /* NULL as long as there is none */
	int depth;
} Syntax;

enum { DEEPEST = 64 };

static bool check_value(Syntax *syntax);

static bool wrong_at(Syntax *syntax, const char *where, const char *format, ...) G_GNUC_PRINTF(3, 4);

static bool wrong_at(Syntax *syntax, const char *where, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	syntax->problem = g_strdup_vprintf(format, arguments);
	syntax->where = where;
	va_end(arguments);
	return false;
}

/* Says what was expected, and the word or character that stands there. */
static bool wrong_expected(Syntax *syntax, const char *expected)
{
	const char *end = syntax->at;
	while (end - syntax->at < 20 && (g_ascii_isalnum(*end) || (*end != '\0' && strchr("+-._", *end))))
		end++;
	if (end == syntax->at && *end != '\0')
		end = g_utf8_next_char(end);
	if (end == syntax->at)
		return wrong_at(syntax, end, "expected %s, but the text ends", expected);
	if (g_str_has_prefix(syntax->at, "/*"))
		return wrong_at(syntax, syntax->at, "the comment is not closed");
	return wrong_at(syntax, syntax->at, "expected %s, got '%.*s'", expected, (int)(end - syntax->at), syntax->at);
}

static void skip_blank(Syntax *syntax)
{
	syntax->at += strspn(syntax->at, " \t\r\n");
}

static bool skip_character(Syntax *syntax, char wanted)
{
	skip_blank(syntax);
	bool there = *syntax->at == wanted;
	syntax->at += there;
	return there;
}

/* In single quotes too, which are handy in a shell and in C; those know no backslash. */
static bool check_string(Syntax *syntax)
{
	const char *start = syntax->at++;
	for (; *syntax->at != *start; syntax->at++) {
		const char *c = syntax->at;
		if (*c == '\0' || *c == '\n' || *c == '\r')
			return wrong_at(syntax, start, "the string is not closed on its line");
		if ((unsigned char)*c < 0x20)
			return wrong_at(syntax, c, "there is a control character in a string; write it as \\u%04x", *c);
		if (*c != '\\')
			continue;
		if (*start == '\'')
			return wrong_at(syntax, c, "there is a \\ in a string in single quotes; use double quotes");
		bool four = c[1] == 'u' && strspn(c + 2, "0123456789abcdefABCDEF") >= 4;
		if (!four && (c[1] == '\0' || !strchr("\"\\/bfnrt", c[1])))
			return wrong_at(syntax, c, "there is an unknown \\ sequence in a string");
		if (four && strtoul((char[]){c[2], c[3], c[4], c[5], '\0'}, NULL, 16) == 0)
			return wrong_at(syntax, c, "there is a NUL character in a string");
		syntax->at += four ? 5 : 1;
	}
	syntax->at++;
	return true;
}

static gsize count_digits(const char *text)
{
	return strspn(text, "0123456789");
}

static bool check_number(Syntax *syntax)
{
	const char *start = syntax->at, *c = start + (*start == '-');
	gsize digits = count_digits(c);
	bool good = digits > 0 && (digits == 1 || *c != '0'), whole = true;
	c += digits;
	if (*c == '.') {
		good = good && count_digits(c + 1) > 0;
		c += 1 + count_digits(c + 1);
		whole = false;
	}
	if (*c == 'e' || *c == 'E') {
		c += 1 + (c[1] == '+' || c[1] == '-');
		good = good && count_digits(c) > 0;
		c += count_digits(c);
		whole = false;
	}
	if (!good || g_ascii_isalnum(*c) || *c == '.' || *c == '_')
		return wrong_expected(syntax, "a number as JSON writes it");
	if (whole && digits > 18) /* would not fit into 64 bits */
		return wrong_at(syntax, start, "the number has more than 18 digits; write it with an exponent");
	if (!isfinite(g_ascii_strtod(start, NULL)))
		return wrong_at(syntax, start, "the number is too large");
	syntax->at = c;
	return true;
}

static bool check_word(Syntax *syntax)
{
	static const char *const words[] = {"true", "false", "null"};
	gsize length = strspn(syntax->at, "abcdefghijklmnopqrstuvwxyz");
	for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
		if (length == strlen(words[i]) && strncmp(syntax->at, words[i], length) == 0) {
			syntax->at += length;
			return true;
		}
	}
	return wrong_expected(syntax, "a value");
}

/* What stands in [ ] or { }: entries with commas between, not after the last. */
static bool check_entries(Syntax *syntax, char closing)
{
	bool object = closing == '}';
	if (++syntax->depth > DEEPEST)
		return wrong_at(syntax, syntax->at, "brackets are nested more than %d deep", DEEPEST);
	syntax->at++;
	if (!skip_character(syntax, closing)) {
		do {
			skip_blank(syntax);
			if (object && *syntax->at != '"' && *syntax->at != '\'')
				return wrong_expected(syntax, "a key in quotes");
			if (object && !check_string(syntax))
				return false;
			if (object && !skip_character(syntax, ':'))
				return wrong_expected(syntax, "':' after the key");
			if (!check_value(syntax))
				return false;
		} while (skip_character(syntax, ','));
		if (!skip_character(syntax, closing))
			return wrong_expected(syntax, object ? "',' or '}'" : "',' or ']'");
	}
	syntax->depth--;
	return true;
}

static bool check_value(Syntax *syntax)
{
	skip_blank(syntax);
	switch (*syntax->at) {
	case '{':
		return check_entries(syntax, '}');
	case '[':
		return check_entries(syntax, ']');
	case '"':
	case '\'':
		return check_string(syntax);
	default:
		return *syntax->at == '-' || g_ascii_isdigit(*syntax->at) ? check_number(syntax) : check_word(syntax);
	}
}

/* Whether the text is one JSON value; says where and why not in *syntax. */
static bool check_syntax(Syntax *syntax, const char *plain)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	syntax->at = plain + (g_str_has_prefix(plain, byte_order_mark) ? strlen(byte_order_mark) : 0);
	if (!check_value(syntax))
		return false;
	skip_blank(syntax);
	return *syntax->at == '\0' || wrong_expected(syntax, "the end of the text");
}

/* "scene.json:3:14: problem". Columns count characters, from 1. */
static void set_syntax_error(GError **error, const char *file, const char *text, const Syntax *syntax)
{
	unsigned line = 1;
	const char *start = text;
	for (const char *c = text; c < syntax->where; c++) {
		if (*c == '\n') {
			line++;
			start = c + 1;
		}
	}
	glong column = g_utf8_strlen(start, syntax->where - start) + 1;
	error_set(error, CINCH_ERROR_INPUT, "%s:%u:%ld: %s", file, line, column, syntax->problem);
}

JsonNode *reader_parse(const char *file, const char *text, gssize length, GError **error)
{
	gsize size = length < 0 ? strlen(text) : (gsize)length;
	if (!g_utf8_validate(text, (gssize)size, NULL)) {
		error_set(error, CINCH_ERROR_INPUT, "%s: the file is not text in UTF-8", file);
		return NULL;
	}
	g_autofree char *plain = blank_comments(text, size);
	Syntax syntax = {0};
	if (!check_syntax(&syntax, plain)) {
		set_syntax_error(error, file, plain, &syntax);
		g_free(syntax.problem);
		return NULL;
	}
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autoptr(GError) problem = NULL;
	if (!json_parser_load_from_data(parser, plain, (gssize)size, &problem)) {
		error_set(error, CINCH_ERROR_INPUT, "%s: %s", file, problem->message);
		return NULL;
	}
	return json_parser_steal_root(parser);
}

static Reader *reader_new(Common *common, JsonObject *object, char *path)
{
	Reader *reader = g_new0(Reader, 1);
	reader->common = common;
	reader->object = json_object_ref(object);
	reader->path = path;
	reader->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return reader;
}

Reader *reader_open(const char *file, const char *directory, JsonNode *root)
{
	Common *common = g_new0(Common, 1);
	common->file = g_strdup(file);
	common->directory = g_canonicalize_filename(directory, NULL);
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

const char *reader_nearest(GHashTable *names, const char *word)
{
	const char *best = NULL;
	unsigned least = (unsigned)strlen(word) / 2 + 2;
	g_autoptr(GList) sorted = g_list_sort(g_hash_table_get_keys(names), (GCompareFunc)strcmp);
	for (GList *name = sorted; name; name = name->next) {
		unsigned distance = edit_distance(word, name->data);
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
		const char *near = reader_nearest(reader->known, key);
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
	json_object_unref(reader->object);
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

/* A number of JSON text as a user would have written it: json-glib gives all 17 digits, 9.8100000000000005 for 9.81. */
static void append_number(GString *out, const char *begin, const char *end)
{
	g_autofree char *given = g_strndup(begin, (gsize)(end - begin));
	char shorter[G_ASCII_DTOSTR_BUF_SIZE];
	double value = g_ascii_strtod(given, NULL);
	g_ascii_formatd(shorter, sizeof shorter, "%.15g", value);
	bool same = strlen(shorter) < strlen(given) && g_ascii_strtod(shorter, NULL) == value;
	g_string_append(out, same ? shorter : given);
}

static char *shorten_numbers(const char *json)
{
	GString *out = g_string_new(NULL);
	bool quoted = false;
	while (*json) {
		size_t length = quoted ? 0 : strspn(json, "+-.0123456789eE");
		if (length > 0 && (g_ascii_isdigit(*json) || *json == '-')) {
			append_number(out, json, json + length);
			json += length;
			continue;
		}
		if (quoted && *json == '\\' && json[1])
			g_string_append_c(out, *json++);
		else if (*json == '"')
			quoted = !quoted;
		g_string_append_c(out, *json++);
	}
	return g_string_free(out, FALSE);
}

/* "got ..." for a message, shortened. */
static char *describe(JsonNode *node)
{
	g_autofree char *json = json_to_string(node, FALSE);
	g_autofree char *text = shorten_numbers(json);
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

static bool node_is_boolean(JsonNode *node)
{
	return JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_BOOLEAN;
}

bool reader_boolean(Reader *reader, const char *key, bool fallback)
{
	JsonNode *node = look_up(reader, key);
	if (node == NULL)
		return fallback;
	if (!node_is_boolean(node)) {
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

static bool node_is_pair(JsonNode *node)
{
	if (!JSON_NODE_HOLDS_ARRAY(node) || json_array_get_length(json_node_get_array(node)) != 2)
		return false;
	JsonArray *array = json_node_get_array(node);
	return node_is_string(json_array_get_element(array, 0)) && node_is_string(json_array_get_element(array, 1));
}

char **reader_pairs(Reader *reader, const char *key, const char *expected)
{
	g_autofree char *list = g_strdup_printf("a list of %s", expected);
	JsonArray *array = look_up_array(reader, key, list);
	if (array == NULL)
		return NULL;
	GPtrArray *strings = g_ptr_array_new();
	for (unsigned i = 0; i < json_array_get_length(array); i++) {
		JsonNode *node = json_array_get_element(array, i);
		if (!node_is_pair(node)) {
			fail_entry(reader, key, i, expected, node);
			continue;
		}
		for (unsigned k = 0; k < 2; k++)
			g_ptr_array_add(strings, g_strdup(json_array_get_string_element(json_node_get_array(node), k)));
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

Reader *reader_switch(Reader *reader, const char *key)
{
	JsonNode *node = look_up(reader, key);
	if (node == NULL || (node_is_boolean(node) && !json_node_get_boolean(node)))
		return NULL;
	if (!node_is_boolean(node) && !JSON_NODE_HOLDS_OBJECT(node)) {
		fail_expected(reader, key, "an object { ... }, true or false", node);
		return NULL;
	}
	JsonObject *object = node_is_boolean(node) ? json_object_new() : json_object_ref(json_node_get_object(node));
	Reader *child = reader_new(reader->common, object, reader_path(reader, key));
	json_object_unref(object);
	return child;
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

/* Reading PLY: a header in text says which elements follow and which properties each has; then the numbers follow, in text or
 * in binary. What is not a position, a face or an edge is read over. */
#include "io/ply.h"
#include "core/error.h"
#include "io/obj_internal.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#define LARGEST_FILE (1024LL * 1024 * 1024) /* [byte] */
enum { MOST_CORNERS = 4096, MOST_PROPERTIES = 1000, MOST_ELEMENTS = 1000, LONGEST_LINE = 1000 };

typedef enum {
	TYPE_INT8,
	TYPE_UINT8,
	TYPE_INT16,
	TYPE_UINT16,
	TYPE_INT32,
	TYPE_UINT32,
	TYPE_FLOAT,
	TYPE_DOUBLE,
	N_TYPES
} Type;

static const struct {
	const char *name, *alias;
	int size;
} types[N_TYPES] = {{"char", "int8", 1}, {"uchar", "uint8", 1}, {"short", "int16", 2}, {"ushort", "uint16", 2},
    {"int", "int32", 4}, {"uint", "uint32", 4}, {"float", "float32", 4}, {"double", "float64", 8}};

/* What a property is to us. */
typedef enum {
	ROLE_NONE,
	ROLE_X,
	ROLE_Y,
	ROLE_Z,
	ROLE_CORNERS,
	ROLE_FIRST,
	ROLE_SECOND
} Role;

typedef struct {
	bool is_list;
	Type count, type;
	Role role;
} Property;

typedef struct {
	char *name;
	uint64_t n;
	GArray *property; /* Property */
} Element;

typedef struct {
	const char *name; /* begins every message */
	const uint8_t *at, *end;
	size_t line;      /* from 1; of text */
	bool binary, big_endian;
	GArray *element;  /* Element */
	const Element *now; /* that is being read */
	uint64_t row;
	Shape *shape;
	GArray *corner;   /* uint32_t */
} Parser;

static bool fail(const Parser *parser, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);

static bool fail(const Parser *parser, GError **error, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	g_autofree char *message = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_autofree char *valid = g_utf8_make_valid(message, -1);
	if (parser->now != NULL)
		return error_set(error, CINCH_ERROR_INPUT, "%s: %s %" G_GUINT64_FORMAT ": %s", parser->name, parser->now->name,
		    parser->row, valid);
	return error_set(error, CINCH_ERROR_INPUT, "%s:%zu: %s", parser->name, parser->line, valid);
}

/* ---- the header ---- */

static void clear_element(void *data)
{
	Element *element = data;
	g_free(element->name);
	g_array_unref(element->property);
}

/* The next line of the header, without its end; NULL when there is none. Free with g_free. */
static char *next_line(Parser *parser)
{
	size_t left = (size_t)(parser->end - parser->at);
	const uint8_t *stop = memchr(parser->at, '\n', MIN(left, LONGEST_LINE));
	if (stop == NULL)
		return NULL;
	char *line = g_strndup((const char *)parser->at, (size_t)(stop - parser->at));
	parser->at = stop + 1;
	parser->line++;
	return g_strchomp(line);
}

static int find_type(const char *word)
{
	for (int i = 0; i < N_TYPES && word != NULL; i++)
		if (strcmp(types[i].name, word) == 0 || strcmp(types[i].alias, word) == 0)
			return i;
	return -1;
}

static Role role_of(const Element *element, const char *name, bool is_list)
{
	static const struct {
		const char *element, *property;
		bool is_list;
		Role role;
	} roles[] = {{"vertex", "x", false, ROLE_X}, {"vertex", "y", false, ROLE_Y}, {"vertex", "z", false, ROLE_Z},
	    {"face", "vertex_indices", true, ROLE_CORNERS}, {"face", "vertex_index", true, ROLE_CORNERS},
	    {"edge", "vertex1", false, ROLE_FIRST}, {"edge", "vertex2", false, ROLE_SECOND}};
	for (size_t i = 0; i < G_N_ELEMENTS(roles); i++)
		if (strcmp(roles[i].element, element->name) == 0 && strcmp(roles[i].property, name) == 0 && roles[i].is_list == is_list)
			return roles[i].role;
	return ROLE_NONE;
}

static bool parse_property(Parser *parser, char **word, guint n, GError **error)
{
	Element *element = parser->element->len ? &g_array_index(parser->element, Element, parser->element->len - 1) : NULL;
	bool is_list = n > 1 && strcmp(word[1], "list") == 0;
	if (element == NULL)
		return fail(parser, error, "a property before the first element");
	if (n != (is_list ? 5u : 3u))
		return fail(parser, error, "expected \"property TYPE NAME\" or \"property list TYPE TYPE NAME\"");
	int type = find_type(word[n - 2]), count = is_list ? find_type(word[2]) : 0;
	if (type < 0 || count < 0 || (is_list && count >= TYPE_FLOAT))
		return fail(parser, error, "\"%.40s\" is not a type for this", type < 0 ? word[n - 2] : word[2]);
	if (element->property->len >= MOST_PROPERTIES)
		return fail(parser, error, "more than %d properties", MOST_PROPERTIES);
	Property property = {is_list, (Type)count, (Type)type, role_of(element, word[n - 1], is_list)};
	g_array_append_val(element->property, property);
	return true;
}

static bool parse_element(Parser *parser, char **word, guint n, GError **error)
{
	guint64 count = 0;
	if (n != 3 || !g_ascii_string_to_unsigned(word[2], 10, 0, G_MAXUINT32 - 1, &count, NULL))
		return fail(parser, error, "expected \"element NAME COUNT\" with a count below 4294967295");
	if (parser->element->len >= MOST_ELEMENTS)
		return fail(parser, error, "more than %d elements", MOST_ELEMENTS);
	Element element = {g_strndup(word[1], 40), count, g_array_new(FALSE, FALSE, sizeof(Property))};
	g_array_append_val(parser->element, element);
	return true;
}

static bool parse_format(Parser *parser, char **word, guint n, GError **error)
{
	const char *format = n > 1 ? word[1] : "";
	parser->big_endian = strcmp(format, "binary_big_endian") == 0;
	parser->binary = parser->big_endian || strcmp(format, "binary_little_endian") == 0;
	return parser->binary || strcmp(format, "ascii") == 0 ||
	       fail(parser, error, "expected the format ascii, binary_little_endian or binary_big_endian, got \"%.40s\"", format);
}

/* One line; *ended after the last. */
static bool parse_header_line(Parser *parser, bool *formatted, bool *ended, GError **error)
{
	g_autofree char *line = next_line(parser);
	if (line == NULL)
		return fail(parser, error, "the header has no end: there is no line \"end_header\"");
	g_auto(GStrv) word = g_strsplit_set(line, " \t", -1);
	guint n = 0;
	for (guint i = 0; word[i] != NULL; i++) /* without empty ones */
		if (word[i][0] != '\0')
			word[n++] = word[i];
		else
			g_free(word[i]);
	word[n] = NULL;
	*ended = n == 1 && strcmp(word[0], "end_header") == 0;
	if (n == 0 || *ended || strcmp(word[0], "comment") == 0 || strcmp(word[0], "obj_info") == 0)
		return !*ended || *formatted || fail(parser, error, "the header names no format");
	if (strcmp(word[0], "format") == 0)
		return *formatted = true, parse_format(parser, word, n, error);
	if (strcmp(word[0], "element") == 0)
		return parse_element(parser, word, n, error);
	if (strcmp(word[0], "property") == 0)
		return parse_property(parser, word, n, error);
	return fail(parser, error, "\"%.40s\" is no line of a header", word[0]);
}

static bool parse_header(Parser *parser, GError **error)
{
	g_autofree char *magic = next_line(parser);
	bool formatted = false, ended = false;
	if (magic == NULL || strcmp(magic, "ply") != 0)
		return fail(parser, error, "is not a PLY file: its first line is not \"ply\"");
	while (!ended)
		if (!parse_header_line(parser, &formatted, &ended, error))
			return false;
	return true;
}

/* ---- numbers ---- */

static bool take_text(Parser *parser, double *value, GError **error)
{
	char word[64], *end = NULL;
	size_t n = 0;
	while (parser->at < parser->end && g_ascii_isspace(*parser->at))
		parser->at++;
	while (parser->at < parser->end && !g_ascii_isspace(*parser->at) && n + 1 < sizeof word)
		word[n++] = (char)*parser->at++;
	word[n] = '\0';
	if (n == 0)
		return fail(parser, error, "the file ends here");
	*value = g_ascii_strtod(word, &end);
	return (*end == '\0' && end != word) || fail(parser, error, "\"%.40s\" is not a number", word);
}

static bool take(Parser *parser, Type type, double *value, GError **error)
{
	if (!parser->binary)
		return take_text(parser, value, error);
	int size = types[type].size;
	if (parser->end - parser->at < size)
		return fail(parser, error, "the file ends here");
	uint64_t bits = 0;
	for (int i = 0; i < size; i++)
		bits |= (uint64_t)parser->at[parser->big_endian ? size - 1 - i : i] << 8 * i;
	parser->at += size;
	uint32_t half = (uint32_t)bits;
	float single;
	memcpy(&single, &half, sizeof single);
	memcpy(value, &bits, sizeof bits);
	switch (type) {
	case TYPE_INT8: *value = (int8_t)bits; break;
	case TYPE_INT16: *value = (int16_t)bits; break;
	case TYPE_INT32: *value = (int32_t)half; break;
	case TYPE_UINT8:
	case TYPE_UINT16:
	case TYPE_UINT32: *value = (double)bits; break;
	case TYPE_FLOAT: *value = (double)single; break;
	case TYPE_DOUBLE:
	case N_TYPES:
	default: break;
	}
	return true;
}

static bool take_vertex(Parser *parser, Type type, uint32_t *vertex, GError **error)
{
	double value;
	if (!take(parser, type, &value, error))
		return false;
	if (!(value >= 0.0 && value < 4294967295.0 && value == floor(value)))
		return fail(parser, error, "%g is not the number of a vertex", value);
	*vertex = (uint32_t)value;
	return true;
}

/* ---- elements ---- */

static bool parse_list(Parser *parser, const Property *property, GError **error)
{
	double count, value;
	if (!take(parser, property->count, &count, error))
		return false;
	if (!(count >= 0.0 && count == floor(count) && count < 4294967295.0))
		return fail(parser, error, "a list has %g entries", count);
	if (property->role == ROLE_CORNERS && !(count >= 3.0 && count <= MOST_CORNERS))
		return fail(parser, error, "expected from 3 to %d corners, got %g", MOST_CORNERS, count);
	for (double i = 0.0; i < count; i++) {
		uint32_t vertex;
		if (property->role != ROLE_CORNERS && !take(parser, property->type, &value, error))
			return false;
		if (property->role != ROLE_CORNERS)
			continue;
		if (!take_vertex(parser, property->type, &vertex, error))
			return false;
		g_array_append_val(parser->corner, vertex);
	}
	return true;
}

static int compare_indices(const void *a, const void *b)
{
	uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
	return p < q ? -1 : p > q;
}

/* Corners exist, and none is there twice. */
static bool check_corners(const Parser *parser, GError **error)
{
	uint32_t n = shape_vertex_count(parser->shape);
	g_autoptr(GArray) sorted = g_array_copy(parser->corner);
	g_array_sort(sorted, compare_indices);
	for (guint i = 0; i < sorted->len; i++) {
		uint32_t vertex = g_array_index(sorted, uint32_t, i);
		if (vertex >= n)
			return fail(parser, error, "there is no vertex %u; the file has %u before this", vertex, n);
		if (i > 0 && vertex == g_array_index(sorted, uint32_t, i - 1))
			return fail(parser, error, "it has vertex %u twice", vertex);
	}
	return true;
}

static bool parse_row(Parser *parser, double x[3], GError **error)
{
	const GArray *properties = parser->now->property;
	g_array_set_size(parser->corner, 0);
	for (guint i = 0; i < properties->len; i++) {
		const Property *property = &g_array_index(properties, Property, i);
		double value;
		uint32_t vertex;
		if (property->is_list) {
			if (!parse_list(parser, property, error))
				return false;
		} else if (property->role >= ROLE_FIRST) {
			if (!take_vertex(parser, property->type, &vertex, error))
				return false;
			g_array_append_val(parser->corner, vertex);
		} else {
			if (!take(parser, property->type, &value, error))
				return false;
			if (property->role != ROLE_NONE)
				x[property->role - ROLE_X] = value;
		}
	}
	return true;
}

static bool add_row(Parser *parser, const double x[3], GError **error)
{
	const uint32_t *corner = (const uint32_t *)(const void *)parser->corner->data;
	if (strcmp(parser->now->name, "vertex") == 0) {
		if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
			return fail(parser, error, "its place is not finite");
		shape_add_vertex(parser->shape, vec3(x[0], x[1], x[2]));
		return true;
	}
	if (parser->corner->len == 0)
		return true;
	if (!check_corners(parser, error))
		return false;
	if (parser->corner->len == 2)
		return shape_add_edge(parser->shape, corner[0], corner[1]), true;
	return obj_add_polygon(parser->shape, corner, parser->corner->len) ||
	       fail(parser, error, "it crosses itself or has no area, and cannot be divided into triangles");
}

static unsigned roles_in(const Element *element)
{
	unsigned roles = 0;
	for (guint i = 0; i < element->property->len; i++)
		roles |= 1u << g_array_index(element->property, Property, i).role;
	return roles;
}

static bool parse_elements(Parser *parser, GError **error)
{
	for (guint e = 0; e < parser->element->len; e++) {
		const Element *element = &g_array_index(parser->element, Element, e);
		const unsigned places = 1u << ROLE_X | 1u << ROLE_Y | 1u << ROLE_Z, ends = 1u << ROLE_FIRST | 1u << ROLE_SECOND;
		unsigned roles = roles_in(element);
		parser->now = element;
		if (strcmp(element->name, "vertex") == 0 && (roles & places) != places)
			return fail(parser, error, "vertices have no x, y and z");
		if (strcmp(element->name, "face") == 0 && (roles & 1u << ROLE_CORNERS) == 0)
			return fail(parser, error, "faces have no list vertex_indices");
		if (strcmp(element->name, "edge") == 0 && (roles & ends) != ends)
			return fail(parser, error, "edges have no vertex1 and vertex2");
		for (parser->row = 0; parser->row < element->n && element->property->len > 0; parser->row++) {
			double x[3] = {0, 0, 0};
			if (!parse_row(parser, x, error) || !add_row(parser, x, error))
				return false;
		}
	}
	parser->now = NULL;
	return true;
}

Shape *ply_parse(const char *name, const void *data, size_t size, GError **error)
{
	g_autoptr(Shape) shape = shape_new();
	Parser parser = {.name = name,
	    .at = data,
	    .end = (const uint8_t *)data + size,
	    .element = g_array_new(FALSE, FALSE, sizeof(Element)),
	    .shape = shape,
	    .corner = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
	g_array_set_clear_func(parser.element, clear_element);
	bool parsed = parse_header(&parser, error) && parse_elements(&parser, error);
	g_array_unref(parser.element);
	g_array_unref(parser.corner);
	return parsed ? g_steal_pointer(&shape) : NULL;
}

Shape *ply_read(const char *path, GError **error)
{
	GStatBuf status;
	g_autofree char *data = NULL;
	size_t size = 0;
	g_autoptr(GError) reason = NULL;
	if (g_stat(path, &status) != 0)
		error_set(error, CINCH_ERROR_INPUT, "%s: could not be opened: %s", path, g_strerror(errno));
	else if (!S_ISREG(status.st_mode))
		error_set(error, CINCH_ERROR_INPUT, "%s: is not a regular file", path);
	else if (status.st_size > LARGEST_FILE)
		error_set(error, CINCH_ERROR_INPUT, "%s: is larger than 1 GiB, the most that is read", path);
	else if (!g_file_get_contents(path, &data, &size, &reason))
		error_set(error, CINCH_ERROR_INPUT, "%s: could not be read: %s", path, reason->message);
	else
		return ply_parse(path, data, size, error);
	return NULL;
}

/* Reading Wavefront OBJ: one statement per line, a keyword and its words. */
#include "io/obj.h"

#include "core/error.h"
#include "io/obj_internal.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#define LARGEST_FILE (1024LL * 1024 * 1024) /* [byte] */
#define MOST_CORNERS 4096                   /* of one face: dividing it takes about the square of them */

typedef struct {
	const char *name; /* begins every message */
	size_t line;      /* where the statement begins, from 1 */
	Shape *shape;
	GArray *corner;     /* uint32_t: vertices of the statement at hand */
	GArray *texture;    /* uint32_t: beside each of them */
	ObjFaces *faces;    /* NULL: nobody asks */
	char *object;       /* set by "o", NULL before */
	GPtrArray *groups;  /* char *: set by the last "g" */
	GHashTable *member; /* char * -> GArray of uint32_t: vertices of each object and group, with repetitions */
} Parser;

static bool fail(const Parser *parser, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);

static bool fail(const Parser *parser, GError **error, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	g_autofree char *message = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	/* A binary file's bytes are not sent to a terminal. */
	g_autofree char *valid = g_utf8_make_valid(message, -1);
	return error_set(error, CINCH_ERROR_INPUT, "%s:%zu: %s", parser->name, parser->line, valid);
}

/* The next word of the statement, ended by a NUL in place; NULL at its end. */
static char *next_word(char **rest)
{
	char *word = *rest + strspn(*rest, " \t\r\v\f");
	if (*word == '\0')
		return NULL;
	char *end = word + strcspn(word, " \t\r\v\f");
	*rest = *end == '\0' ? end : end + 1;
	*end = '\0';
	return word;
}

static bool parse_number(const Parser *parser, const char *word, double *value, GError **error)
{
	if (word == NULL)
		return fail(parser, error, "a vertex needs three coordinates");
	char *end = NULL;
	*value = g_ascii_strtod(word, &end);
	if (end == word || *end != '\0' || !isfinite(*value))
		return fail(parser, error, "\"%.40s\" is not a finite number", word);
	return true;
}

/* Coordinates after the third (a weight, a colour) do not concern the shape. */
static bool parse_vertex(Parser *parser, char *rest, GError **error)
{
	double coordinate[3];
	for (int axis = 0; axis < 3; axis++)
		if (!parse_number(parser, next_word(&rest), &coordinate[axis], error))
			return false;
	shape_add_vertex(parser->shape, vec3(coordinate[0], coordinate[1], coordinate[2]));
	return true;
}

/* "7", "-1", "7/2", "7//3", "7/2/3": what follows the vertex is not used, but must look like an index. */
static bool is_reference(const char *word, const char *end)
{
	return end != word && (*end == '\0' || *end == '/') && strspn(end, "/-0123456789") == strlen(end);
}

/* The number behind the first slash, among the coordinates of textures so far. */
static uint32_t texture_of(const Parser *parser, const char *slash)
{
	gint64 index = *slash == '/' ? g_ascii_strtoll(slash + 1, NULL, 10) : 0;
	gint64 count = parser->faces ? parser->faces->coordinate->len / 2 : 0;
	if (index == 0 || index > count || index < -count)
		return OBJ_NONE;
	return (uint32_t)(index > 0 ? index - 1 : count + index);
}

static bool parse_reference(const Parser *parser, const char *word, uint32_t *vertex, uint32_t *texture, GError **error)
{
	char *end = NULL;
	gint64 index = g_ascii_strtoll(word, &end, 10);
	gint64 count = shape_vertex_count(parser->shape);
	if (!is_reference(word, end))
		return fail(parser, error, "\"%.40s\" is not a vertex index", word);
	if (index == 0)
		return fail(parser, error, "vertex index 0 is out of range (indices count from 1)");
	if (index > count || index < -count)
		return fail(parser, error,
		    "vertex index %" G_GINT64_FORMAT " is out of range (the file has %" G_GINT64_FORMAT
		    " vertices so far)",
		    index, count);
	*vertex = (uint32_t)(index > 0 ? index - 1 : count + index);
	*texture = texture_of(parser, end);
	return true;
}

static void join_set(Parser *parser, const char *name)
{
	GArray *member = g_hash_table_lookup(parser->member, name);
	if (member == NULL) {
		member = g_array_new(false, false, sizeof(uint32_t));
		g_hash_table_insert(parser->member, g_strdup(name), member);
	}
	g_array_append_vals(member, parser->corner->data, parser->corner->len);
}

/* Reads the words of an element into parser->corner and puts them into the current object and groups. */
static bool parse_corners(Parser *parser, const char *what, guint least, char *rest, GError **error)
{
	g_array_set_size(parser->corner, 0);
	g_array_set_size(parser->texture, 0);
	for (char *word = next_word(&rest); word; word = next_word(&rest)) {
		uint32_t vertex = 0, texture = OBJ_NONE;
		if (!parse_reference(parser, word, &vertex, &texture, error))
			return false;
		g_array_append_val(parser->corner, vertex);
		g_array_append_val(parser->texture, texture);
	}
	if (parser->corner->len < least)
		return fail(
		    parser, error, "a %s needs at least %u %s", what, least, least == 1 ? "vertex" : "vertices");
	if (parser->object)
		join_set(parser, parser->object);
	for (guint i = 0; i < parser->groups->len; i++)
		join_set(parser, parser->groups->pdata[i]);
	return true;
}

static int compare_vertices(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	return (left > right) - (left < right);
}

/* Says which vertex a list has twice; the list is sorted. */
static bool find_repeated(GArray *vertices, uint32_t *vertex)
{
	g_array_sort(vertices, compare_vertices);
	const uint32_t *sorted = (const uint32_t *)vertices->data;
	for (guint i = 1; i < vertices->len; i++)
		if (sorted[i] == sorted[i - 1]) {
			*vertex = sorted[i];
			return true;
		}
	return false;
}

/* The number of the name that the groups of the moment make together, else the object's. */
static uint32_t group_number(const Parser *parser)
{
	g_autoptr(GString) name = g_string_new(NULL);
	for (guint i = 0; i < parser->groups->len; i++)
		g_string_append_printf(name, "%s%s", i ? " " : "", (const char *)parser->groups->pdata[i]);
	if (name->len == 0 && parser->object != NULL)
		g_string_append(name, parser->object);
	if (name->len == 0)
		return OBJ_NONE;
	GPtrArray *names = parser->faces->name;
	for (guint i = names->len; i-- > 0;)
		if (strcmp(names->pdata[i], name->str) == 0)
			return i;
	g_ptr_array_add(names, g_strdup(name->str));
	return names->len - 1;
}

static void keep_face(Parser *parser)
{
	ObjFaces *faces = parser->faces;
	uint32_t first = faces->corner->len, group = group_number(parser);
	g_array_append_val(faces->first, first);
	g_array_append_val(faces->group, group);
	g_array_append_vals(faces->corner, parser->corner->data, parser->corner->len);
	g_array_append_vals(faces->texture, parser->texture->data, parser->texture->len);
}

/* Nobody's shape depends on textures: what is not a number is 0. */
static bool parse_texture(Parser *parser, char *rest, GError **error)
{
	(void)error;
	for (int axis = 0; axis < 2 && parser->faces != NULL; axis++) {
		const char *word = next_word(&rest);
		double value = word ? g_ascii_strtod(word, NULL) : 0.0;
		value = isfinite(value) ? value : 0.0;
		g_array_append_val(parser->faces->coordinate, value);
	}
	return true;
}

static bool parse_face(Parser *parser, char *rest, GError **error)
{
	if (!parse_corners(parser, "face", 3, rest, error))
		return false;
	if (parser->corner->len > MOST_CORNERS)
		return fail(parser, error, "a face has %u corners, more than the %d that can be divided into triangles",
		    parser->corner->len, MOST_CORNERS);
	g_autoptr(GArray) sorted = g_array_copy(parser->corner);
	uint32_t repeated = 0;
	if (find_repeated(sorted, &repeated))
		return fail(parser, error, "a face repeats vertex %" G_GUINT64_FORMAT, (guint64)repeated + 1);
	if (!obj_add_polygon(parser->shape, (const uint32_t *)parser->corner->data, parser->corner->len))
		return fail(
		    parser, error, "a face crosses itself or has no area, and cannot be divided into triangles");
	if (parser->faces != NULL)
		keep_face(parser);
	return true;
}

static bool parse_line(Parser *parser, char *rest, GError **error)
{
	if (!parse_corners(parser, "line", 2, rest, error))
		return false;
	const uint32_t *corner = (const uint32_t *)parser->corner->data;
	for (guint i = 1; i < parser->corner->len; i++) {
		if (corner[i] == corner[i - 1])
			return fail(parser, error, "a line repeats vertex %" G_GUINT64_FORMAT, (guint64)corner[i] + 1);
		shape_add_edge(parser->shape, corner[i - 1], corner[i]);
	}
	return true;
}

static bool parse_point(Parser *parser, char *rest, GError **error)
{
	if (!parse_corners(parser, "point", 1, rest, error))
		return false;
	for (guint i = 0; i < parser->corner->len; i++)
		shape_add_particle(parser->shape, g_array_index(parser->corner, uint32_t, i));
	return true;
}

/* The name of an object is the whole line: it may hold spaces. */
static bool parse_object(Parser *parser, char *rest, GError **error)
{
	(void)error;
	g_free(parser->object);
	g_strstrip(rest);
	parser->object = *rest ? g_utf8_make_valid(rest, -1) : NULL;
	return true;
}

static bool parse_group(Parser *parser, char *rest, GError **error)
{
	(void)error;
	g_ptr_array_set_size(parser->groups, 0);
	for (char *word = next_word(&rest); word; word = next_word(&rest))
		g_ptr_array_add(parser->groups, g_utf8_make_valid(word, -1));
	return true;
}

static const struct {
	const char *keyword;
	bool (*parse)(Parser *parser, char *rest, GError **error);
} statements[] = {
    {"v", parse_vertex},
    {"f", parse_face},
    {"l", parse_line},
    {"p", parse_point},
    {"o", parse_object},
    {"g", parse_group},
    {"vt", parse_texture},
};

/* What is not in the table (normals, materials, smoothing) concerns nobody. */
static bool parse_statement(Parser *parser, char *statement, GError **error)
{
	statement[strcspn(statement, "#")] = '\0';
	char *rest = statement;
	const char *keyword = next_word(&rest);
	for (size_t i = 0; keyword && i < G_N_ELEMENTS(statements); i++)
		if (strcmp(keyword, statements[i].keyword) == 0)
			return statements[i].parse(parser, rest, error);
	return true;
}

/* Appends one line without its end to the statement; says whether a backslash joins the next line to it. One at the end
 * of a comment ("# C:\models\") does not: it would swallow a vertex and shift all that follow. */
static bool append_line(GString *statement, const char *line, size_t length)
{
	if (length > 0 && line[length - 1] == '\r')
		length--;
	bool joined = length > 0 && line[length - 1] == '\\' && memchr(line, '#', length) == NULL;
	g_string_append_len(statement, line, (gssize)(joined ? length - 1 : length));
	if (joined)
		g_string_append_c(statement, ' ');
	return joined;
}

static bool parse_text(Parser *parser, const char *text, size_t length, GError **error)
{
	g_autoptr(GString) statement = g_string_new(NULL);
	const char *end = text + length;
	size_t line = 0;
	bool joined = false;
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t line_length = (size_t)((stop ? stop : end) - text);
		line++;
		if (!joined) {
			parser->line = line;
			g_string_truncate(statement, 0);
		}
		if (memchr(text, '\0', line_length))
			return fail(parser, error, "there is a NUL byte: this is not a text file");
		joined = append_line(statement, text, line_length);
		text = stop ? stop + 1 : end;
		if ((!joined || text == end) && !parse_statement(parser, statement->str, error))
			return false;
	}
	return true;
}

/* Each vertex once, in ascending order. */
static void name_sets(Parser *parser)
{
	GHashTableIter iterator;
	void *name, *value;
	g_hash_table_iter_init(&iterator, parser->member);
	while (g_hash_table_iter_next(&iterator, &name, &value)) {
		GArray *member = value;
		g_array_sort(member, compare_vertices);
		const uint32_t *vertex = (const uint32_t *)member->data;
		for (guint i = 0; i < member->len; i++)
			if (i == 0 || vertex[i] != vertex[i - 1])
				shape_add_to_set(parser->shape, name, vertex[i]);
	}
}

static Shape *parse(const char *name, const char *text, size_t length, ObjFaces *faces, GError **error)
{
	g_autoptr(Shape) shape = shape_new();
	Parser parser = {
	    .name = name,
	    .shape = shape,
	    .corner = g_array_new(false, false, sizeof(uint32_t)),
	    .texture = g_array_new(false, false, sizeof(uint32_t)),
	    .faces = faces,
	    .groups = g_ptr_array_new_with_free_func(g_free),
	    .member = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_array_unref),
	};
	bool parsed = parse_text(&parser, text, length, error);
	if (parsed)
		name_sets(&parser);
	g_array_unref(parser.corner);
	g_array_unref(parser.texture);
	g_ptr_array_unref(parser.groups);
	g_hash_table_unref(parser.member);
	g_free(parser.object);
	return parsed ? g_steal_pointer(&shape) : NULL;
}

static ObjFaces *faces_new(void)
{
	ObjFaces *faces = g_new0(ObjFaces, 1);
	faces->first = g_array_new(false, false, sizeof(uint32_t));
	faces->corner = g_array_new(false, false, sizeof(uint32_t));
	faces->texture = g_array_new(false, false, sizeof(uint32_t));
	faces->coordinate = g_array_new(false, false, sizeof(double));
	faces->group = g_array_new(false, false, sizeof(uint32_t));
	faces->name = g_ptr_array_new_with_free_func(g_free);
	return faces;
}

void obj_faces_free(ObjFaces *faces)
{
	if (faces == NULL)
		return;
	GArray *arrays[] = {faces->first, faces->corner, faces->texture, faces->coordinate, faces->group};
	for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
		g_array_unref(arrays[i]);
	g_ptr_array_unref(faces->name);
	g_free(faces);
}

Shape *obj_parse(const char *name, const char *text, size_t length, GError **error)
{
	return parse(name, text, length, NULL, error);
}

Shape *obj_parse_faces(const char *name, const char *text, size_t length, ObjFaces **faces, GError **error)
{
	g_autoptr(ObjFaces) found = faces_new();
	Shape *shape = parse(name, text, length, found, error);
	*faces = shape ? g_steal_pointer(&found) : NULL;
	return shape;
}

Shape *obj_read(const char *path, GError **error)
{
	GStatBuf status;
	g_autofree char *text = NULL;
	size_t length = 0;
	g_autoptr(GError) reason = NULL;
	if (g_stat(path, &status) != 0)
		error_set(error, CINCH_ERROR_INPUT, "%s: could not be opened: %s", path, g_strerror(errno));
	else if (!S_ISREG(status.st_mode))
		error_set(error, CINCH_ERROR_INPUT, "%s: is not a regular file", path);
	else if (status.st_size > LARGEST_FILE)
		error_set(error, CINCH_ERROR_INPUT, "%s: is larger than 1 GiB, the most that is read", path);
	else if (!g_file_get_contents(path, &text, &length, &reason))
		error_set(error, CINCH_ERROR_INPUT, "%s: could not be read: %s", path, reason->message);
	else
		return obj_parse(path, text, length, error);
	return NULL;
}

bool obj_take_rest(Shape *shape, const Shape *rest, const char *name, GError **error)
{
	if (shape_vertex_count(rest) != shape_vertex_count(shape))
		return error_set(error, CINCH_ERROR_INPUT,
		    "%s: has %u vertices, but the mesh whose rest shape it is has %u", name, shape_vertex_count(rest),
		    shape_vertex_count(shape));
	g_array_set_size(shape->rest, 0);
	g_array_append_vals(shape->rest, rest->position->data, rest->position->len);
	return true;
}

bool obj_read_rest(Shape *shape, const char *path, GError **error)
{
	g_autoptr(Shape) rest = obj_read(path, error);
	return rest != NULL && obj_take_rest(shape, rest, path, error);
}

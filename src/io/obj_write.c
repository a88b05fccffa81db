/* Writing Wavefront OBJ. */
#include "io/obj.h"

#include "io/files.h"

static void add_comment(GString *text, const char *comment)
{
	g_auto(GStrv) lines = g_strsplit(comment, "\n", -1);
	for (char **line = lines; *line; line++)
		g_string_append_printf(text, "# %s\n", g_strchomp(*line));
}

static void add_vertex(GString *text, const double *position)
{
	char number[G_ASCII_DTOSTR_BUF_SIZE];
	g_string_append_c(text, 'v');
	for (int axis = 0; axis < 3; axis++) {
		g_string_append_c(text, ' ');
		g_string_append(text, g_ascii_formatd(number, sizeof number, "%.17g", position[axis]));
	}
	g_string_append_c(text, '\n');
}

/* One element per line, counted from 1 as the format does. */
static void add_elements(GString *text, char keyword, const uint32_t *vertex, size_t n_elements, size_t n_corners)
{
	for (size_t i = 0; i < n_elements; i++) {
		g_string_append_c(text, keyword);
		for (size_t k = 0; k < n_corners; k++)
			g_string_append_printf(text, " %" G_GUINT64_FORMAT, (guint64)vertex[i * n_corners + k] + 1);
		g_string_append_c(text, '\n');
	}
}

bool obj_write(const char *path, const char *comment, const double *position, size_t n_vertices,
    const uint32_t (*triangle)[3], size_t n_triangles, const uint32_t (*edge)[2], size_t n_edges,
    const uint32_t *particle, size_t n_particles, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);
	if (comment)
		add_comment(text, comment);
	for (size_t i = 0; i < n_vertices; i++)
		add_vertex(text, position + 3 * i);
	add_elements(text, 'f', (const uint32_t *)triangle, n_triangles, 3);
	add_elements(text, 'l', (const uint32_t *)edge, n_edges, 2);
	add_elements(text, 'p', particle, n_particles, 1);
	return files_replace(path, text->str, text->len, error);
}

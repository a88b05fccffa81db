/* Bodies that are moved by files: a mesh for each frame, all with the same elements. */
#include "scene/scene_private.h"
#include <string.h>

/* Of one sequence: what is in memory, and in the archive, which has all files. */
enum { MOST_FRAMES = 100000, MOST_POSITIONS = 50000000 };
static const size_t most_bytes = (size_t)1 << 30;

/* Where the run of '#' in a file's name is; false when there is not just one. */
static bool find_run(const char *name, size_t *begin, size_t *length)
{
	*begin = strcspn(name, "#");
	*length = strspn(name + *begin, "#");
	return *length > 0 && strchr(name + *begin + *length, '#') == NULL;
}

/* The file of a number: "arm_####.obj" of 7 is "arm_0007.obj". */
static char *file_of(const char *pattern, int64_t number)
{
	g_autofree char *folder = g_path_get_dirname(pattern), *name = g_path_get_basename(pattern);
	size_t begin, length;
	find_run(name, &begin, &length);
	g_autofree char *digits = g_strdup_printf("%0*" G_GINT64_FORMAT, (int)length, number);
	g_autofree char *file = g_strdup_printf("%.*s%s%s", (int)begin, name, digits, name + begin + length);
	return g_build_filename(folder, file, NULL);
}

static bool same_elements(const GArray *a, const GArray *b)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len * g_array_get_element_size((GArray *)a)) == 0);
}

/* Whether a frame has the elements of the first. */
static void check_frame(Reader *reader, const char *path, const Shape *first, const Shape *shape, const char *first_path)
{
	if (shape_vertex_count(shape) != shape_vertex_count(first))
		reader_fail(reader, "files", "%s has %u vertices, but %s has %u; expected frames of one mesh", path,
		    shape_vertex_count(shape), first_path, shape_vertex_count(first));
	else if (!same_elements(shape->triangle, first->triangle) || !same_elements(shape->edge, first->edge) ||
	         !same_elements(shape->particle, first->particle))
		reader_fail(reader, "files", "%s has other faces, lines or points than %s; expected frames of one mesh", path, first_path);
}

/* Reads the frames into the script, each placed as the body is; returns the first. */
static Shape *read_frames(Scene *scene, Reader *body, Reader *reader, Script *script, const char *pattern, int64_t number)
{
	g_autoptr(Shape) first = NULL;
	g_autofree char *first_path = file_of(pattern, number);
	size_t bytes = 0;
	for (size_t k = 0; k < script->n_keys && reader_ok(reader); k++) {
		GError *error = NULL;
		g_autofree char *path = file_of(pattern, number + (int64_t)k);
		g_autoptr(Shape) shape = scene_read_mesh(scene, path, &error);
		if (shape == NULL) {
			reader_take_error(reader, error);
			return NULL;
		}
		bytes += ((const SceneFile *)scene->files->pdata[scene->files->len - 1])->length;
		scene_place(shape, body);
		if (first != NULL)
			check_frame(reader, path, first, shape, first_path);
		else
			first = g_steal_pointer(&shape);
		const Shape *frame = shape ? shape : first;
		size_t n = shape_vertex_count(first);
		if (n * script->n_keys > MOST_POSITIONS || bytes > most_bytes)
			reader_fail(reader, "frames", "more than %d positions or 1 GiB of files in one sequence", MOST_POSITIONS);
		if (!reader_ok(reader))
			return NULL;
		if (k == 0)
			script->frame = g_new(Vec3, n * script->n_keys);
		memcpy(script->frame + n * k, frame->position->data, n * sizeof(Vec3));
		script->n_vertices = n;
	}
	return g_steal_pointer(&first);
}

/* One more key, at time zero: until the sequence starts its first frame stands. */
static void wait_at_first(Script *script)
{
	size_t n = script->n_vertices, keys = script->n_keys + 1;
	Vec3 *frame = g_new(Vec3, n * keys);
	memcpy(frame, script->frame, n * sizeof(Vec3));
	memcpy(frame + n, script->frame, n * script->n_keys * sizeof(Vec3));
	g_free(script->frame);
	script->frame = frame;
	script->n_keys = keys;
}

Script *scene_read_sequence(Scene *scene, Reader *body, double default_step, Shape **shape)
{
	Reader *reader = reader_child(body, "sequence");
	*shape = NULL;
	if (reader == NULL)
		return NULL;
	Script *script = g_new0(Script, 1);
	g_autofree char *pattern = reader_file(reader, "files", true), *name = pattern ? g_path_get_basename(pattern) : NULL;
	int64_t number = reader_integer(reader, "first", 0, 0, INT32_MAX);
	int64_t frames = reader_integer(reader, "frames", READER_REQUIRED_INTEGER, 2, MOST_FRAMES);
	double rate = reader_positive(reader, "rate", 24.0), start = reader_nonnegative(reader, "start", 0.0);
	script->clock.step = clock_bin(reader_positive(reader, "step", fmin(default_step, 1.0 / rate)));
	size_t begin, length;
	if (reader_ok(reader) && !find_run(name, &begin, &length))
		reader_fail(reader, "files", "expected a name with one run of '#' for the number, such as \"arm_####.obj\", got \"%s\"", name);
	else if (reader_ok(reader)) {
		script->n_keys = (size_t)frames;
		*shape = read_frames(scene, body, reader, script, pattern, number);
	}
	if (*shape != NULL) {
		if (start > 0.0)
			wait_at_first(script);
		size_t first = script->n_keys - (size_t)frames;
		script->time = g_new0(double, script->n_keys);
		for (size_t k = 0; k < (size_t)frames; k++)
			script->time[first + k] = start + (double)k / rate;
	}
	reader_close(reader);
	if (*shape == NULL)
		g_clear_pointer(&script, script_free);
	return script;
}

#include "io/faces.h"

#include "io/obj.h"
#include <string.h>

static GArray *numbers_new(void)
{
	return g_array_new(false, false, sizeof(uint32_t));
}

static void add_number(GArray *array, size_t number)
{
	uint32_t value = (uint32_t)number;
	g_array_append_val(array, value);
}

static void begin_face(Faces *faces, size_t triangle)
{
	add_number(faces->first, faces->corner->len);
	add_number(faces->triangle, triangle);
}

static void add_triangles(Faces *faces, const Selection *selection, const ArchiveBody *body)
{
	for (size_t i = body->first_triangle; i < body->first_triangle + body->n_triangles; i++) {
		begin_face(faces, i);
		g_array_append_vals(faces->corner, selection->triangle[i], 3);
		add_number(faces->group, FACES_NONE);
		for (int c = 0; c < 3; c++)
			add_number(faces->texture, FACES_NONE);
	}
}

/* Whether dividing the file's faces gives the body's triangles: else the file is not what the body was made of. */
static bool is_of_body(const Shape *shape, const Selection *selection, const ArchiveBody *body)
{
	if (shape_vertex_count(shape) != body->n_vertices || shape->triangle->len != body->n_triangles)
		return false;
	for (uint32_t i = 0; i < body->n_triangles; i++)
		for (int c = 0; c < 3; c++)
			if (g_array_index(shape->triangle, Triangle, i).v[c] + body->first_vertex !=
			    selection->triangle[body->first_triangle + i][c])
				return false;
	return true;
}

static void add_polygons(Faces *faces, const ObjFaces *file, const ArchiveBody *body)
{
	size_t coordinates = faces->coordinate->len / 2, names = faces->name->len, triangle = body->first_triangle;
	for (guint i = 0; i < file->first->len; i++) {
		uint32_t from = g_array_index(file->first, uint32_t, i);
		uint32_t to =
		    i + 1 < file->first->len ? g_array_index(file->first, uint32_t, i + 1) : file->corner->len;
		uint32_t group = g_array_index(file->group, uint32_t, i);
		begin_face(faces, triangle);
		triangle += to - from - 2;
		add_number(faces->group, group == OBJ_NONE ? FACES_NONE : names + group);
		for (uint32_t c = from; c < to; c++) {
			uint32_t texture = g_array_index(file->texture, uint32_t, c);
			add_number(faces->corner, g_array_index(file->corner, uint32_t, c) + body->first_vertex);
			add_number(faces->texture, texture == OBJ_NONE ? FACES_NONE : coordinates + texture);
		}
	}
	g_array_append_vals(faces->coordinate, file->coordinate->data, file->coordinate->len);
	for (guint i = 0; i < file->name->len; i++)
		g_ptr_array_add(faces->name, g_strdup(file->name->pdata[i]));
}

static bool add_file(Faces *faces, const Selection *selection, const ArchiveBody *body, const ArchiveFile *file)
{
	g_autoptr(ObjFaces) found = NULL;
	g_autoptr(Shape) shape = obj_parse_faces(file->name, file->data, file->length, &found, NULL);
	if (shape == NULL || !is_of_body(shape, selection, body))
		return false;
	add_polygons(faces, found, body);
	return true;
}

Faces *faces_of(const Selection *selection, const Origin *origin)
{
	const ArchiveHeader *header = &selection->archive->header;
	Faces *faces = g_new0(Faces, 1);
	faces->first = numbers_new();
	faces->triangle = numbers_new();
	faces->corner = numbers_new();
	faces->texture = numbers_new();
	faces->coordinate = g_array_new(false, false, sizeof(double));
	faces->group = numbers_new();
	faces->name = g_ptr_array_new_with_free_func(g_free);
	faces->of_body = g_new0(size_t, selection->n_bodies + 1);
	for (size_t b = 0; b < selection->n_bodies; b++) {
		const ArchiveBody *body = &selection->bodies[b];
		size_t file = origin->file[selection->body[b]];
		if (file == ORIGIN_NO_FILE || !add_file(faces, selection, body, &header->files[file]))
			add_triangles(faces, selection, body);
		faces->of_body[b + 1] = faces->group->len;
	}
	begin_face(faces, selection->n_triangles);
	return faces;
}

void faces_free(Faces *faces)
{
	if (faces == NULL)
		return;
	GArray *arrays[] = {
	    faces->first, faces->triangle, faces->corner, faces->texture, faces->coordinate, faces->group};
	for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
		g_array_unref(arrays[i]);
	g_ptr_array_unref(faces->name);
	g_free(faces->of_body);
	g_free(faces);
}

bool faces_texture(const Faces *faces, size_t corner, double coordinate[2])
{
	uint32_t texture = g_array_index(faces->texture, uint32_t, corner);
	if (texture == FACES_NONE)
		return false;
	memcpy(coordinate, &g_array_index(faces->coordinate, double, 2 * texture), 2 * sizeof(double));
	return true;
}

bool faces_smooth_texture(const Faces *faces, size_t n_vertices, double *coordinate)
{
	g_autofree uint32_t *found = g_new(uint32_t, n_vertices + 1);
	memset(found, 0xff, n_vertices * sizeof *found);
	memset(coordinate, 0, 2 * n_vertices * sizeof *coordinate);
	for (guint c = 0; c < faces->corner->len; c++) {
		uint32_t vertex = g_array_index(faces->corner, uint32_t, c),
		         texture = g_array_index(faces->texture, uint32_t, c);
		if (texture == FACES_NONE)
			continue;
		if (found[vertex] != FACES_NONE && found[vertex] != texture)
			return false;
		found[vertex] = texture;
		faces_texture(faces, c, coordinate + 2 * (size_t)vertex);
	}
	return true;
}

const char *faces_group(const Faces *faces, size_t face)
{
	uint32_t group = g_array_index(faces->group, uint32_t, face);
	return group == FACES_NONE ? NULL : faces->name->pdata[group];
}

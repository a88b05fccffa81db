/* Frames of whatever program: each tested exactly, and the straight motion from each to the next. */
#include "core/error.h"
#include "io/obj.h"
#include "io/ply.h"
#include "sim/judgement.h"
#include "verify/intersections.h"
#include <string.h>

/* ---- which files ---- */

static bool has_ending(const char *name, const char *ending)
{
	size_t n = strlen(name), m = strlen(ending);
	return n > m && name[0] != '.' && g_ascii_strcasecmp(name + n - m, ending) == 0;
}

/* Numbers in names by their value: frame9 comes before frame10. */
static int compare_names(const void *a, const void *b)
{
	const char *one = *(const char *const *)a, *other = *(const char *const *)b;
	for (; *one != '\0' || *other != '\0'; one++, other++) {
		if (!g_ascii_isdigit(*one) || !g_ascii_isdigit(*other)) {
			if (*one != *other)
				return (unsigned char)*one < (unsigned char)*other ? -1 : 1;
			continue;
		}
		size_t zeros = strspn(one, "0"), other_zeros = strspn(other, "0");
		one += zeros;
		other += other_zeros;
		size_t n = strspn(one, "0123456789"), m = strspn(other, "0123456789");
		int order = n != m ? (n < m ? -1 : 1) : strncmp(one, other, n);
		if (order != 0)
			return order;
		if (zeros != other_zeros)
			return zeros < other_zeros ? -1 : 1;
		one += n;
		other += m;
		if (*one == '\0' || *other == '\0')
			return *one == *other ? 0 : *one == '\0' ? -1 : 1;
		one--;
		other--;
	}
	return 0;
}

static GPtrArray *list_frames(const char *folder, GError **error)
{
	g_autoptr(GError) problem = NULL;
	g_autoptr(GDir) directory = g_dir_open(folder, 0, &problem);
	guint n[2] = {0, 0};
	if (directory == NULL) {
		error_set(error, CINCH_ERROR_INPUT, "%s: the folder could not be opened: %s", folder, problem->message);
		return NULL;
	}
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	for (const char *name = g_dir_read_name(directory); name != NULL; name = g_dir_read_name(directory)) {
		bool obj = has_ending(name, ".obj"), ply = has_ending(name, ".ply");
		n[0] += obj;
		n[1] += ply;
		if (obj || ply)
			g_ptr_array_add(names, g_strdup(name));
	}
	if (names->len > 0 && (n[0] == 0 || n[1] == 0)) {
		g_ptr_array_sort(names, compare_names);
		return names;
	}
	error_set(error, CINCH_ERROR_INPUT, names->len == 0 ? "%s: there are no OBJ or PLY files in this folder" :
	    "%s: there are OBJ and PLY files in this folder; expected one kind", folder);
	g_ptr_array_unref(names);
	return NULL;
}

static Shape *read_frame(const char *folder, const char *name, GError **error)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);
	g_autoptr(Shape) shape = has_ending(name, ".ply") ? ply_read(path, error) : obj_read(path, error);
	if (shape != NULL && shape->triangle->len + shape->edge->len + shape->particle->len == 0) {
		error_set(error, CINCH_ERROR_INPUT, "%s: there are no faces, edges or points: nothing to judge", path);
		return NULL;
	}
	return g_steal_pointer(&shape);
}

/* ---- what they are of ---- */

static void begin(Judgement *judgement, const Shape *shape, unsigned threads)
{
	ProofSubject *subject = judgement->subject = g_new0(ProofSubject, 1);
	uint32_t n = shape_vertex_count(shape);
	judgement->triangle = g_memdup2(shape->triangle->data, shape->triangle->len * sizeof(Triangle));
	judgement->edge = g_memdup2(shape->edge->data, shape->edge->len * sizeof(Edge));
	judgement->particle = g_memdup2(shape->particle->data, shape->particle->len * sizeof(uint32_t));
	subject->body = g_new0(uint32_t, n + 1u);
	subject->held = g_new0(uint8_t, n + 1u);
	subject->meets = g_new0(uint8_t, 1);
	subject->meets[0] = 1;
	subject->thickness = g_new0(double, 1);
	subject->name = g_new0(char *, 2);
	subject->name[0] = g_strdup("the mesh");
	subject->first = g_new0(uint32_t, 1);
	subject->length = "";
	subject->excluded = g_ptr_array_new_with_free_func(g_free);
	subject->input = (PairsInput){.n_vertices = n,
	    .mesh = {NULL, NULL, shape->triangle->len, (const uint32_t(*)[3])judgement->triangle, shape->edge->len,
	        (const uint32_t(*)[2])judgement->edge, shape->particle->len, judgement->particle},
	    .n_bodies = 1,
	    .body = subject->body,
	    .held = subject->held,
	    .meets = subject->meets,
	    .thickness = subject->thickness};
	judgement->checker =
	    checker_new(&subject->input, (const double(*)[3])(const void *)shape->position->data, 0.0, 0.0, threads);
}

static bool has_same_elements(const Judgement *judgement, const Shape *shape)
{
	const PairsInput *input = &judgement->subject->input;
	const IntersectionsInput *mesh = &input->mesh;
	return shape_vertex_count(shape) == input->n_vertices && shape->triangle->len == mesh->n_triangles &&
	       shape->edge->len == mesh->n_edges && shape->particle->len == mesh->n_particles &&
	       (mesh->n_triangles == 0 || memcmp(shape->triangle->data, mesh->triangle, mesh->n_triangles * sizeof(Triangle)) == 0) &&
	       (mesh->n_edges == 0 || memcmp(shape->edge->data, mesh->edge, mesh->n_edges * sizeof(Edge)) == 0) &&
	       (mesh->n_particles == 0 || memcmp(shape->particle->data, mesh->particle, mesh->n_particles * sizeof(uint32_t)) == 0);
}

/* ---- the judgement ---- */

static bool intersects(const Judgement *judgement, const double (*x)[3])
{
	IntersectionsInput mesh = judgement->subject->input.mesh;
	mesh.x = x;
	g_autoptr(GArray) found = intersections_find(&mesh);
	return found->len > 0;
}

static bool judge_frame(Judgement *judgement, const char *folder, guint number, unsigned threads, GError **error)
{
	const char *name = judgement->frame->pdata[number];
	g_autoptr(Shape) shape = read_frame(folder, name, error);
	if (shape == NULL)
		return false;
	const double(*x)[3] = (const double(*)[3])(const void *)shape->position->data;
	if (number == 0)
		begin(judgement, shape, threads);
	else if (!has_same_elements(judgement, shape))
		return error_set(error, CINCH_ERROR_INPUT,
		    "%s/%s: its vertices, faces or edges are not those of %s (faces of more than three corners are divided into "
		    "triangles in each file; give triangles where they bend)",
		    folder, name, (const char *)judgement->frame->pdata[0]);
	else
		checker_end_window(judgement->checker, number, x);
	judgement->n_frames++;
	if (intersects(judgement, x)) {
		judgement->n_intersecting++;
		checker_test_at_rest(judgement->checker, number, x);
	}
	return true;
}

static char *sentence_of(const Judgement *judgement)
{
	const CheckerFinding *finding = &checker_verdict(judgement->checker)->finding;
	g_autofree char *one = proof_name(judgement->subject, finding->vertex, finding->n_first);
	g_autofree char *other =
	    proof_name(judgement->subject, finding->vertex + finding->n_first, finding->n - finding->n_first);
	guint frame = (guint)finding->time;
	double share = finding->time - frame;
	const char *before = judgement->frame->pdata[frame];
	g_autofree char *where = share > 0.0 && frame + 1 < judgement->frame->len
	    ? g_strdup_printf("between %s and %s, %.12g of the way,", before, (const char *)judgement->frame->pdata[frame + 1], share)
	    : g_strdup_printf("in %s", before);
	return g_strdup_printf("%s %s and %s %s, at (%.9g, %.9g, %.9g)", where, one, other,
	    finding->outcome == CHECKER_INTERSECTS ? "intersect" : "touch", finding->place[0], finding->place[1], finding->place[2]);
}

Judgement *judgement_of_frames(const char *folder, unsigned threads, GError **error)
{
	g_autoptr(Judgement) judgement = g_new0(Judgement, 1);
	judgement->frame = list_frames(folder, error);
	if (judgement->frame == NULL)
		return NULL;
	for (guint i = 0; i < judgement->frame->len; i++)
		if (!judge_frame(judgement, folder, i, threads, error))
			return NULL;
	if (judgement_has_evidence(judgement))
		judgement->failure = sentence_of(judgement);
	return g_steal_pointer(&judgement);
}

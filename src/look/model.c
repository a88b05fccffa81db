#include "look/model.h"
#include "look/raster.h"
#include <math.h>
#include <string.h>

#define CREASE_COSINE 0.7      /* faces that meet at more than 45 degrees at rest have an edge between them */
#define EDGE_RADIUS 0.003      /* of the scene's size, without a thickness */
#define PARTICLE_RADIUS 0.006
enum { TUBE_SIDES = 8, FINE_BALLS = 3000 };

static Vec3 at(const double *x, uint32_t vertex)
{
	return vec3(x[3 * (size_t)vertex], x[3 * (size_t)vertex + 1], x[3 * (size_t)vertex + 2]);
}

static Vec3 face_normal(const Vec3 *point, const uint32_t corner[3])
{
	Vec3 a = point[corner[0]];
	return vec3_cross(vec3_sub(point[corner[1]], a), vec3_sub(point[corner[2]], a));
}

/* Corners around a vertex: for each vertex, those of the faces that it is in. */
typedef struct {
	uint32_t *first;  /* (n_vertices + 1) */
	uint32_t *corner; /* (3 n_faces) 3 face + corner */
} Fans;

static Fans make_fans(const Model *model)
{
	Fans fans = {g_new0(uint32_t, model->n_vertices + 2), g_new(uint32_t, 3 * model->n_mesh + 1)};
	for (size_t i = 0; i < 3 * model->n_mesh; i++)
		fans.first[model->face[i / 3].point[i % 3] + 2]++;
	for (size_t v = 0; v < model->n_vertices; v++)
		fans.first[v + 2] += fans.first[v + 1];
	for (size_t i = 0; i < 3 * model->n_mesh; i++)
		fans.corner[fans.first[model->face[i / 3].point[i % 3] + 1]++] = (uint32_t)i;
	return fans;
}

/* Whether two faces around a vertex share another one too: a side. */
static bool share_side(const ModelFace *a, const ModelFace *b, uint32_t vertex)
{
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			if (a->point[i] == b->point[j] && a->point[i] != vertex)
				return true;
	return false;
}

/* Gives the corners of a fan numbers of normals: one for those that are joined by sides without a crease. */
static void number_fan(Model *model, const Vec3 *rest, const uint32_t *corner, size_t n)
{
	for (size_t i = 0; i < n; i++)
		model->face[corner[i] / 3].normal[corner[i] % 3] = RASTER_NONE;
	g_autoptr(GArray) open = g_array_new(false, false, sizeof(uint32_t));
	for (size_t seed = 0; seed < n; seed++) {
		if (model->face[corner[seed] / 3].normal[corner[seed] % 3] != RASTER_NONE)
			continue;
		uint32_t number = (uint32_t)model->n_normals++;
		model->face[corner[seed] / 3].normal[corner[seed] % 3] = number;
		g_array_append_val(open, corner[seed]);
		while (open->len > 0) {
			uint32_t from = g_array_index(open, uint32_t, open->len - 1);
			g_array_set_size(open, open->len - 1);
			const ModelFace *face = &model->face[from / 3];
			Vec3 normal = vec3_unit(face_normal(rest, face->point));
			for (size_t k = 0; k < n; k++) {
				ModelFace *other = &model->face[corner[k] / 3];
				if (other->normal[corner[k] % 3] != RASTER_NONE ||
				    !share_side(face, other, face->point[from % 3]) ||
				    vec3_dot(normal, vec3_unit(face_normal(rest, other->point))) < CREASE_COSINE)
					continue;
				other->normal[corner[k] % 3] = number;
				g_array_append_val(open, corner[k]);
			}
		}
	}
}

static void add_mesh(Model *model, const Selection *selection)
{
	for (size_t b = 0; b < selection->n_bodies; b++) {
		const ArchiveBody *body = &selection->bodies[b];
		for (uint32_t i = 0; i < body->n_triangles; i++) {
			ModelFace *face = &model->face[model->n_faces++];
			memcpy(face->point, selection->triangle[body->first_triangle + i], sizeof face->point);
			face->body = (uint32_t)b;
		}
	}
	model->n_mesh = model->n_faces;
	g_autofree Vec3 *rest = g_new(Vec3, model->n_vertices + 1);
	for (size_t i = 0; i < model->n_vertices; i++)
		rest[i] = at(selection->rest, (uint32_t)i);
	Fans fans = make_fans(model);
	for (size_t v = 0; v < model->n_vertices; v++)
		number_fan(model, rest, fans.corner + fans.first[v], fans.first[v + 1] - fans.first[v]);
	model->n_smooth = model->n_normals;
	g_free(fans.first);
	g_free(fans.corner);
}

/* A unit ball: an icosahedron, or one whose sides are halved. */
typedef struct {
	GArray *direction; /* Vec3 */
	GArray *face;      /* uint32_t, 3 per face */
} Ball;

static uint32_t halve(Ball *ball, uint32_t a, uint32_t b)
{
	Vec3 middle = vec3_unit(
	    vec3_add(g_array_index(ball->direction, Vec3, a), g_array_index(ball->direction, Vec3, b)));
	for (guint i = 0; i < ball->direction->len; i++)
		if (vec3_distance(g_array_index(ball->direction, Vec3, i), middle) < 1e-6)
			return i;
	g_array_append_val(ball->direction, middle);
	return ball->direction->len - 1;
}

static Ball make_ball(bool fine)
{
	static const uint32_t faces[60] = {0, 11, 5, 0, 5, 1, 0, 1, 7, 0, 7, 10, 0, 10, 11, 1, 5, 9, 5, 11, 4, 11, 10, 2, 10, 7, 6,
	    7, 1, 8, 3, 9, 4, 3, 4, 2, 3, 2, 6, 3, 6, 8, 3, 8, 9, 4, 9, 5, 2, 4, 11, 6, 2, 10, 8, 6, 7, 9, 8, 1};
	const double g = 0.5 * (1.0 + sqrt(5.0));
	const Vec3 corners[12] = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0}, {0, -1, g}, {0, 1, g}, {0, -1, -g},
	    {0, 1, -g}, {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
	Ball ball = {g_array_new(false, false, sizeof(Vec3)), g_array_new(false, false, sizeof(uint32_t))};
	for (int i = 0; i < 12; i++) {
		Vec3 unit = vec3_unit(corners[i]);
		g_array_append_val(ball.direction, unit);
	}
	g_array_append_vals(ball.face, faces, 60);
	for (int level = 0; level < (fine ? 2 : 1); level++) {
		GArray *finer = g_array_new(false, false, sizeof(uint32_t));
		for (guint i = 0; i < ball.face->len; i += 3) {
			const uint32_t *c = &g_array_index(ball.face, uint32_t, i);
			uint32_t a = c[0], b = c[1], d = c[2];
			uint32_t ab = halve(&ball, a, b), bd = halve(&ball, b, d), da = halve(&ball, d, a);
			const uint32_t four[12] = {a, ab, da, b, bd, ab, d, da, bd, ab, bd, da};
			g_array_append_vals(finer, four, 12);
		}
		g_array_unref(ball.face);
		ball.face = finer;
	}
	return ball;
}

/* Room for studs and faces while they are counted. */
typedef struct {
	GArray *stud;     /* ModelStud */
	GArray *face;     /* ModelFace, with points and normals counted from the first stud */
} Parts;

static void add_ball(Parts *parts, const Ball *ball, uint32_t vertex, double radius, uint32_t body)
{
	uint32_t first = parts->stud->len;
	for (guint i = 0; i < ball->direction->len; i++) {
		Vec3 d = g_array_index(ball->direction, Vec3, i);
		ModelStud stud = {vertex, RASTER_NONE, {(float)d.x, (float)d.y, (float)d.z}, (float)radius};
		g_array_append_val(parts->stud, stud);
	}
	for (guint i = 0; i < ball->face->len; i += 3) {
		ModelFace face = {.body = body};
		for (int c = 0; c < 3; c++)
			face.point[c] = face.normal[c] = first + g_array_index(ball->face, uint32_t, i + (guint)c);
		g_array_append_val(parts->face, face);
	}
}

static void add_tube(Parts *parts, const uint32_t end[2], double radius, uint32_t body)
{
	uint32_t first = parts->stud->len;
	for (int k = 0; k < 2; k++)
		for (int side = 0; side < TUBE_SIDES; side++) {
			/* Seen from either end the frame is mirrored: so is the angle. */
			double angle = (k ? -2.0 : 2.0) * G_PI * side / TUBE_SIDES;
			ModelStud stud = {end[k], end[1 - k], {(float)cos(angle), (float)sin(angle), 0.0f}, (float)radius};
			g_array_append_val(parts->stud, stud);
		}
	for (uint32_t side = 0; side < TUBE_SIDES; side++) {
		uint32_t a = first + side, b = first + (side + 1) % TUBE_SIDES;
		const uint32_t corner[2][3] = {{a, b, a + TUBE_SIDES}, {b, b + TUBE_SIDES, a + TUBE_SIDES}};
		for (int half = 0; half < 2; half++) {
			ModelFace face = {.body = body};
			memcpy(face.point, corner[half], sizeof face.point);
			memcpy(face.normal, corner[half], sizeof face.normal);
			g_array_append_val(parts->face, face);
		}
	}
}

double model_tube_radius(double thickness, double size)
{
	return thickness > 0.0 ? 0.5 * thickness : EDGE_RADIUS * size;
}

double model_ball_radius(double thickness, double size)
{
	return thickness > 0.0 ? 0.5 * thickness : PARTICLE_RADIUS * size;
}

static void add_body_parts(
    Parts *parts, const Selection *selection, const Ball *ball, size_t b, double thickness, double size)
{
	const ArchiveBody *body = &selection->bodies[b];
	double tube = model_tube_radius(thickness, size), radius = model_ball_radius(thickness, size);
	g_autoptr(GHashTable) ends = g_hash_table_new(NULL, NULL);
	for (uint32_t i = 0; i < body->n_edges; i++) {
		const uint32_t *end = selection->edge[body->first_edge + i];
		add_tube(parts, end, tube, (uint32_t)b);
		for (int k = 0; k < 2; k++)
			if (g_hash_table_add(ends, GUINT_TO_POINTER(end[k] + 1)))
				add_ball(parts, ball, end[k], tube, (uint32_t)b);
	}
	for (uint32_t i = 0; i < body->n_particles; i++)
		add_ball(parts, ball, selection->particle[body->first_particle + i], radius, (uint32_t)b);
}

static void take_parts(Model *model, const Parts *parts)
{
	model->n_studs = parts->stud->len;
	model->n_points = model->n_vertices + model->n_studs;
	model->stud = g_memdup2(parts->stud->data, parts->stud->len * sizeof(ModelStud));
	model->face = g_renew(ModelFace, model->face, model->n_mesh + parts->face->len + 1);
	for (guint i = 0; i < parts->face->len; i++) {
		ModelFace face = g_array_index(parts->face, ModelFace, i);
		for (int c = 0; c < 3; c++) {
			face.point[c] += (uint32_t)model->n_vertices;
			face.normal[c] += (uint32_t)model->n_smooth;
		}
		model->face[model->n_faces++] = face;
	}
	model->n_normals = model->n_smooth + model->n_studs;
	model->point = g_new0(Vec3, model->n_points + 1);
	model->normal = g_new0(Vec3, model->n_normals + 1);
	model->source = g_new(uint32_t, model->n_points + 1);
	for (size_t i = 0; i < model->n_points; i++)
		model->source[i] = i < model->n_vertices ? (uint32_t)i : model->stud[i - model->n_vertices].vertex;
}

Model *model_new(const Selection *selection, const Origin *origin, double size)
{
	Model *model = g_new0(Model, 1);
	model->n_vertices = selection->n_vertices;
	model->face = g_new(ModelFace, selection->n_triangles + 1);
	model->hidden = g_new0(bool, selection->n_bodies + 1);
	add_mesh(model, selection);
	Parts parts = {g_array_new(false, false, sizeof(ModelStud)), g_array_new(false, false, sizeof(ModelFace))};
	Ball ball = make_ball(selection->n_particles + selection->n_edges < FINE_BALLS);
	for (size_t b = 0; b < selection->n_bodies; b++)
		add_body_parts(&parts, selection, &ball, b, origin->thickness[selection->body[b]], size);
	take_parts(model, &parts);
	g_array_unref(parts.stud);
	g_array_unref(parts.face);
	g_array_unref(ball.direction);
	g_array_unref(ball.face);
	return model;
}

void model_free(Model *model)
{
	if (model == NULL)
		return;
	g_free(model->point);
	g_free(model->normal);
	g_free(model->face);
	g_free(model->stud);
	g_free(model->source);
	g_free(model->hidden);
	g_free(model);
}

/* A unit vector at right angles to the axis; the same but for its sign from both ends of a tube. */
static Vec3 across(Vec3 axis)
{
	Vec3 helper = fabs(axis.x) < 0.6 ? vec3(1, 0, 0) : fabs(axis.y) < 0.6 ? vec3(0, 1, 0) : vec3(0, 0, 1);
	return vec3_unit(vec3_sub(helper, vec3_scale(vec3_dot(helper, axis), axis)));
}

static Vec3 stud_direction(const Model *model, const ModelStud *stud)
{
	Vec3 d = vec3(stud->direction[0], stud->direction[1], stud->direction[2]);
	if (stud->other == RASTER_NONE)
		return d;
	Vec3 axis = vec3_unit(vec3_sub(model->point[stud->other], model->point[stud->vertex]));
	Vec3 u = across(axis), w = vec3_cross(axis, u);
	return vec3_madd(vec3_scale(d.x, u), d.y, w);
}

void model_place(Model *model, const Selection *selection, const double *position, double time)
{
	for (size_t b = 0; b < selection->n_bodies; b++)
		model->hidden[b] = !archive_shows(&selection->archive->header, selection->body[b], time);
	memset(model->normal, 0, model->n_normals * sizeof *model->normal);
	for (size_t i = 0; i < model->n_vertices; i++)
		model->point[i] = at(position, (uint32_t)i);
	for (size_t i = 0; i < model->n_mesh; i++) {
		const ModelFace *face = &model->face[i];
		Vec3 normal = face_normal(model->point, face->point);
		for (int c = 0; c < 3; c++)
			model->normal[face->normal[c]] = vec3_add(model->normal[face->normal[c]], normal);
	}
	for (size_t i = 0; i < model->n_smooth; i++)
		model->normal[i] = vec3_unit(model->normal[i]);
	for (size_t i = 0; i < model->n_studs; i++) {
		const ModelStud *stud = &model->stud[i];
		Vec3 direction = stud_direction(model, stud);
		model->normal[model->n_smooth + i] = direction;
		model->point[model->n_vertices + i] = vec3_madd(model->point[stud->vertex], stud->radius, direction);
	}
}

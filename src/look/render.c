#include "look/render.h"
#include "look/colour.h"
#include <math.h>
#include <string.h>

enum { BAND = 16 /* rows of pixels */, FLOOR_TEXELS = 448, FLOOR_BLUR = 2, MOST = RENDER_MOST_SAMPLES * RENDER_MOST_SAMPLES };

#define SKY 0.40f      /* what a level plane in the open gets of the sky */
#define LAMP 0.66f     /* and a plane that faces the lamp, of that */
#define FILL 0.16f     /* and, wherever some sky is seen, from beside the eye: so that no side is black */
#define BOUNCE 0.13f   /* what comes back from below */
#define SHINE 0.05f
#define SHININESS 24.0f
#define BACK_PALER 0.45f
#define WIRE_WIDTH 0.9 /* [pixels] */
#define WIRE_DARKNESS 0.55f
#define FLOOR_EXTENT 2.6 /* radii */

/* What the floor lets through of its light, around the centre: looked at once per frame, not per pixel. */
typedef struct {
	Vec3 right, ahead;
	double half;  /* [length] of its side */
	float *share; /* (FLOOR_TEXELS, FLOOR_TEXELS) */
} Floor;

/* A face on the picture, possibly cut at the near plane. */
typedef struct {
	RasterCorner corner[3];
	uint32_t face;
} Piece;

typedef struct {
	const RenderPlan *plan;
	const Model *model;
	Image *image;
	Floor floor;
	GArray *pieces;          /* Piece */
	GArray **bands;          /* (n_bands) of uint32_t: pieces */
	int n_bands;
} Render;

/* The mean over a few texels around each, along rows and then along columns: lamps are many, but not endless. */
static void blur(float *share)
{
	float line[FLOOR_TEXELS];
	for (int pass = 0; pass < 2; pass++)
		for (int k = 0; k < FLOOR_TEXELS; k++) {
			float *first = share + k * (pass ? 1 : FLOOR_TEXELS);
			int step = pass ? FLOOR_TEXELS : 1;
			for (int i = 0; i < FLOOR_TEXELS; i++) {
				int from = MAX(i - FLOOR_BLUR, 0), to = MIN(i + FLOOR_BLUR, FLOOR_TEXELS - 1);
				line[i] = 0.0f;
				for (int j = from; j <= to; j++)
					line[i] += first[j * step] / (float)(to - from + 1);
			}
			for (int i = 0; i < FLOOR_TEXELS; i++)
				first[i * step] = line[i];
		}
}

static void make_floor(Render *render)
{
	const RenderPlan *plan = render->plan;
	Floor *floor = &render->floor;
	Vec3 up = plan->up, helper = fabs(up.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
	floor->right = vec3_unit(vec3_cross(helper, up));
	floor->ahead = vec3_cross(up, floor->right);
	floor->half = FLOOR_EXTENT * plan->radius;
	floor->share = g_new(float, FLOOR_TEXELS * FLOOR_TEXELS);
	float open = SKY + LAMP * (float)fmax(vec3_dot(light_lamp(plan->light), up), 0.0);
	Vec3 centre = vec3_madd(plan->centre, plan->height - vec3_dot(plan->centre, up), up);
#pragma omp parallel for schedule(dynamic, 8)
	for (int row = 0; row < FLOOR_TEXELS; row++)
		for (int column = 0; column < FLOOR_TEXELS; column++) {
			double u = floor->half * (2.0 * (column + 0.5) / FLOOR_TEXELS - 1.0);
			double v = floor->half * (2.0 * (row + 0.5) / FLOOR_TEXELS - 1.0);
			Vec3 place = vec3_add(centre, vec3_madd(vec3_scale(u, floor->right), v, floor->ahead));
			Illumination found = light_at(plan->light, place, up);
			floor->share[row * FLOOR_TEXELS + column] = (SKY * found.sky + LAMP * found.lamp) / open;
		}
	blur(floor->share);
}

static float floor_at(const Render *render, Vec3 place)
{
	const Floor *floor = &render->floor;
	Vec3 d = vec3_sub(place, render->plan->centre);
	double u = (vec3_dot(d, floor->right) / floor->half + 1.0) * 0.5 * FLOOR_TEXELS - 0.5;
	double v = (vec3_dot(d, floor->ahead) / floor->half + 1.0) * 0.5 * FLOOR_TEXELS - 0.5;
	int column = (int)(u < 0.0 ? -1.0 : u), row = (int)(v < 0.0 ? -1.0 : v);
	if (column < 0 || row < 0 || column + 1 >= FLOOR_TEXELS || row + 1 >= FLOOR_TEXELS)
		return 1.0f;
	const float *share = floor->share + row * FLOOR_TEXELS + column;
	float a = (float)(u - column), b = (float)(v - row);
	float found = (1 - b) * ((1 - a) * share[0] + a * share[1]) +
	              b * ((1 - a) * share[FLOOR_TEXELS] + a * share[FLOOR_TEXELS + 1]);
	/* Towards its border it is as bright as the background. */
	double distance = sqrt(vec3_norm2(vec3_madd(d, -vec3_dot(d, render->plan->up), render->plan->up))) / floor->half;
	float fade = (float)fmin(fmax((distance - 0.45) / 0.5, 0.0), 1.0);
	fade = fade * fade * (3.0f - 2.0f * fade);
	return found + fade * (1.0f - found);
}

static Colour background_at(const Render *render, double x, double y)
{
	const RenderPlan *plan = render->plan;
	Colour colour = colour_mix(plan->top, plan->bottom, (float)(y / render->image->height));
	if (!plan->ground)
		return colour;
	Vec3 ray = camera_ray(&plan->camera, x, y);
	double fall = -vec3_dot(ray, plan->up), above = vec3_dot(plan->camera.eye, plan->up) - plan->height;
	if (fall <= 1e-6 || above <= 0.0)
		return colour;
	float share = floor_at(render, vec3_madd(plan->camera.eye, above / fall, ray));
	return (Colour){colour.r * share, colour.g * share, colour.b * share};
}

/* The light at a place and what of it shines back to the eye. */
typedef struct {
	float diffuse, shine;
} Shade;

static Shade shade(const RenderPlan *plan, Vec3 place, Vec3 normal, Vec3 to_eye, Vec3 lamp)
{
	Illumination found = light_at(plan->light, place, normal);
	float below = 0.5f - 0.5f * (float)vec3_dot(normal, plan->up);
	Shade shade = {SKY * found.sky + LAMP * found.lamp + BOUNCE * (0.35f + below), 0.0f};
	shade.diffuse += FILL * fmaxf((float)vec3_dot(normal, to_eye), 0.0f) * (0.35f + 0.65f * fminf(found.sky, 1.0f));
	Vec3 half = vec3_unit(vec3_add(to_eye, lamp));
	float cosine = fmaxf((float)vec3_dot(normal, half), 0.0f);
	shade.shine = SHINE * fminf(found.lamp, 1.0f) * powf(cosine, SHININESS);
	return shade;
}

/* Weights of a face's corners where a ray meets its plane; beyond its sides they are clamped. */
static void weights_at(const Model *model, const ModelFace *face, Vec3 eye, Vec3 ray, double weight[3])
{
	Vec3 a = model->point[face->point[0]], e = vec3_sub(model->point[face->point[1]], a),
	     f = vec3_sub(model->point[face->point[2]], a), s = vec3_sub(eye, a);
	Vec3 p = vec3_cross(ray, f), q = vec3_cross(s, e);
	double determinant = vec3_dot(p, e);
	double u = determinant != 0.0 ? vec3_dot(p, s) / determinant : 1.0 / 3.0;
	double v = determinant != 0.0 ? vec3_dot(q, ray) / determinant : 1.0 / 3.0;
	weight[1] = fmin(fmax(u, 0.0), 1.0);
	weight[2] = fmin(fmax(v, 0.0), 1.0);
	weight[0] = fmax(1.0 - weight[1] - weight[2], 0.0);
	double sum = weight[0] + weight[1] + weight[2];
	for (int c = 0; c < 3; c++)
		weight[c] /= sum;
}

static Colour face_colour(const Render *render, const ModelFace *face, const double weight[3], bool behind)
{
	const RenderPlan *plan = render->plan;
	if (plan->value != NULL && !plan->plain[face->body]) {
		double value = 0.0;
		for (int c = 0; c < 3; c++)
			value += weight[c] * plan->value[render->model->source[face->point[c]]];
		return colour_scale((float)value);
	}
	Colour colour = plan->body[face->body];
	return behind ? colour_mix(colour, (Colour){0.85f, 0.84f, 0.8f}, BACK_PALER) : colour;
}

/* 1 on a side of the mesh, 0 away from it; `scale` is pixels per length there. */
static float wire_at(const Model *model, const ModelFace *face, const double weight[3], double scale)
{
	Vec3 corner[3] = {model->point[face->point[0]], model->point[face->point[1]], model->point[face->point[2]]};
	double area = vec3_norm(vec3_cross(vec3_sub(corner[1], corner[0]), vec3_sub(corner[2], corner[0])));
	double nearest = INFINITY;
	for (int c = 0; c < 3; c++) {
		double side = vec3_distance(corner[(c + 1) % 3], corner[(c + 2) % 3]);
		nearest = fmin(nearest, side > 0.0 ? weight[c] * area / side * scale : 0.0);
	}
	return (float)fmin(fmax(WIRE_WIDTH - nearest + 0.5, 0.0), 1.0);
}

/* What has been shaded in a pixel: the next face there is usually the same cloth. */
typedef struct {
	bool known;
	Vec3 normal, place;
	Shade shade;
} Last;

static Colour face_at(const Render *render, uint32_t index, double x, double y, Last *last)
{
	const RenderPlan *plan = render->plan;
	const Model *model = render->model;
	const ModelFace *face = &model->face[index];
	Vec3 eye = plan->camera.eye, ray = camera_ray(&plan->camera, x, y);
	double weight[3];
	weights_at(model, face, eye, ray, weight);
	Vec3 place = vec3(0, 0, 0), normal = vec3(0, 0, 0);
	for (int c = 0; c < 3; c++) {
		place = vec3_madd(place, weight[c], model->point[face->point[c]]);
		normal = vec3_madd(normal, weight[c], model->normal[face->normal[c]]);
	}
	normal = vec3_unit(normal);
	Vec3 to_eye = vec3_unit(vec3_sub(eye, place));
	double distance = vec3_distance(eye, place), pixel = distance / plan->camera.scale;
	/* The face says which side is seen; the smooth normal may look away at the rim, and is turned to the eye there. */
	Vec3 corner = model->point[face->point[0]];
	Vec3 flat = vec3_cross(vec3_sub(model->point[face->point[1]], corner), vec3_sub(model->point[face->point[2]], corner));
	bool behind = vec3_dot(flat, to_eye) < 0.0;
	if (behind)
		normal = vec3_scale(-1.0, normal);
	double toward = vec3_dot(normal, to_eye);
	if (toward < 0.02)
		normal = vec3_unit(vec3_madd(normal, 0.02 - toward, to_eye));
	if (!last->known || vec3_dot(normal, last->normal) < 0.995 || vec3_distance(place, last->place) > 4.0 * pixel) {
		*last = (Last){true, normal, place, shade(plan, place, normal, to_eye, light_lamp(plan->light))};
	}
	Colour colour = face_colour(render, face, weight, behind);
	float diffuse = last->shade.diffuse, shine = last->shade.shine;
	if (plan->wireframe && index < model->n_mesh)
		diffuse *= 1.0f - WIRE_DARKNESS * wire_at(model, face, weight, 1.0 / pixel);
	return (Colour){colour.r * diffuse + shine, colour.g * diffuse + shine, colour.b * diffuse + shine};
}

/* The samples of a pixel, gathered by face. */
typedef struct {
	uint32_t face;
	unsigned count;
	double x, y; /* [pixels] sums over its samples */
} Share;

static int gather(const Render *render, const Raster *raster, int x, int row, Share share[MOST])
{
	int samples = (int)render->plan->samples, n = 0;
	for (int j = 0; j < samples; j++)
		for (int i = 0; i < samples; i++) {
			size_t at = (size_t)(row * samples + j) * (size_t)raster->width + (size_t)(x * samples + i);
			uint32_t piece = raster->id[at];
			uint32_t face =
			    piece == RASTER_NONE ? RASTER_NONE : g_array_index(render->pieces, Piece, piece).face;
			int k = 0;
			while (k < n && share[k].face != face)
				k++;
			if (k == n)
				share[n++] = (Share){.face = face};
			share[k].count++;
			share[k].x += x + (i + 0.5) / samples;
			share[k].y += raster->first_row / samples + row + (j + 0.5) / samples;
		}
	return n;
}

static void resolve(const Render *render, const Raster *raster, int x, int row)
{
	Share share[MOST];
	int n = gather(render, raster, x, row, share);
	unsigned all = render->plan->samples * render->plan->samples;
	Colour sum = {0, 0, 0};
	Last last = {0};
	for (int k = 0; k < n; k++) {
		double px = share[k].x / share[k].count, py = share[k].y / share[k].count;
		Colour colour = share[k].face == RASTER_NONE ? background_at(render, px, py)
		                                             : face_at(render, share[k].face, px, py, &last);
		/* Cut off before it is mixed: a glaring side must not make a jagged edge. */
		float part = (float)share[k].count / (float)all;
		sum.r += part * fminf(colour.r, 1.0f);
		sum.g += part * fminf(colour.g, 1.0f);
		sum.b += part * fminf(colour.b, 1.0f);
	}
	image_set(render->image, x, raster->first_row / (int)render->plan->samples + row, sum);
}

static void draw_band(const Render *render, int band)
{
	int samples = (int)render->plan->samples, first = band * BAND;
	int rows = MIN(BAND, render->image->height - first);
	size_t n = (size_t)(render->image->width * samples) * (size_t)(rows * samples);
	g_autofree float *front = g_new(float, n);
	g_autofree uint32_t *id = g_new(uint32_t, n);
	Raster raster = {render->image->width * samples, first * samples, rows * samples, front, id};
	raster_clear(&raster);
	const GArray *pieces = render->bands[band];
	for (guint i = 0; i < pieces->len; i++) {
		uint32_t piece = g_array_index(pieces, uint32_t, i);
		raster_draw(&raster, g_array_index(render->pieces, Piece, piece).corner, piece);
	}
	for (int row = 0; row < rows; row++)
		for (int x = 0; x < render->image->width; x++)
			resolve(render, &raster, x, row);
}

static void add_piece(Render *render, const Vec3 look[3], uint32_t face)
{
	Piece piece = {.face = face};
	double top = INFINITY, bottom = -INFINITY, samples = render->plan->samples;
	for (int c = 0; c < 3; c++) {
		piece.corner[c] = camera_project(&render->plan->camera, look[c], samples);
		top = fmin(top, piece.corner[c].y);
		bottom = fmax(bottom, piece.corner[c].y);
	}
	double band = BAND * samples;
	int first = (int)fmax(top / band - 0.01, 0.0), last = (int)fmin(bottom / band + 0.01, render->n_bands - 1);
	if (bottom < 0.0 || first > last)
		return;
	uint32_t index = render->pieces->len;
	g_array_append_val(render->pieces, piece);
	for (int b = first; b <= last; b++)
		g_array_append_val(render->bands[b], index);
}

/* What is ahead of the near plane: a polygon of up to four corners. */
static void clip(Render *render, const Vec3 look[3], uint32_t face)
{
	double nearest = render->plan->camera.nearest;
	Vec3 kept[4];
	int n = 0;
	for (int c = 0; c < 3; c++) {
		Vec3 a = look[c], b = look[(c + 1) % 3];
		if (a.z >= nearest)
			kept[n++] = a;
		if ((a.z >= nearest) != (b.z >= nearest))
			kept[n++] = vec3_madd(a, (nearest - a.z) / (b.z - a.z), vec3_sub(b, a));
	}
	for (int k = 2; k < n; k++) {
		const Vec3 part[3] = {kept[0], kept[k - 1], kept[k]};
		add_piece(render, part, face);
	}
}

static void project(Render *render)
{
	const Model *model = render->model;
	g_autofree Vec3 *look = g_new(Vec3, model->n_points + 1);
	for (size_t i = 0; i < model->n_points; i++)
		look[i] = camera_look(&render->plan->camera, model->point[i]);
	for (size_t i = 0; i < model->n_faces; i++) {
		const uint32_t *point = model->face[i].point;
		const Vec3 corner[3] = {look[point[0]], look[point[1]], look[point[2]]};
		if (model->hidden[model->face[i].body])
			continue;
		if (fmin(fmin(corner[0].z, corner[1].z), corner[2].z) >= render->plan->camera.nearest)
			add_piece(render, corner, (uint32_t)i);
		else
			clip(render, corner, (uint32_t)i);
	}
}

void render_draw(const RenderPlan *plan, const Model *model, Image *image)
{
	Render render = {.plan = plan, .model = model, .image = image, .n_bands = (image->height + BAND - 1) / BAND};
	render.pieces = g_array_new(false, false, sizeof(Piece));
	render.bands = g_new(GArray *, render.n_bands);
	for (int b = 0; b < render.n_bands; b++)
		render.bands[b] = g_array_new(false, false, sizeof(uint32_t));
	if (plan->ground)
		make_floor(&render);
	project(&render);
#pragma omp parallel for schedule(dynamic, 1)
	for (int b = 0; b < render.n_bands; b++)
		draw_band(&render, b);
	for (int b = 0; b < render.n_bands; b++)
		g_array_unref(render.bands[b]);
	g_free(render.bands);
	g_free(render.floor.share);
	g_array_unref(render.pieces);
}

#include "look/light.h"
#include "look/raster.h"
#include <math.h>

#define LAMP_SPREAD 0.11      /* [rad] half of the lamp's angle */
#define DARKEST_SKY 0.35      /* brightness of the horizon, of that above */
#define OFFSET 1.6            /* [texels] that a place is lifted along its normal, so that it does not shadow itself */
#define GOLDEN_ANGLE 2.39996323

/* A distant lamp and its shadow map: how far towards it the first thing in each direction is. */
typedef struct {
	Vec3 direction, right, up; /* unit vectors */
	float weight;
	bool is_lamp;   /* else it is of the sky */
	int size;       /* (size, size) texels */
	double texel;   /* [length] */
	float *front;   /* (size, size) */
} Beam;

struct Light {
	LightPlan plan;
	size_t n_beams;
	Beam *beam;
};

static void frame_of(Vec3 direction, Vec3 *right, Vec3 *up)
{
	Vec3 helper = fabs(direction.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
	*right = vec3_unit(vec3_cross(helper, direction));
	*up = vec3_cross(direction, *right);
}

static void add_beam(Light *light, Vec3 direction, double weight, bool is_lamp, int size)
{
	Beam *beam = &light->beam[light->n_beams++];
	*beam = (Beam){.direction = direction, .weight = (float)weight, .is_lamp = is_lamp, .size = size};
	frame_of(direction, &beam->right, &beam->up);
	beam->texel = 2.0 * light->plan.radius / (size - 4);
	beam->front = g_new(float, (size_t)size * (size_t)size);
}

/* Directions that are spread evenly over half of the sphere, in a spiral. */
static void add_sky(Light *light, unsigned n, int size)
{
	Vec3 right, ahead, up = light->plan.up;
	frame_of(up, &right, &ahead);
	double sum = 0.0;
	for (unsigned i = 0; i < n; i++) {
		double height = (i + 0.5) / n, across = sqrt(1.0 - height * height), angle = GOLDEN_ANGLE * i;
		double brightness = DARKEST_SKY + (1.0 - DARKEST_SKY) * height;
		Vec3 level = vec3_madd(vec3_scale(cos(angle), right), sin(angle), ahead);
		add_beam(light, vec3_madd(vec3_scale(height, up), across, level), brightness, false, size);
		sum += brightness * height;
	}
	for (size_t i = 0; i < light->n_beams; i++)
		light->beam[i].weight /= (float)sum;
}

static void add_lamp(Light *light, unsigned n, int size)
{
	Vec3 right, up;
	frame_of(light->plan.lamp, &right, &up);
	for (unsigned i = 0; i < n; i++) {
		double across = LAMP_SPREAD * sqrt((i + 0.5) / n), angle = GOLDEN_ANGLE * i;
		Vec3 aside = vec3_madd(vec3_scale(cos(angle), right), sin(angle), up);
		add_beam(light, vec3_unit(vec3_madd(light->plan.lamp, across, aside)), 1.0 / n, true, size);
	}
}

Light *light_new(const LightPlan *plan)
{
	static const struct {
		unsigned n_sky, n_lamp;
		int sky_size, lamp_size;
	} qualities[] = {{24, 6, 256, 512}, {64, 20, 320, 640}, {160, 48, 512, 1024}};
	unsigned quality = CLAMP(plan->quality, 1, 3) - 1;
	Light *light = g_new0(Light, 1);
	light->plan = *plan;
	light->plan.radius = fmax(plan->radius, 1e-12);
	light->beam = g_new0(Beam, qualities[quality].n_sky + qualities[quality].n_lamp);
	add_sky(light, qualities[quality].n_sky, qualities[quality].sky_size);
	add_lamp(light, qualities[quality].n_lamp, qualities[quality].lamp_size);
	return light;
}

void light_free(Light *light)
{
	if (light == NULL)
		return;
	for (size_t i = 0; i < light->n_beams; i++)
		g_free(light->beam[i].front);
	g_free(light->beam);
	g_free(light);
}

/* Where a point is on a beam's map. */
static RasterCorner on_map(const Light *light, const Beam *beam, Vec3 point)
{
	Vec3 d = vec3_sub(point, light->plan.centre);
	double middle = 0.5 * beam->size;
	return (RasterCorner){vec3_dot(d, beam->right) / beam->texel + middle, vec3_dot(d, beam->up) / beam->texel + middle,
	    vec3_dot(d, beam->direction)};
}

static void cast(const Light *light, Beam *beam, const Model *model)
{
	Raster raster = {beam->size, 0, beam->size, beam->front, NULL};
	raster_clear(&raster);
	g_autofree RasterCorner *corner = g_new(RasterCorner, model->n_points + 1);
	for (size_t i = 0; i < model->n_points; i++)
		corner[i] = on_map(light, beam, model->point[i]);
	for (size_t i = 0; i < model->n_faces; i++) {
		const uint32_t *point = model->face[i].point;
		const RasterCorner corners[3] = {corner[point[0]], corner[point[1]], corner[point[2]]};
		if (!model->hidden[model->face[i].body])
			raster_draw(&raster, corners, 0);
	}
}

void light_cast(Light *light, const Model *model)
{
#pragma omp parallel for schedule(dynamic, 1)
	for (size_t i = 0; i < light->n_beams; i++)
		cast(light, &light->beam[i], model);
}

Vec3 light_lamp(const Light *light)
{
	return light->plan.lamp;
}

/* How much of the four texels around a place is not in front of it. */
static float visible(const Light *light, const Beam *beam, Vec3 point)
{
	RasterCorner place = on_map(light, beam, point);
	double x = place.x - 0.5, y = place.y - 0.5;
	int column = (int)floor(x), row = (int)floor(y);
	if (column < 0 || row < 0 || column + 1 >= beam->size || row + 1 >= beam->size)
		return 1.0f;
	const float *front = beam->front + (size_t)row * (size_t)beam->size + (size_t)column;
	float own = (float)place.front, u = (float)(x - column), v = (float)(y - row);
	float top = (1.0f - u) * (front[0] <= own) + u * (front[1] <= own);
	float bottom = (1.0f - u) * (front[beam->size] <= own) + u * (front[beam->size + 1] <= own);
	return (1.0f - v) * top + v * bottom;
}

Illumination light_at(const Light *light, Vec3 point, Vec3 normal)
{
	Illumination sum = {0.0f, 0.0f};
	for (size_t i = 0; i < light->n_beams; i++) {
		const Beam *beam = &light->beam[i];
		double cosine = vec3_dot(normal, beam->direction);
		if (cosine <= 0.0)
			continue;
		Vec3 lifted = vec3_madd(point, OFFSET * beam->texel, normal);
		float amount = beam->weight * (float)cosine * visible(light, beam, lifted);
		if (beam->is_lamp)
			sum.lamp += amount;
		else
			sum.sky += amount;
	}
	return sum;
}

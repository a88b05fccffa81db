/* A closed body with ears, paws, a snout and folds around its waist, standing on y = -1 or so: something to crush. Its vertices are spread
 * evenly over the directions from its middle, joined as the hull of a sphere is, and moved out to its skin; as every direction
 * meets the skin once, it does not meet itself. */
#include "core/real.h"
#include "scene/generate.h"
#include "scene/generate_grid.h"
#include "scene/generate_hull.h"

typedef struct {
	Vec3 towards;
	double height, radius; /* of a bump, in units of the body's radius */
} Bump;

static const Bump bumps[] = {
    {{0.36, 0.93, -0.1}, 1.0, 0.5},   /* ears */
    {{-0.36, 0.93, -0.1}, 1.0, 0.5},
    {{0.0, 0.35, 0.94}, 0.35, 0.7},   /* snout */
    {{0.5, -0.6, 0.62}, 0.3, 0.5},    /* paws */
    {{-0.5, -0.6, 0.62}, 0.3, 0.5},
    {{0.0, -0.5, -0.87}, 0.25, 0.45}, /* scut */
};

/* How far the skin is in a direction. */
static double skin_at(Vec3 direction)
{
	double r = 1.0 - 0.15 * fabs(direction.x * direction.x * direction.x);
	for (guint i = 0; i < G_N_ELEMENTS(bumps); i++) {
		Vec3 away = vec3_sub(direction, vec3_unit(bumps[i].towards));
		double inside = 1.0 - vec3_norm2(away) / (bumps[i].radius * bumps[i].radius);
		if (inside > 0.0)
			r += bumps[i].height * inside * inside * (3.0 - 2.0 * inside);
	}
	double waist = 1.0 - 9.0 * (direction.y + 0.15) * (direction.y + 0.15);
	if (waist > 0.0)
		r -= 0.06 * waist * waist * (1.0 - real_cos(13.0 * direction.y));
	return r;
}

void generate_hare(Reader *reader, Shape *shape)
{
	double radius = reader_positive(reader, "radius", READER_REQUIRED);
	int64_t count = reader_integer(reader, "vertices", 1768, 50, 200000);
	if (!reader_ok(reader) || !generate_grid_allows(reader, "vertices", (double)count))
		return;
	GArray *sphere = generate_hull_lattice((uint32_t)count);
	if (!generate_hull_add(shape, sphere))
		reader_fail(reader, "vertices", "they have no hull");
	for (guint i = 0; i < shape->position->len; i++) {
		Vec3 *x = &g_array_index(shape->position, Vec3, i);
		*x = vec3_scale(radius * skin_at(*x), *x);
		g_array_index(shape->rest, Vec3, i) = *x;
	}
	g_array_unref(sphere);
}

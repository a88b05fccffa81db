/* Loose points: given one by one, or as a lattice in a box around the origin, shaken by a seeded generator. */
#include "core/random.h"
#include "scene/generate.h"
#include "scene/generate_grid.h"

static void add_particle(Shape *shape, Vec3 position)
{
	shape_add_particle(shape, shape_add_vertex(shape, position));
}

static void add_lattice(Reader *reader, Shape *shape)
{
	Vec3 size = reader_vec3(reader, "size", READER_REQUIRED_VEC3);
	uint32_t count[3] = {0, 0, 0};
	generate_grid_counts(reader, "count", 3, count);
	double jitter = reader_range(reader, "jitter", 0.0, 0.0, 1.0);
	uint64_t state = (uint64_t)reader_integer(reader, "seed", 1, 0, INT64_MAX);
	if (reader_ok(reader) && count[0] == 0)
		reader_fail(reader, "count", "missing; expected three integers");
	if (reader_ok(reader) && !(size.x > 0.0 && size.y > 0.0 && size.z > 0.0))
		reader_fail(reader, "size", "expected three lengths above 0");
	if (!generate_grid_allows(reader, "count", (double)count[0] * count[1] * count[2]))
		return;
	Vec3 cell = vec3(size.x / count[0], size.y / count[1], size.z / count[2]);
	for (uint32_t k = 0; k < count[2]; k++) {
		for (uint32_t j = 0; j < count[1]; j++) {
			for (uint32_t i = 0; i < count[0]; i++) {
				double shift[3];
				for (int axis = 0; axis < 3; axis++)
					shift[axis] = 0.5 + jitter * (random_unit(&state) - 0.5);
				add_particle(shape, vec3(cell.x * (i + shift[0]) - 0.5 * size.x,
				    cell.y * (j + shift[1]) - 0.5 * size.y, cell.z * (k + shift[2]) - 0.5 * size.z));
			}
		}
	}
}

void generate_particles(Reader *reader, Shape *shape)
{
	GArray *positions = reader_points(reader, "positions");
	if (positions == NULL) {
		if (reader_ok(reader) && !reader_has(reader, "size") && !reader_has(reader, "count"))
			reader_fail(reader, NULL, "expected either \"positions\" or \"size\" and \"count\"");
		add_lattice(reader, shape);
		return;
	}
	for (guint i = 0; i < positions->len; i++)
		add_particle(shape, g_array_index(positions, Vec3, i));
	if (positions->len == 0)
		reader_fail(reader, "positions", "expected at least one point");
	g_array_unref(positions);
}

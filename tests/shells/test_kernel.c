/* Kernels against the forces that they are kernels of: the same bits, for every set of instructions that this processor has,
 * and for shapes that are as bad as can be. */
#include "core/processor.h"
#include "support/scenes.h"

static const char *sheet =
    "{'units': 'si', 'materials': {'m': {'young': 2e5, 'poisson': 0.3, 'thickness': 5e-4, 'density': 300,"
    "   'stretch_model': '%s'%s}, 'p': {'young': 1e5, 'thickness': 5e-4, 'density': 200}},"
    " 'meshes': [{'name': 'sheet', 'generate': 'sheet', 'size': [1, 1.3], 'cells': [37, 41], 'material': 'm'},"
    "  {'name': 'other', 'generate': 'sheet', 'size': [1, 1], 'cells': [3, 2], 'material': 'p', 'at': [3, 0, 0]}],"
    " 'pins': ['sheet.corners'], 'time': {'end': 1}}";

/* How a sheet is deformed at the start. */
typedef enum {
	ROLLED,
	CRUMPLED,  /* at random, some corners on one point */
	VANISHING, /* so small that squares of areas are lost */
	HUGE_ONE
} Deformed;

static void deform(Simulation *simulation, Deformed shape)
{
	uint64_t state = 7;
	double size = shape == VANISHING ? 1e-78 : shape == HUGE_ONE ? 1e70 : 1.0;
	for (uint32_t i = 0; i < world_vertex_count(simulation->scene->world); i++) {
		Flight *flight = &simulation->flight[i];
		Vec3 x = vec3_scale(1.01, flight->x);
		if (shape == ROLLED)
			x = vec3(sin(x.x), x.y, cos(x.x));
		else if (i % 7 != 3)
			x = scenes_random_vec3(&state, 1.0);
		else
			x = vec3(0.1, 0.2, 0.3);
		flight->x = vec3_scale(size, x);
		flight->v = scenes_random_vec3(&state, 0.1 * size);
	}
}

typedef struct {
	GArray *flight;
	Account account;
} Outcome;

/* After some ticks of every clock; `level` below zero: element by element. */
static Outcome run(const char *model, const char *damping, Deformed shape, int level, unsigned threads)
{
	g_autofree char *format = g_strdelimit(g_strdup(sheet), "'", '"');
	g_autofree char *more = g_strdelimit(g_strdup(damping), "'", '"');
	Simulation *simulation = scenes_loadf(format, model, more);
	uint32_t n = world_vertex_count(simulation->scene->world);
	processor_limit(level < 0 ? PROCESSOR_PLAIN : (Processor)level);
	deform(simulation, shape);
	Outcome outcome = {.flight = g_array_new(FALSE, FALSE, sizeof(Flight))};
	for (int tick = 0; tick < 12; tick++)
		for (guint i = 0; i < simulation->fields->len; i++) {
			Field *field = simulation->fields->pdata[i];
			field->plain = level < 0;
			field->team.fixed = true;
			g_autofree uint8_t *gone = g_new0(uint8_t, n);
			memset(gone + n - 12, tick >= 4 && tick < 8, 12);
			field_leave_out(field, gone, simulation->flight);
			for (uint32_t g = 0; g < field->n_groups; g++) {
				GError *error = NULL;
				if (!field_tick(field, g, simulation->flight, &outcome.account, threads, &error))
					g_clear_error(&error); /* a huge one may break: in the same way */
			}
		}
	g_array_append_vals(outcome.flight, simulation->flight, n);
	processor_limit(PROCESSOR_AVX512);
	simulation_free(simulation);
	return outcome;
}

static void compare(const char *model, const char *damping, Deformed shape)
{
	Outcome reference = run(model, damping, shape, -1, 1);
	for (int level = PROCESSOR_PLAIN; level <= PROCESSOR_AVX512; level++)
		for (unsigned threads = 1; threads <= 3; threads += 2) {
			Outcome outcome = run(model, damping, shape, level, threads);
			cr_assert_arr_eq(outcome.flight->data, reference.flight->data, reference.flight->len * sizeof(Flight),
			    "%s, shape %d: level %d differs from act()", model, (int)shape, level);
			if (shape != HUGE_ONE)
				cr_assert_arr_eq(&outcome.account, &reference.account, sizeof(Account), "%s, shape %d: work of level %d", model,
				    (int)shape, level);
			g_array_unref(outcome.flight);
		}
	g_array_unref(reference.flight);
}

Test(kernel, same_bits_as_the_forces, .timeout = 300)
{
	const char *const damping = ", 'stretch_damping': 2e-3, 'bend_damping': 1e-3, 'mass_damping': 2";
	for (Deformed shape = ROLLED; shape <= HUGE_ONE; shape++) {
		compare("springs", "", shape);
		compare("springs", damping, shape);
		compare("stvk", "", shape);
		compare("stvk", damping, shape);
	}
}

/* There is something to compare. */
Test(kernel, sheets_have_chunks_that_share)
{
	g_autofree char *format = g_strdelimit(g_strdup(sheet), "'", '"');
	Simulation *simulation = scenes_loadf(format, "stvk", "");
	size_t kernels = 0, shared = 0;
	for (guint i = 0; i < simulation->fields->len; i++) {
		const Field *field = simulation->fields->pdata[i];
		kernels += field->class->kernel != NULL;
		shared += field->n_shared;
		size_t locals = 0;
		for (size_t k = 0; k < field->n_chunks; k++)
			locals += field->chunk[k].n_local;
		cr_assert_eq(locals, field->n_touched - field->n_shared + field->n_parts, "each vertex in its chunks");
	}
	cr_assert(kernels >= 2 && shared > 10, "%zu kernels, %zu shared vertices", kernels, shared);
	simulation_free(simulation);
}

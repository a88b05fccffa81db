/* Stable steps.
 *
 * Omega, the largest frequency that a field's forces can give a vertex, is bounded by Gershgorin's theorem: omega^2 is at
 * most the sum of the norms of the vertex's row of stiffness, assembled over the field's elements in the rest state,
 * over its mass. An element takes the largest omega of its vertices. Two limits follow.
 *
 * Stability. A leapfrog is stable below 2/omega, and with damping of relaxation time tau below
 * 2/omega (sqrt(1 + z^2) - z), z = omega tau / 2. The step is `safety` times that.
 *
 * Resonance. A slow force that acts at intervals h on what faster forces make swing at a frequency w pumps energy into
 * it whenever w h is a multiple of pi, at the rate omega^2 / (2 w) (the trace of a rotation by w h after a kick; that
 * the forces are stable each by itself does not help). So either
 *   - h is below pi/W, where W is the frequency of all forces together at the element's vertices: h <= 2.5/W; or
 *   - the fast swing is damped faster than it is pumped: with the relaxation time tau of the strongest field its rate is
 *     w^2 tau / 2, which is above omega^2 / (2 w) for all w >= pi/h when h < pi (tau/omega^2)^(1/3). Half of that is
 *     taken.
 * A force that does not depend on the shape (gravity, a load) drives instead of pumping, in resonance where w h is a
 * multiple of 2 pi: so it has `load_step` as its limit and the same 2.5/W, or half of pi tau where that is more (beyond
 * which swinging of period h is damped more than critically).
 *
 * The larger of the two always holds, reduced in proportion where `safety` is below its usual 0.3, so that halving it halves
 * every step. An undamped sheet pays with bending events at four times the stretching step; a sheet
 * with ordinary damping of stretching has bending steps of tens of stretching steps. */
#include "core/real.h"
#include "shells/field.h"

#define RESONANCE 2.5
#define USUAL_SAFETY 0.3

/* Adds each element's rows of stiffness, over mass, to its vertices; and finds the least relaxation time there. */
static void assemble(Field *field, const Flight *flight, const Vec3 *rest, double *relaxation)
{
	int corners = field->class->corners;
	for (size_t e = 0; e < field->n_elements; e++) {
		Vec3 x[FORCE_MOST_CORNERS];
		double row[FORCE_MOST_CORNERS];
		const uint32_t *stencil = field_stencil(field, e);
		for (int c = 0; c < corners; c++)
			x[c] = rest[stencil[c]];
		field->class->stiffness(&(ForceInput){.parameter = field_parameter(field, e), .x = x}, row);
		for (int c = 0; c < corners; c++) {
			field->frequency2[stencil[c]] += row[c] * flight[stencil[c]].inverse_mass;
			double own = field->class->relaxation(field_parameter(field, e));
			relaxation[stencil[c]] = fmin(relaxation[stencil[c]], own);
		}
	}
}

void field_enter(Field *field, const Flight *flight, const Vec3 *rest, Spectrum *spectrum, size_t n_vertices)
{
	/* From here on the elements stand in plain arrays; field_seal() sorts them. */
	field->stencil = (uint32_t *)(void *)g_array_free(field->building_stencil, FALSE);
	field->parameter = (double *)(void *)g_array_free(field->building_parameter, FALSE);
	field->building_stencil = field->building_parameter = NULL;
	if (field->class->stiffness == NULL)
		return;
	g_autofree double *relaxation = g_new(double, n_vertices);
	field->frequency2 = g_new0(double, n_vertices);
	for (size_t i = 0; i < n_vertices; i++)
		relaxation[i] = INFINITY;
	assemble(field, flight, rest, relaxation);
	for (size_t i = 0; i < n_vertices; i++) {
		double own = field->frequency2[i];
		spectrum->frequency2[i] += own;
		if (own > spectrum->strongest[i]) {
			spectrum->strongest[i] = own;
			spectrum->relaxation[i] = relaxation[i];
		}
	}
}

/* The largest frequencies squared at the element's vertices, of its own field and of all, and the least relaxation time
 * of what makes them swing fastest. */
typedef struct {
	double own2, all2, relaxation;
} Surroundings;

static Surroundings look_around(const Field *field, const Spectrum *spectrum, size_t element)
{
	Surroundings found = {0.0, 0.0, INFINITY};
	for (int c = 0; c < field->class->corners; c++) {
		uint32_t vertex = field_stencil(field, element)[c];
		if (field->frequency2 != NULL)
			found.own2 = fmax(found.own2, field->frequency2[vertex]);
		found.all2 = fmax(found.all2, spectrum->frequency2[vertex]);
		if (spectrum->strongest[vertex] > 0.0) /* not held */
			found.relaxation = fmin(found.relaxation, spectrum->relaxation[vertex]);
	}
	return found;
}

static double elastic_step(const Surroundings *near, double safety, double relaxation)
{
	if (!(near->own2 > 0.0))
		return INFINITY;
	double omega = sqrt(near->own2), z = 0.5 * omega * relaxation;
	double stable = safety * 2.0 / omega * (sqrt(1.0 + z * z) - z);
	double damped = 0.5 * REAL_PI * real_cube_root(near->relaxation / near->own2);
	double finer = fmin(1.0, safety / USUAL_SAFETY);
	return fmin(stable, finer * fmax(RESONANCE / sqrt(near->all2), damped));
}

static double load_step(const Surroundings *near, const StepRule *rule)
{
	double finer = fmin(1.0, rule->safety / USUAL_SAFETY);
	double limit = near->all2 > 0.0 ? fmax(RESONANCE / sqrt(near->all2), 0.5 * REAL_PI * near->relaxation) : INFINITY;
	return fmin(rule->load_step, finer * limit);
}

double field_find_steps(Field *field, const StepRule *rule, const Spectrum *spectrum)
{
	double least = INFINITY;
	field->step = g_new(double, field->n_elements);
	for (size_t e = 0; e < field->n_elements; e++) {
		Surroundings near = look_around(field, spectrum, e);
		double step = field->frequency2 ? elastic_step(&near, rule->safety, field->class->relaxation(field_parameter(field, e)))
		                                : load_step(&near, rule);
		field->step[e] = fmin(step, rule->most_step);
		least = fmin(least, field->step[e]);
	}
	return least;
}

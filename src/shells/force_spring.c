#include "shells/force_spring.h"
#include <stddef.h>

enum { STIFFNESS, LENGTH, RELAXATION, N_PARAMETERS };

void force_spring_parameters(double *parameter, double stiffness, double rest_length, double relaxation)
{
	parameter[STIFFNESS] = stiffness;
	parameter[LENGTH] = rest_length;
	parameter[RELAXATION] = relaxation;
}

static double energy(const ForceInput *input)
{
	double stretch = vec3_distance(input->x[1], input->x[0]) - input->parameter[LENGTH];
	return 0.5 * input->parameter[STIFFNESS] * stretch * stretch;
}

static void pull(Vec3 edge, double tension_per_length, Vec3 *force)
{
	force[0] = vec3_scale(tension_per_length, edge);
	force[1] = vec3_scale(-tension_per_length, edge);
}

static void act(const ForceInput *input, Vec3 *force, Vec3 *loss)
{
	Vec3 edge = vec3_sub(input->x[1], input->x[0]);
	double length = vec3_norm(edge);
	/* A spring squeezed to a point has no direction, and pushes nowhere. */
	double inverse = length > 0.0 ? 1.0 / length : 0.0;
	pull(edge, input->parameter[STIFFNESS] * (length - input->parameter[LENGTH]) * inverse, force);
	if (loss != NULL) {
		double rate = force_rate(input, 0, length, vec3_dot(vec3_sub(input->v[1], input->v[0]), edge) * inverse);
		pull(edge, input->parameter[RELAXATION] * input->parameter[STIFFNESS] * rate * inverse, loss);
	}
}

static double relaxation(const double *parameter)
{
	return parameter[RELAXATION];
}

/* Blocks of +-k n n' for both corners. The lateral stiffness of a stretched spring, k (1 - L/l), is below k. */
static void stiffness(const ForceInput *input, double *row)
{
	row[0] = row[1] = 2.0 * input->parameter[STIFFNESS];
}

const ForceClass force_spring = {
    .name = "stretch (springs)",
    .corners = 2,
    .n_parameters = N_PARAMETERS,
    .n_measures = 1,
    .store = STORE_STRETCH,
    .work = WORK_STRETCH_DAMPING,
    .energy = energy,
    .act = act,
    .stiffness = stiffness,
    .relaxation = relaxation,
};

#include "shells/force_spring.h"
#include <stddef.h>

void force_spring_parameters(double *parameter, double stiffness, double rest_length, double relaxation)
{
	parameter[FORCE_SPRING_STIFFNESS] = stiffness;
	parameter[FORCE_SPRING_LENGTH] = rest_length;
	parameter[FORCE_SPRING_RELAXATION] = relaxation;
}

static double energy(const ForceInput *input)
{
	double stretch = vec3_distance(input->x[1], input->x[0]) - input->parameter[FORCE_SPRING_LENGTH];
	return 0.5 * input->parameter[FORCE_SPRING_STIFFNESS] * stretch * stretch;
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
	pull(edge, input->parameter[FORCE_SPRING_STIFFNESS] * (length - input->parameter[FORCE_SPRING_LENGTH]) * inverse, force);
	if (loss != NULL) {
		double from_velocity = vec3_dot(vec3_sub(input->v[1], input->v[0]), edge) * inverse;
		ForceChange change = force_change(input, 0, length, from_velocity);
		double resistance = input->parameter[FORCE_SPRING_RELAXATION] * input->parameter[FORCE_SPRING_STIFFNESS] * change.rate;
		pull(edge, resistance * inverse, loss);
		force_resist(input, 0, length, resistance, change.change);
	}
}

static double relaxation(const double *parameter)
{
	return parameter[FORCE_SPRING_RELAXATION];
}

/* Blocks of +-k n n' for both corners. The lateral stiffness of a stretched spring, k (1 - L/l), is below k. */
static void stiffness(const ForceInput *input, double *row)
{
	row[0] = row[1] = 2.0 * input->parameter[FORCE_SPRING_STIFFNESS];
}

const ForceClass force_spring = {
    .name = "stretch (springs)",
    .corners = 2,
    .n_parameters = FORCE_SPRING_N,
    .n_measures = 1,
    .store = STORE_STRETCH,
    .work = WORK_STRETCH_DAMPING,
    .energy = energy,
    .act = act,
    .kernel = kernel_spring,
    .stiffness = stiffness,
    .relaxation = relaxation,
};

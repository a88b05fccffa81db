#include "shells/force_body.h"

enum { X, Y, Z, N_VECTOR };
enum { RATE, MASS, N_DAMPING };

void force_body_vector(double *parameter, Vec3 force)
{
	parameter[X] = force.x;
	parameter[Y] = force.y;
	parameter[Z] = force.z;
}

static Vec3 vector(const ForceInput *input)
{
	return vec3(input->parameter[X], input->parameter[Y], input->parameter[Z]);
}

static double gravity_energy(const ForceInput *input)
{
	return -vec3_dot(vector(input), input->x[0]);
}

static void gravity_force(const ForceInput *input, Vec3 *force, Vec3 *loss)
{
	(void)loss;
	force[0] = vector(input);
}

const ForceClass force_gravity = {
    .name = "gravity",
    .corners = 1,
    .n_parameters = N_VECTOR,
    .store = STORE_GRAVITY,
    .work = WORK_LOADS,
    .external = true,
    .energy = gravity_energy,
    .act = gravity_force,
};

static void load_force(const ForceInput *input, Vec3 *force, Vec3 *loss)
{
	(void)force;
	loss[0] = vec3_scale(input->scale, vector(input));
}

const ForceClass force_load = {
    .name = "load",
    .corners = 1,
    .n_parameters = N_VECTOR,
    .work = WORK_LOADS,
    .external = true,
    .act = load_force,
};

void force_body_damping(double *parameter, double rate, double mass)
{
	parameter[RATE] = rate;
	parameter[MASS] = mass;
}

/* The velocity after the tick is (1 - a)/(1 + a) of that before, a = rate * step / 2: of second order, and stable at any
 * rate. */
static void mass_damping(const ForceInput *input, Vec3 *force, Vec3 *loss)
{
	(void)force;
	double rate = input->parameter[RATE];
	Vec3 x = input->x[0], v = input->v[0];
	ForceChange change[3] = {
	    force_change(input, 0, x.x, v.x), force_change(input, 1, x.y, v.y), force_change(input, 2, x.z, v.z)};
	Vec3 mean = vec3(change[0].rate, change[1].rate, change[2].rate);
	loss[0] = vec3_scale(-input->parameter[MASS] * rate / (1.0 + 0.5 * rate * input->step), mean);
	force_resist(input, 0, x.x, -loss[0].x, change[0].change);
	force_resist(input, 1, x.y, -loss[0].y, change[1].change);
	force_resist(input, 2, x.z, -loss[0].z, change[2].change);
}

const ForceClass force_mass_damping = {
    .name = "mass damping",
    .corners = 1,
    .n_parameters = N_DAMPING,
    .n_measures = 3,
    .work = WORK_MASS_DAMPING,
    .external = true,
    .act = mass_damping,
};

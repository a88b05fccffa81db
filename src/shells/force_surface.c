#include "shells/force_surface.h"

enum { PRESSURE, N_PRESSURE };
enum { DRAG, FRICTION, MASS, WIND_X, WIND_Y, WIND_Z, N_WIND };

/* Twice the area, along the normal. */
static Vec3 area_vector(const Vec3 *x)
{
	return vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0]));
}

void force_surface_pressure(double *parameter, double pressure)
{
	parameter[PRESSURE] = pressure;
}

static void pressure_force(const ForceInput *input, Vec3 *force, Vec3 *loss)
{
	(void)force;
	Vec3 third = vec3_scale(input->scale * input->parameter[PRESSURE] / 6.0, area_vector(input->x));
	for (int corner = 0; corner < 3; corner++)
		loss[corner] = third;
}

const ForceClass force_pressure = {
    .name = "pressure",
    .corners = 3,
    .n_parameters = N_PRESSURE,
    .work = WORK_LOADS,
    .external = true,
    .act = pressure_force,
};

void force_surface_wind(double *parameter, double air_density, double drag, double friction, double mass, Vec3 wind)
{
	parameter[DRAG] = 0.5 * air_density * drag;
	parameter[FRICTION] = 0.5 * air_density * friction;
	parameter[MASS] = mass;
	parameter[WIND_X] = wind.x;
	parameter[WIND_Y] = wind.y;
	parameter[WIND_Z] = wind.z;
}

/* c A |u| u for a component u of the air's velocity relative to the triangle, weakened so that one tick takes away less
 * than all of u however strong the wind: explicit drag would be unstable where c A |u| step > 2 mass. */
static Vec3 drag_of(double coefficient_area, Vec3 u, const ForceInput *input)
{
	double viscosity = coefficient_area * vec3_norm(u);
	return vec3_scale(viscosity / (1.0 + viscosity * input->step / input->parameter[MASS]), u);
}

static void wind_force(const ForceInput *input, Vec3 *force, Vec3 *loss)
{
	(void)force;
	const double *p = input->parameter;
	Vec3 wind = vec3_scale(input->scale, vec3(p[WIND_X], p[WIND_Y], p[WIND_Z]));
	Vec3 mean = vec3_scale(1.0 / 3.0, vec3_add(vec3_add(input->v[0], input->v[1]), input->v[2]));
	Vec3 relative = vec3_sub(wind, mean);
	Vec3 twice_area = area_vector(input->x);
	double area = 0.5 * vec3_norm(twice_area);
	Vec3 normal = vec3_unit(twice_area);
	Vec3 across = vec3_scale(vec3_dot(relative, normal), normal);
	Vec3 along = vec3_sub(relative, across);
	Vec3 total = vec3_add(drag_of(p[DRAG] * area, across, input), drag_of(p[FRICTION] * area, along, input));
	for (int corner = 0; corner < 3; corner++)
		loss[corner] = vec3_scale(1.0 / 3.0, total);
}

const ForceClass force_wind = {
    .name = "wind",
    .corners = 3,
    .n_parameters = N_WIND,
    .work = WORK_WIND,
    .external = true,
    .act = wind_force,
};

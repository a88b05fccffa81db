/* E = k (theta - theta0)^2 with k = bend_stiffness * 3 |e|^2 / (A1 + A2) of the rest shape, theta the angle between the
 * normals about the edge.
 *
 * How stiff that makes a sheet depends on its mesh, since hinges are a lattice with a Poisson's ratio of its own. Forced
 * to the curvature c about one axis it stores 3 bend_stiffness c^2 per area on any regular mesh. A strip, whose sides are
 * free to curl the other way, stores 2.4 bend_stiffness c^2 along the axes of a grid of right triangles (whichever way
 * its diagonals run; the ratio is -1/5), 2.67 on equilateral triangles (-1/3), 3.69 along the diagonals of a grid whose
 * diagonals alternate. A strip of rigidity B stores B c^2 / 2: so bend_stiffness = B / 4.8 is right for ribbons and sheets
 * of the generators, and as near as one number can be for others.
 *
 * With e = x1 - x0, N1 = (x2 - x0) x (x2 - x1), N2 = (x3 - x1) x (x3 - x0), the gradient of theta is
 *   at x2: |e| N1/|N1|^2            at x3: |e| N2/|N2|^2
 *   at x0: ((x2-x1).e N1/|N1|^2 + (x3-x1).e N2/|N2|^2) / |e|
 *   at x1: minus the same with x0 in place of x1.
 * (Bridson et al. 2003, appendix.) A hinge with a collapsed triangle has no angle, and pushes nowhere. */
#include "core/real.h"
#include "shells/force_hinge.h"
#include <stddef.h>

typedef struct {
	double angle;
	Vec3 gradient[4];
} Hinge;

static Hinge hinge_at(const Vec3 *x)
{
	Hinge hinge = {0};
	Vec3 e = vec3_sub(x[1], x[0]);
	Vec3 a = vec3_sub(x[2], x[0]), b = vec3_sub(x[2], x[1]), c = vec3_sub(x[3], x[0]), d = vec3_sub(x[3], x[1]);
	Vec3 n1 = vec3_cross(a, b), n2 = vec3_cross(d, c);
	double length = vec3_norm(e), area1 = vec3_norm2(n1), area2 = vec3_norm2(n2);
	if (!(area1 > 0.0 && area2 > 0.0 && length > 0.0))
		return hinge;
	double inverse = 1.0 / length;
	hinge.angle = real_atan2(-vec3_dot(vec3_cross(n1, n2), e) * inverse, vec3_dot(n1, n2));
	n1 = vec3_scale(1.0 / area1, n1);
	n2 = vec3_scale(1.0 / area2, n2);
	hinge.gradient[2] = vec3_scale(length, n1);
	hinge.gradient[3] = vec3_scale(length, n2);
	hinge.gradient[0] = vec3_madd(vec3_scale(vec3_dot(b, e) * inverse, n1), vec3_dot(d, e) * inverse, n2);
	hinge.gradient[1] = vec3_madd(vec3_scale(-(vec3_dot(a, e) * inverse), n1), -(vec3_dot(c, e) * inverse), n2);
	return hinge;
}

double force_hinge_stiffness(double rigidity)
{
	return rigidity / 4.8;
}

void force_hinge_parameters(double *parameter, double bend_stiffness, double relaxation, const Vec3 rest[4])
{
	Vec3 e = vec3_sub(rest[1], rest[0]);
	double area1 = 0.5 * vec3_norm(vec3_cross(e, vec3_sub(rest[2], rest[0])));
	double area2 = 0.5 * vec3_norm(vec3_cross(e, vec3_sub(rest[3], rest[0])));
	parameter[FORCE_HINGE_STIFFNESS] = bend_stiffness * 3.0 * vec3_norm2(e) / (area1 + area2);
	parameter[FORCE_HINGE_REST_ANGLE] = hinge_at(rest).angle;
	parameter[FORCE_HINGE_RELAXATION] = relaxation;
}

static double energy(const ForceInput *input)
{
	double bend = hinge_at(input->x).angle - input->parameter[FORCE_HINGE_REST_ANGLE];
	return input->parameter[FORCE_HINGE_STIFFNESS] * bend * bend;
}

static void push(const Hinge *hinge, double moment, Vec3 *force)
{
	for (int corner = 0; corner < 4; corner++)
		force[corner] = vec3_scale(-moment, hinge->gradient[corner]);
}

static ForceChange angle_change(const Hinge *hinge, const ForceInput *input)
{
	double rate = 0.0;
	for (int corner = 0; corner < 4; corner++)
		rate += vec3_dot(hinge->gradient[corner], input->v[corner]);
	ForceChange change = force_change(input, 0, hinge->angle, rate);
	/* A hinge that is folded through pi has not turned by 2 pi. */
	if (fabs(change.change) > REAL_PI) {
		change.change += change.change > 0.0 ? -2.0 * REAL_PI : 2.0 * REAL_PI;
		if (!input->by_velocity)
			change.rate = change.change / input->since;
	}
	return change;
}

static void act(const ForceInput *input, Vec3 *force, Vec3 *loss)
{
	const double *p = input->parameter;
	Hinge hinge = hinge_at(input->x);
	push(&hinge, 2.0 * p[FORCE_HINGE_STIFFNESS] * (hinge.angle - p[FORCE_HINGE_REST_ANGLE]), force);
	if (loss == NULL)
		return;
	ForceChange change = angle_change(&hinge, input);
	double resistance = 2.0 * p[FORCE_HINGE_STIFFNESS] * p[FORCE_HINGE_RELAXATION] * change.rate;
	push(&hinge, resistance, loss);
	force_resist(input, 0, hinge.angle, resistance, change.change);
}

static double relaxation(const double *parameter)
{
	return parameter[FORCE_HINGE_RELAXATION];
}

static void stiffness(const ForceInput *input, double *row)
{
	Hinge hinge = hinge_at(input->x);
	double sum = 0.0;
	for (int corner = 0; corner < 4; corner++)
		sum += vec3_norm(hinge.gradient[corner]);
	for (int corner = 0; corner < 4; corner++)
		row[corner] = 2.0 * input->parameter[FORCE_HINGE_STIFFNESS] * vec3_norm(hinge.gradient[corner]) * sum;
}

const ForceClass force_hinge = {
    .name = "bend (hinges)",
    .corners = 4,
    .n_parameters = FORCE_HINGE_N,
    .n_measures = 1,
    .store = STORE_BEND,
    .work = WORK_BEND_DAMPING,
    .energy = energy,
    .act = act,
    .kernel = kernel_hinge,
    .stiffness = stiffness,
    .relaxation = relaxation,
};

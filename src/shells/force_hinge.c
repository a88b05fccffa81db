/* E = k ((theta - theta0)^2 w + 2 (1 - w)), w = w(q1) w(q2), with k = bend_stiffness * 3 |e|^2 / (A1 + A2) of the rest shape,
 * theta the angle between the normals about the edge.
 *
 * The weights w are 1 unless a triangle is squeezed to less than half of its area at rest: q = (2 A / A0)^2 is then below 1,
 * and w(q) = q^3 (10 - 15q + 6q^2). Without them the stiffness has no bound: the gradient of theta is one over the height H of
 * the triangle, and steps, which come from the rest shape, are too long as soon as H is small. A shell crushed between walls
 * (scenes/crush.json) had triangles with H at 1/17 of what it was and h^2 omega^2 at 1.9 where it had been 0.02, and gained
 * six times the energy that the walls put in. With them k w/H^2 is at most 4.8 times what it is at rest, and the stiffness of
 * w itself a few times ten, at most a hundred when folded by pi. In place of the angle comes an energy of collapse, that of
 * 1.4 in angle: without it a bent hinge would pull its triangles shut. A collapsed triangle's angle, which is not defined,
 * does not matter: w is zero there with its first five derivatives in lengths. At q = 1 two are continuous.
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
	Vec3 gradient[4]; /* of the angle */
	double weight;    /* w(q1) w(q2) */
	bool squeezed;    /* it is not 1, */
	Vec3 slope[4];    /* and this is its gradient */
} Hinge;

/* The sides and normals that the gradients are made of. */
typedef struct {
	Vec3 e, a, b, c, d, n1, n2;
} Sides;

static void squeeze(Hinge *hinge, const Sides *s, const double *scale, double q1, double q2)
{
	double r1 = q1 < 1.0 ? q1 : 1.0, r2 = q2 < 1.0 ? q2 : 1.0;
	double w1 = r1 * r1 * r1 * (10.0 - r1 * (15.0 - 6.0 * r1)), w2 = r2 * r2 * r2 * (10.0 - r2 * (15.0 - 6.0 * r2));
	double from1 = r1 * (1.0 - r1), from2 = r2 * (1.0 - r2);
	double slope1 = 60.0 * from1 * from1 * w2 * scale[0], slope2 = 60.0 * from2 * from2 * w1 * scale[1];
	hinge->squeezed = true;
	hinge->weight = w1 * w2;
	hinge->slope[0] = vec3_madd(vec3_scale(-slope1, vec3_cross(s->b, s->n1)), slope2, vec3_cross(s->d, s->n2));
	hinge->slope[1] = vec3_madd(vec3_scale(slope1, vec3_cross(s->a, s->n1)), -slope2, vec3_cross(s->c, s->n2));
	hinge->slope[2] = vec3_scale(-slope1, vec3_cross(s->e, s->n1));
	hinge->slope[3] = vec3_scale(slope2, vec3_cross(s->e, s->n2));
}

/* `scale`: the parameters FORCE_HINGE_SCALE_1 and 2. */
static Hinge hinge_at(const Vec3 *x, const double *scale)
{
	Hinge hinge = {.weight = 1.0};
	Vec3 e = vec3_sub(x[1], x[0]);
	Vec3 a = vec3_sub(x[2], x[0]), b = vec3_sub(x[2], x[1]), c = vec3_sub(x[3], x[0]), d = vec3_sub(x[3], x[1]);
	Vec3 n1 = vec3_cross(a, b), n2 = vec3_cross(d, c);
	double length = vec3_norm(e), area1 = vec3_norm2(n1), area2 = vec3_norm2(n2);
	if (!(area1 > 0.0 && area2 > 0.0 && length > 0.0))
		return hinge;
	double inverse = 1.0 / length, q1 = area1 * scale[0], q2 = area2 * scale[1];
	if (q1 < 1.0 || q2 < 1.0)
		squeeze(&hinge, &(Sides){e, a, b, c, d, n1, n2}, scale, q1, q2);
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
	parameter[FORCE_HINGE_SCALE_1] = 1.0 / (area1 * area1);
	parameter[FORCE_HINGE_SCALE_2] = 1.0 / (area2 * area2);
	parameter[FORCE_HINGE_STIFFNESS] = bend_stiffness * 3.0 * vec3_norm2(e) / (area1 + area2);
	parameter[FORCE_HINGE_REST_ANGLE] = hinge_at(rest, parameter + FORCE_HINGE_SCALE_1).angle;
	parameter[FORCE_HINGE_RELAXATION] = relaxation;
}

static double energy(const ForceInput *input)
{
	Hinge hinge = hinge_at(input->x, input->parameter + FORCE_HINGE_SCALE_1);
	double bend = hinge.angle - input->parameter[FORCE_HINGE_REST_ANGLE];
	double energy = input->parameter[FORCE_HINGE_STIFFNESS] * bend * bend;
	if (hinge.squeezed)
		energy = energy * hinge.weight + input->parameter[FORCE_HINGE_STIFFNESS] * FORCE_HINGE_COLLAPSE * (1.0 - hinge.weight);
	return energy;
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
	Hinge hinge = hinge_at(input->x, p + FORCE_HINGE_SCALE_1);
	double bend = hinge.angle - p[FORCE_HINGE_REST_ANGLE];
	push(&hinge, 2.0 * p[FORCE_HINGE_STIFFNESS] * bend * hinge.weight, force);
	for (int corner = 0; hinge.squeezed && corner < 4; corner++)
		force[corner] = vec3_madd(force[corner], -(p[FORCE_HINGE_STIFFNESS] * (bend * bend - FORCE_HINGE_COLLAPSE)), hinge.slope[corner]);
	if (loss == NULL)
		return;
	ForceChange change = angle_change(&hinge, input);
	double resistance = 2.0 * p[FORCE_HINGE_STIFFNESS] * p[FORCE_HINGE_RELAXATION] * change.rate * hinge.weight;
	push(&hinge, resistance, loss);
	force_resist(input, 0, hinge.angle, resistance, change.change);
}

static double relaxation(const double *parameter)
{
	return parameter[FORCE_HINGE_RELAXATION];
}

static void stiffness(const ForceInput *input, double *row)
{
	Hinge hinge = hinge_at(input->x, input->parameter + FORCE_HINGE_SCALE_1);
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

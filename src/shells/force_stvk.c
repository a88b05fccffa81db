/* E = area t (lambda/2 tr(G)^2 + mu G:G) with the Green strain G = (F'F - 1)/2 of the deformation gradient F (3 x 2),
 * and Lame's constants of plane stress, lambda = Y nu / (1 - nu^2), mu = Y / (2 (1 + nu)).
 *
 * F = [x1 - x0, x2 - x0] D, with D the inverse of the same matrix in the flat rest triangle. The force on corners 1 and 2
 * is minus the columns of F S D' area t, S = lambda tr(G) 1 + 2 mu G; corner 0 balances them. Damping adds
 * relaxation * (lambda tr(dG/dt) 1 + 2 mu dG/dt) to S. */
#include "shells/force_stvk.h"
#include <stddef.h>

/* A symmetric 2 x 2 matrix. */
typedef struct {
	double xx, xy, yy;
} Sym2;

typedef struct {
	Vec3 u, w; /* columns */
} Gradient;

void force_stvk_parameters(double *parameter, const StvkMaterial *material, const Vec3 rest[3])
{
	/* The rest triangle in its own plane: corner 0 at the origin, corner 1 on the first axis. */
	Vec3 a = vec3_sub(rest[1], rest[0]), b = vec3_sub(rest[2], rest[0]);
	double x1 = vec3_norm(a);
	double x2 = vec3_dot(a, b) / x1;
	double y2 = vec3_norm(vec3_cross(a, b)) / x1;
	double area = 0.5 * x1 * y2;
	double nu = material->poisson, lambda = 1.0 + material->max_strain;
	parameter[FORCE_STVK_D11] = 1.0 / x1;
	parameter[FORCE_STVK_D12] = -x2 / (x1 * y2);
	parameter[FORCE_STVK_D21] = 0.0;
	parameter[FORCE_STVK_D22] = 1.0 / y2;
	parameter[FORCE_STVK_LAMBDA] = area * material->membrane * nu / (1.0 - nu * nu);
	parameter[FORCE_STVK_MU] = area * material->membrane / (2.0 * (1.0 + nu));
	parameter[FORCE_STVK_RELAXATION] = material->relaxation;
	/* In one dimension the tangent of this material at the stretch lambda is (3 lambda^2 - 1)/2 times that at rest. */
	parameter[FORCE_STVK_HARDENING] = 0.5 * (3.0 * lambda * lambda - 1.0);
}

static Gradient gradient(const double *p, const Vec3 *x)
{
	Vec3 a = vec3_sub(x[1], x[0]), b = vec3_sub(x[2], x[0]);
	return (Gradient){
	    .u = vec3_scale(p[FORCE_STVK_D11], a), /* D21 is zero by the choice of axes */
	    .w = vec3_madd(vec3_scale(p[FORCE_STVK_D12], a), p[FORCE_STVK_D22], b),
	};
}

static Sym2 stress(const double *p, Sym2 strain)
{
	double trace = p[FORCE_STVK_LAMBDA] * (strain.xx + strain.yy);
	return (Sym2){
	    trace + 2.0 * p[FORCE_STVK_MU] * strain.xx,
	    2.0 * p[FORCE_STVK_MU] * strain.xy,
	    trace + 2.0 * p[FORCE_STVK_MU] * strain.yy,
	};
}

static Sym2 green(const Gradient *F)
{
	return (Sym2){
	    0.5 * (vec3_norm2(F->u) - 1.0),
	    0.5 * vec3_dot(F->u, F->w),
	    0.5 * (vec3_norm2(F->w) - 1.0),
	};
}

/* Minus the columns of F S D'. */
static void spread(const double *p, const Gradient *F, Sym2 S, Vec3 *force)
{
	Vec3 first = vec3_madd(vec3_scale(S.xx, F->u), S.xy, F->w);
	Vec3 second = vec3_madd(vec3_scale(S.xy, F->u), S.yy, F->w);
	force[1] = vec3_madd(vec3_scale(-p[FORCE_STVK_D11], first), -p[FORCE_STVK_D12], second);
	force[2] = vec3_scale(-p[FORCE_STVK_D22], second);
	force[0] = vec3_scale(-1.0, vec3_add(force[1], force[2]));
}

static double energy(const ForceInput *input)
{
	Gradient F = gradient(input->parameter, input->x);
	Sym2 G = green(&F), S = stress(input->parameter, G);
	return 0.5 * (S.xx * G.xx + 2.0 * S.xy * G.xy + S.yy * G.yy);
}

static void act(const ForceInput *input, Vec3 *force, Vec3 *loss)
{
	const double *p = input->parameter;
	Gradient F = gradient(p, input->x);
	Sym2 G = green(&F);
	spread(p, &F, stress(p, G), force);
	if (loss == NULL)
		return;
	Gradient rate = gradient(p, input->v);
	ForceChange xx = force_change(input, 0, G.xx, vec3_dot(F.u, rate.u));
	ForceChange xy = force_change(input, 1, G.xy, 0.5 * (vec3_dot(F.u, rate.w) + vec3_dot(F.w, rate.u)));
	ForceChange yy = force_change(input, 2, G.yy, vec3_dot(F.w, rate.w));
	double relaxation = p[FORCE_STVK_RELAXATION];
	Sym2 S = stress(p, (Sym2){relaxation * xx.rate, relaxation * xy.rate, relaxation * yy.rate});
	spread(p, &F, S, loss);
	force_resist(input, 0, G.xx, S.xx, xx.change);
	force_resist(input, 1, G.xy, 2.0 * S.xy, xy.change); /* xy and yx */
	force_resist(input, 2, G.yy, S.yy, yy.change);
}

static double relaxation_of(const double *parameter)
{
	return parameter[FORCE_STVK_RELAXATION];
}

/* K_ab = lambda b_a b_b' + mu ((b_a . b_b) 1 + b_b b_a') at rest, with b_a the gradients of the shape functions. */
static void stiffness(const ForceInput *input, double *row)
{
	const double *p = input->parameter;
	double b[3][2] = {{0, 0}, {p[FORCE_STVK_D11], p[FORCE_STVK_D12]}, {p[FORCE_STVK_D21], p[FORCE_STVK_D22]}};
	b[0][0] = -b[1][0] - b[2][0];
	b[0][1] = -b[1][1] - b[2][1];
	for (int a = 0; a < 3; a++) {
		row[a] = 0.0;
		for (int c = 0; c < 3; c++) {
			double dot = b[a][0] * b[c][0] + b[a][1] * b[c][1], sum = 0.0;
			for (int i = 0; i < 2; i++)
				for (int j = 0; j < 2; j++) {
					double k = p[FORCE_STVK_LAMBDA] * b[a][i] * b[c][j] +
					           p[FORCE_STVK_MU] * (b[c][i] * b[a][j] + (i == j ? dot : 0.0));
					sum += k * k;
				}
			row[a] += p[FORCE_STVK_HARDENING] * sqrt(sum);
		}
	}
}

const ForceClass force_stvk = {
    .name = "stretch (StVK)",
    .corners = 3,
    .n_parameters = FORCE_STVK_N,
    .n_measures = 3,
    .store = STORE_STRETCH,
    .work = WORK_STRETCH_DAMPING,
    .energy = energy,
    .act = act,
    .kernel = kernel_stvk,
    .stiffness = stiffness,
    .relaxation = relaxation_of,
};

/* Every force against what it is derived from: gradients by finite differences, balance, invariance, dissipation, and
 * the bound of stiffness that stable steps rest on. */
#include "shells/force.h"
#include "shells/force_body.h"
#include "shells/force_hinge.h"
#include "shells/force_spring.h"
#include "shells/force_stvk.h"
#include "shells/force_surface.h"
#include "support/scenes.h"

enum { STENCILS = 1000 };

typedef struct {
	const ForceClass *class;
	double parameter[FORCE_MOST_PARAMETERS];
	Vec3 rest[FORCE_MOST_CORNERS], x[FORCE_MOST_CORNERS], v[FORCE_MOST_CORNERS];
} Stencil;

/* A stencil at rest: an edge 0-1 with corners on either side of it, of random shape but no sliver. */
static void random_rest(uint64_t *state, Vec3 *rest)
{
	double length = scenes_random(state, 0.5, 2.0);
	rest[0] = vec3(0, 0, 0);
	rest[1] = vec3(length, 0, 0);
	rest[2] = vec3(scenes_random(state, -0.3, 1.3) * length, scenes_random(state, 0.4, 1.5), 0);
	rest[3] = vec3(scenes_random(state, -0.3, 1.3) * length, scenes_random(state, -1.5, -0.4), 0);
	if (scenes_random(state, 0, 1) < 0.5) /* a shell that is curved at rest */
		rest[3].z = scenes_random(state, -0.5, 0.5);
}

static Stencil random_stencil(uint64_t *state, const ForceClass *class)
{
	Stencil s = {.class = class};
	random_rest(state, s.rest);
	double relaxation = scenes_random(state, 0.01, 0.1);
	if (class == &force_spring)
		force_spring_parameters(s.parameter, scenes_random(state, 1, 10), vec3_distance(s.rest[0], s.rest[1]), relaxation);
	else if (class == &force_stvk)
		force_stvk_parameters(s.parameter,
		    &(StvkMaterial){.membrane = scenes_random(state, 1, 10),
		        .poisson = scenes_random(state, -0.2, 0.45),
		        .relaxation = relaxation,
		        .max_strain = 0.0},
		    s.rest);
	else if (class == &force_hinge)
		force_hinge_parameters(s.parameter, scenes_random(state, 1, 10), relaxation, s.rest);
	else
		force_body_vector(s.parameter, scenes_random_vec3(state, 5.0));
	for (int c = 0; c < 4; c++) {
		s.x[c] = vec3_add(s.rest[c], scenes_random_vec3(state, 0.25)); /* strains of tens of percent */
		s.v[c] = scenes_random_vec3(state, 1.0);
	}
	return s;
}

static double energy_at(const Stencil *s, const Vec3 *x)
{
	return s->class->energy(&(ForceInput){.parameter = s->parameter, .x = x, .scale = 1.0});
}

static void forces_of(const Stencil *s, Vec3 *force, Vec3 *loss)
{
	s->class->act(&(ForceInput){.parameter = s->parameter, .x = s->x, .v = s->v, .step = 1e-3, .scale = 1.0}, force, loss);
}

static double *coordinate(Vec3 *x, int i)
{
	return (double *)(void *)x + i;
}

/* Presses the corners of a hinge's triangles towards its edge, and now and then the edge together: to between 2 and 60% of
 * what they are. */
static void squeeze(uint64_t *state, Stencil *s)
{
	Vec3 edge = vec3_sub(s->x[1], s->x[0]);
	for (int c = 2; c < 4; c++) {
		Vec3 side = vec3_sub(s->x[c], s->x[0]);
		Vec3 foot = vec3_scale(vec3_dot(side, edge) / vec3_norm2(edge), edge);
		double part = c == 2 || scenes_random(state, 0, 1) < 0.5 ? scenes_random(state, 0.02, 0.6) : 1.0;
		s->x[c] = vec3_add(s->x[0], vec3_madd(foot, part, vec3_sub(side, foot)));
	}
	if (scenes_random(state, 0, 1) < 0.3)
		s->x[1] = vec3_madd(s->x[0], scenes_random(state, 0.1, 1.0), edge);
}

/* The derivative of the energy in coordinate i: central differences at h and 2h, combined so that the error is of
 * fourth order. With h = 3e-5 rounding and truncation leave about 1e-9. */
static double derivative(const Stencil *s, int i)
{
	const double h = 3e-5;
	double difference[2];
	for (int k = 0; k < 2; k++) {
		Vec3 x[FORCE_MOST_CORNERS];
		memcpy(x, s->x, sizeof x);
		*coordinate(x, i) += h * (k + 1);
		double up = energy_at(s, x);
		*coordinate(x, i) -= 2.0 * h * (k + 1);
		difference[k] = (up - energy_at(s, x)) / (2.0 * h * (k + 1));
	}
	return (4.0 * difference[0] - difference[1]) / 3.0;
}

static void check_gradient(const ForceClass *class, uint64_t seed, bool squeezed)
{
	double worst = 0.0;
	for (int n = 0; n < STENCILS; n++) {
		Stencil s = random_stencil(&seed, class);
		Vec3 force[FORCE_MOST_CORNERS];
		if (squeezed)
			squeeze(&seed, &s);
		forces_of(&s, force, NULL);
		double size2 = 0.0, error2 = 0.0;
		for (int i = 0; i < 3 * class->corners; i++) {
			double exact = -*coordinate(force, i), error = exact - derivative(&s, i);
			size2 += exact * exact;
			error2 += error * error;
		}
		/* The forces of what has all but collapsed are lost in the rounding of its energy. */
		double least = squeezed ? 1e-3 * s.parameter[FORCE_HINGE_STIFFNESS] : 0.0;
		worst = fmax(worst, sqrt(error2) / fmax(sqrt(size2), least));
	}
	cr_log_info("%s: gradient within %.1e of finite differences", class->name, worst);
	cr_assert(worst < 1e-6, "%s: gradient is off by %g", class->name, worst);
}

Test(forces, gradient_of_springs)
{
	check_gradient(&force_spring, 1, false);
}

Test(forces, gradient_of_stvk_triangles)
{
	check_gradient(&force_stvk, 2, false);
}

Test(forces, gradient_of_hinges)
{
	check_gradient(&force_hinge, 3, false);
}

Test(forces, gradient_of_squeezed_hinges)
{
	check_gradient(&force_hinge, 11, true);
}

Test(forces, gradient_of_gravity)
{
	check_gradient(&force_gravity, 4, false);
}

/* A force with an energy that nobody has listed above would go unchecked. */
Test(forces, every_energy_is_checked)
{
	for (const ForceClass *const *class = force_classes; *class; class++)
		if ((*class)->energy != NULL)
			cr_assert(*class == &force_spring || *class == &force_stvk || *class == &force_hinge ||
			          *class == &force_gravity,
			    "the gradient of \"%s\" is not tested", (*class)->name);
}

static const ForceClass *const elastic[] = {&force_spring, &force_stvk, &force_hinge};

/* Forces between the vertices of an element give it neither momentum nor spin, damping included. */
Test(forces, elastic_forces_balance)
{
	uint64_t seed = 5;
	for (guint k = 0; k < G_N_ELEMENTS(elastic); k++) {
		for (int n = 0; n < STENCILS; n++) {
			Stencil s = random_stencil(&seed, elastic[k]);
			Vec3 part[2][FORCE_MOST_CORNERS];
			forces_of(&s, part[0], part[1]);
			for (int p = 0; p < 2; p++) {
				Vec3 sum = vec3(0, 0, 0), torque = vec3(0, 0, 0);
				double size = 0.0;
				for (int c = 0; c < elastic[k]->corners; c++) {
					sum = vec3_add(sum, part[p][c]);
					torque = vec3_add(torque, vec3_cross(s.x[c], part[p][c]));
					size += vec3_norm(part[p][c]);
				}
				cr_assert(vec3_norm(sum) <= 1e-13 * size, "%s gives momentum", elastic[k]->name);
				cr_assert(vec3_norm(torque) <= 1e-13 * size, "%s gives spin", elastic[k]->name);
			}
		}
	}
}

/* Damping takes energy from every motion but a rigid one, to which it does nothing. */
Test(forces, damping_dissipates)
{
	uint64_t seed = 6;
	for (guint k = 0; k < G_N_ELEMENTS(elastic); k++) {
		for (int n = 0; n < STENCILS; n++) {
			Stencil s = random_stencil(&seed, elastic[k]);
			Vec3 force[FORCE_MOST_CORNERS], loss[FORCE_MOST_CORNERS];
			double power = 0.0, size = 0.0;
			forces_of(&s, force, loss);
			for (int c = 0; c < elastic[k]->corners; c++) {
				power += vec3_dot(loss[c], s.v[c]);
				size += vec3_norm(loss[c]);
			}
			cr_assert(power < 0.0, "%s: damping gives energy", elastic[k]->name);
			Vec3 shift = scenes_random_vec3(&seed, 1.0), spin = scenes_random_vec3(&seed, 1.0);
			for (int c = 0; c < 4; c++)
				s.v[c] = vec3_add(shift, vec3_cross(spin, s.x[c]));
			forces_of(&s, force, loss);
			for (int c = 0; c < elastic[k]->corners; c++)
				cr_assert(vec3_norm(loss[c]) <= 1e-12 * size, "%s: damping resists a rigid motion",
				    elastic[k]->name);
		}
	}
}

/* d force / dt along the motion, times the relaxation time: what Kelvin-Voigt damping is, for small strains. */
Test(forces, damping_is_relaxation_times_the_rate_of_stress)
{
	uint64_t seed = 7;
	for (guint k = 0; k < G_N_ELEMENTS(elastic); k++) {
		Stencil s = random_stencil(&seed, elastic[k]);
		Vec3 before[4], after[4], loss[4];
		memcpy(s.x, s.rest, sizeof s.x);
		forces_of(&s, before, loss);
		const double dt = 1e-6;
		for (int c = 0; c < 4; c++)
			s.x[c] = vec3_madd(s.x[c], dt, s.v[c]);
		forces_of(&s, after, NULL);
		double relaxation = elastic[k]->relaxation(s.parameter);
		for (int c = 0; c < elastic[k]->corners; c++) {
			Vec3 expected = vec3_scale(relaxation / dt, vec3_sub(after[c], before[c]));
			cr_assert(vec3_distance(expected, loss[c]) <= 1e-4 * vec3_norm(loss[c]) + 1e-9, "%s", elastic[k]->name);
		}
	}
}

/* Nothing is stored, and nothing pushes, in the rest shape; and turning or moving it changes that in no way. */
Test(forces, rest_shape_is_at_rest)
{
	uint64_t seed = 8;
	for (guint k = 0; k < G_N_ELEMENTS(elastic); k++) {
		for (int n = 0; n < STENCILS; n++) {
			Stencil s = random_stencil(&seed, elastic[k]);
			Vec3 axis = vec3_unit(scenes_random_vec3(&seed, 1.0)), shift = scenes_random_vec3(&seed, 3.0);
			double angle = scenes_random(&seed, 0.0, 6.0);
			for (int c = 0; c < 4; c++) {
				Vec3 along = vec3_scale(vec3_dot(s.rest[c], axis), axis), across = vec3_sub(s.rest[c], along);
				s.x[c] = vec3_add(vec3_add(shift, along),
				    vec3_madd(vec3_scale(cos(angle), across), sin(angle), vec3_cross(axis, across)));
			}
			Vec3 force[FORCE_MOST_CORNERS];
			forces_of(&s, force, NULL);
			cr_assert(energy_at(&s, s.x) < 1e-24);
			for (int c = 0; c < elastic[k]->corners; c++)
				cr_assert(vec3_norm(force[c]) < 1e-11, "%s pushes at rest", elastic[k]->name);
		}
	}
}

/* The norm of the 3 x 3 block d force_a / d x_b in the rest state, by differences. */
static double block_norm(Stencil *s, int a, int b)
{
	const double h = 1e-5;
	double sum = 0.0;
	for (int j = 0; j < 3; j++) {
		Vec3 up[4], down[4];
		memcpy(s->x, s->rest, sizeof s->x);
		*coordinate(&s->x[b], j) += h;
		forces_of(s, up, NULL);
		*coordinate(&s->x[b], j) -= 2.0 * h;
		forces_of(s, down, NULL);
		Vec3 column = vec3_scale(0.5 / h, vec3_sub(up[a], down[a]));
		sum += vec3_norm2(column);
	}
	return sqrt(sum);
}

/* The bound is a bound, and not more than a few times too large (else steps would be wasted). Springs say 2k where the
 * blocks at rest have norm k each: a compressed or stretched spring is then covered as well. */
Test(forces, stiffness_bounds_the_hessian)
{
	uint64_t seed = 9;
	for (guint k = 0; k < G_N_ELEMENTS(elastic); k++) {
		for (int n = 0; n < 200; n++) {
			Stencil s = random_stencil(&seed, elastic[k]);
			double row[FORCE_MOST_CORNERS];
			elastic[k]->stiffness(&(ForceInput){.parameter = s.parameter, .x = s.rest}, row);
			for (int a = 0; a < elastic[k]->corners; a++) {
				double sum = 0.0;
				for (int b = 0; b < elastic[k]->corners; b++)
					sum += block_norm(&s, a, b);
				cr_assert(row[a] >= sum * (1.0 - 1e-6), "%s: %g is no bound of %g", elastic[k]->name, row[a], sum);
				cr_assert(row[a] <= 2.0 * sum, "%s: %g is far above %g", elastic[k]->name, row[a], sum);
			}
		}
	}
}

/* However a hinge is squeezed and folded, its stiffness is bounded by what it is at rest: steps come from there. These are folded
 * by up to pi; that of the angle alone goes with one over the height squared, to thousands of times as much. */
Test(forces, squeezed_hinges_are_not_much_stiffer)
{
	uint64_t seed = 12;
	double worst = 0.0;
	for (int n = 0; n < STENCILS; n++) {
		Stencil s = random_stencil(&seed, &force_hinge);
		double row[FORCE_MOST_CORNERS], most = 0.0;
		force_hinge.stiffness(&(ForceInput){.parameter = s.parameter, .x = s.rest}, row);
		squeeze(&seed, &s);
		memcpy(s.rest, s.x, sizeof s.rest);
		for (int a = 0; a < 4; a++)
			most = fmax(most, row[a]);
		for (int a = 0; a < 4; a++) {
			double sum = 0.0;
			for (int b = 0; b < 4; b++)
				sum += block_norm(&s, a, b);
			worst = fmax(worst, sum / most);
		}
	}
	cr_log_info("squeezed hinges are at most %.3g times as stiff as at rest", worst);
	cr_assert(worst < 150.0, "%g times as stiff as at rest", worst);
}

/* Pressure is the gradient of the volume under the triangle, summed over a closed surface: here of a tetrahedron. */
Test(forces, pressure_is_the_gradient_of_volume)
{
	uint64_t seed = 10;
	static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
	double parameter[FORCE_MOST_PARAMETERS];
	force_surface_pressure(parameter, 2.5);
	for (int n = 0; n < STENCILS; n++) {
		Vec3 x[4], total[4] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
		for (int c = 0; c < 4; c++)
			x[c] = scenes_random_vec3(&seed, 1.0);
		for (int f = 0; f < 4; f++) {
			Vec3 corner[3] = {x[face[f][0]], x[face[f][1]], x[face[f][2]]}, push[3];
			force_pressure.act(&(ForceInput){.parameter = parameter, .x = corner, .scale = 2.0}, NULL, push);
			for (int c = 0; c < 3; c++)
				total[face[f][c]] = vec3_add(total[face[f][c]], push[c]);
		}
		/* 6 V = (x1 - x0) x (x2 - x0) . (x3 - x0): its gradient at x3 is the cross product. */
		Vec3 expected = vec3_scale(2.5 * 2.0 / 6.0, vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0])));
		cr_assert(vec3_distance(total[3], expected) < 1e-13);
	}
}

/* Wind pushes along its motion relative to the cloth, as the textbook says while steps are small, and one step never
 * turns the relative motion around however hard it blows. */
Test(forces, wind_pushes_like_a_plate_in_a_stream)
{
	const Vec3 x[3] = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}}; /* area 1, facing z */
	double parameter[FORCE_MOST_PARAMETERS];
	const double mass = 0.1;
	Vec3 push[3];
	force_surface_wind(parameter, 1.2, 1.1, 0.05, mass, vec3(3, 0, 10));
	Vec3 v[3] = {{0, 0, 4}, {0, 0, 4}, {0, 0, 4}};
	force_wind.act(&(ForceInput){.parameter = parameter, .x = x, .v = v, .step = 1e-9, .scale = 1.0}, NULL, push);
	Vec3 sum = vec3_add(vec3_add(push[0], push[1]), push[2]);
	cr_assert_float_eq(sum.z, 0.5 * 1.2 * 1.1 * 36.0, 1e-6);
	cr_assert_float_eq(sum.x, 0.5 * 1.2 * 0.05 * 9.0, 1e-6);
	cr_assert_float_eq(sum.y, 0.0, 1e-12);
	for (double step = 1e-6; step < 1e3; step *= 10.0) {
		force_surface_wind(parameter, 1000.0, 1.0, 0.1, mass, vec3(0, 0, 100));
		force_wind.act(&(ForceInput){.parameter = parameter, .x = x, .v = v, .step = step, .scale = 1.0}, NULL, push);
		double gained = step * (push[0].z + push[1].z + push[2].z) / mass;
		cr_assert(gained > 0.0 && gained <= 96.0, "a step of %g s gains %g", step, gained);
	}
}

/* Mass damping has the exact decay to second order, and is stable at any rate. */
Test(forces, mass_damping_decays)
{
	double parameter[FORCE_MOST_PARAMETERS];
	const double mass = 0.3, rate = 2.0;
	const Vec3 position = vec3(0, 0, 0);
	double error[2];
	for (int k = 0; k < 2; k++) {
		int steps = 100 << k;
		double v = 1.0, step = 1.0 / steps;
		force_body_damping(parameter, rate, mass);
		for (int i = 0; i < steps; i++) {
			Vec3 velocity = vec3(v, 0, 0), push;
			force_mass_damping.act(
			    &(ForceInput){.parameter = parameter, .x = &position, .v = &velocity, .step = step}, NULL, &push);
			v += step * push.x / mass;
		}
		error[k] = fabs(v - exp(-rate));
	}
	cr_assert(error[0] / error[1] > 3.8 && error[0] / error[1] < 4.2, "order: %g", error[0] / error[1]);
	force_body_damping(parameter, 1e9, mass);
	Vec3 velocity = vec3(1, 0, 0), push;
	force_mass_damping.act(&(ForceInput){.parameter = parameter, .x = &position, .v = &velocity, .step = 1.0}, NULL, &push);
	cr_assert(fabs(1.0 + push.x / mass) <= 1.0);
}

/* Collapsed elements push nowhere, rather than everywhere. */
Test(forces, collapsed_elements_are_finite)
{
	uint64_t seed = 11;
	for (guint k = 0; k < G_N_ELEMENTS(elastic); k++) {
		Stencil s = random_stencil(&seed, elastic[k]);
		for (int c = 0; c < 4; c++)
			s.x[c] = vec3(1, 2, 3);
		Vec3 force[4], loss[4];
		forces_of(&s, force, loss);
		for (int c = 0; c < elastic[k]->corners; c++)
			cr_assert(vec3_is_finite(force[c]) && vec3_is_finite(loss[c]));
		cr_assert(isfinite(energy_at(&s, s.x)));
	}
}

/* A cylinder of curvature c stores 3 k_b c^2 per area: so that a plate's rigidity D is 6 k_b, on two meshes. */
Test(forces, hinges_store_what_a_plate_stores)
{
	const double radius = 50.0, a = 1.0;
	/* Right triangles, diagonals all the same way: per cell one edge along the axis, one across it (which does not bend),
	 * and one diagonal; the hinge of a diagonal has half of the turn. */
	Vec3 flat[9];
	for (int j = 0; j < 3; j++)
		for (int i = 0; i < 3; i++)
			flat[3 * j + i] = vec3(a * i, a * j, 0);
	Vec3 bent[9];
	for (int i = 0; i < 9; i++)
		bent[i] = vec3(radius * sin(flat[i].x / radius), flat[i].y, radius * (1 - cos(flat[i].x / radius)));
	/* Triangles (0 1 4), (0 4 3) of cell 0; the edge 1-4 to cell 1's triangle (1 5 4). */
	const int diagonal[4] = {0, 4, 3, 1}, axial[4] = {1, 4, 0, 5}, circumferential[4] = {3, 4, 7, 0};
	const int *hinge[3] = {diagonal, axial, circumferential};
	double energy = 0.0;
	for (int h = 0; h < 3; h++) {
		Stencil s = {.class = &force_hinge};
		for (int c = 0; c < 4; c++) {
			s.rest[c] = flat[hinge[h][c]];
			s.x[c] = bent[hinge[h][c]];
		}
		force_hinge_parameters(s.parameter, 1.0, 0.0, s.rest);
		energy += energy_at(&s, s.x);
	}
	double expected = 3.0 * a * a / (radius * radius);
	cr_assert(fabs(energy / expected - 1.0) < 2e-3, "%g instead of %g", energy, expected);
}

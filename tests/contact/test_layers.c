#include "contact/layers.h"
#include <criterion/criterion.h>
#include <glib.h>
#include <math.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Layers, layers_free)

/* Products of up to 12 factors and two roots: a few ulp. */
#define POWER_TOLERANCE 4e-15

Test(layers, powers_are_those_of_libm)
{
	for (int quarters = -16; quarters <= 48; quarters++)
		for (double l = 1.0; l <= 1e5; l = floor(1.7 * l + 1.0)) {
			double truth = (double)powl((long double)l, 0.25L * quarters);
			cr_expect_float_eq(
			    layers_power(l, quarters), truth, POWER_TOLERANCE * truth, "%g^(%d/4)", l, quarters);
		}
	cr_expect_eq(layers_power(7.0, 0), 1.0);
	cr_expect_eq(layers_power(16.0, 1), 2.0);
	cr_expect_eq(layers_power(16.0, -2), 0.25);
}

Test(layers, barrier_wants_steps_to_shrink_faster_than_gaps)
{
	cr_expect(layers_are_barrier(1, 12));
	cr_expect(layers_are_barrier(1, 3));
	cr_expect(layers_are_barrier(4, 9));
	cr_expect_not(layers_are_barrier(1, 2), "equal is not enough");
	cr_expect_not(layers_are_barrier(4, 7), "the sum diverges, but layers would wake without end");
	cr_expect_not(layers_are_barrier(8, 8), "the thesis' bad example");
	cr_expect_not(layers_are_barrier(0, 12), "layers that do not get thinner never end");
	cr_expect_not(layers_are_barrier(-1, 12));
}

Test(layers, tables_are_what_the_formulas_say)
{
	g_autoptr(Layers) layers = layers_new(0.1, 1, 1000.0, 12, 100);
	cr_expect(isinf(layers->eta[0]) && isinf(layers->wake[0]));
	cr_expect_eq(layers->eta[1], 0.1);
	cr_expect_eq(layers->stiffness[1], 1000.0);
	cr_expect_eq(layers->step_ratio[1], 1.0);
	cr_expect_eq(layers->eta[16], 0.05);
	cr_expect_eq(layers->stiffness[16], 4096e3);
	cr_expect_eq(layers->step_ratio[16], 1.0 / 64.0);
	cr_expect_eq(layers->eta[81], 0.1 / 3.0);
	cr_expect_eq(layers->wake[1], 0.1 + 0.25 * (0.1 - layers->eta[2]));
	cr_expect_eq(layers->wake[101], layers->eta[101] + 0.25 * (layers->eta[101] - layers->eta[102]));
}

/* Rounding must not let two layers meet, however deep: waking counts on it. */
Test(layers, each_layer_lies_inside_the_one_before)
{
	for (int quarters = 1; quarters <= 8; quarters++) {
		g_autoptr(Layers) layers = layers_new(0.3, quarters, 7.0, 2 * quarters + 1, 100000);
		for (uint32_t l = 1; l <= layers->max_layer + 2; l++) {
			cr_assert(layers->eta[l] < layers->eta[l - 1]);
			cr_assert(layers->stiffness[l] > layers->stiffness[l - 1]);
			cr_assert(layers->step_ratio[l] < layers->step_ratio[l - 1]);
		}
		for (uint32_t l = 1; l <= layers->max_layer + 1; l++)
			cr_assert(layers->wake[l] > layers->eta[l] && layers->wake[l] < layers->eta[l - 1]);
	}
}

Test(layers, reached_is_the_deepest_that_is_in_range)
{
	g_autoptr(Layers) layers = layers_new(0.1, 1, 1000.0, 12, 50);
	cr_expect_eq(layers_reached(layers, INFINITY), 0);
	cr_expect_eq(layers_reached(layers, 0.1), 0, "a layer ends where it starts to push");
	cr_expect_eq(layers_reached(layers, nextafter(0.1, 0.0)), 1);
	for (uint32_t l = 1; l <= 52; l++) {
		cr_expect_eq(layers_reached(layers, layers->eta[l]), l - 1);
		cr_expect_eq(layers_reached(layers, nextafter(layers->eta[l], 0.0)), l);
	}
	cr_expect_eq(layers_reached(layers, 0.0), 52);
	cr_expect_eq(layers_reached(layers, -1.0), 52);
	cr_expect_eq(layers_reached(layers, NAN), 52, "in doubt, in contact");
}

Test(layers, energy_is_the_sum_of_the_springs_in_range)
{
	g_autoptr(Layers) layers = layers_new(1.0, 4, 2.0, 12, 10);
	cr_expect_eq(layers_energy(layers, 10, 1.0), 0.0);
	cr_expect_eq(layers_energy(layers, 10, 0.5), 0.25, "layer 1 alone");
	/* 2/2 (1 - 1/4)^2 + 16/2 (1/2 - 1/4)^2 + 54/2 (1/3 - 1/4)^2 */
	cr_expect_float_eq(layers_energy(layers, 10, 0.25), 9.0 / 16.0 + 0.5 + 27.0 / 144.0, 1e-15);
	cr_expect_eq(layers_energy(layers, 1, 0.25), 9.0 / 16.0, "no deeper than asked");
}

/* Thesis table 6.1, with the eta1 = 0.1 and the sum of its appendix A: half springs cannot be compressed past the
 * deepest layer, which was 1290 for all three rows. A vertex weighs twice its density there. Six digits are printed. */
Test(layers, energies_and_speeds_of_table_6_1)
{
	static const struct {
		int eta_quarters, r_quarters;
		double energy, cloth_speed, metal_speed;
	} rows[] = {
	    {4, 12, 6.93375e5, 5.8880e3, 3.0406e2},
	    {1, 12, 9.17877e8, 2.14228e5, 1.10627e4},
	    {1, 16, 5.81644e11, 5.39279e6, 2.78482e5},
	};
	const uint32_t deepest = 1290;
	const double cloth_mass = 2.0 * 0.02, metal_mass = 2.0 * 7.5;
	for (int i = 0; i < 3; i++) {
		cr_expect(layers_are_barrier(rows[i].eta_quarters, rows[i].r_quarters));
		g_autoptr(Layers) layers = layers_new(0.1, rows[i].eta_quarters, 1000.0, rows[i].r_quarters, deepest);
		double energy = layers_energy(layers, deepest, layers->eta[deepest]);
		cr_expect_float_eq(energy / rows[i].energy, 1.0, 1e-6, "row %d: %.8g", i, energy);
		double cloth = sqrt(2.0 * energy / cloth_mass), metal = sqrt(2.0 * energy / metal_mass);
		cr_expect_float_eq(cloth / rows[i].cloth_speed, 1.0, 1e-5, "row %d: cloth %.8g", i, cloth);
		cr_expect_float_eq(metal / rows[i].metal_speed, 1.0, 2e-5, "row %d: metal %.8g", i, metal);
	}
}

Test(layers, deepest_is_where_time_or_the_scene_ends_it)
{
	g_autoptr(Layers) layers = layers_new(0.1, 1, 1000.0, 12, 1000);
	double ulp = 0x1p-52; /* of 1 */
	cr_expect_eq(layers_deepest(layers, 1e-3, 1.0), 1000);
	cr_expect_eq(layers_deepest(layers, 64.0 * 1000.0 * ulp, 1.0), 16, "h(16) = h(1)/64");
	cr_expect_eq(layers_deepest(layers, nextafter(64.0 * 1000.0 * ulp, 0.0), 1.0), 15);
	cr_expect_eq(layers_deepest(layers, 64.0 * 1000.0 * ulp, 64.0), 1);
	cr_expect_eq(layers_deepest(layers, 64.0 * 1000.0 * ulp, 128.0), 0);
}

/* At safety 1 a vertex against a wall, held by 64 such pairs, is just at the limit of leapfrog: h^2 k/m = 4. */
Test(layers, steps_are_at_the_limit_of_a_crowd)
{
	double r1 = 350.0, mass = 0.02;
	double step = layers_step_scale(r1, 1.0, 1.0) / sqrt(1.0 / mass);
	cr_expect_float_eq(step * step * 64.0 * r1 / mass, 4.0, 1e-14);
	cr_expect_float_eq(layers_step_scale(r1, 0.5, 4.0) * 8.0, layers_step_scale(r1, 1.0, 1.0), 1e-16);
}

/* Impacts without losses: the layers give back what they took, but for an error of second order in their steps. */
#include "support/impacts.h"
#include <criterion/criterion.h>

enum { THROWS = 1000 };

static void check_mean(uint32_t depth, double accuracy, const Impacts *impacts)
{
	/* Throws in and out fill the same area of energy and time, which makes the mean gain half of
	 * d(spread^2)/d(energy): with a spread in proportion to the energy, its square. Deep spreads grow faster, up to
	 * twice as much. */
	double most = 4.0 * impacts->mean_error + 2.0 * impacts->spread * impacts->spread;
	cr_assert_lt(fabs(impacts->mean), most, "%u layers, accuracy %g: mean %g", depth, accuracy, impacts->mean);
}

static void check_depth(uint32_t depth)
{
	const double accuracies[] = {1.0, 2.0, 4.0, 8.0};
	Impacts last = {0};
	for (size_t i = 0; i < G_N_ELEMENTS(accuracies); i++) {
		Impacts now = impacts_throw_many(depth, accuracies[i], THROWS);
		double ratio = last.spread / now.spread;
		cr_log_info("%u layers, accuracy %g: spread %.4f%%, ratio %.2f, mean %.4f%%", depth, accuracies[i],
		    100.0 * now.spread, ratio, 100.0 * now.mean);
		cr_assert(
		    now.least >= depth - 1 && now.deepest <= depth + 1, "layers %u to %u", now.least, now.deepest);
		check_mean(depth, accuracies[i], &now);
		/* Second order: 4, and the ratio of two spreads of so many throws is known to 3%. At accuracy 1 and a
		 * few layers the deep part of an impact is shorter than a step of the first layer: a spread larger than
		 * that. */
		if (i > 0)
			cr_assert_gt(ratio, 3.5, "%u layers, accuracy %g: ratio %g", depth, accuracies[i], ratio);
		if (i > 1)
			cr_assert_lt(ratio, 4.7, "%u layers, accuracy %g: ratio %g", depth, accuracies[i], ratio);
		last = now;
	}
}

Test(impacts, one_layer_deep, .timeout = 900)
{
	check_depth(1);
}

Test(impacts, five_layers_deep, .timeout = 900)
{
	check_depth(5);
}

Test(impacts, twenty_layers_deep, .timeout = 900)
{
	check_depth(20);
}

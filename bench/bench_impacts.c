/* How exactly impacts without losses give back their energy: over the depth in layers and contact.accuracy.
 * `bench_impacts [THROWS]` */
#include "support/impacts.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	const uint32_t depths[] = {1, 5, 20};
	const double accuracies[] = {1.0, 2.0, 4.0, 8.0};
	int n = argc > 1 ? atoi(argv[1]) : 4000;
	if (n < 2)
		n = 2;
	printf(
	    "%d throws per line; energy per impact, relative\nlayers  accuracy     spread      ratio            mean\n",
	    n);
	for (size_t d = 0; d < G_N_ELEMENTS(depths); d++) {
		Impacts last = {0};
		for (size_t a = 0; a < G_N_ELEMENTS(accuracies); a++) {
			Impacts now = impacts_throw_many(depths[d], accuracies[a], n);
			printf("%6u  %8g  %8.4f%%", depths[d], accuracies[a], 100.0 * now.spread);
			if (a > 0)
				printf("  %5.2f+-%.2f", last.spread / now.spread,
				    last.spread / now.spread * hypot(last.spread_error, now.spread_error));
			else
				printf("             ");
			printf("  %8.4f+-%.4f%%\n", 100.0 * now.mean, 100.0 * now.mean_error);
			fflush(stdout);
			last = now;
		}
	}
	return 0;
}

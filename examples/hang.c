/* Simulates a scene from C and prints how low its lowest vertex hangs, once every tenth of a second.
 *
 *     cc hang.c $(pkg-config --cflags --libs cinch) && ./a.out scene.json
 */
#include <cinch/cinch.h>
#include <stdio.h>

static double lowest(const CinchSimulation *simulation)
{
	size_t n = cinch_vertex_count(simulation);
	double *x = g_new(double, 3 * n);
	cinch_positions(simulation, x);
	double least = x[1];
	for (size_t i = 1; i < n; i++)
		least = x[3 * i + 1] < least ? x[3 * i + 1] : least;
	g_free(x);
	return least;
}

int main(int argc, char **argv)
{
	GError *error = NULL;
	CinchSimulation *simulation = argc == 2 ? cinch_load(argv[1], NULL, &error) : NULL;
	if (argc != 2) {
		fprintf(stderr, "usage: %s SCENE\n", argv[0]);
		return 2;
	}
	bool good = simulation != NULL;
	double end = good ? cinch_end_time(simulation) : 0.0;
	for (int k = 1; good && cinch_time(simulation) < end; k++) {
		double next = 0.1 * k < end ? 0.1 * k : end;
		good = cinch_advance(simulation, next, &error);
		if (good)
			printf("%.1f s: lowest %.6f, total energy %.6g\n", cinch_time(simulation), lowest(simulation),
			    cinch_ledger(simulation, "total"));
	}
	cinch_free(simulation);
	if (!good) {
		fprintf(stderr, "%s: %s\n", argv[0], error->message);
		g_error_free(error);
	}
	return good ? 0 : 1;
}

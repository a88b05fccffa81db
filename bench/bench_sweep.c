/* Exact tests of primitive pairs in motion: how many per second, and what the filter leaves.
 *
 * Pairs as a run hands them over: edges of length 1, gaps from 0.02 to 0.3, motions of up to `speed` times the gap
 * while the plans last. It asserts nothing.
 *
 * Usage: bench_sweep [pairs per measurement] */
#include "verify/sweep.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t state = 1;

static double random_between(double least, double most)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return least + (most - least) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum { DISTINCT = 4096 };

typedef struct {
	double x0[4][3], x1[4][3];
} Motion;

/* The second primitive in z = 0, the first above it, both shaken, all turned out of the axes. */
static void make(Motion *motion, SweepKind kind, double speed)
{
	static const double corner[2][4][3] = {
	    {{0.3, 0.3, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0.5, -0.5, 1}, {0.5, 0.5, 1}, {0, 0, 0}, {1, 0, 0}}};
	double gap = random_between(0.02, 0.3), far = random_between(-0.6, 0.6);
	for (int i = 0; i < 4; i++) {
		double x = corner[kind][i][0] + (corner[kind][i][2] > 0 ? far : 0) + random_between(-0.1, 0.1);
		double y = corner[kind][i][1] + random_between(-0.1, 0.1);
		double z = gap * (corner[kind][i][2] + random_between(-0.2, 0.2));
		const double place[3] = {x + 0.3 * z, y - 0.4 * x, z + 0.7 * x + 0.2 * y};
		for (int k = 0; k < 3; k++) {
			motion->x0[i][k] = 10.0 + place[k];
			motion->x1[i][k] = 10.0 + place[k] + speed * gap * random_between(-1, 1);
		}
	}
}

static void measure(SweepKind kind, double speed, long pairs)
{
	static Motion motion[DISTINCT];
	for (int i = 0; i < DISTINCT; i++)
		make(&motion[i], kind, speed);
	SweepCount count = {0};
	double start = seconds();
	for (long i = 0; i < pairs; i++)
		sweep_meets(kind, motion[i % DISTINCT].x0, motion[i % DISTINCT].x1, &count);
	double elapsed = seconds() - start;
	printf("%-16s %5.2f %12.3g %9.3f%% %9.3f%% %9.3f%% %9.3f%%\n",
	    kind == SWEEP_EDGE_EDGE ? "edge-edge" : "vertex-triangle", speed, (double)pairs / elapsed,
	    100.0 * (double)count.by_box / (double)pairs, 100.0 * (double)count.by_direction / (double)pairs,
	    100.0 * (double)count.exactly / (double)pairs, 100.0 * (double)count.meeting / (double)pairs);
}

static void measure_exact(SweepKind kind, double speed, long pairs)
{
	static Motion motion[DISTINCT];
	for (int i = 0; i < DISTINCT; i++)
		make(&motion[i], kind, speed);
	double start = seconds();
	for (long i = 0; i < pairs; i++)
		sweep_meets_exactly(kind, motion[i % DISTINCT].x0, motion[i % DISTINCT].x1);
	printf("%-16s %5.2f %12.3g without the filter\n", kind == SWEEP_EDGE_EDGE ? "edge-edge" : "vertex-triangle",
	    speed, (double)pairs / (seconds() - start));
}

int main(int argc, char **argv)
{
	long pairs = argc > 1 ? atol(argv[1]) : 1000000;
	static const double speed[] = {0.01, 0.1, 0.3, 1.0, 5.0};
	printf("%-16s %5s %12s %10s %10s %10s %10s\n", "pair", "speed", "pairs/s", "by box", "direction", "exactly",
	    "meeting");
	for (SweepKind kind = SWEEP_VERTEX_TRIANGLE; kind <= SWEEP_EDGE_EDGE; kind++)
		for (size_t i = 0; i < sizeof speed / sizeof *speed; i++) {
			measure(kind, speed[i], pairs);
			measure_exact(kind, speed[i], pairs / 20);
		}
	return 0;
}

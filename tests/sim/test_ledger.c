/* The ledger closes: what is not in the stores has been counted as work or loss, but for the integrator's own error,
 * which is of second order in the steps; and momentum is what came in from outside. */
#include "support/scenes.h"

#define TIME "'time': {'end': 100, 'safety': %.17g, 'load_step': %.17g, 'script_step': %.17g}"

/* A ball that is blown up and let go. */
static const char *ball =
    "{'units': 'si', 'gravity': [0, 0, 0], 'materials': {'m': {'young': 5e5, 'poisson': 0.45, 'thickness': 0.0005,"
    "  'density': 950, 'stretch_damping': 5e-5, 'mass_damping': 0.5}},"
    " 'meshes': [{'name': 'b', 'generate': 'sphere', 'radius': 0.15, 'subdivisions': 2, 'material': 'm'}],"
    " 'loads': [{'pressure': 400, 'profile': {'times': [0, 0.3, 0.4, 0.6], 'factors': [0, 1, 1, 0], 'interpolation': 'smooth'}}],"
    " " TIME "}";

/* A strip that is turned by half and back by a script. */
static const char *strip =
    "{'units': 'si', 'gravity': [0, 0, 0], 'materials': {'m': {'young': 1e5, 'thickness': 0.002, 'density': 250,"
    "  'stretch_damping': 0.0002, 'bend_damping': 0.0005, 'mass_damping': 0.5}},"
    " 'meshes': [{'name': 's', 'generate': 'sheet', 'size': [0.6, 0.15], 'cells': [16, 4], 'material': 'm'}],"
    " 'pins': ['s.left2'], 'scripts': [{'set': 's.right2', 'axis': [1, 0, 0],"
    "  'keyframes': [{'time': 0.5, 'rotate': 180, 'translate': [-0.04, 0, 0]}, {'time': 1}]}], " TIME "}";

/* A flag in a gust, pulled at one corner, falling. */
static const char *flag =
    "{'units': 'si', 'materials': {'m': {'young': 1e5, 'thickness': 0.0005, 'density': 400, 'stretch_damping': 0.0003,"
    "  'bend_damping': 0.001}},"
    " 'meshes': [{'name': 'f', 'generate': 'sheet', 'size': [0.6, 0.4], 'cells': [12, 8], 'material': 'm'}],"
    " 'pins': ['f.left'], 'sets': {'tip': {'body': 'f', 'indices': [12]}},"
    " 'loads': [{'wind': [4, 0, 1], 'profile': {'times': [0, 0.2], 'factors': [0, 1], 'interpolation': 'smooth'}},"
    "  {'force': [0.02, -0.02, 0.05], 'set': 'tip'}], " TIME "}";

typedef struct {
	double balance;  /* [energy] largest */
	double turnover; /* [energy] largest store or entry */
	double momentum; /* largest difference of momentum and what came in, over the largest of either */
} Closing;

static Closing run(const char *scene, double end, double divisor)
{
	g_autofree char *format = g_strdelimit(g_strdup(scene), "'", '"');
	Simulation *simulation = scenes_loadf(format, 0.3 / divisor, 1e-3 / divisor, 1e-3 / divisor);
	Closing closing = {0};
	double first[LEDGER_N], row[LEDGER_N], off = 0.0, size = 0.0;
	ledger_compute(simulation, 0.0, first);
	for (int i = 1; i <= 60; i++) {
		scenes_advance(simulation, end * i / 60);
		ledger_compute(simulation, simulation->avi->time, row);
		closing.balance = fmax(closing.balance, fabs(row[LEDGER_BALANCE]));
		for (int column = LEDGER_KINETIC; column < LEDGER_BALANCE; column++)
			closing.turnover = fmax(closing.turnover, fabs(row[column] - first[column]));
		for (int k = 0; k < 3; k++) {
			double gained = row[LEDGER_MOMENTUM + k] - first[LEDGER_MOMENTUM + k];
			off = fmax(off, fabs(gained - row[LEDGER_IMPULSE + k]));
			size = fmax(size, fmax(fabs(gained), fabs(row[LEDGER_IMPULSE + k])));
			gained = row[LEDGER_ANGULAR_MOMENTUM + k] - first[LEDGER_ANGULAR_MOMENTUM + k];
			off = fmax(off, fabs(gained - row[LEDGER_ANGULAR_IMPULSE + k]));
		}
	}
	closing.momentum = off / size;
	simulation_free(simulation);
	return closing;
}

static void check_closing(const char *name, const char *scene, double end, double divisor, bool moves)
{
	Closing coarse = run(scene, end, 1.0), fine = run(scene, end, divisor);
	double ratio = coarse.balance / fine.balance;
	cr_log_info("%s: balance %.1e of what was turned over, %.1e with steps over %g (ratio %.2f); momentum to %.1e", name,
	    coarse.balance / coarse.turnover, fine.balance / fine.turnover, divisor, ratio, coarse.momentum);
	cr_assert(coarse.balance < 0.02 * coarse.turnover, "%s: balance %g of %g", name, coarse.balance, coarse.turnover);
	/* Second order: 4 for half the steps; bins round steps down by up to a quarter, differently for the two runs. */
	cr_assert(ratio > 2.5, "%s: dividing the steps by %g divides the balance by %g only", name, divisor, ratio);
	if (moves) /* the ball stays where it is, with rounding for momentum */
		cr_assert(coarse.momentum < 1e-10, "%s: momentum %g", name, coarse.momentum);
}

Test(ledger, closes_for_a_ball_that_is_blown_up, .timeout = 300)
{
	check_closing("ball", ball, 0.8, 2.0, false);
}

Test(ledger, closes_for_a_strip_that_a_script_turns, .timeout = 300)
{
	check_closing("strip", strip, 1.5, 2.0, true);
}

Test(ledger, closes_for_a_flag_in_a_gust, .timeout = 300)
{
	/* Its balance is small at any step, a sum of errors of both signs: to see it shrink takes more than half the steps. */
	check_closing("flag", flag, 1.0, 16.0, true);
}

/* Bodies that a script takes away: what they had leaves the ledger, and nothing feels them any more. */
#include "sim/removal.h"
#include "sim/state.h"
#include "support/scenes.h"

/* A bead on a table; a hanging sheet with damping, which has stretching, bending and stations of
 * all kinds; a sheet that a script pulls. */
static const char *table =
    "{'units': 'si', 'materials': {'m': {'young': 2e4, 'thickness': 0.001, 'density': 300, 'stretch_damping': 0.001,"
    "   'bend_damping': 0.001, 'mass_damping': 0.7, 'particle_mass': 0.01}},"
    " 'meshes': [{'name': 'bead', 'generate': 'particles', 'positions': [[0.03, 0.02, 0.01]], 'material': 'm'},"
    "  {'name': 'table', 'generate': 'sheet', 'size': [1, 1], 'cells': [1, 1], 'material': 'm', 'pinned': true,"
    "   'rotate': [{'axis': [1, 0, 0], 'angle': -90}]},"
    "  {'name': 'cloth', 'generate': 'sheet', 'size': [0.3, 0.3], 'cells': [3, 3], 'material': 'm', 'at': [0, 1, 0],"
    "   'velocity': [0.1, 0, 1]},"
    "  {'name': 'pulled', 'generate': 'sheet', 'size': [0.3, 0.3], 'cells': [3, 3], 'material': 'm', 'at': [0, 2, 0]}],"
    " 'pins': ['cloth.top', 'pulled.bottom'], 'loads': [{'force': [0.1, 0, 0], 'set': 'cloth'}, {'wind': [3, 0, 1]}],"
    " 'scripts': [{'set': 'pulled.top', 'keyframes': [{'time': 1, 'translate': [0, 0.03, 0]}]}%s],"
    " 'contact': {'eta1': 0.01, 'restitution': 0}, 'time': {'end': 2}}";

static Simulation *load(const char *removals)
{
	g_autofree char *format = g_strdelimit(g_strdup(table), "'", '"'), *text = g_strdelimit(g_strdup(removals), "'", '"');
	return scenes_loadf(format, text);
}

/* What leaves is the difference between the totals of a run without it and with it; nothing else jumps. */
Test(removal, takes_its_energy_and_momentum_along)
{
	const char *names[] = {"cloth", "pulled", "bead"};
	for (size_t k = 0; k < G_N_ELEMENTS(names); k++) {
		/* Half a step off all ticks: every clock lags then. */
		double time = 0.30004577, before[LEDGER_N], after[LEDGER_N];
		g_autofree char *removal = g_strdup_printf(", {'body': '%s', 'remove_at': %.17g}", names[k], time);
		Simulation *there = load(""), *taken = load(removal);
		scenes_advance(there, time);
		scenes_advance(taken, time);
		ledger_compute(there, time, before);
		ledger_compute(taken, time, after);
		const Body *body = world_find_body(taken->scene->world, names[k]);
		double removed = after[LEDGER_REMOVED], scale = before[LEDGER_KINETIC] + fabs(before[LEDGER_GRAVITATIONAL]);
		cr_log_info("%s: %g J are removed; balance %g, was %g", names[k], removed, after[LEDGER_BALANCE], before[LEDGER_BALANCE]);
		cr_assert_gt(removed, 0.0);
		cr_assert_float_eq(removed, before[LEDGER_TOTAL] - after[LEDGER_TOTAL], 1e-12 * scale);
		cr_assert_float_eq(after[LEDGER_BALANCE], before[LEDGER_BALANCE], 1e-12 * scale);
		cr_assert_float_eq(after[LEDGER_LOST_STRETCH_DAMPING], before[LEDGER_LOST_STRETCH_DAMPING], 1e-15);
		cr_assert_float_eq(after[LEDGER_WORK_SCRIPTS], before[LEDGER_WORK_SCRIPTS], 1e-15);
		for (int c = 0; c < 6; c++)
			cr_assert_float_eq(after[LEDGER_MOMENTUM + c] - after[LEDGER_IMPULSE + c],
			    before[LEDGER_MOMENTUM + c] - before[LEDGER_IMPULSE + c], 1e-12);
		for (uint32_t i = body->first_vertex; i < body->first_vertex + body->n_vertices; i++)
			cr_assert(vec3_is_zero(taken->flight[i].v));
		/* The balance goes on as that of what is left; nothing more is lost with what is gone. */
		scenes_advance(taken, time + 0.2);
		double later[LEDGER_N];
		ledger_compute(taken, taken->avi->time, later);
		cr_assert_eq(later[LEDGER_REMOVED], removed);
		cr_assert_lt(fabs(later[LEDGER_BALANCE] - after[LEDGER_BALANCE]), 1e-4 * scale);
		simulation_free(there);
		simulation_free(taken);
	}
}

/* The energy that a particle has is known: kinetic and gravitational. */
Test(removal, of_a_particle_is_what_it_had)
{
	Simulation *simulation = scenes_load("{\"units\": \"si\", \"materials\": {\"m\": {\"particle_mass\": 0.5}}, \"time\": {\"end\": 2},"
	    " \"meshes\": [{\"name\": \"p\", \"generate\": \"particles\", \"positions\": [[0, 3, 0]], \"material\": \"m\","
	    "   \"velocity\": [2, 0, 0]}, {\"name\": \"q\", \"generate\": \"particles\", \"positions\": [[1, 3, 0]], \"material\": \"m\"}],"
	    " \"scripts\": [{\"body\": \"p\", \"remove_at\": 0.5}]}");
	double row[LEDGER_N];
	scenes_advance(simulation, 1.0);
	ledger_compute(simulation, 1.0, row);
	/* Energy is kept in free fall: 0.5 (2^2/2 + 9.80665 * 3). */
	cr_assert_float_eq(row[LEDGER_REMOVED], 0.5 * (2.0 + 3.0 * 9.80665), 1e-9);
	cr_assert_float_eq(row[LEDGER_BALANCE], 0.0, 1e-9);
	cr_assert_float_eq(scenes_position(simulation, 0).x, 1.0, 1e-12);
	simulation_free(simulation);
}

/* A bead lies on the table until that is taken away, and falls freely from then on. */
Test(removal, of_what_carries_lets_fall)
{
	double time = 1.0, later = 0.25;
	Simulation *simulation = load(", {'body': ['table', 'pulled'], 'remove_at': 1}");
	scenes_advance(simulation, time);
	Vec3 start = scenes_position(simulation, 0);
	double speed = simulation->flight[0].v.y;
	cr_assert(removal_is_gone(simulation, 1) && removal_is_gone(simulation, 3) && !removal_is_gone(simulation, 0));
	cr_assert(start.y > 0.0 && start.y < 0.011, "%g", start.y);
	cr_assert_lt(fabs(speed), 0.02);
	scenes_advance(simulation, time + later);
	/* Drag of 0.7/s: y'' = -g - 0.7 y'. */
	double r = 0.7, decay = exp(-r * later), fall = -9.80665 / r * (later - (1.0 - decay) / r) + speed * (1.0 - decay) / r;
	/* The speed is known to within a kick of gravity. */
	cr_assert_float_eq(scenes_position(simulation, 0).y - start.y, fall, 9.81 / 1024 * later);
	simulation_free(simulation);
}

static void restore(Simulation *simulation, const State *state, StateFit fit)
{
	GError *error = NULL;
	cr_assert(state_restore(simulation, state, fit, "state", &error), "%s", error ? error->message : "");
}

/* A state from before puts the body back; one from after takes it away; a branch does not bring back what is gone, and
 * takes away at once what should be gone already. */
Test(removal, is_part_of_the_state)
{
	Simulation *simulation = load(", {'body': 'table', 'remove_at': 0.5}"), *never = load(""),
	           *early = load(", {'body': 'table', 'remove_at': 0.1}");
	scenes_advance(simulation, 0.4);
	g_autoptr(State) before = state_capture(simulation, NULL);
	scenes_advance(simulation, 0.7);
	g_autoptr(State) after = state_capture(simulation, NULL);
	Vec3 fallen = scenes_position(simulation, 0);
	restore(simulation, before, STATE_SAME);
	cr_assert(!removal_is_gone(simulation, 1));
	scenes_advance(simulation, 0.7);
	cr_assert(removal_is_gone(simulation, 1));
	Vec3 again = scenes_position(simulation, 0);
	cr_assert(fallen.x == again.x && fallen.y == again.y && fallen.z == again.z);
	restore(never, after, STATE_BRANCH);
	cr_assert(removal_is_gone(never, 1) && never->removal[1] == 0.5);
	restore(early, before, STATE_BRANCH);
	cr_assert(!removal_is_gone(early, 1) && early->removal[1] == 0.4);
	scenes_advance(early, 0.4);
	cr_assert(removal_is_gone(early, 1));
	simulation_free(simulation);
	simulation_free(never);
	simulation_free(early);
}

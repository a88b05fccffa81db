/* A shell that is squeezed to a part of its size gains no energy: what the walls have not put in is not there. */
#include "support/scenes.h"

/* Steps as long as usual, and the length of the scene: elements are squeezed hardest at its end. */
Test(crush, a_crushed_shell_gains_no_energy, .timeout = 600)
{
	GError *error = NULL;
	const char *sets[] = {"meshes.hare.vertices=250", "time.safety=0.3", NULL};
	Scene *scene = scene_load(SCENES "/crush.json", sets, &error);
	Simulation *simulation = scene ? simulation_new(scene, &error) : NULL;
	cr_assert_not_null(simulation, "%s", error ? error->message : "");
	double row[LEDGER_N];
	for (int i = 1; i <= 40; i++) {
		scenes_advance(simulation, 0.05 * i);
		ledger_compute(simulation, 0.05 * i, row);
		double given = row[LEDGER_WORK_SCRIPTS];
		cr_assert(row[LEDGER_TOTAL] <= 1.02 * given + 100.0, "at %g s: %g erg where %g were put in", 0.05 * i, row[LEDGER_TOTAL],
		    given);
	}
	cr_log_info("the walls do %.4g erg of work, of which %.4g are left", row[LEDGER_WORK_SCRIPTS], row[LEDGER_TOTAL]);
	cr_assert(row[LEDGER_TOTAL] > 0.8 * row[LEDGER_WORK_SCRIPTS], "only restitution takes anything");
	simulation_free(simulation);
}

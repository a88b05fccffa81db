/* At rest with restitution 0: a stack of sheets comes to rest and stays there; discs that lose all in impacts cluster. */
#include "support/scenes.h"

enum { SHEETS = 4, LOOKS = 97 };

static bool full(void)
{
	return g_getenv("CINCH_FULL") != NULL;
}

/* Four sheets of two triangles on a floor, each turned against the one below; all steps are divided by `accuracy`. */
static Simulation *stack(double accuracy)
{
	GString *sheets = g_string_new(NULL);
	for (int i = 0; i < SHEETS; i++)
		g_string_append_printf(sheets,
		    ", {'name': 's%d', 'generate': 'sheet', 'size': [0.2, 0.2], 'cells': [1, 1], 'material': 'm',"
		    " 'rotate': [{'axis': [0, 0, 1], 'angle': %d}], 'at': [%g, %g, %g]}",
		    i, 17 * i, 0.003 * i, -0.002 * i, 0.0105 * (i + 1));
	g_autofree char *json = g_strdelimit(
	    g_strdup_printf("{'units': 'si', 'gravity': [0, 0, -9.81],"
	                    " 'materials': {'m': {'stretch_stiffness': 500, 'bend_stiffness': 0.002, 'density': 0.3,"
	                    "   'stretch_damping': 0.001, 'bend_damping': 0.002}},"
	                    " 'meshes': [{'name': 'floor', 'generate': 'sheet', 'size': [0.6, 0.6], 'cells': [1, 1], 'material': 'm',"
	                    "   'pinned': true}%s],"
	                    " 'contact': {'eta1': 0.01, 'speed': 2, 'restitution': 0, 'friction': 0.3, 'accuracy': %.17g},"
	                    " 'time': {'end': 20, 'load_step': %.17g, 'safety': %.17g}}",
	        sheets->str, accuracy, 1.0 / 1024.0 / accuracy, 0.3 / accuracy),
	    "'", '"');
	g_string_free(sheets, TRUE);
	return scenes_load(json);
}

typedef struct {
	double height;  /* [length] of the uppermost sheet's middle over the floor, mean of many looks in half a second */
	double kinetic; /* [energy] mean of the same looks */
} Look;

static Look look(Simulation *simulation, double time)
{
	Look look = {0.0, 0.0};
	uint32_t n = world_vertex_count(simulation->scene->world);
	for (int i = 0; i < LOOKS; i++) {
		double row[LEDGER_N];
		scenes_advance(simulation, time + 0.5 * i / LOOKS);
		ledger_compute(simulation, simulation->avi->time, row);
		look.kinetic += row[LEDGER_KINETIC] / LOOKS;
		for (uint32_t v = n - 4; v < n; v++)
			look.height += scenes_position(simulation, v).z / (4 * LOOKS);
	}
	return look;
}

Test(rest, stack_converges_and_does_not_creep, .timeout = 3600)
{
	double end = full() ? 10.0 : 2.5, height[3];
	for (int i = 0; i < 3; i++) {
		Simulation *simulation = stack(1 << i);
		Look first = look(simulation, 1.5), last = look(simulation, end);
		height[i] = last.height;
		cr_log_info("steps / %d: %.8f m high, %.1e m lower than at 1.5 s, kinetic energy %.1e J at 1.5 s and %.1e J at %g s",
		    1 << i, last.height, first.height - last.height, first.kinetic, last.kinetic, end);
		cr_expect_lt(fabs(last.height - first.height), 1e-3 * 0.01, "it creeps");
		cr_expect_lt(last.kinetic, 1e-7);
		simulation_free(simulation);
	}
	cr_log_info("halved, the height changes by %.1e m, halved again by %.1e m", height[1] - height[0], height[2] - height[1]);
	cr_expect_lt(fabs(height[2] - height[1]), 1e-3 * 0.01);
}

/* The variance over the mean of how many discs are in each of 36 equal cells: 1 at random, more in clusters. */
static double clustering(const Simulation *simulation)
{
	int count[36] = {0};
	double mean = 900.0 / 36.0, variance = 0.0;
	const Body *discs = simulation->scene->world->bodies->pdata[1];
	for (uint32_t i = 0; i < discs->n_vertices; i++) {
		Vec3 x = scenes_position(simulation, discs->first_vertex + i);
		int column = CLAMP((int)((x.x + 15.5) / 31.0 * 6.0), 0, 5), row = CLAMP((int)((x.y + 15.5) / 31.0 * 6.0), 0, 5);
		count[6 * row + column]++;
	}
	for (int i = 0; i < 36; i++)
		variance += (count[i] - mean) * (count[i] - mean) / 36.0;
	return variance / mean;
}

static double clustering_at(const char *restitution, double time)
{
	const char *const sets[] = {restitution, NULL};
	GError *error = NULL;
	Scene *scene = scene_load(SCENES "/cooling.json", sets, &error);
	cr_assert_not_null(scene, "%s", error ? error->message : "");
	Simulation *simulation = simulation_new(scene, &error);
	cr_assert_not_null(simulation, "%s", error ? error->message : "");
	scenes_advance(simulation, time);
	double result = clustering(simulation), row[LEDGER_N];
	ledger_compute(simulation, time, row);
	cr_log_info("%s: %.2f of random at %g s; lost %.4g erg, balance %.2g", restitution, result, time,
	    row[LEDGER_LOST_RESTITUTION], row[LEDGER_BALANCE]);
	cr_expect_lt(fabs(row[LEDGER_BALANCE]), 0.01 * row[LEDGER_LOST_RESTITUTION], "the ledger does not close");
	simulation_free(simulation);
	return result;
}

/* Thesis figure 6.11. */
Test(rest, discs_without_restitution_cluster, .timeout = 3600)
{
	double time = full() ? 4.0 : 2.0;
	cr_assert_gt(clustering_at("contact.restitution=0", time), full() ? 6.0 : 2.5);
	cr_assert_lt(clustering_at("contact.restitution=0.9", time), 2.0);
}

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
	double end = full() ? 10.0 : 2.5, height[3], kinetic[3];
	for (int i = 0; i < 3; i++) {
		Simulation *simulation = stack(1 << i);
		Look first = look(simulation, 1.5), last = look(simulation, end);
		height[i] = last.height;
		cr_log_info("steps / %d: %.8f m high, %.1e m lower than at 1.5 s, kinetic energy %.1e J at 1.5 s and %.1e J at %g s",
		    1 << i, last.height, first.height - last.height, first.kinetic, last.kinetic, end);
		cr_expect_lt(fabs(last.height - first.height), 1e-3 * 0.01, "it creeps");
		kinetic[i] = last.kinetic;
		simulation_free(simulation);
	}
	cr_log_info("halved, the height changes by %.1e m, halved again by %.1e m", height[1] - height[0], height[2] - height[1]);
	cr_expect_lt(fabs(height[2] - height[1]), 1e-3 * 0.01);
	/* Velocities that are brought to one time are of second order, of the fourth their energy: once the swinging is over. */
	for (int i = 0; i < 3; i++)
		cr_expect_lt(kinetic[i], full() ? 5e-10 * pow(0.1, i) : 1e-7);
}

/* The least time after which all clocks that tick stand to each other as before: steps are small multiples of powers of two. */
static double common_period(const Simulation *simulation)
{
	enum { PER_SECOND = 1 << 20 };
	const Contact *contact = simulation->contact;
	uint64_t period = 1;
	GArray *steps = g_array_new(FALSE, FALSE, sizeof(double));
	for (guint i = 0; i < simulation->fields->len; i++) {
		const Field *field = simulation->fields->pdata[i];
		for (size_t g = 0; g < field->n_groups; g++)
			g_array_append_val(steps, field->group[g].clock.step);
	}
	for (uint16_t bin = 0; bin < contact->surface->n_bins; bin++)
		g_array_append_val(steps, contact->clock[bin].clock.step); /* layer 1 */
	for (guint i = 0; i < steps->len; i++) {
		uint64_t step = (uint64_t)(g_array_index(steps, double, i) * PER_SECOND), a = period, b = step;
		cr_assert_eq((double)step, g_array_index(steps, double, i) * PER_SECOND);
		while (b != 0) {
			uint64_t rest = a % b;
			a = b;
			b = rest;
		}
		period = period / a * step;
	}
	g_array_unref(steps);
	return (double)period / PER_SECOND;
}

static void find_deepest(const ContactVisit *visit, void *data)
{
	uint32_t *deepest = data;
	*deepest = MAX(*deepest, visit->layer);
}

/* What rests on layers is kicked by each force at its own times and flies between them. There is no jitter in that: after a
 * time that is a multiple of all steps everything is where it was, and as fast, to rounding. */
Test(rest, stack_does_not_jitter, .timeout = 3600)
{
	Simulation *simulation = stack(1.0);
	uint32_t n = world_vertex_count(simulation->scene->world), deepest = 0;
	double period = common_period(simulation), apart = 0.0, faster = 0.0, kinetic = 0.0;
	g_autofree Vec3 *x = g_new(Vec3, n), *v = g_new(Vec3, n);
	scenes_advance(simulation, 50.0 * period);
	contact_visit(simulation->contact, simulation->avi->time, find_deepest, &deepest);
	cr_assert_eq(deepest, 1, "deeper layers have other steps");
	for (uint32_t i = 0; i < n; i++) {
		x[i] = scenes_position(simulation, i);
		v[i] = simulation->flight[i].v;
	}
	scenes_advance(simulation, 51.0 * period);
	for (uint32_t i = 0; i < n; i++) {
		Vec3 way = vec3_sub(scenes_position(simulation, i), x[i]);
		apart = fmax(apart, vec3_norm(way));
		faster = fmax(faster, vec3_norm(vec3_sub(simulation->flight[i].v, v[i])));
		kinetic += 0.5 * g_array_index(simulation->scene->world->mass, double, i) * vec3_norm2(way) / period / period;
	}
	cr_log_info("%.6g s later, all clocks as before: within %.1e m and %.1e m/s; kinetic energy of the mean velocities %.1e J",
	    period, apart, faster, kinetic);
	cr_expect_lt(apart, 1e-15);
	cr_expect_lt(faster, 1e-12);
	cr_expect_lt(kinetic, 1e-30);
	simulation_free(simulation);
}

/* The largest kinetic energy in a second, looked at in all phases of the steps. */
static double kinetic_of_bead(double load_step, double time)
{
	static const char *bead =
	    "{'units': 'si', 'gravity': [0, 0, -9.81], 'materials': {'m': {'particle_mass': 1, 'density': 1}},"
	    " 'meshes': [{'name': 'p', 'generate': 'particles', 'positions': [[0, 0.1, 0.097]], 'material': 'm'},"
	    "  {'name': 'floor', 'generate': 'sheet', 'size': [4, 4], 'cells': [1, 1], 'material': 'm', 'pinned': true}],"
	    " 'contact': {'eta1': 0.1, 'r1': 1000, 'restitution': 0}, 'time': {'end': 100, 'load_step': %.17g}}";
	g_autofree char *format = g_strdelimit(g_strdup(bead), "'", '"');
	Simulation *simulation = scenes_loadf(format, load_step);
	double most = 0.0, row[LEDGER_N];
	for (int i = 0; i <= LOOKS; i++) {
		scenes_advance(simulation, time + (double)i / LOOKS);
		ledger_compute(simulation, simulation->avi->time, row);
		most = fmax(most, row[LEDGER_KINETIC]);
	}
	simulation_free(simulation);
	return most;
}

/* Where gravity ticks with the layer (here at 1/128 s), kicks cancel, and what rests has no velocity at all. */
Test(rest, bead_in_step_with_gravity_has_no_motion_left, .timeout = 300)
{
	double first = kinetic_of_bead(1.0 / 128.0, 1.0), together = kinetic_of_bead(1.0 / 128.0, 40.0),
	       apart = kinetic_of_bead(1.0 / 1024.0, 40.0);
	cr_log_info("gravity at the ticks of the layer: %.1e J after 1 s, %.1e J after 40 s; eight times as often: %.1e J", first,
	    together, apart);
	cr_expect_gt(first, 1e-7);
	cr_expect_lt(together, 1e-28);
	cr_expect_lt(apart, 1e-7);
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

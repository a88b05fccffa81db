/* What contact takes away: restitution and friction against what the textbook says. */
#include "support/scenes.h"

/* Pinned ground: as many floors closely above each other, each a contact of its own, in as many cells along each side. */
typedef struct {
	int floors, cells;
	double speeds[4]; /* 0: no more */
} Ground;

static const Ground grounds[] = {
    {1, 1, {0.05, 0.5, 5.0, 50.0}}, {1, 50, {0.05, 5.0, 50.0}}, {10, 1, {0.05, 0.5}}, {100, 1, {0.05, 0.5}}};

/* A particle thrown at ground, head on or at 45 degrees: the ratio of its speeds. */
static double ratio(double e, const char *model, double speed, const Ground *ground, double slope, double accuracy, uint32_t *pairs)
{
	GString *floors = g_string_new(NULL);
	for (int i = 0; i < ground->floors; i++)
		g_string_append_printf(floors,
		    "{'generate': 'sheet', 'size': [0.8, 0.8], 'cells': [%d, %d], 'material': 'm', 'pinned': true, 'at': [0, 0, %g]}, ",
		    ground->cells, ground->cells, -1e-6 * i);
	g_autofree char *json = g_strdelimit(
	    g_strdup_printf("{'units': 'si', 'gravity': [0, 0, 0], 'materials': {'m': {'particle_mass': 1, 'density': 1}},"
	                    " 'meshes': [%s{'name': 'p', 'generate': 'particles', 'positions': [[%.17g, 0.11, 0.23]], 'material': 'm',"
	                    "   'velocity': [%.17g, 0, %.17g]}], 'contact': {'eta1': 0.1, 'r1': 1000, 'restitution': %.17g,"
	                    "   'restitution_model': '%s', 'accuracy': %.17g}, 'time': {'end': 1e4}}",
	        floors->str, 0.03 - 0.23 * slope, slope * speed, -speed, e, model, accuracy),
	    "'", '"');
	Simulation *simulation = scenes_load(json);
	scenes_advance(simulation, 0.4 / speed * (1.0 + 3.0 / fmax(e, 0.03)));
	double result = simulation->flight[world_vertex_count(simulation->scene->world) - 1].v.z / speed, row[LEDGER_N];
	ledger_compute(simulation, simulation->avi->time, row);
	if (e < 1.0)
		cr_assert_geq(row[LEDGER_LOST_RESTITUTION], 0.0);
	*pairs = simulation->contact->count.most_crowded;
	simulation_free(simulation);
	g_string_free(floors, TRUE);
	return result;
}

/* Without losses the error of the steps grows with the number of contacts: bench/README.md. */
static double accuracy_for(const Ground *ground, double e)
{
	return ground->floors == 1 ? 1.0 : e == 1.0 || ground->floors > 10 ? 8.0 : 1.0;
}

static void check_ratio(double e, const Ground *ground)
{
	double least = INFINITY, most = -INFINITY;
	uint32_t pairs = 0, crowd = 0;
	for (size_t i = 0; i < G_N_ELEMENTS(ground->speeds) && ground->speeds[i] > 0.0; i++)
		for (int slope = 0; slope < 2; slope++) {
			double measured = ratio(e, "speed", ground->speeds[i], ground, slope, accuracy_for(ground, e), &pairs);
			least = fmin(least, measured);
			most = fmax(most, measured);
			crowd = MAX(crowd, pairs);
		}
	cr_log_info("e = %g, %d floors of %d cells: %.4f to %.4f, %u pairs", e, ground->floors, ground->cells, least, most, crowd);
	cr_assert_geq(crowd, ground->cells == 1 ? (uint32_t)ground->floors : 100u);
	if (e == 0.0)
		cr_assert(least >= 0.0 && most <= 0.1, "e = 0: %g to %g", least, most);
	else
		cr_assert(least >= 0.95 * e && most <= 1.05 * e, "e = %g: %g to %g", e, least, most);
}

Test(losses, restitution_is_the_ratio_of_speeds, .timeout = 600)
{
	const double es[] = {1.0, 0.9, 0.5, 0.2, 0.0};
	for (size_t i = 0; i < G_N_ELEMENTS(es); i++)
		for (size_t k = 0; k < G_N_ELEMENTS(grounds); k++)
			check_ratio(es[i], &grounds[k]);
}

/* The thesis' model has the error of the steps on both ways, at every e. */
Test(losses, thesis_restitution, .timeout = 600)
{
	const double es[] = {0.9, 0.5}, speeds[] = {0.05, 0.5, 5.0};
	for (size_t a = 0; a < G_N_ELEMENTS(es); a++)
		for (size_t b = 0; b < G_N_ELEMENTS(speeds); b++) {
			uint32_t pairs;
			double measured = ratio(es[a], "thesis", speeds[b], &grounds[0], 0.0, 2.0, &pairs);
			cr_expect_lt(fabs(measured - es[a]), 0.05 * es[a], "e = %g at %g m/s: %g", es[a], speeds[b], measured);
			cr_expect_neq(measured, ratio(es[a], "speed", speeds[b], &grounds[0], 0.0, 2.0, &pairs));
		}
}

/* A patch on a plane; gravity is tilted by an angle of the tangent `steepness`. */
static const char *patch =
    "{'units': 'si', 'gravity': [%.17g, 0, %.17g],"
    " 'materials': {'m': {'stretch_stiffness': 2000, 'density': 1, 'bend_stiffness': 0.01, 'stretch_damping': 0.001}},"
    " 'meshes': [{'name': 'p', 'generate': 'sheet', 'size': [0.2, 0.2], 'cells': [%d, %d], 'material': 'm', 'at': [0, 0, 0.0085],"
    "   'rotate': [{'axis': [0, 0, 1], 'angle': 23}]},"
    "  {'name': 'floor', 'generate': 'sheet', 'size': [4, 1.5], 'cells': [%d, %d], 'material': 'm', 'pinned': true,"
    "   'at': [1.5, 0.013, 0]}],"
    " 'contact': {'eta1': 0.01, 'restitution': 0, 'friction': %.17g}, 'time': {'end': 10}}";

typedef struct {
	double way, acceleration; /* [length], [length/s^2] along the slope, in the second after the first */
} Slide;

static double place(Simulation *simulation, double time)
{
	const Body *body = simulation->scene->world->bodies->pdata[0];
	double sum = 0.0;
	scenes_advance(simulation, time);
	for (uint32_t i = 0; i < body->n_vertices; i++)
		sum += scenes_position(simulation, i).x / body->n_vertices;
	return sum;
}

static Slide slide(double mu, double steepness, int cells, int floor_cells)
{
	g_autofree char *format = g_strdelimit(g_strdup(patch), "'", '"');
	double cosine = 1.0 / sqrt(1.0 + steepness * steepness);
	Simulation *simulation = scenes_loadf(format, 9.81 * cosine * steepness, -9.81 * cosine, cells, cells, floor_cells,
	    MAX(1, floor_cells * 3 / 8), mu);
	double a = place(simulation, 1.0), b = place(simulation, 1.5), c = place(simulation, 2.0);
	simulation_free(simulation);
	return (Slide){c - a, (c - 2.0 * b + a) / 0.25};
}

static void check_slide(double mu, int cells, int floor_cells)
{
	double steep = 1.05 * mu, expected = 9.81 * (steep - mu) / sqrt(1.0 + steep * steep);
	Slide below = slide(mu, 0.95 * mu, cells, floor_cells), above = slide(mu, steep, cells, floor_cells);
	cr_log_info("mu = %g, %d cells on %d: at 0.95 mu %.1e eta1 in a second; at 1.05 mu %.4f m/s^2, expected %.4f", mu,
	    cells * cells, floor_cells, below.way / 0.01, above.acceleration, expected);
	cr_assert_lt(fabs(below.way), 0.01 * 0.01, "mu = %g, %d cells on %d: slips by %g", mu, cells * cells, floor_cells, below.way);
	cr_assert_lt(fabs(above.acceleration - expected), 0.03 * expected, "mu = %g, %d cells on %d: %g", mu, cells * cells,
	    floor_cells, above.acceleration);
}

Test(losses, friction_holds_and_slides, .timeout = 600)
{
	check_slide(0.2, 1, 1);
	check_slide(0.6, 1, 1);
	check_slide(0.6, 1, 40);
}

/* A mesh on a mesh: the ground is as flat as if it were in one piece. */
Test(losses, friction_holds_and_slides_on_meshes, .timeout = 600)
{
	check_slide(0.2, 2, 20);
	check_slide(0.6, 4, 20);
}

/* What the ledger leaves unexplained at a time of a scene, and what has changed until then. */
typedef struct {
	double balance, changed, lost;
} Books;

static Books books_of(const char *name, double time, const char *const *overrides)
{
	g_autofree char *path = g_strdup_printf("%s/%s.json", SCENES, name);
	GError *error = NULL;
	Scene *scene = scene_load(path, overrides, &error);
	cr_assert_not_null(scene, "%s", error ? error->message : "");
	Simulation *simulation = simulation_new(scene, &error);
	cr_assert_not_null(simulation, "%s", error ? error->message : "");
	double before[LEDGER_N], after[LEDGER_N];
	ledger_compute(simulation, 0.0, before);
	scenes_advance(simulation, time);
	ledger_compute(simulation, simulation->avi->time, after);
	Books books = {.balance = after[LEDGER_BALANCE], .lost = after[LEDGER_LOST_RESTITUTION]};
	for (int k = LEDGER_KINETIC; k < LEDGER_BALANCE; k++)
		books.changed += k == LEDGER_TOTAL ? 0.0 : fabs(after[k] - before[k]);
	simulation_free(simulation);
	return books;
}

/* Energy is accounted for in every scene that loses some: by the rule of cinch verify, a tenth of what has changed. */
Test(losses, ledger_closes_in_scenes, .timeout = 3600)
{
	static const struct {
		const char *name;
		double end, whole;
	} scenes[] = {{"cooling", 0.5, 4.0}, {"sludge", 0.4, 2.5}, {"stack", 0.8, 1.5}, {"stack_incline", 0.5, 0.7},
	    {"trough", 0.3, 0.6}, {"belt", 0.05, 1.1}, {"cards", 0.5, 5.0}, {"rod", 2.2, 2.6}};
	for (size_t i = 0; i < G_N_ELEMENTS(scenes); i++) {
		Books books = books_of(scenes[i].name, g_getenv("CINCH_FULL") ? scenes[i].whole : scenes[i].end, NULL);
		double share = books.balance / books.changed;
		cr_log_info("%s: balance %.3g of %.3g, %.2f%%", scenes[i].name, books.balance, books.changed, 100.0 * share);
		cr_expect(fabs(share) < 0.1 && books.lost > 0.0, "%s: %g", scenes[i].name, share);
	}
}

/* A knot is pulled tight, and contacts last in which tension kicks all the time: what is unexplained is the steps' error. */
Test(losses, ledger_of_a_knot_closes_as_steps_are_halved, .timeout = 3600)
{
	static const char *const halved[] = {"time.safety=0.15", NULL};
	Books coarse = books_of("overhand", 3.0, NULL), fine = books_of("overhand", 3.0, halved);
	cr_log_info("overhand: balance %.3g of %.3g, with half steps %.3g", coarse.balance, coarse.changed, fine.balance);
	cr_expect_lt(fabs(coarse.balance), 0.05 * coarse.changed);
	cr_expect_lt(4.0 * fabs(fine.balance), fabs(coarse.balance));
}

/* A scripted ball runs along the pinned rim of a sheet: closest points on held vertices only, which nothing moves. */
Test(losses, held_against_held_is_nothing, .timeout = 600)
{
	static const char *rim =
	    "{'units': 'si', 'materials': {'m': {'stretch_stiffness': 100, 'density': 1, 'particle_mass': 1}},"
	    " 'meshes': [{'name': 'p', 'generate': 'particles', 'positions': [[-0.4, 0.005, 0.52]], 'material': 'm'},"
	    "  {'name': 'carpet', 'generate': 'sheet', 'size': [1, 1], 'cells': [4, 4], 'material': 'm',"
	    "   'rotate': [{'axis': [1, 0, 0], 'angle': 90}]}],"
	    " 'sets': {'rim': {'body': 'carpet', 'box': [[-1, -1, 0.4], [1, 1, 1]]}}, 'pins': ['rim'],"
	    " 'scripts': [{'set': 'p', 'keyframes': [{'time': 0.5, 'translate': [0.8, 0, 0]}]}],"
	    " 'contact': {'eta1': 0.05, 'r1': 100, 'restitution': 0.4, 'friction': 0.3}, 'time': {'end': 1}}";
	g_autofree char *json = g_strdelimit(g_strdup(rim), "'", '"');
	Simulation *simulation = scenes_load(json);
	scenes_advance(simulation, 0.5);
	double row[LEDGER_N];
	ledger_compute(simulation, 0.5, row);
	cr_expect_gt(simulation->contact->count.in_range, 0, "nothing touches");
	for (int i = 0; i < LEDGER_N; i++)
		cr_expect(isfinite(row[i]));
	simulation_free(simulation);
}

/* Two sheets that meet askew and rub, and the floor below one: what the momenta have changed by came from outside. */
Test(losses, momenta_are_accounted_for, .timeout = 600)
{
	static const char *rubbing =
	    "{'units': 'si', 'gravity': [0, 0, -9.81], 'materials': {'m': {'stretch_stiffness': 500, 'bend_stiffness': 0.002,"
	    "   'density': 0.3, 'stretch_damping': 0.001, 'bend_damping': 0.002}},"
	    " 'meshes': [{'name': 'floor', 'generate': 'sheet', 'size': [0.6, 0.6], 'cells': [1, 1], 'material': 'm', 'pinned': true},"
	    "  {'name': 'a', 'generate': 'sheet', 'size': [0.2, 0.2], 'cells': [2, 2], 'material': 'm', 'at': [0, 0, 0.012]},"
	    "  {'name': 'b', 'generate': 'sheet', 'size': [0.2, 0.2], 'cells': [2, 2], 'material': 'm', 'at': [0.03, 0, 0.04],"
	    "   'rotate': [{'axis': [0, 0, 1], 'angle': 20}], 'velocity': [0.4, 0.1, -0.5]}],"
	    " 'contact': {'eta1': 0.01, 'speed': 2, 'restitution': 0.3, 'friction': 0.4}, 'time': {'end': 10}}";
	g_autofree char *json = g_strdelimit(g_strdup(rubbing), "'", '"');
	Simulation *simulation = scenes_load(json);
	double first[LEDGER_N], row[LEDGER_N], off = 0.0, size = 0.0;
	ledger_compute(simulation, 0.0, first);
	for (int i = 1; i <= 50; i++) {
		scenes_advance(simulation, 0.00777 * i);
		ledger_compute(simulation, simulation->avi->time, row);
		for (int k = LEDGER_MOMENTUM; k < LEDGER_IMPULSE; k++) {
			off = fmax(off, fabs(row[k] - first[k] - row[k + LEDGER_IMPULSE - LEDGER_MOMENTUM]));
			size = fmax(size, fabs(row[k]));
		}
	}
	cr_log_info("momenta within %.1e of what came in; friction took %.2g J, restitution %.2g J, balance %.2g J", off / size,
	    row[LEDGER_LOST_FRICTION], row[LEDGER_LOST_RESTITUTION], row[LEDGER_BALANCE]);
	cr_expect_gt(row[LEDGER_LOST_FRICTION], 1e-4);
	cr_expect_lt(off, 1e-11 * size);
	cr_expect_lt(fabs(row[LEDGER_BALANCE]), 0.05 * (row[LEDGER_LOST_FRICTION] + row[LEDGER_LOST_RESTITUTION]));
	simulation_free(simulation);
}

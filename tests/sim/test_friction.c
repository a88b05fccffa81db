/* Friction that holds: a belt around a drum, a house of cards; and the thesis' model, which may turn a slide around. */
#include "support/scenes.h"

static bool full(void)
{
	return g_getenv("CINCH_FULL") != NULL;
}

static void append_point(GString *text, double radius, double angle, double along)
{
	/* Against the sense of the path, `along` it. */
	double x = radius * cos(angle) + along * sin(angle), y = radius * sin(angle) - along * cos(angle);
	g_string_append_printf(text, "%s[%.17g, %.17g, 0]", text->len > 0 ? ", " : "", x, y);
}

/* Around a drum of radius 2 by `phi`, with straight ends. */
static char *belt_path(double phi)
{
	GString *text = g_string_new(NULL);
	double radius = 2.045, from = 0.5 * (G_PI + phi);
	int n = (int)lround(phi * 12.0 / G_PI);
	append_point(text, radius, from, -2.2);
	append_point(text, radius, from, -1.1);
	for (int i = 0; i <= n; i++)
		append_point(text, radius, from - phi * i / n, 0.0);
	append_point(text, radius, from - phi, 1.1);
	append_point(text, radius, from - phi, 2.2);
	return g_string_free(text, FALSE);
}

/* A belt with 1000 dyn at its end is pulled at the other by 2 cm/s; what the pull is while all of it slides, over 1000 dyn. */
static double capstan(double mu, double phi)
{
	g_autofree char *path = belt_path(phi);
	double from = 0.5 * (G_PI + phi), to = from - phi;
	g_autofree char *json = g_strdelimit(
	    g_strdup_printf("{'units': 'cgs', 'gravity': [0, 0, 0],"
	                    " 'materials': {'belt': {'stretch_stiffness': 200000, 'bend_stiffness': 0.01, 'density': 0.5,"
	                    "   'stretch_damping': 0.0005, 'bend_damping': 0.001, 'mass_damping': 0.5}, 'drum': {'density': 1}},"
	                    " 'meshes': [{'name': 'drum', 'generate': 'tube', 'radius': 2, 'length': 1.2, 'cells': [60, 3],"
	                    "   'material': 'drum', 'pinned': true, 'rotate': [{'axis': [1, 0, 0], 'angle': 90}]},"
	                    "  {'name': 'belt', 'generate': 'ribbon', 'width': 0.5, 'cells_across': 1, 'cell_length': 0.25,"
	                    "   'normal': [%.17g, %.17g, 0], 'material': 'belt', 'path': [%s]}],"
	                    " 'loads': [{'force': [%.17g, %.17g, 0], 'set': 'belt.end'}],"
	                    " 'scripts': [{'set': 'belt.start', 'interpolation': 'linear', 'keyframes': [{'time': 0.5,"
	                    "   'translate': [%.17g, %.17g, 0]}]}],"
	                    " 'contact': {'eta1': 0.05, 'speed': 40, 'restitution': 0, 'friction': %g},"
	                    " 'time': {'end': 1, 'load_step': 0.0002}}",
	        cos(from), sin(from), path, 1000.0 * sin(to), -1000.0 * cos(to), -sin(from), cos(from), mu),
	    "'", '"');
	Simulation *simulation = scenes_load(json);
	double before[LEDGER_N], after[LEDGER_N];
	scenes_advance(simulation, 0.4);
	ledger_compute(simulation, 0.4, before);
	scenes_advance(simulation, 0.5);
	ledger_compute(simulation, 0.5, after);
	simulation_free(simulation);
	return (after[LEDGER_WORK_SCRIPTS] - before[LEDGER_WORK_SCRIPTS]) / 0.2 / 1000.0;
}

static void check_capstan(double mu, double degrees)
{
	double phi = degrees * G_PI / 180.0, measured = capstan(mu, phi), expected = exp(mu * phi);
	cr_log_info("mu = %g, %g degrees: %.4f, expected %.4f, %+.2f%%", mu, degrees, measured, expected,
	    100.0 * (measured / expected - 1.0));
	cr_assert_lt(fabs(measured / expected - 1.0), 0.05, "mu = %g, %g degrees: %g, not %g", mu, degrees, measured, expected);
}

Test(friction, belt_around_a_drum, .timeout = 1800)
{
	static const double mus[] = {0.1, 0.3, 0.5}, angles[] = {90.0, 180.0, 240.0};
	if (!full()) {
		check_capstan(0.5, 90.0);
		return;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(mus); i++)
		for (size_t k = 0; k < G_N_ELEMENTS(angles); k++)
			check_capstan(mus[i], angles[k]);
}

/* The height of the card across the house at a time [cm]; it is the last body. */
static double deck(Simulation *simulation, double time)
{
	const GPtrArray *bodies = simulation->scene->world->bodies;
	const Body *body = bodies->pdata[bodies->len - 1];
	double sum = 0.0;
	scenes_advance(simulation, time);
	for (uint32_t i = 0; i < body->n_vertices; i++)
		sum += scenes_position(simulation, body->first_vertex + i).y / body->n_vertices;
	return sum;
}

static Simulation *cards(const char *friction)
{
	const char *const sets[] = {friction, NULL};
	GError *error = NULL;
	Scene *scene = scene_load(SCENES "/cards.json", sets, &error);
	cr_assert_not_null(scene, "%s", error ? error->message : "");
	Simulation *simulation = simulation_new(scene, &error);
	cr_assert_not_null(simulation, "%s", error ? error->message : "");
	return simulation;
}

Test(friction, house_of_cards, .timeout = 1800)
{
	Simulation *stands = cards("contact.friction=0.5"), *falls = cards("contact.friction=0.25");
	double end = full() ? 5.0 : 0.8, first = deck(stands, 0.3), last = deck(stands, end), fallen = deck(falls, 0.5);
	cr_log_info("at %g s: %.6f cm above the table, %.1e less than at 0.3 s; with half of mu %.3f", end, last, first - last, fallen);
	cr_assert_lt(fabs(last - first), 0.01);
	cr_assert_lt(fallen, 2.0);
	simulation_free(stands);
	simulation_free(falls);
}

typedef struct {
	double least, most, bound; /* [length/s] */
} Range;

/* A bead slides to rest on a floor. Least and largest velocity along it in the second after that. */
static Range range_of_rest(const char *model)
{
	static const char *bead =
	    "{'units': 'si', 'gravity': [0, 0, -9.81], 'materials': {'m': {'particle_mass': 1, 'density': 1}},"
	    " 'meshes': [{'name': 'p', 'generate': 'particles', 'positions': [[0, 0.1, 0.097]], 'material': 'm',"
	    "   'velocity': [0.5, 0, 0]},"
	    "  {'name': 'floor', 'generate': 'sheet', 'size': [4, 4], 'cells': [1, 1], 'material': 'm', 'pinned': true}],"
	    " 'contact': {'eta1': 0.1, 'r1': 1000, 'restitution': 0, 'friction': 0.5, 'friction_model': '%s'}, 'time': {'end': 10}}";
	g_autofree char *format = g_strdelimit(g_strdup(bead), "'", '"');
	Simulation *simulation = scenes_loadf(format, model);
	Range range = {INFINITY, -INFINITY, 0.0};
	for (int i = 0; i < 10000; i++) {
		scenes_advance(simulation, 1.0 + 1e-4 * i);
		range.least = fmin(range.least, simulation->flight[0].v.x);
		range.most = fmax(range.most, simulation->flight[0].v.x);
	}
	const Contact *contact = simulation->contact;
	range.bound = 0.5 * contact->layers->stiffness[1] * contact->layers->eta[1] * surface_bin_step(contact->surface, 0);
	cr_assert_eq(contact->count.deepest, 1);
	simulation_free(simulation);
	return range;
}

/* Thesis section 6.3: a tick may turn a slide around, by mu r eta h over the mass and not more; here 1 kg. */
Test(friction, thesis_model_reverses_within_its_bound, .timeout = 300)
{
	Range thesis = range_of_rest("thesis"), spring = range_of_rest("spring");
	cr_log_info("thesis: %.2e to %.2e m/s, bound %.2e; spring: %.1e to %.1e", thesis.least, thesis.most, thesis.bound,
	    spring.least, spring.most);
	cr_assert_lt(thesis.least, 0.0, "it never reverses");
	cr_assert(thesis.least >= -thesis.bound && thesis.most <= thesis.bound);
	cr_assert(fabs(spring.least) < 1e-6 && fabs(spring.most) < 1e-6);
}

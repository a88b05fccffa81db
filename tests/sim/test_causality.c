/* Contact happens in the order of its causes (thesis figure 6.2): a ball that is moved fast through a stack of curtains
 * reaches the first, that one the second, and so on. Without gravity curtains hang still until something comes to them. */
#include "support/scenes.h"

enum { CURTAINS = 4 };

static const double ETA1 = 0.008, BALL_SPEED = 10.0, END = 0.012; /* [m], [m/s], [s] */
static const double SAMPLE = 1e-5;                                /* [s] less than any step of the first layers */
/* [m/s] Elements at rest have strains of rounding errors, which move vertices at 1e-12 m/s; contact does at 1e-3. */
static const double STILL = 1e-9;

static const char *const SCENE =
    "{'units': 'si', 'gravity': [0, 0, 0], 'time': {'end': 0.02},"
    " 'materials': {'m': {'young': 1e5, 'poisson': 0.3, 'thickness': 0.0006, 'density': 350, 'stretch_damping': 0.0002}},"
    " 'meshes': [{'name': 'ball', 'generate': 'sphere', 'radius': 0.06, 'subdivisions': 1, 'material': 'm',"
    "   'at': [0.003, 0.004, -0.09]},"
    "  {'name': 'c1', 'generate': 'sheet', 'size': [0.3, 0.3], 'cells': [6, 6], 'material': 'm'},"
    "  {'name': 'c2', 'generate': 'sheet', 'size': [0.3, 0.3], 'cells': [6, 6], 'material': 'm', 'at': [0, 0, 0.02]},"
    "  {'name': 'c3', 'generate': 'sheet', 'size': [0.3, 0.3], 'cells': [6, 6], 'material': 'm', 'at': [0, 0, 0.04]},"
    "  {'name': 'c4', 'generate': 'sheet', 'size': [0.3, 0.3], 'cells': [6, 6], 'material': 'm', 'at': [0, 0, 0.06]}],"
    " 'pins': ['c1.top', 'c2.top', 'c3.top', 'c4.top'],"
    " 'scripts': [{'set': 'ball', 'interpolation': 'linear', 'keyframes': [{'time': 0.02, 'translate': [0, 0, 0.2]}]}],"
    " 'contact': {'eta1': 0.008, 'speed': 10}}";

static double largest_speed(const Simulation *simulation, const Body *body)
{
	double most = 0.0;
	for (uint32_t i = 0; i < body->n_vertices; i++)
		most = fmax(most, vec3_norm(simulation->flight[body->first_vertex + i].v));
	return most;
}

/* The distance of two bodies now: over all their pairs, without any detection. */
static double distance_of_bodies(const Simulation *simulation, const GArray *pairs, uint32_t a, uint32_t b)
{
	const uint32_t *body = simulation->contact->surface->vertex_body;
	double least = INFINITY;
	for (guint i = 0; i < pairs->len; i++) {
		const ContactPair *pair = &g_array_index(pairs, ContactPair, i);
		uint32_t p = body[pair->vertex[0]], q = body[pair->vertex[distance_first[pair->kind]]];
		if (!(p == a && q == b) && !(p == b && q == a))
			continue;
		Vec3 x[PAIR_MOST_CORNERS];
		for (int c = 0; c < distance_corners[pair->kind]; c++)
			x[c] = scenes_position(simulation, pair->vertex[c]);
		least = fmin(least, distance_closest(pair->kind, x).distance);
	}
	return least;
}

/* The time at which a curtain (body k) is seen to move for the first time; with the curtains behind it still. */
static double first_motion(Simulation *simulation, uint32_t k)
{
	const GPtrArray *bodies = simulation->scene->world->bodies;
	double now = simulation->avi->time;
	while (largest_speed(simulation, bodies->pdata[k]) < STILL) {
		for (uint32_t behind = k + 1; behind <= CURTAINS; behind++)
			cr_assert_lt(largest_speed(simulation, bodies->pdata[behind]), STILL,
			    "curtain %u moves at %.6f s, before curtain %u", behind, now, k);
		now += SAMPLE;
		cr_assert_lt(now, END, "curtain %u has not moved", k);
		scenes_advance(simulation, now);
	}
	return now;
}

Test(causality, front_to_back, .timeout = 300)
{
	g_autofree char *json = g_strdelimit(g_strdup(SCENE), "'", '"');
	Simulation *simulation = scenes_load(json);
	simulation->threads = 1;
	g_autoptr(GArray) pairs = surface_all_pairs(simulation->contact->surface);
	/* The ball is 0.03 m away at first. */
	double before = (0.03 - ETA1) / BALL_SPEED;
	for (uint32_t k = 1; k <= CURTAINS; k++) {
		double time = first_motion(simulation, k);
		double gap = distance_of_bodies(simulation, pairs, k - 1, k);
		cr_log_info("curtain %u moves at %.5f s, %.4g m from what is before it", k, time, gap);
		cr_assert_gt(time, before, "curtain %u moves at %.6f s, too soon", k, time);
		/* They were in range at a tick since the last sample; the gap may have opened again by what they go in one. */
		double way = SAMPLE * (largest_speed(simulation, simulation->scene->world->bodies->pdata[k - 1]) +
		                          largest_speed(simulation, simulation->scene->world->bodies->pdata[k]));
		cr_assert_lt(gap, ETA1 + way, "curtain %u moves at %.6f s, when what is before it is %g m away", k, time, gap);
		before = time;
	}
	simulation_free(simulation);
}

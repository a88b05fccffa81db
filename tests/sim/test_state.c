/* A state is all that the motion depends on: a simulation that is given one goes on with the same bits as the one that it
 * was taken from, motion and ledger, wherever it was taken; and a file that is not such a state is refused. */
#include "sim/state.h"
#include "support/scenes.h"
#include <string.h>

/* Springs, hinges, wind, a load with a profile, damping of every kind; scripts, one of which is over before the end. */
static const char *shells =
    "{'units': 'si', 'materials': {'m': {'young': 1e5, 'thickness': 0.001, 'density': 300, 'stretch_damping': 0.0003,"
    "  'bend_damping': 0.0005, 'mass_damping': 0.4}},"
    " 'meshes': [{'name': 's', 'generate': 'sheet', 'size': [0.6, 0.3], 'cells': [8, 4], 'material': 'm'},"
    "  {'name': 'ball', 'generate': 'sphere', 'radius': 0.1, 'subdivisions': 1, 'at': [0, 0, 1], 'material': 'm'}],"
    " 'pins': ['s.left'], 'scripts': [{'set': 's.right', 'axis': [1, 0, 0], 'keyframes': [{'time': 0.03, 'rotate': 20},"
    "  {'time': 0.05, 'rotate': 15}]}], 'sets': {'tip': {'body': 'ball', 'indices': [3]}},"
    " 'loads': [{'wind': [4, 0, 1], 'profile': {'times': [0, 0.04], 'factors': [0, 1], 'interpolation': 'smooth'}},"
    "  {'force': [0.02, -0.02, 0.05], 'set': 'tip'}, {'pressure': 30, 'bodies': ['ball']}],"
    " 'time': {'end': 0.1%s}}";

/* A sheet that falls onto a ball that a script pushes, beside which it also meets itself. */
static const char *meshes =
    "{'units': 'si', 'materials': {'m': {'young': 3e4, 'thickness': 0.001, 'density': 300, 'stretch_damping': 0.0002}},"
    " 'meshes': [{'name': 's', 'generate': 'sheet', 'size': [0.4, 0.4], 'cells': [6, 6], 'rotate': [{'axis': [1, 0, 0],"
    "   'angle': 83}], 'velocity': [0, -1.5, 0], 'at': [0, 0.118, 0], 'material': 'm'},"
    "  {'name': 'ball', 'generate': 'sphere', 'radius': 0.09, 'subdivisions': 2, 'material': 'm'}],"
    " 'scripts': [{'set': 'ball', 'keyframes': [{'time': 0.05, 'translate': [0, 0.03, 0.01]}]}],"
    " 'contact': {%s}, 'time': {'end': 0.08}}";

/* Balls that run into each other and into the walls of a pinned box, with hardly a force. */
static const char *particles =
    "{'units': 'si', 'gravity': [0, -3, 0], 'materials': {'m': {'particle_mass': 0.01, 'density': 0.01}},"
    " 'meshes': [{'name': 'gas', 'generate': 'particles', 'size': [0.8, 0.8, 0.8], 'count': [3, 3, 3], 'jitter': 0.5,"
    "   'seed': 4, 'thickness': 0.08, 'velocity': [3, -2, 1], 'spin': [4, 1, -2], 'material': 'm'},"
    "  {'name': 'box', 'generate': 'box', 'size': [1, 1, 1], 'pinned': true, 'material': 'm'}],"
    " 'contact': {'eta1': 0.02, 'speed': 3%s}, 'time': {'end': 0.5}}";

/* A chain of loose edges across a falling sheet, in deep layers: steps are refined here. */
static const char *chain =
    "{'units': 'si', 'materials': {'m': {'stretch_stiffness': 40, 'bend_stiffness': 1e-5, 'density': 0.2,"
    "  'line_density': 0.02}},"
    " 'meshes': [{'name': 'chain', 'generate': 'chain', 'from': [-0.3, 0.02, 0.03], 'to': [0.3, 0.02, -0.05], 'links': 8,"
    "   'velocity': [0, -4, 0], 'thickness': 0.01, 'material': 'm'},"
    "  {'name': 's', 'generate': 'sheet', 'size': [0.5, 0.5], 'cells': [5, 5], 'rotate': [{'axis': [1, 0, 0], 'angle': 90}],"
    "   'material': 'm'}],"
    " 'contact': {%s}, 'time': {'end': 0.06}}";

static Simulation *load(const char *scene, const char *options)
{
	g_autofree char *format = g_strdelimit(g_strdup(scene), "'", '"');
	g_autofree char *text = g_strdelimit(g_strdup(options), "'", '"');
	return scenes_loadf(format, text);
}

static State *capture(const Simulation *simulation)
{
	GError *error = NULL;
	State *state = state_capture(simulation, &error);
	cr_assert_not_null(state, "%s", error ? error->message : "");
	return state;
}

static void restore(Simulation *simulation, const State *state)
{
	GError *error = NULL;
	cr_assert(state_restore(simulation, state, STATE_SAME, "state", &error), "%s", error ? error->message : "");
}

/* The first part in which two states differ in any bit but those of counters; NULL when there is none. */
static const char *difference(const State *a, const State *b)
{
	static const char *const names[STATE_N_ARRAYS] = {
	    "vertices", "fields", "clocks", "memories", "stations", "scripts", "layers"};
	for (int i = 0; i < STATE_N_ARRAYS; i++) {
		const GArray *p = *(GArray *const *)(const void *)((const char *)a + state_arrays[i].offset);
		const GArray *q = *(GArray *const *)(const void *)((const char *)b + state_arrays[i].offset);
		if (state_arrays[i].size == sizeof(StateField))
			continue;
		if (p->len != q->len || memcmp(p->data, q->data, (size_t)p->len * state_arrays[i].size) != 0)
			return names[i];
	}
	if (a->head.time != b->head.time || a->head.begun != b->head.begun)
		return "time";
	if (memcmp(&a->head.account, &b->head.account, sizeof(Account)) != 0)
		return "account";
	return a->head.initial_total == b->head.initial_total ? NULL : "initial total";
}

enum { SAMPLES = 12 };

typedef struct {
	State *state[SAMPLES + 1];
	double row[SAMPLES + 1][LEDGER_N];
} Track;

/* The time of sample i: none is a multiple of a step. */
static double sample_time(const Simulation *simulation, int i)
{
	return simulation->scene->end * i / SAMPLES;
}

static Track *follow(Simulation *simulation)
{
	Track *track = g_new0(Track, 1);
	for (int i = 0; i <= SAMPLES; i++) {
		if (i > 0)
			scenes_advance(simulation, sample_time(simulation, i));
		track->state[i] = capture(simulation);
		ledger_compute(simulation, simulation->avi->time, track->row[i]);
	}
	return track;
}

static void track_free(Track *track)
{
	for (int i = 0; i <= SAMPLES; i++)
		state_free(track->state[i]);
	g_free(track);
}

static void compare(const Track *track, int i, const Simulation *simulation, const char *how)
{
	double row[LEDGER_N];
	g_autoptr(State) state = capture(simulation);
	const char *part = difference(track->state[i], state);
	cr_assert_null(part, "%s: %s differ at sample %d", how, part, i);
	ledger_compute(simulation, simulation->avi->time, row);
	for (int column = 0; column < LEDGER_N; column++)
		cr_assert(memcmp(&row[column], &track->row[i][column], sizeof(double)) == 0, "%s: %s is %.17g, not %.17g, at %d",
		    how, ledger_name(column), row[column], track->row[i][column], i);
}

/* Resumes from each stride-th state, through a file, and compares at every sample after it. */
static void check_resume(const char *scene, const char *options, int stride)
{
	GError *error = NULL;
	Simulation *straight = load(scene, options);
	Track *track = follow(straight);
	g_autofree char *path = g_strdup_printf("/tmp/cinch-state-%d", (int)getpid());
	for (int from = 0; from < SAMPLES; from += stride) {
		Simulation *resumed = load(scene, options);
		cr_assert(state_save(track->state[from], path, &error), "%s", error ? error->message : "");
		g_autoptr(State) loaded = state_load(path, &error);
		cr_assert_not_null(loaded, "%s", error ? error->message : "");
		restore(resumed, loaded);
		g_autofree char *how = g_strdup_printf("resumed at %d", from);
		compare(track, from, resumed, how);
		for (int i = from + 1; i <= SAMPLES; i++) {
			scenes_advance(resumed, sample_time(resumed, i));
			compare(track, i, resumed, how);
		}
		simulation_free(resumed);
	}
	g_unlink(path);
	const ContactCount *count = straight->contact ? &straight->contact->count : NULL;
	if (count != NULL)
		cr_log_info("%" G_GUINT64_FORMAT " evaluations in range, layer %u, %" G_GUINT64_FORMAT " halvings", count->in_range,
		    count->deepest, count->halvings);
	track_free(track);
	simulation_free(straight);
}

static void check_same(const char *scene, const char *options, const char *other)
{
	Simulation *one = load(scene, options), *two = load(scene, other);
	Track *track = follow(one);
	for (int i = 1; i <= SAMPLES; i++) {
		scenes_advance(two, sample_time(two, i));
		compare(track, i, two, other);
	}
	cr_assert(one->contact->count.in_range > 0);
	track_free(track);
	simulation_free(one);
	simulation_free(two);
}

Test(state, resumes_shells, .timeout = 300)
{
	check_resume(shells, "", 1);
}

Test(state, resumes_shells_with_an_event_per_element, .timeout = 300)
{
	check_resume(shells, ", 'stepping': 'elements'", 1);
}

Test(state, resumes_meshes_in_contact, .timeout = 300)
{
	check_resume(meshes, "", 1);
}

Test(state, resumes_meshes_found_by_brute_force, .timeout = 300)
{
	check_resume(meshes, "'detect': 'brute'", 5);
}

Test(state, resumes_particles, .timeout = 300)
{
	check_resume(particles, "", 1);
}

Test(state, resumes_loose_edges, .timeout = 300)
{
	check_resume(chain, "", 1);
}

Test(state, resumes_while_detection_is_rebuilt, .timeout = 300)
{
	check_resume(meshes, "'rebuild': 0.002", 1);
}

Test(state, detection_can_be_thrown_away_at_any_time, .timeout = 300)
{
	check_same(meshes, "", "'rebuild': 0.0007");
	check_same(meshes, "", "'rebuild': 0.0007, 'detect': 'brute'");
	check_same(particles, "", ", 'rebuild': 0.003");
	check_same(chain, "", "'rebuild': 0.0004");
}

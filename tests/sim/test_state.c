/* A state is all that the motion depends on: a simulation that is given one goes on with the same bits as the one that
 * it was taken from, motion and ledger, wherever it was taken; and a file that is not such a state is refused. */
#include "core/error.h"
#include "sim/state.h"
#include "support/contact_scenes.h"
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

/* A particle in a crowd: steps are refined here. */
static const char *crowd =
    "{'units': 'si', 'gravity': [0, -40, 0], 'materials': {'m': {'particle_mass': 0.01}},"
    " 'meshes': [{'name': 'one', 'generate': 'particles', 'positions': [[0, 0.09, 0.001]], 'velocity': [0, -2, 0],"
    "   'material': 'm'},"
    "  {'name': 'cloud', 'generate': 'particles', 'size': [0.03, 0.03, 0.03], 'count': [5, 5, 4], 'jitter': 0.2,"
    "   'pinned': true, 'material': 'm'}],"
    " 'contact': {'eta1': 0.05, 'speed': 1%s}, 'time': {'end': 0.3}}";

/* A chain of loose edges across a falling sheet. */
static const char *chain =
    "{'units': 'si', 'materials': {'m': {'stretch_stiffness': 40, 'bend_stiffness': 1e-5, 'density': 0.2,"
    "  'line_density': 0.02}},"
    " 'meshes': [{'name': 'chain', 'generate': 'chain', 'from': [-0.3, 0.02, 0.03], 'to': [0.3, 0.02, -0.05], 'links': "
    "8,"
    "   'velocity': [0, -4, 0], 'thickness': 0.01, 'material': 'm'},"
    "  {'name': 's', 'generate': 'sheet', 'size': [0.5, 0.5], 'cells': [5, 5], 'rotate': [{'axis': [1, 0, 0], 'angle': "
    "90}],"
    "   'material': 'm'}],"
    " 'contact': {%s}, 'time': {'end': 0.06}}";

/* Balls in a damped net, against a wall; both are taken away, as is a ball that a script moves. */
static const char *removals =
    "{'units': 'si', 'gravity': [3, -9.8, 0], 'materials': {'m': {'young': 1e5, 'thickness': 0.001, 'density': 300,"
    "   'stretch_damping': 0.0005, 'bend_damping': 0.0005, 'mass_damping': 0.4, 'particle_mass': 0.002}},"
    " 'meshes': [{'name': 'p', 'generate': 'particles', 'size': [0.2, 0.05, 0.16], 'count': [4, 1, 3], 'jitter': 0.3,"
    "   'thickness': 0.02, 'material': 'm', 'at': [0.02, 0.03, 0]},"
    "  {'name': 'net', 'generate': 'sheet', 'size': [0.3, 0.3], 'cells': [3, 3], 'material': 'm',"
    "   'rotate': [{'axis': [1, 0, 0], 'angle': -90}], 'at': [0, -0.002, 0]},"
    "  {'name': 'wall', 'generate': 'sheet', 'size': [0.4, 0.4], 'cells': [1, 1], 'material': 'm', 'pinned': true,"
    "   'rotate': [{'axis': [0, 1, 0], 'angle': 90}], 'at': [0.16, 0, 0]},"
    "  {'name': 'ball', 'generate': 'sphere', 'radius': 0.05, 'subdivisions': 0, 'material': 'm', 'at': [0, -0.08, 0]}],"
    " 'pins': ['net.corners'], 'loads': [{'wind': [4, 0, 1]}],"
    " 'scripts': [{'body': 'ball', 'remove_at': 0.131}, {'set': 'ball', 'keyframes': [{'time': 0.2, 'translate': [0, 0.1, 0]}]},"
    "  {'body': 'wall', 'remove_at': 0.25}, {'body': 'net', 'remove_at': 0.271}],"
    " 'contact': {'eta1': 0.008%s}, 'time': {'end': 0.4}}";

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
	    "vertices", "fields", "clocks", "memories", "stations", "scripts", "layers", "removals", "pairs"};
	for (int i = 0; i < STATE_N_ARRAYS; i++) {
		const GArray *p = *(GArray *const *)(const void *)((const char *)a + state_arrays[i].offset);
		const GArray *q = *(GArray *const *)(const void *)((const char *)b + state_arrays[i].offset);
		if (state_arrays[i].size == sizeof(StateField))
			continue;
		if (p->len != q->len)
			return names[i];
		if (p->len > 0 && memcmp(p->data, q->data, (size_t)p->len * state_arrays[i].size) != 0)
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
		cr_assert(memcmp(&row[column], &track->row[i][column], sizeof(double)) == 0,
		    "%s: %s is %.17g, not %.17g, at %d", how, ledger_name(column), row[column], track->row[i][column],
		    i);
}

/* Resumes from one state, through a file, and compares at every sample after it. */
static void check_from(const Track *track, const char *scene, const char *options, int from)
{
	GError *error = NULL;
	g_autofree char *path = g_strdup_printf("/tmp/cinch-state-%d", (int)getpid());
	Simulation *resumed = load(scene, options);
	cr_assert(state_save(track->state[from], path, &error), "%s", error ? error->message : "");
	g_autoptr(State) loaded = state_load(path, &error);
	cr_assert_not_null(loaded, "%s", error ? error->message : "");
	g_unlink(path);
	restore(resumed, loaded);
	g_autofree char *how = g_strdup_printf("resumed at %d", from);
	compare(track, from, resumed, how);
	for (int i = from + 1; i <= SAMPLES; i++) {
		scenes_advance(resumed, sample_time(resumed, i));
		compare(track, i, resumed, how);
	}
	simulation_free(resumed);
}

static void check_resume(const char *scene, const char *options)
{
	Simulation *straight = load(scene, options);
	Track *track = follow(straight);
	for (int from = 0; from < SAMPLES; from++)
		check_from(track, scene, options, from);
	const ContactCount *count = straight->contact ? &straight->contact->count : NULL;
	if (count != NULL)
		cr_log_info("%" G_GUINT64_FORMAT " evaluations in range, layer %u, %" G_GUINT64_FORMAT " halvings",
		    count->in_range, count->deepest, count->halvings);
	cr_assert(count == NULL || count->in_range > 0);
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
	check_resume(shells, "");
}

Test(state, resumes_shells_with_an_event_per_element, .timeout = 300)
{
	check_resume(shells, ", 'stepping': 'elements'");
}

Test(state, resumes_meshes_in_contact, .timeout = 300)
{
	check_resume(meshes, "");
}

Test(state, resumes_what_brute_force_finds, .timeout = 300)
{
	check_resume(particles, ", 'detect': 'brute'");
	check_resume(chain, "'detect': 'brute'");
	check_resume(crowd, ", 'detect': 'brute'");
	/* Its ticks of sleeping layers once noted gaps of the ledger's pairs. */
	Simulation *straight = load(meshes, "'detect': 'brute'");
	Track *track = follow(straight);
	check_from(track, meshes, "'detect': 'brute'", 1);
	track_free(track);
	simulation_free(straight);
}

/* With losses, also of the thesis' models. */
Test(state, resumes_losses, .timeout = 300)
{
	static const char *const laws[] = {", 'restitution': 0.3, 'friction': 0.4", ", 'restitution': 0, 'friction': 0.6",
	    ", 'restitution': 0.5, 'friction': 0.4, 'restitution_model': 'thesis', 'friction_model': 'thesis'"};
	for (size_t i = 0; i < G_N_ELEMENTS(laws); i++) {
		g_autofree char *rebuilt = g_strconcat(laws[i], ", 'rebuild': 0.003", NULL);
		check_resume(crowd, laws[i]);
		check_resume(particles, laws[i]);
		check_same(particles, laws[i], rebuilt);
		check_same(crowd, laws[i], rebuilt);
	}
}

Test(state, resumes_particles, .timeout = 300)
{
	check_resume(particles, "");
}

Test(state, resumes_loose_edges, .timeout = 300)
{
	check_resume(chain, "");
}

Test(state, resumes_while_detection_is_rebuilt, .timeout = 300)
{
	check_resume(meshes, "'rebuild': 0.002");
}

Test(state, resumes_across_removals, .timeout = 300)
{
	check_resume(removals, ", 'restitution': 0.3, 'friction': 0.4");
	check_same(removals, "", ", 'rebuild': 0.003");
}

Test(state, detection_can_be_thrown_away_at_any_time, .timeout = 300)
{
	check_same(meshes, "", "'rebuild': 0.0007");
	check_same(meshes, "", "'rebuild': 0.0007, 'detect': 'brute'");
	check_same(particles, "", ", 'rebuild': 0.003");
	check_same(chain, "", "'rebuild': 0.0004");
	check_same(crowd, "", ", 'rebuild': 0.0004");
}

Test(state, resumes_refined_steps, .timeout = 300)
{
	check_resume(crowd, "");
	Simulation *simulation = load(crowd, "");
	scenes_advance(simulation, 0.1);
	g_autoptr(State) state = capture(simulation);
	cr_assert(state->layers->len > 0);
	simulation_free(simulation);
}

/* Every kind of body: resumed half-way, where detection is rebuilt all the time from then on. */
Test(state, resumes_all_that_can_touch, .timeout = 600)
{
	for (size_t i = 0; i < G_N_ELEMENTS(contact_scenes); i++) {
		const ContactScene *scene = &contact_scenes[i];
		g_autofree char *text = contact_scene_text(scene, "'restitution': 0.4, 'friction': 0.3"),
		                *keys = g_strdup_printf(
		                    "'restitution': 0.4, 'friction': 0.3, 'rebuild': %g", scene->end / 30);
		g_autofree char *rebuilt_text = contact_scene_text(scene, keys);
		Simulation *straight = scenes_load(text), *resumed = scenes_load(text),
		           *rebuilt = scenes_load(rebuilt_text);
		scenes_advance(straight, 0.47 * scene->end);
		g_autoptr(State) middle = capture(straight);
		scenes_advance(straight, scene->end);
		g_autoptr(State) end = capture(straight);
		restore(resumed, middle);
		scenes_advance(resumed, scene->end);
		g_autoptr(State) again = capture(resumed);
		cr_assert_null(difference(end, again), "%s: %s differ", scene->name, difference(end, again));
		cr_assert(state_restore(rebuilt, middle, STATE_BRANCH, "state", NULL));
		scenes_advance(rebuilt, scene->end);
		g_autoptr(State) anew = capture(rebuilt);
		/* As a branch its scripts have another tick when they are over, which moves nothing. */
		if (straight->scene->world->scripts->len == 0)
			cr_assert_null(
			    difference(end, anew), "%s: %s differ when rebuilt", scene->name, difference(end, anew));
		cr_assert(straight->contact->count.in_range > 0, "%s: nothing touches", scene->name);
		simulation_free(straight);
		simulation_free(resumed);
		simulation_free(rebuilt);
	}
}

/* Time zero is two states, before and after its events: layers that are in range then have a first tick of half weight.
 */
Test(state, knows_whether_time_zero_has_passed)
{
	static const char *touching =
	    "{'units': 'si', 'gravity': [0, -1, 0], 'materials': {'m': {'particle_mass': 0.01}},"
	    " 'meshes': [{'name': 'a', 'generate': 'particles', 'positions': [[0, 0, 0], [0.03, 0.08, 0]], 'material': "
	    "'m'},"
	    "  {'name': 'b', 'generate': 'particles', 'positions': [[0, -0.06, 0]], 'pinned': true, 'material': 'm'}],"
	    " 'contact': {'eta1': 0.1%s}, 'time': {'end': 1}}";
	Simulation *straight = load(touching, ""), *resumed = load(touching, "");
	g_autoptr(State) before = capture(straight);
	scenes_advance(straight, 0.0);
	g_autoptr(State) after = capture(straight);
	cr_assert(!before->head.begun && after->head.begun);
	cr_assert_not_null(difference(before, after));
	scenes_advance(straight, 0.2);
	g_autoptr(State) end = capture(straight);
	restore(resumed, after);
	scenes_advance(resumed, 0.2);
	g_autoptr(State) once = capture(resumed);
	cr_assert_null(difference(end, once));
	/* Back to the start, in the same simulation. */
	restore(resumed, before);
	scenes_advance(resumed, 0.2);
	g_autoptr(State) twice = capture(resumed);
	cr_assert_null(difference(end, twice));
	simulation_free(straight);
	simulation_free(resumed);
}

/* Whether a state that was tampered with leads elsewhere, in motion or ledger, from one time to another. */
static bool leads_elsewhere(const char *scene, double from, double until, void (*tamper)(State *state))
{
	double row[2][LEDGER_N];
	Simulation *straight = load(scene, ""), *resumed = load(scene, "");
	scenes_advance(straight, from);
	g_autoptr(State) state = capture(straight);
	tamper(state);
	restore(resumed, state);
	scenes_advance(straight, until);
	scenes_advance(resumed, until);
	ledger_compute(straight, until, row[0]);
	ledger_compute(resumed, until, row[1]);
	bool elsewhere = memcmp(row[0], row[1], sizeof row[0]) != 0;
	for (uint32_t i = 0; i < world_vertex_count(straight->scene->world); i++)
		elsewhere |= memcmp(&straight->flight[i], &resumed->flight[i], sizeof(Flight)) != 0;
	simulation_free(straight);
	simulation_free(resumed);
	return elsewhere;
}

static void tamper_nothing(State *state)
{
	(void)state;
}

static void tamper_position(State *state)
{
	g_array_index(state->vertices, StateVertex, 20).x.y += 1e-15;
}

static void tamper_velocity(State *state)
{
	g_array_index(state->vertices, StateVertex, 20).v.y *= 1.0 + 1e-15;
}

static void tamper_commit(State *state)
{
	g_array_index(state->vertices, StateVertex, 20).t = 0.0;
}

static void tamper_memory(State *state)
{
	g_array_index(state->memories, double, 7) = 0.0;
}

static void tamper_station(State *state)
{
	g_array_index(state->stations, Station, 30).x = vec3(0, 0, 0);
}

static void tamper_account(State *state)
{
	state->head.account.work[WORK_WIND] = 0.0;
}

static void tamper_initial_total(State *state)
{
	state->head.initial_total = 1.0;
}

static void tamper_layers(State *state)
{
	g_array_set_size(state->layers, 0);
}

static void tamper_first_tick(State *state)
{
	g_array_index(state->layers, StateLayer, 0).first += 2;
}

/* A time just after the first halving of a step. */
static double time_of_halving(const char *scene)
{
	Simulation *simulation = load(scene, "");
	double time = 0.0;
	while (simulation->contact->count.halvings == 0)
		scenes_advance(simulation, time += 1e-5);
	simulation_free(simulation);
	return time;
}

/* Each part of the state matters; and a part that were forgotten would be seen by these tests. */
Test(state, has_nothing_to_spare, .timeout = 300)
{
	static const struct {
		const char *name;
		void (*tamper)(State *state);
	} parts[] = {{"position", tamper_position}, {"velocity", tamper_velocity}, {"time of commit", tamper_commit},
	    {"memory", tamper_memory}, {"station", tamper_station}, {"account", tamper_account},
	    {"initial total", tamper_initial_total}};
	cr_assert_not(leads_elsewhere(shells, 0.031, 0.06, tamper_nothing));
	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
		cr_assert(leads_elsewhere(shells, 0.031, 0.06, parts[i].tamper), "%s does not matter", parts[i].name);
	cr_assert_not(leads_elsewhere(crowd, 0.1, 0.3, tamper_nothing));
	cr_assert(leads_elsewhere(crowd, 0.1, 0.3, tamper_layers), "halvings do not matter");
	double halved = time_of_halving(crowd);
	cr_assert_not(leads_elsewhere(crowd, halved, halved + 0.01, tamper_nothing));
	cr_assert(leads_elsewhere(crowd, halved, halved + 0.01, tamper_first_tick), "the first tick does not matter");
}

static void tamper_clock(State *state)
{
	g_array_index(state->clocks, Clock, 1).tick++;
}

static void tamper_clock_back(State *state)
{
	g_array_index(state->clocks, Clock, 1).tick = 0;
}

static void tamper_script(State *state)
{
	g_array_index(state->scripts, Clock, 0).tick = 1;
}

static void tamper_time(State *state)
{
	state->head.time = NAN;
}

static void tamper_fields(State *state)
{
	g_array_index(state->fields, StateField, 0).memories += UINT64_C(1) << 61;
}

static void tamper_lengths(State *state)
{
	g_array_set_size(state->stations, state->stations->len - 1);
}

static void tamper_vertices(State *state)
{
	g_array_set_size(state->vertices, state->vertices->len - 1);
}

static void tamper_finite(State *state)
{
	g_array_index(state->vertices, StateVertex, 3).v.x = INFINITY;
}

static void tamper_identity(State *state)
{
	state->head.identity[5] ^= 1;
}

/* A state that no simulation of this scene can have is refused, and the simulation goes on as if nothing had been. */
Test(state, refuses_what_does_not_fit, .timeout = 300)
{
	static void (*const tampers[])(State * state) = {tamper_clock, tamper_clock_back, tamper_script, tamper_time,
	    tamper_fields, tamper_lengths, tamper_vertices, tamper_finite, tamper_identity};
	Simulation *straight = load(shells, ""), *tried = load(shells, "");
	scenes_advance(straight, 0.02);
	scenes_advance(tried, 0.02);
	for (size_t i = 0; i < G_N_ELEMENTS(tampers); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(State) state = capture(straight);
		tampers[i](state);
		cr_assert_not(state_restore(tried, state, STATE_SAME, "bad", &error), "tampering %zu was not seen", i);
		cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_INPUT) &&
		          g_str_has_prefix(error->message, "bad: "));
	}
	scenes_advance(straight, 0.04);
	scenes_advance(tried, 0.04);
	g_autoptr(State) one = capture(straight), two = capture(tried);
	cr_assert_null(difference(one, two));
	simulation_free(straight);
	simulation_free(tried);
}

/* Whatever byte is wrong and wherever the file ends, it is refused with a sentence. */
Test(state, refuses_damaged_files, .timeout = 300)
{
	Simulation *simulation = load(particles, "");
	g_autoptr(State) state = capture(simulation);
	g_autofree char *path = g_strdup_printf("/tmp/cinch-damaged-%d", (int)getpid()), *data = NULL;
	gsize length = 0;
	cr_assert(state_save(state, path, NULL) && g_file_get_contents(path, &data, &length, NULL));
	for (gsize i = 0; i < length; i += i < 60 ? 7 : 331) {
		g_autoptr(GError) error = NULL;
		cr_assert(g_file_set_contents(path, data, (gssize)i, NULL));
		cr_assert_null(state_load(path, &error), "cut at %zu", i);
		cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_INPUT));
		g_clear_error(&error);
		data[i] ^= 1;
		cr_assert(g_file_set_contents(path, data, (gssize)length, NULL));
		cr_assert_null(state_load(path, &error), "changed at %zu", i);
		cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_INPUT));
		data[i] ^= 1;
	}
	g_unlink(path);
	simulation_free(simulation);
}

/* A bead that is too fast for three layers. */
Test(state, has_no_state_in_the_middle_of_an_event)
{
	static const char *fast =
	    "{'units': 'si', 'gravity': [0, 0, 0], 'materials': {'m': {'particle_mass': 0.01}},"
	    " 'meshes': [{'name': 'a', 'generate': 'particles', 'positions': [[0, 0, 0]], 'velocity': [0, 9, 0],"
	    "   'material': 'm'}, {'name': 'b', 'generate': 'particles', 'positions': [[0, 1, 0]], 'material': 'm'}],"
	    " 'contact': {'eta1': 0.1, 'max_layer': 3%s}, 'time': {'end': 1}}";
	g_autoptr(GError) error = NULL;
	Simulation *simulation = load(fast, "");
	g_autoptr(State) start = capture(simulation);
	for (int i = 0; i < 2; i++) {
		cr_assert_not(simulation_advance(simulation, 1.0, &error));
		cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_LIMIT), "%s", error->message);
		g_clear_error(&error);
		cr_assert_null(state_capture(simulation, &error));
		g_clear_error(&error);
		restore(simulation, start); /* and it is as good as new */
	}
	scenes_advance(simulation, 0.05);
	simulation_free(simulation);
}

/* What cinch.h offers: there and back again; not while frames are being written. */
Test(state, public_functions)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = g_strdup_printf("/tmp/cinch-public-%d", (int)getpid()),
	                *archive = g_strconcat(path, ".h5", NULL);
	g_autofree char *sidecar = g_strconcat(path, ".xdmf", NULL);
	Simulation *simulation = load(shells, "");
	scenes_advance(simulation, 0.01);
	cr_assert(cinch_save_state(simulation, path, &error), "%s", error ? error->message : "");
	scenes_advance(simulation, 0.03);
	double total = cinch_ledger(simulation, "total");
	cr_assert(cinch_restore_state(simulation, path, &error), "%s", error ? error->message : "");
	cr_assert(cinch_time(simulation) == 0.01);
	scenes_advance(simulation, 0.03);
	cr_assert(cinch_ledger(simulation, "total") == total);
	cr_assert(cinch_record(simulation, archive, NULL));
	cr_assert_not(cinch_restore_state(simulation, path, &error));
	cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_INPUT));
	simulation_free(simulation);
	g_unlink(path);
	g_unlink(archive);
	g_unlink(sidecar);
}

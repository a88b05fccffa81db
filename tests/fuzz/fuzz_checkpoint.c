/* Checkpoints: edits of a good one, with a checksum that is right, go into a simulation when they fit, and it goes on a
 * little. */
#include "fuzz.h"
#include "sim/state.h"
#include "support/scene_text.h"
#include <math.h>
#include <string.h>

enum { CHECKSUM = 32, LENGTH_AT = 16 };

/* Something of everything that a state holds: forces with damping, a script, contact with losses. */
static const char *const scene =
    "{\"units\": \"si\", \"time\": {\"end\": 10}, \"materials\": {\"m\": {\"stretch_stiffness\": 100, \"bend_stiffness\": 1e-4,"
    "   \"density\": 0.3, \"particle_mass\": 0.005, \"stretch_damping\": 0.0005, \"mass_damping\": 0.1}},"
    " \"meshes\": [{\"name\": \"s\", \"generate\": \"sheet\", \"size\": [0.2, 0.2], \"cells\": [1, 1], \"material\": \"m\","
    "   \"rotate\": [{\"axis\": [1, 0, 0], \"angle\": -90}]},"
    "  {\"name\": \"p\", \"generate\": \"particles\", \"positions\": [[0.02, 0.02, 0.02]], \"material\": \"m\","
    "   \"velocity\": [0.3, -2, 0]}],"
    " \"scripts\": [{\"set\": \"s.left\", \"keyframes\": [{\"time\": 0.2, \"translate\": [0, 0.02, 0]}]}],"
    " \"contact\": {\"eta1\": 0.01, \"max_layer\": 20, \"restitution\": 0.5, \"friction\": 0.3}}";

static void seal(uint8_t *bytes, size_t length)
{
	uint64_t size = length;
	gsize digest = CHECKSUM;
	if (length < LENGTH_AT + sizeof size + CHECKSUM)
		return;
	memcpy(bytes + LENGTH_AT, &size, sizeof size);
	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
	g_checksum_update(sum, bytes, (gssize)(length - CHECKSUM));
	g_checksum_get_digest(sum, bytes + length - CHECKSUM, &digest);
	g_checksum_free(sum);
}

static Simulation *load(void)
{
	GError *error = NULL;
	Simulation *simulation = scene_text_load(scene, &error);
	if (simulation == NULL)
		g_error("%s", error->message);
	simulation->threads = 1;
	return simulation;
}

/* A checkpoint in the middle of an impact. */
static char *make_good(gsize *length)
{
	GError *error = NULL;
	g_autofree char *path = NULL, *bytes = NULL;
	close(g_file_open_tmp("fuzz-XXXXXX", &path, NULL));
	Simulation *simulation = load();
	g_autoptr(State) state = NULL;
	if (!simulation_advance(simulation, 0.007, &error) || (state = state_capture(simulation, &error)) == NULL ||
	    !state_save(state, path, &error) || !g_file_get_contents(path, &bytes, length, &error))
		g_error("%s", error->message);
	if (state->pairs->len == 0)
		g_error("nothing touches at the checkpoint");
	g_unlink(path);
	simulation_free(simulation);
	return g_steal_pointer(&bytes);
}

/* At absurd speeds, against steps and gaps, time goes on but slowly: that is no hang. */
static bool is_moderate(const State *state)
{
	for (guint i = 0; i < state->vertices->len; i++)
		if (!(vec3_norm(g_array_index(state->vertices, StateVertex, i).v) < 1e4))
			return false;
	return true;
}

/* One simulation takes all states, one after the other, each in place of what the last one made of it. */
static void go_on(const State *state)
{
	static Simulation *simulation;
	GError *error = NULL;
	if (simulation == NULL)
		simulation = load();
	bool good = state_restore(simulation, state, STATE_SAME, "fuzz", &error);
	if (good && is_moderate(state))
		good = simulation_advance(simulation, simulation->avi->time + 2e-6, &error);
	fuzz_expect_sentence(good ? simulation : NULL, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char *good;
	static gsize good_size;
	if (good == NULL)
		good = make_good(&good_size);
	size_t length;
	g_autofree uint8_t *bytes = fuzz_edit((const uint8_t *)good, good_size, data, size, &length);
	seal(bytes, length);
	GError *error = NULL;
	g_autoptr(State) state = state_load(fuzz_file(bytes, length), &error);
	fuzz_expect_sentence(state, error);
	if (state != NULL)
		go_on(state);
	return 0;
}

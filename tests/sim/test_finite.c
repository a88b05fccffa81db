/* What is not a number is caught by the event that made it, with the element named; and time is not left to become too coarse
 * for the steps. */
#include "support/scene_text.h"
#include "core/error.h"
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

static const char *const SCENE =
    "{\"units\": \"si\", \"time\": {\"end\": 1}, \"gravity\": [0, -1, 0], \"materials\": {\"m\": {\"stretch_stiffness\": 100,"
    "   \"bend_stiffness\": 1e-4, \"density\": 0.3, \"particle_mass\": 0.005, \"line_density\": 1}},"
    " \"meshes\": [{\"name\": \"s\", \"generate\": \"sheet\", \"size\": [0.2, 0.2], \"cells\": [2, 2], \"material\": \"m\","
    "   \"rotate\": [{\"axis\": [1, 0, 0], \"angle\": -90}]},"
    "  {\"name\": \"p\", \"generate\": \"particles\", \"positions\": [[0.02, 0.02, 0.03]], \"material\": \"m\","
    "   \"velocity\": [0.3, -2, 0]}],"
    " \"contact\": ";
static const char *const CONTACT = "{\"eta1\": 0.01, \"max_layer\": 20, \"restitution\": 1, \"friction\": 0}}";

static Simulation *load(const char *contact)
{
	GError *error = NULL;
	g_autofree char *scene = g_strconcat(SCENE, contact, NULL);
	Simulation *simulation = scene_text_load(scene, &error);
	cr_assert_not_null(simulation, "%s", error ? error->message : "");
	simulation->threads = 1;
	return simulation;
}

/* It must stop by an error with all these words, no later than `latest`. */
static void assert_breaks(Simulation *simulation, CinchError code, double latest, const char *const *words)
{
	g_autoptr(GError) error = NULL;
	cr_assert_not(simulation_advance(simulation, simulation->avi->time + 0.2, &error));
	cr_assert(g_error_matches(error, CINCH_ERROR, (int)code), "%s", error->message);
	for (; *words != NULL; words++)
		cr_assert_not_null(strstr(error->message, *words), "no \"%s\" in: %s", *words, error->message);
	cr_assert_leq(simulation->avi->time, latest, "%s", error->message);
	simulation_free(simulation);
}

static Field *field_of(Simulation *simulation, const char *name)
{
	for (guint i = 0; i < simulation->fields->len; i++) {
		Field *field = simulation->fields->pdata[i];
		if (strstr(field->class->name, name) != NULL)
			return field;
	}
	cr_assert_fail("no such field");
	return NULL;
}

Test(finite, an_element_that_is_not_a_number)
{
	Simulation *simulation = load(CONTACT);
	Field *field = field_of(simulation, "stretch");
	double last = 0.0;
	for (size_t g = 0; g < field->n_groups; g++)
		last = fmax(last, field->group[g].clock.step);
	field->plain = true; /* kernels have parameters of their own */
	field->parameter[3 * (size_t)field->class->n_parameters] = NAN;
	g_autofree char *element = g_strdup_printf("of element %u ", field->origin[3]);
	assert_breaks(simulation, CINCH_ERROR_FAILED, 2 * last, (const char *const[]){"broke down", "stretch", element, NULL});
}

/* The impulse is finite; what it makes of a vertex that weighs next to nothing is not. */
Test(finite, a_velocity_that_overflows)
{
	Simulation *simulation = load("false}");
	simulation->flight[9].inverse_mass = 1e308;
	simulation->flight[9].v = vec3(0, -DBL_MAX, 0);
	assert_breaks(simulation, CINCH_ERROR_FAILED, 0.1, (const char *const[]){"broke down", "gravity", "vertex 9 ", NULL});
}

Test(finite, a_layer_that_is_not_a_number)
{
	Simulation *simulation = load(CONTACT);
	Layers *layers = (Layers *)simulation->contact->layers;
	for (uint32_t layer = 1; layer <= simulation->contact->last_layer; layer++)
		layers->stiffness[layer] = 1e308 * 10.0;
	assert_breaks(simulation, CINCH_ERROR_FAILED, 0.1,
	    (const char *const[]){"broke down", "layer 1 ", "vertex", " of p and triangle", "is not finite", NULL});
}

/* Halved again and again, the steps of a layer would stand still at last. */
Test(finite, steps_that_time_cannot_resolve)
{
	Simulation *simulation = load(CONTACT);
	simulation->contact->end = 1e11;
	simulation->flight[9].inverse_mass *= 1000.0; /* the step has room for 64 */
	assert_breaks(simulation, CINCH_ERROR_LIMIT, 0.2, (const char *const[]){"stopped", "resolve", NULL});
}

Test(finite, times_that_are_too_coarse)
{
	Simulation *simulation = load(CONTACT);
	g_autoptr(GError) error = NULL;
	cr_assert(simulation_advance(simulation, 0.001, &error));
	cr_assert_not(simulation_advance(simulation, 1e12, &error));
	cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_LIMIT) && strstr(error->message, "resolve"));
	g_clear_error(&error);
	cr_assert(simulation_advance(simulation, 0.002, &error));
	simulation_free(simulation);
}

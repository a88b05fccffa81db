/* What several tests need: a simulation from a scene that stands in the test, and random numbers that are the same
 * every time. */
#ifndef CINCH_TESTS_SUPPORT_SCENES_H
#define CINCH_TESTS_SUPPORT_SCENES_H

#include "core/vec.h"
#include "sim/ledger.h"
#include "sim/simulation.h"
#include "support/scene_text.h"
#include <criterion/criterion.h>
#include <glib.h>

/* The simulation of a scene given as JSON text; the test fails when it does not load. */
static inline Simulation *scenes_load(const char *json)
{
	GError *error = NULL;
	Simulation *simulation = scene_text_load(json, &error);
	cr_assert_not_null(simulation, "%s", error ? error->message : "");
	return simulation;
}

/* The same with the text made by a format. */
G_GNUC_PRINTF(1, 2) static inline Simulation *scenes_loadf(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	g_autofree char *json = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	return scenes_load(json);
}

static inline void scenes_advance(Simulation *simulation, double time)
{
	GError *error = NULL;
	cr_assert(simulation_advance(simulation, time, &error), "%s", error ? error->message : "");
}

static inline Vec3 scenes_position(const Simulation *simulation, uint32_t vertex)
{
	return flight_position(&simulation->flight[vertex], simulation->avi->time);
}

/* Uniform in [low, high). */
static inline double scenes_random(uint64_t *state, double low, double high)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return low + (high - low) * ((double)((z ^ z >> 31) >> 11) * 0x1p-53);
}

static inline Vec3 scenes_random_vec3(uint64_t *state, double size)
{
	double x = scenes_random(state, -size, size), y = scenes_random(state, -size, size);
	return vec3(x, y, scenes_random(state, -size, size));
}

#endif

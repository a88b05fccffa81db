/* A simulation of a scene that is at hand as text. */
#ifndef CINCH_TESTS_SUPPORT_SCENE_TEXT_H
#define CINCH_TESTS_SUPPORT_SCENE_TEXT_H

#include "sim/simulation.h"
#include <glib.h>
#include <glib/gstdio.h>
#include <unistd.h>

/* NULL with an error when it does not load. */
static inline Simulation *scene_text_load(const char *json, GError **error)
{
	g_autofree char *path = NULL;
	int file = g_file_open_tmp("cinch-test-XXXXXX.json", &path, error);
	if (file < 0)
		return NULL;
	close(file);
	Scene *scene = g_file_set_contents(path, json, -1, error) ? scene_load(path, NULL, error) : NULL;
	g_unlink(path);
	return scene ? simulation_new(scene, error) : NULL;
}

#endif

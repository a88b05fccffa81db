#include "bench/subject.h"
#include "core/error.h"
#include <gio/gio.h>
#include <string.h>
#include <time.h>

static Subject *make(char *name, const char *const *overrides, double at)
{
	Subject *subject = g_new0(Subject, 1);
	subject->name = name;
	subject->overrides = g_strdupv((char **)overrides);
	subject->at = at;
	return subject;
}

Subject *subject_of_file(const char *path, const char *const *overrides, double at)
{
	Subject *subject = make(g_strdup(path), overrides, at);
	subject->path = g_strdup(path);
	return subject;
}

Subject *subject_of_scene(const char *scene, const char *const *overrides, double at)
{
	g_autofree char *path = g_strdup_printf("/cinch/scenes/%s.json", scene);
	g_autofree char *set = overrides && overrides[0] ? g_strjoinv(" ", (char **)overrides) : NULL;
	/* It is in the program: neither missing nor freed. */
	g_autoptr(GBytes) text = g_resources_lookup_data(path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
	Subject *subject = make(g_strdup_printf("%s.json%s%s", scene, set ? " " : "", set ? set : ""), overrides, at);
	subject->text = text ? g_strdup(g_bytes_get_data(text, NULL)) : g_strdup("");
	return subject;
}

Subject *subject_of_text(const char *name, const char *text, double at)
{
	Subject *subject = make(g_strdup(name), NULL, at);
	subject->text = g_strdup(text);
	return subject;
}

void subject_free(Subject *subject)
{
	if (subject == NULL)
		return;
	g_free(subject->name);
	g_free(subject->path);
	g_free(subject->text);
	g_strfreev(subject->overrides);
	state_free(subject->state);
	g_free(subject->cache);
	g_free(subject);
}

static Scene *load_scene(const Subject *subject, const char *const *overrides, GError **error)
{
	SceneCopy copy = {.name = subject->name, .source = subject->text, .effective = subject->text};
	return subject->path ? scene_load(subject->path, overrides, error) : scene_load_copy(&copy, overrides, error);
}

Simulation *subject_load(const Subject *subject, const char *const *more, GError **error)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new();
	for (char **own = subject->overrides; own && *own; own++)
		g_ptr_array_add(all, *own);
	for (; more && *more; more++)
		g_ptr_array_add(all, (gpointer)*more);
	g_ptr_array_add(all, NULL);
	Scene *scene = load_scene(subject, (const char *const *)all->pdata, error);
	if (scene != NULL && !scene->contact.enabled) {
		scene_free(scene);
		error_set(error, CINCH_ERROR_INPUT, "%s: there is no contact whose cost could be measured", subject->name);
		return NULL;
	}
	return scene ? simulation_new(scene, error) : NULL;
}

double subject_processor_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A state in a file is taken when it is of this very scene at this time; else it is made anew, and replaces the file. */
static bool take_cached(Subject *subject, const Simulation *simulation)
{
	if (subject->cache == NULL || !g_file_test(subject->cache, G_FILE_TEST_EXISTS))
		return false;
	State *state = state_load(subject->cache, NULL);
	if (state != NULL && state->head.time == subject->at &&
	    memcmp(state->head.identity, simulation->identity, STATE_IDENTITY) == 0) {
		subject->state = state;
		return true;
	}
	state_free(state);
	return false;
}

static bool make_state(Subject *subject, Simulation *simulation, GError **error)
{
	double began = subject_processor_seconds();
	simulation->threads = 1;
	if (!simulation_advance(simulation, subject->at, error))
		return false;
	subject->seconds = subject_processor_seconds() - began;
	subject->state = state_capture(simulation, error);
	return subject->state != NULL && (subject->cache == NULL || state_save(subject->state, subject->cache, error));
}

const State *subject_state(Subject *subject, GError **error)
{
	if (subject->state != NULL)
		return subject->state;
	Simulation *simulation = subject_load(subject, NULL, error);
	if (simulation != NULL && !take_cached(subject, simulation))
		make_state(subject, simulation, error);
	simulation_free(simulation);
	return subject->state;
}

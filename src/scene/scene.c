#include "scene/scene.h"
#include "core/error.h"
#include "scene/choices.h"
#include "scene/override.h"
#include "scene/scene_private.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST_SCENE_FILE = 64 << 20 }; /* bytes; geometry of that size belongs into OBJ files */

static void file_free(SceneFile *file)
{
	g_free(file->name);
	g_free(file->data);
	g_free(file);
}

void scene_free(Scene *scene)
{
	if (scene == NULL)
		return;
	g_free(scene->name);
	g_free(scene->title);
	g_free(scene->source);
	g_free(scene->effective);
	g_ptr_array_unref(scene->files);
	world_free(scene->world);
	if (scene->contact.exclude)
		g_array_unref(scene->contact.exclude);
	if (scene->contact.laws)
		g_array_unref(scene->contact.laws);
	if (scene->ribbons)
		g_array_unref(scene->ribbons);
	g_strfreev(scene->fields);
	g_strfreev(scene->settle.bodies);
	g_free(scene);
}

static void read_units_and_gravity(Scene *scene, Reader *root)
{
	static const char *const names[] = {"si", "cgs", NULL};
	World *world = scene->world;
	world->units = reader_choice(root, "units", -1, names) == 0 ? &units_si : &units_cgs;
	world->gravity = reader_vec3(root, "gravity", vec3(0, -world->units->gravity, 0));
}

/* Damping that settles everything whose period is not longer than the time for it, see docs/scene-format.md. */
static const double USUAL_SETTLE_DAMPING = 20.0;

static void read_settle(Scene *scene, Reader *time)
{
	Reader *reader = reader_child(time, "settle");
	if (reader == NULL)
		return;
	double settle = reader_positive(reader, "time", READER_REQUIRED);
	double usual = settle > 0.0 ? USUAL_SETTLE_DAMPING / settle : 0.0;
	scene->settle = (SceneSettle){settle, reader_nonnegative(reader, "damping", usual), reader_strings(reader, "bodies")};
	reader_close(reader);
}

static void check_settling_bodies(const Scene *scene, Reader *root)
{
	for (char **name = scene->settle.bodies; name && *name; name++)
		if (world_find_body(scene->world, *name) == NULL)
			reader_fail(root, "time.settle.bodies", "there is no body \"%s\"", *name);
}

/* Returns the default step of scripts. */
static double read_time(Scene *scene, Reader *root)
{
	static const char *const steppings[] = {"super_elements", "elements", "global", NULL};
	Reader *reader = reader_child(root, "time");
	if (reader == NULL) {
		reader_fail(root, "time", "missing; expected an object with at least \"end\"");
		return 1.0;
	}
	scene->end = reader_positive(reader, "end", READER_REQUIRED);
	scene->frame = reader_positive(reader, "frame", 1.0 / 60.0);
	if (scene->end / scene->frame > 1e7)
		reader_fail(reader, "frame", "more than ten million frames until the end");
	double load_step = reader_positive(reader, "load_step", fmin(1.0 / 1024.0, scene->frame));
	double script_step = reader_positive(reader, "script_step", fmin(1.0 / 1024.0, scene->frame));
	scene->rule = (StepRule){
	    .stepping = (Stepping)reader_choice(reader, "stepping", STEPPING_SUPER_ELEMENTS, steppings),
	    .safety = reader_range(reader, "safety", 0.3, 1e-6, 1.0),
	    .load_step = load_step,
	    .most_step = reader_positive(reader, "max_step", fmax(load_step, 1.0 / 128.0)),
	};
	read_settle(scene, reader);
	reader_close(reader);
	return script_step;
}

/* What frames hold besides the motion; the names of fields are looked at by whoever measures them. */
static void read_output(Scene *scene, Reader *root)
{
	Reader *reader = reader_child(root, "output");
	scene->most_pairs = 500;
	if (reader == NULL)
		return;
	scene->fields = reader_strings(reader, "fields");
	scene->most_pairs = (uint32_t)reader_integer(reader, "pairs", scene->most_pairs, 0, 1000000);
	reader_close(reader);
}

/* The title, with what was chosen: "Reef knot (full, ribbon)". */
static char *read_title(Reader *root, const char *choices)
{
	const char *title = reader_string(root, "title", "");
	Reader *chosen = reader_child(root, "chosen");
	g_autoptr(GList) names = chosen ? reader_members(chosen) : NULL;
	for (GList *name = names; name; name = name->next)
		reader_string(chosen, name->data, NULL);
	reader_close(chosen);
	return choices && title[0] ? g_strdup_printf("%s (%s)", title, choices) : g_strdup(title);
}

static void read_all(Scene *scene, Reader *root, const char *choices)
{
	scene->title = read_title(root, choices);
	read_units_and_gravity(scene, root);
	double script_step = read_time(scene, root);
	read_output(scene, root);
	scene_read_materials(scene, root);
	if (!reader_ok(root))
		return;
	scene_read_bodies(scene, root, script_step);
	if (!reader_ok(root))
		return;
	check_settling_bodies(scene, root);
	GHashTable *sets = scene_read_sets(scene, root);
	scene_read_pins(scene, root, sets);
	scene_read_loads(scene, root, sets);
	scene_read_scripts(scene, root, sets, script_step);
	g_hash_table_unref(sets);
	if (reader_ok(root))
		scene_read_topology(scene, root);
	if (reader_ok(root))
		scene_read_contact(scene, root); /* after pins and scripts: defaults count what is free */
}

static bool read_text(const char *path, char **text, gsize *length, GError **error)
{
	GStatBuf status;
	g_autoptr(GError) problem = NULL;
	const char *reason = NULL;
	if (g_stat(path, &status) != 0)
		reason = errno == ENOENT ? "there is no such file" : g_strerror(errno);
	else if (S_ISDIR(status.st_mode))
		reason = "it is a directory";
	else if (!S_ISREG(status.st_mode)) /* may have no end */
		reason = "it is not a regular file";
	else if (status.st_size > LARGEST_SCENE_FILE)
		reason = "the file is larger than 64 MiB";
	else if (!g_file_get_contents(path, text, length, &problem))
		reason = g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_ACCES) ? "no permission to read it"
		                                                                    : problem->message;
	return reason == NULL || error_set(error, CINCH_ERROR_INPUT, "%s: %s", path, reason);
}

/* Reads a scene from its JSON text. */
static bool read_scene(
    Scene *scene, const char *text, size_t length, const char *const *overrides, GError **error)
{
	const char *path = scene->name;
	g_autoptr(JsonNode) json = reader_parse(path, text, (gssize)length, error);
	if (json == NULL)
		return false;
	if (!JSON_NODE_HOLDS_OBJECT(json))
		return error_set(error, CINCH_ERROR_INPUT, "%s: expected one JSON object { ... }", path);
	if (!choices_apply(json, path, overrides, error))
		return false;
	for (const char *const *override = overrides; override && *override; override++)
		if (!choices_has_taken(json, *override) && !override_apply(json, *override, error))
			return false;
	g_autofree char *choices = choices_text(json);
	scene->effective = json_to_string(json, TRUE);
	g_autofree char *directory = g_path_get_dirname(path);
	Reader *root = reader_open(path, directory, json);
	read_all(scene, root, choices);
	return reader_finish(root, error);
}

static Scene *scene_new(const char *name)
{
	Scene *scene = g_new0(Scene, 1);
	scene->name = g_strdup(name);
	scene->files = g_ptr_array_new_with_free_func((GDestroyNotify)file_free);
	scene->world = world_new();
	return scene;
}

Scene *scene_load(const char *path, const char *const *overrides, GError **error)
{
	g_autoptr(Scene) scene = scene_new(path);
	gsize length;
	if (!read_text(path, &scene->source, &length, error) ||
	    !read_scene(scene, scene->source, length, overrides, error))
		return NULL;
	return g_steal_pointer(&scene);
}

Scene *scene_load_copy(const SceneCopy *copy, const char *const *overrides, GError **error)
{
	g_autoptr(Scene) scene = scene_new(copy->name);
	scene->source = g_strdup(copy->source);
	scene->copy = copy;
	if (!read_scene(scene, copy->effective, strlen(copy->effective), overrides, error))
		return NULL;
	scene->copy = NULL;
	return g_steal_pointer(&scene);
}

/* The load as it is at time zero, for all times. */
static void freeze_load(Load *load)
{
	if (load->profile == NULL)
		return;
	double time = 0.0, value = profile_at(load->profile, time);
	profile_free(load->profile);
	load->profile = profile_new(1, &time, &value, false);
}

/* All that stands still while others settle. */
static void hold_others(World *world, char **bodies)
{
	for (guint b = 0; bodies != NULL && b < world->bodies->len; b++) {
		const Body *body = world->bodies->pdata[b];
		uint8_t *held = &g_array_index(world->held, uint8_t, body->first_vertex);
		if (!g_strv_contains((const char *const *)bodies, body->name))
			memset(held, HELD_PINNED, body->n_vertices);
	}
}

Scene *scene_of_settling(const Scene *scene, GError **error)
{
	g_autofree SceneFile *files = g_new(SceneFile, scene->files->len + 1);
	for (guint i = 0; i < scene->files->len; i++)
		files[i] = *(const SceneFile *)scene->files->pdata[i];
	SceneCopy copy = {scene->name, scene->source, scene->effective, files, scene->files->len};
	Scene *settling = scene_load_copy(&copy, NULL, error);
	if (settling == NULL)
		return NULL;
	World *world = settling->world;
	settling->end = scene->settle.time;
	settling->settle.time = 0.0;
	hold_others(world, settling->settle.bodies);
	g_ptr_array_set_size(world->scripts, 0); /* what they move stays held */
	g_array_set_size(settling->ribbons, 0);
	for (guint i = 0; i < world->velocity->len; i++)
		g_array_index(world->velocity, Vec3, i) = vec3(0, 0, 0);
	for (guint i = 0; i < world->bodies->len; i++)
		((Body *)world->bodies->pdata[i])->remove_at = INFINITY;
	for (guint i = 0; i < world->materials->len; i++)
		((Material *)world->materials->pdata[i])->mass_damping += scene->settle.damping;
	for (guint i = 0; i < world->loads->len; i++)
		freeze_load(world->loads->pdata[i]);
	return settling;
}

void scene_identity(const Scene *scene, uint8_t identity[SCENE_IDENTITY])
{
	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
	gsize length = SCENE_IDENTITY;
	/* With the NUL at its end, and each file with its length: no two scenes are the same stream of bytes. */
	g_checksum_update(sum, (const guchar *)scene->effective, (gssize)strlen(scene->effective) + 1);
	for (guint i = 0; i < scene->files->len; i++) {
		const SceneFile *file = scene->files->pdata[i];
		uint64_t size = file->length;
		g_checksum_update(sum, (const guchar *)&size, sizeof size);
		g_checksum_update(sum, (const guchar *)file->data, (gssize)file->length);
	}
	g_checksum_get_digest(sum, identity, &length);
	g_checksum_free(sum);
}

uint64_t scene_frame_count(const Scene *scene)
{
	/* An end that is a multiple of the interval but for rounding is one. */
	return (uint64_t)ceil(scene->end / scene->frame * (1.0 - 1e-12));
}

double scene_frame_time(const Scene *scene, uint64_t k)
{
	return k >= scene_frame_count(scene) ? scene->end : (double)k * scene->frame;
}

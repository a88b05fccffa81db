#include "sim/resume.h"
#include "core/error.h"
#include "sim/checkpoint.h"
#include "sim/ledger.h"
#include <string.h>

static bool is_branch(const ResumeOptions *options)
{
	return options->overrides != NULL && options->overrides[0] != NULL;
}

Scene *resume_scene(const Archive *archive, const char *const *overrides, GError **error)
{
	const ArchiveHeader *header = &archive->header;
	g_autofree SceneFile *files = g_new0(SceneFile, header->n_files + 1);
	for (size_t i = 0; i < header->n_files; i++)
		files[i] = (SceneFile){(char *)(void *)header->files[i].name, (char *)(void *)header->files[i].data,
		    header->files[i].length};
	SceneCopy copy = {header->scene_name, header->scene_source, header->scene_effective, files, header->n_files};
	return scene_load_copy(&copy, overrides, error);
}

/* A branch begins with a state of the scene that it branches from. */
static bool check_origin(
    const Archive *archive, const State *state, const char *path, const char *checkpoint, GError **error)
{
	uint8_t identity[SCENE_IDENTITY];
	g_autoptr(Scene) scene = resume_scene(archive, NULL, error);
	if (scene == NULL)
		return false;
	scene_identity(scene, identity);
	return memcmp(identity, state->head.identity, sizeof identity) == 0 ||
	       error_set(error, CINCH_ERROR_INPUT, "%s: is not a checkpoint of the run in %s", checkpoint, path);
}

static bool set_end(Scene *scene, const Archive *archive, const ResumeOptions *options, const char *checkpoint,
    double now, GError **error)
{
	if (isfinite(options->until))
		scene->end = options->until;
	else if (!is_branch(options))
		scene->end = archive->header.end_time;
	if (scene->end / scene->frame > 1e7)
		return error_set(
		    error, CINCH_ERROR_INPUT, "--until %g: more than ten million frames until then", scene->end);
	return scene->end > now || error_set(error, CINCH_ERROR_INPUT,
	                               "%s: is the state at t = %.9g s and the end is at %.9g s: there is nothing left "
	                               "to do (--until T asks for more)",
	                               checkpoint, now, scene->end);
}

Simulation *resume_load(const char *path, Archive *archive, const ResumeOptions *options, GError **error)
{
	g_autofree char *checkpoint = options->checkpoint ? g_strdup(options->checkpoint) : checkpoint_name(path);
	g_autoptr(State) state = state_load(checkpoint, error);
	if (state == NULL || !check_origin(archive, state, path, checkpoint, error))
		return NULL;
	g_autoptr(Scene) scene = resume_scene(archive, options->overrides, error);
	if (scene == NULL || !set_end(scene, archive, options, checkpoint, state->head.time, error))
		return NULL;
	Simulation *simulation = simulation_new(g_steal_pointer(&scene), error);
	if (simulation == NULL)
		return NULL;
	if (state_restore(simulation, state, is_branch(options) ? STATE_BRANCH : STATE_SAME, checkpoint, error))
		return simulation;
	simulation_free(simulation);
	return NULL;
}

/* How many frames of the archive are the first of a run with this scene, up to now. */
static bool count_frames(
    const Simulation *simulation, const Archive *archive, const char *from, size_t *n_frames, GError **error)
{
	const Scene *scene = simulation->scene;
	double now = simulation->avi->time;
	size_t n = 0;
	while (n <= scene_frame_count(scene) && scene_frame_time(scene, n) <= now) {
		if (n >= archive->n_frames || archive->time[n] != scene_frame_time(scene, n))
			return error_set(error, CINCH_ERROR_INPUT,
			    "%s: has no frame of t = %.9g s, but the checkpoint is of t = %.9g s: they do not belong "
			    "together",
			    from, scene_frame_time(scene, n), now);
		n++;
	}
	*n_frames = n;
	return true;
}

static bool columns_agree(const Simulation *simulation, const Archive *archive)
{
	const ArchiveHeader *header = &archive->header;
	bool agree = header->n_columns == LEDGER_N;
	for (int i = 0; agree && i < LEDGER_N; i++)
		agree = strcmp(header->columns[i].name, ledger_name(i)) == 0 &&
		        strcmp(header->columns[i].unit, ledger_unit(i, simulation->scene->world->units)) == 0;
	return agree;
}

bool resume_record(
    Simulation *simulation, const char *path, const char *from, Archive *archive, bool branch, GError **error)
{
	size_t n_frames = 0;
	if (archive->header.n_vertices != world_vertex_count(simulation->scene->world) ||
	    !columns_agree(simulation, archive))
		return error_set(error, CINCH_ERROR_INPUT, "%s: was written by another version of Cinch", from);
	/* A branch may have other times; whatever is there from before it stays. */
	while (branch && n_frames < archive->n_frames && archive->time[n_frames] <= simulation->avi->time)
		n_frames++;
	if (!branch && !count_frames(simulation, archive, from, &n_frames, error))
		return false;
	return simulation_record_after(simulation, path, archive, n_frames, error);
}

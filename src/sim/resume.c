#include "sim/resume.h"
#include "core/error.h"
#include "sim/checkpoint.h"
#include "sim/ledger.h"
#include "sim/lineage.h"
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

void resume_source_clear(ResumeSource *source)
{
	g_clear_pointer(&source->checkpoint, g_free);
	g_clear_pointer(&source->passed_over, g_free);
}

/* How many frames of the archive are the first of a run with this scene, up to now. */
static bool count_frames(
    const Scene *scene, double now, const Archive *archive, const char *from, size_t *n_frames, GError **error)
{
	size_t n = 0;
	/* Frames from before a branch may be of another interval. */
	bool any = lineage_has_branch(archive->header.lineage);
	while (any && n < archive->n_frames && archive->time[n] <= now)
		n++;
	while (!any && n <= scene_frame_count(scene) && scene_frame_time(scene, n) <= now) {
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

/* The state in a file, if it is one of the run in the archive. */
static State *load_state(const Archive *archive, const Scene *scene, const char *path, const char *checkpoint, GError **error)
{
	uint8_t identity[SCENE_IDENTITY];
	size_t n_frames;
	g_autoptr(State) state = state_load(checkpoint, error);
	if (state == NULL)
		return NULL;
	scene_identity(scene, identity);
	if (memcmp(identity, state->head.identity, sizeof identity) != 0) {
		error_set(error, CINCH_ERROR_INPUT, "%s: is not a checkpoint of the run in %s", checkpoint, path);
		return NULL;
	}
	return count_frames(scene, state->head.time, archive, path, &n_frames, error) ? g_steal_pointer(&state) : NULL;
}

/* The newest state beside the archive that can be used. Without any: NULL, and an error where there must be one. */
static State *find_state(const Archive *archive, const Scene *scene, const char *path, ResumeSource *source, GError **error)
{
	g_autofree char *newest = checkpoint_name(path), *previous = checkpoint_previous(newest);
	const char *const names[] = {newest, previous};
	g_autoptr(GError) first = NULL;
	State *state = NULL;
	for (size_t i = 0; i < G_N_ELEMENTS(names) && state == NULL; i++) {
		g_autoptr(GError) problem = NULL;
		state = load_state(archive, scene, path, names[i], &problem);
		if (state != NULL)
			source->checkpoint = g_strdup(names[i]);
		else if (first == NULL)
			first = g_steal_pointer(&problem);
	}
	if (state == NULL && lineage_has_branch(archive->header.lineage)) {
		g_propagate_error(error, g_steal_pointer(&first));
		return NULL;
	}
	/* That there is no file is nothing to tell of where none is needed. */
	if (first != NULL && (state != NULL || g_file_test(newest, G_FILE_TEST_EXISTS)))
		source->passed_over = g_strdup_printf("%s; going on from %s", first->message,
		    state != NULL ? source->checkpoint : "the start");
	return state;
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
	/* What was killed between its last checkpoint and its end has only that left. */
	if (scene->end == now && !archive->complete && !is_branch(options))
		return true;
	return scene->end > now || error_set(error, CINCH_ERROR_INPUT,
	                               "%s: is the state at t = %.9g s and the end is at %.9g s: there is nothing left "
	                               "to do (--until T asks for more)",
	                               checkpoint, now, scene->end);
}

/* The state to go on from: NULL without an error means from the start. */
static State *choose_state(
    const char *path, const Archive *archive, const ResumeOptions *options, ResumeSource *source, GError **error)
{
	g_autoptr(Scene) scene = resume_scene(archive, NULL, error);
	if (scene == NULL)
		return NULL;
	scene->end = archive->header.end_time;
	if (options->checkpoint == NULL)
		return find_state(archive, scene, path, source, error);
	source->checkpoint = g_strdup(options->checkpoint);
	return load_state(archive, scene, path, options->checkpoint, error);
}

Simulation *resume_load(const char *path, Archive *archive, const ResumeOptions *options, ResumeSource *source, GError **error)
{
	GError *problem = NULL;
	g_autoptr(State) state = choose_state(path, archive, options, source, &problem);
	if (problem != NULL) {
		g_propagate_error(error, problem);
		return NULL;
	}
	g_autoptr(Scene) scene = resume_scene(archive, options->overrides, error);
	/* From the start there is always something left to do; but not when it has been done. */
	double now = state ? state->head.time : archive->complete ? archive->time[archive->n_frames - 1] : 0.0;
	if (scene == NULL || !set_end(scene, archive, options, state ? source->checkpoint : path, now, error))
		return NULL;
	if (state == NULL)
		return simulation_new_watched(g_steal_pointer(&scene), &options->watch, error);
	Simulation *simulation = simulation_new_as_built(g_steal_pointer(&scene), error);
	if (simulation == NULL)
		return NULL;
	if (state_restore(simulation, state, is_branch(options) ? STATE_BRANCH : STATE_SAME, source->checkpoint, error))
		return simulation;
	simulation_free(simulation);
	return NULL;
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

/* How many frames to take over. */
static bool frames_so_far(const Simulation *simulation, const char *from, const Archive *archive, bool branch, size_t *n_frames,
    GError **error)
{
	if (!branch)
		return count_frames(simulation->scene, simulation->avi->time, archive, from, n_frames, error);
	/* A branch may have other times; whatever is there from before it stays. */
	while (*n_frames < archive->n_frames && archive->time[*n_frames] <= simulation->avi->time)
		++*n_frames;
	return true;
}

static bool save_state(const Simulation *simulation, const char *archive, GError **error)
{
	g_autofree char *name = checkpoint_name(archive);
	g_autoptr(State) state = state_capture(simulation, error);
	return state != NULL && checkpoint_save(state, name, error);
}

bool resume_record(Simulation *simulation, const char *path, const char *from, Archive *archive, const ResumeSource *source,
    const ResumeOptions *options, GError **error)
{
	if (archive->header.n_vertices != world_vertex_count(simulation->scene->world) ||
	    !columns_agree(simulation, archive))
		return error_set(error, CINCH_ERROR_INPUT, "%s: was written by another version of Cinch", from);
	size_t n_frames = 0;
	/* The start is made anew, with its frame. */
	if (source->checkpoint != NULL && !frames_so_far(simulation, from, archive, is_branch(options), &n_frames, error))
		return false;
	/* The checkpoint of the new archive comes first, so that at no instant an archive has none. A run from the start needs
	 * none. */
	if (source->checkpoint != NULL && !save_state(simulation, path, error))
		return false;
	LineageStep step = {from, source->checkpoint, simulation->avi->time, n_frames, options->overrides};
	simulation->lineage = lineage_extend(archive->header.lineage, &step);
	return source->checkpoint == NULL ? simulation_record(simulation, path, error)
	                                  : simulation_record_after(simulation, path, archive, n_frames, error);
}

/* The public interface: thin calls on a Simulation. */
#include "core/error.h"
#include "sim/ledger.h"
#include "sim/simulation.h"
#include "sim/state.h"
#include "version.h"
#include <cinch/cinch.h>
#include <omp.h>

const char *cinch_version(void)
{
	return CINCH_VERSION;
}

CinchSimulation *cinch_load(const char *path, const char *const *overrides, GError **error)
{
	Scene *scene = scene_load(path, overrides, error);
	return scene ? simulation_new(scene, error) : NULL;
}

void cinch_free(CinchSimulation *simulation)
{
	simulation_free(simulation);
}

void cinch_set_threads(CinchSimulation *simulation, unsigned threads)
{
	simulation->threads = threads ? threads : (unsigned)omp_get_num_procs();
}

bool cinch_advance(CinchSimulation *simulation, double time, GError **error)
{
	return simulation_advance(simulation, time, error);
}

double cinch_time(const CinchSimulation *simulation)
{
	return simulation->avi->time;
}

double cinch_end_time(const CinchSimulation *simulation)
{
	return simulation->scene->end;
}

size_t cinch_vertex_count(const CinchSimulation *simulation)
{
	return world_vertex_count(simulation->scene->world);
}

size_t cinch_triangle_count(const CinchSimulation *simulation)
{
	return simulation->scene->world->triangle->len;
}

const uint32_t *cinch_triangles(const CinchSimulation *simulation)
{
	return (const uint32_t *)(void *)simulation->scene->world->triangle->data;
}

void cinch_positions(const CinchSimulation *simulation, double *out)
{
	simulation_positions(simulation, out);
}

void cinch_velocities(const CinchSimulation *simulation, double *out)
{
	simulation_velocities(simulation, out);
}

bool cinch_body(const CinchSimulation *simulation, const char *name, size_t *first, size_t *count)
{
	const Body *body = world_find_body(simulation->scene->world, name);
	if (body == NULL)
		return false;
	*first = body->first_vertex;
	*count = body->n_vertices;
	return true;
}

double cinch_ledger(const CinchSimulation *simulation, const char *column)
{
	int index = ledger_find(column);
	if (index < 0)
		return NAN;
	double row[LEDGER_N];
	ledger_compute(simulation, simulation->avi->time, row);
	return row[index];
}

bool cinch_record(CinchSimulation *simulation, const char *archive_path, GError **error)
{
	return simulation_record(simulation, archive_path, error);
}

bool cinch_finish(CinchSimulation *simulation, GError **error)
{
	return simulation_finish(simulation, error);
}

bool cinch_save_state(const CinchSimulation *simulation, const char *path, GError **error)
{
	g_autoptr(State) state = state_capture(simulation, error);
	return state != NULL && state_save(state, path, error);
}

bool cinch_restore_state(CinchSimulation *simulation, const char *path, GError **error)
{
	if (simulation->archive != NULL)
		return error_set(error, CINCH_ERROR_INPUT,
		    "%s: cannot be restored while an archive is being written: its frames would not fit", path);
	g_autoptr(State) state = state_load(path, error);
	return state != NULL && state_restore(simulation, state, STATE_SAME, path, error);
}

#include "sim/simulation.h"
#include "core/error.h"
#include "core/random.h"
#include "core/stopwatch.h"
#include "sim/checkpoint.h"
#include "sim/instrument.h"
#include "sim/ledger.h"
#include "sim/preflight.h"
#include "sim/removal.h"
#include "sim/settle.h"
#include "sim/witness.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Whoever watches the motion sees every commit, right after the event that made it. */
static bool tell_witness(Simulation *simulation, double time, const uint32_t *vertex, size_t n, GError **error)
{
	return simulation->witness == NULL || witness_event(simulation->witness, time, vertex, n, error);
}

static bool tell_contact(Simulation *simulation, double time, const uint32_t *vertex, size_t n, GError **error)
{
	return tell_witness(simulation, time, vertex, n, error) &&
	       (simulation->contact == NULL || contact_changed(simulation->contact, time, vertex, n, error));
}

static bool act_certificate(void *context, uint32_t id, double time, double *next, GError **error)
{
	Simulation *simulation = context;
	return contact_certificate(simulation->contact, id, time, next, error);
}

static bool act_force(void *context, uint32_t id, double time, double *next, GError **error)
{
	Simulation *simulation = context;
	Contact *contact = simulation->contact;
	if (id >= simulation->force_events->len)
		return contact_tick(contact, id, time, &simulation->account, next, error) &&
		       tell_witness(simulation, time, contact->touched, contact->n_touched, error);
	const ForceEvent *event = &g_array_index(simulation->force_events, ForceEvent, id);
	if (!field_tick(event->field, event->group, simulation->flight, &simulation->account, simulation->threads, error))
		return false;
	const Group *group = &event->field->group[event->group];
	*next = clock_time(&group->clock);
	avi_note(simulation->avi, "%s (step %.3g s)", event->field->class->name, group->clock.step);
	return tell_contact(simulation, time, event->field->touched + group->first_touched, group->n_touched, error);
}

static bool act_script(void *context, uint32_t id, double time, double *next, GError **error)
{
	Simulation *simulation = context;
	Script *script = simulation->scene->world->scripts->pdata[id];
	*next = script_tick(script, simulation->flight, simulation->gone);
	avi_note(simulation->avi, "moves %zu vertices", script->n_vertices);
	return tell_contact(simulation, time, script->vertex, script->n_vertices, error);
}

bool simulation_write_frame(Simulation *simulation, double time, GError **error)
{
	size_t n = world_vertex_count(simulation->scene->world);
	double row[LEDGER_N];
	g_autofree double *x = g_new(double, 3 * n + 1), *v = g_new(double, 3 * n + 1);
	for (size_t i = 0; i < n; i++) {
		((Vec3 *)(void *)x)[i] = flight_position(&simulation->flight[i], time);
		((Vec3 *)(void *)v)[i] = simulation->flight[i].v;
	}
	ledger_compute(simulation, time, row);
	if (instrument_write(simulation, time, error) && archive_append(simulation->archive, time, x, v, row, error))
		return simulation->witness == NULL || witness_frame(simulation->witness, time, x, error);
	/* What was written before stays readable; there is no going on. */
	archive_abandon(g_steal_pointer(&simulation->archive));
	return false;
}

static bool act_frame(void *context, uint32_t id, double time, double *next, GError **error)
{
	(void)id;
	Simulation *simulation = context;
	*next = INFINITY;
	if (simulation->archive == NULL)
		return true;
	if (!simulation_write_frame(simulation, time, error))
		return false;
	avi_note(simulation->avi, "%" G_GUINT64_FORMAT, simulation->next_frame);
	if (simulation->next_frame < scene_frame_count(simulation->scene))
		*next = scene_frame_time(simulation->scene, ++simulation->next_frame);
	return true;
}

/* When detection is thrown away next, for tests: at intervals between 0 and twice the mean, always the same ones. */
static double next_rebuild(Simulation *simulation, double time)
{
	double interval = 2.0 * simulation->scene->contact.rebuild * random_unit(&simulation->rebuild_random);
	return time + fmax(interval, clock_resolution(time));
}

static bool act_rebuild(void *context, uint32_t id, double time, double *next, GError **error)
{
	(void)id;
	Simulation *simulation = context;
	*next = next_rebuild(simulation, time);
	return contact_rebuild(simulation->contact, time, error);
}

/* Time has a resolution: a step of less than 1000 units in the last place of the time that it is added to would not be
 * the step that it says. */
static bool check_resolution(const Simulation *simulation, GError **error)
{
	double end = simulation->scene->end, least, most;
	simulation_steps(simulation, &least, &most);
	double ulp = nextafter(end, INFINITY) - end;
	if (least >= 1000.0 * ulp)
		return true;
	return error_set(error, CINCH_ERROR_LIMIT,
	    "%s: the smallest step, %.3g s, is below what time can resolve at %.9g s (%.3g s): some element is too small, too "
	    "light or too stiff",
	    simulation->scene->name, least, end, 1000.0 * ulp);
}

static bool start_contact(Simulation *simulation, GError **error)
{
	Scene *scene = simulation->scene;
	if (!scene->contact.enabled)
		return true;
	g_autoptr(Preflight) preflight = preflight_new(scene, false);
	if (!preflight_allows(preflight, error))
		return false;
	avi_handle(simulation->avi, AVI_CERTIFICATE, (AviHandler){"certificate", simulation, act_certificate});
	if (scene->contact.rebuild > 0.0)
		avi_handle(simulation->avi, AVI_REBUILD, (AviHandler){"rebuild", simulation, act_rebuild});
	simulation->contact = contact_new(scene->world, &scene->contact, simulation->flight, simulation->avi,
	    simulation->force_events->len, scene->end);
	return contact_start(simulation->contact, 0.0, error);
}

static void list_force_events(Simulation *simulation)
{
	for (guint i = 0; i < simulation->fields->len; i++) {
		Field *field = simulation->fields->pdata[i];
		for (uint32_t g = 0; g < field->n_groups; g++) {
			ForceEvent event = {field, g};
			g_array_append_val(simulation->force_events, event);
		}
	}
}

void simulation_schedule_frame(Simulation *simulation)
{
	const Scene *scene = simulation->scene;
	uint64_t frame = 0;
	while (frame <= scene_frame_count(scene) && scene_frame_time(scene, frame) <= simulation->avi->time)
		frame++;
	simulation->next_frame = frame;
	if (frame <= scene_frame_count(scene))
		avi_schedule(simulation->avi, scene_frame_time(scene, frame), AVI_FRAME, 0);
}

void simulation_schedule(Simulation *simulation)
{
	Avi *avi = simulation->avi;
	const GPtrArray *scripts = simulation->scene->world->scripts;
	for (guint i = 0; i < simulation->force_events->len; i++) {
		const ForceEvent *event = &g_array_index(simulation->force_events, ForceEvent, i);
		avi_schedule(avi, clock_time(&event->field->group[event->group].clock), AVI_FORCE, i);
	}
	for (guint i = 0; i < scripts->len; i++)
		if (script_next(scripts->pdata[i]) < INFINITY)
			avi_schedule(avi, script_next(scripts->pdata[i]), AVI_SCRIPT, i);
	removal_schedule(simulation);
	if (avi->handler[AVI_REBUILD].act != NULL)
		avi_schedule(avi, next_rebuild(simulation, avi->time), AVI_REBUILD, 0);
	if (simulation->archive != NULL)
		simulation_schedule_frame(simulation);
	checkpoint_schedule(simulation);
}

/* Puts things where they have settled. The fields are made before that, since the order of their elements comes from the places of
 * time zero as the scene says: that of a simulation that is given a state has to be the same. */
static void place_settled(Simulation *simulation)
{
	GArray *position = simulation->scene->world->position;
	if (simulation->settled == NULL)
		return;
	memcpy(position->data, simulation->settled->position, position->len * sizeof(Vec3));
	for (uint32_t i = 0; i < position->len; i++)
		simulation->flight[i].x = simulation->settled->position[i];
	for (guint i = 0; i < simulation->fields->len; i++)
		field_remember(simulation->fields->pdata[i], simulation->flight);
}

/* Takes the scene, and what has settled, if anything has. */
static Simulation *create(Scene *scene, Settled *settled, GError **error)
{
	Simulation *simulation = g_new0(Simulation, 1);
	simulation->scene = scene;
	simulation->settled = settled;
	scene_identity(scene, simulation->identity);
	simulation->threads = (unsigned)omp_get_num_procs();
	simulation->flight = world_flights(scene->world);
	simulation->fields = world_assemble(scene->world, &scene->rule, simulation->flight);
	place_settled(simulation);
	simulation->force_events = g_array_new(FALSE, FALSE, sizeof(ForceEvent));
	simulation->avi = avi_new();
	avi_handle(simulation->avi, AVI_FORCE, (AviHandler){"force", simulation, act_force});
	avi_handle(simulation->avi, AVI_SCRIPT, (AviHandler){"script", simulation, act_script});
	avi_handle(simulation->avi, AVI_FRAME, (AviHandler){"frame", simulation, act_frame});
	removal_plan(simulation);
	list_force_events(simulation);
	if (!instrument_check(scene, error) || !check_resolution(simulation, error) || !start_contact(simulation, error)) {
		simulation_free(simulation);
		return NULL;
	}
	if (settled != NULL && simulation->contact != NULL)
		memory_restore(simulation->contact->memory, settled->pairs);
	simulation_schedule(simulation);
	double row[LEDGER_N];
	ledger_compute(simulation, 0.0, row);
	simulation->initial_total = row[LEDGER_TOTAL];
	return simulation;
}

Simulation *simulation_new_watched(Scene *scene, const SettleWatch *watch, GError **error)
{
	GError *problem = NULL;
	Settled *settled = settle(scene, watch, &problem);
	if (problem != NULL) {
		g_propagate_error(error, problem);
		scene_free(scene);
		return NULL;
	}
	return create(scene, settled, error);
}

Simulation *simulation_new_as_built(Scene *scene, GError **error)
{
	return create(scene, NULL, error);
}

Simulation *simulation_new(Scene *scene, GError **error)
{
	return simulation_new_watched(scene, NULL, error);
}

void simulation_free(Simulation *simulation)
{
	if (simulation == NULL)
		return;
	simulation_finish(simulation, NULL);
	contact_free(simulation->contact);
	avi_free(simulation->avi);
	g_array_unref(simulation->force_events);
	g_ptr_array_unref(simulation->fields);
	free(simulation->flight);
	g_free(simulation->removal);
	g_free(simulation->gone);
	scene_free(simulation->scene);
	g_free(simulation->lineage);
	settled_free(simulation->settled);
	g_free(simulation->checkpoint_path);
	g_free(simulation);
}

/* Steps were chosen for the end of the scene. The further beyond it, the coarser is time. The deepest layers are cut off where
 * time just resolves them; they still act when it does so a hundred times less well. */
static bool can_go_beyond(const Simulation *simulation, double time, GError **error)
{
	double least, most, resolution = clock_resolution(time);
	simulation_steps(simulation, &least, &most);
	if (simulation->contact != NULL)
		least = fmin(least, 100.0 * contact_least_step(simulation->contact));
	return least >= resolution ||
	       error_set(error, CINCH_ERROR_LIMIT,
	           "cannot advance to t = %.9g s: the smallest step, %.3g s, is below what time can resolve there (%.3g s); the "
	           "scene says that it ends at %.9g s",
	           time, least, resolution, simulation->scene->end);
}

bool simulation_advance(Simulation *simulation, double time, GError **error)
{
	if (!(time >= simulation->avi->time) || !isfinite(time))
		return error_set(error, CINCH_ERROR_INPUT, "cannot advance to t = %g s: the simulation is at %g s", time,
		    simulation->avi->time);
	if (time > simulation->scene->end && !can_go_beyond(simulation, time, error))
		return false;
	if (simulation->contact != NULL)
		simulation->contact->threads = simulation->threads;
	simulation->advance_began = stopwatch_seconds();
	bool good = avi_advance(simulation->avi, time, error);
	simulation->wall_seconds += stopwatch_seconds() - simulation->advance_began;
	simulation->advance_began = 0.0;
	return good;
}

void simulation_trace(Simulation *simulation, FILE *file)
{
	Avi *avi = simulation->avi;
	avi_trace(avi, file);
	avi_note(avi, "events in the queue: %u", queue_length(avi->queue));
	if (simulation->contact != NULL) {
		DetectorCount count;
		simulation->contact->detector->class->count(simulation->contact->detector, &count);
		avi_note(avi, "certificates: %" G_GUINT64_FORMAT "; layers awake: %" G_GUINT64_FORMAT, count.alive, count.awake);
	}
	avi_end_line(avi, avi->time, "start");
}

void simulation_steps(const Simulation *simulation, double *least, double *most)
{
	*least = INFINITY;
	*most = 0.0;
	for (guint i = 0; i < simulation->force_events->len; i++) {
		const ForceEvent *event = &g_array_index(simulation->force_events, ForceEvent, i);
		double step = event->field->group[event->group].clock.step;
		*least = fmin(*least, step);
		*most = fmax(*most, step);
	}
}

uint64_t simulation_evaluations(const Simulation *simulation)
{
	uint64_t sum = 0;
	for (guint i = 0; i < simulation->fields->len; i++)
		sum += ((const Field *)simulation->fields->pdata[i])->n_evaluations;
	return sum;
}

size_t simulation_memory(const Simulation *simulation)
{
	const World *world = simulation->scene->world;
	size_t bytes = world_vertex_count(world) * sizeof(Flight) + world_memory(world) + queue_memory(simulation->avi->queue) +
	               simulation->force_events->len * sizeof(ForceEvent);
	for (guint i = 0; i < simulation->fields->len; i++)
		bytes += field_memory(simulation->fields->pdata[i]);
	return bytes;
}

void simulation_positions(const Simulation *simulation, double *out)
{
	for (uint32_t i = 0; i < world_vertex_count(simulation->scene->world); i++)
		((Vec3 *)(void *)out)[i] = flight_position(&simulation->flight[i], simulation->avi->time);
}

void simulation_velocities(const Simulation *simulation, double *out)
{
	for (uint32_t i = 0; i < world_vertex_count(simulation->scene->world); i++)
		((Vec3 *)(void *)out)[i] = simulation->flight[i].v;
}

#include "sim/removal.h"
#include "sim/ledger.h"
#include "sim/witness.h"
#include <string.h>

static const Body *body_at(const Simulation *simulation, guint i)
{
	return simulation->scene->world->bodies->pdata[i];
}

bool removal_is_gone(const Simulation *simulation, guint body)
{
	return simulation->gone[body_at(simulation, body)->first_vertex];
}

static void mark(Simulation *simulation, guint body)
{
	memset(simulation->gone + body_at(simulation, body)->first_vertex, 1, body_at(simulation, body)->n_vertices);
}

/* Tells everyone who is gone. */
static void leave_out(Simulation *simulation)
{
	for (guint i = 0; i < simulation->fields->len; i++)
		field_leave_out(simulation->fields->pdata[i], simulation->gone, simulation->flight);
	if (simulation->contact != NULL)
		surface_leave_out(simulation->contact->surface, simulation->contact->rule, simulation->gone);
}

/* The event of a body. It comes after all that moves at that time, so that no tick of contact is lost when its clocks are
 * started anew. */
static bool act(void *context, uint32_t id, double time, double *next, GError **error)
{
	Simulation *simulation = context;
	const Body *body = body_at(simulation, id);
	double before[LEDGER_N];
	*next = INFINITY;
	ledger_compute(simulation, time, before);
	if (simulation->witness != NULL && !witness_removal(simulation->witness, time, id, error))
		return false;
	mark(simulation, id);
	for (uint32_t i = body->first_vertex; i < body->first_vertex + body->n_vertices; i++)
		flight_commit(&simulation->flight[i], time, vec3(0, 0, 0));
	leave_out(simulation);
	if (simulation->contact != NULL && !contact_rebuild(simulation->contact, time, error))
		return false;
	ledger_settle_removal(simulation, time, before);
	avi_note(simulation->avi, "%s is taken away", body->name);
	return true;
}

void removal_plan(Simulation *simulation)
{
	const World *world = simulation->scene->world;
	simulation->gone = g_new0(uint8_t, world_vertex_count(world) + 1u);
	simulation->removal = g_new0(double, world->bodies->len + 1u);
	for (guint i = 0; i < world->bodies->len; i++)
		simulation->removal[i] = body_at(simulation, i)->remove_at;
	avi_handle(simulation->avi, AVI_REMOVAL, (AviHandler){"removal", simulation, act});
}

void removal_schedule(Simulation *simulation)
{
	for (guint i = 0; i < simulation->scene->world->bodies->len; i++)
		if (simulation->removal[i] < INFINITY && !removal_is_gone(simulation, i))
			avi_schedule(simulation->avi, simulation->removal[i], AVI_REMOVAL, i);
}

void removal_restore(Simulation *simulation, const double *removed, double time)
{
	const World *world = simulation->scene->world;
	memset(simulation->gone, 0, world_vertex_count(world));
	for (guint i = 0; i < world->bodies->len; i++) {
		bool is_gone = removed[i] < INFINITY;
		simulation->removal[i] = is_gone ? removed[i] : fmax(body_at(simulation, i)->remove_at, time);
		if (is_gone)
			mark(simulation, i);
	}
	leave_out(simulation);
}

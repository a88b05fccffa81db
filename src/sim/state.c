#include "sim/state.h"
#include "core/error.h"
#include "sim/removal.h"
#include <string.h>

/* Halvings beyond this are no clock's. */
enum { MOST_HALVINGS = 64 };

const StateArray state_arrays[STATE_N_ARRAYS] = {
    {offsetof(State, vertices), sizeof(StateVertex)},
    {offsetof(State, fields), sizeof(StateField)},
    {offsetof(State, clocks), sizeof(Clock)},
    {offsetof(State, memories), sizeof(double)},
    {offsetof(State, stations), sizeof(Station)},
    {offsetof(State, scripts), sizeof(Clock)},
    {offsetof(State, layers), sizeof(StateLayer)},
    {offsetof(State, removals), sizeof(double)},
    {offsetof(State, pairs), sizeof(PairMemory)},
};

static GArray **array_of(State *state, int i)
{
	return (GArray **)(void *)((char *)state + state_arrays[i].offset);
}

State *state_new(void)
{
	State *state = g_new0(State, 1);
	for (int i = 0; i < STATE_N_ARRAYS; i++)
		*array_of(state, i) = g_array_new(FALSE, TRUE, state_arrays[i].size);
	return state;
}

void state_free(State *state)
{
	if (state == NULL)
		return;
	for (int i = 0; i < STATE_N_ARRAYS; i++)
		g_array_unref(*array_of(state, i));
	g_free(state);
}

/* --- Taking ------------------------------------------------------------------------------------------------------ */

static size_t memories_of(const Field *field)
{
	return 2 * field_memories(field);
}

static size_t stations_of(const Field *field)
{
	return field->station ? field->n_touched : 0;
}

static StateField describe_field(const Field *field)
{
	StateField entry = {.clocks = field->n_groups, .memories = memories_of(field)};
	entry.stations = stations_of(field) + field->n_held;
	entry.evaluations = field->n_evaluations;
	entry.seconds = field->seconds;
	g_strlcpy(entry.name, field->class->name, sizeof entry.name);
	return entry;
}

static void capture_field(State *state, const Field *field)
{
	StateField entry = describe_field(field);
	g_array_append_val(state->fields, entry);
	for (size_t g = 0; g < field->n_groups; g++)
		g_array_append_val(state->clocks, field->group[g].clock);
	if (field->resists) {
		g_array_append_vals(state->memories, field->measure, (guint)field_memories(field));
		g_array_append_vals(state->memories, field->pull, (guint)field_memories(field));
	}
	if (field->station != NULL)
		g_array_append_vals(state->stations, field->station, (guint)field->n_touched);
	g_array_append_vals(state->stations, field->held_station, (guint)field->n_held);
}

static void capture_contact(State *state, const Contact *contact)
{
	const Surface *surface = contact->surface;
	state->head.n_bins = surface->n_bins;
	state->head.bin_step = surface_bin_step(surface, 0);
	state->head.contact = contact->count;
	for (uint32_t i = 0; i < contact_events(contact); i++) {
		StateLayer layer = {i / surface->n_bins + 1, i % surface->n_bins, contact->clock[i].halvings,
		    contact->clock[i].first};
		if (layer.halvings > 0)
			g_array_append_val(state->layers, layer);
	}
	g_autoptr(GArray) pairs = memory_list(contact->memory, contact_void_before(contact, contact->avi->time));
	g_array_append_vals(state->pairs, pairs->data, pairs->len);
}

static void capture_head(StateHead *head, const Simulation *simulation)
{
	memcpy(head->identity, simulation->identity, sizeof head->identity);
	head->time = simulation->avi->time;
	head->begun = simulation->avi->begun;
	head->account = simulation->account;
	head->initial_total = simulation->initial_total;
	memcpy(head->count, simulation->avi->count, sizeof head->count);
	head->wall_seconds = simulation->wall_seconds;
}

State *state_capture(const Simulation *simulation, GError **error)
{
	if (simulation->avi->stopped) {
		error_set(error, CINCH_ERROR_FAILED,
		    "the simulation has failed at t = %.9g s: it has no whole state there", simulation->avi->time);
		return NULL;
	}
	const World *world = simulation->scene->world;
	State *state = state_new();
	capture_head(&state->head, simulation);
	for (uint32_t i = 0; i < world_vertex_count(world); i++) {
		const Flight *flight = &simulation->flight[i];
		StateVertex vertex = {flight->x, flight->v, flight->t};
		g_array_append_val(state->vertices, vertex);
	}
	for (guint i = 0; i < simulation->fields->len; i++)
		capture_field(state, simulation->fields->pdata[i]);
	for (guint i = 0; i < world->scripts->len; i++)
		g_array_append_val(state->scripts, ((const Script *)world->scripts->pdata[i])->clock);
	for (guint i = 0; i < world->bodies->len; i++) {
		double removed = removal_is_gone(simulation, i) ? simulation->removal[i] : INFINITY;
		g_array_append_val(state->removals, removed);
	}
	if (simulation->contact != NULL)
		capture_contact(state, simulation->contact);
	return state;
}

/* --- Does it fit? ------------------------------------------------------------------------------------------------ */

/* Where the entries of a field begin. */
typedef struct {
	size_t clock, memory, station;
} Place;

static void move_on(Place *place, const StateField *entry)
{
	place->clock += entry->clocks;
	place->memory += entry->memories;
	place->station += entry->stations;
}

/* Of a state at `time` the tick before has acted and the next has not. */
static bool is_due(const Clock *clock, const StateHead *head)
{
	if (!head->begun)
		return clock->tick == 0;
	return clock->tick > 0 && clock_time(clock) > head->time &&
	       (double)(clock->tick - 1) * clock->step <= head->time;
}

/* Whether the field has the elements, the groups and the steps that it had. */
static bool field_fits(const State *state, guint i, const Place *place, const Field *field)
{
	if (i >= state->fields->len)
		return false;
	const StateField *entry = &g_array_index(state->fields, StateField, i);
	StateField own = describe_field(field);
	if (strncmp(entry->name, own.name, STATE_NAME) != 0 || entry->clocks != own.clocks ||
	    entry->memories != own.memories || entry->stations != own.stations)
		return false;
	for (size_t g = 0; g < field->n_groups; g++) {
		const Clock *clock = &g_array_index(state->clocks, Clock, place->clock + g);
		if (clock->step != field->group[g].clock.step || !is_due(clock, &state->head))
			return false;
	}
	return true;
}

static bool is_sound(const PairWay *way)
{
	return isfinite(way->gap) && !isnan(way->time) && isfinite(way->withheld[0] + way->withheld[1]) &&
	       isfinite(way->lost[0] + way->lost[1]) && vec3_is_finite(way->pulled) &&
	       isfinite(way->rubbed) && vec3_is_finite(way->moved) && vec3_is_finite(way->stretch);
}

/* Nothing refers to what is not there: holds for every state that state_capture() made. */
static bool is_consistent(const State *state)
{
	Place end = {0};
	for (guint i = 0; i < state->fields->len; i++) {
		const StateField *entry = &g_array_index(state->fields, StateField, i);
		if (entry->clocks > state->clocks->len || entry->memories > state->memories->len ||
		    entry->stations > state->stations->len)
			return false;
		move_on(&end, entry);
	}
	for (guint i = 0; i < state->layers->len; i++)
		if (g_array_index(state->layers, StateLayer, i).halvings > MOST_HALVINGS)
			return false;
	for (guint i = 0; i < state->pairs->len; i++) {
		const PairMemory *memory = &g_array_index(state->pairs, PairMemory, i);
		bool good = memory->n <= PAIR_MOST_CORNERS && isfinite(memory->since) && isfinite(memory->approach) && !isnan(memory->opening) &&
		            vec3_is_finite(memory->stretch) && is_sound(&memory->way);
		for (uint32_t c = 0; good && c < memory->n; c++)
			good = memory->vertex[c] < state->vertices->len && isfinite(memory->weight[c]);
		if (!good)
			return false;
	}
	for (guint i = 0; i < state->vertices->len; i++) {
		const StateVertex *vertex = &g_array_index(state->vertices, StateVertex, i);
		if (!vec3_is_finite(vertex->x) || !vec3_is_finite(vertex->v) || !(vertex->t <= state->head.time))
			return false;
	}
	const StateHead *head = &state->head;
	for (guint i = 0; i < state->removals->len; i++) {
		double removed = g_array_index(state->removals, double, i);
		if (!(removed > 0.0) || (removed < INFINITY && removed > head->time))
			return false;
	}
	return isfinite(head->time) && (head->begun ? head->time >= 0.0 : head->time == 0.0) &&
	       end.clock == state->clocks->len && end.memory == state->memories->len &&
	       end.station == state->stations->len;
}

static bool fields_fit(const State *state, const Simulation *simulation)
{
	Place place = {0};
	if (state->fields->len != simulation->fields->len)
		return false;
	for (guint i = 0; i < simulation->fields->len; i++) {
		if (!field_fits(state, i, &place, simulation->fields->pdata[i]))
			return false;
		move_on(&place, &g_array_index(state->fields, StateField, i));
	}
	return true;
}

static bool scripts_fit(const State *state, const World *world)
{
	if (state->scripts->len != world->scripts->len)
		return false;
	for (guint i = 0; i < world->scripts->len; i++) {
		Script script = *(const Script *)world->scripts->pdata[i];
		const Clock *clock = &g_array_index(state->scripts, Clock, i);
		if (clock->step != script.clock.step)
			return false;
		script.clock = *clock;
		if (!is_due(clock, &state->head) && script_next(&script) < INFINITY)
			return false;
	}
	return true;
}

static bool contact_fits(const State *state, const Contact *contact)
{
	const StateHead *head = &state->head;
	if (contact == NULL)
		return head->n_bins == 0;
	return head->n_bins == contact->surface->n_bins && head->bin_step == surface_bin_step(contact->surface, 0);
}

static bool check_fit(const Simulation *simulation, const State *state, StateFit fit, const char *name, GError **error)
{
	const World *world = simulation->scene->world;
	if (!is_consistent(state))
		return error_set(error, CINCH_ERROR_INPUT, "%s: its parts do not belong together", name);
	if (state->vertices->len != world_vertex_count(world))
		return error_set(error, CINCH_ERROR_INPUT, "%s: is the state of %u vertices, but %s has %u", name,
		    state->vertices->len, simulation->scene->name, world_vertex_count(world));
	if (state->removals->len != world->bodies->len)
		return error_set(error, CINCH_ERROR_INPUT, "%s: is the state of %u bodies, but %s has %u", name,
		    state->removals->len, simulation->scene->name, world->bodies->len);
	if (fit == STATE_BRANCH)
		return true;
	if (memcmp(simulation->identity, state->head.identity, sizeof simulation->identity) != 0)
		return error_set(
		    error, CINCH_ERROR_INPUT, "%s: is not a state of this scene, %s", name, simulation->scene->name);
	if (!fields_fit(state, simulation) || !scripts_fit(state, world) || !contact_fits(state, simulation->contact))
		return error_set(error, CINCH_ERROR_INPUT,
		    "%s: does not fit the clocks of %s: another version of Cinch may have written it", name,
		    simulation->scene->name);
	return true;
}

/* --- Putting back ------------------------------------------------------------------------------------------------ */

static void restore_vertices(Simulation *simulation, const State *state)
{
	const World *world = simulation->scene->world;
	for (uint32_t i = 0; i < world_vertex_count(world); i++) {
		const StateVertex *vertex = &g_array_index(state->vertices, StateVertex, i);
		Flight *flight = &simulation->flight[i];
		flight->x = vertex->x;
		flight->v = vertex->v;
		flight->t = vertex->t;
		/* A vertex that a branch has pinned flies no further. */
		if (g_array_index(world->held, uint8_t, i) == HELD_PINNED && !vec3_is_zero(flight->v))
			flight_commit(flight, state->head.time, vec3(0, 0, 0));
	}
}

static void restore_field(Field *field, const State *state, const Place *place, const StateField *entry)
{
	const Station *station = &g_array_index(state->stations, Station, place->station);
	for (size_t g = 0; g < field->n_groups; g++)
		field->group[g].clock = g_array_index(state->clocks, Clock, place->clock + g);
	if (field->resists) {
		const double *memory = &g_array_index(state->memories, double, place->memory);
		memcpy(field->measure, memory, field_memories(field) * sizeof *memory);
		memcpy(field->pull, memory + field_memories(field), field_memories(field) * sizeof *memory);
	}
	if (field->station != NULL)
		memcpy(field->station, station, field->n_touched * sizeof *station);
	if (field->n_held > 0)
		memcpy(field->held_station, station + stations_of(field), field->n_held * sizeof *station);
	field->n_evaluations = entry->evaluations;
	field->seconds = entry->seconds;
}

static void restore_fields(Simulation *simulation, const State *state)
{
	Place place = {0};
	for (guint i = 0; i < simulation->fields->len; i++) {
		Field *field = simulation->fields->pdata[i];
		if (field_fits(state, i, &place, field))
			restore_field(field, state, &place, &g_array_index(state->fields, StateField, i));
		else if (state->head.begun)
			field_restart(field, simulation->flight, state->head.time, &simulation->account);
		if (i < state->fields->len)
			move_on(&place, &g_array_index(state->fields, StateField, i));
	}
}

/* A branch may have other scripts: each sets out at its next tick, from wherever its vertices are. */
static void restore_scripts(World *world, const State *state, StateFit fit)
{
	for (guint i = 0; i < world->scripts->len; i++) {
		Script *script = world->scripts->pdata[i];
		if (fit == STATE_SAME)
			script->clock = g_array_index(state->scripts, Clock, i);
		else
			script->clock.tick =
			    state->head.begun ? clock_tick_after(script->clock.step, state->head.time) : 0;
	}
}

/* Layers that the run has no longer, because its end is later and time coarser there, are beyond its limit. */
static void restore_contact(Contact *contact, const State *state)
{
	contact_reset(contact);
	memory_restore(contact->memory, (const GArray[]){{0}});
	contact->count = state->head.contact;
	if (!contact_fits(state, contact))
		return;
	memory_restore(contact->memory, state->pairs);
	for (guint i = 0; i < state->layers->len; i++) {
		const StateLayer *layer = &g_array_index(state->layers, StateLayer, i);
		if (layer->layer >= 1 && layer->layer <= contact->last_layer && layer->bin < contact->surface->n_bins)
			contact_refine(contact, layer->layer, (uint16_t)layer->bin, (uint8_t)layer->halvings,
			    layer->first);
	}
}

bool state_restore(Simulation *simulation, const State *state, StateFit fit, const char *name, GError **error)
{
	const StateHead *head = &state->head;
	Contact *contact = simulation->contact;
	if (!check_fit(simulation, state, fit, name, error))
		return false;
	avi_reset(simulation->avi, head->time, head->begun);
	memcpy(simulation->avi->count, head->count, sizeof head->count);
	simulation->account = head->account;
	simulation->initial_total = head->initial_total;
	simulation->wall_seconds = head->wall_seconds;
	restore_vertices(simulation, state);
	removal_restore(simulation, (const double *)(void *)state->removals->data, head->time);
	restore_fields(simulation, state);
	restore_scripts(simulation->scene->world, state, fit);
	simulation_schedule(simulation);
	if (contact == NULL)
		return true;
	restore_contact(contact, state);
	/* At the very start clocks of layers begin with tick 0. */
	if (head->begun ? contact_rebuild(contact, head->time, error) : contact_start(contact, head->time, error))
		return true;
	simulation->avi->stopped = true;
	return false;
}

#include "sim/checkpoint.h"

char *checkpoint_name(const char *archive)
{
	return g_strconcat(archive, ".checkpoint", NULL);
}

static bool act(void *context, uint32_t id, double time, double *next, GError **error)
{
	(void)id;
	Simulation *simulation = context;
	Clock *clock = &simulation->checkpoint_clock;
	g_autofree char *kept = g_strdup_printf("%s.%" G_GUINT64_FORMAT, simulation->checkpoint_path, clock->tick);
	g_autoptr(State) state = state_capture(simulation, error);
	if (state == NULL)
		return false;
	/* The loop moves its time on only after the event. */
	state->head.time = time;
	clock->tick++;
	*next = clock_time(clock);
	return state_save(state, simulation->checkpoint_path, error) &&
	       (!simulation->checkpoint_keep || state_save(state, kept, error));
}

void checkpoint_begin(Simulation *simulation, const char *path, double every, bool keep)
{
	simulation->checkpoint_path = g_strdup(path);
	simulation->checkpoint_clock = (Clock){.step = every};
	simulation->checkpoint_keep = keep;
	avi_handle(simulation->avi, AVI_CHECKPOINT, (AviHandler){"checkpoint", simulation, act});
	checkpoint_schedule(simulation);
}

void checkpoint_schedule(Simulation *simulation)
{
	Clock *clock = &simulation->checkpoint_clock;
	if (simulation->checkpoint_path == NULL || !(clock->step > 0.0))
		return;
	clock->tick = clock_tick_after(clock->step, simulation->avi->time);
	avi_schedule(simulation->avi, clock_time(clock), AVI_CHECKPOINT, 0);
}

bool checkpoint_write(const Simulation *simulation, GError **error)
{
	g_autoptr(State) state = state_capture(simulation, error);
	return state != NULL && state_save(state, simulation->checkpoint_path, error);
}

/* From a state on to a later time, without frames and witness: they have seen it already. */
static bool go_again(Simulation *simulation, const State *from, double until)
{
	ArchiveWriter *archive = g_steal_pointer(&simulation->archive);
	struct Witness *witness = g_steal_pointer(&simulation->witness);
	bool good = state_restore(simulation, from, STATE_SAME, "state", NULL) &&
	            (until <= from->head.time || simulation_advance(simulation, until, NULL));
	simulation->archive = archive;
	simulation->witness = witness;
	return good;
}

bool checkpoint_write_before_limit(Simulation *simulation, const State *before, GError **error)
{
	double limit = simulation->contact->limit.time;
	if (go_again(simulation, before, nextafter(limit, -INFINITY)))
		return checkpoint_write(simulation, error);
	simulation->avi->time = before->head.time;
	return state_save(before, simulation->checkpoint_path, error);
}

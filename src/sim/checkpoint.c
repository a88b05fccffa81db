#include "sim/checkpoint.h"
#include "core/error.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <unistd.h>

char *checkpoint_name(const char *archive)
{
	return g_strconcat(archive, ".checkpoint", NULL);
}

char *checkpoint_previous(const char *checkpoint)
{
	return g_strconcat(checkpoint, ".previous", NULL);
}

static char *kept_name(const char *checkpoint, uint64_t number)
{
	return g_strdup_printf("%s.%" G_GUINT64_FORMAT, checkpoint, number);
}

void checkpoint_remove(const char *archive)
{
	g_autofree char *name = checkpoint_name(archive), *previous = checkpoint_previous(name);
	const char *const names[] = {name, previous};
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		if (g_file_test(names[i], G_FILE_TEST_IS_REGULAR))
			g_unlink(names[i]);
}

bool checkpoint_save(const State *state, const char *path, GError **error)
{
	/* A second name for the one that is to be replaced. A file system without such names keeps only the last. */
	g_autofree char *previous = checkpoint_previous(path);
	if (g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
		g_unlink(previous);
		if (link(path, previous) != 0)
			g_debug("%s: %s", previous, g_strerror(errno));
	}
	return state_save(state, path, error);
}

/* The archive first: a checkpoint must not know of frames that the death of the machine takes away. */
static bool save(const Simulation *simulation, const State *state, GError **error)
{
	if (simulation->archive != NULL && !archive_sync(simulation->archive))
		return error_set(error, CINCH_ERROR_FAILED, "%s: could not be written: the archive is not on the disk: %s",
		    simulation->checkpoint_path, g_strerror(errno));
	return checkpoint_save(state, simulation->checkpoint_path, error);
}

static bool act(void *context, uint32_t id, double time, double *next, GError **error)
{
	(void)id;
	Simulation *simulation = context;
	Clock *clock = &simulation->checkpoint_clock;
	uint64_t number = clock->tick, keep = simulation->checkpoint_keep;
	g_autoptr(State) state = state_capture(simulation, error);
	if (state == NULL)
		return false;
	/* The loop moves its time on only after the event. */
	state->head.time = time;
	clock->tick++;
	*next = clock_time(clock);
	if (!save(simulation, state, error))
		return false;
	if (keep == 0)
		return true;
	g_autofree char *kept = kept_name(simulation->checkpoint_path, number);
	if (number > keep) {
		g_autofree char *oldest = kept_name(simulation->checkpoint_path, number - keep);
		g_unlink(oldest);
	}
	return state_save(state, kept, error);
}

void checkpoint_begin(Simulation *simulation, const char *path, double every, uint64_t keep)
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
	return state != NULL && save(simulation, state, error);
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
	return checkpoint_save(before, simulation->checkpoint_path, error);
}

#include "bench/trial.h"
#include "core/stopwatch.h"

/* Counters of work, in seconds of wall time and in events. */
typedef struct {
	double floor, certificates, processors, wall;
	uint64_t forces, events, evaluations;
	DetectorCount detector;
} Count;

static Count count_of(const Simulation *simulation)
{
	const Contact *contact = simulation->contact;
	Count count = {.forces = simulation->avi->count[AVI_FORCE].events, .events = avi_event_count(simulation->avi)};
	contact->detector->class->count(contact->detector, &count.detector);
	count.evaluations = contact->count.evaluations;
	for (guint i = 0; i < simulation->fields->len; i++)
		count.floor += ((const Field *)simulation->fields->pdata[i])->seconds;
	count.floor += contact->count.layer_seconds;
	count.certificates = contact->count.certificate_seconds;
	count.processors = subject_processor_seconds();
	count.wall = stopwatch_seconds();
	return count;
}

char *trial_motion(const Simulation *simulation)
{
	size_t n = world_vertex_count(simulation->scene->world);
	return g_compute_checksum_for_data(
	    G_CHECKSUM_SHA256, (const guchar *)simulation->flight, n * sizeof *simulation->flight);
}

double trial_least_share(const TrialRow *rows, size_t n)
{
	double least = 1.0;
	for (size_t i = 0; i < n; i++)
		least = MIN(least, rows[i].share);
	return least;
}

static void take_sample(const Simulation *simulation, double began, TrialResult *result)
{
	const Detector *detector = simulation->contact->detector;
	DetectorCount count;
	detector->class->count(detector, &count);
	TrialSample sample = {simulation->avi->time, queue_length(simulation->avi->queue), (double)count.alive,
	    subject_processor_seconds() - began};
	g_array_append_val(result->samples, sample);
}

/* To the end of the stretch, with a stop at each sample and at the common time: stops change nothing. */
static bool advance(Simulation *simulation, const TrialPlan *plan, double length, TrialResult *result, GError **error)
{
	double begin = simulation->avi->time, common = begin + plan->common, began = subject_processor_seconds();
	unsigned slices = MAX(plan->slices, 1);
	take_sample(simulation, began, result);
	for (unsigned i = 1; i <= slices; i++) {
		double time = begin + length * i / slices;
		if (result->motion == NULL && common <= time) {
			if (!simulation_advance(simulation, common, error))
				return false;
			result->motion = trial_motion(simulation);
		}
		if (!simulation_advance(simulation, time, error))
			return false;
		take_sample(simulation, began, result);
	}
	return true;
}

/* Not with those of the beginning, when all bounds are looked at. */
static void sum_up_axes(TrialResult *result, const DetectorCount *before, const DetectorCount *after)
{
	double all = 0.0;
	for (int i = 0; i < TRIAL_AXES; i++)
		all += (double)(after->by_axes[i] - before->by_axes[i]);
	for (int i = 0; i < TRIAL_AXES; i++)
		result->by_axes[i] = (double)(after->by_axes[i] - before->by_axes[i]) / all;
}

static void sum_up(TrialResult *result, const Count *before, const Count *after, double simulated)
{
	result->simulated = simulated;
	result->seconds = (after->processors - before->processors) / simulated;
	result->wall = (after->wall - before->wall) / simulated;
	result->floor = (after->floor - before->floor) / simulated;
	result->certificates = (after->certificates - before->certificates) / simulated;
	result->share = result->certificates / result->wall;
	result->forces = (double)(after->forces - before->forces) / simulated;
	result->events = (double)(after->events - before->events) / simulated;
	result->failed = (double)(after->detector.failed - before->detector.failed) / simulated;
	result->rescheduled = (double)(after->detector.rescheduled - before->detector.rescheduled) / simulated;
	result->asked = (double)(after->detector.asked - before->detector.asked) / simulated;
	result->evaluations = (double)(after->evaluations - before->evaluations) / simulated;
	result->reschedules = result->forces > 0.0 ? result->rescheduled / result->forces : NAN;
	result->last = after->detector;
	sum_up_axes(result, &before->detector, &after->detector);
	for (guint i = 0; i < result->samples->len; i++) {
		const TrialSample *sample = &g_array_index(result->samples, TrialSample, i);
		result->queue += sample->queue / result->samples->len;
		result->most_queue = fmax(result->most_queue, sample->queue);
	}
}

static bool measure(Simulation *simulation, const State *state, const char *name, const TrialRow *row,
    const TrialPlan *plan, TrialResult *result, GError **error)
{
	simulation->threads = row->threads;
	if (!state_restore(simulation, state, STATE_BRANCH, name, error))
		return false;
	double length = fmax(row->share * plan->length, plan->common);
	Count before = count_of(simulation);
	if (!advance(simulation, plan, length, result, error))
		return false;
	Count after = count_of(simulation);
	sum_up(result, &before, &after, length);
	result->deepest = simulation->contact->count.deepest;
	return true;
}

bool trial_run(Subject *subject, const TrialRow *row, const TrialPlan *plan, TrialResult *result, GError **error)
{
	*result = (TrialResult){.samples = g_array_new(FALSE, FALSE, sizeof(TrialSample))};
	const State *state = subject_state(subject, error);
	Simulation *simulation = state ? subject_load(subject, row->overrides, error) : NULL;
	bool good = simulation != NULL && measure(simulation, state, subject->name, row, plan, result, error);
	simulation_free(simulation);
	return good;
}

void trial_clear(TrialResult *result)
{
	g_clear_pointer(&result->samples, g_array_unref);
	g_clear_pointer(&result->motion, g_free);
}

/* Runs of one scene that must be the same, bit for bit. */
#ifndef CINCH_TESTS_SUPPORT_TWINS_H
#define CINCH_TESTS_SUPPORT_TWINS_H

#include "support/contact_scenes.h"
#include "support/scenes.h"

enum { TWINS_FRAMES = 12 };

/* Everything that the motion leaves behind: positions, velocities and the ledger, at several times. */
typedef struct {
	GByteArray *bytes;
	ContactCount count;
} TwinsTrace;

/* Advances to a time; with a seed, throwing away all detection state on the way, five times per frame or so. */
static inline void twins_advance(Simulation *simulation, double until, double mean, uint64_t *seed)
{
	double now = simulation->avi->time;
	while (*seed != 0 && (now += scenes_random(seed, 0.0, 2.0 * mean)) < until) {
		scenes_advance(simulation, now);
		cr_assert(contact_rebuild(simulation->contact, now, NULL));
	}
	scenes_advance(simulation, until);
}

static inline void twins_append(GByteArray *bytes, const double *values, size_t n)
{
	g_byte_array_append(bytes, (const guint8 *)values, (guint)(n * sizeof(double)));
}

static inline TwinsTrace twins_run(const ContactScene *scene, const char *keys, unsigned threads, uint64_t seed)
{
	g_autofree char *json = contact_scene_text(scene, keys);
	Simulation *simulation = scenes_load(json);
	size_t n = 3 * world_vertex_count(simulation->scene->world);
	g_autofree double *values = g_new(double, n);
	TwinsTrace trace = {g_byte_array_new(), {0}};
	simulation->threads = threads;
	for (int frame = 1; frame <= TWINS_FRAMES; frame++) {
		double row[LEDGER_N];
		twins_advance(simulation, scene->end * frame / TWINS_FRAMES, 0.2 * scene->end / TWINS_FRAMES, &seed);
		simulation_positions(simulation, values);
		twins_append(trace.bytes, values, n);
		simulation_velocities(simulation, values);
		twins_append(trace.bytes, values, n);
		ledger_compute(simulation, simulation->avi->time, row);
		twins_append(trace.bytes, row, LEDGER_N);
	}
	trace.count = simulation->contact->count;
	simulation_free(simulation);
	return trace;
}

static inline void twins_check(const ContactScene *scene, const TwinsTrace *reference, const char *what, TwinsTrace other)
{
	size_t same = 0;
	while (same < reference->bytes->len && reference->bytes->data[same] == other.bytes->data[same])
		same++;
	cr_assert_eq(same, reference->bytes->len, "%s: %s differs at byte %zu of %u", scene->name, what, same,
	    reference->bytes->len);
	g_byte_array_unref(other.bytes);
}

#endif

/* Several threads find the same as one: not only the same motion, but the same certificates, looked at in the same order. All
 * work that can be shared is, however small (CINCH_TEAMS, core/team.h). */
#include "support/scenes.h"
#include <stdlib.h>

/* A sheet that is folded over itself, above a floor: charts, repairs and windows, friction, and 1,700 vertices. */
static const char *const folded =
    "{\"units\": \"si\", \"time\": {\"end\": 10}, \"gravity\": [0, -9.8, 0],"
    " \"materials\": {\"m\": {\"stretch_stiffness\": 50, \"bend_stiffness\": 1e-5, \"density\": 0.2, \"stretch_damping\": 0.001}},"
    " \"meshes\": [{\"name\": \"s\", \"generate\": \"sheet\", \"size\": [0.4, 0.2], \"cells\": [56, 28], \"material\": \"m\","
    "   \"rotate\": [{\"axis\": [1, 0, 0], \"angle\": -90}], \"at\": [0, 0.004, 0], \"velocity\": [0, -0.5, 0]},"
    "  {\"name\": \"t\", \"generate\": \"sheet\", \"size\": [0.2, 0.1], \"cells\": [9, 5], \"material\": \"m\","
    "   \"rotate\": [{\"axis\": [1, 0, 0], \"angle\": -90}, {\"axis\": [0, 1, 0], \"angle\": 23}], \"at\": [0, 0.007, 0], \"velocity\": [0, -2, 0]},"
    "  {\"name\": \"floor\", \"generate\": \"sheet\", \"size\": [1, 1], \"cells\": [3, 3], \"material\": \"m\","
    "   \"rotate\": [{\"axis\": [1, 0, 0], \"angle\": -90}], \"pinned\": true}],"
    " \"scripts\": [{\"set\": \"s.right\", \"axis\": [0, 0, 1], \"keyframes\": [{\"time\": 0.04, \"rotate\": 60}]}],"
    " \"contact\": {\"eta1\": 0.002, \"restitution\": 0.3, \"friction\": 0.3}}";

enum { SLICES = 4 };
#define END 0.02 /* [s] */

typedef struct {
	char *motion[SLICES];
	DetectorCount count[SLICES];
	uint64_t certificates[SLICES]; /* events */
	ContactCount contact;
	Account account;
} Course;

static Course run(unsigned threads)
{
	Course course;
	Simulation *simulation = scenes_load(folded);
	Detector *detector = simulation->contact->detector;
	simulation->threads = threads;
	for (int i = 0; i < SLICES; i++) {
		scenes_advance(simulation, END * (i + 1) / SLICES);
		size_t n = world_vertex_count(simulation->scene->world);
		course.motion[i] = g_compute_checksum_for_data(
		    G_CHECKSUM_SHA256, (const guchar *)simulation->flight, n * sizeof *simulation->flight);
		detector->class->count(detector, &course.count[i]);
		course.certificates[i] = simulation->avi->count[AVI_CERTIFICATE].events;
	}
	course.contact = simulation->contact->count;
	course.account = simulation->account;
	simulation_free(simulation);
	return course;
}

static void check_same(const Course *one, const Course *other, unsigned threads)
{
	for (int i = 0; i < SLICES; i++) {
		const DetectorCount *a = &one->count[i], *b = &other->count[i];
		cr_assert_str_eq(one->motion[i], other->motion[i], "the motion of %u threads, slice %d", threads, i);
		cr_assert_eq(one->certificates[i], other->certificates[i], "certificate events of %u threads, slice %d", threads, i);
		cr_assert(a->alive == b->alive && a->failed == b->failed && a->rescheduled == b->rescheduled && a->pairs == b->pairs &&
		              a->awake == b->awake,
		    "certificates of %u threads, slice %d", threads, i);
	}
	cr_assert_eq(one->contact.in_range, other->contact.in_range);
	cr_assert_eq(one->contact.evaluations, other->contact.evaluations);
	cr_assert_arr_eq(one->account.work, other->account.work, sizeof one->account.work, "the account of %u threads", threads);
}

static void clear(Course *course)
{
	for (int i = 0; i < SLICES; i++)
		g_free(course->motion[i]);
}

Test(teams, find_what_one_thread_finds, .timeout = 600)
{
	setenv("CINCH_TEAMS", "always", 1);
	Course one = run(1);
	cr_log_info("%lu pairs in range, %lu certificates failed, %lu rescheduled", (unsigned long)one.contact.in_range,
	    (unsigned long)one.count[SLICES - 1].failed, (unsigned long)one.count[SLICES - 1].rescheduled);
	cr_assert_gt(one.contact.in_range, 10000, "nothing touches");
	cr_assert_gt(one.count[SLICES - 1].rescheduled, 1000, "no vertex leaves its tube");
	for (unsigned threads = 2; threads <= 4; threads++) {
		Course other = run(threads);
		check_same(&one, &other, threads);
		clear(&other);
	}
	clear(&one);
}

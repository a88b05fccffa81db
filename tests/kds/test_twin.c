/* The motion is a function of the scene alone: every detector gives the same bits, for any number of threads, and a run
 * that throws away all detection state and makes it anew does too. */
#include "support/twins.h"

static void check_scene(const ContactScene *scene, const char *law)
{
	g_autofree char *brute = g_strconcat("'detect': 'brute', ", law, NULL), *naive = g_strconcat("'detect': 'naive', ", law, NULL);
	g_autofree char *tube = g_strconcat("'detect': 'tube', ", law, NULL);
	g_autofree char *cone = g_strconcat("'detect': 'cone', ", law, NULL);
	g_autofree char *lazy = g_strconcat("'detect': 'grid', ", law, NULL);
	g_autofree char *active = g_strconcat(lazy, ", 'removal': 'active', 'cell': [0.05, 0.3, 0.04]", NULL);
	g_autofree char *bare = g_strconcat(tube, ", 'near_field': false", NULL);
	TwinsTrace reference = twins_run(scene, brute, 1, 0);
	cr_log_info("%s, %s: %lu impulses, layer %u, smallest gap %.3g, at most %u pairs at a vertex, %lu halvings", scene->name, law,
	    (unsigned long)reference.count.in_range, reference.count.deepest, reference.count.smallest_gap,
	    reference.count.most_crowded, (unsigned long)reference.count.halvings);
	cr_assert_gt(reference.count.in_range, 1000, "%s: nothing touches", scene->name);
	twins_check(scene, &reference, "naive", twins_run(scene, naive, 1, 0));
	twins_check(scene, &reference, "naive with 2 threads", twins_run(scene, naive, 2, 0));
	twins_check(scene, &reference, "naive with 4 threads", twins_run(scene, naive, 4, 0));
	twins_check(scene, &reference, "tube", twins_run(scene, tube, 1, 0));
	twins_check(scene, &reference, "tube with 2 threads", twins_run(scene, tube, 2, 0));
	twins_check(scene, &reference, "tube with 4 threads", twins_run(scene, tube, 4, 0));
	twins_check(scene, &reference, "tube without charts", twins_run(scene, bare, 1, 0));
	twins_check(scene, &reference, "cone", twins_run(scene, cone, 1, 0));
	twins_check(scene, &reference, "cone, rebuilt", twins_run(scene, cone, 1, 555));
	twins_check(scene, &reference, "grid, cells left lazily", twins_run(scene, lazy, 1, 0));
	twins_check(scene, &reference, "grid, cells left at once", twins_run(scene, active, 1, 0));
	twins_check(scene, &reference, "grid, rebuilt", twins_run(scene, lazy, 1, 31));
	twins_check(scene, &reference, "tube, rebuilt", twins_run(scene, tube, 1, 777));
	twins_check(scene, &reference, "naive, rebuilt", twins_run(scene, naive, 1, 12345));
	twins_check(scene, &reference, "brute, rebuilt", twins_run(scene, brute, 1, 999));
	g_byte_array_unref(reference.bytes);
}

#define SCENE_TEST(i) \
	Test(twin, scene_##i, .timeout = 1800) \
	{ \
		check_scene(&contact_scenes[i], "'restitution': 1"); \
	} \
	Test(twin, scene_##i##_with_losses, .timeout = 1800) \
	{ \
		check_scene(&contact_scenes[i], "'restitution': 0.4, 'friction': 0.3"); \
	} \
	Test(twin, scene_##i##_without_restitution, .timeout = 1800) \
	{ \
		check_scene(&contact_scenes[i], "'restitution': 0, 'friction': 0.6"); \
	}
SCENE_TEST(0)
SCENE_TEST(1)
SCENE_TEST(2)
SCENE_TEST(3)
SCENE_TEST(4)
SCENE_TEST(5)
SCENE_TEST(6)
SCENE_TEST(7)

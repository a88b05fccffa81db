/* The motion does not depend on how contact is found: every option of detection alone, every two of them together, and with
 * CINCH_FULL all combinations of those that matter to each other, with one, two and four threads, give the bits of brute force. */
#include "support/twins.h"
#include <stdlib.h>

/* An option, with the values that it takes. The first is what the others go with when each is tried alone. */
typedef struct {
	const char *name;
	const char *value[8]; /* keys of "contact"; NULL-terminated */
} Option;

static const Option options[] = {
    {"broad phase",
        {"'broad_phase': '18-dop'", "'broad_phase': 'aabb'", "'broad_phase': '8-dop'", "'broad_phase': '26-dop'",
            "'broad_phase': 'sphere'", "'broad_phase': 'grid'", "'broad_phase': 'grid', 'removal': 'active'"}},
    {"short-circuit", {"'short_circuit': true", "'short_circuit': false"}},
    {"axis order", {"'axis_order': 'adaptive'", "'axis_order': 'fixed'"}},
    {"grain", {"'slabs': 'primitives'", "'slabs': 'elements'", "'wake': 'elements'"}},
    {"features", {"'features': 'last'", "'features': 'all'"}},
    {"cones", {"'cones': 'each'", "'cones': 'all'", "'cones': 'all', 'cone_width': 0.05"}},
    {"quality loss", {"'quality_loss': 0.7", "'quality_loss': 0", "'quality_loss': 0.95"}},
};
enum { N_OPTIONS = G_N_ELEMENTS(options) };

/* One value of each option. */
typedef struct {
	int value[N_OPTIONS];
} Choice;

static int n_values(int option)
{
	int n = 0;
	while (n < 8 && options[option].value[n] != NULL)
		n++;
	return n;
}

static char *keys_of(const Choice *choice, const char *law)
{
	GString *keys = g_string_new("'detect': 'cone'");
	for (int i = 0; i < N_OPTIONS; i++)
		g_string_append_printf(keys, ", %s", options[i].value[choice->value[i]]);
	g_string_append_printf(keys, ", %s", law);
	return g_string_free(keys, FALSE);
}

/* A short stretch of a scene in which much touches. */
static ContactScene shortened(int scene, double end)
{
	ContactScene result = contact_scenes[scene];
	result.end = end;
	return result;
}

static void check_choice(const ContactScene *scene, const TwinsTrace *reference, const Choice *choice, const char *law, unsigned threads)
{
	g_autofree char *keys = keys_of(choice, law), *what = g_strdup_printf("%s, %u threads", keys, threads);
	twins_check(scene, reference, what, twins_run(scene, keys, threads, 0));
}

static TwinsTrace reference_of(const ContactScene *scene, const char *law)
{
	g_autofree char *brute = g_strconcat("'detect': 'brute', ", law, NULL);
	TwinsTrace reference = twins_run(scene, brute, 1, 0);
	cr_assert_gt(reference.count.in_range, 300, "%s: nothing touches", scene->name);
	return reference;
}

/* Whether some choice has both values. */
static bool is_together(const GArray *choices, int a, int a_value, int b, int b_value)
{
	for (guint i = 0; i < choices->len; i++) {
		const Choice *choice = &g_array_index(choices, Choice, i);
		if (choice->value[a] == a_value && choice->value[b] == b_value)
			return true;
	}
	return false;
}

/* How many values a choice would bring together for the first time. */
static int n_new(const GArray *choices, const Choice *choice)
{
	int n = 0;
	for (int a = 0; a < N_OPTIONS; a++)
		for (int b = a + 1; b < N_OPTIONS; b++)
			n += !is_together(choices, a, choice->value[a], b, choice->value[b]);
	return n;
}

/* Choices in which every two values of different options stand together: each is the best of some random ones. */
static GArray *pairwise(void)
{
	enum { TRIES = 200 };
	GArray *choices = g_array_new(FALSE, FALSE, sizeof(Choice));
	uint64_t seed = 11;
	Choice best = {{0}};
	for (int most = 1; most > 0;) {
		most = 0;
		for (int i = 0; i < TRIES; i++) {
			Choice choice;
			for (int k = 0; k < N_OPTIONS; k++)
				choice.value[k] = (int)scenes_random(&seed, 0.0, n_values(k));
			int found = n_new(choices, &choice);
			if (found > most) {
				most = found;
				best = choice;
			}
		}
		if (most > 0)
			g_array_append_val(choices, best);
	}
	return choices;
}

static void check_alone(const ContactScene *scene, const char *law)
{
	TwinsTrace reference = reference_of(scene, law);
	for (int option = 0; option < N_OPTIONS; option++)
		for (int value = option ? 1 : 0; value < n_values(option); value++) {
			Choice choice = {{0}};
			choice.value[option] = value;
			check_choice(scene, &reference, &choice, law, 1);
		}
	g_byte_array_unref(reference.bytes);
}

static void check_pairs(const ContactScene *scene, const char *law)
{
	TwinsTrace reference = reference_of(scene, law);
	g_autoptr(GArray) choices = pairwise();
	for (int a = 0; a < N_OPTIONS; a++)
		for (int b = a + 1; b < N_OPTIONS; b++)
			for (int value = 0; value < n_values(a) * n_values(b); value++)
				cr_assert(is_together(choices, a, value % n_values(a), b, value / n_values(a)), "%s and %s",
				    options[a].name, options[b].name);
	for (guint i = 0; i < choices->len; i++)
		check_choice(scene, &reference, &g_array_index(choices, Choice, i), law, 1u << i % 3);
	cr_log_info("%s: %u choices", scene->name, choices->len);
	g_byte_array_unref(reference.bytes);
}

#define LOSSES "'restitution': 0.4, 'friction': 0.3"

Test(options, alone, .timeout = 600)
{
	ContactScene ball = shortened(3, 0.15), threads = shortened(6, 0.2);
	check_alone(&ball, LOSSES);
	check_alone(&threads, LOSSES);
}

Test(options, pairs_ball, .timeout = 600)
{
	ContactScene scene = shortened(3, 0.2);
	check_pairs(&scene, LOSSES);
}

Test(options, pairs_particles, .timeout = 600)
{
	ContactScene scene = shortened(4, 0.4);
	check_pairs(&scene, "'restitution': 0");
}

Test(options, pairs_threads, .timeout = 600)
{
	ContactScene scene = shortened(6, 0.25);
	check_pairs(&scene, LOSSES);
}

/* Shares by valence are another motion, in the last digits; but it is that of the scene, too. */
Test(options, shares_by_valence, .timeout = 600)
{
	const char *const ways[] = {"naive', 'self': true, 'shares': 'valence", "tube', 'shares': 'valence",
	    "cone', 'wake': 'elements', 'shares': 'valence", "grid', 'wake': 'elements', 'shares': 'valence"};
	ContactScene scene = shortened(3, 0.15);
	TwinsTrace owner = reference_of(&scene, LOSSES), valence = reference_of(&scene, "'shares': 'valence', " LOSSES);
	cr_assert_eq(owner.bytes->len, valence.bytes->len);
	const double *a = (const double *)(const void *)owner.bytes->data, *b = (const double *)(const void *)valence.bytes->data;
	size_t n_frame = owner.bytes->len / sizeof(double) / TWINS_FRAMES, n_positions = (n_frame - LEDGER_N) / 2;
	size_t first = 0;
	while (first < n_frame * TWINS_FRAMES && a[first] == b[first])
		first++;
	cr_assert_lt(first, n_frame * TWINS_FRAMES, "shares by valence have the motion of owners");
	/* At the first frame that differs: what follows takes rounding for a reason to bounce elsewhere. */
	for (size_t i = first / n_frame * n_frame, end = i + n_positions; i < end; i++)
		cr_assert_float_eq(a[i], b[i], 1e-9, "%g", a[i] - b[i]);
	for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
		g_autofree char *keys = g_strdup_printf("'detect': '%s', " LOSSES, ways[i]);
		twins_check(&scene, &valence, ways[i], twins_run(&scene, keys, 1, 0));
	}
	g_byte_array_unref(owner.bytes);
	g_byte_array_unref(valence.bytes);
}

/* The first options are tried in all combinations, the others, which are about slabs alone, as it comes. */
enum { N_CROSSED = 4 };

/* All that there is: other detectors, and all combinations of options, each with one, two and four threads. */
static void check_all(const ContactScene *scene)
{
	static const char *const others[] = {"'detect': 'brute'", "'detect': 'naive'", "'detect': 'grid'",
	    "'detect': 'grid', 'removal': 'active', 'cell': [0.05, 0.3, 0.04]", "'detect': 'tube'",
	    "'detect': 'tube', 'near_field': false"};
	static const unsigned threads[] = {1, 2, 4};
	TwinsTrace reference = reference_of(scene, LOSSES);
	uint64_t seed = 5;
	int n = 1;
	for (int option = 0; option < N_CROSSED; option++)
		n *= n_values(option);
	for (size_t t = 0; t < G_N_ELEMENTS(threads); t++) {
		for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
			g_autofree char *keys = g_strdup_printf("%s, " LOSSES, others[i]);
			twins_check(scene, &reference, others[i], twins_run(scene, keys, threads[t], 0));
		}
		for (int number = 0; number < n; number++) {
			Choice choice;
			for (int option = 0, rest = number; option < N_OPTIONS; rest /= n_values(option++))
				choice.value[option] = option < N_CROSSED ? rest % n_values(option) : (int)scenes_random(&seed, 0.0, n_values(option));
			check_choice(scene, &reference, &choice, LOSSES, threads[t]);
		}
	}
	cr_log_info("%s: %d combinations, and %zu other detectors, with %zu numbers of threads", scene->name, n,
	    G_N_ELEMENTS(others), G_N_ELEMENTS(threads));
	g_byte_array_unref(reference.bytes);
}

#define FULL_TEST(i) \
	Test(options, full_##i, .timeout = 7200) \
	{ \
		if (getenv("CINCH_FULL") == NULL) \
			cr_skip_test("only in the long form"); \
		ContactScene scene = shortened(i, 0.5 * contact_scenes[i].end); \
		check_all(&scene); \
	}
FULL_TEST(0)
FULL_TEST(1)
FULL_TEST(2)
FULL_TEST(3)
FULL_TEST(4)
FULL_TEST(5)
FULL_TEST(6)
FULL_TEST(7)

#include "scene/generate.h"

static const struct {
	const char *name;
	GenerateFunction *function;
} generators[] = {
    {"sheet", generate_sheet},
    {"ribbon", generate_ribbon},
    {"tube", generate_tube},
    {"sphere", generate_sphere},
    {"box", generate_box},
    {"particles", generate_particles},
    {"chain", generate_chain},
    {"nails", generate_nails},
    {"hull", generate_hull},
    {"hare", generate_hare},
};

GenerateFunction *generate_find(const char *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(generators); i++) {
		if (g_str_equal(generators[i].name, name))
			return generators[i].function;
	}
	return NULL;
}

const char *const *generate_names(void)
{
	static const char *names[G_N_ELEMENTS(generators) + 1];
	for (guint i = 0; i < G_N_ELEMENTS(generators); i++)
		names[i] = generators[i].name;
	return names;
}

#include "core/real.h"
#include "scene/scene_private.h"
#include "shells/force_hinge.h"

static const char *const stretch_models[] = {"springs", "stvk", NULL};

/* Young's modulus, Poisson's ratio, thickness and density of the solid. */
static void read_physical(Material *material, Reader *reader)
{
	double young = reader_positive(reader, "young", READER_REQUIRED);
	double thickness = reader_positive(reader, "thickness", READER_REQUIRED);
	double density = reader_positive(reader, "density", READER_REQUIRED);
	double poisson = reader_range(reader, "poisson", 0.3, -0.9, 0.5);
	double section = 0.25 * REAL_PI * thickness * thickness; /* of a round thread as thick as the sheet */
	for (const char *const *key = (const char *const[]){"stretch_stiffness", "bend_stiffness", "line_density", NULL};
	     *key; key++)
		if (reader_has(reader, *key))
			reader_fail(reader, *key, "cannot stand beside \"young\": a material is either physical or raw");
	material->stretch_model = (StretchModel)reader_choice(reader, "stretch_model", STRETCH_STVK, stretch_models);
	material->membrane = young * thickness;
	material->poisson = poisson;
	material->line_stiffness = young * section;
	material->line_density = density * section;
	material->areal_density = density * thickness;
	material->bend_stiffness = force_hinge_stiffness(young * thickness * thickness * thickness / 12.0);
}

/* The coefficients of the discrete energies themselves, as in the thesis. */
static void read_raw(Material *material, Reader *reader)
{
	double stretch = reader_nonnegative(reader, "stretch_stiffness", 0.0);
	material->stretch_model = (StretchModel)reader_choice(reader, "stretch_model", STRETCH_SPRINGS, stretch_models);
	if (material->stretch_model == STRETCH_STVK) {
		material->membrane = stretch;
		material->poisson = reader_range(reader, "poisson", 0.3, -0.9, 0.5);
	}
	material->spring_stiffness = stretch;
	material->bend_stiffness = reader_nonnegative(reader, "bend_stiffness", 0.0);
	material->areal_density = reader_has(reader, "density") ? reader_positive(reader, "density", 1.0) : 0.0;
	material->line_density = reader_has(reader, "line_density") ? reader_positive(reader, "line_density", 1.0) : 0.0;
}

static Material *read_material(Reader *reader, const char *name)
{
	Material *material = g_new0(Material, 1);
	material->name = g_strdup(name);
	if (reader_has(reader, "young"))
		read_physical(material, reader);
	else
		read_raw(material, reader);
	material->particle_mass = reader_has(reader, "particle_mass") ? reader_positive(reader, "particle_mass", 1.0) : 0.0;
	material->stretch_damping = reader_nonnegative(reader, "stretch_damping", 0.0);
	material->bend_damping = reader_nonnegative(reader, "bend_damping", 0.0);
	material->mass_damping = reader_nonnegative(reader, "mass_damping", 0.0);
	material->max_strain = reader_range(reader, "max_strain", 0.3, 0.0, 10.0);
	return material;
}

void scene_read_materials(Scene *scene, Reader *root)
{
	Reader *reader = reader_child(root, "materials");
	if (reader == NULL) {
		reader_fail(root, "materials", "missing; expected an object with at least one material");
		return;
	}
	g_autoptr(GList) names = reader_members(reader);
	if (names == NULL)
		reader_fail(root, "materials", "expected an object with at least one material, got none");
	for (GList *name = names; name; name = name->next) {
		Reader *child = reader_child(reader, name->data);
		if (child != NULL)
			g_ptr_array_add(scene->world->materials, read_material(child, name->data));
		reader_close(child);
	}
	reader_close(reader);
}

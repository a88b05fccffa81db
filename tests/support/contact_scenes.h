/* Small scenes in which much touches: each with another kind of body. Single quotes stand for double ones. */
#ifndef CINCH_TESTS_SUPPORT_CONTACT_SCENES_H
#define CINCH_TESTS_SUPPORT_CONTACT_SCENES_H

#include <glib.h>

typedef struct {
	const char *name;
	double end; /* [s] */
	const char *json; /* without the closing brace of "contact" and of the scene: keys may follow */
} ContactScene;

static const ContactScene contact_scenes[] = {
    {"two meshes, one held at its sides", 0.4,
        "{'units': 'si', 'time': {'end': 10},"
        " 'materials': {'m': {'young': 2e5, 'thickness': 0.001, 'density': 300, 'stretch_damping': 0.0005}},"
        " 'meshes': [{'name': 'a', 'generate': 'sheet', 'size': [0.3, 0.3], 'cells': [5, 5], 'material': 'm',"
        "   'rotate': [{'axis': [1, 0, 0], 'angle': -90}, {'axis': [0, 1, 0], 'angle': 17}], 'at': [0.02, 0.03, 0.01]},"
        "  {'name': 'b', 'generate': 'sheet', 'size': [0.3, 0.3], 'cells': [4, 4], 'material': 'm',"
        "   'rotate': [{'axis': [1, 0, 0], 'angle': -90}]}],"
        " 'pins': ['b.left', 'b.right'], 'contact': {'eta1': 0.01"},
    {"a ribbon that falls on itself", 0.5,
        "{'units': 'cgs', 'time': {'end': 10},"
        " 'materials': {'m': {'stretch_stiffness': 2000, 'bend_stiffness': 1, 'density': 0.05, 'stretch_damping': 0.0003}},"
        " 'meshes': [{'name': 'r', 'generate': 'ribbon', 'path': [[0, 9, 0], [0, 6, 0], [0.4, 3, 0], [0, 0.4, 0]],"
        "   'width': 2, 'cell_length': 0.8, 'cells_across': 2, 'material': 'm', 'velocity': [0, -60, 0]},"
        "  {'name': 'floor', 'generate': 'sheet', 'size': [30, 30], 'cells': [1, 1], 'material': 'm',"
        "   'rotate': [{'axis': [1, 0, 0], 'angle': -90}], 'pinned': true}],"
        " 'contact': {'eta1': 0.15, 'r1': 500"},
    {"chains across each other", 0.6,
        "{'units': 'si', 'time': {'end': 10},"
        " 'materials': {'m': {'stretch_stiffness': 300, 'line_density': 0.05, 'stretch_damping': 0.0005}},"
        " 'meshes': [{'name': 'a', 'generate': 'chain', 'from': [-0.5, 0, 0], 'to': [0.5, 0, 0], 'links': 8, 'material': 'm'},"
        "  {'name': 'b', 'generate': 'chain', 'from': [0.03, 0.1, -0.5], 'to': [0.03, 0.1, 0.5], 'links': 7, 'material': 'm'},"
        "  {'name': 'c', 'generate': 'chain', 'from': [-0.3, 0.2, 0.01], 'to': [0.3, 0.2, 0.01], 'links': 6, 'material': 'm'}],"
        " 'pins': ['a.start', 'a.end'], 'contact': {'eta1': 0.02"},
    {"a scripted ball pushed into a sheet", 0.4,
        "{'units': 'si', 'gravity': [0, 0, 0], 'time': {'end': 10},"
        " 'materials': {'m': {'young': 1e5, 'thickness': 0.001, 'density': 300, 'stretch_damping': 0.0003}},"
        " 'meshes': [{'name': 's', 'generate': 'sheet', 'size': [0.4, 0.4], 'cells': [6, 6], 'material': 'm'},"
        "  {'name': 'ball', 'generate': 'sphere', 'radius': 0.08, 'subdivisions': 1, 'material': 'm', 'at': [0.01, 0.02, 0.12]}],"
        " 'pins': ['s.corners'], 'scripts': [{'set': 'ball', 'keyframes': [{'time': 0.2, 'translate': [0, 0, -0.15], 'rotate': 40},"
        "   {'time': 0.4, 'translate': [0, 0, -0.05]}]}],"
        " 'contact': {'eta1': 0.012"},
    {"thick particles in a box", 0.5,
        "{'units': 'si', 'gravity': [0, -9.8, 0], 'time': {'end': 10}, 'materials': {'m': {'particle_mass': 0.01, 'density': 1}},"
        " 'meshes': [{'name': 'p', 'generate': 'particles', 'size': [0.5, 0.5, 0.3], 'count': [4, 4, 2], 'jitter': 0.4,"
        "   'thickness': 0.05, 'material': 'm', 'velocity': [1, 0.5, -0.7]},"
        "  {'name': 'box', 'generate': 'box', 'size': [0.8, 0.8, 0.5], 'material': 'm', 'pinned': true}],"
        " 'contact': {'eta1': 0.02"},
    {"a graded sheet on a thick bar", 0.3,
        "{'units': 'si', 'time': {'end': 10},"
        " 'materials': {'m': {'young': 1e5, 'thickness': 0.001, 'density': 300, 'stretch_damping': 0.0005}},"
        " 'meshes': [{'name': 's', 'generate': 'sheet', 'size': [0.4, 0.2], 'cells': [8, 4], 'grading': [6, 2], 'material': 'm',"
        "   'rotate': [{'axis': [1, 0, 0], 'angle': -90}], 'at': [0, 0.04, 0], 'thickness': 0.002},"
        "  {'name': 'bar', 'generate': 'tube', 'radius': 0.01, 'length': 0.4, 'cells': [5, 2], 'material': 'm',"
        "   'rotate': [{'axis': [1, 0, 0], 'angle': 90}, {'axis': [0, 1, 0], 'angle': 10}], 'pinned': true, 'thickness': 0.004}],"
        " 'contact': {'eta1': 0.003"},
    {"a thread, a sheet and particles", 0.4,
        "{'units': 'si', 'time': {'end': 10},"
        " 'materials': {'m': {'stretch_stiffness': 200, 'line_density': 0.05, 'density': 0.3, 'particle_mass': 0.005,"
        "   'bend_stiffness': 1e-4, 'stretch_damping': 0.0005}},"
        " 'meshes': [{'name': 's', 'generate': 'sheet', 'size': [0.4, 0.4], 'cells': [4, 4], 'material': 'm',"
        "   'rotate': [{'axis': [1, 0, 0], 'angle': -90}]},"
        "  {'name': 'c', 'generate': 'chain', 'from': [-0.25, 0.05, 0.03], 'to': [0.25, 0.06, -0.02], 'links': 6, 'material': 'm'},"
        "  {'name': 'p', 'generate': 'particles', 'positions': [[0.02, 0.1, 0.02], [-0.1, 0.12, 0.0], [0.1, 0.15, 0.03]],"
        "   'thickness': 0.01, 'material': 'm', 'velocity': [0, -2, 0]}],"
        " 'pins': ['s.boundary'], 'contact': {'eta1': 0.02"},
    {"bodies that are taken away: a wall, a sheet that carries a load, a ball under way", 0.4,
        "{'units': 'si', 'gravity': [2, -9.8, 0], 'time': {'end': 10},"
        " 'materials': {'m': {'young': 1e5, 'thickness': 0.001, 'density': 300, 'stretch_damping': 0.0005, 'mass_damping': 0.5,"
        "   'particle_mass': 0.002}},"
        " 'meshes': [{'name': 'p', 'generate': 'particles', 'size': [0.2, 0.08, 0.16], 'count': [4, 2, 3], 'jitter': 0.3,"
        "   'thickness': 0.02, 'material': 'm', 'at': [0, 0.06, 0]},"
        "  {'name': 'carpet', 'generate': 'sheet', 'size': [0.3, 0.3], 'cells': [3, 3], 'material': 'm',"
        "   'rotate': [{'axis': [1, 0, 0], 'angle': -90}], 'at': [0, -0.005, 0]},"
        "  {'name': 'wall', 'generate': 'sheet', 'size': [0.4, 0.4], 'cells': [1, 1], 'material': 'm', 'pinned': true,"
        "   'rotate': [{'axis': [0, 1, 0], 'angle': 90}], 'at': [0.16, 0, 0]},"
        "  {'name': 'ball', 'generate': 'sphere', 'radius': 0.05, 'subdivisions': 0, 'material': 'm', 'at': [-0.2, 0.05, 0]},"
        "  {'name': 'floor', 'generate': 'sheet', 'size': [0.8, 0.8], 'cells': [1, 1], 'material': 'm', 'pinned': true,"
        "   'rotate': [{'axis': [1, 0, 0], 'angle': -90}], 'at': [0, -0.05, 0]}],"
        " 'pins': ['carpet.top'], 'scripts': [{'set': 'ball', 'keyframes': [{'time': 0.4, 'translate': [0.3, 0, 0]}]},"
        "  {'body': 'wall', 'remove_at': 0.15}, {'body': 'carpet', 'remove_at': 0.27}, {'body': 'ball', 'remove_at': 0.31}],"
        " 'contact': {'eta1': 0.008"},
};

/* The scene's text with more keys in "contact", such as "'detect': 'brute'". Free with g_free. */
static inline char *contact_scene_text(const ContactScene *scene, const char *keys)
{
	return g_strdelimit(g_strdup_printf("%s, %s}}", scene->json, keys), "'", '"');
}

#endif

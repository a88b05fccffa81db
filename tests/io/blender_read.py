"""Run by Blender for test_exports.py: imports what was exported and prints where its vertices are at some frames."""

import json
import os
import sys

import bpy
import numpy

if not hasattr(numpy, "bool"):  # Debian's Blender calls it so, its numpy has done away with that
    numpy.bool = bool
task = json.loads(sys.argv[sys.argv.index("--") + 1])
scene = bpy.context.scene
scene.render.fps = 50
read = {"pc2": {}, "gltf": {}, "ply": [], "obj": [], "st": 0}


def clear():
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)


def places(thing, world):
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    found = [list(evaluated.matrix_world @ v.co if world else v.co) for v in mesh.vertices]
    evaluated.to_mesh_clear()
    return found


def at_frames(thing, world):
    found = []
    for frame in task["frames"]:
        scene.frame_set(frame)
        found.append(places(thing, world))
    return found


clear()
for name in ("sheet", "ball", "cube"):
    bpy.ops.wm.obj_import(filepath=os.path.join(task["pc2"], name + ".obj"))
    thing = bpy.context.selected_objects[0]
    cache = thing.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format = "PC2"
    cache.filepath = os.path.join(task["pc2"], name + ".pc2")
    cache.frame_start = 0
    read["pc2"][name] = at_frames(thing, False)
    if name == "cube":
        read["quads"] = sum(len(face.vertices) == 4 for face in thing.data.polygons)
        read["st"] += len(thing.data.uv_layers) == 1
clear()
bpy.ops.import_scene.gltf(filepath=task["gltf"])
for name in ("ball", "sheet", "line", "dust", "cube"):
    thing = next(each for each in bpy.data.objects if each.name.split(".")[0] == name and each.type == "MESH")
    read["gltf"][name] = at_frames(thing, True)
    if name == "cube":
        read["st"] += len(thing.data.uv_layers) == 1
for frame in task["frames"]:
    clear()
    bpy.ops.import_mesh.ply(filepath=os.path.join(task["ply"], f"frame{frame:05}.ply"))
    read["ply"].append(places(bpy.context.selected_objects[0], False))
for frame in task["frames"]:
    clear()
    bpy.ops.wm.obj_import(filepath=os.path.join(task["obj"], f"frame{frame:05}.obj"))
    read["obj"].append({thing.name.split(".")[0]: places(thing, False) for thing in bpy.data.objects})
print("READ", json.dumps(read))

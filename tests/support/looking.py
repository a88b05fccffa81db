"""A small run with a bit of everything, for tests of what shows or exports it: cloth on a held ball in contact, a thread,
a particle, and a mesh from a file with texture coordinates, quads and groups."""

import json
import os
import subprocess
import sys

CINCH = os.path.abspath(sys.argv[1])
FRAMES = 16
MESH = """# a cube without a lid, in quads, with texture coordinates and groups
v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1
vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 0.5
g base\nf 1/1 4/4 3/3 2/2
g walls\nf 1/1 2/2 6/3 5/4\nf 2/1 3/2 7/3 6/5\nf 3 4 8 7\nf 4/1 1/2 5/3 8/4
"""
SCENE = {
    "units": "si",
    "title": "A sheet falls on a ball",
    "time": {"end": 0.3, "frame": 0.02},
    "materials": {
        "cotton": {"young": 1e4, "poisson": 0.3, "thickness": 0.001, "density": 300},
        "thread": {"stretch_stiffness": 100, "density": 0.1, "line_density": 0.1, "particle_mass": 0.1},
    },
    "meshes": [
        {"name": "ball", "generate": "sphere", "radius": 0.2, "subdivisions": 1, "material": "cotton", "pinned": True},
        {"name": "sheet", "generate": "sheet", "size": [0.8, 0.8], "cells": [6, 6], "material": "cotton",
         "rotate": [{"axis": [1, 0, 0], "angle": -90}], "at": [0, 0.26, 0]},
        {"name": "line", "generate": "chain", "from": [-0.5, 0.6, 0.5], "to": [0.5, 0.6, 0.5], "links": 6,
         "material": "thread"},
        {"name": "dust", "generate": "particles", "positions": [[0.4, 0.7, 0.4]], "material": "thread", "thickness": 0.05},
        {"name": "cube", "file": "cube.obj", "scale": 0.2, "at": [-0.6, -0.3, -0.5], "material": "cotton"},
    ],
    "pins": ["line.start", "line.end"],
    "contact": {"speed": 3},
}
failures = []


def require(condition, message):
    if not condition:
        failures.append(message)
        print("failed:", message, flush=True)


def call(*arguments, status=0):
    """Runs cinch; returns what it printed."""
    done = subprocess.run([CINCH, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=300, encoding="utf-8")
    require(done.returncode == status, f"{arguments}: exit status {done.returncode}: {done.stderr}")
    return done.stdout + done.stderr


def write_archive(directory):
    with open(os.path.join(directory, "cube.obj"), "w", encoding="utf-8") as file:
        file.write(MESH)
    scene, archive = os.path.join(directory, "scene.json"), os.path.join(directory, "run.h5")
    with open(scene, "w", encoding="utf-8") as file:
        json.dump(SCENE, file)
    call("run", "-q", scene, "-o", archive)
    return archive


def finish():
    print("failed" if failures else "passed")
    sys.exit(1 if failures else 0)

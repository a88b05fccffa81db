"""A body that is taken away: archive, exports, checkpoints. Run as test_removal.py PATH/TO/cinch."""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import h5py

CINCH = os.path.abspath(sys.argv[1])
failures = 0

# Four particles and a chain on a floor of 8 triangles, which goes at 0.05 s; a lid of 2, which stays.
SCENE = {
    "units": "si", "materials": {"m": {"particle_mass": 0.01, "density": 1, "line_density": 0.1, "stretch_stiffness": 100}},
    "meshes": [{"name": "p", "generate": "particles", "size": [0.2, 0.01, 0.2], "count": [2, 1, 2], "at": [0, 0.02, 0],
                "material": "m"},
               {"name": "floor", "generate": "sheet", "size": [1, 1], "cells": [2, 2], "pinned": True, "material": "m",
                "rotate": [{"axis": [1, 0, 0], "angle": -90}]},
               {"name": "chain", "generate": "chain", "from": [-0.3, 0.02, 0.3], "to": [0.3, 0.02, 0.3], "links": 4,
                "material": "m"},
               {"name": "lid", "generate": "sheet", "size": [1, 1], "cells": [1, 1], "pinned": True, "material": "m",
                "rotate": [{"axis": [1, 0, 0], "angle": -90}], "at": [0, 0.5, 0]}],
    "scripts": [{"body": ["floor", "chain"], "remove_at": 0.05}],
    "contact": {"eta1": 0.01, "restitution": 0.2, "friction": 0.3}, "time": {"end": 0.1, "frame": 0.01},
}


def run(*arguments):
    return subprocess.run([CINCH, *arguments], capture_output=True, text=True, timeout=300)


def expect(what, good, detail=""):
    global failures
    print(f"[{'ok' if good else 'FAIL'}] {what}{'' if good else ': ' + str(detail)}")
    failures += not good


def good(*arguments):
    done = run(*arguments)
    expect(" ".join(arguments), done.returncode == 0 and done.stderr == "", done.stderr)
    return done.stdout


def counts(path):
    """Faces, lines and points of an OBJ file."""
    with open(path) as file:
        lines = file.read().splitlines()
    return tuple(sum(line.startswith(kind) for line in lines) for kind in ("f ", "l ", "p "))


with tempfile.TemporaryDirectory(prefix="cinch-removal-") as directory:
    os.chdir(directory)
    with open("scene.json", "w") as scene:
        json.dump(SCENE, scene)
    good("run", "-q", "scene.json", "-o", "run.h5", "--checkpoint-every", "0.0131", "--checkpoint-keep")
    with h5py.File("run.h5") as archive:
        removed = archive["topology/removed"][:].tolist()
        frames = archive["motion/time"][:].tolist()
        columns = [name.decode() for name in archive["ledger/column"]]
        ledger = archive["ledger/values"][:]
        chain = archive["motion/position"][:, 13:18]
    expect("the archive says when", removed == [float("inf"), 0.05, 0.05, float("inf")], removed)
    expect("the ledger says how much", all((row[columns.index("removed")] != 0) == (t >= 0.05) for t, row in
                                           zip(frames, ledger)))
    expect("what is gone stays where it was", (chain[6:] == chain[5]).all() and (chain[4] != chain[5]).any())
    expect("cinch info tells", "material m, removed at 0.05 s" in good("info", "run.h5"))

    good("export", "run.h5", "--format", "obj", "-o", "frames")
    for frame, path in enumerate(sorted(glob.glob("frames/*.obj"))):
        expected = (2, 0, 4) if frames[frame] >= 0.05 else (10, 4, 4)
        expect(f"frame {frame} shows what is there", counts(path) == expected, counts(path))
    good("export", "run.h5", "--format", "usd", "-o", "run.usda")
    with open("run.usda") as file:
        expect("a stage shows what is there", re.findall(r'([0-9]+): "(i\w+)"', file.read()) ==
               2 * [("0", "inherited"), ("5", "invisible")])
    good("export", "run.h5", "--format", "gltf", "-o", "run.gltf")
    with open("run.gltf") as file:
        paths = [(channel["target"]["node"], channel["target"]["path"]) for channel in json.load(file)["animations"][0]["channels"]]
    expect("what is gone is scaled to nothing", [path for path in paths if path[1] == "scale"] == [(2, "scale"), (3, "scale")], paths)
    expect("a cache that cannot tell says so", "is removed on the way" in good("export", "run.h5", "--format", "pc2", "-o", "caches"))
    with open("run.xdmf") as file:
        steps = file.read().split("<Time Value")[1:]
    good("export", "run.h5", "--format", "xdmf")
    with open("run.xdmf") as file:
        expect("the sidecar is the same when written anew", file.read().split("<Time Value")[1:] == steps)
    for frame, step in enumerate(steps):
        there = frames[frame] < 0.05
        slab = "0 0 1 1 10 3" if there else "8 0 1 1 2 3"
        expect(f"step {frame} of the sidecar shows what is there", slab in step and ('Name="edges"' in step) == there, step)

    for number in range(1, 8):
        good("resume", "-q", "run.h5", "--from", f"run.h5.checkpoint.{number}", "-o", "again.h5")
        expect("is the same run", run("diff", "run.h5", "again.h5").returncode == 0)
    # A branch does not bring back what is gone.
    good("resume", "-q", "run.h5", "--from", "run.h5.checkpoint.5", "--set", "scripts[0].remove_at=0.09", "-o", "branch.h5")
    with h5py.File("branch.h5") as archive:
        expect("once gone, gone in a branch too", archive["topology/removed"][1] == 0.05)
    good("resume", "-q", "run.h5", "--from", "run.h5.checkpoint.2", "--set", "scripts[0].remove_at=0.01", "-o", "branch.h5")
    with h5py.File("branch.h5") as archive:
        expect("overdue: at once", archive["topology/removed"][1] == 2 * 0.0131)

print(f"{failures} failures")
sys.exit(1 if failures else 0)

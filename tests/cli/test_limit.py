"""Contact that cannot be kept apart: the run says what is happening while it gets deeper, ends with status 3 and the contact that did it, and
leaves a whole archive and a checkpoint from just before. So do a knot whose ends are moved apart beyond what fits, and a shell between
walls that close, in a small form. Run as test_limit.py PATH/TO/cinch DIRECTORY, where the scenes are.
"""

import json
import os
import subprocess
import sys
import tempfile

CINCH, SCENES = (os.path.abspath(name) for name in sys.argv[1:3])
failures = 0

SCENE = {
    "units": "cgs",
    "gravity": [0, 0, 0],
    "materials": {"lead": {"particle_mass": 1, "mass_damping": 5}, "wall": {"density": 1}},
    "meshes": [
        {"name": "ball", "generate": "particles", "positions": [[0.3, 0, 0.1]], "material": "lead"},
        {"name": "above", "generate": "sheet", "size": [6, 6], "cells": [1, 1], "material": "wall", "pinned": True,
         "rotate": [{"axis": [1, 0, 0], "angle": -90}], "at": [0, 0.1, 0]},
        {"name": "below", "generate": "sheet", "size": [6, 6], "cells": [1, 1], "material": "wall",
         "rotate": [{"axis": [1, 0, 0], "angle": -90}], "at": [0, -0.1, 0]}],
    "scripts": [{"set": "below", "interpolation": "linear", "keyframes": [{"time": 1, "translate": [0, 0.21, 0]}]}],
    "contact": {"eta1": 0.1, "r1": 1000, "restitution": 0, "max_layer": 300},
    "time": {"end": 1, "frame": 0.02}}


def expect(what, good, detail=""):
    global failures
    print(f"[{'ok' if good else 'FAIL'}] {what}{'' if good else ': ' + detail}")
    failures += not good


def run(*arguments):
    return subprocess.run([CINCH, *arguments], capture_output=True, text=True, timeout=300)


with tempfile.TemporaryDirectory(prefix="cinch-limit-") as directory:
    os.chdir(directory)
    with open("scene.json", "w") as file:
        json.dump(SCENE, file)
    done = run("check", "scene.json")
    expect("cinch check sees that the walls meet", "meets" in done.stdout, done.stdout)
    done = run("run", "scene.json", "-o", "run.h5", "--threads", "1")
    expect("walls that close end the run with status 3", done.returncode == 3, f"{done.returncode} {done.stderr}")
    lines = done.stderr.splitlines()
    told = [line for line in lines if " are in layer " in line]
    expect("it says beforehand which contact gets deep", len(told) > 0, done.stderr)
    deep = [int(line.split(" are in layer ")[1].split()[0]) for line in told]
    expect("each time twice as deep", all(b >= 2 * a for a, b in zip([16] + deep, deep)), str(deep))
    expect("and of which layers", all("of 300, " in line and " of ball" in line for line in told), done.stderr)
    expect("the last line is the contact at the limit", lines[-1].startswith("cinch: stopped at t = ") and "ball" in lines[-1], done.stderr)
    info = run("info", "run.h5")
    expect("the archive is whole", info.returncode == 0 and "ledger" in info.stdout, info.stderr)
    expect("the checkpoint is there", os.path.exists("run.h5.checkpoint"))
    quiet = run("run", "-q", "scene.json", "-o", "quiet.h5", "--threads", "1")
    expect("a quiet run says the last only", quiet.returncode == 3 and len(quiet.stderr.splitlines()) == 1, quiet.stderr)
    for scene, between, *settings in (("reef", ("left", "right"), "ends=moved", "contact.max_layer=36"),
                                      ("crush", ("hare",), "walls=closed", "meshes.hare.vertices=150", "contact.max_layer=150")):
        options = [part for setting in settings for part in ("--set", setting)]
        done = run("run", os.path.join(SCENES, scene + ".json"), "-o", scene + ".h5", "--threads", "1", "--prove", *options)
        last = done.stderr.splitlines()[-1] if done.stderr else ""
        expect(f"{scene}: status 3", done.returncode == 3 and last.startswith("cinch: stopped at t = "), done.stderr)
        expect(f"{scene}: the contact at the limit", any(f" of {name}" in last for name in between) and "below layer" in last, last)
        expect(f"{scene}: it is told of beforehand", " are in layer " in done.stderr, done.stderr)
        stopped = float(last.split("t = ")[1].split()[0]) if "t = " in last else 0.0
        info = run("info", scene + ".h5").stdout
        frames = float(info.split(" frames from 0 to ")[1].split()[0]) if " frames from 0 to " in info else -1.0
        expect(f"{scene}: everything up to then is in the archive", 0.0 <= stopped - frames <= 0.05, info)
        again = run("resume", "-q", scene + ".h5", "--threads", "1")
        expect(f"{scene}: from its checkpoint it comes to the same", again.returncode == 3 and last in again.stderr, again.stderr)
sys.exit(1 if failures else 0)

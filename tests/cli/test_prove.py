"""cinch run --prove: the verdict on a whole motion, and what it is bound to.

Run as test_prove.py PATH/TO/cinch.
"""

import json
import os
import subprocess
import sys
import tempfile

import h5py

CINCH = os.path.abspath(sys.argv[1])

# A sheet falls on a sheet that is held at its corners; where `contact` is off, it falls through.
SCENE = """{
  "units": "si", "time": {"end": 0.25, "frame": 0.05},
  "materials": {"m": {"young": 2e4, "thickness": 0.001, "density": 300, "stretch_damping": 0.0005}},
  "meshes": [
    {"name": "upper", "generate": "sheet", "size": [0.2, 0.2], "cells": [4, 4], "material": "m",
     "rotate": [{"axis": [1, 0, 0], "angle": -90}, {"axis": [0, 1, 0], "angle": 17}], "at": [0.02, 0.04, 0.01]},
    {"name": "lower", "generate": "sheet", "size": [0.3, 0.3], "cells": [5, 5], "material": "m", %s
     "rotate": [{"axis": [1, 0, 0], "angle": -90}]}],
  "pins": ["lower.corners"], "contact": %s
}"""


def call(*arguments, status=0):
    done = subprocess.run([CINCH, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=600)
    assert done.returncode == status, f"{arguments} ended with {done.returncode}: {done.stdout}{done.stderr}"
    return done


def write(name, contact, lower=""):
    with open(name, "w") as file:
        file.write(SCENE % (lower, contact))


def proof(archive):
    with h5py.File(archive, "r") as file:
        return json.loads(bytes(file["run/summary"][:]).decode())["proof"]


def check_pass():
    write("good.json", '{"eta1": 0.008, "r1": 200}')
    done = call("run", "good.json", "--prove", "--threads", "1")
    assert "PASS, nothing touched" in done.stdout, done.stdout
    first = proof("good.h5")
    assert first["verdict"] == "PASS" and first["from"] == 0 and first["to"] == 0.25, first
    assert 0 < first["separation"] < 0.008 and first["gap"] == first["separation"], first
    assert first["commits"] > 10000 and first["examined"] > 0, first
    with h5py.File("good.h5", "r") as file:
        gap = json.loads(bytes(file["run/summary"][:]).decode())["contact"]["smallest_gap"]
    assert 0.3 * gap < first["separation"] <= gap, (gap, first["separation"])
    # The motion, and with it the verdict, does not depend on how contacts were found; the hash of the program does not either.
    call("run", "good.json", "--prove", "--threads", "2", "--set", "contact.detect=brute", "-o", "brute.h5")
    second = proof("brute.h5")
    for key in first:
        if key not in ("seconds", "scene_sha256"):
            assert first[key] == second[key], (key, first[key], second[key])
    assert first["scene_sha256"] != second["scene_sha256"], "the override is part of the scene"
    # Nor does the motion depend on whether it is proved.
    call("run", "good.json", "-o", "alone.h5")
    call("diff", "good.h5", "alone.h5")
    call("run", "good.json", "--prove", "-o", "other.h5", "--set", "gravity=[0, -9, 0]")
    assert proof("other.h5")["motion_fingerprint"] != first["motion_fingerprint"]


def check_fail():
    write("bad.json", "false")
    done = call("run", "bad.json", "--prove", status=4)
    assert "NOT PROVED: at t = 0." in done.stderr and "touch, at (" in done.stderr, done.stderr
    found = proof("bad.h5")
    assert found["verdict"] == "FAIL" and found["exactly"] > 0, found
    assert 0.05 < found["violation"]["time"] < 0.15, found
    with open("bad.h5.violation.obj") as file:
        lines = file.read().splitlines()
    assert sum(line.startswith("v ") for line in lines) == 4, lines
    # What was written before is a good archive.
    call("info", "bad.h5")


def check_excluded():
    write("apart.json", '{"exclude": [["upper", "lower"]]}')
    done = call("run", "apart.json", "--prove")
    assert "lower and upper (the scene says so)" in done.stdout or "upper and lower (the scene says so)" in done.stdout, done.stdout
    write("thick.json", '{"eta1": 0.005, "r1": 200}', '"thickness": 0.01,')
    call("run", "thick.json", "--prove")
    found = proof("thick.h5")
    assert found["separation"] >= 0.005 and 0 < found["gap"] < found["separation"], found


def check_resumed():
    call("run", "good.json", "--until", "0.1", "--checkpoint-every", "0.1", "-o", "part.h5")
    call("resume", "part.h5", "--until", "0.25", "--prove")
    found = proof("part.h5")
    assert found["verdict"] == "PASS" and found["from"] == 0.1 and found["to"] == 0.25, found


def check_removed():
    with open("good.json") as file:
        scene = json.loads(file.read())
    scene["contact"] = False
    scene["scripts"] = [{"body": "lower", "remove_at": 0.05}]
    with open("removed.json", "w") as file:
        json.dump(scene, file)
    call("run", "removed.json", "--prove")
    assert proof("removed.h5")["verdict"] == "PASS"


# A ring on a strip that is held at both ends; `exclude` lets it through, and only the linking number knows.
KNOT = {
    "units": "si", "gravity": [0, 0, 0], "time": {"end": 0.3, "frame": 0.02},
    "materials": {"m": {"stretch_stiffness": 50, "bend_stiffness": 1e-5, "density": 0.1, "line_density": 0.1,
                        "stretch_damping": 0.001}},
    "meshes": [
        {"name": "strip", "generate": "ribbon", "path": [[-0.5, 0, 0], [0.5, 0, 0]], "width": 0.05, "cell_length": 0.05,
         "cells_across": 1, "twist": 720, "material": "m"},
        {"name": "ring", "generate": "chain", "closed": True, "material": "m", "velocity": [0, 1, 0],
         "points": [[0.013, -0.1, -0.1], [0.013, 0.1, -0.1], [0.013, 0.1, 0.1], [0.013, -0.1, 0.1]]}],
    "pins": ["strip.start", "strip.end"], "contact": {"eta1": 0.008}, "topology": {"ribbons": ["strip", "ring"]},
}


def check_topology():
    with open("knot.json", "w") as file:
        json.dump(KNOT, file)
    done = call("run", "knot.json", "--prove")
    assert "topology: 16 frames, nothing has come undone" in done.stdout, done.stdout
    topology = proof("knot.h5")["topology"]
    strip, ring = topology["ribbons"]
    assert strip["edges"] is not None and ring["edges"] is None and ring["closed"] and not strip["closed"], topology
    assert abs(topology["links"][0]["linking"]) == 1 and strip["lost"] == ring["lost"] == 0, topology
    assert "nothing has come undone" in call("verify", "knot.h5").stdout
    through = call("run", "knot.json", "--prove", "--set", 'contact.exclude=[["strip","ring"]]', "-o", "through.h5", status=4)
    assert "NOT PROVED: by t = 0." in through.stderr and "linking number of strip and ring has changed" in through.stderr, through
    found = proof("through.h5")
    assert found["verdict"] == "FAIL" and "has changed" in found["topology"]["failure"], found
    assert "linking number" in call("verify", "through.h5", status=4).stdout
    for names, message in ('["strip", "string"]', 'no body "string"'), ('["ring", "ring"]', "named twice"), ("7", "expected a string"):
        assert message in call("run", "knot.json", "--set", f"topology.ribbons={names}", status=2).stderr


with tempfile.TemporaryDirectory(prefix="cinch-prove-") as directory:
    os.chdir(directory)
    check_pass()
    check_fail()
    check_excluded()
    check_resumed()
    check_removed()
    check_topology()

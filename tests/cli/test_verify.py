"""cinch verify: archives that are what they say, and archives in which one number was changed.

Run as test_verify.py PATH/TO/cinch. With CINCH_FULL set, a thousand changes instead of forty.
"""

import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

import h5py

CINCH = os.path.abspath(sys.argv[1])
CHANGES = 1000 if os.environ.get("CINCH_FULL") else 40

# A small sheet falls on a triangle that is held; where `contact` is off, it falls through.
SCENE = {
    "units": "si",
    "time": {"end": 0.1, "frame": 0.02},
    "materials": {"m": {"young": 2e4, "thickness": 0.001, "density": 300, "stretch_damping": 0.0005}},
    "meshes": [
        {"name": "upper", "generate": "sheet", "size": [0.1, 0.1], "cells": [2, 2], "material": "m", "velocity": [0, -1, 0],
         "rotate": [{"axis": [1, 0, 0], "angle": -90}, {"axis": [0, 1, 0], "angle": 17}], "at": [0.02, 0.03, 0.01]},
        {"name": "lower", "generate": "sheet", "size": [0.3, 0.3], "cells": [1, 1], "material": "m", "pinned": True,
         "rotate": [{"axis": [1, 0, 0], "angle": -90}]},
    ],
    "contact": {"eta1": 0.008, "r1": 200},
}


def call(*arguments, status=0):
    done = subprocess.run([CINCH, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=600)
    assert done.returncode == status, f"{arguments} ended with {done.returncode}: {done.stdout}{done.stderr}"
    return done


def write(name, **changes):
    with open(name, "w") as file:
        json.dump({**SCENE, **changes}, file)


def verdict(*arguments, status=0):
    return json.loads(call("verify", "--json", *arguments, status=status).stdout)


def check_pass():
    write("good.json")
    call("run", "-q", "good.json")
    found = verdict("good.h5")
    assert found["verdict"] == found["proof"]["verdict"] == "PASS" and found["frames"] == 6, found
    assert not found["was_proved"] and 0 < found["proof"]["separation"] < 0.008, found
    text = call("verify", "good.h5").stdout
    assert text.startswith("PASS good.h5: nothing touched from t = 0 to 0.1 s"), text
    assert call("verify", "-q", "good.h5").stdout == ""
    # A verdict that is in the archive already must be about the same motion.
    call("run", "-q", "good.json", "--prove", "-o", "proved.h5")
    again = verdict("proved.h5")
    assert again["was_proved"] and again["same_program"], again
    assert again["proof"]["motion_fingerprint"] == found["proof"]["motion_fingerprint"]


def check_parts():
    """A run that was ended early, one that was resumed, a checkpoint in the middle, a branch."""
    call("run", "-q", "good.json", "--until", "0.05", "--checkpoint-every", "0.05", "-o", "part.h5")
    assert verdict("part.h5")["to"] == 0.05
    call("resume", "-q", "part.h5", "--until", "0.1", "-o", "whole.h5")
    assert verdict("whole.h5")["frames"] == 6
    found = verdict("whole.h5", "--from", "part.h5.checkpoint")
    assert found["from"] == 0.05 and found["frames"] == 3, found
    call("resume", "-q", "part.h5", "--until", "0.1", "--set", "gravity=[0, -5, 0]", "-o", "branch.h5")
    assert "not what its scene gives" in verdict("branch.h5", status=4)["failure"]


def check_penetration():
    write("bad.json", contact=False)
    call("run", "-q", "bad.json")
    found = verdict("bad.h5", status=4)
    assert found["verdict"] == "FAIL" and "touch, at (" in found["failure"], found
    assert 0.02 < found["proof"]["violation"]["time"] < 0.04, found
    assert found["evidence"] == "bad.h5.violation.obj" and os.path.exists("bad.h5.violation.obj")
    text = call("verify", "bad.h5", "--evidence", "other.obj", status=4).stdout
    assert text.startswith("FAIL bad.h5: at t = 0.0") and "both are in other.obj" in text, text


def flip(value, bit):
    return struct.unpack("<d", struct.pack("<Q", struct.unpack("<Q", struct.pack("<d", value))[0] ^ 1 << bit))[0]


def change(archive, rng):
    """Flips one bit of one number of one frame."""
    with h5py.File(archive, "r+") as file:
        name = rng.choice(["motion/position", "motion/velocity", "ledger/values", "topology/rest", "topology/mass"])
        place = tuple(rng.randrange(size) for size in file[name].shape)
        bit = rng.choice([0, 1, 20, 40, 51, 52, 62])
        file[name][place] = flip(file[name][place], bit)
    return f"{name}{place}, bit {bit}"


def check_changes():
    rng = random.Random(1)
    for _ in range(CHANGES):
        shutil.copy("good.h5", "changed.h5")
        what = change("changed.h5", rng)
        found = verdict("changed.h5", status=4)
        assert found["verdict"] == "FAIL" and ("scene" in found["failure"] or "ledger" in found["failure"]), (what, found)
    shutil.copy("proved.h5", "changed.h5")
    with h5py.File("changed.h5", "r+") as file:
        text = bytes(file["run/summary"][:])
        key = b'"motion_fingerprint" : "'
        at = text.index(key) + len(key)
        file["run/summary"][at] = ord("0") if text[at] != ord("0") else ord("1")
    assert "another motion" in verdict("changed.h5", status=4)["failure"]


def check_usage():
    call("verify", status=2)
    call("verify", "nothing.h5", status=2)
    call("verify", "good.json", status=2)
    call("verify", "good.h5", "--threads", "-1", status=2)


with tempfile.TemporaryDirectory(prefix="cinch-verify-") as directory:
    os.chdir(directory)
    check_pass()
    check_parts()
    check_penetration()
    check_changes()
    check_usage()

"""Runs that are killed with SIGKILL at random instants and resumed until the end are the uninterrupted run, bit for bit.

Ten runs, and two hundred with CINCH_FULL. Run as test_kill.py PATH/TO/cinch.
"""

import os
import random
import subprocess
import sys
import time

from harness import CINCH, FULL, TIMEOUT, check, require, run_checks, same, succeed, write_scene

RUNS = 200 if FULL else 10

# Something of everything that a state holds: damped elements, a script, a load with a profile, contact with losses, a body
# that is taken away.
SCENE = {
    "units": "si", "time": {"end": 0.5, "frame": 0.01}, "contact": {"eta1": 0.01, "restitution": 0.4, "friction": 0.3},
    "materials": {"m": {"young": 5e4, "thickness": 0.001, "density": 300, "stretch_damping": 0.0003,
                        "bend_damping": 0.0004, "mass_damping": 0.3, "particle_mass": 0.002}},
    "meshes": [{"name": "s", "generate": "sheet", "size": [0.4, 0.4], "cells": [5, 5], "at": [0, 0.12, 0],
                "rotate": [{"axis": [1, 0, 0], "angle": 84}], "velocity": [0, -1.5, 0], "material": "m"},
               {"name": "ball", "generate": "sphere", "radius": 0.09, "subdivisions": 1, "material": "m"},
               {"name": "bead", "generate": "particles", "positions": [[0.01, 0.25, 0.02], [0.05, 0.3, 0]],
                "thickness": 0.01, "velocity": [0, -2, 0], "material": "m"}],
    "scripts": [{"set": "ball", "keyframes": [{"time": 0.1, "translate": [0, 0.03, 0.01]}]},
                {"body": "bead", "remove_at": 0.3}],
    "loads": [{"wind": [2, 0, 1], "profile": {"times": [0, 0.2], "factors": [0, 1]}}],
}


def kill_after(seconds, *arguments):
    """Whether it was still running then."""
    running = subprocess.Popen([CINCH, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        running.wait(seconds)
    except subprocess.TimeoutExpired:
        running.kill()
    err = running.communicate(timeout=TIMEOUT)[1]
    # What a kill has left of a checkpoint or of an archive is no reason for a word.
    require(err == b"" and running.returncode in (0, -9), f"{arguments} ended with {running.returncode}: {err}")
    return running.returncode != 0


def has_ended():
    """It may be killed when all is done."""
    return os.path.exists("run.h5") and "; the run has ended" in succeed("info", "run.h5").out


def leave_nothing():
    for name in os.listdir("."):
        if name.startswith("run."):
            os.remove(name)


@check
def killed_and_resumed_until_the_end():
    dice = random.Random(9)
    write_scene(SCENE)
    began = time.monotonic()
    succeed("run", "-q", "scene.json", "-o", "straight.h5")
    longest = time.monotonic() - began
    killed = kills = anew = 0
    while killed < RUNS:
        leave_nothing()
        every = ["--checkpoint-every", dice.choice(["0.001", "0.01", "0.1"])] if dice.random() < 0.7 else []
        every += ["--checkpoint-wall", dice.choice(["0", "0.02", "0.2"])]
        alive, times, most = True, 0, dice.choice([1, 1, 2, 4])
        while alive:
            started = os.path.exists("run.h5")
            command = ["resume", "run.h5"] if started else ["run", "scene.json", "-o", "run.h5"]
            anew += times > 0 and not started
            # After that many, it may come to its end.
            alive = kill_after(dice.uniform(0, longest) if times < most else TIMEOUT, *command, "-q", *every)
            times += alive
            alive = alive and not has_ended()
        same("straight.h5", "run.h5")
        killed += times > 0
        kills += times
    print(f"{killed} runs, killed {kills} times, {anew} times before there was an archive; all as the one that was not")


sys.exit(run_checks())

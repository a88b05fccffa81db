"""The settling phase before time zero. Run as test_settle.py PATH/TO/cinch [CHECK...]; needs h5py and numpy."""

import copy
import json
import os
import signal
import subprocess
import sys
import time

try:
    import h5py
    import numpy
except ImportError:
    print("skipped: no Python module h5py")
    sys.exit(77)

from harness import CINCH, TIMEOUT, call, check, describe, differ, refuse, require, run_checks, same, succeed, write_scene

GRAVITY = 9.80665
SHEET = {
    "units": "si", "materials": {"m": {"density": 0.3, "stretch_stiffness": 100, "bend_stiffness": 1e-4, "stretch_damping": 0.001},
                                 "held": {"density": 1}},
    "meshes": [{"name": "cloth", "generate": "sheet", "size": [0.5, 0.5], "cells": [7, 7], "material": "m",
                "rotate": [{"axis": [1, 0, 0], "angle": -90}]},
               {"name": "ball", "generate": "sphere", "radius": 0.08, "subdivisions": 1, "material": "held", "pinned": True,
                "at": [0.03, -0.1, 0.02]}],
    "contact": {"eta1": 0.01, "restitution": 0, "friction": 0.3, "speed": 2},
    "time": {"end": 0.2, "frame": 0.02, "settle": {"time": 0.6, "damping": 20}}}


def changed(scene, **changes):
    scene = copy.deepcopy(scene)
    for path, value in changes.items():
        *way, key = path.split("__")
        at = scene
        for step in way:
            at = at[int(step)] if isinstance(at, list) else at[step]
        at[key] = value
    return scene


def frames(name):
    with h5py.File(name) as archive:
        return archive["motion/position"][:]


def summary(name):
    with h5py.File(name) as archive:
        return json.loads(bytes(archive["run/summary"][:]))


@check
def a_chain_hangs_as_long_as_its_weight_makes_it():
    n, mass, stiffness = 8, 0.05, 40.0
    scene = {"units": "si", "materials": {"m": {"line_density": mass, "stretch_stiffness": stiffness}},
             "meshes": [{"name": "chain", "generate": "chain", "from": [0, 0, 0], "to": [0, -n, 0], "links": n, "material": "m"}],
             "pins": "chain.start", "time": {"end": 1, "frame": 0.25, "settle": {"time": 30, "damping": 2}}}
    write_scene(scene)
    said = succeed("run", "scene.json", "-o", "run.h5").out
    require("settled for 30 s" in said, said)
    x = frames("run.h5")
    # Under link i, counted from above, hang n - i masses, of which the last is half of one.
    depth = numpy.cumsum([0] + [1 + mass * GRAVITY * (n - i - 0.5) / stiffness for i in range(n)])
    off = numpy.abs(x[0][:, 1] + depth).max()
    require(off < 1e-6, f"time zero is off by {off} m of {depth[-1] - n} m of stretch")
    stir = numpy.abs(x - x[0]).max()
    # Gravity's kicks come in steps of h = 1/1024 s at most: what hangs moves by a few g h^2.
    require(stir < 1e-5 * 10, f"it moves by {stir} m after time zero")
    # A kick is g h = 1e-2 m/s; none of them must be left.
    require(summary("run.h5")["settling"]["speed"] < 1e-3, summary("run.h5")["settling"])


@check
def the_motion_is_a_function_of_the_scene():
    write_scene(SHEET)
    succeed("run", "-q", "scene.json", "-o", "run.h5", "--prove", "--threads", "1")
    x = frames("run.h5")
    require(numpy.abs(x[0][:64, 1]).max() > 0.1, "nothing has settled")
    succeed("run", "-q", "scene.json", "-o", "two.h5", "--threads", "2")
    same("run.h5", "two.h5")
    succeed("run", "-q", "scene.json", "-o", "brute.h5", "--set", "contact.detect=brute")
    same("run.h5", "brute.h5")
    succeed("run", "-q", "scene.json", "-o", "rebuilt.h5", "--set", "contact.rebuild=0.01")
    same("run.h5", "rebuilt.h5")
    succeed("run", "-q", "scene.json", "-o", "other.h5", "--set", "time.settle.time=0.5")
    differ("run.h5", "other.h5")


@check
def the_check_looks_at_what_is_before():
    write_scene(changed(SHEET, time__settle__time=1e5))
    said = succeed("check", "scene.json").out
    require("settling: for 100000 s before time zero" in said and "cost: about" in said, said)


@check
def it_is_proved_and_verified():
    write_scene(SHEET)
    said = succeed("run", "scene.json", "-o", "run.h5", "--prove").out
    require("; nothing touched" in said, said)
    proof = summary("run.h5")["settling"]["proof"]
    require(proof["verdict"] == "PASS" and proof["from"] == 0 and proof["to"] == 0.6 and proof["commits"] > 1000 and
            0 < proof["separation"] <= 0.01, proof)
    require(summary("run.h5")["proof"]["to"] == 0.2, "the run itself is not proved")
    said = succeed("verify", "run.h5").out
    require("the archive's own verdict is about this scene and this motion" in said, said)
    # A vertex of the first frame that is moved: it is not where things settle.
    with h5py.File("run.h5", "r+") as archive:
        archive["motion/position"][0, 5, 1] += 1e-12
    done = call("verify", "run.h5")
    require(done.returncode == 4 and "not what its scene gives" in done.out, describe(done))


@check
def a_run_goes_on_from_its_checkpoints():
    write_scene(SHEET)
    succeed("run", "-q", "scene.json", "-o", "run.h5")
    succeed("run", "-q", "scene.json", "-o", "part.h5", "--until", "0.1", "--checkpoint-every", "0.03", "--checkpoint-keep")
    for number in (None, 1, 3):
        chosen = [] if number is None else ["--from", f"part.h5.checkpoint.{number}"]
        said = succeed("resume", "part.h5", "--until", "0.2", "-o", "whole.h5", *chosen).out
        require("settled for" not in said and "going on from" in said, said)
        same("run.h5", "whole.h5")
        succeed("verify", "whole.h5")
    # Without any checkpoint it begins anew, and settles again.
    for name in os.listdir("."):
        if "checkpoint" in name:
            os.remove(name)
    said = succeed("resume", "part.h5", "--until", "0.2", "-o", "anew.h5").out
    require("settled for" in said, said)
    same("run.h5", "anew.h5")


@check
def what_friction_holds_stays():
    # A sheet on a slope of 0.25, which friction of 0.5 holds by springs that gravity has stretched.
    turn = [{"axis": [1, 0, 0], "angle": -90}, {"axis": [0, 0, 1], "angle": 14}]
    scene = {"units": "si", "materials": {"m": {"density": 2, "stretch_stiffness": 500, "bend_stiffness": 1e-3, "stretch_damping": 0.001},
                                          "floor": {"density": 1}},
             "meshes": [{"name": "cloth", "generate": "sheet", "size": [0.2, 0.2], "cells": [4, 4], "material": "m", "rotate": turn,
                         "at": [-0.0024, 0.0097, 0]},
                        {"name": "floor", "generate": "sheet", "size": [2, 2], "cells": [1, 1], "material": "floor", "pinned": True,
                         "rotate": turn}],
             "contact": {"eta1": 0.01, "restitution": 0, "friction": 0.5, "speed": 0.3},
             "time": {"end": 0.2, "frame": 0.002, "settle": {"time": 1, "damping": 30}}}
    write_scene(scene)
    succeed("run", "-q", "scene.json", "-o", "run.h5")
    # It is shaken by the kicks of gravity, by a few 1e-4 eta1; with springs that are slack again it would slide 2e-2 eta1.
    middle = frames("run.h5")[:, :25].mean(1)
    slid = numpy.abs(middle - middle[0])[:, 0].max() / 0.01
    require(slid < 2e-3, f"it slides by {slid} eta1 after time zero")


@check
def others_wait():
    # Only the cloth settles: the ball keeps its place and its velocity, the script and the load their time.
    scene = changed(SHEET, time__settle={"time": 0.5, "bodies": ["cloth"]}, pins=["cloth.corners"], contact=False,
                    loads=[{"force": [0.5, 0, 0], "set": "ball", "profile": {"times": [0, 0.1], "factors": [0, 1]}}],
                    scripts=[{"set": "cloth.left2", "keyframes": [{"time": 0.1, "translate": [0.1, 0, 0]}]}])
    scene["meshes"][1].update(pinned=False, velocity=[0, 1, 0], spin=[0, 9, 0])
    scene["pins"] = []
    write_scene(scene)
    succeed("run", "-q", "scene.json", "-o", "run.h5")
    write_scene(changed(scene, time={"end": 0.2, "frame": 0.02}), "bare.json")
    succeed("run", "-q", "bare.json", "-o", "bare.h5")
    settled, bare = frames("run.h5"), frames("bare.h5")
    require((settled[:, 64:] == bare[:, 64:]).all(), "the ball goes another way")
    left = numpy.abs(bare[0, :64, 0] + 0.25) < 1e-9
    require(left.sum() == 8 and (settled[:, :64][:, left] == bare[:, :64][:, left]).all(), "the script moves otherwise")
    require(numpy.abs(settled[0, :64, 1]).max() > 0.1, "the cloth has not settled")


@check
def wrong_input_gets_a_sentence():
    for how, parts in (({"time": 0}, ["time.settle.time", "above zero"]), ({}, ["time.settle.time", "missing"]),
                       ({"time": 1, "damping": -1}, ["time.settle.damping"]), ({"time": 1, "dampin": 1}, ["time.settle.dampin", "damping"]),
                       ({"time": 1, "bodies": ["clot"]}, ["time.settle.bodies", "\"clot\""]), (1, ["time.settle"])):
        write_scene(changed(SHEET, time__settle=how))
        refuse(2, parts, "run", "-q", "scene.json", "-o", "run.h5")
    require(not os.path.exists("run.h5"), "there is an archive")


@check
def the_limit_is_reached_while_settling():
    # A ball of iron on a sheet that is allowed two layers.
    write_scene(changed(SHEET, contact__max_layer=2, contact__r1=0.01, materials__m__density=30))
    refuse(3, ["while settling: stopped at t = ", "cloth"], "run", "-q", "scene.json", "-o", "run.h5")
    require(not os.path.exists("run.h5"), "there is an archive")


@check
def a_signal_ends_it():
    write_scene(changed(SHEET, time__settle__time=1e5))
    run = subprocess.Popen([CINCH, "run", "-q", "scene.json", "-o", "run.h5"], stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    require(run.poll() is None, "it has ended by itself")
    run.send_signal(signal.SIGINT)
    said = run.communicate(timeout=TIMEOUT)[1]
    require(run.returncode == 130 and "while settling: given up" in said and said.count("\n") == 1, f"{run.returncode}: {said}")
    require(not os.path.exists("run.h5"), "there is an archive")


sys.exit(run_checks())

"""Checkpoints and `cinch resume`: a run that goes on from any checkpoint is the same run, bit for bit, however it ended;
what is not a checkpoint of it is refused with one line and status 2. Run as test_resume.py PATH/TO/cinch.
"""

import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CINCH = os.path.abspath(sys.argv[1])
TIMEOUT = 300  # seconds for one call

CLOTH = {"young": 5e4, "thickness": 0.001, "density": 300, "stretch_damping": 0.0003, "bend_damping": 0.0004,
         "mass_damping": 0.3}

# Damping of every kind, a script that is over before the end, a load and wind with profiles; the last frame is not a
# multiple of the interval.
SHELLS = {
    "units": "si", "materials": {"m": CLOTH}, "time": {"end": 0.1, "frame": 0.011},
    "meshes": [{"name": "s", "generate": "sheet", "size": [0.6, 0.3], "cells": [8, 4], "material": "m"}],
    "sets": {"tip": {"body": "s", "indices": [13]}}, "pins": ["s.left"],
    "scripts": [{"set": "s.right", "axis": [1, 0, 0], "keyframes": [{"time": 0.03, "rotate": 20}, {"time": 0.05}]}],
    "loads": [{"wind": [4, 0, 1], "profile": {"times": [0, 0.04], "factors": [0, 1], "interpolation": "smooth"}},
              {"force": [0.01, -0.02, 0.05], "set": "tip"}],
}
# A sheet across a ball that a script pushes.
MESHES = {
    "units": "si", "materials": {"m": CLOTH}, "time": {"end": 0.06, "frame": 0.01}, "contact": {},
    "meshes": [{"name": "s", "generate": "sheet", "size": [0.4, 0.4], "cells": [5, 5], "at": [0, 0.12, 0],
                "rotate": [{"axis": [1, 0, 0], "angle": 84}], "velocity": [0, -1.5, 0], "material": "m"},
               {"name": "ball", "generate": "sphere", "radius": 0.09, "subdivisions": 1, "material": "m"}],
    "scripts": [{"set": "ball", "keyframes": [{"time": 0.04, "translate": [0, 0.03, 0.01]}]}],
}
# Balls in a box.
PARTICLES = {
    "units": "si", "materials": {"m": {"particle_mass": 0.01, "density": 0.01}}, "gravity": [0, -3, 0],
    "meshes": [{"name": "gas", "generate": "particles", "size": [0.8, 0.8, 0.8], "count": [3, 3, 2], "jitter": 0.5,
                "thickness": 0.08, "velocity": [3, -2, 1], "spin": [4, 1, -2], "material": "m"},
               {"name": "box", "generate": "box", "size": [1, 1, 1], "pinned": True, "material": "m"}],
    "contact": {"eta1": 0.02, "speed": 3}, "time": {"end": 0.4, "frame": 0.05},
}
# A bead that is too fast for 5 layers, but not for more.
THROWN = {
    "units": "cgs", "gravity": [0, 0, 0], "materials": {"m": {"particle_mass": 0.001, "line_density": 1}},
    "meshes": [{"name": "floor", "generate": "chain", "points": [[-1, 0, 0], [1, 0, 0]], "material": "m", "pinned": True},
               {"name": "bead", "generate": "particles", "positions": [[0, 0.3, 0]], "material": "m",
                "velocity": [2, -2000, 0]}],
    "contact": {"eta1": 0.1, "r1": 1e5, "max_layer": 5}, "time": {"end": 6e-4, "frame": 1e-4},
}

checks = []


class Failed(Exception):
    pass


def check(function):
    """Registers a check, which is run in an empty directory of its own."""
    checks.append((function.__name__, function))
    return function


def require(condition, message):
    if not condition:
        raise Failed(message)


def call(*arguments):
    done = subprocess.run([CINCH, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=TIMEOUT)
    done.out, done.err = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    return done


def describe(done):
    return f"{done.args[1:]} ended with {done.returncode}\nstdout: {done.out[-2000:]}\nstderr: {done.err[-4000:]}"


def succeed(*arguments):
    done = call(*arguments)
    require(done.returncode == 0 and done.err == "", f"expected success: {describe(done)}")
    return done


def refuse(status, parts, *arguments):
    """The call must end with this status and say one line that holds all parts."""
    done = call(*arguments)
    lines = done.err.splitlines()
    require(done.returncode == status and len(lines) == 1 and lines[0].startswith("cinch: "),
            f"expected status {status} and one line: {describe(done)}")
    for part in parts:
        require(part in lines[0], f"expected {part!r} in the message: {describe(done)}")
    return lines[0]


def write_scene(scene, name="scene.json"):
    with open(name, "w") as file:
        json.dump(scene, file)


def same(a, b):
    done = call("diff", a, b)
    require(done.returncode == 0, done.out + done.err)


def differ(a, b):
    done = call("diff", a, b)
    require(done.returncode == 1, done.out + done.err)
    return done.out


def resume_everywhere(scene, every, *options):
    write_scene(scene)
    succeed("run", "-q", "scene.json", "-o", "straight.h5")
    succeed("run", "-q", "scene.json", "-o", "run.h5", "--checkpoint-every", str(every), "--checkpoint-keep", *options)
    same("straight.h5", "run.h5")
    kept = glob.glob("run.h5.checkpoint.*")
    require(len(kept) >= 8, f"{kept}")
    last = len(kept) * every
    for checkpoint in kept:
        if last >= scene["time"]["end"] and checkpoint.endswith(f".{len(kept)}"):
            refuse(2, ["nothing left to do"], "resume", "-q", "run.h5", "--from", checkpoint)
            continue
        succeed("resume", "-q", "run.h5", "--from", checkpoint, "-o", "resumed.h5", *options)
        same("straight.h5", "resumed.h5")


@check
def shells_from_every_checkpoint():
    resume_everywhere(SHELLS, 0.0083)


@check
def meshes_from_every_checkpoint():
    resume_everywhere(MESHES, 0.005)  # some together with frames


@check
def particles_from_every_checkpoint():
    resume_everywhere(PARTICLES, 0.037, "--threads", "1")


@check
def rebuilt_detection_from_every_checkpoint():
    resume_everywhere({**MESHES, "contact": {"rebuild": 0.002}}, 0.0071)
    os.rename("straight.h5", "rebuilt.h5")
    write_scene(MESHES)
    succeed("run", "-q", "scene.json", "-o", "straight.h5")
    same("straight.h5", "rebuilt.h5")


@check
def in_place_and_again():
    """From each checkpoint in turn, backwards, into the same archive."""
    write_scene(SHELLS)
    succeed("run", "-q", "scene.json", "-o", "straight.h5")
    succeed("run", "-q", "scene.json", "--checkpoint-every", "0.02", "--checkpoint-keep")
    for number in (4, 2, 1):
        succeed("resume", "-q", "scene.h5", "--from", f"scene.h5.checkpoint.{number}")
        same("straight.h5", "scene.h5")
    require(not glob.glob("*.part"), f"{os.listdir('.')}")


@check
def signals_leave_a_checkpoint():
    write_scene(SHELLS)
    end = ["--set", "time.frame=0.01", "--until"]
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        running = subprocess.Popen([CINCH, "run", "-q", "scene.json", *end, "1e4"], stderr=subprocess.PIPE)
        time.sleep(1.0)
        running.send_signal(number)
        err = running.communicate(timeout=TIMEOUT)[1].decode()
        said = re.fullmatch(r"cinch: interrupted at t = (\S+) s; \d+ frames are in scene.h5 "
                            r"\('cinch resume scene.h5' goes on\)\n", err)
        require(running.returncode == status and said, err)
        until = str(float(said[1]) + 0.05)
        succeed("resume", "-q", "scene.h5", "--until", until)
        succeed("run", "-q", "scene.json", *end, until, "-o", "straight.h5")
        same("straight.h5", "scene.h5")


@check
def killed_and_resumed():
    write_scene(MESHES)
    end = ["--until", "0.4"]
    succeed("run", "-q", "scene.json", "-o", "straight.h5", *end)
    running = subprocess.Popen([CINCH, "run", "-q", "scene.json", *end, "--checkpoint-every", "0.001"])
    while not os.path.exists("scene.h5.checkpoint"):
        time.sleep(0.01)
    for _ in range(3):
        time.sleep(0.2)
        running.kill()
        running.wait()
        if subprocess.run([CINCH, "diff", "straight.h5", "scene.h5"], stdout=subprocess.DEVNULL).returncode == 0:
            break
        running = subprocess.Popen([CINCH, "resume", "-q", "scene.h5", "--checkpoint-every", "0.001"])
    running.wait()
    same("straight.h5", "scene.h5")


@check
def a_later_end():
    """The last frame of a run that ends between two frames is not one of the longer run."""
    write_scene(SHELLS)
    succeed("run", "-q", "scene.json", "--until", "0.05", "--checkpoint-every", "1")
    refuse(2, ["scene.h5.checkpoint", "nothing left to do"], "resume", "scene.h5")
    refuse(2, ["scene.h5.checkpoint", "nothing left to do"], "resume", "scene.h5", "--until", "0.04")
    succeed("resume", "-q", "scene.h5", "--until", "0.08")
    succeed("run", "-q", "scene.json", "--until", "0.08", "-o", "straight.h5")
    same("straight.h5", "scene.h5")


@check
def meshes_from_files():
    """The archive has them: they need not be there any longer."""
    write_scene(SHELLS)
    succeed("run", "-q", "scene.json", "--until", "0.02", "-o", "first.h5")
    succeed("export", "-f", "obj", "first.h5", "-o", "frames")
    os.rename("frames/frame00001.obj", "mesh.obj")
    os.rename("frames/frame00000.obj", "rest.obj")
    mesh = {"name": "s", "file": "mesh.obj", "rest_file": "rest.obj", "material": "m"}
    write_scene({**SHELLS, "meshes": [mesh], "pins": ["s.boundary"], "scripts": []})
    succeed("run", "-q", "scene.json", "-o", "straight.h5")
    succeed("run", "-q", "scene.json", "--until", "0.05", "--checkpoint-every", "1")
    for name in ("scene.json", "mesh.obj", "rest.obj"):
        os.remove(name)
    succeed("resume", "-q", "scene.h5", "--until", "0.1")
    same("straight.h5", "scene.h5")


@check
def branches():
    write_scene(MESHES)
    succeed("run", "-q", "scene.json", "--checkpoint-every", "0.02", "--checkpoint-keep")
    start = ["resume", "-q", "scene.h5", "--from", "scene.h5.checkpoint.1"]
    refuse(2, ["--set", "-o"], *start, "--set", "gravity=[0,0,0]")
    refuse(2, ["scene.h5", "branch"], *start, "--set", "gravity=[0,0,0]", "-o", "scene.h5")
    refuse(2, ["vertices"], *start, "--set", "meshes.s.cells=[4,5]", "-o", "branch.h5")
    refuse(2, ["contact.nonsense"], *start, "--set", "contact.nonsense=1", "-o", "branch.h5")
    # What does not touch the motion does not touch it in a branch either.
    succeed(*start, "--set", "contact.detect=brute", "-o", "branch.h5")
    same("scene.h5", "branch.h5")
    for change in ("gravity=[0,0,0]", "materials.m.young=2e5", "materials.m.mass_damping=0", "pins=[\"s.corners\"]",
                   "contact.speed=2", "time.load_step=1e-4", "loads=[{\"wind\": [1, 0, 0]}]", "scripts=[]"):
        succeed(*start, "--set", change, "-o", "branch.h5")
        require("frame 2 " in differ("scene.h5", "branch.h5") or "frame 3 " in differ("scene.h5", "branch.h5"),
                f"{change}: {differ('scene.h5', 'branch.h5')}")
    refuse(2, ["branch.h5.checkpoint", "no such file"], "resume", "branch.h5")


@check
def limit_of_contact():
    """The checkpoint is just before: with more layers the run goes on as it would have with them from the start."""
    write_scene(THROWN)
    said = refuse(3, ["below layer 5", "the state just before is in scene.h5.checkpoint"], "run", "-q", "scene.json")
    stopped = re.search(r"at t = (\S+) s", said)[1]
    refuse(3, ["below layer 5", stopped], "resume", "-q", "scene.h5")
    succeed("resume", "-q", "scene.h5", "--set", "contact.max_layer=1000", "-o", "branch.h5")
    succeed("run", "-q", "scene.json", "--set", "contact.max_layer=1000", "-o", "straight.h5")
    same("straight.h5", "branch.h5")
    going_on = succeed("resume", "scene.h5", "--set", "contact.max_layer=1000", "-o", "branch.h5").out
    require(stopped in going_on, f"the checkpoint is not of just before: {going_on}")


@check
def files_that_are_no_checkpoints():
    write_scene(SHELLS)
    succeed("run", "-q", "scene.json", "--until", "0.02", "--checkpoint-every", "0.01")
    good = open("scene.h5.checkpoint", "rb").read()
    before = open("scene.h5", "rb").read()
    resume = ["resume", "scene.h5", "--until", "0.05", "--from", "bad"]

    def refuse_bytes(data, *parts):
        with open("bad", "wb") as file:
            file.write(data)
        refuse(2, ["bad", *parts], *resume)

    for length in (0, 1, 7, 8, 23, 24, 55, 56, 57, 200, len(good) // 2, len(good) - 32, len(good) - 1):
        refuse_bytes(good[:length], "is cut off" if length >= 56 else "is ")
    refuse_bytes(good + b"\0", "longer")
    for place in (8, 12, 16, 24, 32, 40, 100, len(good) // 2, len(good) - 40, len(good) - 1):
        refuse_bytes(good[:place] + bytes([good[place] ^ 0x10]) + good[place + 1:])
    refuse_bytes(b"{}" * 1000, "not a checkpoint")
    refuse_bytes(open("scene.json", "rb").read(), "not a checkpoint")
    refuse(2, ["missing: there is no such file"], "resume", "scene.h5", "--from", "missing")
    refuse(2, ["regular"], "resume", "scene.h5", "--from", "/dev/zero")
    refuse(2, ["regular"], "resume", "scene.h5", "--from", ".")
    require(open("scene.h5", "rb").read() == before, "the archive was touched")
    require(not glob.glob("*.part"), f"{os.listdir('.')}")


@check
def checkpoints_of_other_runs():
    write_scene(SHELLS)
    succeed("run", "-q", "scene.json", "--until", "0.03", "--checkpoint-every", "0.01", "--checkpoint-keep")
    succeed("run", "-q", "scene.json", "--until", "0.03", "--set", "gravity=[0,0,0]", "-o", "other.h5",
            "--checkpoint-every", "0.01")
    foreign = ["--from", "other.h5.checkpoint", "--until", "1", "-o", "out.h5"]
    refuse(2, ["other.h5.checkpoint", "scene.h5"], "resume", "scene.h5", *foreign)
    refuse(2, ["other.h5.checkpoint", "scene.h5"], "resume", "scene.h5", *foreign, "--set", "gravity=[0,0,0]")
    # Of the same scene, but from after the archive's end.
    succeed("run", "-q", "scene.json", "--until", "0.015", "-o", "short.h5")
    refuse(2, ["short.h5", "no frame"], "resume", "short.h5", "--from", "scene.h5.checkpoint", "--until", "1")
    require(not os.path.exists("short.h5.checkpoint"), "a checkpoint that nobody asked for")
    require(not os.path.exists("out.h5"), "something was written")
    # A new run does not leave the checkpoint of the archive that it replaces.
    succeed("run", "-q", "scene.json", "--until", "0.015")
    require(not os.path.exists("scene.h5.checkpoint"), "a checkpoint of another run")


@check
def wrong_calls():
    write_scene(SHELLS)
    refuse(2, ["one archive"], "resume")
    refuse(2, ["missing.h5"], "resume", "missing.h5")
    refuse(2, ["scene.json"], "resume", "scene.json")
    for value in ("0", "-1", "x", "nan", "inf", "1e-12", ""):
        refuse(2, ["--checkpoint-every"], "run", "scene.json", "--checkpoint-every", value)
    refuse(2, ["--checkpoint-keep"], "run", "scene.json", "--checkpoint-keep")
    require(os.listdir(".") == ["scene.json"], f"{os.listdir('.')}")
    os.mkdir("scene.h5.checkpoint")
    refuse(1, ["scene.h5.checkpoint", "could not be written"], "run", "-q", "scene.json", "--checkpoint-every", "0.01")


def main():
    failed = 0
    wanted = sys.argv[2:]
    here = os.getcwd()
    for name, function in checks:
        if wanted and name not in wanted:
            continue
        directory = tempfile.mkdtemp(prefix="cinch-resume-")
        os.chdir(directory)
        try:
            function()
            print(f"{name} passed", flush=True)
        except (Failed, subprocess.SubprocessError, OSError) as failure:
            failed += 1
            print(f"{name} failed: {failure}", flush=True)
        finally:
            os.chdir(here)
            shutil.rmtree(directory)
    return 1 if failed else 0


sys.exit(main())

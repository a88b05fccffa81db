"""Checkpoints and `cinch resume`: a run that goes on from any checkpoint is the same run, bit for bit, however it ended;
what is not a checkpoint of it is refused with one line and status 2. Run as test_resume.py PATH/TO/cinch.
"""

import glob
import os
import re
import signal
import subprocess
import sys
import time

from harness import CINCH, TIMEOUT, call, check, differ, refuse, require, run_checks, same, succeed, write_scene

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

def resume_everywhere(scene, every, *options):
    write_scene(scene)
    succeed("run", "-q", "scene.json", "-o", "straight.h5")
    succeed("run", "-q", "scene.json", "-o", "run.h5", "--checkpoint-every", str(every), "--checkpoint-keep", *options)
    same("straight.h5", "run.h5")
    kept = glob.glob("run.h5.checkpoint.[0-9]*")
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


def start(*arguments):
    """A run that goes on in the background; returns when its archive is there."""
    running = subprocess.Popen([CINCH, "run", "scene.json", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + TIMEOUT
    while not os.path.exists("scene.h5") and time.monotonic() < end:
        time.sleep(0.02)
    return running


def wait_for(condition, what):
    end = time.monotonic() + TIMEOUT
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    require(condition(), what)


@check
def killed_before_any_checkpoint():
    """Without a checkpoint the run begins anew, with the same bits."""
    write_scene(MESHES)
    succeed("run", "-q", "scene.json", "-o", "straight.h5")
    running = start("-q", "--until", "1e4")
    running.kill()
    running.communicate()
    require(os.listdir(".").count("scene.h5.checkpoint") == 0, f"{os.listdir('.')}")
    succeed("resume", "-q", "scene.h5", "--until", "0.06")
    same("straight.h5", "scene.h5")
    require("resumed from scene.h5 at 0 s\n" in succeed("info", "scene.h5").out, "no lineage")
    # What is complete is not done again, unless more of it is wanted.
    succeed("run", "-q", "scene.json", "--until", "0.03")
    refuse(2, ["scene.h5", "nothing left to do"], "resume", "scene.h5")
    succeed("resume", "-q", "scene.h5", "--until", "0.06")
    same("straight.h5", "scene.h5")


@check
def checkpoints_by_wall_time():
    write_scene(SHELLS)
    running = start("-q", "--set", "time.frame=0.01", "--until", "1e4", "--checkpoint-wall", "0.3")
    for _ in range(2):
        wait_for(lambda: os.path.exists("scene.h5.checkpoint.previous"), "no second checkpoint")
        os.remove("scene.h5.checkpoint.previous")
    wait_for(lambda: os.path.exists("scene.h5.checkpoint.previous"), "no third checkpoint")
    running.kill()
    running.communicate()
    until = "{:.3f}".format(frames_of("scene.h5") * 0.01 + 0.1)
    succeed("resume", "-q", "scene.h5", "--until", until)
    succeed("run", "-q", "scene.json", "--set", "time.frame=0.01", "--until", until, "-o", "straight.h5")
    same("straight.h5", "scene.h5")


def frames_of(archive):
    return int(re.search(r"(\d+) frames from 0 ", succeed("info", archive).out)[1])


@check
def a_checkpoint_on_demand():
    write_scene(SHELLS)
    running = start("--until", "1e4", "--checkpoint-wall", "0")
    for _ in range(2):
        time.sleep(0.3)
        require(not os.path.exists("scene.h5.checkpoint"), "a checkpoint that nobody asked for")
        running.send_signal(signal.SIGUSR1)
        wait_for(lambda: os.path.exists("scene.h5.checkpoint"), "no checkpoint")
        os.remove("scene.h5.checkpoint")
    running.send_signal(signal.SIGTERM)
    out = running.communicate(timeout=TIMEOUT)[0].decode()
    require(len(re.findall(r"checkpoint of t = \S+ s in scene.h5.checkpoint\n", out)) == 2 and running.returncode == 143, out)


@check
def a_second_signal_ends_it_at_once():
    """Whichever it is; the same one twice in one instant is one."""
    write_scene(SHELLS)
    for first, second in ((signal.SIGINT, signal.SIGTERM), (signal.SIGTERM, signal.SIGINT), (signal.SIGHUP, signal.SIGHUP)):
        running = start("-q", "--until", "1e4")
        time.sleep(0.5)
        running.send_signal(signal.SIGSTOP)  # both arrive before it does anything
        running.send_signal(first)
        running.send_signal(second)
        running.send_signal(signal.SIGCONT)
        running.communicate(timeout=TIMEOUT)
        if first != second:
            require(-running.returncode in (first, second), f"{first} and {second}: {running.returncode}")
        else:
            require(running.returncode == 128 + first, f"{running.returncode}")
        for name in glob.glob("scene.h5*"):
            os.remove(name)


@check
def the_last_checkpoints():
    write_scene(SHELLS)
    succeed("run", "-q", "scene.json", "--checkpoint-every", "0.01", "--checkpoint-last", "3")
    kept = sorted(glob.glob("scene.h5.checkpoint.[0-9]*"))
    require(kept == [f"scene.h5.checkpoint.{k}" for k in (10, 8, 9)], f"{kept}")


@check
def a_damaged_checkpoint():
    """The one before it serves, and without that the start."""
    write_scene(SHELLS)
    succeed("run", "-q", "scene.json", "-o", "straight.h5")
    succeed("run", "-q", "scene.json", "--until", "0.05", "--checkpoint-every", "0.02")
    for names, told in ((["scene.h5.checkpoint"], "scene.h5.checkpoint.previous"),
                        (["scene.h5.checkpoint", "scene.h5.checkpoint.previous"], "the start")):
        for name in names:
            with open(name, "r+b") as file:
                file.truncate(100)
        done = call("resume", "-q", "scene.h5", "--until", "0.1", "-o", "on.h5")
        require(done.returncode == 0 and done.err.count("\n") == 1 and f"going on from {told}" in done.err and
                "scene.h5.checkpoint: is cut off" in done.err, f"{done.err}")
        same("straight.h5", "on.h5")


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
    # A branch can go on, but not begin anew: its first frames are another scene's.
    refuse(2, ["branch.h5.checkpoint", "nothing left to do"], "resume", "branch.h5")
    told = succeed("info", "branch.h5").out
    require("branched from scene.h5 at 0.02 s with --set scripts=[]\n" in told, told)
    succeed("resume", "-q", "branch.h5", "--until", "0.07")
    told = succeed("info", "branch.h5").out
    require("scripts=[]\nresumed from branch.h5 at 0.06 s\n" in told, told)
    for name in glob.glob("branch.h5.checkpoint*"):
        os.remove(name)
    refuse(2, ["branch.h5.checkpoint", "no such file"], "resume", "branch.h5", "--until", "0.08")


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


sys.exit(run_checks())

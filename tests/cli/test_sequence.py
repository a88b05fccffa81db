"""Bodies that are moved by files, and vertices that follow bodies. Run as test_sequence.py PATH/TO/cinch."""

import json
import math
import os
import subprocess
import sys
import tempfile

import h5py
import numpy

CINCH = os.path.abspath(sys.argv[1])
FRAMES, RATE, START = 5, 10.0, 0.1
failures = 0


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


def plate(k):
    """Frame k: a plate of four by four vertices in the plane y = 0, which rises, turns and gets a wave."""
    turn = 0.1 * k
    for i in range(4):
        for j in range(4):
            x, z = i - 1.5, j - 1.5
            yield (x * math.cos(turn) + z * math.sin(turn), 0.02 * k + 0.03 * k * math.sin(2 * x),
                   z * math.cos(turn) - x * math.sin(turn))


def write_plate(name, k, faces=None, number=16):
    with open(name, "w") as file:
        for x in list(plate(k))[:number]:
            file.write("v %.17g %.17g %.17g\n" % x)
        for i in range(3):
            for j in range(3):
                a = 1 + 4 * i + j
                file.write(f"f {a} {a + 1} {a + 5}\nf {a} {a + 5} {a + 4}\n" if faces is None else faces)


SCENE = {
    "units": "si", "materials": {"m": {"density": 0.3, "stretch_stiffness": 50, "bend_stiffness": 1e-5}},
    "meshes": [{"name": "plate", "sequence": {"files": "plate_##.obj", "first": 3, "frames": FRAMES, "rate": RATE, "start": START},
                "material": "m", "scale": 0.2, "at": [0, 0.1, 0]},
               {"name": "cloth", "generate": "sheet", "size": [0.4, 0.5], "cells": [5, 6], "material": "m",
                "rotate": [{"axis": [1, 0, 0], "angle": -90}], "at": [0.02, 0.14, 0.01]},
               {"name": "knob", "generate": "sphere", "radius": 0.02, "subdivisions": 1, "material": "m", "at": [0.5, 0.14, 0]}],
    "scripts": [{"set": "cloth.left", "follow": "plate"},
                {"set": "knob", "axis": [0, 1, 0], "keyframes": [{"time": 0.4, "rotate": 90, "translate": [0, 0.1, 0]}]}],
    "contact": {"eta1": 0.01, "restitution": 0, "friction": 0.3}, "time": {"end": 0.6, "frame": 0.05},
}


def placed(k):
    return 0.2 * numpy.array(list(plate(k))) + [0, 0.1, 0]


def expected(time):
    """The plate at a time: straight between frames."""
    s = min(max((time - START) * RATE, 0.0), FRAMES - 1.0)
    k = min(int(s), FRAMES - 2)
    return placed(k) + (s - k) * (placed(k + 1) - placed(k))


def write_scene(name="scene.json", **changes):
    scene = json.loads(json.dumps(SCENE))
    for path, value in changes.items():
        place, *keys = path.split("__")
        at = scene
        for key in [place] + keys[:-1]:
            at = at[int(key)] if isinstance(at, list) else at[key]
        at[keys[-1]] = value
    with open(name, "w") as file:
        json.dump(scene, file)


def check_motion():
    with h5py.File("run.h5") as archive:
        times, x = archive["motion/time"][:], archive["motion/position"][:]
    for time, frame in zip(times, x):
        off = numpy.abs(frame[:16] - expected(time)).max()
        # Where two straight lines join, between two ticks of the script, the corner is cut.
        corner = abs((time - START) * RATE - round((time - START) * RATE)) < 1e-9
        expect(f"at {time:.3g} s the plate is where its files say", off < (2e-4 if corner else 1e-9), off)
    # What follows keeps its place: its distances to the corners of the nearest triangle change as the triangle does, and its
    # height above the plate's (nearly flat) triangles does not.
    moved = x[-1][16:58] - x[0][16:58]
    held = numpy.where(numpy.abs(x[0][16:58, 0] - x[0][16:58, 0].min()) < 1e-12)[0]
    expect("seven vertices follow", len(held) == 7, held)
    for i in held:
        point, end = x[0][16 + i], x[-1][16 + i]
        nearest = numpy.argsort(numpy.linalg.norm(x[0][:16] - point, axis=1))[:3]
        way = numpy.linalg.norm(x[-1][nearest] - x[0][nearest], axis=1)
        expect(f"vertex {i} goes as far as the plate near it", way.min() * 0.3 < numpy.linalg.norm(moved[i]) < way.max() * 1.7,
               (moved[i], way))
        heights = [abs(numpy.dot(numpy.cross(f[b] - f[a], f[c] - f[a]) / numpy.linalg.norm(numpy.cross(f[b] - f[a], f[c] - f[a])),
                                 p - f[a])) for f, p in ((x[0], point), (x[-1], end)) for a, b, c in triangles()]
        n = len(heights) // 2
        best = min(range(n), key=lambda t: closeness(x[0], triangles()[t], point))
        expect(f"vertex {i} keeps its height", abs(heights[best] - heights[n + best]) < 1e-9, (heights[best], heights[n + best]))


def triangles():
    for_each = []
    for i in range(3):
        for j in range(3):
            a = 4 * i + j
            for_each += [(a, a + 1, a + 5), (a, a + 5, a + 4)]
    return for_each


def closeness(x, triangle, point):
    """How far the point is from the triangle, sampled finely: to tell which triangle it is held to."""
    a, b, c = (x[i] for i in triangle)
    return min(numpy.linalg.norm(a + s * (b - a) + t * (c - a) - point)
               for s in numpy.linspace(0, 1, 41) for t in numpy.linspace(0, 1 - s, 41))


def check_resume():
    good("run", "-q", "scene.json", "--until", "0.33", "--checkpoint-every", "0.1", "-o", "part.h5")
    os.makedirs("away")
    for k in range(FRAMES):
        os.rename(f"plate_{k + 3:02}.obj", f"away/plate_{k + 3:02}.obj")
    good("resume", "-q", "part.h5", "--until", "0.6")
    good("diff", "run.h5", "part.h5")
    good("verify", "part.h5")
    for k in range(FRAMES):
        os.rename(f"away/plate_{k + 3:02}.obj", f"plate_{k + 3:02}.obj")
    # Another file is another scene: its state is refused.
    good("run", "-q", "scene.json", "--until", "0.33", "--checkpoint-every", "0.1", "-o", "a.h5")
    write_plate("plate_07.obj", 4.0001)
    good("run", "-q", "scene.json", "--until", "0.33", "--checkpoint-every", "0.1", "-o", "b.h5")
    write_plate("plate_07.obj", 4)
    os.replace("a.h5.checkpoint", "b.h5.checkpoint")
    os.remove("b.h5.checkpoint.previous")
    done = run("resume", "-q", "b.h5", "--until", "0.5")
    expect("a state of a sequence with another file is refused", "is not a checkpoint of" in done.stderr,
           done.stderr)


def refused(what, *sentences, **changes):
    write_scene("bad.json", **changes)
    done = run("run", "-q", "bad.json", "--until", "0.01", "-o", "bad.h5")
    expect(what, done.returncode == 2 and all(s in done.stderr for s in sentences) and done.stderr.count("\n") == 1,
           (done.returncode, done.stderr))


def check_wrong_input():
    sequence = "meshes__0__sequence__"
    refused("no number in the name", "meshes[0].sequence.files", "one run of '#'", **{sequence + "files": "plate.obj"})
    refused("two numbers in the name", "one run of '#'", **{sequence + "files": "p#_##.obj"})
    refused("a percent sign is a percent sign", "%n%s", **{sequence + "files": "%n%s_##.obj"})
    refused("a file that is not there", "plate_08.obj", "No such file", **{sequence + "frames": FRAMES + 1})
    refused("one frame", "meshes[0].sequence.frames", **{sequence + "frames": 1})
    refused("no rate", "meshes[0].sequence.rate", **{sequence + "rate": 0})
    refused("an unknown key", "meshes[0].sequence", "spede", **{sequence + "spede": 1})
    refused("no object", "meshes[0].sequence", **{"meshes__0__sequence": "plate_##.obj"})
    refused("pinned as well", "meshes[0].pinned", "sequence", **{"meshes__0__pinned": True})
    refused("a file besides", "expected one of", **{"meshes__0__file": "plate_03.obj"})
    refused("nobody to follow", "scripts[0].follow", "there is no body \"plat\"", **{"scripts__0__follow": "plat"})
    refused("follows what is not moved", "scripts[0].follow", "\"cloth\" is not", **{"scripts__0__follow": "cloth"})
    refused("follows what a script below moves", "script above", **{"scripts__0__follow": "knob"})
    refused("scripted twice", "scripted already", **{"scripts__0__set": "plate"})
    write_plate("plate_05.obj", 2, number=15)
    refused("a file that is short of a vertex", "plate_05.obj")
    write_plate("plate_05.obj", 2, faces="f 1 2 6\nf 1 6 5\n")
    refused("other faces", "plate_05.obj has other faces", "plate_03.obj")
    with open("plate_05.obj", "w") as file:
        file.write("v 0 0 nan\n")
    refused("not finite", "plate_05.obj")
    os.remove("plate_05.obj")
    os.mkdir("plate_05.obj")
    refused("a directory", "plate_05.obj", "is not a regular file")
    os.rmdir("plate_05.obj")
    write_plate("plate_05.obj", 2)


with tempfile.TemporaryDirectory(prefix="cinch-sequence-") as directory:
    os.chdir(directory)
    for k in range(FRAMES):
        write_plate(f"plate_{k + 3:02}.obj", k)
    write_scene()
    good("run", "-q", "scene.json", "--prove", "-o", "run.h5")
    check_motion()
    good("run", "-q", "scene.json", "--set", "contact.detect=brute", "--threads", "2", "-o", "brute.h5")
    good("diff", "run.h5", "brute.h5")
    check_resume()
    check_wrong_input()
sys.exit(1 if failures else 0)

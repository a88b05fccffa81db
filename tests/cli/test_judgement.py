"""cinch run --log and cinch verify of logs and of frames that other programs wrote.

Run as test_judgement.py PATH/TO/cinch REPOSITORY [CHECK...].
"""

import json
import math
import os
import random
import re
import struct
import sys

ROOT = os.path.abspath(sys.argv.pop(2))

from harness import FULL, call, check, describe, refuse, require, run_checks, succeed, write_scene  # noqa: E402

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


def verdict(*arguments, status=0):
    done = call("verify", "--json", *arguments)
    require(done.returncode == status, f"expected status {status}: {describe(done)}")
    return json.loads(done.out)


def run(name, *options, **changes):
    write_scene({**SCENE, **changes})
    return call("run", "scene.json", "-q", "-o", name + ".h5", *options)


@check
def a_log_is_the_motion_that_was_proved():
    require(run("good", "--prove", "--log", "good.log").returncode == 0, "the run")
    log, archive = verdict("good.log"), verdict("good.h5")
    require(log["verdict"] == "PASS" and log["complete"] and log["proof"]["to"] == 0.1, log)
    require(log["motion_fingerprint"] == archive["proof"]["motion_fingerprint"], "another motion")
    require(log["scene_sha256"] == archive["proof"]["scene_sha256"], "another scene")
    require(log["proof"]["commits"] == archive["proof"]["commits"], "other commits")
    require(0 < log["proof"]["separation"] < 0.008, log)
    # A log alone does not prove anything, and changes nothing.
    require(run("alone", "--log", "alone.log").returncode == 0, "the run without a proof")
    succeed("diff", "good.h5", "alone.h5")
    require(open("good.log", "rb").read() == open("alone.log", "rb").read(), "the logs differ")
    text = succeed("verify", "good.log").out
    require(text.startswith("PASS good.log: nothing touched from t = 0 to 0.1 s"), text)
    require(succeed("verify", "-q", "good.log").out == "", "quiet")


def no_bend_is_missing(rows):
    """Before each frame of fine.h5, which are of the same motion, every vertex came straight from the commit before, with the velocity
    that the archive has of it: had a change of velocity not become a commit, it would not."""
    import h5py
    way = {}
    for vertex, time, *x in rows:
        way.setdefault(int(vertex), []).append((float(time), *map(float, x)))
    seen = bent = 0
    with h5py.File("fine.h5", "r") as archive:
        for time, places, velocities in zip(*(archive["motion/" + name][1:] for name in ("time", "position", "velocity"))):
            for vertex, (place, velocity) in enumerate(zip(places, velocities)):
                began, *start = max(row for row in way[vertex] if row[0] < time)
                bent += any(row[0] == time for row in way[vertex])
                if time - began > 1e-7:
                    off = max(abs(start[k] + (time - began) * velocity[k] - place[k]) for k in range(3))
                    require(off < 1e-15, f"vertex {vertex} at {time}: {off} off its line since {began}")
                    seen += 1
    require(seen > 500 and seen > 20 * bent, f"{seen} of vertices between commits, {bent} at them")


@check
def a_strangers_reader_finds_every_commit():
    import subprocess
    with open(os.path.join(ROOT, "docs", "archive-format.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^```python\n(.*?)^```$", file.read(), re.DOTALL | re.MULTILINE)
    reader = [block for block in blocks if "hashlib" in block]
    require(len(reader) == 1, "docs/archive-format.md: no reader of logs")
    with open("reader.py", "w") as file:
        file.write(reader[0])
    run("good", "--log", "good.log")
    run("fine", time={"end": 0.1, "frame": 0.001})
    read = lambda name: subprocess.run([sys.executable, "reader.py", name], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    done = read("good.log")
    require(done.returncode == 0, done.stderr)
    rows = [line.split() for line in done.stdout.decode().splitlines()]
    commits = verdict("good.log")["proof"]["commits"]
    require(len(rows) >= commits + 2 * 13, f"{len(rows)} rows for {commits} commits")
    # The last row of each vertex is where the archive has it at the end, to the last bit.
    import h5py
    with h5py.File("good.h5", "r") as archive:
        for vertex, time, x, y, z in rows[-13:]:
            require(float(time) == 0.1, rows[-1])
            require([float(x), float(y), float(z)] == archive["motion/position"][-1, int(vertex)].tolist(), vertex)
    no_bend_is_missing(rows)
    data = bytearray(open("good.log", "rb").read())
    data[len(data) // 2] ^= 4
    open("flipped.log", "wb").write(data)
    require(b"cut or changed" in read("flipped.log").stderr, "the reader does not see a flipped bit")


@check
def logs_of_parts():
    run("part", "--log", "part.log", "--log-from", "0.03", "--log-until", "0.07")
    found = verdict("part.log")
    require((found["proof"]["from"], found["proof"]["to"], found["complete"]) == (0.03, 0.07, True), found)
    # Resumed from a checkpoint in the middle: the same commits.
    run("whole", "--checkpoint-every", "0.05", "--checkpoint-keep", "--log", "late.log", "--log-from", "0.05")
    succeed("resume", "whole.h5", "-q", "--from", "whole.h5.checkpoint.1", "--log", "resumed.log", "-o", "other.h5")
    late, resumed = verdict("late.log"), verdict("resumed.log")
    require(late["proof"]["from"] == resumed["proof"]["from"] == 0.05, late)
    require(late["motion_fingerprint"] == resumed["motion_fingerprint"], "resuming gave another motion")
    run("removed", "--log", "removed.log", contact=False, scripts=[{"body": "lower", "remove_at": 0.01}])
    require(verdict("removed.log")["verdict"] == "PASS", "a body that was removed is in nobody's way")


@check
def a_violation_is_in_the_log():
    done = run("bad", "--prove", "--log", "bad.log", contact=False)
    require(done.returncode == 4, describe(done))
    found = verdict("bad.log", status=4)
    require("touch, at (" in found["failure"] and 0.02 < found["proof"]["violation"]["time"] < 0.04, found)
    require(found["evidence"] == "bad.log.violation.obj" and os.path.exists("bad.log.violation.obj"), found)
    require(not found["complete"], found)
    run("through", "--log", "through.log", contact=False)
    require(verdict("through.log", status=4)["complete"], "it went to its end")


@check
def logs_that_are_none():
    run("good", "--log", "good.log")
    data = open("good.log", "rb").read()
    for name, content in ("cut.log", data[:-1]), ("short.log", data[:700]), ("more.log", data + b"x"), ("start.log", data[:16]):
        open(name, "wb").write(content)
        require("the log is not whole" in verdict(name, status=4)["failure"], name)
    open("version.log", "wb").write(data[:8] + b"\7" + data[9:])
    refuse(2, ["is a log of version 7"], "verify", "version.log")
    refuse(2, ["--from", "is for archives"], "verify", "good.log", "--from", "x")
    refuse(2, ["--log-from and --log-until", "--log FILE"], "run", "scene.json", "--log-from", "1")
    refuse(2, ["--log-until 0.01", "after that of --log-from"], "run", "scene.json", "--log", "x", "--log-from", "0.02", "--log-until", "0.01")
    refuse(2, ["nothing of it would be in the log"], "run", "scene.json", "--log", "x", "--log-from", "3")
    refuse(2, ["--log scene.json", "the scene"], "run", "scene.json", "--log", "scene.json")
    os.mkfifo("pipe.log")
    refuse(2, ["pipe.log", "is not a regular file"], "verify", "pipe.log")
    refuse(1, ["nowhere/x.log", "cannot be written"], "run", "-q", "scene.json", "--log", "nowhere/x.log")


# ---- frames ----

def obj(path, points, faces):
    with open(path, "w") as file:
        for x in points:
            file.write("v %r %r %r\n" % tuple(x))
        for face in faces:
            file.write("f " + " ".join(str(v + 1) for v in face) + "\n")


def ply(path, points, faces, kind):
    binary, order = kind != "ascii", ">" if kind == "big" else "<"
    with open(path, "wb") as file:
        file.write(b"ply\nformat %s 1.0\ncomment of a test\nelement vertex %d\nproperty double x\nproperty double y\nproperty double z\n"
                   b"property uchar red\nelement face %d\nproperty list uchar int vertex_indices\nend_header\n"
                   % ({"little": b"binary_little_endian", "big": b"binary_big_endian", "ascii": b"ascii"}[kind], len(points), len(faces)))
        for x in points:
            file.write(struct.pack(order + "dddB", *x, 7) if binary else ("%r %r %r 7\n" % tuple(x)).encode())
        for face in faces:
            file.write(struct.pack(order + "B%di" % len(face), len(face), *face) if binary else (" ".join(map(str, (len(face), *face))) + "\n").encode())


def write_frames(folder, frames, faces, kind="obj"):
    os.mkdir(folder)
    for k, points in enumerate(frames):
        path = os.path.join(folder, f"frame{k}." + kind[:3])
        if kind == "obj":
            obj(path, points, faces)
        else:
            ply(path, points, faces, kind[4:])


def tent(k, through=None):
    """Two triangles, of which the upper one comes down; after frame `through` it is below."""
    height = 1.0 - 0.08 * k if through is None or k <= through else -0.5 - 0.01 * k
    return [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, height], [1.2, 0.2, height + 0.5], [0.2, 1.2, height + 0.5]]


FACES = [(0, 1, 2), (3, 4, 5)]


@check
def frames_that_pass_and_that_do_not():
    for kind in "obj", "ply-ascii", "ply-little", "ply-big":
        write_frames(kind, [tent(k) for k in range(12)], FACES, kind)
        found = verdict("--frames", kind)
        require(found["verdict"] == "PASS" and found["frames"] == 12 and found["intersecting_frames"] == 0, found)
        require(0.05 < found["proof"]["separation"] <= 0.12, found)
        # Each frame is good, and frame 10 comes after frame 9: only the way between two of them is not.
        write_frames(kind + "-through", [tent(k, 9) for k in range(12)], FACES, kind)
        found = verdict("--frames", kind + "-through", status=4)
        place = f"between frame9.{kind[:3]} and frame10.{kind[:3]}, "
        require(found["intersecting_frames"] == 0 and found["failure"].startswith(place), found)
        # From a height of 0.28 down to -0.6.
        require(abs(found["proof"]["violation"]["time"] - (9 + 0.28 / 0.88)) < 1e-12, found)
        require(os.path.exists(found["evidence"]), found)
    write_frames("inside", [tent(0), tent(14), tent(1)], FACES)
    found = verdict("--frames", "inside", status=4)
    require(found["intersecting_frames"] == 1 and "between frame0.obj and frame1.obj" in found["failure"], found)
    write_frames("first", [tent(14), tent(0)], FACES)
    found = verdict("--frames", "first", status=4)
    require(found["failure"].startswith("in frame0.obj triangle 0-1-2 of the mesh and triangle 3-4-5 of the mesh intersect"), found)
    text = call("verify", "--frames", "first").out
    require("of which 1 have intersections; between them vertices are assumed to go straight" in text, text)


@check
def own_exports_are_frames():
    run("good")
    run("bad", contact=False)
    for kind in "obj", "ply":
        for name, status in ("good", 0), ("bad", 4):
            succeed("export", "--format", kind, name + ".h5", "-o", name + kind)
            found = verdict("--frames", name + kind, status=status)
            require(found["frames"] == 6, found)


@check
def edited_frames_are_found():
    """A vertex of one frame is put to the other side of a sheet, by little or by much; or two frames change places."""
    rng = random.Random(5)
    n, total, found = 6, 1000 if FULL else 60, 0
    points = [[i, j, 0.0] for j in range(n) for i in range(n)]
    faces = [f for j in range(n - 1) for i in range(n - 1)
             for f in ((j * n + i, j * n + i + 1, j * n + i + n + 1), (j * n + i, j * n + i + n + 1, j * n + i + n))]
    faces += [(a + n * n, b + n * n, c + n * n) for a, b, c in faces]

    def frames():
        way = [rng.uniform(-0.3, 0.3) for _ in range(2)]
        for k in range(3):
            lower = [[x, y, 0.1 * math.sin(x + k)] for x, y, _ in points]
            yield lower + [[x + way[0] * k, y + way[1] * k, z + 0.4 + rng.uniform(0, 0.1)] for x, y, z in lower]

    for i in range(total):
        folder = f"frames{i}"
        good = list(frames())
        bad = [list(map(list, frame)) for frame in good]
        inner = n * n + rng.randrange(1, n - 1) * n + rng.randrange(1, n - 1)
        bad[rng.randrange(3)][inner][2] -= rng.choice([0.75, 1.0, 3.0])
        write_frames(folder, good, faces, "ply-little")
        require(verdict("--frames", folder)["verdict"] == "PASS", "the original")
        write_frames(folder + "bad", bad, faces, "ply-little")
        found += verdict("--frames", folder + "bad", status=4)["verdict"] == "FAIL"
    require(found == total, f"{found} of {total}")
    print(f"  {found} of {total} edited frames found, none in the originals")


PLY = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n" \
      b"element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"


@check
def frames_that_cannot_be_read():
    refuse(2, ["nowhere", "could not be opened"], "verify", "--frames", "nowhere")
    os.mkdir("empty")
    refuse(2, ["empty", "no OBJ or PLY files"], "verify", "--frames", "empty")
    refuse(2, ["--frames", "no archive"], "verify", "x.h5", "--frames", "empty")
    os.mkdir("folder")

    def one(content, *parts):
        with open("folder/a.ply", "wb") as file:
            file.write(content)
        refuse(2, ["folder/a.ply", *parts], "verify", "--frames", "folder")

    with open("folder/a.ply", "wb") as file:
        file.write(PLY)
    succeed("verify", "--frames", "folder")
    one(b"", "not \"ply\"")
    one(b"plx\n", "not \"ply\"")
    one(PLY[:60], "no line \"end_header\"")
    one(PLY[:-10], "the file ends here")
    one(PLY.replace(b"ascii", b"binary_middle_endian"), "binary_middle_endian")
    one(PLY.replace(b"float x", b"floaty x"), "floaty")
    one(PLY.replace(b"float z", b"float q"), "x, y and z")
    one(PLY.replace(b"vertex_indices", b"corners"), "vertex_indices")
    one(PLY.replace(b"vertex 3", b"vertex -3"), "element NAME COUNT")
    one(PLY.replace(b"vertex 3", b"vertex 4000000000"), "vertex 4")
    one(PLY.replace(b"3 0 1 2", b"3 0 1 3"), "face 0", "there is no vertex 3")
    one(PLY.replace(b"3 0 1 2", b"3 0 1 1"), "face 0", "vertex 1 twice")
    one(PLY.replace(b"3 0 1 2", b"2 0 1 2"), "face 0", "from 3 to")
    one(PLY.replace(b"0 1 0", b"0 nan 0"), "vertex 2", "not finite")
    one(PLY.replace(b"0 1 0", b"0 one 0"), "\"one\" is not a number")
    one(PLY.replace(b"face 1", b"face 0"), "nothing to judge")
    with open("folder/a.ply", "wb") as file:
        file.write(PLY)
    with open("folder/b.ply", "wb") as file:
        file.write(PLY.replace(b"3 0 1 2", b"3 0 2 1"))
    refuse(2, ["folder/b.ply", "are not those of a.ply"], "verify", "--frames", "folder")
    obj("folder/c.obj", [[0, 0, 0]], [])
    refuse(2, ["folder", "expected one kind"], "verify", "--frames", "folder")


sys.exit(run_checks())

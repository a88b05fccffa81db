"""`cinch watch` follows a run: it tells each new frame while the run goes on, how long it will take, and ends when the run ends, when
it is interrupted, and when it is killed. Run as test_watch.py PATH/TO/cinch."""

import atexit
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time

from harness import CINCH, check, describe, refuse, require, run_checks, succeed, write_scene

SCENE = {
    "units": "si",
    "time": {"end": 1000, "frame": 0.01},
    "materials": {"cotton": {"young": 1e4, "poisson": 0.3, "thickness": 0.001, "density": 300}},
    "meshes": [
        {"name": "ball", "generate": "sphere", "radius": 0.2, "subdivisions": 1, "material": "cotton", "pinned": True},
        {"name": "sheet", "generate": "sheet", "size": [0.8, 0.8], "cells": [10, 10], "material": "cotton",
         "rotate": [{"axis": [1, 0, 0], "angle": -90}], "at": [0, 0.22, 0]},
    ],
    "pins": ["sheet.corners"],
    "contact": {"speed": 3},
}


started = []


@atexit.register
def leave_nothing_behind():
    for process in started:
        process.kill()


def start(*arguments):
    process = subprocess.Popen([CINCH, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               encoding="utf-8")
    started.append(process)
    return process


def begin_run():
    write_scene(SCENE)
    run = start("run", "-q", "scene.json", "-o", "run.h5")
    end = time.monotonic() + 60
    while not os.path.exists("run.h5"):
        require(run.poll() is None and time.monotonic() < end, "the run does not begin")
        time.sleep(0.05)
    return run


def read_until(watcher, n):
    """The times of the first n lines that tell of frames."""
    times = []
    while len(times) < n:
        line = watcher.stdout.readline()
        require(line, "watching has ended")
        found = re.match(r"t = ([\d.e-]+) of 1000 s, [\d.]+ %, frame (\d+)(, [\d.e+]+ s per simulated second, .* left)?$", line)
        require(found or line == "no frames yet\n", f"unexpected: {line!r}")
        if found:
            times.append((float(found[1]), int(found[2]), found[3]))
    return times


@check
def follows_until_the_run_is_interrupted():
    run = begin_run()
    watcher = start("watch", "run.h5", "--every", "0.1")
    times = read_until(watcher, 4)
    require(all(a[0] < b[0] and a[1] < b[1] for a, b in zip(times, times[1:])), f"{times}")
    require(any(tail for _, _, tail in times), f"nobody says how long it will take: {times}")
    require(all(abs(t - 0.01 * (frame - 1)) < 1e-9 for t, frame, _ in times), f"frames and times do not go together: {times}")
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=60)
    rest, complaints = watcher.communicate(timeout=60)
    require(watcher.returncode == 0 and complaints == "", f"{watcher.returncode}: {complaints}")
    require(rest.endswith("the run was ended before its time\n"), rest[-300:])
    for title in ("total energy [J]", "balance of energy", "pairs in contact", "smallest gap", "events per simulated second"):
        require(title in rest, f"no plot of {title}: {rest}")


@check
def notices_that_the_run_was_killed():
    run = begin_run()
    watcher = start("watch", "run.h5", "--every", "0.1")
    read_until(watcher, 2)
    run.kill()
    run.communicate(timeout=60)
    _, complaints = watcher.communicate(timeout=60)
    require(watcher.returncode == 1 and "was cut off" in complaints and complaints.count("\n") == 1, f"{complaints}")


@check
def looks_once():
    run = begin_run()
    try:
        done = succeed("watch", "run.h5", "--once")
        require(re.match(r"t = |no frames yet", done.out), describe(done))
        require(run.poll() is None, "looking has ended the run")
    finally:
        run.kill()
        run.communicate(timeout=60)


@check
def watching_can_be_interrupted():
    run = begin_run()
    try:
        watcher = start("watch", "run.h5", "--every", "60")
        read_until(watcher, 1)
        watcher.send_signal(signal.SIGTERM)
        watcher.communicate(timeout=10)
        require(watcher.returncode == 143, f"{watcher.returncode}")
        require(run.poll() is None, "the run has ended with it")
    finally:
        run.kill()
        run.communicate(timeout=60)


@check
def tells_of_a_run_that_has_ended():
    write_scene({**SCENE, "time": {"end": 0.1, "frame": 0.01}})
    succeed("run", "-q", "scene.json", "-o", "run.h5")
    done = succeed("watch", "run.h5", "--ascii")
    require(done.out.startswith("t = 0.1 of 0.1 s, 100.0 %, frame 11\n"), describe(done))
    require(done.out.endswith("the run has come to its end\n") and "*" in done.out and done.out.isascii(), describe(done))
    # On a terminal it is a picture, never higher than the screen.
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 16, 60, 0, 0))
    watcher = subprocess.Popen([CINCH, "watch", "run.h5"], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                               env={**os.environ, "LC_ALL": "C.UTF-8"})
    os.close(theirs)
    require(watcher.wait(timeout=60) == 0, "watching on a terminal fails")
    drawn = os.read(ours, 65536).decode().replace("\r\n", "\n")
    lines = drawn.splitlines()
    require(lines[1].startswith("[█") and len(lines) <= 16 and max(map(len, lines)) <= 60, drawn)


@check
def wrong_calls():
    refuse(2, ["missing.h5: could not be opened"], "watch", "missing.h5")
    refuse(2, ["expected one archive"], "watch")
    refuse(2, ["--every 0: expected a number"], "watch", "x.h5", "--every", "0")


sys.exit(run_checks())

"""Disks that fill up, writes that fail, files that vanish, memory that ends: a sentence, a status that is not 0, every finished
frame readable, and the run can go on when there is room again.

A few of each, and fifty with CINCH_FULL. Run as test_faults.py PATH/TO/cinch FAILING.so.
"""

import errno
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

FAILING = os.path.abspath(sys.argv.pop(2))

from harness import CINCH, FULL, TIMEOUT, Skipped, call, check, describe, refuse, require, run_checks, same, succeed, write_scene

RUNS = 50 if FULL else 8

SCENE = {
    "units": "si", "time": {"end": 0.1, "frame": 0.001}, "contact": {"eta1": 0.01, "restitution": 0.5, "friction": 0.2},
    "materials": {"m": {"young": 5e4, "thickness": 0.001, "density": 300, "stretch_damping": 0.0003}},
    "meshes": [{"name": "s", "generate": "sheet", "size": [0.4, 0.4], "cells": [6, 6], "at": [0, 0.12, 0],
                "rotate": [{"axis": [1, 0, 0], "angle": 84}], "velocity": [0, -1.5, 0], "material": "m"},
               {"name": "ball", "generate": "sphere", "radius": 0.09, "subdivisions": 1, "material": "m", "pinned": True}],
}
CHECKPOINTS = ["--checkpoint-every", "0.013"]


def is_sanitized():
    with open(CINCH, "rb") as file:
        return b"__asan_init" in file.read()


SANITIZED = is_sanitized()


def with_failing(**settings):
    environment = {**os.environ, "LD_PRELOAD": FAILING, **{key: str(value) for key, value in settings.items()}}
    if SANITIZED:
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    return environment


def frames_of(archive):
    return int(re.search(r"(\d+) frames from 0 |no frames", succeed("info", archive).out)[1] or 0)


def require_first_frames(straight, archive):
    """All that the archive has are the first frames of the other; returns how many."""
    done = call("diff", straight, archive)
    found = re.search(r": (\d+) frames against (\d+), the first \2 of them equal", done.out)
    require(done.returncode == 0 or found, f"not its first frames: {describe(done)}")
    return int(found[2]) if found else frames_of(straight)


def require_sentence(done):
    """One, or more where checkpoints by wall time failed before; no crash."""
    lines = done.err.splitlines()
    require(done.returncode in (1, 2) and lines and all(line.startswith("cinch: ") for line in lines), describe(done))


def require_whole(done, straight, archive):
    """After a run that failed: what it said is there."""
    require_sentence(done)
    said = re.search(r"the (\d+) frames before it are readable|its (\d+) frames are readable", done.err)
    promised = int(said[1] or said[2]) if said else 0
    if not os.path.exists(archive):
        require(promised == 0, describe(done))
        return 0
    found = require_first_frames(straight, archive)
    require(found >= promised, f"{found} frames of {promised}: {describe(done)}")
    return found


def finish(straight, archive):
    """When there is room again."""
    if os.path.exists(archive):
        # It may be that all is there but the sidecar.
        if "; the run has ended" not in succeed("info", archive).out:
            succeed_but_for_words("resume", "-q", archive)
    else:
        succeed("run", "-q", "scene.json", "-o", archive)
    same(straight, archive)


def succeed_but_for_words(*arguments):
    """A checkpoint that is not whole may be told of."""
    done = call(*arguments)
    require(done.returncode == 0 and done.err.count("\n") <= 1, describe(done))


def mount(folder, size):
    os.makedirs(folder, exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Skipped("may not mount a small file system")


def unmount(folder, *options):
    subprocess.run(["umount", *options, folder], check=True)


@check
def disks_that_fill_up():
    """Of many sizes, from those that hold not even the header to those that lack a page at the end."""
    dice = random.Random(4)
    write_scene(SCENE)
    succeed("run", "-q", "scene.json", "-o", "straight.h5", *CHECKPOINTS)
    largest = sum(os.path.getsize(name) for name in os.listdir(".") if name.startswith("straight."))
    failed = readable = 0
    while failed < RUNS:
        mount("small", str(dice.randrange(4096, largest)))
        try:
            done = call("run", "-q", "scene.json", "-o", "small/run.h5", *CHECKPOINTS)
            if done.returncode == 0:
                same("straight.h5", "small/run.h5")
                continue
            failed += 1
            readable += require_whole(done, "straight.h5", "small/run.h5")
            subprocess.run(["mount", "-o", "remount,size=100m", "small"], check=True)
            finish("straight.h5", "small/run.h5")
        finally:
            unmount("small")
    print(f"{failed} disks have filled up, {readable} frames were readable, all runs could go on")


@check
def writes_that_fail():
    """The k-th call that changes a file, and all after it or not; with half a write, or none."""
    dice = random.Random(5)
    write_scene(SCENE)
    succeed("run", "-q", "scene.json", "-o", "straight.h5", *CHECKPOINTS)
    run = ["run", "-q", "scene.json", "-o", "run.h5", *CHECKPOINTS]
    succeed(*run, env=with_failing(FAIL_COUNT="count"))
    same("straight.h5", "run.h5")
    calls = int(open("count").read())
    require(calls > 300, f"{calls} calls")
    failed = readable = survived = 0
    while failed < RUNS:
        for name in os.listdir("."):
            if name.startswith("run."):
                os.remove(name)
        settings = {"FAIL_AT": dice.randint(1, dice.choice([40, calls])), "FAIL_WITH": dice.choice([errno.ENOSPC, errno.EIO])}
        settings.update({"FAIL_ON": "yes"} if dice.random() < 0.7 else {})
        settings.update({"FAIL_SHORT": "yes"} if dice.random() < 0.5 else {})
        done = call(*run, env=with_failing(**settings))
        if done.returncode == 0 and "FAIL_ON" not in settings:
            # Of one failure there may be nothing left, as of half a write that was tried again.
            same("straight.h5", "run.h5")
            survived += 1
            continue
        failed += 1
        readable += require_whole(done, "straight.h5", "run.h5")
        finish("straight.h5", "run.h5")
    print(f"{failed} runs with failing writes, {readable} frames were readable, all could go on; {survived} more did not fail")


@check
def resuming_onto_a_full_disk():
    """What is there is not replaced by less."""
    write_scene(SCENE)
    succeed("run", "-q", "scene.json", "-o", "straight.h5", *CHECKPOINTS)
    for size in (4096, 40960, 102400):
        mount("small", "10m")
        try:
            succeed("run", "-q", "scene.json", "-o", "small/run.h5", "--until", "0.05", *CHECKPOINTS)
            disk = os.statvfs("small")
            used = (disk.f_blocks - disk.f_bfree) * disk.f_frsize
            subprocess.run(["mount", "-o", f"remount,size={used + size}", "small"], check=True)
            done = call("resume", "-q", "small/run.h5", "--until", "0.1")
            require_sentence(done)
            require(require_first_frames("straight.h5", "small/run.h5") >= 50, describe(done))
            subprocess.run(["mount", "-o", "remount,size=10m", "small"], check=True)
            succeed_but_for_words("resume", "-q", "small/run.h5", "--until", "0.1")
            same("straight.h5", "small/run.h5")
        finally:
            unmount("small")


def start_slow(archive, *options):
    """A run that goes on and has written some frames."""
    running = subprocess.Popen([CINCH, "run", "-q", "scene.json", "-o", archive, "--until", "1e3", *options],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8")
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end and not (os.path.exists(archive) and frames_of(archive) > 5):
        time.sleep(0.05)
    return running


@check
def a_file_that_vanishes():
    """Removed, or with its disk: the run does not go on for nobody. The checkpoint that it leaves is good."""
    write_scene(SCENE)
    running = start_slow("run.h5")
    os.rename("run.h5", "moved.h5")
    err = running.communicate(timeout=TIMEOUT)[1]
    require(running.returncode == 1 and "run.h5" in err and "not there any more" in err and err.count("\n") == 1, err)
    require(frames_of("moved.h5") > 5, "the frames are gone")
    until = f"{frames_of('moved.h5') * 0.001 + 0.01:.3f}"
    succeed("run", "-q", "scene.json", "-o", "straight.h5", "--until", until)
    succeed("resume", "-q", "moved.h5", "--from", "run.h5.checkpoint", "--until", until, "-o", "run.h5")
    same("straight.h5", "run.h5")
    mount("stick", "10m")
    running = start_slow("stick/run.h5")
    unmount("stick", "-l")
    err = running.communicate(timeout=TIMEOUT)[1]
    require(running.returncode == 1 and "stick/run.h5" in err and "not there any more" in err, err)


@check
def folders_that_may_not_be_written():
    write_scene(SCENE)
    os.mkdir("folder", mode=0o755)
    succeed("run", "-q", "scene.json", "-o", "folder/run.h5", "--until", "0.05", *CHECKPOINTS)
    before = open("folder/run.h5", "rb").read()
    if os.geteuid() == 0:
        mount("read_only", "10m")
        try:
            shutil.copy("folder/run.h5", "read_only")
            shutil.copy("folder/run.h5.checkpoint", "read_only")
            subprocess.run(["mount", "-o", "remount,ro", "read_only"], check=True)
            refuse(1, ["read_only/out.h5", "Read-only file system"], "run", "-q", "scene.json", "-o", "read_only/out.h5")
            refuse(1, ["read_only/run.h5", "Read-only file system"], "resume", "-q", "read_only/run.h5", "--until", "0.1")
            succeed("resume", "-q", "read_only/run.h5", "--until", "0.1", "-o", "out.h5")
        finally:
            unmount("read_only")
        return
    os.chmod("folder", 0o555)
    refuse(1, ["folder/out.h5", "Permission denied"], "run", "-q", "scene.json", "-o", "folder/out.h5")
    refuse(1, ["folder/run.h5", "Permission denied"], "resume", "-q", "folder/run.h5", "--until", "0.1")
    os.chmod("folder", 0o755)
    require(open("folder/run.h5", "rb").read() == before, "the archive was touched")


def call_with_memory(limit, *arguments):
    def set_limit():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return call(*arguments, preexec_fn=set_limit)


@check
def memory_that_ends():
    """From the least with which the program can be loaded to what is enough."""
    if SANITIZED:
        raise Skipped("sanitizers reserve more addresses than any limit allows")
    large = {**SCENE, "contact": {}, "meshes": [{**SCENE["meshes"][0], "cells": [60, 60]}], "time": {"end": 0.01, "frame": 0.001}}
    write_scene(large)
    options = ["-q", "--threads", "1"]
    succeed("run", *options, "scene.json", "-o", "straight.h5")
    step, limit = (1 << 18 if FULL else 1 << 20), 16 << 20
    while call_with_memory(limit, "--version").returncode != 0:
        limit += step
    said, failed = set(), 0
    while True:
        done = call_with_memory(limit, "run", *options, "scene.json", "-o", "run.h5")
        if done.returncode == 0:
            break
        failed += 1
        require_whole(done, "straight.h5", "run.h5")
        said.add(done.err)
        require("emory" in done.err, describe(done))
        limit += step
    same("straight.h5", "run.h5")
    require(failed >= 8 and any("out of memory" in words for words in said), f"{failed}: {said}")


@check
def memory_that_ends_in_the_middle():
    """Of a run that has frames; what they are must stay, and it can go on."""
    if SANITIZED:
        raise Skipped("sanitizers reserve more addresses than any limit allows")
    write_scene(SCENE)
    options = ["--threads", "1"]
    running = start_slow("run.h5", *options)
    until_more = frames_of("run.h5") + 20
    while frames_of("run.h5") < until_more:
        time.sleep(0.05)
    try:
        resource.prlimit(running.pid, resource.RLIMIT_AS, (1 << 20, 1 << 20))
        err = running.communicate(timeout=TIMEOUT)[1]
    finally:
        running.kill()
    require(running.returncode == 1 and err.startswith("cinch: ") and "emory" in err, f"{running.returncode}: {err}")
    n = frames_of("run.h5")
    require(n > 5, f"{n} frames")
    until = f"{(n - 1) * 0.001 + 0.01:.3f}"
    succeed("run", "-q", "scene.json", "-o", "straight.h5", "--until", until)
    succeed_but_for_words("resume", "-q", "run.h5", "--until", until)
    same("straight.h5", "run.h5")


@check
def archives_that_are_cut_off_or_damaged():
    """Every good frame is saved, it is told what is lost, and the run can go on from there."""
    dice = random.Random(6)
    write_scene(SCENE)
    succeed("run", "-q", "scene.json", "-o", "straight.h5")
    whole = open("straight.h5", "rb").read()
    frames = frames_of("straight.h5")
    refuse(2, ["-o"], "salvage", "straight.h5")
    refuse(2, ["stays as it is"], "salvage", "straight.h5", "-o", "straight.h5")
    refuse(2, ["missing"], "salvage", "missing.h5", "-o", "out.h5")
    refuse(2, ["scene.json: nothing can be saved", "not an HDF5 file"], "salvage", "scene.json", "-o", "out.h5")
    require("nothing is lost" in succeed("salvage", "straight.h5", "-o", "same.h5").out, "something is lost")
    same("straight.h5", "same.h5")
    saved_before = 0
    for part in (0.4, 0.6, 0.8, 0.95):
        with open("cut.h5", "wb") as file:
            file.write(whole[:int(len(whole) * part)])
        refuse(2, ["cut.h5", "cinch salvage"], "info", "cut.h5")
        refuse(2, ["cut.h5", "cinch salvage"], "resume", "cut.h5")
        done = succeed("salvage", "cut.h5", "-o", "saved.h5")
        saved = require_first_frames("straight.h5", "saved.h5")
        require(f"{saved} of {frames} frames" in done.out and f"lost: frames {saved} to {frames - 1}\n" in done.out, done.out)
        require(saved > frames * (part - 0.3) and saved >= saved_before, f"{saved} of {frames} at {part}")
        saved_before = saved
        succeed("resume", "-q", "saved.h5")
        same("straight.h5", "saved.h5")
    for k in range(30 if FULL else 6):
        bytes_ = bytearray(whole)
        for _ in range(dice.choice([1, 3, 20])):
            bytes_[dice.randrange(len(whole) // 4, len(whole))] ^= 1 << dice.randrange(8)
        with open("bad.h5", "wb") as file:
            file.write(bytes_)
        done = call("salvage", "bad.h5", "-o", "saved.h5")
        if done.returncode == 0:
            require(int(done.out.split()[0]) > 0, done.out)
            succeed_but_for_words("resume", "-q", "saved.h5") if "nothing is lost" not in done.out else None
        else:
            require_sentence(done)
        require(not [name for name in os.listdir(".") if name.endswith((".mended", ".part"))], f"{os.listdir('.')}")


sys.exit(run_checks())

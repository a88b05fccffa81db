"""What tests of the command line share: checks in directories of their own, calls of cinch, and what they must say.

A test imports it with sys.argv[1] the program; the arguments after it name the checks to run, all by default.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

CINCH = os.path.abspath(sys.argv[1])
TIMEOUT = 300  # seconds for one call
FULL = "CINCH_FULL" in os.environ  # ./check --full: the long form

checks = []


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def check(function):
    """Registers a check, which is run in an empty directory of its own."""
    checks.append((function.__name__, function))
    return function


def require(condition, message):
    if not condition:
        raise Failed(message)


def call(*arguments, **options):
    done = subprocess.run([CINCH, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=TIMEOUT, **options)
    done.out, done.err = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    return done


def describe(done):
    return f"{done.args[1:]} ended with {done.returncode}\nstdout: {done.out[-2000:]}\nstderr: {done.err[-4000:]}"


def succeed(*arguments, **options):
    done = call(*arguments, **options)
    require(done.returncode == 0 and done.err == "", f"expected success: {describe(done)}")
    return done


def refuse(status, parts, *arguments, **options):
    """The call must end with this status and say one line that holds all parts."""
    done = call(*arguments, **options)
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


def end_children():
    """Runs that a check has left behind when it failed."""
    for task in os.listdir("/proc/self/task"):
        try:
            children = open(f"/proc/self/task/{task}/children").read().split()
        except OSError:
            continue
        for child in children:
            try:
                os.kill(int(child), signal.SIGKILL)
                os.waitpid(int(child), 0)
            except OSError:
                pass


def run_check(name, function):
    """0 when it passed."""
    here = os.getcwd()
    directory = tempfile.mkdtemp(prefix="cinch-test-")
    os.chdir(directory)
    try:
        function()
        print(f"{name} passed", flush=True)
    except Skipped as reason:
        print(f"{name} skipped: {reason}", flush=True)
    except (Failed, subprocess.SubprocessError, OSError) as failure:
        print(f"{name} failed: {failure}", flush=True)
        return 1
    finally:
        end_children()
        os.chdir(here)
        shutil.rmtree(directory)
    return 0


def run_checks():
    """Runs those that were asked for; returns the status of the program."""
    wanted = sys.argv[2:]
    return 1 if sum(run_check(*entry) for entry in checks if not wanted or entry[0] in wanted) else 0

"""Threads and memory under instruments: some scenes with a build for the thread sanitizer, one under valgrind. Run as
test_threads.py REPOSITORY CINCH-WITH-THREAD-SANITIZER CINCH

OpenMP's runtime of clang says by its tool archer (OMP_TOOL_LIBRARIES) where threads wait for each other; without it every
barrier would be taken for a race. What is not instrumented (GLib, HDF5) is left out.
"""

import glob
import os
import subprocess
import sys
import tempfile

ROOT, RACES, CINCH = sys.argv[1:4]
# Large enough for teams of threads, in forces and in contact, and (the knot) in the judge.
SCENES = [("curtain", "0.002"), ("sheet_sphere", "0.02"), ("ribbon", "0.001"), ("belt", "0.002"),
          ("overhand", "0.01", "--set", "size=full", "--prove")]


def run(command, **environment):
    done = subprocess.run(command, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", errors="replace")
    if done.returncode != 0 or "WARNING: ThreadSanitizer" in done.stdout:
        sys.exit(f"{command} ended with {done.returncode}\n{done.stdout[-6000:]}")


archer = sorted(glob.glob("/usr/lib/llvm-*/lib/libarcher.so"))
if not archer:
    sys.exit("no libarcher.so: it is in Debian's libomp-dev")
with tempfile.TemporaryDirectory(prefix="cinch-threads-") as directory:
    archive = os.path.join(directory, "run.h5")
    for scene, until, *options in SCENES:
        command = ["run", "-q", "--until", until, "--set", "time.frame=" + until, "-o", archive, *options]
        run([RACES, *command, "--threads", "3", os.path.join(ROOT, "scenes", scene + ".json")],
            OMP_TOOL_LIBRARIES=archer[-1], TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=66", OMP_WAIT_POLICY="passive")
    valgrind = ["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=definite",
                "--errors-for-leak-kinds=definite", "--child-silent-after-fork=yes"]
    scene = os.path.join(ROOT, "scenes", "sheet_sphere.json")
    short = ["-q", "--threads", "1", "--set", "time.frame=0.001", "-o", archive]
    run([*valgrind, CINCH, "run", *short, "--until", "0.002", "--checkpoint-every", "0.001", "--prove", scene])
    run([*valgrind, CINCH, "resume", *short[:3], "--until", "0.003", archive])
    for reader in (["info"], ["info", "--hash"], ["diff", archive], ["verify"], ["salvage", "-o", os.path.join(directory, "b.h5")]):
        run([*valgrind, CINCH, *reader, archive])
print(f"{len(SCENES)} scenes without a race, valgrind has nothing to say")

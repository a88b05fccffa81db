"""The trace of the queue tells the walkthrough in order, and does not touch the motion; docs/contact.md shows what the
program prints.

Run as test_trace.py PATH/TO/cinch REPOSITORY.
"""

import os
import re
import subprocess
import sys
import tempfile

import h5py

CINCH, ROOT = (os.path.abspath(name) for name in sys.argv[1:3])
WALKTHROUGH = os.path.join(ROOT, "scenes", "walkthrough.json")
SHEET = os.path.join(ROOT, "scenes", "sheet_sphere.json")

# What happens to a particle that falls on a floor, in this order.
STORY = [
    r"^0\.000000000 s  start .*certificates: 1; layers awake: 0",
    r" force        gravity .*certificate now until",
    r" certificate  .*bounds come together.*layer 1 wakes; first tick at",
    r" force        tick of layer 1 .*1 of 1 pairs in range.*impulse",
    r" certificate  vertex 0 of bead \| edge 0-1 of floor: the slab fails.*layer 2 wakes.*new slab until",
    r" force        tick of layer 2 .*1 of 1 pairs in range.*impulse",
    r" force        tick of layer 2 .*0 of 1 pairs in range.*open at.*layer 2 sleeps",
    r" force        tick of layer 2 .*no pair is awake, the clock stops",
    r" force        tick of layer 1 .*0 of 1 pairs in range.*open at.*layer 1 sleeps",
    r" certificate  .*bounds are apart again",
    r"^0\.500000000 s  frame        100$",
]


def call(*arguments):
    return subprocess.run([CINCH, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=300)


def run(scene, archive, *options):
    done = call("run", "--quiet", "--threads", "1", scene, "-o", archive, *options)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


def check_story():
    lines = iter(run(WALKTHROUGH, "a.h5", "--trace", "-").splitlines())
    for part in STORY:
        assert any(re.search(part, line) for line in lines), f"the trace does not tell, where it should: {part}"


def check_order():
    """One line per event; times never go back, also where a run stops and its last state is made again."""
    for layers, status in [(1000, 0), (3, 3)]:
        done = call("run", "-q", "--threads", "1", WALKTHROUGH, "-o", "a.h5", "--trace", "trace.txt", "--set",
                    f"contact.max_layer={layers}")
        assert done.returncode == status, done.stderr
        with open("trace.txt") as file:
            trace = file.read().splitlines()
        times = [float(line.split()[0]) for line in trace]
        assert times == sorted(times)
        assert all(re.match(r"\d+\.\d{9} s  (start|certificate|script|force|frame) ", line) for line in trace)


def check_motion():
    """The same bits with a trace and without, for a particle and for cloth, by certificates, by tubes and by brute force."""
    cloth = ["--until", "0.14", "--set", "meshes.1.cells=[8, 8]", "--set", "meshes.0.subdivisions=1"]
    for scene, options in [(WALKTHROUGH, []), (SHEET, cloth)]:
        run(scene, "plain.h5", *options)
        for detect in ["naive", "brute", "tube"]:
            run(scene, "traced.h5", "--trace", "trace.txt", "--set", f"contact.detect={detect}", *options)
            done = call("diff", "plain.h5", "traced.h5")
            assert done.returncode == 0, done.stdout
            with open("trace.txt") as file:
                assert "pairs in range, gap" in file.read(), f"{scene}: nothing touches"


def check_bad_files():
    done = call("run", "-q", WALKTHROUGH, "-o", "a.h5", "--trace", "missing/trace.txt")
    assert done.returncode == 1 and "missing/trace.txt" in done.stderr, done.stderr
    for name in [WALKTHROUGH, "a.h5"]:
        done = call("run", "-q", WALKTHROUGH, "-o", "a.h5", "--trace", name)
        assert done.returncode == 2 and "--trace" in done.stderr, done.stderr
    done = call("run", "-q", WALKTHROUGH, "-o", "a.h5", "--trace", "/dev/full")
    assert done.returncode == 1 and "/dev/full" in done.stderr, done.stderr


def contact_page():
    with open(os.path.join(ROOT, "docs", "contact.md"), encoding="utf-8") as file:
        return file.read()


def unwrapped(text):
    """Lines that begin with spaces go on from the line before."""
    return re.sub(r"\n +", " ", text).splitlines()


def check_page_trace():
    """Every line of the excerpts is in the trace, in their order."""
    lines = iter(run(WALKTHROUGH, "a.h5", "--trace", "-").splitlines())
    excerpts = re.findall(r"^```trace\n(.*?)^```$", contact_page(), re.DOTALL | re.MULTILINE)
    assert len(excerpts) >= 4
    for shown in (line for excerpt in excerpts for line in unwrapped(excerpt) if line != "..."):
        assert any(line == shown for line in lines), f"the page shows, but cinch does not print there: {shown}"


def check_page_heights():
    run(WALKTHROUGH, "a.h5")
    rows = re.findall(r"^\| (0\.\d{3}) \| (0\.\d{4}) \|", contact_page(), re.MULTILINE)
    with h5py.File("a.h5", "r") as archive:
        time, height = archive["motion/time"][:], archive["motion/position"][:, 2, 1]
    assert len(rows) > 5
    for shown, expected in rows:
        frame = abs(time - float(shown)).argmin()
        assert f"{time[frame]:.3f} {height[frame]:.4f}" == f"{shown} {expected}", f"{shown} s: {height[frame]:.4f} m"


def check_page_limit():
    """What the page shows of a run that stops, and of cinch bound before it."""
    text = " ".join(contact_page().split())
    layers = ["--set", "contact.max_layer=3"]
    done = call("run", "-q", "--threads", "1", WALKTHROUGH, "-o", "walkthrough.h5", *layers)
    assert done.returncode == 3 and f"{done.stderr.strip()} 3" in text, done.stderr
    again = re.search(r"`cinch (resume walkthrough\.h5 [^`]*)`", text)[1].split()
    done = call(*again, "--quiet", "--threads", "1", "--trace", "-")
    assert done.returncode == 0 and "tick of layer 4" in done.stdout, done.stderr
    shown = [line for line in call("bound", WALKTHROUGH, *layers).stdout.splitlines() if re.match(r" +\d|The layers|An", line)]
    assert len(shown) == 5 and all(" ".join(line.split()) in text for line in shown), shown


CHECKS = [check_story, check_order, check_motion, check_bad_files, check_page_trace, check_page_heights,
          check_page_limit]


def main():
    with tempfile.TemporaryDirectory(prefix="cinch-trace-") as directory:
        os.chdir(directory)
        for check in CHECKS:
            check()
            print(f"{check.__name__}: passed", flush=True)
        os.chdir(ROOT)


main()

"""Every scene that users are given says what to look for, loads, starts, and has a bound where it has contact; so does
what its choices offer.

Run as test_scenes.py PATH/TO/cinch DIRECTORY.
"""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

CINCH, SCENES = (os.path.abspath(name) for name in sys.argv[1:3])


def parse(text):
    return json.loads(re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*', lambda found: found[1] or "", text))


def choices_of(scene):
    """The options of each choice of a scene, but for the first, which are taken in any case."""
    return {name: list(options)[1:] for name, options in scene.get("choices", {}).items()}


def problem_of(path, archive):
    """What is wrong with a scene, or None."""
    with open(path) as file:
        text = file.read()
    if not text.startswith("// "):
        return "it does not begin with a comment that says what to look for"
    if '"title"' not in text:
        return "it has no title"
    calls = [[CINCH, "run", "-q", path, "--until", "1e-6", "-o", archive]]
    if '"contact"' in text:
        calls.append([CINCH, "bound", path])
    scene = parse(text)
    # What settles in a large size does so for minutes: here it only begins to.
    briefly = ["--set", "time.settle.time=0.001"] if "settle" in scene["time"] else []
    for choice, options in choices_of(scene).items():
        for option in options:
            calls.append([CINCH, "bound", path, "--set", f"{choice}={option}"])
            if os.environ.get("CINCH_FULL"):
                calls.append([CINCH, "run", "-q", path, "--until", "1e-6", "-o", archive, "--set", f"{choice}={option}", *briefly])
    for call in calls:
        done = subprocess.run(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
        if done.returncode != 0 or done.stderr:
            return f"{' '.join(call)} ended with {done.returncode}: {done.stderr.decode()}"
    return None


def main():
    paths = sorted(glob.glob(os.path.join(SCENES, "*.json")))
    problems = 0 if paths else 1
    with tempfile.TemporaryDirectory(prefix="cinch-scenes-") as directory:
        for path in paths:
            problem = problem_of(path, os.path.join(directory, "scene.h5"))
            problems += problem is not None
            print(f"{os.path.basename(path)}: {problem or 'fine'}", flush=True)
    return 1 if problems else 0


sys.exit(main())

"""Every build gives the same motion: other compilers and optimisation levels change no bit.

Runs the beginning of every scene in scenes/ with each build, and compares with the first by cinch diff. Run as
test_builds.py REPOSITORY PATH/TO/cinch PATH/TO/cinch...
"""

import glob
import os
import subprocess
import sys
import tempfile

# Enough for every force to have acted at least ten times, and for clocks to interleave.
OPTIONS = ["--quiet", "--threads", "1", "--until", "0.1", "--set", "time.frame=0.01"]


def run(cinch, scene, archive):
    subprocess.run([cinch, "run", *OPTIONS, "--output", archive, scene], check=True)


def compare_scene(scene, builds, directory):
    """The builds whose motion is another, as sentences."""
    archives = [os.path.join(directory, f"{number}.h5") for number in range(len(builds))]
    for cinch, archive in zip(builds, archives):
        run(cinch, scene, archive)
    for cinch, archive in zip(builds[1:], archives[1:]):
        done = subprocess.run([builds[0], "diff", archives[0], archive], stdout=subprocess.PIPE, encoding="utf-8")
        if done.returncode != 0:
            yield f"{os.path.basename(scene)}: {builds[0]} and {cinch}: {done.stdout.strip()}"


def main():
    root, builds = sys.argv[1], sys.argv[2:]
    scenes = sorted(glob.glob(os.path.join(root, "scenes", "*.json")))
    if len(builds) < 2 or not scenes:
        sys.exit("usage: test_builds.py REPOSITORY CINCH CINCH...")
    with tempfile.TemporaryDirectory(prefix="cinch-builds-") as directory:
        faults = [fault for scene in scenes for fault in compare_scene(scene, builds, directory)]
    print("\n".join(faults) or f"{len(scenes)} scenes, the same bits with {len(builds)} builds")
    return 1 if faults else 0


sys.exit(main())

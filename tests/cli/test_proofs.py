"""Scenes of the project are proved while they run, and verified afterwards: PASS, with the counts.

Run as test_proofs.py PATH/TO/cinch SCENES [NAME...]. The short form takes a stretch of a few scenes; with CINCH_FULL all scenes with
contact that run within a minute of CPU time, and the knot of ./demo; with names (NAME or NAME:KEY=VALUE) all of those. A scene
without contact may pass through itself: it is left out.
"""

import glob
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile

CINCH, SCENES = (os.path.abspath(argument) for argument in sys.argv[1:3])
NAMES = sys.argv[3:]
FULL = "CINCH_FULL" in os.environ or NAMES
MOST = 90  # seconds of CPU time: for a run of a minute, and half as much again for its proof
DEMO = "overhand:size=demo"
SHORT = {"ball_plate": "0.01", "sheet_sphere": "0.2", "overhand": "0.5", "wedge": "0.05", "trough": "0.05"}


def call(*arguments, seconds=None):
    limit = None if seconds is None else lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    return subprocess.run([CINCH, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", preexec_fn=limit)


def seconds_used():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def has_contact(path):
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read(), flags=re.DOTALL)
    return json.loads(text).get("contact", False) is not False


def prove(name, until):
    """True: PASS; None: left out."""
    scene, _, setting = name.partition(":")
    archive = scene + ".h5"
    options = ["--threads", "1", *(["--until", until] if until else []), *(["--set", setting] if setting else [])]
    began = seconds_used()
    done = call("run", os.path.join(SCENES, scene + ".json"), "--prove", "-q", "-o", archive, *options, seconds=MOST)
    took = seconds_used() - began
    if done.returncode == -signal.SIGXCPU:
        print(f"{name}: takes more than a minute, and its proof half a minute", flush=True)
        return None
    if done.returncode != 0:
        print(f"{name}: FAIL, the run ended with {done.returncode}: {done.stdout.strip()}", flush=True)
        return False
    began = seconds_used()
    done = call("verify", archive, "--threads", "1", "--json")
    found = json.loads(done.stdout) if done.returncode in (0, 4) else {"verdict": "ERROR", "failure": done.stdout}
    print(f"{name}: {found['verdict']} {found.get('failure', '')}", flush=True)
    if done.returncode == 0:
        proof = found["proof"]
        print(f"  {found['frames']} frames, {proof['commits']} commits, {proof['segments']} segments, {proof['examined']} pairs examined, "
              f"{proof['by_way']} point by point, {proof['exactly']} pieces exactly; separation {proof['separation']:.4g} of {proof['reach']:.4g}; "
              f"CPU: {took:.1f} s with the proof, {seconds_used() - began:.1f} s to verify", flush=True)
    os.remove(archive)
    return done.returncode == 0


def main():
    names = NAMES or sorted(os.path.basename(path)[:-5] for path in glob.glob(os.path.join(SCENES, "*.json"))) + [DEMO]
    results = {}
    for name in names:
        if not has_contact(os.path.join(SCENES, name.partition(":")[0] + ".json")):
            print(f"{name}: has no contact", flush=True)
        elif FULL or name in SHORT:
            results[name] = prove(name, None if FULL else SHORT[name])
    proved = sum(result is True for result in results.values())
    failed = [name for name, result in results.items() if result is False]
    print(f"{proved} proved, {len(failed)} failed: {failed}")
    return 1 if failed or proved < (len(NAMES) or len(SHORT)) else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cinch-proofs-") as directory:
        os.chdir(directory)
        status = main()
    sys.exit(status)

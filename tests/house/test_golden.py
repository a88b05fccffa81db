"""The motion of scenes is what it was, bit for bit: on this machine, with this compiler, with any number of threads.

golden.json has SHA-256 of frames and ledger of the beginning of some scenes, as `cinch info --hash` prints them. A change of the
program that is meant to change no bit must leave them as they are. One that is meant to renews them, in the same commit:

    python3 tests/house/test_golden.py PATH/TO/cinch REPOSITORY --renew

With CINCH_FULL all scenes are run, else those marked "short". Run as test_golden.py PATH/TO/cinch REPOSITORY.
"""

import json
import os
import subprocess
import sys
import tempfile

CINCH, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
RENEW = sys.argv[3:] == ["--renew"]
FULL = RENEW or "CINCH_FULL" in os.environ
GOLDEN = os.path.join(ROOT, "tests", "house", "golden.json")
THREADS = (1, 3)
HINT = """
If this change is meant to change the motion (another force, another step, another law of contact), renew the hashes and say in
the commit why:

    python3 tests/house/test_golden.py build/release/src/cinch . --renew

If it is not, some bit depends on what it must not: on the compiler, on the number of threads, on how contacts are found."""


def hash_of(entry, threads, directory):
    archive = os.path.join(directory, "run.h5")
    settings = [part for value in entry.get("set", []) for part in ("--set", value)]
    subprocess.run([CINCH, "run", "--quiet", "--threads", str(threads), "--until", str(entry["until"]), *settings, "-o", archive,
                    os.path.join(ROOT, "scenes", entry["scene"])], check=True)
    out = subprocess.run([CINCH, "info", "--hash", archive], stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
    return {what: digest for digest, what in (line.split() for line in out.splitlines())}


def faults_of(entry, directory):
    """As sentences. The ledger's sums are of the motion: where that is another, they need no word."""
    for threads in THREADS if entry.get("threads") else THREADS[:1]:
        found = hash_of(entry, threads, directory)
        if RENEW and threads == THREADS[0]:
            entry.update(found)
        for what in ("motion", "ledger"):
            if found[what] != entry.get(what):
                yield f"{entry['scene']} until {entry['until']} s with {threads} threads: the {what} is another"
                break


def main():
    with open(GOLDEN, encoding="utf-8") as file:
        entries = json.load(file)
    wanted = [entry for entry in entries if FULL or entry.get("short")]
    with tempfile.TemporaryDirectory(prefix="cinch-golden-") as directory:
        faults = [fault for entry in wanted for fault in faults_of(entry, directory)]
    if RENEW:
        with open(GOLDEN, "w", encoding="utf-8") as file:
            file.write("[\n" + ",\n".join(json.dumps(entry) for entry in entries) + "\n]\n")
    print("\n".join(faults) + HINT if faults else f"{len(wanted)} scenes, the same bits as ever")
    return 1 if faults else 0


sys.exit(main())

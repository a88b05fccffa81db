"""cinch bench: every row is there, found the same motion, and says what it costs; wrong calls are refused.

Run as test_bench.py PATH/TO/cinch DIRECTORY-OF-SCENES.
"""

import json
import os
import subprocess
import sys

CINCH, SCENES = (os.path.abspath(name) for name in sys.argv[1:3])
SCENE = os.path.join(SCENES, "fold.json")


def call(*arguments):
    return subprocess.run([CINCH, "bench", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                          timeout=300)


def check_json():
    done = call(SCENE, "--at", "0.05", "--for", "0.02", "--json")
    assert done.returncode == 0 and not done.stderr, done.stderr
    result = json.loads(done.stdout)
    rows = {row["name"]: row for row in result["ablation"]}
    assert {"naive", "tube", "tube, without charts", "tube, 2 threads"} <= rows.keys(), rows.keys()
    for name, row in rows.items():
        assert row["same_motion"], name
        assert row["seconds"] > 0 and row["over_floor"] > 0 and 0 <= row["certificate_share"] <= 1, row
    # Counts, unlike times, are the same every time.
    again = json.loads(call(SCENE, "--at", "0.05", "--for", "0.02", "--json").stdout)
    for row, other in zip(result["ablation"], again["ablation"]):
        for key in ("name", "reschedules_per_force_event", "certificates"):
            assert row[key] == other[key], (key, row, other)
    assert rows["naive"]["reschedules_per_force_event"] > 10 * rows["tube"]["reschedules_per_force_event"], rows


def check_text():
    done = call(SCENE, "--for", "0.01")
    assert done.returncode == 0 and "naive" in done.stdout and "DIFFERENT" not in done.stdout, done


def check_refusals():
    for arguments, words in [
        ([], "expected one scene file"),
        ([SCENE, "--for", "0"], "a length above 0"),
        ([os.path.join(SCENES, "chain.json")], "there is no contact whose cost could be measured"),
        ([SCENE, "--set", "contact.detekt=brute"], "detekt"),
    ]:
        done = call(*arguments)
        assert done.returncode == 2 and words in done.stderr, (arguments, done)


for check in (check_json, check_text, check_refusals):
    check()
    print(f"{check.__name__}: passed", flush=True)

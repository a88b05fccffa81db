"""cinch bench: every row of every part is there, found the same motion, and says what it costs; wrong calls are refused.

Run as test_bench.py PATH/TO/cinch DIRECTORY-OF-SCENES.
"""

import json
import os
import subprocess
import sys
import tempfile

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


def rows_of(part, *arguments):
    done = call(*arguments, "--small", "--for", "0.01", "--json")
    assert done.returncode == 0 and not done.stderr, done
    result = json.loads(done.stdout)
    rows = {row.get("name", i): row for i, row in enumerate(result[part])}
    for name, row in rows.items():
        assert row["same_motion"], (name, row)
    return rows, result[part + "_of"]


def check_broad():
    rows, about = rows_of("broad", SCENE, "broad", "--at", "0.05")
    assert about["from"] == 0.05 and about["scene"] == SCENE, about
    tubes, naive = rows["tubes over chords of 18-DOPs"], rows["18-DOPs"]
    assert naive["queue"] > 10 * tubes["queue"] > 0 and naive["most_queue"] >= naive["queue"], rows
    assert naive["certificates"] >= naive["pairs"] > 0, naive


def check_knot():
    """The knot is in the program; its state is made once, and kept in a file that the next call takes it from."""
    with tempfile.TemporaryDirectory(prefix="cinch-bench-") as directory:
        kept = os.path.join(directory, "knot.state")
        rows, about = rows_of("ablation", "ablation", "--at", "0.3", "--state", kept)
        assert os.path.getsize(kept) > 1000 and about["from"] == 0.3 and "overhand" in about["scene"], about
        stamp = os.stat(kept).st_mtime_ns
        again, _ = rows_of("ablation", "ablation", "--at", "0.3", "--state", kept)
        assert os.stat(kept).st_mtime_ns == stamp, "the state was made again"
        for name, row in rows.items():
            assert row["reschedules_per_force_event"] == again[name]["reschedules_per_force_event"], (name, row, again[name])
        rows_of("ablation", "ablation", "--at", "0.25", "--state", kept)
        assert os.stat(kept).st_mtime_ns != stamp, "the state of another time was taken"


def check_scaling():
    rows, about = rows_of("scaling", "scaling")
    vertices = [row["vertices"] for row in rows.values()]
    assert len(vertices) > 2 and vertices == sorted(vertices) and vertices[-1] > 4 * vertices[0], vertices
    assert all(row["seconds"] > 0 and row["wall_2_threads"] > 0 for row in rows.values()), rows
    assert 0 < about["exponent"] < 4, about


def check_fall():
    rows, about = rows_of("fall", "fall")
    assert rows["tube"]["reschedules_per_force_event"] < 0.01 * rows["naive"]["reschedules_per_force_event"], rows
    with open(CINCH, "rb") as file:
        sanitized = b"__asan_init" in file.read()
    if sanitized:  # its allocator does not tell
        assert about["bytes_per_vertex"] is None, about
    else:
        assert 0 < about["bytes_per_vertex"] < 20000 and about["growth_per_vertex"] < 100, about


def check_refusals():
    for arguments, words in [
        ([SCENE, "--for", "0"], "a length above 0"),
        ([os.path.join(SCENES, "chain.json")], "there is no contact whose cost could be measured"),
        ([SCENE, "--set", "contact.detekt=brute"], "detekt"),
        ([SCENE, "scaling"], "has scenes of its own"),
        (["ablation", "ablatoin"], "there is no part"),
        (["ablation", "--set", "contact.eta1=1"], "for the scene that is named"),
        (["ablatoin"], "there is no such file"),
    ]:
        done = call(*arguments)
        assert done.returncode == 2 and words in done.stderr, (arguments, done)


for check in (check_json, check_text, check_broad, check_knot, check_scaling, check_fall, check_refusals):
    check()
    print(f"{check.__name__}: passed", flush=True)

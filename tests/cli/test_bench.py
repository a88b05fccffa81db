"""cinch bench: every row of every part is there, found the same motion, and says what it costs; wrong calls are refused.

Run as test_bench.py PATH/TO/cinch DIRECTORY-OF-SCENES.
"""

import json
import os
import subprocess
import sys
import tempfile

CINCH, SCENES = (os.path.abspath(name) for name in sys.argv[1:3])
# The thesis' forces of pairs of triangles are summed up otherwise.
OTHER_MOTION = "triangle forces, 1/valence"
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
    assert {"all of chapter 8", "short-circuited scheduling", "axes in order of use", "triangle slabs", "triangle forces",
            "velocity cones, all or nothing"} <= rows.keys(), rows.keys()
    for name, row in rows.items():
        assert row["same_motion"] or name == OTHER_MOTION, name
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
        assert row["same_motion"] or name == OTHER_MOTION, (name, row)
    return rows, result[part + "_of"]


def check_broad():
    rows, about = rows_of("broad", SCENE, "broad", "--at", "0.05")
    assert about["from"] == 0.05 and about["scene"] == SCENE, about
    tubes, naive = rows["tubes over chords of 18-DOPs"], rows["18-DOPs, naive"]
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


def check_thesis():
    """All tables and figures, each with what must hold on any machine."""
    done = call("thesis", "--small", "--for", "0.002", "--json")
    assert done.returncode == 0 and not done.stderr, done
    result = json.loads(done.stdout)
    for key in ("6_2", "6_7", "6_9", "6_9_curves", "7_1", "8_1", "8_2", "8_3", "8_4", "8_5"):
        rows = result["thesis_" + key]
        assert rows and result[f"thesis_{key}_of"]["title"], key
        assert all(row.get("same_motion", True) for row in rows), (key, rows)
    check_thesis_runs(result)
    check_thesis_detection(result)
    # A table alone has the same counts.
    alone = json.loads(call("thesis:8.4", "--small", "--for", "0.002", "--json").stdout)
    assert alone["thesis_8_4"] == result["thesis_8_4"] and "thesis_8_1" not in alone, alone


def never_rises(values):
    return all(a >= b for a, b in zip(values, values[1:]))


def mean(values):
    return sum(values) / len(values)


def check_thesis_runs(result):
    reef = next(row for row in result["thesis_6_2"] if row["name"] == "Reef Knot")
    assert abs(reef["thesis_rate"] - 35.2347 * 3600 / 5.4) < 1e-6 and 0 < reef["simulated"] < reef["of"] == 5.4, reef
    assert reef["events"] > 1000 and reef["rate"] > 0 and 0 < reef["certificate_percent"] < 100, reef
    layers = result["thesis_6_7"]
    assert never_rises([row["apart"] for row in layers]) and layers[-1]["apart"] < 0.4 * layers[0]["apart"], layers
    for row in layers:
        shares = [row[f"percent_{layer}"] for layer in (1, 2, 3, 5, 10, 20, 40)]
        assert never_rises(shares) and 0 <= shares[0] <= 100, row
    third = len(layers) // 3
    for key in ("percent_1", "percent_2", "percent_3", "percent_5"):
        assert mean([row[key] for row in layers[-third:]]) > mean([row[key] for row in layers[:third]]), (key, layers)
    thick = result["thesis_6_9"]
    assert [row["eta1"] for row in thick] == sorted(row["eta1"] for row in thick), thick
    assert never_rises([row["evaluations"] for row in thick]) and never_rises([row["deepest"] for row in thick]), thick
    curves = result["thesis_6_9_curves"]
    for key in curves[0]:
        assert never_rises([-row[key] for row in curves]), key
    assert len(curves[0]) == 1 + len(thick) and curves[-1]["time"] == 1.15, curves[-1]


def check_thesis_detection(result):
    broad = result["thesis_7_1"]
    examples = {row["example"] for row in broad}
    assert len(examples) == 5 and examples == {row["example"] for row in result["thesis_8_1"]}, examples
    plain = {row["example"]: row for row in broad if row["broad_phase"] == "18-DOPs"}
    assert plain.keys() == examples and [row["relative"] for row in plain.values()].count(1) == 4, plain
    boxes = [row for row in broad if row["broad_phase"] == "AABBs" and row["thesis_relative"] is not None]
    assert len(boxes) == 5 and abs(boxes[0]["thesis_relative"] - 96.062 / 66.43) < 1e-9, boxes
    planar = [row for row in broad if row["broad_phase"] == "8-DOPs, in a plane"]
    assert len(planar) == 1 and planar[0]["example"] == "Box of Balls" and planar[0]["relative"] == 1, planar
    spheres = [row for row in broad if row["broad_phase"] == "spheres"]
    assert len(spheres) == 5 and all(row["queue"] > plain[row["example"]]["queue"] for row in spheres), spheres
    assert abs(plain["Reef Knot"]["thesis_seconds"] - 44.678 * 3600 / 5.4) < 1e-6, plain
    cones = [row for row in result["thesis_8_1"] if row["option"] == "velocity cones" and row["example"] == "Bowline"]
    assert len(cones) == 1 and abs(cones[0]["thesis_faster"] - 86.578 / 44.793) < 1e-9, cones
    axes = {(row["example"], row["order"]): row for row in result["thesis_8_2"]}
    assert len(axes) == 10, axes
    for (example, order), row in axes.items():
        assert abs(sum(row[f"at_{k}"] for k in range(1, 10)) - 100) < 1e-6, row
        assert order == "fixed" or row["mean"] < axes[example, "fixed"]["mean"], (row, axes[example, "fixed"])
    losses = result["thesis_8_3"]
    none, most = losses[0], next(row for row in losses if row["quality_loss"] == 0.7)
    assert none["quality_loss"] == 0 and never_rises([-row["failed"] for row in losses]), losses
    assert most["asked"] < none["asked"] and most["reschedules_per_force_event"] < none["reschedules_per_force_event"], losses
    for row in result["thesis_8_4"]:
        assert row["baseline"] > 1 and 0 <= row["tubes"] < row["velocity_cones"] < 100, row
    for row in result["thesis_8_5"]:
        assert row["primitives"] >= row["triangles"] > 10 * row["tubes"] > 0, row
    assert row["primitives"] > row["triangles"] and result["thesis_8_5_of"]["less"] > 0, row


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


for check in (check_json, check_text, check_broad, check_knot, check_scaling, check_fall, check_thesis, check_refusals):
    check()
    print(f"{check.__name__}: passed", flush=True)

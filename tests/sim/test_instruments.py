"""What frames tell of ends, ribbons and layers. Run as test_instruments.py PATH/TO/cinch; needs h5py."""

import json
import os
import subprocess
import sys
import tempfile

try:
    import h5py
except ImportError:
    print("skipped: no Python module h5py")
    sys.exit(77)

CINCH = os.path.abspath(sys.argv[1])
failures = 0

# A ribbon that hangs by its start with a load at its end, and one that comes to lie on the floor.
SCENE = {
    "units": "cgs",
    "materials": {"satin": {"stretch_stiffness": 2000, "bend_stiffness": 1, "density": 0.1, "stretch_damping": 0.001, "mass_damping": 20}},
    "meshes": [
        {"name": "hanging", "generate": "ribbon", "path": [[0, 10, 0], [0, 4, 0]], "width": 1, "cells_across": 2, "cell_length": 0.5,
         "material": "satin"},
        {"name": "lying", "generate": "ribbon", "path": [[3, 0.15, 0], [8, 0.15, 0]], "width": 1, "cells_across": 2, "cell_length": 0.5,
         "normal": [0, 1, 0], "material": "satin"},
        {"name": "floor", "generate": "sheet", "size": [40, 40], "cells": [1, 1], "material": "satin", "pinned": True,
         "rotate": [{"axis": [1, 0, 0], "angle": -90}]}],
    "pins": ["hanging.start"],
    "loads": [{"force": [0, -500, 0], "set": "hanging.end"}],
    "contact": {"eta1": 0.1, "r1": 1000, "restitution": 0},
    "time": {"end": 1, "frame": 0.5, "load_step": 1e-4}}


def expect(what, good, detail=""):
    global failures
    print(f"[{'ok' if good else 'FAIL'}] {what}{'' if good else ': ' + str(detail)}")
    failures += not good


with tempfile.TemporaryDirectory(prefix="cinch-instruments-") as directory:
    os.chdir(directory)
    with open("scene.json", "w") as file:
        json.dump(SCENE, file)
    subprocess.run([CINCH, "run", "-q", "scene.json", "-o", "run.h5", "--threads", "1"], check=True, timeout=300)
    with h5py.File("run.h5") as archive:
        fields = {name: archive["fields"][name] for name in archive["fields"]}
        about = fields["tension"].attrs["about"]
        about = about.decode() if isinstance(about, bytes) else about
        expect("ends go by their names", about.endswith(": hanging.start, hanging.end"), about)
        start, end = fields["tension"][-1]
        weight = 0.1 * 6 * 980.665
        # A cell at each end, whose weight is in part below or above the row of the end.
        expect("the pin carries load and ribbon", abs(start[1] + 500 + weight) < 0.06 * weight, start)
        expect("the end is pulled by the load", abs(end[1] - 500) < 0.06 * weight, end)
        expect("what hangs is in no knot, what lies is from end to end", list(fields["in_knot"][-1].ravel()) == [0.0, 5.0], fields["in_knot"][-1])
        expect("nothing is in contact at first", (fields["in_knot"][0] == 0.0).all())
        first = fields["layers"][-1][0]
        free = 13 * 3 - 3 + 11 * 3
        expect("the first layer has every vertex that lies", first[0] == 1 and abs(first[1] - 33 / free) < 1e-6, first)
        expect("and as many pairs as are in contact", first[2] == fields["touching"][-1], first)
        rows = fields["layers"][-1]
        shares = [row[1] for row in rows if row[0] == row[0]]
        expect("shares fall with depth", shares == sorted(shares, reverse=True) and len(shares) < len(rows), shares)
sys.exit(1 if failures else 0)

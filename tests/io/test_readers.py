"""Other programs read what cinch writes, and the documents name everything that there is.

The Python reader of docs/archive-format.md is run as it stands there; the XDMF sidecar is opened with ParaView's own
reader; every column of the ledger is in docs/archive-format.md and every key of a scene in docs/scene-format.md. Run as
test_readers.py PATH/TO/cinch REPOSITORY. A part whose library is missing is skipped with a message; without h5py the
exit status is 77.
"""

import glob
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile

CINCH, ROOT = (os.path.abspath(argument) for argument in sys.argv[1:3])
TIMEOUT = 120  # seconds for one call
FRAMES, VERTICES, TRIANGLES, LINKS, PARTICLES = 5, 7 * 7 + 4 + 2, 2 * 6 * 6, 3, 2
SCENE = {
    "units": "si",
    "time": {"end": 0.04, "frame": 0.01},
    "materials": {
        "cotton": {"stretch_stiffness": 100, "bend_stiffness": 1e-4, "density": 0.1, "line_density": 0.1,
                   "particle_mass": 0.1},
    },
    "meshes": [
        {"name": "cloth", "generate": "sheet", "size": [1, 1], "cells": [6, 6], "material": "cotton"},
        {"name": "thread", "generate": "chain", "from": [2, 0, 0], "to": [3, 0, 0], "links": LINKS,
         "material": "cotton"},
        {"name": "dust", "generate": "particles", "positions": [[4, 0, 0], [4, 1, 0]], "material": "cotton"},
    ],
    "sets": {"corner": {"body": "cloth", "indices": [0]}},
    "pins": ["corner"],
}


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def require(condition, message):
    if not condition:
        raise Failed(message)


def read_text(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def import_first(*names):
    for name in names:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise Skipped(f"no Python module {' or '.join(names)}")


def call(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=TIMEOUT, encoding="utf-8")
    require(done.returncode == 0, f"{command[:2]}: exit status {done.returncode}: {done.stderr}")
    return done.stdout


def write_archive(directory):
    scene, archive = os.path.join(directory, "scene.json"), os.path.join(directory, "run.h5")
    with open(scene, "w", encoding="utf-8") as file:
        json.dump(SCENE, file)
    call(CINCH, "run", "--quiet", "--output", archive, scene)
    return archive


def check_reader(archive):
    """The reader in the document prints what the archive holds."""
    import h5py
    blocks = re.findall(r"^```python\n(.*?)^```$", read_text("docs", "archive-format.md"), re.DOTALL | re.MULTILINE)
    require(len(blocks) == 2, f"docs/archive-format.md: expected the readers of archives and of logs, found {len(blocks)}")
    script = os.path.join(os.path.dirname(archive), "reader.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(blocks[0])
    printed = call(sys.executable, script, archive).split()
    with h5py.File(archive, "r") as file:
        columns = [name.decode() for name in file["ledger/column"]]
        total = file["ledger/values"][-1, columns.index("total")]
    require(len(printed) == 4, f"the reader printed {printed}")
    require(int(printed[0]) == FRAMES, f"the reader found {printed[0]} frames instead of {FRAMES}")
    require(int(printed[1]) == VERTICES, f"the reader found {printed[1]} vertices instead of {VERTICES}")
    require(float(printed[2]) == total, f"the reader found the energy {printed[2]} instead of {total!r}")
    require(printed[3] == "J", f"the reader found the unit {printed[3]} instead of J")


def same_bits(vtk_array, expected):
    numpy_support = import_first("vtkmodules.util.numpy_support", "paraview.vtk.util.numpy_support")
    values = numpy_support.vtk_to_numpy(vtk_array)
    return values.dtype == expected.dtype and values.shape == expected.shape and values.tobytes() == expected.tobytes()


def grid_cells(grid):
    return [[grid.GetCell(i).GetPointId(k) for k in range(grid.GetCell(i).GetNumberOfPoints())]
            for i in range(grid.GetNumberOfCells())]


def check_step(output, file, frame):
    kinds = [("triangle", TRIANGLES, 3), ("edge", LINKS, 2), ("particle", PARTICLES, 1)]
    require(output.GetNumberOfBlocks() == len(kinds), f"frame {frame}: {output.GetNumberOfBlocks()} grids")
    for block, (name, count, corners) in enumerate(kinds):
        grid, where = output.GetBlock(block), f"frame {frame}, grid {name}"
        require(grid is not None, f"{where}: not read")
        require(grid.GetNumberOfPoints() == VERTICES, f"{where}: {grid.GetNumberOfPoints()} points")
        require(grid.GetNumberOfCells() == count, f"{where}: {grid.GetNumberOfCells()} cells")
        require(grid_cells(grid) == file["topology"][name][:].reshape(-1, corners).tolist(), f"{where}: other cells")
        require(same_bits(grid.GetPoints().GetData(), file["motion/position"][frame]), f"{where}: other positions")
        velocity = grid.GetPointData().GetArray("velocity")
        require(velocity is not None, f"{where}: no velocities")
        require(same_bits(velocity, file["motion/velocity"][frame]), f"{where}: other velocities")


def check_sidecar(archive):
    """ParaView's reader finds the frames in the sidecar, bit for bit, and complains of nothing."""
    import h5py
    xdmf = import_first("paraview.vtk.vtkIOXdmf2", "vtkmodules.vtkIOXdmf2")
    model = import_first("paraview.vtk.vtkCommonExecutionModel", "vtkmodules.vtkCommonExecutionModel")
    reader = xdmf.vtkXdmfReader()
    complaints = []
    reader.AddObserver("ErrorEvent", lambda *_: complaints.append("error"))
    reader.AddObserver("WarningEvent", lambda *_: complaints.append("warning"))
    reader.SetFileName(os.path.splitext(archive)[0] + ".xdmf")
    reader.UpdateInformation()
    times = reader.GetOutputInformation(0).Get(model.vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    with h5py.File(archive, "r") as file:
        expected = tuple(file["motion/time"][:])
        require(len(expected) == FRAMES, f"the archive has {len(expected)} frames instead of {FRAMES}")
        require(times == expected, f"the sidecar has the times {times} instead of {expected}")
        for frame in [*range(FRAMES), 1]:  # going back must not show what was read last
            reader.UpdateTimeStep(times[frame])
            check_step(reader.GetOutputDataObject(0), file, frame)
    require(not complaints, f"ParaView's reader told of {len(complaints)} errors or warnings")


def check_ledger_document(archive):
    """Every column of the ledger is explained."""
    import h5py
    source = set(re.findall(r'\[LEDGER_\w+(?: \+ \d)?\] = \{"(\w+)"', read_text("src", "sim", "ledger.c")))
    with h5py.File(archive, "r") as file:
        written = {name.decode() for name in file["ledger/column"]}
    require(source == written, f"src/sim/ledger.c and the archive differ in {sorted(source ^ written)}")
    document = read_text("docs", "archive-format.md")
    missing = sorted(name for name in source if f"`{name}`" not in document)
    require(not missing, f"docs/archive-format.md: no word of the columns {missing}")


def check_field_document(archive):
    """Every field of frames is explained."""
    import h5py
    with h5py.File(archive, "r") as file:
        written = set(file["fields"])
        require(written == {"events", "wall_seconds", "tension"}, f"without contact the archive has the fields {sorted(written)}")
    source = set(re.findall(r'^    \{"(\w+)", UNIT_', read_text("src", "sim", "instrument.c"), re.MULTILINE))
    require(written < source, f"src/sim/instrument.c has the fields {sorted(source)}")
    document = read_text("docs", "archive-format.md")
    missing = sorted(name for name in source if f"| `{name}` |" not in document)
    require(not missing, f"docs/archive-format.md: no word of the fields {missing}")


def scene_keys():
    """What stands behind the reader in calls such as reader_number(reader, "young", ...)."""
    keys = set()
    for path in glob.glob(os.path.join(ROOT, "src", "scene", "*.c")):
        if os.path.basename(path) != "reader.c":
            keys.update(re.findall(r'\b(?:reader|generate_grid)_\w+\(\s*\w+,\s*"(\w+)"', read_text(path)))
    return keys


def check_scene_document(archive):
    """Every key of a scene is explained."""
    del archive
    if not os.path.exists(os.path.join(ROOT, "docs", "scene-format.md")):
        raise Skipped("no docs/scene-format.md")
    keys = scene_keys()
    require(len(keys) > 50, f"only {len(keys)} keys found in src/scene: are they read in another way now?")
    document = read_text("docs", "scene-format.md")
    missing = sorted(key for key in keys if f"| `{key}` |" not in document)
    require(not missing, f"docs/scene-format.md: no word of the keys {missing}")


def main():
    try:
        importlib.import_module("h5py")
    except ImportError:
        print("skipped: no Python module h5py")
        return 77
    failures = 0
    with tempfile.TemporaryDirectory() as directory:
        archive = write_archive(directory)
        for check in (check_reader, check_sidecar, check_ledger_document, check_field_document, check_scene_document):
            try:
                check(archive)
                print(f"passed: {check.__name__}")
            except Skipped as reason:
                print(f"skipped: {check.__name__}: {reason}")
            except Failed as reason:
                failures += 1
                print(f"failed: {check.__name__}: {reason}")
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as reason:
        print(f"failed: {reason}")
        sys.exit(1)

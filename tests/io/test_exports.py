"""What `cinch export` writes is read back by programs that are not ours, at three times, with the counts and positions of the archive.

VTK reads PLY, VTP, OBJ and glTF, meshio reads PLY, Blender reads OBJ with PC2, PLY and glTF as an artist would; PC2 is read here byte
by byte, and USD by a strict parser of its text (support/usda.py). What is not installed is skipped with a message; without h5py the
exit status is 77. Run as test_exports.py PATH/TO/cinch ROOT.
"""

import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import usda  # noqa: E402
from looking import FRAMES, call, finish, require, write_archive  # noqa: E402

TIMES = (0, 7, FRAMES - 1)
QUADS = 5  # of the cube that comes from a file


def import_or_skip(what, *names):
    import importlib
    try:
        return [importlib.import_module(name) for name in names]
    except ImportError:
        print(f"skipped: {what}, as there is no Python module {names[0]}")
        return None


class Run:
    """What the archive holds."""

    def __init__(self, path):
        import h5py
        self.path = path
        with h5py.File(path, "r") as file:
            self.position = file["motion/position"][:]
            self.velocity = file["motion/velocity"][:]
            self.time = file["motion/time"][:]
            self.layer = file["fields/layer"][:]
            self.triangle = file["topology/triangle"][:]
            self.ledger = file["ledger/values"][:]
            self.bodies = {row["name"].decode(): row for row in file["topology/bodies"][:]}

    def of(self, name, frame, values=None):
        body = self.bodies[name]
        first = body["first_vertex"]
        return (self.position if values is None else values)[frame][first:first + body["n_vertices"]]


def near(found, expected, tolerance):
    """Whether two lists of rows are alike."""
    return len(found) == len(expected) and all(
        abs(a - b) <= tolerance for one, other in zip(found, expected) for a, b in zip(one, other))


def alike(found, expected, tolerance):
    """The same places, in any order, any of them more than once."""
    def holds(some, others):
        return all(min(math.dist(place, other) for other in others) <= tolerance for place in some)
    return holds(found, expected) and holds(expected, found)


def export(run, form, *options):
    path = os.path.join(os.path.dirname(run.path), form + "-" + str(abs(hash(options)) % 10000))
    path += {"usd": ".usda", "gltf": ".glb", "csv": ".csv"}.get(form, "")
    return path, call("export", run.path, "--format", form, "-o", path, *options)


def check_vtk(run):
    modules = import_or_skip("VTK", "vtkmodules.vtkIOXML", "vtkmodules.vtkIOPLY", "vtkmodules.vtkIOGeometry",
                             "vtkmodules.util.numpy_support")
    if modules is None:
        return
    xml, ply, geometry, support = modules
    import_or_skip("VTK", "vtkmodules.vtkCommonCore")[0].vtkObject.GlobalWarningDisplayOff()  # it knows textures of triangles only
    vtp, told = export(run, "vtp", "--velocities", "--fields", "layer")
    require("they have seams" in told, f"nothing is said of texture coordinates that VTK cannot hold: {told}")
    folders = {"vtp": (vtp, xml.vtkXMLPolyDataReader), "ply": (export(run, "ply", "--velocities")[0], ply.vtkPLYReader),
               "obj": (export(run, "obj", "--bodies", "ball,sheet")[0], geometry.vtkOBJReader)}
    for form, (folder, make) in folders.items():
        for frame in TIMES:
            reader = make()
            reader.SetFileName(f"{folder}/frame{frame:05}.{form}")
            if form == "ply":
                reader.SetDuplicatePointsForFaceTexture(False)
            reader.Update()
            data = reader.GetOutput()
            found = support.vtk_to_numpy(data.GetPoints().GetData())
            where = f"{form}, frame {frame}"
            expected = run.position[frame][:len(found) if form == "obj" else None]  # it has the first two bodies
            require(near(found, expected, 0 if form == "vtp" else 1e-6), f"{where}: positions")
            sizes = [data.GetCell(i).GetNumberOfPoints() for i in range(data.GetNumberOfCells())]
            require(sizes.count(4) == (0 if form == "obj" else QUADS), f"{where}: {sizes.count(4)} quads")
            require(sizes.count(3) == len(run.triangle) - 2 * QUADS, f"{where}: {sizes.count(3)} triangles")
            if form == "vtp":
                check_vtp(run, data, frame, support)
    with open(os.path.join(vtp, "frames.pvd"), encoding="utf-8") as file:
        steps = re.findall(r'timestep="([^"]*)".*?file="([^"]*)"', file.read())
    require([float(time) for time, _ in steps] == run.time.tolist(), "frames.pvd has other times")
    require(all(os.path.exists(os.path.join(vtp, name)) for _, name in steps), "frames.pvd names files that are not there")
    check_gltf_with_vtk(run, geometry, support)


def check_vtp(run, data, frame, support):
    points = data.GetPointData()
    require(near(support.vtk_to_numpy(points.GetArray("velocity")), run.velocity[frame], 0), f"vtp, frame {frame}: velocities")
    layers = support.vtk_to_numpy(points.GetArray("layer"))
    require(layers.tolist() == run.layer[frame].tolist(), f"vtp, frame {frame}: layers")
    time = data.GetFieldData().GetArray("TimeValue").GetValue(0)
    require(time == run.time[frame], f"vtp, frame {frame}: the time is {time}")
    bodies = support.vtk_to_numpy(data.GetCellData().GetArray("body")).tolist()
    require(bodies.count(3) == 1 and bodies.count(2) == 6 and bodies.count(4) == QUADS, f"vtp: bodies of cells {set(bodies)}")
    groups = support.vtk_to_numpy(data.GetCellData().GetArray("group")).tolist()
    require(groups[-QUADS:] == [0, 1, 1, 1, 1] and set(groups[:-QUADS]) == {-1}, f"vtp: groups of cells {groups[-QUADS:]}")


def leaves(data):
    iterator = data.NewIterator()
    while not iterator.IsDoneWithTraversal():
        yield iterator.GetCurrentDataObject()
        iterator.GoToNextItem()


def check_gltf_with_vtk(run, geometry, support):
    path, _ = export(run, "gltf", "--bodies", "sheet")
    for frame in TIMES:
        reader = geometry.vtkGLTFReader()
        reader.SetFileName(path)
        reader.UpdateInformation()
        require(abs(reader.GetAnimationDuration(0) - run.time[-1]) < 1e-6, "gltf: the animation has another length")
        reader.EnableAnimation(0)
        reader.ApplyDeformationsToGeometryOn()
        reader.SetFrameRate(1000)
        reader.UpdateInformation()
        reader.GetOutputInformation(0).Set(
            import_or_skip("VTK", "vtkmodules.vtkCommonExecutionModel")[0].vtkStreamingDemandDrivenPipeline.UPDATE_TIME_STEP(),
            float(run.time[frame]))
        reader.Update()
        found = [row for leaf in leaves(reader.GetOutput()) for row in support.vtk_to_numpy(leaf.GetPoints().GetData())]
        require(near(found, run.of("sheet", frame), 1e-4), f"gltf read by VTK, frame {frame}: positions")


def check_meshio(run):
    modules = import_or_skip("meshio", "meshio")
    if modules is None:
        return
    folder, _ = export(run, "ply", "--bodies", "sheet", "--velocities", "--fields", "speed,strain")
    for frame in TIMES:
        mesh = modules[0].read(f"{folder}/frame{frame:05}.ply")
        require(near(mesh.points, run.of("sheet", frame), 0), f"ply read by meshio, frame {frame}: positions")
        require(len(mesh.cells[0].data) == 2 * 6 * 6, "ply read by meshio: triangles")
        found = zip(*(mesh.point_data[name] for name in ("vx", "vy", "vz")))
        require(near(list(found), run.of("sheet", frame, run.velocity), 0), f"ply read by meshio, frame {frame}: velocities")
        speed = [math.hypot(*row) for row in run.of("sheet", frame, run.velocity)]
        require(all(abs(a - b) < 1e-12 for a, b in zip(mesh.point_data["speed"], speed)), "ply read by meshio: speeds")


def check_pc2(run):
    folder, _ = export(run, "pc2")
    for name, body in run.bodies.items():
        with open(f"{folder}/{name}.pc2", "rb") as file:
            data = file.read()
        magic, version, points, start, rate, samples = struct.unpack("<12siiffi", data[:32])
        require((magic, version, points, start, rate, samples) == (b"POINTCACHE2\0", 1, body["n_vertices"], 0, 1, FRAMES),
                f"{name}.pc2: the head is {struct.unpack('<12siiffi', data[:32])}")
        require(len(data) == 32 + 12 * points * samples, f"{name}.pc2 has {len(data)} bytes")
        for frame in TIMES:
            found = list(struct.iter_unpack("<3f", data[32 + 12 * points * frame:32 + 12 * points * (frame + 1)]))
            require(near(found, run.of(name, frame), 1e-6), f"{name}.pc2, frame {frame}: positions")


def check_usd(run):
    path, _ = export(run, "usd", "--velocities", "--fields", "layer")
    with open(path, encoding="utf-8") as file:
        stage = usda.parse(file.read())
    facts = {"metersPerUnit": 1, "upAxis": "Y", "timeCodesPerSecond": 50, "startTimeCode": 0, "endTimeCode": FRAMES - 1,
             "defaultPrim": "run"}
    require({key: stage.metadata.get(key) for key in facts} == facts, f"usd: the stage says {stage.metadata}")
    prims = {prim.name: prim for prim in stage.prims[0].prims}
    require({name: prim.schema for name, prim in prims.items()} ==
            {"ball": "Mesh", "sheet": "Mesh", "line": "BasisCurves", "dust": "Points", "cube": "Mesh"}, f"usd: prims {prims}")
    for name in ("ball", "sheet", "dust", "cube"):
        points, velocities = (prims[name].samples[key] for key in ("points", "velocities"))
        require(sorted(points) == list(range(FRAMES)), f"usd, {name}: samples at {sorted(points)}")
        for frame in TIMES:
            require(near(points[frame], run.of(name, frame), 1e-6), f"usd, {name}, frame {frame}: positions")
            require(near(velocities[frame], run.of(name, frame, run.velocity), 1e-5), f"usd, {name}, frame {frame}: velocities")
            low, high = prims[name].samples["extent"][frame]
            require(all(low[c] == min(p[c] for p in points[frame]) and high[c] == max(p[c] for p in points[frame])
                        for c in range(3)), f"usd, {name}, frame {frame}: extent")
    require(prims["sheet"].samples["primvars:layer"][12] == run.of("sheet", 12, run.layer).tolist(), "usd: layers")
    require(len(prims["line"].samples["points"][3]) == 12, "usd: the points of six loose edges")
    cube = prims["cube"].values
    require(cube["faceVertexCounts"] == [4] * QUADS and len(cube["faceVertexIndices"]) == 4 * QUADS, "usd: quads")
    require(cube["primvars:st"][:4] == [(0, 0), (0, 1), (1, 1), (1, 0)] and len(cube["primvars:st"]) == 4 * QUADS, "usd: st")
    subsets = {prim.values["cinch:group"]: prim.values["indices"] for prim in prims["cube"].prims}
    require(subsets == {"base": [0], "walls": [1, 2, 3, 4]}, f"usd: groups {subsets}")


def check_obj(run):
    """Faces are those of the file that the cube came from."""
    folder, _ = export(run, "obj", "--bodies", "cube", "--from", "0.1", "--to", "0.2")
    require(len(os.listdir(folder)) == 6, "obj: from 0.1 to 0.2 s there are six frames")
    with open(f"{folder}/frame00000.obj", encoding="utf-8") as file:
        lines = file.read().splitlines()
    faces = [line for line in lines if line[0] in "fg"]
    require(faces == ["g base", "f 1/1 4/4 3/3 2/2", "g walls", "f 1/1 2/2 6/3 5/4", "f 2/1 3/2 7/3 6/5", "f 3 4 8 7",
                      "f 4/1 1/2 5/3 8/4"], f"obj: the faces of the cube are {faces}")
    places = [[float(word) for word in line.split()[1:]] for line in lines if line.startswith("v ")]
    require(near(places, run.of("cube", 5), 0), "obj: the cube's positions are not those of its file's frame, bit for bit")
    require(sum(line.startswith("vt ") for line in lines) == 5, "obj: texture coordinates")


def check_rates(run):
    """Between frames there is a line, and that is said."""
    folder, told = export(run, "ply", "--bodies", "sheet", "--fps", "100", "--to", "0.1")
    require("interpolated linearly" in told and len(os.listdir(folder)) == 11, f"ply at 100 frames per second: {told}")
    path, _ = export(run, "usd", "--bodies", "sheet", "--fps", "100", "--to", "0.1")
    with open(path, encoding="utf-8") as file:
        stage = usda.parse(file.read())
    require(stage.metadata["timeCodesPerSecond"] == 100, "usd: the rate that was asked for")
    middle = stage.prims[0].prims[0].samples["points"][5]
    expected = (run.of("sheet", 2) + run.of("sheet", 3)) / 2
    require(near(middle, expected, 1e-6), "usd: between frames there is no line")
    _, told = export(run, "ply", "--bodies", "sheet", "--every", "5")
    require("interpolated" not in told and "4 frames" in told, f"every fifth frame: {told}")
    path, told = export(run, "csv", "--from", "0.1", "--to", "0.14")
    with open(path, encoding="utf-8") as file:
        rows = [line.split(",") for line in file.read().splitlines()]
    require(len(rows) == 4 and [float(cell) for cell in rows[1][:run.ledger.shape[1]]] == run.ledger[5].tolist(), "csv: rows")
    require("smallest_gap [m]" in rows[0], f"csv: {rows[0]}")
    require(all(len(row) == len(rows[0]) for row in rows) and not any(name.startswith("pairs") for name in rows[0]), "csv: columns")
    third = [float(row[rows[0].index("layers 1 3")]) for row in rows[1:]]
    touching = [float(row[rows[0].index("touching")]) for row in rows[1:]]
    require(all(a == b or (a != a and b == 0) for a, b in zip(third, touching)), f"csv: pairs in layer 1 {third} of {touching}")


def check_messages(run):
    for words, *options in (("expected obj, ply", "-f", "stl"), ("has no such field", "-f", "ply", "--fields", "mood"),
                            ("cannot hold velocities", "-f", "gltf", "--velocities"), ("--fps is not for it", "-f", "csv", "--fps", "9"),
                            ("there is no body", "-f", "usd", "--bodies", "shirt")):
        told = call("export", run.path, *options, "-o", run.path + ".none", status=2)
        require(words in told and told.count("\n") == 1, f"{options}: {told}")
        require(not os.path.exists(run.path + ".none"), f"{options}: something was written")


def check_blender(run):
    """As an artist would: an import of each, then the mesh at three frames."""
    if shutil.which("blender") is None:
        print("skipped: Blender, as it is not installed")
        return
    folder = os.path.dirname(run.path)
    task = {"frames": TIMES, "pc2": export(run, "pc2")[0], "gltf": export(run, "gltf")[0], "ply": export(run, "ply")[0],
            "obj": export(run, "obj")[0]}
    done = subprocess.run(["blender", "-b", "--factory-startup", "--python-exit-code", "3", "--python",
                           os.path.join(HERE, "blender_read.py"), "--", json.dumps(task)], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8", timeout=300)
    told = re.search(r"^READ (.*)$", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not told:
        require(False, f"Blender: {done.stdout[-3000:]}")
        return
    read = json.loads(told[1])
    for k, frame in enumerate(TIMES):
        turned = [(x, -z, y) for x, y, z in run.position[frame]]  # Blender's z is up
        require(near(read["ply"][k], run.position[frame], 1e-6), f"ply read by Blender, frame {frame}: positions")
        bodies = {name: places for name, places in read["obj"][k].items()}
        for name in ("sheet", "ball", "line", "cube"):
            require(near(bodies.get(name, []), run.of(name, frame), 1e-6), f"obj read by Blender, {name}, frame {frame}: positions")
        for name in ("sheet", "ball", "cube"):
            expected = run.of(name, frame)
            require(near(read["pc2"][name][k], expected, 1e-5), f"pc2 read by Blender, {name}, frame {frame}: positions")
        for name, body in run.bodies.items():
            first = body["first_vertex"]
            expected = turned[first:first + body["n_vertices"]]
            found = read["gltf"][name][k]
            require(alike(found, expected, 1e-5), f"gltf read by Blender, {name}, frame {frame}: positions")
            require(name == "cube" or len(found) == len(expected), f"gltf read by Blender: {name} has {len(found)} vertices")
    require(read["quads"] == QUADS, f"the OBJ of the cube has {read['quads']} quads in Blender")
    require(read["st"] == 2, f"textures: {read['st']} of two imports have texture coordinates")


try:
    import h5py  # noqa: F401
except ImportError:
    print("skipped: there is no h5py")
    sys.exit(77)
with tempfile.TemporaryDirectory(prefix="cinch-exports-") as directory:
    archive = Run(write_archive(directory))
    for check in (check_obj, check_pc2, check_usd, check_rates, check_messages, check_vtk, check_meshio, check_blender):
        check(archive)
finish()

"""The command line against wrong input, and what it must do when the input is right.

Every wrong call ends with the right exit status and exactly one line on standard error that begins with "cinch: " and
names the file and the key or element; nothing stands under the name of the output, nor under its temporary name. Run as
test_bad_input.py PATH/TO/cinch.
"""

import copy
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import time

from harness import CINCH, TIMEOUT, Skipped, call, check, describe, require, run_checks, succeed

SHEET = {
    "units": "si",
    "time": {"end": 0.02, "frame": 0.01},
    "materials": {"cotton": {"stretch_stiffness": 100, "bend_stiffness": 1e-4, "density": 0.1}},
    "meshes": [{"name": "cloth", "generate": "sheet", "size": [1, 1], "cells": [3, 3], "material": "cotton"}],
}
TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
RIBBON = {"name": "cloth", "generate": "ribbon", "path": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], "width": 0.1,
          "cell_length": 0.2, "material": "cotton"}
FOREVER = ["--set", "time.end=1e6", "--set", "time.frame=1"]

def refuse(status, parts, *arguments, **options):
    """The call must end with this status, say one line that holds all parts, and leave no new file behind."""
    before = sorted(os.listdir("."))
    done = call(*arguments, **options)
    require(done.returncode == status, f"expected status {status}: {describe(done)}")
    lines = done.err.splitlines()
    require(len(lines) == 1 and done.err.endswith("\n") and lines[0].startswith("cinch: "),
            f"expected one line on standard error: {describe(done)}")
    for part in parts:
        require(part in lines[0], f"expected {part!r} in the message: {describe(done)}")
    require("assertion" not in lines[0] and "(null)" not in lines[0], describe(done))
    after = sorted(os.listdir("."))
    require(after == before, f"files before: {before}, after: {after}")
    return lines[0]


def write(name, text):
    with open(name, "wb" if isinstance(text, bytes) else "w") as file:
        file.write(text)


def write_scene(name="scene.json", scene=SHEET):
    write(name, json.dumps(scene))


def changed(path, value, scene=SHEET):
    """A copy of the scene with the value at path (keys and numbers); Ellipsis removes the key."""
    scene = copy.deepcopy(scene)
    at = scene
    for step in path[:-1]:
        at = at[step]
    if value is Ellipsis:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return scene


def with_mesh(**mesh):
    """The sheet's scene with another body in its place."""
    return changed(["meshes"], [{"name": "cloth", "material": "cotton", **mesh}])


def refuse_scene(scene, *parts):
    """Every message about a scene names it first."""
    write_scene(scene=scene)
    refuse(2, ["cinch: scene.json: ", *parts], "run", "scene.json", "-o", "out.h5")


def refuse_text(text, *parts):
    write("scene.json", text)
    refuse(2, ["cinch: scene.json", *parts], "run", "scene.json", "-o", "out.h5")


# Scene files


@check
def scene_that_cannot_be_read():
    os.mkdir("folder")
    write("file", "x")
    os.mkfifo("pipe")
    for name, reason in (("missing.json", "no such file"), ("folder", "it is a directory"), ("file/scene.json", ""),
                         ("no/such/scene.json", "no such file"), ("pipe", "not a regular file"),
                         ("/dev/zero", "not a regular file")):
        refuse(2, [f"cinch: {name}: ", reason], "run", name, "-o", "out.h5")


@check
def scene_that_is_not_json():
    good = json.dumps(SHEET)
    for text, *parts in (
            ("", "scene.json:1:1: ", "the text ends"),
            ("  \n // nothing but a comment\n", "scene.json:3:1: "),
            ("[]", "expected one JSON object"),
            ("7", "expected one JSON object"),
            ("{\n  \"units\": si\n}", "scene.json:2:12: ", "'si'"),
            ("{\n\n\"a\" 1}", "scene.json:3:5: ", "':'"),
            ("{\"a\": [1, 2\n}", "scene.json:2:1: ", "',' or ']'"),
            ("{\"a\": [1, 2,]}", "scene.json:1:13: "),
            ("{\"a\": 1,}", "scene.json:1:9: ", "a key in quotes"),
            ("{a: 1}", "scene.json:1:2: "),
            ("{\"a\": 'x}", "scene.json:1:7: ", "not closed"),
            ("{\"a\": 'x\\'y'}", "scene.json:1:9: ", "single quotes"),
            ("{\"a\": \"x\n\"}", "scene.json:1:7: ", "not closed"),
            ("{\"a\": \"\\q\"}", "scene.json:1:8: "),
            ("{\"a\": /* x }", "scene.json:1:7: ", "comment"),
            (good + " x", "'x'"),
            (good + good, "the end of the text"),
            (good[:-1], "the text ends"),
            ("{\"a\": " + "[" * 100000, "nested"),
            ("{\"b\": \"" + "]" * 100000 + "\", \"a\": " + "[" * 100000, "nested"),
            (b"{\"title\": \"\xff\xfe\"}", "UTF-8"),
            (b"\x00\x01\x02", "UTF-8"),
            (b"{\"title\": \"a\\u0000b\"}", "NUL"),
    ):
        refuse_text(text, *parts)


@check
def numbers_that_json_does_not_have():
    for number in ("NaN", "Infinity", "-Infinity", "nan", "1e999", "-1e999", "010", "0x10", "+1", ".5", "5.", "1e",
                   "1_000", "99999999999999999999"):
        text = json.dumps(SHEET).replace("0.02", number)
        refuse_text(text, "scene.json:1:%d: " % (text.index(number) + 1))


@check
def unknown_keys():
    for path, value, *parts in (
            (["untis"], "si", "untis: ", "did you mean \"units\"?"),
            (["time", "ende"], 1, "time.ende: ", "did you mean \"end\"?"),
            (["materials", "cotton", "densty"], 1, "materials.cotton.densty: ", "did you mean \"density\"?"),
            (["meshes", 0, "cell"], [1, 1], "meshes[0].cell: ", "did you mean \"cells\"?"),
            (["meshes", 0, "qqqqqqqq"], 1, "meshes[0].qqqqqqqq: ", "known here: ", "cells"),
            (["meshes", 0, "rotate"], [{"axis": [0, 0, 1], "angle": 1, "agnle": 2}], "meshes[0].rotate[0].agnle: ",
             "did you mean \"angle\"?"),
            (["sets"], {"a": {"body": "cloth", "indices": [0], "bod": 1}}, "sets.a.bod: ", "did you mean \"body\"?"),
            (["loads"], [{"wind": [1, 0, 0], "darg": 1}], "loads[0].darg: ", "did you mean \"drag\"?"),
            (["loads"], [{"pressure": 1, "profile": {"times": [0], "factors": [0], "smooth": True}}],
             "loads[0].profile.smooth: "),
            (["scripts"], [{"set": "cloth.top", "keyframes": [{"time": 1, "translat": [0, 0, 1]}]}],
             "scripts[0].keyframes[0].translat: ", "did you mean \"translate\"?"),
            (["title\nwith\x1b[31m"], 1, "title?with?"),
    ):
        refuse_scene(changed(path, value), *parts)


@check
def wrong_types():
    for path, value, *parts in (
            (["title"], 7, "title: expected a string, got 7"),
            (["units"], "imperial", "units: expected one of \"si\", \"cgs\", got \"imperial\""),
            (["units"], 1, "units: "),
            (["gravity"], -9.81, "gravity: expected three numbers [x, y, z], got -9.81"),
            (["gravity"], [0, -9.81], "gravity: expected three numbers [x, y, z], got [0,-9.81]"),
            (["gravity"], [0, 1], "gravity: "),
            (["gravity"], [0, 1, "2"], "gravity: "),
            (["time"], 1, "time: expected an object { ... }, got 1"),
            (["time", "end"], "1", "time.end: expected a number above zero, got \"1\""),
            (["time", "end"], None, "time.end: "),
            (["time", "end"], [1], "time.end: "),
            (["time", "stepping"], "fast", "time.stepping: "),
            (["time", "safety"], 2, "time.safety: expected a number from 1e-06 to 1, got 2"),
            (["materials"], [], "materials: "),
            (["materials", "cotton"], 5, "materials.cotton: "),
            (["materials", "cotton", "density"], True, "materials.cotton.density: "),
            (["meshes"], {}, "meshes: "),
            (["meshes", 0], "sheet", "meshes[0]: "),
            (["meshes", 0, "name"], ["a"], "meshes[0].name: "),
            (["meshes", 0, "pinned"], 1, "meshes[0].pinned: expected true or false, got 1"),
            (["meshes", 0, "size"], [1], "meshes[0].size: "),
            (["meshes", 0, "size"], [1, "1"], "meshes[0].size[1]: "),
            (["meshes", 0, "at"], "origin", "meshes[0].at: "),
            (["meshes", 0, "random_velocity"], 1, "meshes[0].random_velocity: "),
            (["pins"], 3, "pins: "),
            (["pins"], ["cloth", 3], "pins[1]: "),
            (["sets"], [], "sets: "),
            (["sets"], {"a": "cloth"}, "sets.a: "),
            (["loads"], {"wind": [1, 0, 0]}, "loads: "),
            (["scripts"], [[]], "scripts[0]: "),
    ):
        refuse_scene(changed(path, value), *parts)


@check
def missing_keys():
    for path, *parts in (
            (["units"], "units: missing"),
            (["time"], "time: missing"),
            (["time", "end"], "time.end: missing"),
            (["materials"], "materials: missing"),
            (["materials", "cotton"], "materials: expected an object with at least one material, got none"),
            (["materials", "cotton", "density"], "meshes[0].material: ", "has no \"density\""),
            (["meshes"], "meshes: missing"),
            (["meshes", 0], "meshes: missing or empty"),
            (["meshes", 0, "generate"], "meshes[0]: expected one of \"generate\", \"file\" and \"sequence\""),
            (["meshes", 0, "material"], "meshes[0].material: missing"),
            (["meshes", 0, "size"], "meshes[0].size: missing"),
    ):
        refuse_scene(changed(path, Ellipsis), *parts)
    physical = {"young": 1e5, "thickness": 1e-3, "density": 300}
    for key in ("thickness", "density"):
        material = {k: v for k, v in physical.items() if k != key}
        refuse_scene(changed(["materials", "cotton"], material), f"materials.cotton.{key}: missing")
    for script, part in (({"keyframes": [{"time": 1}]}, "scripts[0].set: missing"),
                         ({"set": "cloth"}, "scripts[0].keyframes: missing"),
                         ({"set": "cloth", "keyframes": [{}]}, "scripts[0].keyframes[0].time: missing")):
        refuse_scene(changed(["scripts"], [script]), part)
    for script, part in (({"remove_at": 1}, "scripts[0].body: missing"),
                         ({"body": "cloth", "remove_at": 0}, "scripts[0].remove_at: expected a number above zero"),
                         ({"body": "clot", "remove_at": 1}, "scripts[0].body: there is no body \"clot\""),
                         ({"body": ["cloth", "cloth"], "remove_at": 1}, "\"cloth\" is removed already"),
                         ({"body": "cloth", "remove_at": 1, "set": "cloth"}, "scripts[0].set: ")):
        refuse_scene(changed(["scripts"], [script]), part)
    refuse_scene(changed(["loads"], [{"force": [0, 0, 1]}]), "loads[0].set: missing")
    refuse_scene(changed(["loads"], [{"set": "cloth"}]), "loads[0]: expected one of")
    refuse_scene(changed(["loads"], [{"pressure": 1, "profile": {"times": [1]}}]), "loads[0].profile: ")


@check
def numbers_out_of_range():
    for path, value, part in (
            (["materials", "cotton", "density"], -0.1,
             "materials.cotton.density: expected a number above zero, got -0.1"),
            (["materials", "cotton", "density"], 0, "materials.cotton.density: "),
            (["materials", "cotton", "particle_mass"], -1, "materials.cotton.particle_mass: "),
            (["materials", "cotton", "line_density"], -1, "materials.cotton.line_density: "),
            (["materials", "cotton", "stretch_stiffness"], -1, "materials.cotton.stretch_stiffness: "),
            (["materials", "cotton", "mass_damping"], -1, "materials.cotton.mass_damping: "),
            (["materials", "cotton"], {"young": 1, "thickness": 1, "density": 1, "poisson": 0.6}, "poisson: "),
            (["materials", "cotton"], {"young": 1, "thickness": 1, "density": 1, "bend_stiffness": 1},
             "materials.cotton.bend_stiffness: "),
            (["time", "end"], 0, "time.end: "),
            (["time", "frame"], -1, "time.frame: "),
            (["time", "frame"], 1e-12, "time.frame: "),
            (["meshes", 0, "scale"], 0, "meshes[0].scale: "),
            (["meshes", 0, "size"], [1, -1], "meshes[0].size: "),
            (["meshes", 0, "cells"], [0, 3], "meshes[0].cells: "),
            (["meshes", 0, "cells"], [3, -3], "meshes[0].cells: expected whole numbers"),
            (["meshes", 0, "cells"], [3, 1.5], "meshes[0].cells: "),
            (["meshes", 0, "cells"], [3], "meshes[0].cells: "),
            (["meshes", 0, "cells"], [1000000, 1000000], "meshes[0].cells: the body would have"),
            (["meshes", 0, "grading"], [1, 0], "meshes[0].grading: "),
            (["meshes", 0, "rotate"], [{"axis": [0, 0, 0], "angle": 1}], "meshes[0].rotate[0].axis: "),
            (["meshes", 0, "rotate"], [{"axis": [0, 0, 1], "angle": 1e300}], "meshes[0].rotate[0].angle: "),
    ):
        refuse_scene(changed(path, value), part)


@check
def wrong_generators():
    for mesh, part in (
            ({"generate": "dodecahedron"},
             "meshes[0].generate: there is no generator \"dodecahedron\"; expected one of"),
            ({"generate": 7}, "meshes[0].generate: "),
            ({"generate": "sheet", "file": "a.obj"}, "meshes[0]: expected one of \"generate\", \"file\" and \"sequence\""),
            ({"generate": "sphere", "radius": -1}, "meshes[0].radius: "),
            ({"generate": "sphere", "radius": 1, "subdivisions": 40}, "meshes[0].subdivisions: "),
            ({"generate": "tube", "radius": 1, "length": 1, "cells": [2, 2]}, "meshes[0].cells: "),
            ({"generate": "box", "size": [1, 0, 1]}, "meshes[0].size: "),
            ({"generate": "box", "size": [1, 1, 1], "cells": [1, 1]}, "meshes[0].cells: "),
            ({"generate": "chain", "from": [0, 0, 0], "to": [0, 0, 0], "links": 3}, "meshes[0].to: "),
            ({"generate": "chain", "from": [0, 0, 0], "to": [1, 0, 0], "links": 0}, "meshes[0].links: "),
            ({"generate": "chain", "points": [[0, 0, 0]]}, "meshes[0].points: "),
            ({"generate": "particles"}, "meshes[0]: "),
            ({"generate": "particles", "positions": []}, "meshes[0].positions: "),
            ({"generate": "particles", "size": [1, 1, 1]}, "meshes[0].count: "),
            ({"generate": "particles", "size": [1, 1, 1], "count": [2000, 2000, 2000]}, "meshes[0].count: "),
            ({**RIBBON, "closed": True, "twist": 90}, "meshes[0].twist: "),
            ({**RIBBON, "closed": True, "rest": "flat"}, "meshes[0].rest: "),
            ({**RIBBON, "path": [[0, 0, 0]]}, "meshes[0].path: "),
            ({**RIBBON, "path": [[0, 0, 0], [0, 0, 0]]}, "meshes[0].path: points 0 and 1 are the same"),
            ({**RIBBON, "path": [[0, 0, 0], [1, 0, 0], [0, 0, 0]], "interpolation": "linear"}, "meshes[0].path: "),
            ({**RIBBON, "normal": [1, 0, 0], "path": [[0, 0, 0], [1, 0, 0]]}, "meshes[0].normal: "),
            ({**RIBBON, "cell_length": 1e-300}, "meshes[0].cell_length: "),
            ({**RIBBON, "width": 0}, "meshes[0].width: "),
    ):
        refuse_scene(with_mesh(**mesh), part)


@check
def names_that_mean_nothing():
    for path, value, *parts in (
            (["meshes", 0, "material"], "silk",
             "meshes[0].material: there is no material \"silk\"; there is \"cotton\""),
            (["meshes", 0, "name"], "a.b", "meshes[0].name: "),
            (["meshes", 0, "name"], "", "meshes[0].name: "),
            (["pins"], ["curtain"], "pins: \"curtain\" is neither"),
            (["pins"], ["curtain.top"], "pins: \"curtain.top\" is neither"),
            (["pins"], ["cloth.tpo"], "pins: the body \"cloth\" has no part \"tpo\"; it has ", "\"top\""),
            (["sets"], {"a": {"body": "curtain", "indices": [0]}}, "sets.a.body: there is no body \"curtain\""),
            (["sets"], {"a": {"indices": [0]}}, "sets.a.body: missing"),
            (["sets"], {"a": {"body": "cloth", "part": "tpo"}}, "sets.a.part: the body \"cloth\" has no part \"tpo\""),
            (["sets"], {"a": {"body": "cloth"}}, "sets.a: expected one of"),
            (["sets"], {"a": {"body": "cloth", "indices": [0, 16]}},
             "sets.a.indices[1]: expected a vertex index from 0 to 15, got 16"),
            (["sets"], {"a": {"body": "cloth", "indices": [-1]}}, "sets.a.indices[0]: "),
            (["sets"], {"a": {"body": "cloth", "indices": []}}, "sets.a: no vertex"),
            (["sets"], {"a": {"box": [[5, 5, 5], [6, 6, 6]]}}, "sets.a: no vertex"),
            (["sets"], {"a": {"box": [[5, 5, 5]]}}, "sets.a.box: "),
            (["sets"], {"a": {"union": ["b"]}}, "sets.a.union: \"b\" is neither"),
            (["sets"], {"cloth": {"body": "cloth", "indices": [0]}}, "sets.cloth: there is a body"),
            (["loads"], [{"force": [0, 0, 1], "set": "curtain"}], "loads[0].set: \"curtain\" is neither"),
            (["loads"], [{"pressure": 1, "bodies": ["curtain"]}], "loads[0].bodies: there is no body \"curtain\""),
            (["loads"], [{"pressure": 1, "wind": [0, 0, 1]}], "loads[0]: "),
            (["scripts"], [{"set": "curtain", "keyframes": [{"time": 1}]}], "scripts[0].set: \"curtain\" is neither"),
    ):
        refuse_scene(changed(path, value), *parts)
    twice = changed(["meshes"], SHEET["meshes"] * 2)
    refuse_scene(twice, "meshes[1].name: there is a body \"cloth\" already")
    ball = with_mesh(generate="sphere", radius=1)
    refuse_scene(changed(["pins"], ["cloth.boundary"], ball),
                 "pins: the part \"boundary\" of the body \"cloth\" has no vertices")


@check
def wrong_scripts_and_profiles():
    keys = [{"time": 2, "translate": [0, 0, 1]}, {"time": 1}]
    refuse_scene(changed(["scripts"], [{"set": "cloth.top", "keyframes": keys}]), "scripts[0].keyframes[1].time: ",
                 "ascending")
    refuse_scene(changed(["scripts"], [{"set": "cloth.top", "keyframes": [{"time": 1}, {"time": 1}]}]),
                 "scripts[0].keyframes[1].time: ")
    refuse_scene(changed(["scripts"], [{"set": "cloth.top", "keyframes": [{"time": -1}]}]),
                 "scripts[0].keyframes[0].time: ")
    refuse_scene(changed(["scripts"], [{"set": "cloth.top", "keyframes": [{"time": 0, "rotate": 1}]}]),
                 "scripts[0].keyframes[0]: ", "jump")
    refuse_scene(changed(["scripts"], [{"set": "cloth.top", "keyframes": [{"time": 0}]}]), "scripts[0].keyframes: ")
    refuse_scene(changed(["scripts"], [{"set": "cloth.top", "keyframes": [{"time": 1, "rotate": 1e300}]}]),
                 "scripts[0].keyframes[0].rotate: ")
    script = {"set": "cloth.top", "keyframes": [{"time": 1}]}
    refuse_scene({**SHEET, "pins": ["cloth.corners"], "scripts": [script]},
                 "scripts[0].set: vertex 12 of the body \"cloth\" is pinned already")
    refuse_scene({**SHEET, "scripts": [script, script]},
                 "scripts[1].set: vertex 12 of the body \"cloth\" is scripted already")
    refuse_scene(changed(["scripts"], [{**script, "axis": [0, 0, 0]}]), "scripts[0].axis: ")
    refuse_scene(changed(["loads"], [{"pressure": 1, "profile": {"times": [1, 0], "factors": [0, 1]}}]),
                 "loads[0].profile.times: ", "ascending")
    refuse_scene(changed(["loads"], [{"pressure": 1, "profile": {"times": [0, 1], "factors": [1]}}]),
                 "loads[0].profile: ")


@check
def wrong_contact():
    for contact, *parts in (
            (None, "contact: expected an object { ... }, true or false, got null"),
            ("yes", "contact: "),
            ([], "contact: "),
            ({"ate1": 1}, "contact.ate1: unknown key; did you mean \"eta1\"?"),
            ({"eta1": 0}, "contact.eta1: expected a number above zero, got 0"),
            ({"r1": -1}, "contact.r1: "),
            ({"speed": "fast"}, "contact.speed: "),
            ({"eta_power": 0}, "contact.eta_power: expected a number from 0.25 to 4, got 0"),
            ({"eta_power": 0.2501}, "contact.eta_power: expected a multiple of 1/4"),
            ({"r_power": 17}, "contact.r_power: "),
            ({"r_power": 0.5}, "contact.r_power: expected more than twice \"eta_power\", that is above 0.5, got 0.5"),
            ({"eta_power": 2, "r_power": 3}, "contact.r_power: ", "no barrier"),
            ({"max_layer": 0}, "contact.max_layer: expected a whole number from 1 to 100000, got 0"),
            ({"max_layer": 1e6}, "contact.max_layer: "),
            ({"max_layer": 1.5}, "contact.max_layer: "),
            ({"safety": 0}, "contact.safety: expected a number from 0.01 to 1, got 0"),
            ({"safety": 2}, "contact.safety: "),
            ({"accuracy": 0.5}, "contact.accuracy: expected a number from 1 to 1000, got 0.5"),
            ({"detect": "fast"}, "contact.detect: expected one of \"naive\", \"brute\", \"tube\", "),
            ({"rebuild": -1}, "contact.rebuild: "),
            ({"self": 0}, "contact.self: expected true or false, got 0"),
            ({"exclude": "cloth"}, "contact.exclude: expected a list of two names of bodies"),
            ({"exclude": [["cloth"]]}, "contact.exclude[0]: expected two names of bodies"),
            ({"exclude": [["cloth", 1]]}, "contact.exclude[0]: "),
            ({"exclude": [["cloth", "coth"]]}, "contact.exclude: there is no body \"coth\"; did you mean \"cloth\"?"),
            ({"exclude": [["cloth", "cloth"]]}, "contact.exclude: \"cloth\" is paired with itself"),
            ({"eta1": 1e-200}, "contact: ", "beyond floating-point numbers"),
            ({"r1": 1e300}, "contact: ", "beyond floating-point numbers"),
    ):
        refuse_scene(changed(["contact"], contact), *parts)
    refuse_scene(changed(["meshes", 0, "thickness"], -1), "meshes[0].thickness: ")
    refuse_scene(changed(["meshes", 0, "self"], "no"), "meshes[0].self: expected true or false, got \"no\"")
    beads = with_mesh(generate="particles", positions=[[0, 0, 0]])
    beads["materials"]["cotton"]["particle_mass"] = 1
    refuse_scene({**beads, "contact": True}, "contact.eta1: missing; ")


@check
def bounds():
    """The energy of the layers by a sum of our own, and what ends them."""
    scene = with_mesh(generate="particles", positions=[[0, 0, 0], [0, 0, 5]])
    scene["materials"]["cotton"]["particle_mass"] = 0.04
    write_scene(scene={**scene, "contact": {"eta1": 0.1, "r1": 1000, "max_layer": 1290}})
    refuse(2, ["expected one scene file"], "bound")
    refuse(2, ["cinch: scene.json: there is no contact"], "bound", "scene.json", "--set", "contact=false")
    refuse(2, ["cinch: scene.json: contact.eta1: "], "bound", "scene.json", "--set", "contact.eta1=-1")
    said = succeed("bound", "scene.json").out
    gap = 0.1 * 1291 ** -0.25
    energy = sum(500 * l ** 3 * (0.1 * l ** -0.25 - gap) ** 2 for l in range(1, 1291))
    row = [line.split() for line in said.splitlines() if line.startswith("    1290 ")]
    require(len(row) == 1 and "The deepest layer is 1290: contact.max_layer." in said, said)
    require(abs(float(row[0][3]) / energy - 1) < 1e-5, f"{row} instead of {energy}")
    require(abs(float(row[0][4]) / (2 * energy / 0.04) ** 0.5 - 1) < 1e-5, f"{row} for {energy}")
    require("exit status 3" in said, said)
    said = succeed("bound", "scene.json", "--set", "contact.r1=1e16", "--set", "time.end=1000").out
    require(re.search(r"The deepest layer is \d+: the step of the next is below what time can resolve", said), said)
    said = succeed("bound", "scene.json", "--set", "contact.r1=1e30").out
    require("the first contact stops the run with exit status 3" in said, said)


@check
def steps_below_the_resolution_of_time():
    write_scene(scene=changed(["time", "load_step"], 1e-300))
    refuse(3, ["cinch: scene.json: the smallest step"], "run", "scene.json", "-o", "out.h5")


# Meshes


@check
def wrong_meshes():
    write_scene(scene=with_mesh(file="mesh.obj"))
    for text, *parts in (
            ("", "there are no vertices"),
            ("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "triangle 0 ", "no area"),
            ("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\nf 1 2 3\nf 2 1 4\nf 1 2 5\n", "side 0-1 is shared by 3"),
            ("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 3 4\n" "f 1 2 4\n", "triangle"),
            ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "mesh.obj:4: vertex index 4 is out of range"),
            ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "mesh.obj:4: vertex index 0 is out of range"),
            ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", "mesh.obj:4: vertex index -4 is out of range"),
            ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n", "mesh.obj:4: "),
            ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 2\n", "mesh.obj:4: a face repeats vertex 2"),
            ("v 0 0 0\nv 1 0\n", "mesh.obj:2: "),
            ("v 0 0 zero\n", "mesh.obj:1: \"zero\" is not a finite number"),
            ("v 0 0 nan\n", "mesh.obj:1: "),
            ("v 0 0 1e999\n", "mesh.obj:1: "),
            (TRIANGLE + "f a b c\n", "mesh.obj:5: \"a\" is not a vertex index"),
            (TRIANGLE + "f 1 2\n", "mesh.obj:5: a face needs at least 3"),
            (TRIANGLE + "v 5 5 5\n", "vertex 3 belongs to no element"),
            (b"\x7fELF\x02\x01\x00\x00\x00v 1", "mesh.obj:1: there is a NUL byte"),
            (b"v \x1b[31m\xff 0 0\n", "mesh.obj:1: "),
    ):
        write("mesh.obj", text)
        refuse(2, ["mesh.obj:", *parts], "run", "scene.json", "-o", "out.h5")


@check
def mesh_that_cannot_be_read():
    write_scene(scene=with_mesh(file="mesh.obj"))
    refuse(2, ["mesh.obj: ", "No such file"], "run", "scene.json", "-o", "out.h5")
    os.mkdir("mesh.obj")
    refuse(2, ["mesh.obj: ", "not a regular file"], "run", "scene.json", "-o", "out.h5")
    write_scene(scene=with_mesh(file=""))
    refuse(2, ["not a regular file"], "run", "scene.json", "-o", "out.h5")


@check
def wrong_rest_file():
    write("mesh.obj", TRIANGLE)
    write("rest.obj", "v 0 0 0\n" + TRIANGLE)
    write_scene(scene=with_mesh(file="mesh.obj", rest_file="rest.obj"))
    refuse(2, ["rest.obj: has 4 vertices, but the mesh whose rest shape it is has 3"], "run", "scene.json", "-o",
           "out.h5")
    write("rest.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\n")
    refuse(2, ["triangle 0 ", "no area"], "run", "scene.json", "-o", "out.h5")
    write_scene(scene=with_mesh(generate="sheet", size=[1, 1], rest_file="rest.obj"))
    refuse(2, ["meshes[0].rest_file: "], "run", "scene.json", "-o", "out.h5")


# The call


@check
def wrong_calls():
    write_scene()
    run = ["run", "scene.json", "-o", "out.h5"]
    for arguments, *parts in (
            ([], "cinch --help"),
            (["fly"], "there is no command \"fly\"", "cinch --help"),
            (["scene.json"], "there is no command \"scene.json\"; did you mean 'cinch run scene.json'?"),
            (["--fly"], "\"--fly\""),
            (["run"], "expected one scene file", "cinch run --help"),
            (["run", "scene.json", "scene.json"], "expected one scene file"),
            ([*run, "--fly"], "--fly", "cinch run --help"),
            ([*run, "--threads", "-1"], "--threads -1"),
            ([*run, "--threads", "2000"], "--threads 2000"),
            ([*run, "--threads", "two"], "two"),
            ([*run, "--threads"], "--threads"),
            ([*run, "--until", "0"], "--until 0"),
            ([*run, "--until", "-1"], "--until -1"),
            ([*run, "--until", "nan"], "--until nan"),
            ([*run, "--until", "inf"], "--until inf"),
            ([*run, "--until", "1e999"], "--until 1e999"),
            ([*run, "--until", "1s"], "--until 1s"),
            ([*run, "--until", ""], "--until"),
            ([*run, "--until", "1e9"], "--until 1e9: more than ten million frames"),
            ([*run, "--set", "time.end"], "--set time.end: expected path.to.key=value"),
            ([*run, "--set", "=1"], "--set =1"),
            ([*run, "--set", "time..end=1"], "--set time..end=1: the path has an empty step"),
            ([*run, "--set", "meshes.7.scale=2"], "--set meshes.7.scale=2: the scene has no \"7\" there"),
            ([*run, "--set", "meshes.curtain.scale=2"], "the scene has no \"curtain\" there"),
            ([*run, "--set", "units.si=2"], "--set units.si=2: the scene has no \"si\" there"),
            ([*run, "--set", "time.ende=1"], "scene.json: time.ende: unknown key; did you mean \"end\"?"),
            ([*run, "--set", "time.end=1e999"], "time.end: ", "\"1e999\""),
            ([*run, "--set", "time.end=" + "[" * 100000], "time.end: "),
            (["run", "scene.json", "-o", "scene.json"], "scene.json: this is the scene itself"),
            (["info"], "expected one archive"),
            (["diff", "a.h5"], "expected two archives"),
            (["export", "-f", "csv"], "expected one archive"),
            (["export", "a.h5"], "--format"),
            (["export", "a.h5", "-f", "stl"], "--format stl: expected obj, ply, vtp, pc2, usd, gltf, csv or xdmf"),
    ):
        refuse(2, parts, *arguments)
    require(json.load(open("scene.json")) == SHEET, "the scene was changed")


@check
def output_that_cannot_be_written():
    write_scene()
    write("file", "x")
    os.mkdir("folder")
    for output in ("missing/out.h5", "file/out.h5", "folder"):
        refuse(1, [f"cinch: {output}: "], "run", "scene.json", "-o", output)
    require(open("file").read() == "x" and os.listdir("folder") == [], "something was written")
    succeed("run", "-q", "scene.json", "-o", "good.h5")
    for output in ("file/out", "file"):
        refuse(1, [f"cinch: {output}"], "export", "-f", "obj", "good.h5", "-o", output)
    for output in ("missing/out.csv", "file/out.csv", "folder"):
        refuse(1, [f"cinch: {output}: "], "export", "-f", "csv", "good.h5", "-o", output)
    refuse(2, ["--format xdmf"], "export", "-f", "xdmf", "good.h5", "-o", "out.xdmf")


@check
def output_without_permission():
    if os.geteuid() == 0:
        raise Skipped("root may write anywhere")
    write_scene()
    os.mkdir("folder", mode=0o555)
    refuse(1, ["cinch: folder/out.h5: ", "Permission denied"], "run", "scene.json", "-o", "folder/out.h5")


@check
def standard_output_that_is_full():
    write_scene()
    succeed("run", "-q", "scene.json", "-o", "good.h5")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([CINCH, "info", "good.h5"], stdout=full, stderr=subprocess.PIPE, timeout=TIMEOUT)
    require(done.returncode == 1 and done.stderr.startswith(b"cinch: standard output: "), f"{done}")


@check
def full_disk():
    """What was written before the disk was full stays readable; an archive that cannot begin leaves nothing."""
    os.mkdir("small")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "none", "small"], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    if mounted.returncode != 0:
        raise Skipped("may not mount a small file system")
    try:
        write_scene(scene=changed(["time", "frame"], 0.0001))
        refuse(1, ["cinch: small/out.", "No space left"], "run", "-q", "scene.json", "-o",
               "small/out.h5")
        require("out.h5.part" not in os.listdir("small"), f"{os.listdir('small')}")
        frames = int(re.search(r"(\d+) frames from 0 ", succeed("info", "small/out.h5").out)[1])
        require(frames > 1, f"{frames} frames")
        write_scene(scene=changed(["meshes", 0, "cells"], [100, 100]))
        refuse(1, ["cinch: small/large.h5: ", "No space left"], "run", "-q", "scene.json", "-o", "small/large.h5")
        require(not [name for name in os.listdir("small") if name.startswith("large")], f"{os.listdir('small')}")
        succeed("run", "-q", "scene.json", "-o", "large.h5", "--set", "time.frame=0.001")
        refuse(1, ["cinch: small/frames/frame", ".obj: could not be written: No space left"], "export", "-f", "obj",
               "large.h5", "-o", "small/frames")
        require(not [name for name in os.listdir("small/frames") if name.endswith(".part")], "a part is left")
    finally:
        subprocess.run(["umount", "small"], check=True)


@check
def wrong_archives():
    write_scene()
    succeed("run", "-q", "scene.json", "-o", "good.h5")
    whole = open("good.h5", "rb").read()
    write("empty.h5", b"")
    write("text.h5", "hello")
    write("cut.h5", whole[:len(whole) // 4])
    os.mkdir("folder.h5")
    for name in ("missing.h5", "empty.h5", "text.h5", "cut.h5", "folder.h5", "good.h5/inside.h5"):
        for command in (["info"], ["info", "--scene"], ["watch"], ["report"], ["export", "-f", "obj"], ["export", "-f", "csv"],
                        ["export", "-f", "xdmf"]):
            refuse(2, [f"cinch: {name}: "], *command, name)
        refuse(2, [f"cinch: {name}: "], "diff", "good.h5", name)
        refuse(2, [f"cinch: {name}: "], "diff", name, "good.h5")


# What must go well


@check
def output_is_plain_when_piped():
    write_scene()
    done = succeed("run", "scene.json")
    require(sorted(os.listdir(".")) == ["scene.h5", "scene.json", "scene.xdmf"], f"{os.listdir('.')}")
    require("\r" not in done.out and "\x1b" not in done.out and "3 frames in scene.h5" in done.out, describe(done))
    require(succeed("run", "-q", "scene.json").out == "", "--quiet prints")
    require(succeed("run", "--quiet", "scene.json", "-o", "other.h5").out == "", "--quiet prints")
    for command in (["info", "scene.h5"], ["info", "--scene", "scene.h5"], ["--help"], ["run", "--help"],
                    ["--version"]):
        done = succeed(*command)
        require(done.out.endswith("\n") and "\r" not in done.out and "\x1b" not in done.out, describe(done))


@check
def default_output_is_here():
    os.mkdir("scenes")
    os.mkdir("elsewhere")
    write("scenes/mesh.obj", TRIANGLE)
    write_scene("scenes/a.b.json", with_mesh(file="mesh.obj"))
    write_scene("scenes/-dash", SHEET)
    succeed("run", "-q", "../scenes/a.b.json", cwd="elsewhere")
    require(sorted(os.listdir("elsewhere")) == ["a.b.h5", "a.b.xdmf"], f"{os.listdir('elsewhere')}")
    succeed("run", "-q", "--", "-dash", cwd="scenes")
    require("-dash.h5" in os.listdir("scenes"), f"{os.listdir('scenes')}")
    require(sorted(os.listdir(".")) == ["elsewhere", "scenes"], f"{os.listdir('.')}")


@check
def files_are_found_beside_the_scene():
    os.mkdir("scenes")
    write("scenes/mesh.obj", TRIANGLE)
    write_scene("scenes/scene.json", with_mesh(file="mesh.obj"))
    for name, folder in (("scene.json", "scenes"), ("./scene.json", "scenes"), ("scenes/scene.json", "."),
                         (os.path.abspath("scenes/scene.json"), "/")):
        out = os.path.abspath("out.h5")
        succeed("run", "-q", name, "-o", out, cwd=folder)
        require("3 vertices, 1 triangles" in succeed("info", out).out, "not the mesh")


@check
def progress_only_on_a_terminal():
    """A line that is rewritten, on standard error alone, and gone at the end."""
    write_scene()
    primary, secondary = pty.openpty()
    running = subprocess.Popen([CINCH, "run", "scene.json", *FOREVER], stdout=subprocess.PIPE, stderr=secondary)
    os.close(secondary)
    time.sleep(2)
    running.send_signal(signal.SIGINT)
    out = running.communicate(timeout=TIMEOUT)[0]
    seen = os.read(primary, 1 << 20)
    os.close(primary)
    require(b"\rt = " in seen and b"left\x1b[K" in seen and b"\r\x1b[Kcinch: interrupted" in seen, f"{seen[-500:]}")
    require(b"\r" not in out and b"\x1b" not in out, f"{out[-500:]}")


def interrupt(number, *arguments):
    running = subprocess.Popen([CINCH, "run", "scene.json", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + TIMEOUT
    while not os.path.exists("scene.h5") and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(1)
    running.send_signal(number)
    asked = time.monotonic()
    out, err = (text.decode() for text in running.communicate(timeout=TIMEOUT))
    require(time.monotonic() - asked < 20, "the signal was heard late")
    return running.returncode, out, err


@check
def signals_end_a_run():
    write_scene()
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        for arguments in (FOREVER, ["-q", *FOREVER]):
            code, _, err = interrupt(number, *arguments)
            require(code == status, f"{code}: {err}")
            said = re.fullmatch(r"cinch: interrupted at t = (\S+) s; (\d+) frames are in scene.h5 "
                                r"\('cinch resume scene.h5' goes on\)\n", err)
            require(said, err)
            told = succeed("info", "scene.h5").out
            frames = re.search(r"(\d+) frames from 0 .*; the run was ended before its time\n", told)
            require(frames and frames[1] == said[2], f"{told} against {said}")
            require(not [name for name in os.listdir(".") if name.endswith(".part")], f"{os.listdir('.')}")
            os.remove("scene.h5")


@check
def overrides_work():
    write_scene()
    succeed("run", "-q", "scene.json", "--set", "time.end=0.05", "--set", "meshes.cloth.cells=[2,5]", "--set",
            "meshes[0].name=curtain", "--set", "gravity=[0,0,0]", "--set", "title=a = b", "--set",
            "materials.cotton.mass_damping=0.5", "--set", "pins=[\"curtain.top\"]")
    said = succeed("info", "scene.h5").out
    require("18 vertices, 20 triangles" in said and "curtain" in said and "6 frames from 0 to 0.05 s" in said, said)
    scene = json.loads(succeed("info", "--scene", "scene.h5").out)
    require(scene["title"] == "a = b" and scene["meshes"][0]["cells"] == [2, 5] and scene["pins"] == ["curtain.top"] and
            scene["materials"]["cotton"]["mass_damping"] == 0.5, f"{scene}")
    require(json.load(open("scene.json")) == SHEET, "the file was changed")
    succeed("run", "-q", "scene.json", "--until", "0.005")
    said = succeed("info", "scene.h5").out
    require("2 frames from 0 to 0.005 s, every 0.01; the run has ended\n" in said, said)


@check
def runs_are_the_same_for_any_number_of_threads():
    write_scene(scene=changed(["meshes", 0, "cells"], [40, 40]))
    names = [f"{threads}.h5" for threads in (1, 2, 4)]
    for name in names:
        succeed("run", "-q", "scene.json", "-o", name, "--threads", name[0], "--set", "pins=cloth.corners")
    for name in names[1:]:
        require(f"{names[0]} and {name} are the same run\n" == succeed("diff", names[0], name).out, "diff")
    for change, part in (("gravity=[0,-9.8,0]", "differ: "), ("time.end=0.03", "differ: "),
                         ("meshes.0.cells=[4,4]", "differ: ")):
        succeed("run", "-q", "scene.json", "-o", "other.h5", "--set", "pins=cloth.corners", "--set", change)
        done = call("diff", names[0], "other.h5")
        require(done.returncode == 1 and done.err == "" and len(done.out.splitlines()) == 1 and part in done.out,
                describe(done))


def read_vertices(name):
    with open(name) as file:
        return [[float(word) for word in line.split()[1:]] for line in file if line.startswith("v ")]


def bits(numbers):
    return b"".join(struct.pack("<3d", *row) for row in numbers)


@check
def export_to_other_programs():
    write_scene(scene={**SHEET, "pins": ["cloth.corners"]})
    succeed("run", "-q", "scene.json")
    os.remove("scene.xdmf")
    succeed("export", "-f", "xdmf", "scene.h5")
    require(open("scene.xdmf").read().count("<Time ") == 3, "xdmf")
    succeed("export", "--format", "csv", "scene.h5")
    lines = open("scene.csv").read().splitlines()
    names = lines[0].split(",")
    rows = [[float(word) for word in line.split(",")] for line in lines[1:]]
    require(names[0] == "time [s]" and "kinetic [J]" in names and len(rows) == 3, lines[0])
    require([row[0] for row in rows] == [0.0, 0.01, 0.02] and {len(row) for row in rows} == {len(names)}, f"{rows}")
    require(rows[-1][names.index("kinetic [J]")] > 0, "nothing moves")
    done = succeed("export", "-f", "obj", "scene.h5", "-o", "a/b")
    require(done.out == "3 frames in a/b/\n" and
            sorted(os.listdir("a/b")) == [f"frame0000{i}.obj" for i in range(3)], describe(done))
    succeed("export", "-f", "obj", "scene.h5")
    require(len(os.listdir("scene_obj")) == 3, "default directory")


@check
def exported_positions_keep_their_bits():
    """A frame that is exported, read as a scene's mesh and exported again is the same file."""
    write_scene(scene={**SHEET, "pins": ["cloth.corners"]})
    succeed("run", "-q", "scene.json")
    succeed("export", "-f", "obj", "scene.h5", "-o", "first")
    write_scene("again.json", with_mesh(file="first/frame00002.obj"))
    succeed("run", "-q", "again.json")
    succeed("export", "-f", "obj", "again.h5", "-o", "second")
    first, second = "first/frame00002.obj", "second/frame00000.obj"
    require(bits(read_vertices(first)) == bits(read_vertices(second)), "positions differ")
    require(open(first).read().split("\n")[1:] == open(second).read().split("\n")[1:], "the files differ")
    words = " ".join(line[2:] for line in open(first) if line.startswith("v ")).split()
    require(all(word == "%.17g" % float(word) for word in words), "not 17 digits")
    require(max(len(re.sub(r"e.*|[-.]", "", word).lstrip("0")) for word in words) == 17, "fewer digits than 17")


sys.exit(run_checks())

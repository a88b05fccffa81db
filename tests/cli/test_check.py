"""cinch check: what it finds, what it says, and that a run refuses the same. test_check.py CINCH"""
import json
import os
import subprocess
import sys
import tempfile

cinch = os.path.abspath(sys.argv[1])
failures = 0


def run(*arguments):
    return subprocess.run([cinch, *arguments], capture_output=True, text=True, timeout=300)


def expect(what, good, detail=""):
    global failures
    print(f"[{'ok' if good else 'FAIL'}] {what}{'' if good else ': ' + detail}")
    failures += not good


def scene(**changes):
    result = {
        "units": "si",
        "materials": {"m": {"young": 2e5, "thickness": 0.001, "density": 300}},
        "meshes": [
            {"name": "a", "generate": "sheet", "size": [0.3, 0.3], "cells": [6, 6], "material": "m",
             "rotate": [{"axis": [1, 0, 0], "angle": -90}], "at": [0, 0.1, 0]},
            {"name": "b", "generate": "sheet", "size": [0.3, 0.3], "cells": [5, 5], "material": "m",
             "rotate": [{"axis": [1, 0, 0], "angle": -90}]}],
        "contact": {"eta1": 0.01},
        "time": {"end": 0.01}}
    result.update(changes)
    return result


def write(value):
    with open("scene.json", "w") as file:
        json.dump(value, file)


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)

    write(scene())
    done = run("check", "scene.json")
    expect("a good scene passes", done.returncode == 0, done.stderr)
    expect("and nothing intersects", "intersections at the start: 0 pairs" in done.stdout, done.stdout)
    expect("and how much room there is", "clearance: 0.1 m (10 eta1), between" in done.stdout, done.stdout)
    expect("and it says what it costs", "cost: about" in done.stdout, done.stdout)

    crossed = scene()
    crossed["meshes"][0]["rotate"] = [{"axis": [1, 1, 0], "angle": 20}]
    crossed["meshes"][0]["at"] = [0.01, 0.02, 0.03]
    write(crossed)
    done = run("check", "scene.json")
    expect("crossing sheets are refused", done.returncode == 2, str(done.returncode))
    expect("with elements by name", "triangle" in done.stderr and " of a and triangle" in done.stderr, done.stderr)
    with open("scene-offenders.obj") as file:
        lines = file.read().splitlines()
    expect("and written as a mesh", sum(line.startswith("f ") for line in lines) > 2)
    done = run("run", "scene.json", "-o", "x.h5")
    expect("a run refuses them too", done.returncode == 2 and "intersect" in done.stderr, done.stderr)
    expect("and leaves no archive", not os.path.exists("x.h5"))

    crossed["contact"]["exclude"] = [["a", "b"]]
    write(crossed)
    expect("bodies that do not meet may cross", run("check", "scene.json").returncode == 0)

    thick = scene()
    thick["meshes"][0]["at"] = [0, 0.01, 0]
    thick["meshes"][0]["thickness"] = thick["meshes"][1]["thickness"] = 0.02
    write(thick)
    done = run("check", "scene.json")
    expect("thickness is kept", done.returncode == 2 and "thickness" in done.stderr, done.stderr)

    close = scene()
    close["meshes"][0]["at"] = [0, 0.009, 0]
    write(close)
    done = run("check", "scene.json")
    expect("closer than eta1 is allowed", done.returncode == 0, done.stderr)
    expect("and said", "the closest 0.009 m apart" in done.stdout, done.stdout)

    write(scene(contact={"eta1": 0.045}))
    done = run("check", "scene.json")
    expect("layers too thick for the mesh are told", "the mesh pushes itself" in done.stdout, done.stdout)
    # Cells of 0.05: the corner opposite of a diagonal is 0.05/sqrt 2 away from it.
    expect("with the largest eta1 that works", "that works is 0.0353553 m" in done.stdout, done.stdout)

    moved = scene(scripts=[{"set": "ball", "keyframes": [{"time": 0.01, "translate": [1, 0, 0]}]}])
    moved["meshes"] += [
        {"name": "ball", "generate": "sphere", "radius": 0.1, "subdivisions": 1, "material": "m", "at": [0, 1, 0]},
        {"name": "post", "generate": "sphere", "radius": 0.1, "subdivisions": 1, "material": "m", "at": [0.5, 1, 0],
         "pinned": True}]
    write(moved)
    done = run("check", "scene.json")
    expect("scripts that collide are told", "of ball meets" in done.stdout and "of post" in done.stdout, done.stdout)

    # Two bodies that overlap for good must not hide the others, nor may a fast sheet get through between two times.
    moved["meshes"].append({**moved["meshes"][3], "name": "crossed", "at": [0.55, 1, 0]})
    write(moved)
    done = run("check", "scene.json")
    expect("also beside held bodies that overlap from the start", "of ball meets" in done.stdout, done.stdout)
    moved["meshes"] = moved["meshes"][:2] + [
        {"name": "ball", "generate": "sheet", "size": [0.3, 0.3], "cells": [2, 2], "material": "m", "at": [0, 1, 0.5],
         "rotate": [{"axis": [0, 1, 0], "angle": 90}]},
        {"name": "post", "generate": "sheet", "size": [0.3, 0.3], "cells": [3, 3], "material": "m", "at": [0.517, 1.02, 0.49],
         "rotate": [{"axis": [0, 1, 0], "angle": 90}], "pinned": True}]
    write(moved)
    done = run("check", "scene.json")
    expect("and those that would pass between two times", "of ball meets" in done.stdout, done.stdout)
    moved["meshes"][3]["at"] = [1.1, 1.02, 0.49]
    write(moved)
    done = run("check", "scene.json")
    expect("but not those that stop before", "do not meet each other" in done.stdout, done.stdout)

    # One that is taken away does not stand in the way from then on; before, it does. The ball is there at 0.0051 s.
    moved["meshes"][3]["at"] = [0.517, 1.02, 0.49]
    for time, meets in ((0.005, False), (0.0053, True)):
        write({**moved, "scripts": moved["scripts"] + [{"body": "post", "remove_at": time}]})
        done = run("check", "scene.json")
        expect(f"a post that is removed at {time} s", ("of ball meets" in done.stdout) == meets, done.stdout)
        expect("is said to be", f"post is removed at t = {time} s" in done.stdout, done.stdout)

    fast = scene(contact={"eta1": 0.01, "max_layer": 3})
    fast["meshes"][0]["velocity"] = [0, -1000, 0]
    write(fast)
    done = run("run", "scene.json", "-o", "y.h5", "--quiet")
    expect("the limit is exit status 3", done.returncode == 3, str(done.returncode))
    expect("with pair, place, layer and energy",
           all(word in done.stderr for word in (" of a and ", " at (", "layer 3", " J")), done.stderr)

print(f"{failures} failures")
sys.exit(1 if failures else 0)

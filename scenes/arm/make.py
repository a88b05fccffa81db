"""Makes arm_00.obj ... arm_24.obj, the frames of scenes/cape.json: an arm that is raised, bent and lowered again, 12 frames per
second. Any program that writes OBJ files with the same faces does. Run as python3 make.py, in this folder."""

import math

RINGS, AROUND, LENGTH, RADIUS, FRAMES = 12, 8, 60.0, 4.0, 25


def bone(s, shoulder, elbow):
    """Where the axis is at a length s from the shoulder, and its direction: the elbow bends over a sixth of the length."""
    x = y = 0.0
    angle, step = shoulder, LENGTH / 240
    for i in range(round(s / step)):
        angle = shoulder + elbow * min(1.0, max(0.0, ((i + 0.5) * step / LENGTH - 5 / 12) * 6))
        x += step * math.cos(angle)
        y += step * math.sin(angle)
    return x, y, angle


def vertices(shoulder, elbow):
    yield -RADIUS * math.cos(shoulder), -RADIUS * math.sin(shoulder), 0.0
    for ring in range(RINGS):
        x, y, angle = bone(LENGTH * ring / (RINGS - 1), shoulder, elbow)
        for k in range(AROUND):
            up, side = RADIUS * math.cos(2 * math.pi * k / AROUND), RADIUS * math.sin(2 * math.pi * k / AROUND)
            yield x - up * math.sin(angle), y + up * math.cos(angle), side
    x, y, angle = bone(LENGTH, shoulder, elbow)
    yield x + RADIUS * math.cos(angle), y + RADIUS * math.sin(angle), 0.0


def faces():
    last = 2 + RINGS * AROUND
    for k in range(AROUND):
        a, b = 2 + k, 2 + (k + 1) % AROUND
        yield 1, b, a
        for ring in range(RINGS - 1):
            c, d = a + AROUND * ring, b + AROUND * ring
            yield c, d, d + AROUND
            yield c, d + AROUND, c + AROUND
        yield last, a + AROUND * (RINGS - 1), b + AROUND * (RINGS - 1)


for frame in range(FRAMES):
    lift = math.sin(math.pi * frame / (FRAMES - 1)) ** 2
    with open(f"arm_{frame:02}.obj", "w") as file:
        for x in vertices(0.7 * lift, 1.1 * lift):
            file.write("v %.3f %.3f %.3f\n" % x)
        for face in faces():
            file.write("f %d %d %d\n" % face)

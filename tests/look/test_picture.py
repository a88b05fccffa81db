"""`cinch picture` draws what is in an archive.

Pictures are read with zlib alone. Checked: the size, that something is there and not everywhere, that time, colours, wires,
camera and bodies change it, that it is the same bytes each time, that the whole motion stays in the picture, and that wrong
calls get a sentence. Films are made where ffmpeg is. Run as test_picture.py PATH/TO/cinch.
"""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from looking import call, finish, require, write_archive  # noqa: E402


def read_png(path):
    """Width, height, and rows of bytes (red, green, blue); every checksum is looked at."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    chunks, at = {}, 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body), path
        chunks[kind] = chunks.get(kind, b"") + body
        at += 12 + length
    width, height, depth, colours = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (depth, colours) == (8, 2) and b"IEND" in chunks
    raw, rows, stride = zlib.decompress(chunks[b"IDAT"]), [], 3 * width + 1
    assert len(raw) == stride * height
    for y in range(height):
        kind, row = raw[y * stride], bytearray(raw[y * stride + 1:(y + 1) * stride])
        assert kind == 1
        for i in range(3, len(row)):
            row[i] = (row[i] + row[i - 3]) & 255
        rows.append(bytes(row))
    return width, height, rows


def picture(directory, archive, name, *options):
    path = os.path.join(directory, name + ".png")
    call("picture", archive, "-o", path, *options, "--size", "240x160", "--quality", "draft")
    width, height, rows = read_png(path)
    require((width, height) == (240, 160), f"{name}: {width} x {height}")
    return rows


MOST_JUMP = 90  # of 255: what one of the draft's four samples does at a rim; and 0.1% of a frame's change is expected
MOST_SHARE = 0.005


def strong(row, x):
    """How much colour a pixel has: the background and shadows are grey, cloth is not."""
    pixel = row[3 * x:3 * x + 3]
    return max(pixel) - min(pixel) > 30


def check_pictures(directory, archive):
    last = picture(directory, archive, "last")
    require(picture(directory, archive, "again") == last, "the same picture has other bytes")
    coloured = sum(strong(row, x) for row in last for x in range(240))
    require(0.03 < coloured / (240 * 160) < 0.7, f"{coloured} pixels have a colour")
    variants = {
        "first": ["--time", "0"],
        "between": ["--time", "0.27"],
        "speed": ["--colour", "speed"],
        "strain": ["--colour", "strain"],
        "layer": ["--colour", "layer"],
        "contact_force": ["--colour", "contact_force"],
        "range": ["--colour", "speed", "--range", "0:100"],
        "wires": ["--wireframe"],
        "side": ["--azimuth", "90"],
        "top": ["--elevation", "80"],
        "zoom": ["--zoom", "2"],
        "close": ["--close"],
        "focus": ["--focus", "contact", "--close"],
        "place": ["--focus", "0.3,0,0.1"],
        "no_ground": ["--no-ground"],
        "sheet": ["--bodies", "sheet"],
        "label": ["--label"],
    }
    seen = {"last": last}
    for name, options in variants.items():
        rows = picture(directory, archive, name, *options)
        same = [other for other, its in seen.items() if its == rows]
        require(not same, f"{name} is the same picture as {same}")
        seen[name] = rows
    for name in ("last", "first", "side", "top"):  # nothing is cut off
        rows = seen[name]
        border = [strong(row, x) for row in rows for x in (0, 239)] + [strong(row, x) for row in (rows[0], rows[-1])
                                                                      for x in range(240)]
        require(not any(border), f"{name}: cloth at the border")


def check_cracks(directory, archive):
    """A flat sheet is one piece in every row, whatever the angle."""
    for turn in range(0, 90, 11):
        for elevation in "25", "70":
            rows = picture(directory, archive, "whole", "--time", "0", "--bodies", "sheet", "--close", "--no-ground",
                           "--azimuth", str(turn), "--elevation", elevation)
            covered = 0
            for y, row in enumerate(rows):
                inside = [x for x in range(240) if strong(row, x)]
                # A pixel at the rim is a mixture, which may count or not; a hole is neither.
                holes = [x for x in range(inside[0] + 2, inside[-1] - 1) if not strong(row, x)] if inside else []
                require(not holes, f"turned by {turn} degrees: holes in row {y} at {holes[:5]}")
                covered += len(inside)
            require(covered > 3000, f"turned by {turn} degrees: only {covered} pixels")


def differences(one, other):
    """How much the channels of two pictures differ."""
    return [abs(a - b) for p, q in zip(one, other) for a, b in zip(p, q)]


def check_flicker(directory, archive):
    """In a thousandth of a frame things go a thousandth of their way: nothing else may change, neither light nor camera."""
    for time in (0.05, 0.13, 0.27):
        one, other, later = (picture(directory, archive, "flicker", "--time", repr(time + step)) for step in (0, 2e-5, 0.02))
        jumps, steps = differences(one, other), differences(one, later)
        require(any(steps), f"nothing moves at {time}")
        require(max(jumps) <= MOST_JUMP and sum(jumps) < MOST_SHARE * sum(steps),
                f"t = {time}: in 2e-5 s a pixel changes by {max(jumps)}, all by {sum(jumps)}; in 0.02 s all by {sum(steps)}")


def check_films(directory, archive):
    size = ["--size", "120x80", "--quality", "draft"]
    folder = os.path.join(directory, "frames")
    call("picture", archive, "--movie", "-o", folder, "--every", "3", *size)
    frames = sorted(os.listdir(folder))
    require(len(frames) == 6, f"{len(frames)} pictures of every third frame of 16")
    contents = {read_png(os.path.join(folder, name))[2][40] for name in frames}
    require(len(contents) > 1, "the pictures of the film are all the same")
    if shutil.which("ffmpeg") is None or shutil.which("ffprobe") is None:
        print("skipped: films, as there is no ffmpeg")
        return
    film = os.path.join(directory, "film.mp4")
    call("picture", archive, "--movie", "-o", film, *size)
    shown = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
                            "stream=nb_read_frames,width,height", "-of", "csv=p=0", film], stdout=subprocess.PIPE,
                           encoding="utf-8", check=True).stdout.strip()
    require(shown == "120,80,16", f"the film is {shown}")
    call("picture", archive, "--turntable", "-o", os.path.join(directory, "turn.webm"), *size)


def check_messages(directory, archive):
    wrong = [
        (["--time", "7"], "the archive ends at"),
        (["--time", "x"], "expected a number"),
        (["--size", "9"], "expected WIDTHxHEIGHT"),
        (["--colour", "mood"], "it has speed, strain, contact_force, layer"),
        (["--focus", "1,2"], "expected contact, or a place"),
        (["--focus", "contact", "--close", "--time", "0"], "nothing is in contact there"),
        (["--range", "5"], "expected LOW:HIGH"),
        (["--bodies", "sheet,shirt"], 'there is no body "shirt"; there is ball, sheet'),
        (["--quality", "poor"], "expected draft"),
        (["--from", "2"], "not outside of the archive's"),
    ]
    for options, words in wrong:
        told = call("picture", archive, *options, "-o", os.path.join(directory, "none.png"), status=2)
        require(words in told and told.count("\n") == 1, f"{options}: {told}")
    require(not os.path.exists(os.path.join(directory, "none.png")), "a wrong call has made a picture")


with tempfile.TemporaryDirectory(prefix="cinch-picture-") as folder:
    run = write_archive(folder)
    for check in (check_pictures, check_cracks, check_flicker, check_films, check_messages):
        check(folder, run)
finish()

"""`cinch report` tells what the archives hold: of one run, and of two side by side.

The page is one file without scripts or references; verdict, ledger and counters are those of the archive; of two runs the parameters
that differ are named, and no others; every picture is one; every plot has its curves, on the same axes for both. In chromium, where it
is installed, the page loads without a complaint. Run as test_report.py PATH/TO/cinch ROOT [DIRECTORY for screenshots].
"""

import base64
import html
import json
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from browser import Browser, find_browser  # noqa: E402
from looking import call, finish, require, write_archive  # noqa: E402

SHOTS = sys.argv[3] if len(sys.argv) > 3 else None


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def rows_of(page):
    """Label to the texts of its cells."""
    rows = {}
    for label, cells in re.findall(r"<tr><th>(.*?)</th>(<td>.*?)</tr>", page):
        rows.setdefault(html.unescape(label), [html.unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", cells)])
    return rows


def check_page(page, n_runs):
    require(not re.search(r"<script|<link|<iframe|(?:src|href)\s*=\s*[\"']?(?!data:)[a-z/.]", page), "the page refers to something")
    require("{{" not in page, "a place of the template was not filled in")
    pictures = re.findall(r'src="data:image/png;base64,([^"]*)"', page)
    require(len(pictures) == 7 * n_runs, f"{len(pictures)} pictures of {n_runs} runs")
    require(all(base64.b64decode(data).startswith(b"\x89PNG") for data in pictures), "a picture is none")
    require(len(set(pictures)) == len(pictures) or n_runs > 1, "two pictures are the same")
    plots = re.findall(r"<h3>(.*?)</h3>", page)
    require({"Energy [J]", "Balance of energy [J]", "Smallest gap [m]", "Pairs in contact"} <= set(plots), f"plots: {plots}")
    figures = re.findall(r'<svg viewBox.*?</svg>', page, re.DOTALL)
    require(len(figures) == n_runs * len(plots), f"{len(figures)} figures of {len(plots)} plots")
    empty = sum("curve" not in figure for figure in figures)
    require(empty <= n_runs - 1, f"{empty} figures are empty")  # of the runs, one has lost nothing
    for figure in figures:
        curves = re.findall(r'class="curve" stroke="[^"]*" d="([^"]*)"', figure)
        require(all(curve.count("L") >= 1 for curve in curves), "a figure has no curve")
        places = [tuple(map(float, place)) for curve in curves for place in re.findall(r"[ML]([-.\d]+) ([-.\d]+)", curve)]
        require(all(57 <= x <= 429 and 7 <= y <= 167 for x, y in places), "a curve leaves its figure")


def check_numbers(page, archives):
    rows = rows_of(page)
    try:
        import h5py
    except ImportError:
        print("skipped: the report's numbers, as there is no h5py")
        return
    for k, path in enumerate(archives):
        with h5py.File(path, "r") as file:
            columns = [name.decode() for name in file["ledger/column"]]
            values = file["ledger/values"][:]
            summary = json.loads(bytes(file["run/summary"][:]))
        for column in ("kinetic", "total", "lost_stretch_damping"):
            at = columns.index(column)
            expected = f"{values[0, at]:.9g} → {values[-1, at]:.9g} J"
            found = rows[column.replace("_", " ")][k]
            require(found == expected, f"the ledger has {expected}, the report {found}")
        require(rows["events"][k] == str(summary["events"]), f"{rows['events'][k]} events instead of {summary['events']}")
        require(f"smallest gap at a tick {summary['contact']['smallest_gap']:.6g} m" in rows[""][k], f"{rows['']}")


def check_two(page, first, second):
    differing = re.search(r"Parameters that differ</h2>(.*?)</table>", page, re.DOTALL)[1]
    labels = re.findall(r"<tr><th>([^<]+)</th>", differing)
    require(labels == ["contact.restitution"], f"the parameters that differ are {labels}")
    require(rows_of(differing)["contact.restitution"] == ["", "0.25"], f"{rows_of(differing)}")
    verdicts = rows_of(page)["contact"]
    require(verdicts[0].startswith("PASS from 0 to 0.3 s: nothing touched, never closer than"), verdicts[0])
    require(verdicts[1].startswith("not judged on the way"), verdicts[1])
    # The same axes: the same grid in both figures of a row.
    for row in re.findall(r'<div class="figures">(.*?)</div></div>', page, re.DOTALL):
        grids = [re.findall(r'class="grid" d="([^"]*)"/><text[^>]*>([^<]*)', figure)
                 for figure in re.findall(r"<svg.*?</svg>", row, re.DOTALL)]
        require(len(grids) == 2 and grids[0] == grids[1], "two figures of one row have other axes")


def check_messages(folder, archive):
    for words, status, *paths in (("expected an archive", 2), ("could not be opened", 2, os.path.join(folder, "none.h5")),
                                  ("is not an HDF5 file", 2, archive, os.path.join(folder, "scene.json"))):
        told = call("report", *paths, "-o", os.path.join(folder, "none.html"), status=status)
        require(words in told and told.count("\n") == 1, f"{paths}: {told}")
    require(not os.path.exists(os.path.join(folder, "none.html")), "a wrong call has made a page")


def check_browser(folder, pages):
    programs = find_browser()
    if programs is None:
        print("skipped: the pages in a browser, as there is no chromium with chromedriver")
        return
    browser = Browser(programs, folder)
    try:
        for page in pages:
            browser.open(page)
            whole = browser.run("""const images = [...document.images];
                return [images.length, images.every((image) => image.complete && image.naturalWidth > 100),
                        document.querySelectorAll('svg path.curve').length, document.body.scrollWidth <= innerWidth]""")
            require(whole[0] >= 7 and whole[1] and whole[2] > 8 and whole[3], f"in the browser: {whole}")
            require(browser.complaints() == [], "the console has complaints")
            if SHOTS:
                browser.screenshot(os.path.join(SHOTS, os.path.basename(page) + ".png"))
    finally:
        browser.close()


with tempfile.TemporaryDirectory(prefix="cinch-report-") as folder:
    plain = write_archive(folder)
    run, other = os.path.join(folder, "proved.h5"), os.path.join(folder, "other.h5")
    call("run", "-q", "--prove", os.path.join(folder, "scene.json"), "-o", run)
    call("run", "-q", os.path.join(folder, "scene.json"), "--set", "contact.restitution=0.25", "-o", other)
    one, two = os.path.join(folder, "one.html"), os.path.join(folder, "two.html")
    call("report", plain, "-o", one)
    call("report", run, other, "-o", two)
    check_page(read(one), 1)
    check_page(read(two), 2)
    check_numbers(read(one), [plain])
    check_numbers(read(two), [run, other])
    check_two(read(two), run, other)
    check_messages(folder, plain)
    check_browser(folder, [one, two])
finish()

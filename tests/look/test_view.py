"""`cinch view` makes a page that works: opened from the disk in Debian's chromium, without a network.

No complaint on the console; the picture is not blank, and changes with the time, when playing, with each colour, wires, pairs,
bodies and the mouse; what the page holds is what the archive holds; the plots show data. Parts are skipped with a message where
chromium or h5py is missing. Run as test_view.py PATH/TO/cinch ROOT [DIRECTORY for screenshots].
"""

import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from browser import Browser, find_browser  # noqa: E402
from looking import FRAMES, call, finish, require, write_archive  # noqa: E402

SHOTS = sys.argv[3] if len(sys.argv) > 3 else None


def check_file(page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    require("{{" not in text[:4000], "a place of the template was not filled in")
    outside = re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)\s*=', text)
    require(not outside, f"the page refers to other files: {outside}")


def settle(browser):
    """Waits until what was asked for is drawn."""
    drawn = browser.run("return state.drawn")
    browser.run("wanted = true")
    require(browser.wait(f"state.drawn > {drawn}"), "the page draws nothing any more")


def picture(browser):
    settle(browser)
    return browser.run("return canvas.toDataURL('image/png')")


def shot(browser, name):
    if SHOTS:
        browser.screenshot(os.path.join(SHOTS, name + ".png"))


def check_loads(browser, page):
    browser.open(page)
    require(browser.wait("typeof state !== 'undefined' && state.drawn > 1"), "nothing is drawn")
    require(browser.complaints() == [], "the console has complaints")
    colours = browser.run("""
        const gl = renderer.getContext(), pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
        gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
        const seen = new Map();
        for (let i = 0; i < pixels.length; i += 4) {
          const key = pixels[i] >> 4 << 8 | pixels[i + 1] >> 4 << 4 | pixels[i + 2] >> 4;
          seen.set(key, (seen.get(key) || 0) + 4 / pixels.length);
        }
        return [seen.size, Math.max(...seen.values())]""")
    require(colours[0] > 10 and colours[1] < 0.98, f"{colours[0]} shades, {colours[1]:.0%} of one: the picture is blank")


def check_changes(browser):
    seen = {"begin": picture(browser)}

    def differs(name):
        found = picture(browser)
        same = [other for other, its in seen.items() if its == found]
        require(not same, f"{name}: the same picture as {same}")
        seen[name] = found
        shot(browser, "view_" + name.replace(" ", "_"))

    browser.run("element('scrub').value = 600; element('scrub').oninput({ target: element('scrub') })")
    differs("scrubbed")
    require(abs(browser.run("return state.time") - 0.18) < 1e-9, "the slider leads to another time")
    for option in range(browser.run("return element('colour').options.length - 1")):
        browser.run("element('colour').value = arguments[0]; element('colour').onchange({ target: element('colour') })", str(option))
        name = browser.run("return RUN.fields[arguments[0]].name", option)
        differs("colour " + name)
        legend = browser.run("return element('legend').hidden ? '' : element('legend').innerText")
        require(name.replace("_", " ") in legend and legend.count("\n") >= 5, f"{name}: the legend says {legend!r}")
    browser.run("element('colour').value = ''; element('colour').onchange({ target: element('colour') })")
    require(picture(browser) == seen["scrubbed"], "bodies have other colours after a field was shown")
    for name in ("wires", "pairs", "gap"):
        browser.run("element(arguments[0]).click()", name)
        differs(name)
        browser.run("element(arguments[0]).click()", name)
    require(picture(browser) == seen["scrubbed"], "what was switched on is not off again")
    browser.run("element('bodies').querySelectorAll('input')[1].click()")
    differs("without the sheet")
    browser.run("element('bodies').querySelectorAll('input')[1].click()")
    browser.run("camera.position.multiplyScalar(1.7); controls.update()")
    differs("farther")
    browser.run("element('home').click()")
    require(picture(browser) == seen["scrubbed"], "the whole view is another one")


def check_mouse(browser):
    before = picture(browser)
    canvas = browser.find("#view")
    move = lambda x, y: {"type": "pointerMove", "duration": 50, "x": x, "y": y,  # noqa: E731
                         "origin": {"element-6066-11e4-a52e-4f735466cecf": canvas}}
    browser.ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
        move(0, 0), {"type": "pointerDown", "button": 0}, move(120, 30), {"type": "pointerUp", "button": 0}]}]})
    turned = picture(browser)
    require(turned != before, "dragging does not turn the view")
    browser.ask("POST", "/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [
        {"type": "scroll", "x": 0, "y": 0, "deltaX": 0, "deltaY": 300,
         "origin": {"element-6066-11e4-a52e-4f735466cecf": canvas}}]}]})
    require(picture(browser) != turned, "the wheel does not zoom")
    browser.run("element('home').click()")


def check_play(browser):
    """The page watches itself, so that nothing depends on how fast this machine is at the moment."""
    browser.run("""
        window.watched = [];
        window.pauseAt = 0.1;
        const plain = draw;
        draw = () => {
          plain();
          watched.push([state.time, watched.length % 5 ? '' : canvas.toDataURL()]);
          if (state.playing && state.time > pauseAt) { pauseAt = Infinity; element('play').click(); }
        };
        seek(BEGIN); element('speed').value = '0.1'; element('speed').onchange({ target: element('speed') });
        element('play').click()""")
    require(browser.wait("!state.playing"), "playing does not come to where it is paused")
    paused = browser.run("return state.time")
    settle(browser)
    settle(browser)
    require(0.1 < paused < 0.12 and browser.run("return state.time") == paused, f"paused at {paused}, and it goes on")
    browser.run("element('play').click()")
    require(browser.wait("!state.playing"), "playing does not come to an end")
    watched = browser.run("return watched")
    times, pictures = [time for time, _ in watched], [picture for _, picture in watched if picture]
    require(times == sorted(times) and times[-1] == browser.run("return END"), f"playing went through {times}")
    # A step is a tenth of a second at most, however long the page was kept waiting: slowed down ten times, 0.01 s.
    steps = [late - early for early, late in zip(times, times[1:])]
    require(0 < max(steps) < 0.01 + 1e-9, f"playing went by steps of {max(steps)}")
    require(all(early != late for early, late in zip(pictures, pictures[1:])), "playing shows the same picture")
    browser.run("seek(END); document.onkeydown({ key: 'ArrowLeft', target: document.body, preventDefault() {} })")
    settle(browser)
    require(f"frame {FRAMES - 1} of {FRAMES}" in browser.run("return element('clock').textContent"),
            "the arrow key does not go by frames")


def check_plots(browser):
    plots = browser.run("""return charts.map((chart, i) => {
        const sheet = chart.canvas, data = sheet.getContext('2d').getImageData(0, 0, sheet.width, sheet.height).data;
        let inked = 0;
        for (let k = 3; k < data.length; k += 4) inked += data[k] > 0;
        return [RUN.plots[i].title, inked, chart.data.datasets.map((set) => [set.label, set.data.filter((p) => isFinite(p.y)).length])];
    })""")
    titles = [plot[0] for plot in plots]
    for title in ("Energy", "Balance of energy", "Deepest layer", "Smallest gap", "Pairs in contact", "Events per simulated second"):
        require(title in titles, f"there is no plot {title} among {titles}")
    for title, inked, series in plots:
        require(inked > 500, f"{title}: only {inked} pixels are drawn")
        require(series and all(n > 1 for _, n in series), f"{title}: {series}")
    labels = dict((plot[0], [name for name, _ in plot[2]]) for plot in plots)["Energy"]
    require({"kinetic", "total", "contact"} <= set(labels), f"Energy shows {labels}")
    # The cursor is tied to the time: both ways.
    before = browser.run("seek(BEGIN); draw(); return charts[0].canvas.toDataURL()")
    after = browser.run("seek(END); draw(); return charts[0].canvas.toDataURL()")
    require(before != after, "the line in the plots stands still")
    browser.run("const chart = charts[0]; chart.options.onClick({ x: chart.scales.x.getPixelForValue(0.1) }, null, chart)")
    require(abs(browser.run("return state.time") - 0.1) < 1e-6, "a click on a plot does not lead to its time")


def check_numbers(browser, archive):
    try:
        import h5py
    except ImportError:
        print("skipped: the page's numbers, as there is no h5py")
        return
    with h5py.File(archive, "r") as file:
        position, span = file["motion/position"][:], max(browser.run("return RUN.span"))
        for frame in (0, FRAMES // 2, FRAMES - 1):
            shown = browser.run("seek(RUN.time[arguments[0]]); draw(); return Array.from(where)", frame)
            worst = max(abs(a - b) for a, b in zip(shown, position[frame].flatten().tolist()))
            require(len(shown) == position[frame].size, "another number of vertices")
            require(worst <= span / 65535, f"frame {frame}: a vertex is off by {worst}")
        speeds = (file["motion/velocity"][FRAMES // 2] ** 2).sum(axis=1) ** 0.5
        field = browser.run("""const k = RUN.fields.findIndex((field) => field.name === 'speed'), at = arguments[0] * RUN.vertices;
            return [RUN.fields[k].low, RUN.fields[k].high, Array.from(run.fields[k].slice(at, at + RUN.vertices))]""", FRAMES // 2)
        worst = max(abs(field[0] + (field[1] - field[0]) * part / 255 - speed)
                    for part, speed in zip(field[2], speeds.tolist()) if speed < field[1])
        require(worst <= (field[1] - field[0]) / 255, f"a speed is off by {worst}")


with tempfile.TemporaryDirectory(prefix="cinch-view-") as folder:
    run = write_archive(folder)
    page = os.path.join(folder, "run.html")
    told = call("view", run, "-o", page)
    require("open it in a browser" in told, told)
    check_file(page)
    message = call("view", run, "--bodies", "shirt", "-o", page + ".none", status=2)
    require('there is no body "shirt"' in message and not os.path.exists(page + ".none"), message)
    call("view", run, "-o", page + ".small", "--size-limit", "3.03")
    with open(page + ".small", encoding="utf-8") as file:
        small = file.read()
    require(re.search("The page has one in [2-9] of 16 frames, to stay below 3 MB.", small), "frames are left out without a word")
    require(len(small) < 3.03e6, f"{len(small)} bytes where 3.03 million were allowed")
    os.environ["CINCH_JAVASCRIPT"] = folder
    message = call("view", run, "-o", page + ".none", status=1)
    require("libjs-three" in message, message)
    programs = find_browser()
    if programs is None:
        print("skipped: the page itself, as there is no chromium with chromedriver")
        finish()
    browser = Browser(programs, folder)
    try:
        check_loads(browser, page)
        check_changes(browser)
        check_mouse(browser)
        check_play(browser)
        check_plots(browser)
        check_numbers(browser, run)
        require(browser.complaints() == [], "the console has complaints in the end")
        shot(browser, "view_end")
    finally:
        browser.close()
finish()

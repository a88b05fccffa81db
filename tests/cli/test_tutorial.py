"""The tutorial's commands run as written, in its order, and print what it shows. "…" stands for anything. Run as
test_tutorial.py PATH/TO/cinch ROOT."""

import os
import re
import shlex
import subprocess
import sys
import tempfile

CINCH, ROOT = (os.path.abspath(argument) for argument in sys.argv[1:3])


def blocks(text):
    """(name of the file, its text) for a file to save; (command, lines that it prints) for each command."""
    text = re.sub(r"Save this as `([\w.]+)`:\n\n```json\n(.*?)^```$", lambda found: f"    % {found[1]}\n" + "".join(
        f"    {line}\n" for line in found[2].splitlines()), text, flags=re.DOTALL | re.MULTILINE)
    for block in re.findall(r"(?:^    .*\n)+", text, re.MULTILINE):
        lines = [line[4:] for line in block.splitlines()]
        starts = [k for k, line in enumerate(lines) if line.startswith(("$ ", "% "))]
        assert starts and starts[0] == 0, f"a block that begins with neither a command nor a file: {lines[0]}"
        for start, end in zip(starts, [*starts[1:], len(lines)]):
            yield lines[start], lines[start + 1:end]


def run(command, expected):
    words = shlex.split(command)
    assert words[0] == "cinch", f"the tutorial asks for {words[0]}"
    done = subprocess.run([CINCH, *words[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", timeout=300)
    assert done.returncode == 0, f"{command}: exit status {done.returncode}: {done.stdout}"
    squeezed = " ".join(done.stdout.split())
    pattern = ".*".join(re.escape(" ".join(part.split())) for part in " ".join(expected).split("…"))
    # Spaces beside "…" may be part of what it stands for.
    pattern = re.sub(r"(?:\\ )?\.\*(?:\\ )?", ".*", pattern)
    assert re.fullmatch(pattern, squeezed, re.DOTALL), f"{command}: the tutorial shows {expected}, but there is {done.stdout}"


os.environ["LC_ALL"] = "C.UTF-8"
# One processor: threads that wait for each other are slow where others want the processors too.
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
with open(os.path.join(ROOT, "docs", "tutorial.md"), encoding="utf-8") as file:
    steps = list(blocks(file.read()))
commands = [head[2:] for head, _ in steps if head.startswith("$ ")]
assert len(commands) >= 12 and len(commands) < len(steps), f"only {len(commands)} commands are found"
for used in ("check", "run", "picture", "view", "report", "diff", "export", "verify"):
    assert any(command.startswith(f"cinch {used} ") for command in commands), f"the tutorial does not use cinch {used}"
with tempfile.TemporaryDirectory(prefix="cinch-tutorial-") as folder:
    os.chdir(folder)
    for head, lines in steps:
        if head.startswith("% "):
            with open(head[2:], "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
        else:
            print(head, flush=True)
            run(head[2:], lines)
    os.chdir("/")
print("passed")

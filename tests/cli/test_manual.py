"""There is a man page for the program and for each command; it names every option that --help names, and man reads it without a
complaint. Run as test_manual.py PATH/TO/cinch ROOT."""

import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.abspath(sys.argv.pop(2))

from harness import check, describe, require, run_checks, succeed


def commands():
    return re.findall(r"^  (\w+) +\w", succeed("--help").out, re.MULTILINE)


def options(text):
    return set(re.findall(r"--[a-z][a-z-]+", text))


def plain(page):
    return page.replace("\\-", "-")


@check
def pages_name_every_option():
    require({"run", "view", "report", "watch", "picture", "export"} <= set(commands()), f"{commands()}")
    for command in commands():
        shown, page = succeed(command, "--help").out, plain(succeed(command, "--man").out)
        require(options(shown) <= options(page), f"{command}: the page lacks {options(shown) - options(page)}")
        require("--man" not in options(shown), f"{command}: --man is for packages, not for people")
        for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS"):
            require(f".SH {section}\n" in page, f"{command}: no section {section}")


@check
def all_pages_are_installed():
    with open(os.path.join(ROOT, "src", "meson.build"), encoding="utf-8") as file:
        listed = re.search(r"^commands = \[(.*)\]", file.read(), re.MULTILINE)[1]
    require(sorted(re.findall(r"'(\w+)'", listed)) == sorted(commands()), f"src/meson.build installs pages of {listed}")


@check
def the_program_has_a_page():
    page = plain(succeed("--man").out)
    for command in commands():
        require(f"cinch-{command} (1)" in page, f"cinch.1 does not name {command}")


@check
def man_reads_them():
    if shutil.which("man") is None or shutil.which("groff") is None:
        print("skipped: man itself, as there is no man or groff", end="; ")
        return
    for command in (None, *commands()):
        page = succeed(*([command] if command else []), "--man")
        read = subprocess.run(["man", "--warnings", "-l", "-"], input=page.stdout, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={"PATH": "/usr/bin:/bin", "MANWIDTH": "100", "LC_ALL": "C.UTF-8"}, timeout=60)
        require(read.returncode == 0 and read.stderr == b"", f"{command}: {read.stderr.decode()[:500]}")
        text = read.stdout.decode()
        for option in options(plain(page.out)):
            require(option in text, f"{command}: man does not show {option}: {text[:2000]}")


sys.exit(run_checks())

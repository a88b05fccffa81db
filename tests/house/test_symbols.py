"""What the object files say of themselves, read with nm.

A file exports only names that begin with its module's prefix; libcinch.so exports only cinch_*; the engine takes
nothing from libm whose last bit depends on the processor or on the version of libm; and the judge of motions (src/verify)
takes nothing from the engine that it judges, neither by a call nor by a header. Run as
test_symbols.py NM LIBCINCH_ENGINE.a CINCH LIBCINCH.so LIBCINCH_LOOK.a.
"""

import glob
import os
import re
import subprocess
import sys

# A module is the first word of its file's name: src/shells/force_spring.c exports force_*. The exceptions:
PREFIXES = {
    "core/error": ["error_", "cinch_error_quark"],  # the public header's name of the domain
    "io/xdmf": ["archive_"],  # the archive's sidecar
    "contact/visit": ["contact_"],
    "shells/assemble": ["world_"],
    "sim/settle": ["settle"],  # settle() is the module, and what is settled
    "sim/record": ["simulation_"],
    "cli/main": ["main", "command_"],
}

# IEEE 754 says what these return, to the last bit.
EXACT = {"ceil", "copysign", "fabs", "floor", "fmax", "fmaxf", "fmin", "fminf", "frexp", "ldexp", "nextafter", "nextafterf", "rint",
         "sqrt", "trunc"}


def nm(*arguments):
    done = subprocess.run([NM, *arguments], stdout=subprocess.PIPE, check=True, encoding="utf-8")
    return done.stdout.splitlines()


def symbols(path, *options):
    """(file below src/ without its ending, or None; name of the symbol) for each symbol of an object or archive."""
    for line in nm("--print-file-name", *options, path):
        place, name = line.rsplit(":", 1)[0], line.split()[-1].split("@")[0]
        file = re.search(r"(\w+)\.c\.o\]?$", place)
        yield file and file[1].replace("_", "/", 1), name


def prefixes(file):
    return PREFIXES.get(file) or [os.path.basename(file).split("_")[0] + "_"]


def is_compilers(name):
    return name.startswith("__") or name.startswith(".")  # sanitizers, OpenMP


def wrong_prefixes(objects):
    for path in objects:
        for file, name in symbols(path, "--extern-only", "--defined-only"):
            if not is_compilers(name) and not name.startswith(tuple(prefixes(file))):
                yield f"src/{file}.c exports {name}; expected {' or '.join(p + '*' for p in prefixes(file))}"


def wrong_exports(library):
    for _, name in symbols(library, "--dynamic", "--defined-only"):
        if not is_compilers(name) and not name.startswith("cinch_"):
            yield f"{os.path.basename(library)} exports {name}; expected cinch_*"


def libm_names(library):
    loaded = subprocess.run(["ldd", library], stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
    path = re.search(r"libm\.so\S* => (\S+)", loaded)[1]
    return {name for _, name in symbols(path, "--dynamic", "--defined-only")}


def inexact_functions(engine, library):
    inexact = libm_names(library) - EXACT
    if not {"sin", "pow", "atan2", "sincosf"} <= inexact:
        yield f"nm shows no names of libm: {sorted(inexact)[:5]}"
    for file, name in symbols(engine, "--undefined-only"):
        if name in inexact:
            yield f"src/{file}.c calls {name} of libm; src/core/real.h has functions with the same bits everywhere"


# What the judge may have from elsewhere: functions of one number, without which there are no angles of linking numbers.
JUDGES_HEADERS = {"core/real.h"}


def judges_debts(engine):
    """Names and headers of other modules that src/verify uses."""
    owner = {name: file for file, name in symbols(engine, "--extern-only", "--defined-only")}
    for file, name in symbols(engine, "--undefined-only"):
        if file.startswith("verify/") and not owner.get(name, "verify/").startswith(("verify/", "core/real")):
            yield f"src/{file}.c calls {name} of src/{owner[name]}.c: the judge shares nothing with the engine"
    sources = glob.glob(os.path.join(os.path.dirname(__file__), "..", "..", "src", "verify", "*.[ch]"))
    if not sources or not any(file.startswith("verify/") for file in owner.values()):
        yield "there is no judge in src/verify"
    for path in sources:
        with open(path, encoding="utf-8") as source:
            for header in re.findall(r'^#include "(.*)"', source.read(), re.MULTILINE):
                if not header.startswith("verify/") and header not in JUDGES_HEADERS:
                    yield f"src/verify/{os.path.basename(path)} includes {header}: the judge shares nothing with the engine"


NM, ENGINE, COMMAND, LIBRARY, LOOK = sys.argv[1:]
objects = [ENGINE, LOOK, *glob.glob(COMMAND + ".p/*.o")]  # meson's folder for the objects of the command
found = [pair for path in objects for pair in symbols(path, "--extern-only", "--defined-only")]
if None in dict(found) or not {"core/real", "cli/main"} <= dict(found).keys():
    sys.exit("nm does not show the objects of the engine and of the command")
faults = [*wrong_prefixes(objects), *wrong_exports(LIBRARY), *inexact_functions(ENGINE, LIBRARY), *judges_debts(ENGINE)]
print("\n".join(faults) or f"{len(found)} names, none wrong")
sys.exit(1 if faults else 0)

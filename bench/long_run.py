"""One run of very many events: does memory stay, does energy have a trend? Run as long_run.py CINCH SCENE SECONDS [OPTION...]

SECONDS: simulated; the options go to cinch run. There are 2000 frames. Prints the resident memory (of /proc) after a tenth of the run
and at its end, and the slope of the total energy over the run with its standard error, which is estimated from the means of twenty
stretches. Energy that is not bound to be kept, as in scenes with damping, has a trend of course.
"""

import os
import subprocess
import sys
import tempfile
import time

import h5py
import numpy

CINCH, SCENE, SECONDS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), float(sys.argv[3])
FRAMES, STRETCHES = 2000, 20


def resident(pid):
    """MB; None when it has ended."""
    try:
        with open(f"/proc/{pid}/status") as status:
            lines = [line.split() for line in status if line.startswith("VmRSS")]
    except OSError:
        return None
    return int(lines[0][1]) / 1024 if lines else None


def watch(archive):
    """The memory by the end of each tenth of the wall time, and the largest."""
    running = subprocess.Popen([CINCH, "run", SCENE, "-q", "-o", archive, "--until", str(SECONDS), "--threads", "1", *sys.argv[4:],
                                "--set", f"time.end={SECONDS}", "--set", f"time.frame={SECONDS / FRAMES}"])
    samples = []
    while running.poll() is None:
        samples.append(resident(running.pid))
        time.sleep(0.2)
    if running.returncode != 0:
        sys.exit(f"the run ended with {running.returncode}")
    samples = [sample for sample in samples if sample]
    tenths = [samples[min(len(samples) - 1, len(samples) * k // 10)] for k in range(1, 11)]
    return tenths, max(samples), len(samples)


def slope(times, values):
    """Per second, and its standard error, from the means of stretches."""
    size = len(values) // STRETCHES
    t, y = (numpy.array([column[k * size:(k + 1) * size].mean() for k in range(STRETCHES)]) for column in (times, values))
    t = t - t.mean()
    found = (t * y).sum() / (t * t).sum()
    rest = y - y.mean() - found * t
    return found, numpy.sqrt((rest * rest).sum() / (STRETCHES - 2) / (t * t).sum())


with tempfile.TemporaryDirectory(prefix="cinch-long-") as folder:
    path = os.path.join(folder, "run.h5")
    memory, largest, n = watch(path)
    with h5py.File(path) as archive:
        names = [name.decode() for name in archive["ledger/column"][:]]
        energy = archive["ledger/values"][:, names.index("total")]
        times, events = archive["motion/time"][:], int(archive["fields/events"][-1])
print(f"{events} events")
print("MB after each tenth:", " ".join(f"{sample:.2f}" for sample in memory), f"; at most {largest:.2f} of {n} samples")
gain, error = slope(times, energy)
print(f"energy {energy[0]:.9g} at first, {energy.min():.9g} to {energy.max():.9g}; over the run {gain * times[-1] / energy[0]:+.2e} +- "
      f"{error * times[-1] / energy[0]:.2e} of it ({gain / error:+.1f} standard errors)")

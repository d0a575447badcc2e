"""The measured run of VGG16's training function on the simulated device, beside Theano's own compile of it there."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from theanodiag.capture.model import InstrumentRequest
from theanodiag.capture.runner import run_script
from theanodiag.confirmation.pygpu import virtual, with_flags
from theanodiag.confirmation.simulated_cuda import CannotBuild, build
from theanodiag.devices import by_name
from theanodiag.files import user_cache

from ._timing import interpreter

MODEL = Path(__file__).parents[1] / "tests" / "memory" / "models" / "vgg16.py"
COMPILE = """
import os, time, theano
function = theano.function
def clocks():
    return time.time(), sum(os.times()[:4])
def timed(*args, **kwargs):
    before = clocks()
    function(*args, **kwargs)
    print("seconds %.3f %.3f" % tuple(now - then for now, then in zip(clocks(), before)))
    raise SystemExit
theano.function = timed
exec(compile(open({path!r}).read(), {path!r}, "exec"))
"""


def main() -> None:
    """Prints seconds, of the wall and of processors, and the ratios, each from an empty cache of modules; the mark is 1.5."""
    python = interpreter("gpu")
    if python is None:
        return
    try:
        device = virtual(build(user_cache(os.environ)), by_name("16GiB"), {"device": "cuda0"})
    except CannotBuild as reason:
        print(f"   skipped: {reason}", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        env = with_flags(os.environ, "theano", {**device.flags, "floatX": "float32", "base_compiledir": f"{folder}/compile"})
        command = [python, "-c", COMPILE.format(path=str(MODEL))]
        told = subprocess.run(command, env=device.environment(env, Path(folder)), capture_output=True, text=True, check=True)
        compiling, computing = map(float, told.stdout.split("seconds ")[1].split()[:2])
        env = with_flags(os.environ, "theano", {**device.flags, "floatX": "float32", "base_compiledir": f"{folder}/run"})
        instrument = InstrumentRequest(device.instrument.path, device.instrument.options)
        start, before = time.perf_counter(), sum(os.times()[:4])
        ran = run_script(MODEL, python, calls="real", env=device.environment(env, Path(folder)), instrument=instrument)
        running, used = time.perf_counter() - start, sum(os.times()[:4]) - before
    calls = device.read(ran.measured).calls
    print(f"   {len(calls)} calls of {len(calls[0].nodes) if calls else 0} nodes measured; the script {ran.end.status}")
    print(f"   run {running:.1f} s, compiling {compiling:.1f} s: {running / compiling:.2f} (the mark is 1.5)")
    print(f"   of processors, which other work disturbs less: {used:.1f} s, {computing:.1f} s: {used / computing:.2f}")

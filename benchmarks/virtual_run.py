"""The measured run of VGG16's training function on the simulated device, beside Theano's own compile of it there."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from theanodiag.capture.model import InstrumentAsked
from theanodiag.capture.runner import run_script
from theanodiag.confirm.available import cache
from theanodiag.confirm.flags import with_flags
from theanodiag.confirm.pygpu import virtual
from theanodiag.confirm.virtual import CannotBuild, build
from theanodiag.devices import by_name

from ._timing import interpreter

MODEL = Path(__file__).parents[1] / "tests" / "memory" / "models" / "vgg16.py"
COMPILE = """
import time, theano
function = theano.function
def timed(*args, **kwargs):
    start = time.time()
    function(*args, **kwargs)
    print("seconds %.3f" % (time.time() - start))
    raise SystemExit
theano.function = timed
exec(compile(open({path!r}).read(), {path!r}, "exec"))
"""


def main() -> None:
    """Prints seconds and the ratio, each from an empty cache of modules; the mark is 1.5."""
    python = interpreter("gpu")
    if python is None:
        return
    try:
        device = virtual(build(cache(os.environ)), by_name("16GiB"), {"device": "cuda0"})
    except CannotBuild as reason:
        print(f"   skipped: {reason}", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        env = with_flags(os.environ, "theano", {**device.flags, "floatX": "float32", "base_compiledir": f"{folder}/compile"})
        command = [python, "-c", COMPILE.format(path=str(MODEL))]
        told = subprocess.run(command, env=device.environment(env, Path(folder)), capture_output=True, text=True, check=True)
        compiling = float(told.stdout.split("seconds ")[1])
        env = with_flags(os.environ, "theano", {**device.flags, "floatX": "float32", "base_compiledir": f"{folder}/run"})
        instrument = InstrumentAsked(device.instrument.path, device.instrument.options)
        start = time.perf_counter()
        ran = run_script(MODEL, python, calls="real", env=device.environment(env, Path(folder)), instrument=instrument)
        running = time.perf_counter() - start
    calls = device.read(ran.measured).calls
    print(f"   {len(calls)} calls of {len(calls[0].nodes) if calls else 0} nodes measured; the script {ran.end.status}")
    print(f"   run {running:.1f} s, compiling {compiling:.1f} s: {running / compiling:.2f} (the mark is 1.5)")

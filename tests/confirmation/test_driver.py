"""What a real driver is asked, tried on the simulated one: what is free, and filling it up."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from tests.interpreters import ROOT, THOROUGH, find
from tests.memory.stand.run import compiling, libraries
from theanodiag.capture.model import Capture, InstrumentRequest
from theanodiag.capture.runner import run_script
from theanodiag.confirmation.model import RESERVED
from theanodiag.confirmation.pygpu import PygpuDevice, cuda, virtual, with_flags
from theanodiag.devices import by_name
from theanodiag.ir import Unknown

SCRIPT = ROOT / "tests" / "confirmation" / "scripts" / "ends.py"


def device() -> PygpuDevice:
    """A simulated one."""
    return virtual(libraries(), by_name("1GiB"), {})


def ran(folder: Path, found: PygpuDevice, first: str = "", **options: object) -> Capture:
    """A measured run with further options of the instrument, with libraries of the folder `first` in front."""
    flags = {**found.flags, "floatX": "float32", "blas.ldflags": "", **compiling()}
    env = found.environment(with_flags(os.environ, "theano", flags), folder)
    env["LD_LIBRARY_PATH"] = first + env["LD_LIBRARY_PATH"]
    asked = InstrumentRequest(found.instrument.path, {**found.instrument.options, **options})
    return run_script(SCRIPT, find("gpu"), ("well",), calls="real", env=env, instrument=asked)


@THOROUGH
def test_what_is_free_tells_what_was_taken(tmp_path: Path) -> None:
    """The same as the driver's own counter; the context is what was gone before."""
    told, asked = (device().read(ran(tmp_path, device(), told=flag).measured) for flag in (True, False))
    assert [c.figures for c in asked.calls] == [c.figures for c in told.calls]
    assert isinstance(told.calls[0].figures[RESERVED], int)
    assert asked.process["context_bytes"] == 300 << 20
    assert asked.process["reserved_peak_bytes"] == told.process["reserved_peak_bytes"]


@THOROUGH
def test_a_library_counts_what_libgpuarray_asks_a_driver_for(tmp_path: Path) -> None:
    """As the simulated driver does itself; kernels that the driver loads are what it takes beside."""
    counted = f"{libraries().counted}:"
    told, asked = (device().read(ran(tmp_path, device(), first, told=not first).measured) for first in ("", counted))
    assert [c.figures for c in asked.calls] == [c.figures for c in told.calls]
    assert (asked.process["driver_bytes"], asked.process["context_bytes"]) == (0, 300 << 20)
    assert all(asked.process[name] == told.process[name] for name in ("live_peak_bytes", "reserved_peak_bytes"))


@THOROUGH
def test_a_device_that_is_filled_up(tmp_path: Path) -> None:
    """One block of libgpuarray is enough, and one byte less is not: Theano then runs on the CPU."""
    enough, less = (ran(tmp_path, device(), leave=4 * (1 << 20) - n) for n in (0, 1))
    live = [device().read(r.measured).calls[0].figures["live_peak_bytes"] for r in (enough, less)]
    assert isinstance(live[0], int)
    assert live[0] > 4000
    assert live[1] == 0


def test_a_limit_of_a_real_device() -> None:
    """The instrument is told what to leave; OpenCL has no such limit."""
    real = cuda(libraries(), "cuda0", "a card", 1 << 30, 1 << 29)
    smaller = real.limited(1000)
    assert isinstance(smaller, PygpuDevice)
    assert smaller.instrument.options["leave"] == 1000
    assert isinstance(replace(real, spec=replace(real.spec, kind="opencl")).limited(1000), Unknown)


def test_the_environment_keeps_what_the_user_has() -> None:
    """Libraries come in front; kernels of the simulated compiler are kept apart from real ones."""
    found = device().environment({"LD_PRELOAD": "/other.so", "LD_LIBRARY_PATH": "/lib", "THEANO_FLAGS": "floatX=float32"}, Path("/f"))
    assert found["LD_PRELOAD"].endswith("libclient.so:/other.so")
    assert found["LD_LIBRARY_PATH"].endswith(":/lib")
    assert found["THEANO_FLAGS"] == "floatX=float32,gpuarray.cache_path=/f/kernels"
    real = cuda(libraries(), "cuda0", "", None, None).environment({}, Path("/f"))
    assert real == {"LD_PRELOAD": found["LD_PRELOAD"].split(":")[0], "LD_LIBRARY_PATH": str(libraries().counted)}

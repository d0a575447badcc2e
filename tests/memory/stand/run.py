"""Runs scripts on the simulated device, and reads the figures of each call from the trace."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from theanodiag.confirmation.simulated_cuda import (
    CannotBuild,
    ClientAlloc,
    ClientFree,
    DriverAlloc,
    DriverFree,
    Libraries,
    TraceEvent,
    TraceMark,
    VirtualDevice,
    build,
    read_trace,
)  # fmt: skip

from ...interpreters import find

HERE = Path(__file__).parent
MODELS = HERE.parent / "models"
SHARED = Path(tempfile.gettempdir()) / "theanodiag-stand"
"""Built libraries and Theano's compiled modules: kept between runs of the tests."""


def compiling(folder: str = "compiled") -> dict[str, str]:
    """Theano's flags for a folder of compiled modules of this worker's own: no two wait for one another's lock."""
    base = str(SHARED / folder / os.environ.get("PYTEST_XDIST_WORKER", "alone"))
    return {"base_compiledir": base, "gcc.cxxflags": "-O0"}  # nothing is computed: compiling in less time counts


def joined(flags: Mapping[str, str], *more: str) -> str:
    """The text of THEANO_FLAGS."""
    return ",".join([*(f"{name}={value}" for name, value in flags.items()), *filter(None, more)])


@dataclass(frozen=True)
class RealCall:
    """What one call did on the device."""

    function: int
    before: int
    peak: int
    reserved: int
    """Highest bytes taken from the driver during the call."""


@cache
def libraries() -> Libraries:
    """The simulated device's libraries; skips the test where there is no C compiler."""
    try:
        return build(SHARED)
    except CannotBuild as reason:
        pytest.skip(str(reason))


def environment(flags: str, device: VirtualDevice) -> dict[str, str]:
    """The environment in which Theano sees the simulated device."""
    return device.environment(libraries(), os.environ, joined(compiling(), flags))


def on_device(
    program: Path, *args: str, flags: str = "", device: VirtualDevice | None = None, interpreter: str = "gpu"
) -> subprocess.CompletedProcess[str]:
    """Runs a program of the GPU interpreter on the simulated device."""
    command = [find(interpreter), str(program), *args]
    env = environment(flags, device or VirtualDevice())
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=3600, check=False)


def traced(
    program: Path, *args: str, folder: Path, flags: str = "", device: VirtualDevice | None = None, interpreter: str = "gpu"
) -> Iterator[TraceEvent]:
    """Runs a program, which has to succeed, and reads its trace."""
    file = folder / "trace"
    device = device or VirtualDevice()
    with_trace = VirtualDevice(device.total_bytes, device.free_bytes, device.policy, device.keep_contents, file)
    done = on_device(program, *args, flags=flags, device=with_trace, interpreter=interpreter)
    assert done.returncode == 0, done.stderr[-2000:]
    return read_trace(file)


def calls_of(events: Iterable[TraceEvent]) -> list[RealCall]:
    """The calls between the marks of `marked.py`."""
    rows: list[RealCall] = []
    live = reserved = before = peak = most = 0
    function: int | None = None
    for event in events:
        if isinstance(event, (ClientAlloc, ClientFree)):
            live = event.live
        elif isinstance(event, (DriverAlloc, DriverFree)):
            reserved = event.live
        elif isinstance(event, TraceMark) and event.text.startswith("call "):
            function, before, peak, most = int(event.text.split()[1]), live, live, reserved
        elif isinstance(event, TraceMark) and function is not None and event.text.startswith("returned"):
            rows.append(RealCall(function, before, peak, most))
            function = None
        peak, most = max(peak, live), max(most, reserved)
    return rows


def real_calls(script: Path, folder: Path, flags: str = "", device: VirtualDevice | None = None) -> list[RealCall]:
    """The calls of a script, as they were on the simulated device."""
    return calls_of(traced(HERE / "marked.py", str(script), folder=folder, flags=flags, device=device))

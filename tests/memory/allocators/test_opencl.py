"""libgpuarray on OpenCL: random requests to the real one, and whole scripts whose kernels really run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from theanodiag.capture.runner import run_script
from theanodiag.confirmation.pygpu import NOT_OPENCL
from theanodiag.confirmation.simulated_cuda import ClientAlloc, ClientFree, TraceEvent, read_trace
from theanodiag.memory.allocators import Driver, OpenClAllocator
from theanodiag.memory.settings import AllocatorKind, MemorySettings
from theanodiag.memory.simulate import simulate

from ...interpreters import THOROUGH, find
from ..stand.run import HERE, MODELS, calls_of, compiling, joined, libraries

FLAGS = f"device=opencl0:0,floatX=float32,blas.ldflags=,dnn.enabled=False,optimizer_excluding={NOT_OPENCL}"


@pytest.fixture(scope="module", autouse=True)
def device() -> None:
    """Skips where there is no OpenCL device."""
    done = subprocess.run([find("gpu"), "-c", "import pygpu; pygpu.init('opencl0:0')"], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("needs an OpenCL device: install pocl-opencl-icd")


def environment(trace: Path, flags: str = "") -> dict[str, str]:
    """The counting library in front of libgpuarray, no simulated driver."""
    flags = joined(compiling("opencl"), FLAGS, flags)
    return {**os.environ, "LD_PRELOAD": str(libraries().client), "VIRTUAL_DEVICE_TRACE": str(trace), "THEANO_FLAGS": flags}


def traced(program: Path, *args: str, folder: Path, flags: str = "") -> Iterator[TraceEvent]:
    """Runs a program, which has to succeed, and reads its trace."""
    trace = folder / "trace"
    command = [find("gpu"), str(program), *args]
    done = subprocess.run(command, env=environment(trace, flags), capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return read_trace(trace)


def replay(events: Iterator[TraceEvent]) -> int:
    """Every request: the size of the buffer that OpenCL made, and what is live; how many there were."""
    allocator, held, requests = OpenClAllocator(Driver()), dict[int, int](), 0
    for event in events:
        if isinstance(event, ClientAlloc):
            grant = allocator.allocate(event.requested)
            assert grant is not None
            held[event.address] = grant.address
            assert (grant.held, allocator.live, allocator.reserved) == (event.held, event.live, event.live)
            requests += 1
        elif isinstance(event, ClientFree):
            allocator.release(held.pop(event.address))
    assert allocator.driver_requests == requests
    return requests


def test_real_buffers_are_predicted(tmp_path: Path) -> None:
    """Three hundred random traces."""
    assert replay(traced(HERE / "fuzz_opencl.py", "300", "1", folder=tmp_path)) > 6000


@THOROUGH
def test_ten_thousand_traces(tmp_path: Path) -> None:
    """Not a byte of difference."""
    assert replay(traced(HERE / "fuzz_opencl.py", "10000", "2", folder=tmp_path)) > 200_000


@THOROUGH
@pytest.mark.parametrize("flags", ["", "allow_gc=False"])
@pytest.mark.parametrize("name", ["mlp", "autoencoder", "embed_dense", "gru", "conv"])
def test_whole_scripts_are_exact(name: str, flags: str, tmp_path: Path) -> None:
    """Live bytes before every call, and at its peak."""
    real: dict[int, list[tuple[int, int]]] = {}
    for call in calls_of(traced(HERE / "marked.py", str(MODELS / f"{name}.py"), folder=tmp_path, flags=flags)):
        real.setdefault(call.function, []).append((call.before, call.peak))
    env = {k: v for k, v in environment(tmp_path / "dry", flags).items() if k == "THEANO_FLAGS"}
    script = run_script(MODELS / f"{name}.py", find("gpu"), env=env, stdout=os.open(os.devnull, os.O_WRONLY)).script
    settings = MemorySettings(AllocatorKind.OPENCL, allow_gc=bool(script.flags.get("allow_gc", True)))
    calls = simulate(script, settings).calls
    mine = {k: [(f.live_before_bytes, f.live_peak_bytes) for f in rows] for k, rows in calls.items()}
    assert mine == {k: rows[: len(mine.get(k, rows))] for k, rows in real.items()}

"""The instrument does not change what it measures: the real allocator is asked for the same, in the same order, with and without it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.interpreters import THOROUGH, find
from tests.memory.stand.run import MODELS, compiling, libraries
from theanodiag.capture.model import InstrumentRequest
from theanodiag.capture.runner import run_script
from theanodiag.confirmation.pygpu import PygpuDevice, virtual, with_flags
from theanodiag.confirmation.simulated_cuda import ClientAlloc, ClientFree, DriverAlloc, DriverFree, read_trace
from theanodiag.devices import by_name

MODELS_SEEN = {"mlp": 50, "lstm": 50, "branches": 50, "conv": 50, "held": 38}
"""Each script, and so many requests it makes more than."""


def device() -> PygpuDevice:
    """A simulated one."""
    return virtual(libraries(), by_name("4GiB"), {})


def requests(folder: Path, name: str, nodes: bool | None) -> list[tuple[str, int]]:
    """What was asked of the allocator and of the driver, in order; `nodes` None: without any instrument."""
    found, trace = device(), folder / f"trace-{nodes}"
    flags = {**found.flags, "floatX": "float32", "blas.ldflags": "", **compiling()}
    env = {**found.environment(with_flags(os.environ, "theano", flags), folder), "VIRTUAL_DEVICE_TRACE": str(trace)}
    asked = None if nodes is None else InstrumentRequest(found.instrument.path, {**found.instrument.options, "nodes": nodes})
    ran = run_script(MODELS / f"{name}.py", find("gpu"), calls="real", env=env, instrument=asked)
    assert ran.end.status in ("finished", "stopped"), ran.end.traceback
    return [row for event in read_trace(trace) for row in told(event)]


def told(event: object) -> list[tuple[str, int]]:
    """The kind and size of a request."""
    if isinstance(event, ClientAlloc):
        return [("take", event.requested)]
    if isinstance(event, ClientFree):
        return [("give", event.held)]
    if isinstance(event, (DriverAlloc, DriverFree)):
        return [(type(event).__name__, event.nbytes)]
    return []


@THOROUGH
@pytest.mark.parametrize("name", MODELS_SEEN)
def test_the_same_requests_in_the_same_order(name: str, tmp_path: Path) -> None:
    """With marks at every node, with measured calls only, and with nothing at all."""
    plain = requests(tmp_path, name, None)
    assert len(plain) > MODELS_SEEN[name]
    assert requests(tmp_path, name, False) == plain
    assert requests(tmp_path, name, True) == plain

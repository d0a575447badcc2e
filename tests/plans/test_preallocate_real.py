"""The recommended preallocation on the real libgpuarray: the driver is asked once more with 1 MB less, and not at all with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interpreters import THOROUGH
from tests.memory.stand.run import HERE, traced
from tests.plans.judge import SCRIPTS, reported
from theanodiag.confirmation.simulated_cuda import DriverAlloc, VirtualDevice


def requests(name: str, flags: str, folder: Path) -> int:
    """How many blocks the driver gave."""
    device = VirtualDevice(keep_contents=False)
    events = traced(HERE / "marked.py", str(SCRIPTS / f"{name}.py"), folder=folder, flags=flags, device=device)
    return sum(isinstance(e, DriverAlloc) for e in events)


NAMES = [
    ("kept_intermediates", "allow_gc=False"),
    pytest.param("conv_batch", "", marks=THOROUGH),
    pytest.param("big_batch", "", marks=THOROUGH),
]


@pytest.mark.parametrize(("name", "flags"), NAMES)
def test_it_is_enough_and_one_less_is_not(name: str, flags: str, tmp_path: Path) -> None:
    """The cache's first block and the reservation: two requests in all."""
    plan = reported(name, flags, None).preallocation
    assert plan is not None
    assert requests(name, f"{flags},gpuarray.preallocate={plan.value:g}", tmp_path) == 2
    assert requests(name, f"{flags},gpuarray.preallocate={plan.value - 1:g}", tmp_path) > 2

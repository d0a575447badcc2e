"""The smallest device on which a script runs: what is predicted is enough, and one byte less is not."""

from __future__ import annotations

import pytest

from theanodiag.confirmation.simulated_cuda import VirtualDevice

from ..interpreters import THOROUGH
from .stand.predict import predicted
from .stand.run import MODELS, on_device

NO_CACHE = "gpuarray.preallocate=-1"
LARGER = [("conv", ""), ("lstm", NO_CACHE), ("dropout_adam", NO_CACHE)]
CASES = [("mlp", NO_CACHE), *(pytest.param(*case, marks=THOROUGH) for case in LARGER)]


@pytest.mark.parametrize(("name", "flags"), CASES)
def test_one_byte_less_is_too_little(name: str, flags: str) -> None:
    """The reserved peak of the whole script is what has to be free."""
    need = predicted(MODELS / f"{name}.py", flags, VirtualDevice()).reserved_peak_bytes
    devices = [VirtualDevice(free_bytes=need - less) for less in (0, 1)]
    runs = [on_device(MODELS / f"{name}.py", flags=flags, device=device).returncode == 0 for device in devices]
    assert runs == [True, False]

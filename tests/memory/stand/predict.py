"""The prediction that belongs to a run on the simulated device: the script captured there, its functions not called."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from theanodiag.capture.runner import run_script
from theanodiag.confirmation.simulated_cuda import VirtualDevice
from theanodiag.memory.profile import ProcessProfile
from theanodiag.memory.script import Script
from theanodiag.memory.settings import AddressPolicy, MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.units import MIB

from ...interpreters import find
from .run import environment

CONTEXT = 300 * MIB
"""What the simulated device says its context takes."""


def captured(script: Path, flags: str = "", args: Sequence[str] = (), interpreter: str = "gpu") -> Script:
    """What the script does, seen without calling its functions."""
    env = environment(flags, VirtualDevice())
    return run_script(script, find(interpreter), args, env=env, stdout=os.open(os.devnull, os.O_WRONLY)).script


def settings_of(script: Script, device: VirtualDevice) -> MemorySettings:
    """The settings of the simulated device."""
    preallocate, allow_gc = script.flags.get("gpuarray.preallocate", 0.0), script.flags.get("allow_gc", True)
    return MemorySettings(
        preallocate=float(str(preallocate)),
        allow_gc=bool(allow_gc),
        total_bytes=device.total_bytes,
        free_bytes=device.total_bytes - CONTEXT,
        address_policy=AddressPolicy.FIRST_FIT,
    )


def predicted(script: Path, flags: str = "", device: VirtualDevice = VirtualDevice()) -> ProcessProfile:  # noqa: B008
    """The simulation of the script."""
    found = captured(script, flags)
    return simulate(found, settings_of(found, device))

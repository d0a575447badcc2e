"""The real libgpuarray on a simulated CUDA driver: any card, true sizes, no numbers."""

from __future__ import annotations

from ...probe.model import Ability, ProbeResult
from ..available import Answer, Circumstances
from ..pygpu import virtual
from .needs import INSTALL_THEANO, NO_THEANO, confirm, with_pygpu


def find(c: Circumstances) -> Answer:
    """The simulated driver with the sizes of the device that `--gpu` names."""
    refused = c.not_theano()
    if refused is not None:
        return refused
    if c.profile is None or c.profile.is_host:
        return "no device is named: give the device to simulate with --gpu"
    if c.pygpu.error is not None:
        return f"pygpu does not load in {c.python}: {c.pygpu.error}"
    libraries = c.libraries()
    return libraries if isinstance(libraries, str) else virtual(libraries, c.profile, c.flags)


def ability(machine: ProbeResult) -> Ability:
    """Whether a C compiler, Theano and pygpu are installed."""
    interpreter = with_pygpu(machine)
    if machine.compiler is None:
        return Ability("virtual", False, "no C compiler, which builds the simulated driver", None, "apt-get install gcc")
    if interpreter is None:
        return Ability("virtual", False, NO_THEANO, None, INSTALL_THEANO)
    line = "any card, true sizes, no numbers: the real libgpuarray on a simulated driver"
    return Ability("virtual", True, line, interpreter.path, confirm("virtual", interpreter))

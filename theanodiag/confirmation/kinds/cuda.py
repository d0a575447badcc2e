"""Theano on a CUDA GPU, through pygpu."""

from __future__ import annotations

from ...probe.libraries import TWO_DIGITS
from ...probe.model import Ability, ProbeResult
from ..available import Answer, Circumstances
from ..pygpu import cuda
from .needs import INSTALL_THEANO, NO_THEANO, confirm, described, opened


def find(c: Circumstances) -> Answer:
    """The first CUDA device that libgpuarray opens."""
    return c.on_pygpu("cuda", lambda libraries, d, title: cuda(libraries, d.name, title, d.total_bytes, d.free_bytes))


def ability(machine: ProbeResult) -> Ability:
    """Whether an NVIDIA GPU with driver, the CUDA libraries under the names that libgpuarray loads, Theano and pygpu are installed."""
    if not machine.gpus and machine.driver is None:
        return Ability("cuda", False, f"no NVIDIA GPU is seen: {machine.no_driver}")
    blind = [g for g in machine.gpus if g.capability is not None and g.capability[0] >= TWO_DIGITS]
    if machine.gpus and len(blind) == len(machine.gpus):
        line = f"libgpuarray 0.7.6 cannot name the architecture of {blind[0].name}: capabilities from 10.0 on have too many digits for it"
        return Ability("cuda", False, line)
    first = next(opened(machine, "cuda"), None)
    if first is not None:
        interpreter, device = first
        return Ability("cuda", True, described(device), interpreter.path, confirm("cuda", interpreter))
    broken = [(i, d.error) for i in machine.interpreters for f in i.frameworks for d in f.devices if d.backend == "cuda" and d.error]
    if broken:
        return Ability("cuda", False, f"{broken[0][0].path}: {broken[0][1]}", broken[0][0].path, "theanodiag doctor --links ~/cuda-links")
    return Ability("cuda", False, NO_THEANO, None, INSTALL_THEANO)

"""Theano on an OpenCL device, through pygpu."""

from __future__ import annotations

from ...probe.model import Ability, ProbeResult
from ..available import Answer, Circumstances
from ..pygpu import opencl
from .needs import INSTALL_THEANO, NO_THEANO, confirm, described, opened, with_pygpu


def find(c: Circumstances) -> Answer:
    """The first OpenCL device that libgpuarray opens."""
    return c.on_pygpu("opencl", lambda libraries, d, title: opencl(libraries, d.name, title, d.total_bytes, c.flags))


def ability(machine: ProbeResult) -> Ability:
    """Whether an OpenCL driver, clBLAST, Theano and pygpu are installed."""
    first = next(opened(machine, "opencl"), None)
    if first is not None:
        return Ability("opencl", True, described(first[1]), first[0].path, confirm("opencl", first[0]))
    interpreter = with_pygpu(machine)
    if interpreter is None:
        return Ability("opencl", False, NO_THEANO, None, INSTALL_THEANO)
    return Ability("opencl", False, "pygpu finds no OpenCL device", interpreter.path, "apt-get install pocl-opencl-icd libclblast-dev")

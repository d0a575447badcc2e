"""PyTensor in mode PYTORCH, on a GPU that torch sees, else on the CPU."""

from __future__ import annotations

from ...probe.model import Ability, ProbeResult
from ..available import Answer, Circumstances
from ..compiled import torch
from .needs import compiler_ability

HOSTS = ("pytensor",)
"""The frameworks that have this mode."""


def find(c: Circumstances) -> Answer:
    """The first GPU that torch finds, else the CPU."""
    return c.on_compiler("torch", HOSTS, 1.0, torch)


def ability(machine: ProbeResult) -> Ability:
    """Whether torch is installed together with PyTensor."""
    return compiler_ability(machine, "torch", HOSTS)

"""PyTensor or Aesara in mode JAX, on a GPU that JAX sees, else on the CPU."""

from __future__ import annotations

from ...probe.model import Ability, ProbeResult
from ..available import Answer, Circumstances
from ..compiled import POOL, jax
from .needs import compiler_ability

HOSTS = ("pytensor", "aesara")
"""The frameworks that have this mode."""


def find(c: Circumstances) -> Answer:
    """The first GPU that JAX finds, else the CPU."""
    return c.on_compiler("jax", HOSTS, POOL, jax)


def ability(machine: ProbeResult) -> Ability:
    """Whether JAX is installed together with PyTensor or Aesara."""
    return compiler_ability(machine, "jax", HOSTS)

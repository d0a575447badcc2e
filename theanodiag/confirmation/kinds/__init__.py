"""The kinds of devices on which a prediction can be confirmed: a module of this package each.

The command line imports only this file, for the names; the module of a kind is imported when it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from ...probe.model import Ability, ProbeResult
    from ..available import Answer, Circumstances

KINDS = ("cuda", "virtual", "opencl", "jax", "torch", "cpu")
"""All kinds, best first: what `--confirm` takes, what `doctor` lists, and the names of the modules here."""
SAMPLING = "pymc"
"""Value of `--confirm` for short runs of the samplers, which use no device."""
BEST = "best"
"""Value of `--confirm` for the best available kind."""


class ConfirmationKind(Protocol):
    """Interface of a kind's module."""

    def find(self, c: Circumstances) -> Answer:
        """The device of this kind for the given script, or the reason why none is available."""

    def ability(self, machine: ProbeResult) -> Ability:
        """Whether this machine has everything that the kind needs, and the next command."""


def kind_of(name: str) -> ConfirmationKind:
    """The module of the kind called `name`, one of `KINDS`."""
    return cast(ConfirmationKind, importlib.import_module(f"{__name__}.{name}"))

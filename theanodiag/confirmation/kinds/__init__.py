"""The kinds of devices on which a prediction can be confirmed: a module of this package each.

The command line imports this file alone, for the names; the module of a kind is imported when it is asked for.
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
"""What `--confirm` takes for short runs of the samplers, which are on no device."""
BEST = "best"
"""What `--confirm` takes for the best available kind."""


class ConfirmationKind(Protocol):
    """What the module of a kind offers."""

    def find(self, c: Circumstances) -> Answer:
        """The device of this kind for a script in these circumstances, or the reason why there is none."""

    def ability(self, machine: ProbeResult) -> Ability:
        """Whether this machine has all that the kind needs, and the next command."""


def kind_of(name: str) -> ConfirmationKind:
    """The module of the kind called `name`, one of `KINDS`."""
    return cast(ConfirmationKind, importlib.import_module(f"{__name__}.{name}"))

"""Which kinds of devices this machine can confirm on."""

from __future__ import annotations

from ..confirmation.kinds import KINDS, kind_of
from ..probe.model import Ability, ProbeResult


def abilities(found: ProbeResult) -> tuple[Ability, ...]:
    """The ability of each kind of device, best first."""
    return tuple(kind_of(name).ability(found) for name in KINDS)

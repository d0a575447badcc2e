"""What a device must be able to do for a prediction to be confirmed on it, and which device is taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, Union

from ..errors import UsageError
from ..ir import Unknown
from ..memory.settings import MemorySettings
from .kinds import KINDS
from .model import DeviceSpec, Measured


@dataclass(frozen=True)
class InstrumentFile:
    """What the capture hook loads beside itself while the script really runs."""

    path: Path
    """A plain file for the user's interpreter; its folder is a package there. It defines `Instrument(emit, options)`."""
    options: Mapping[str, object] = field(default_factory=dict)
    """A JSON object."""


class ConfirmDevice(Protocol):
    """One device, as the environment of a process that sees it, and an instrument in that process."""

    @property
    def spec(self) -> DeviceSpec:
        """What it is."""

    @property
    def instrument(self) -> InstrumentFile:
        """What measures on it."""

    @property
    def flags(self) -> Mapping[str, str]:
        """Flags of the framework on which the graph depends here: the prediction is made with them too."""

    def environment(self, base: Mapping[str, str], folder: Path) -> dict[str, str]:
        """`base`, which has `flags` already, with what makes a process see the device. `folder` is empty and goes away after the run."""

    def settings(self, settings: MemorySettings) -> MemorySettings:
        """The settings with which a simulation is one of this device."""

    def limited(self, nbytes: int) -> Union[ConfirmDevice, Unknown]:
        """The device with room for `nbytes` of arrays only (`--tight`), or why that cannot be done."""

    def read(self, events: Sequence[Mapping[str, object]]) -> Measured:
        """What the instrument's events say."""


Probe = Callable[[str], Union[ConfirmDevice, str]]
"""Gives the device of a kind, or why there is none."""


def choose(asked: str | None, kinds: Sequence[str], probe: Probe) -> tuple[ConfirmDevice, tuple[tuple[str, str], ...]]:
    """The device to use, and which better ones there are not: (kind, why).

    `asked`: the kind that the user named, which is tried first; then `kinds`, best first. Raises UsageError where there is none at all.
    """
    if asked is not None and asked not in KINDS:
        raise UsageError(f"no device to confirm on is called {asked!r}", help=f"one of {', '.join(KINDS)}")
    missing: list[tuple[str, str]] = []
    for kind in dict.fromkeys((*((asked,) if asked is not None else ()), *kinds)):
        found = probe(kind)
        if not isinstance(found, str):
            return found, tuple(missing)
        missing.append((kind, found))
    raise UsageError("; ".join(f"{kind}: {why}" for kind, why in missing) or "there is no device", help="run theanodiag doctor")

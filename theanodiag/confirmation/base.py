"""The interface of devices on which predictions are confirmed, and the choice among them."""

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
    """The measuring module that the capture hook loads while the script really runs, with its options."""

    path: Path
    """A file that is valid in the user's interpreter; its folder becomes a package there.

    It defines `Instrument(emit, options, shared)`.
    """
    options: Mapping[str, object] = field(default_factory=dict)
    """Options passed to the instrument as a JSON object."""


class ConfirmDevice(Protocol):
    """A device on which a script can run: the environment and flags that make a process use it, and the instrument that measures there."""

    @property
    def spec(self) -> DeviceSpec:
        """Description of the device for the report."""

    @property
    def instrument(self) -> InstrumentFile:
        """The instrument that measures on this device."""

    @property
    def flags(self) -> Mapping[str, str]:
        """Flags that the framework needs to use this device. The graph depends on them, so the prediction uses them too."""

    def environment(self, base: Mapping[str, str], folder: Path) -> dict[str, str]:
        """`base`, which contains `flags` already, with the variables that make a process use the device.

        `folder` is empty and deleted after the run.
        """

    def settings(self, settings: MemorySettings) -> MemorySettings:
        """`settings` adapted so that the simulation behaves like this device."""

    def limited(self, nbytes: int) -> Union[ConfirmDevice, Unknown]:
        """The same device with room for only `nbytes` bytes of arrays (`--tight`); Unknown with the reason where it cannot be limited."""

    def read(self, events: Sequence[Mapping[str, object]]) -> Measured:
        """Parses the instrument's events."""


Probe = Callable[[str], Union[ConfirmDevice, str]]
"""Returns the device of a kind, or the reason why none is available."""


def choose(choice: str | None, kinds: Sequence[str], probe: Probe) -> tuple[ConfirmDevice, tuple[tuple[str, str], ...]]:
    """The device to use, and (kind, reason) for each better kind that is not available.

    `choice`, the kind that the user named, is tried first; then `kinds`, best first. Raises UsageError where none is available or `choice`
    is no kind.
    """
    if choice is not None and choice not in KINDS:
        raise UsageError(f"there is no device to confirm on named {choice!r}", help=f"one of {', '.join(KINDS)}")
    missing: list[tuple[str, str]] = []
    for kind in dict.fromkeys((*((choice,) if choice is not None else ()), *kinds)):
        answer = probe(kind)
        if not isinstance(answer, str):
            return answer, tuple(missing)
        missing.append((kind, answer))
    raise UsageError("; ".join(f"{kind}: {why}" for kind, why in missing) or "there is no device", help="run theanodiag doctor")

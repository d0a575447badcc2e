"""The host as a device: the framework's own virtual machine runs the nodes in host memory, and the arrays that it holds are measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

from ..capture.model import InstrumentRequest
from ..ir import Unknown
from ..memory.settings import MemorySettings
from .call_events import Reserved, read
from .model import ConfirmDevice, DeviceSpec, Measured
from .pygpu import INSTRUMENT

LINE = "host memory: bytes of the arrays that the functions hold; memory that an op allocates and frees while it runs is not measured"
"""The device's description in the report."""


@dataclass(frozen=True)
class HostDevice:
    """Host memory. Bytes that an Op allocates and frees while it runs are not seen."""

    flags: Mapping[str, str] = field(default_factory=dict)
    """Flags that keep the framework on the CPU."""
    spec: DeviceSpec = field(default_factory=lambda: DeviceSpec("cpu", LINE, exact=False, computes=True))

    @property
    def instrument(self) -> InstrumentRequest:
        """Sums the arrays in the storage cells of the functions after each node."""
        return InstrumentRequest(INSTRUMENT, {"meter": "host", "nodes": True})

    def environment(self, base: Mapping[str, str], folder: Path) -> dict[str, str]:
        """`base`, unchanged."""
        return dict(base)

    def settings(self, settings: MemorySettings) -> MemorySettings:
        """The settings, unchanged."""
        return settings

    def limited(self, nbytes: int) -> Union[ConfirmDevice, Unknown]:
        """Unknown: host memory is shared with the interpreter and its libraries."""
        return Unknown("host memory is not limited: the interpreter and its libraries need an unknown part of it")

    def read(self, events: Sequence[Mapping[str, object]]) -> Measured:
        """Parses the instrument's events; there are no reserved bytes on the host."""
        return read(events, Reserved.HOST)


def host(seen: Mapping[str, object]) -> HostDevice:
    """The host for a script with the flags `seen` in force: a script that asks for a GPU gets device=cpu."""
    return HostDevice({"device": "cpu"} if str(seen.get("device", "cpu")) != "cpu" else {})

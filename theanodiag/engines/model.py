"""The interface of an engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from ..devices import DeviceProfile
from ..memory.profile import ProcessProfile
from ..memory.script import Script
from ..memory.settings import MemorySettings


class Engine(Protocol):
    """What runs a script's functions: how they are simulated, and how the figures are labelled."""

    @property
    def name(self) -> str:
        """The name that `--engine` takes and that reports give as `functions[].profile.engine`."""

    @property
    def mode(self) -> str | None:
        """The framework's mode in which functions without a mode of their own are compiled for this engine; None: unchanged."""

    def on(self, script: Script, device: DeviceProfile) -> DeviceProfile:
        """The device with the memory that this engine's arrays can use."""

    def line(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> str:
        """One sentence for the report: what runs the functions, whose allocator serves it, what the figures are."""

    def notes(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> Iterator[str]:
        """Sentences on memory that no figure includes."""

    def settings(self, script: Script, device: DeviceProfile, base: MemorySettings) -> MemorySettings:
        """The settings of the simulation; `base` are those that the framework's flags give."""

    def labelled(self, script: Script, process: ProcessProfile) -> ProcessProfile:
        """The simulated profile with the origin of each figure labelled."""

    def open(self, script: Script, process: ProcessProfile) -> str | None:
        """Why the script may not fit although the figures do; None where they can be relied on."""

"""What an engine is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from ..devices import DeviceProfile
from ..memory.profile import ProcessProfile
from ..memory.script import Script
from ..memory.settings import MemorySettings


class Engine(Protocol):
    """What runs a script's functions: how they are simulated, and what their figures are called."""

    @property
    def name(self) -> str:
        """As `--engine` takes it, and as `functions[].profile.engine` says it."""

    @property
    def mode(self) -> str | None:
        """The mode that functions without one of their own are compiled in for it, where the framework has several; None: as they are."""

    def on(self, script: Script, device: DeviceProfile) -> DeviceProfile:
        """The device as the engine's arrays have it."""

    def line(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> str:
        """One sentence: what runs the functions there, whose allocator serves it, and what the figures are."""

    def notes(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> Iterator[str]:
        """What is in no figure, in sentences."""

    def settings(self, script: Script, device: DeviceProfile, base: MemorySettings) -> MemorySettings:
        """The settings of the simulation, from those that the framework's flags give."""

    def labelled(self, script: Script, process: ProcessProfile) -> ProcessProfile:
        """The simulation's result with each figure called what it is."""

    def open(self, script: Script, process: ProcessProfile) -> str | None:
        """Why nobody can say that it fits, though the figures do; None where they can be relied on."""

"""Theano's own engines: nodes one by one, on libgpuarray's device or in host memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..devices import DeviceProfile
from ..memory.profile import ESTIMATED, ProcessProfile
from ..memory.script import Script
from ..memory.settings import MemorySettings
from .settings import WITHOUT_GPU


class _NodeByNode:
    """What both do alike: all of the device is theirs, and the flags say how it is used."""

    def on(self, script: Script, device: DeviceProfile) -> DeviceProfile:
        """All of it."""
        return device

    def notes(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> Iterator[str]:
        """None."""
        yield from ()

    def settings(self, script: Script, device: DeviceProfile, base: MemorySettings) -> MemorySettings:
        """As the flags say."""
        return base


@dataclass(frozen=True)
class GpuArrayEngine(_NodeByNode):
    """libgpuarray: what Theano's GPU back-end runs on. No GPU of Theano's runs Aesara's or PyTensor's graphs: a what-if."""

    name: str = "gpuarray"
    mode: str | None = None

    def line(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> str:
        """Whose allocator it is."""
        if script.framework in WITHOUT_GPU:
            return f"gpuarray, a what-if: as Theano would have run it; {script.framework} has no such GPU"
        return "gpuarray, Theano's GPU back-end on libgpuarray's allocator"

    def labelled(self, script: Script, process: ProcessProfile) -> ProcessProfile:
        """The simulation itself says which graphs are lifted."""
        return process

    def open(self, script: Script, process: ProcessProfile) -> str | None:
        """A what-if is no bound."""
        return ESTIMATED if process.estimated else None


@dataclass(frozen=True)
class HostEngine(_NodeByNode):
    """The framework's own linkers, which compute node by node in host memory."""

    name: str = "host"
    mode: str | None = None

    def line(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> str:
        """Which linkers."""
        linkers = ", ".join(sorted({f.linker for f in script.functions})) or "none"
        return f"host, {script.framework or 'the framework'}'s own linkers ({linkers}), in host memory"

    def labelled(self, script: Script, process: ProcessProfile) -> ProcessProfile:
        """Nothing is assumed."""
        return process

    def open(self, script: Script, process: ProcessProfile) -> str | None:
        """Nothing is."""
        return None

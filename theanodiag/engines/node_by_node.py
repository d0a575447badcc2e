"""Theano's own engines, which run nodes one by one, on libgpuarray's device or in host memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..devices import DeviceProfile
from ..memory.profile import ESTIMATED, ProcessProfile
from ..memory.script import Script
from ..memory.settings import MemorySettings
from .settings import WITHOUT_GPU


class _NodeByNode:
    """What both engines share: they use the whole device, as the flags say."""

    def on(self, script: Script, device: DeviceProfile) -> DeviceProfile:
        """The whole device."""
        return device

    def notes(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> Iterator[str]:
        """No notes."""
        yield from ()

    def settings(self, script: Script, device: DeviceProfile, base: MemorySettings) -> MemorySettings:
        """The settings as the flags give them."""
        return base


@dataclass(frozen=True)
class GpuArrayEngine(_NodeByNode):
    """libgpuarray, on which Theano's GPU back-end runs. For Aesara and PyTensor, which have no such back-end, it is a what-if."""

    name: str = "gpuarray"
    mode: str | None = None

    def line(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> str:
        """Says that the allocator is libgpuarray's, and whether this is a what-if."""
        if script.framework in WITHOUT_GPU:
            return f"gpuarray, a what-if: as Theano would have run it; {script.framework} has no such GPU"
        return "gpuarray, Theano's GPU back-end on libgpuarray's allocator"

    def labelled(self, script: Script, process: ProcessProfile) -> ProcessProfile:
        """The profile unchanged: the simulation itself labels graphs that were lifted to the GPU."""
        return process

    def open(self, script: Script, process: ProcessProfile) -> str | None:
        """For a what-if: that its figures are estimates and no bound."""
        return ESTIMATED if process.estimated else None


@dataclass(frozen=True)
class HostEngine(_NodeByNode):
    """The framework's own linkers, which compute in host memory."""

    name: str = "host"
    mode: str | None = None

    def line(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> str:
        """Says which linkers the functions have."""
        linkers = ", ".join(sorted({f.linker for f in script.functions})) or "none"
        return f"host, {script.framework or 'the framework'}'s own linkers ({linkers}), in host memory"

    def labelled(self, script: Script, process: ProcessProfile) -> ProcessProfile:
        """The profile unchanged."""
        return process

    def open(self, script: Script, process: ProcessProfile) -> str | None:
        """None: the figures can be relied on."""
        return None

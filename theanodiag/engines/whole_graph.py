"""Engines that compile a whole graph, each with an allocator of its own: XLA (mode JAX) and torch (mode PYTORCH)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..devices import DeviceProfile
from ..devices.xla_target import ASSUMED, chip_of
from ..memory.profile import MemoryProfile, Origin, ProcessProfile
from ..memory.script import Script
from ..memory.settings import AllocatorKind, MemorySettings
from ..memory.xla.card import XlaCard
from ..units import format_bytes
from .xla_client import client

NODE_BY_NODE = "torch compiles whole graphs: what it keeps and fuses is not simulated"


@dataclass(frozen=True)
class Xla:
    """JAX's compiler, which compiles a whole function; arrays lie in XLA's pool."""

    name: str = "xla"
    mode: str | None = "JAX"

    def on(self, script: Script, device: DeviceProfile) -> DeviceProfile:
        """The device with XLA's pool, which is a share of it."""
        return device if device.total_bytes is None else replace(device, pool_bytes=client(script.environment).pool(device.total_bytes))

    def line(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> str:
        """Says whose allocator it is and whether the figures are XLA's own or an upper bound."""
        takes = client(script.environment).says
        where = "this host's CPU" if device.is_host else f"XLA's allocator on {device.name} ({takes})"
        counts = {origin: sum(p.origin is origin for p in process.functions.values()) for origin in (Origin.DERIVED, Origin.BOUNDED)}
        if not counts[Origin.BOUNDED]:
            what = "figures are XLA's own, compiled ahead of time"
        elif not counts[Origin.DERIVED]:
            what = "figures are an upper bound, made without XLA"
        else:
            what = f"figures are XLA's own for {counts[Origin.DERIVED]}, an upper bound for {counts[Origin.BOUNDED]} of the functions"
        return f"xla (JAX), {where}; {what}"

    def notes(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> Iterator[str]:
        """What the driver takes beside the pool, how a run on the real card may differ, and how far the bound can be trusted."""
        if any(p.origin is Origin.BOUNDED for p in process.functions.values()):
            yield "the upper bound is a heuristic: XLA exceeded it for 2 % of the functions that it was tested on"
        if device.total_bytes is None:
            yield "on the CPU XLA does not count the workspaces of its libraries: a run may take more"
            return
        context = f"{format_bytes(device.context.bytes)} ({device.context.origin})"
        yield f"outside XLA's pool: {context} for the CUDA context with cuBLAS and cuDNN, and constants of the code"
        if any(p.origin is Origin.DERIVED for p in process.functions.values()):
            yield "XLA compiled without the card; on the card its autotuner may choose code with other workspaces (autotune level 4)"

    def settings(self, script: Script, device: DeviceProfile, base: MemorySettings) -> MemorySettings:
        """Settings of XLA's allocator, whatever the framework's memory flags say."""
        takes = client(script.environment)
        plain = replace(base, allocator=AllocatorKind.XLA, lift=False, hypothetical=False, preallocate=0.0, cnmem=0.0)
        return replace(plain, xla_preallocate=takes.preallocate, xla_pool=takes.pooled, xla_card=XlaCard.of(chip_of(device) or ASSUMED))

    def labelled(self, script: Script, process: ProcessProfile) -> ProcessProfile:
        """The profile unchanged: the simulation knows which figures are XLA's."""
        return process

    def open(self, script: Script, process: ProcessProfile) -> str | None:
        """None: figures are XLA's own or an upper bound, and functions without any are reported as such."""
        return None


@dataclass(frozen=True)
class Torch:
    """torch in PyTensor's mode PYTORCH: nodes one by one on its caching allocator, as if torch fused nothing."""

    name: str = "torch"
    mode: str | None = "PYTORCH"

    def on(self, script: Script, device: DeviceProfile) -> DeviceProfile:
        """The whole device."""
        return device

    def line(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> str:
        """Says that the figures are estimates."""
        where = "this host's CPU" if device.is_host else f"torch's caching allocator on {device.name}"
        return f"torch, {where}; figures are an estimate: {NODE_BY_NODE}"

    def notes(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> Iterator[str]:
        """No notes."""
        yield from ()

    def settings(self, script: Script, device: DeviceProfile, base: MemorySettings) -> MemorySettings:
        """Every array is allocated from the driver, node by node."""
        return replace(base, allocator=AllocatorKind.DIRECT, lift=False, hypothetical=True, preallocate=0.0, cnmem=0.0)

    def labelled(self, script: Script, process: ProcessProfile) -> ProcessProfile:
        """The profile with every figure labelled as an estimate."""
        return replace(process, functions=dict(_estimates(process)))

    def open(self, script: Script, process: ProcessProfile) -> str | None:
        """Always a reason: an estimate does not prove that the script fits."""
        return f"estimate ({NODE_BY_NODE})"


def _estimates(process: ProcessProfile) -> Iterator[tuple[int, MemoryProfile]]:
    for index, p in process.functions.items():
        items = tuple(replace(item, origin=Origin.ESTIMATE) for item in p.items)
        yield index, replace(p, origin=Origin.ESTIMATE, items=items)

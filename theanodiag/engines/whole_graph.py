"""The engines of today's frameworks on a GPU: XLA (mode JAX) and torch, each with its own allocator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..devices import DeviceProfile
from ..memory.profile import MemoryProfile, Origin, ProcessProfile
from ..memory.script import Script
from ..memory.settings import AllocatorKind, MemorySettings
from ..units import format_bytes
from .xla_client import client

COMPILES_PRODUCTS = (8, 0)
"""From this compute capability on XLA has code of its own for products of matrices; below they are cuBLAS's."""
CUBLAS = 4 << 20
"""The workspace that XLA gives to cuBLAS (service/gpu, `GemmRewriter`)."""
NODE_BY_NODE = "torch compiles whole graphs: what it keeps and fuses is not simulated"


@dataclass(frozen=True)
class Xla:
    """JAX's compiler: a whole function in one piece, on XLA's pool."""

    name: str = "xla"
    mode: str | None = "JAX"

    def on(self, script: Script, device: DeviceProfile) -> DeviceProfile:
        """Its pool is a share of the device."""
        return device if device.total_bytes is None else replace(device, pool_bytes=client(script.environment).pool(device.total_bytes))

    def line(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> str:
        """What the figures are: XLA's own, or a bound."""
        takes = client(script.environment).says
        where = "this host's CPU" if device.is_host else f"XLA's allocator on {device.name} ({takes})"
        counts = {origin: sum(p.origin is origin for p in process.functions.values()) for origin in (Origin.DERIVED, Origin.BOUNDED)}
        if not counts[Origin.BOUNDED]:
            what = "figures are XLA's own, compiled ahead of time"
        elif not counts[Origin.DERIVED]:
            what = "figures are an upper bound: XLA was not asked"
        else:
            what = f"figures are XLA's own for {counts[Origin.DERIVED]}, an upper bound for {counts[Origin.BOUNDED]} of the functions"
        return f"xla (JAX), {where}; {what}"

    def notes(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> Iterator[str]:
        """What the driver takes, what a real card may do otherwise, and what share is enough."""
        if device.total_bytes is None:
            yield "on the CPU XLA does not count what its libraries work in: a run may take more"
            return
        context = f"{format_bytes(device.context.bytes)} ({device.context.origin})"
        yield f"beside XLA's memory the driver keeps {context} for its context, with cuBLAS and cuDNN; constants of the code lie there too"
        if any(p.origin is Origin.DERIVED for p in process.functions.values()):
            yield "compiled without the card nothing is tuned on it: there XLA may choose code with other workspaces (autotune level 4)"

    def settings(self, script: Script, device: DeviceProfile, base: MemorySettings) -> MemorySettings:
        """One pool, whatever the framework's flags say."""
        takes = client(script.environment)
        plain = replace(base, allocator=AllocatorKind.XLA, lift=False, hypothetical=False, preallocate=0.0, cnmem=0.0)
        own = device.compute_capability is not None and device.compute_capability >= COMPILES_PRODUCTS
        return replace(plain, xla_preallocate=takes.preallocate, xla_pool=takes.pooled, xla_workspace=0 if own else CUBLAS)

    def labelled(self, script: Script, process: ProcessProfile) -> ProcessProfile:
        """The simulation knows which figures the compiler gave."""
        return process

    def open(self, script: Script, process: ProcessProfile) -> str | None:
        """What is left out would be said as a function without figures; a bound that fits, fits."""
        return None


@dataclass(frozen=True)
class Torch:
    """PyTensor in mode PYTORCH: its nodes on torch's caching allocator, as far as torch does not fuse them."""

    name: str = "torch"
    mode: str | None = "PYTORCH"

    def on(self, script: Script, device: DeviceProfile) -> DeviceProfile:
        """All of it."""
        return device

    def line(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> str:
        """That it is an estimate."""
        where = "this host's CPU" if device.is_host else f"torch's caching allocator on {device.name}"
        return f"torch, {where}; figures are an estimate: {NODE_BY_NODE}"

    def notes(self, script: Script, device: DeviceProfile, process: ProcessProfile) -> Iterator[str]:
        """None."""
        yield from ()

    def settings(self, script: Script, device: DeviceProfile, base: MemorySettings) -> MemorySettings:
        """Node by node, from the driver."""
        return replace(base, allocator=AllocatorKind.DIRECT, lift=False, hypothetical=True, preallocate=0.0, cnmem=0.0)

    def labelled(self, script: Script, process: ProcessProfile) -> ProcessProfile:
        """All of it is an estimate."""
        return replace(process, functions=dict(_estimates(process)))

    def open(self, script: Script, process: ProcessProfile) -> str | None:
        """An estimate does not say that it fits."""
        return f"estimate ({NODE_BY_NODE})"


def _estimates(process: ProcessProfile) -> Iterator[tuple[int, MemoryProfile]]:
    for index, p in process.functions.items():
        items = tuple(replace(item, origin=Origin.ESTIMATE) for item in p.items)
        yield index, replace(p, origin=Origin.ESTIMATE, items=items)


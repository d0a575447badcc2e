"""What a simulation must know of a device: its size, what the driver takes of it, how fast the bus is."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from ..errors import UsageError
from ..units import MIB, format_bytes, parse_bytes


@dataclass(frozen=True)
class Context:
    """Device memory that no array of the script ever gets: the driver's context, the modules, the handles of cuBLAS and cuDNN."""

    bytes: int
    origin: str
    """`default`, `measured`, or `derived` (given by the user)."""


@dataclass(frozen=True)
class DeviceProfile:
    """One device; or the host, where `total_bytes` is None: what its arrays can have is then `free_bytes`, if that is known."""

    name: str
    total_bytes: int | None
    context: Context
    free_bytes: int | None = None
    """Free right now as the driver says; None where nobody asked it. Of the host: its memory."""
    bus_bytes_per_second: float | None = None
    """What a copy from pinned host memory reaches: about 0.8 of the bus' nominal rate."""
    memory_bytes_per_second: float | None = None
    """Nominal bandwidth of the device's own memory."""
    compute_capability: tuple[int, int] | None = None
    source: str = ""
    """Where the figures are from."""
    pool_bytes: int | None = None
    """The share of it that a compiler's own allocator takes for arrays; None where the driver serves them."""
    chip: str | None = None
    """The name of the card in the table of chips that XLA can compile for; None where it is none of them."""

    @property
    def is_host(self) -> bool:
        """Whether this is host memory only."""
        return self.total_bytes is None

    @property
    def place(self) -> str:
        """Where what fits does: `on k520`."""
        return "in the memory of this host" if self.is_host else f"on {self.name}"

    @property
    def available_bytes(self) -> int | None:
        """What the script's arrays can have: a pool where there is one, free memory where it is known, else the total less the context."""
        if self.pool_bytes is not None and self.total_bytes is not None:
            return min(self.pool_bytes, self.total_bytes if self.free_bytes is None else self.free_bytes)
        if self.free_bytes is not None or self.total_bytes is None:
            return self.free_bytes
        return max(0, self.total_bytes - self.context.bytes)


def taken_off(device: DeviceProfile, need: int) -> str | None:
    """What the driver is said to keep, where that is a default and decides that `need` bytes do not fit."""
    total, context = device.total_bytes, device.context
    if total is None or device.free_bytes is not None or context.origin != "default" or not total - context.bytes < need <= total:
        return None
    return (
        f"the driver is taken to keep {format_bytes(context.bytes)} of {format_bytes(total)} for its context, which is a default: "
        "--device-overhead SIZE gives another, 0 none"
    )


DEFAULT_CONTEXT = Context(300 * MIB, "default")
"""A CUDA context with cuBLAS and cuDNN handles takes 200 to 450 MiB, by card and driver: a default, to be replaced by a measurement."""

HOST = DeviceProfile("none", None, Context(0, "derived"), source="host memory, no device")


def with_overhead(device: DeviceProfile, bytes_: int) -> DeviceProfile:
    """The same device with a context of `bytes_`, as the user says (`--device-overhead`)."""
    return dataclasses.replace(device, context=Context(bytes_, "derived"))


def overhead_bytes(text: str | int | None) -> int | None:
    """The size that `--device-overhead TEXT` names, in bytes; None where nothing is said. Raises `UsageError` for what is no size."""
    try:
        return None if text is None else parse_bytes(text)
    except ValueError as error:
        raise UsageError(f"--device-overhead: {error}") from None


PCIE2_X16 = 6.4e9
"""PCI Express 2.0 x16: 8 GB/s nominal, times 0.8."""
PCIE3_X16 = 12.6e9
"""PCI Express 3.0 x16: 15.75 GB/s nominal, times 0.8."""
PCIE4_X16 = 25.2e9
PCIE5_X16 = 50.4e9

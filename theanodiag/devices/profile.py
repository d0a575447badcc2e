"""The properties of a device that a simulation needs: size, driver overhead and bus bandwidth."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from ..errors import UsageError
from ..units import MIB, format_bytes, parse_bytes


@dataclass(frozen=True)
class Context:
    """Device memory that the driver keeps for its context, modules, and the handles of cuBLAS and cuDNN. Arrays cannot use it."""

    bytes: int
    """Bytes that the context takes in all."""
    origin: str
    """`default`, `measured`, or `derived` (given by the user)."""


@dataclass(frozen=True)
class DeviceProfile:
    """A device, or the host. For the host `total_bytes` is None and `free_bytes` is the memory available to arrays, if known."""

    name: str
    total_bytes: int | None
    """Memory of the device as its driver reports it; None for the host."""
    context: Context
    free_bytes: int | None = None
    """Free bytes now, as reported by the driver; None if it was not asked. For the host: its memory."""
    bus_bytes_per_second: float | None = None
    """Bandwidth of a copy from pinned host memory, in bytes per second: about 0.8 of the bus's nominal rate."""
    compute_capability: tuple[int, int] | None = None
    """CUDA compute capability (major, minor); None where unknown."""
    source: str = ""
    """Where the figures come from; for the host: what limits its memory."""
    pool_bytes: int | None = None
    """Size of the pool from which a compiler's allocator serves arrays; None if the driver serves each request."""
    unsized: bool = False
    """Whether this is a GPU about which nothing is known, not even its size."""
    chip: str | None = None
    """Key of the card in `xla_target.CHIPS`; None if XLA cannot compile for it or it is not listed."""

    @property
    def is_host(self) -> bool:
        """Whether this is host memory, not a device."""
        return self.total_bytes is None and not self.unsized

    @property
    def place(self) -> str:
        """Where arrays are stored, for messages: `on k520`."""
        if not self.is_host:
            return f"on {self.name}"
        if self.source == "--host-memory":
            return f"in {format_bytes(self.free_bytes or 0)} of host memory"
        limited = self.free_bytes is not None and self.source != PHYSICAL
        return f"in the memory that {self.source} allows here" if limited else "in the memory of this host"

    @property
    def available_bytes(self) -> int | None:
        """Bytes available to the script's arrays: free memory if known, else the total minus the context; at most the size of the pool, if
        there is one. None if unknown.
        """
        free = self.free_bytes
        if free is None and self.total_bytes is not None:
            free = max(0, self.total_bytes - self.context.bytes)
        return free if free is None or self.pool_bytes is None else min(self.pool_bytes, free)


def context_note(device: DeviceProfile, need: int) -> str | None:
    """Returns a note for the user if `need` bytes fit on the device, but not together with its context, whose size is assumed;
    else None.
    """
    total, context = device.total_bytes, device.context
    if total is None or device.free_bytes is not None or context.origin != "default" or not total - context.bytes < need <= total:
        return None
    return f"we assume {format_bytes(context.bytes)} of {format_bytes(total)} for the CUDA context; {_MEASURE}"


def condition(device: DeviceProfile, need: int) -> str | None:
    """Returns the condition under which `need` bytes fit, as text; None unless it depends on the CUDA context, whose size is assumed."""
    total, context = device.total_bytes, device.context
    if total is None or device.free_bytes is not None or context.origin != "default":
        return None
    if not total - MOST_CONTEXT < need <= total - context.bytes:
        return None
    room = (total - need) // MIB * MIB  # not rounded up: with a context of the size that is printed it fits
    usual = f"we assume {format_bytes(context.bytes)}, and it can be up to {format_bytes(MOST_CONTEXT)}"
    return f"if the CUDA context takes no more than {format_bytes(room)} ({usual}); {_MEASURE}"


_MEASURE = "measure yours with theanodiag doctor --calibrate, or give it with --device-overhead"
DEFAULT_CONTEXT = Context(300 * MIB, "default")
"""Default for a CUDA context with cuBLAS and cuDNN handles; they take 200 to 450 MiB, depending on card and driver (600 on an H100 and an
H200, whose own defaults are in `cards`). A measurement replaces it."""
MOST_CONTEXT = 450 * MIB
"""Maximum number of bytes that such a context takes."""

PHYSICAL = "physical memory"
"""Value of `DeviceProfile.source` for a host without any lower memory limit."""
HOST = DeviceProfile("none", None, Context(0, "derived"), source=PHYSICAL)
"""Host memory, of unknown size."""


def with_overhead(device: DeviceProfile, bytes_: int) -> DeviceProfile:
    """Returns the same device with a context of `bytes_` bytes, as given by the user (`--device-overhead`)."""
    return dataclasses.replace(device, context=Context(bytes_, "derived"))


def overhead_bytes(text: str | int | None) -> int | None:
    """Parses the value of `--device-overhead` to bytes; None for None. Raises `UsageError` if it is not a size."""
    try:
        return None if text is None else parse_bytes(text)
    except ValueError as error:
        raise UsageError(f"--device-overhead: {error}") from None


UNSIZED = DeviceProfile("GPU", None, Context(0, "derived"), source="a GPU of unknown size", unsized=True)

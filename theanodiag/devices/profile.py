"""What a simulation needs to know of a device: its size, the driver's overhead, the speed of the bus."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from ..errors import UsageError
from ..units import MIB, format_bytes, parse_bytes


@dataclass(frozen=True)
class Context:
    """Device memory that the driver keeps: its context, modules, and the handles of cuBLAS and cuDNN. No array can use it."""

    bytes: int
    """Size of all of it."""
    origin: str
    """`default`, `measured`, or `derived` (given by the user)."""


@dataclass(frozen=True)
class DeviceProfile:
    """A device, or the host, for which `total_bytes` is None and `free_bytes` is the memory available to arrays, if known."""

    name: str
    total_bytes: int | None
    """Memory of the device as its driver reports it; None for the host."""
    context: Context
    free_bytes: int | None = None
    """Bytes free now, as the driver says; None where it was not asked. Of the host: its memory."""
    bus_bytes_per_second: float | None = None
    """Bandwidth of a copy from pinned host memory: about 0.8 of the bus's nominal rate."""
    compute_capability: tuple[int, int] | None = None
    """CUDA compute capability (major, minor); None where unknown."""
    source: str = ""
    """Where the figures come from; of the host: what limits its memory."""
    pool_bytes: int | None = None
    """Size of the pool in which a compiler's allocator places arrays; None where the driver serves each request."""
    unsized: bool = False
    """Whether this is a GPU of which nothing is known, not even its size."""
    chip: str | None = None
    """Key of the card in `xla_target.CHIPS`; None where XLA cannot compile for it or it is not listed."""

    @property
    def is_host(self) -> bool:
        """Whether this is host memory, not a device."""
        return self.total_bytes is None and not self.unsized

    @property
    def place(self) -> str:
        """Where arrays are, for messages: `on k520`."""
        if not self.is_host:
            return f"on {self.name}"
        if self.source == "--host-memory":
            return f"in {format_bytes(self.free_bytes or 0)} of host memory"
        limited = self.free_bytes is not None and self.source != PHYSICAL
        return f"in the memory that {self.source} allows here" if limited else "in the memory of this host"

    @property
    def available_bytes(self) -> int | None:
        """Bytes available to the script's arrays: free memory if known, else the total less the context; of a pool no more than it has.

        None: unknown.
        """
        free = self.free_bytes
        if free is None and self.total_bytes is not None:
            free = max(0, self.total_bytes - self.context.bytes)
        return free if free is None or self.pool_bytes is None else min(self.pool_bytes, free)


def taken_off(device: DeviceProfile, need: int) -> str | None:
    """A note where `need` bytes fit on the device but not beside its context, whose size is only a default; else None."""
    total, context = device.total_bytes, device.context
    if total is None or device.free_bytes is not None or context.origin != "default" or not total - context.bytes < need <= total:
        return None
    return (
        f"we assume {format_bytes(context.bytes)} of {format_bytes(total)} for the CUDA context; measure yours with "
        "theanodiag doctor --calibrate, or give it with --device-overhead"
    )


DEFAULT_CONTEXT = Context(300 * MIB, "default")
"""A CUDA context with cuBLAS and cuDNN handles takes 200 to 450 MiB, by card and driver: this default is to be replaced by a measurement.
"""

PHYSICAL = "physical memory"
"""What limits the memory of a host where nothing limits it to less."""
HOST = DeviceProfile("none", None, Context(0, "derived"), source=PHYSICAL)
"""Host memory, of unknown size."""


def with_overhead(device: DeviceProfile, bytes_: int) -> DeviceProfile:
    """The same device with a context of `bytes_` bytes, given by the user (`--device-overhead`)."""
    return dataclasses.replace(device, context=Context(bytes_, "derived"))


def overhead_bytes(text: str | int | None) -> int | None:
    """Parses `--device-overhead TEXT` to bytes; None for None. Raises `UsageError` where it is no size."""
    try:
        return None if text is None else parse_bytes(text)
    except ValueError as error:
        raise UsageError(f"--device-overhead: {error}") from None


UNSIZED = DeviceProfile("GPU", None, Context(0, "derived"), source="a GPU of unknown size", unsized=True)

"""Cost of copies between host and device, and from which size on they are reported."""

from __future__ import annotations

from ...findings import Saving, Severity
from ...ir import Type
from ...memory.gpu_lowering.placement import lives_there
from ...plans.chunking.plan import SECONDS_A_COPY
from ...units import MIB, format_bytes
from ..subject import ScriptSubject

LEAST = MIB
"""Smaller copies, in bytes for each call, are not reported."""
MUCH = 16 * MIB
"""Size in bytes from which on a copy is a WARNING: more than a millisecond on PCI Express 3.0."""


def seconds(s: ScriptSubject, nbytes: int, copies: int = 1) -> float:
    """Seconds for `copies` copies of `nbytes` bytes in all, at the card's bandwidth; 0 where that is not known."""
    bus = s.device.bus_bytes_per_second
    return nbytes / bus + copies * SECONDS_A_COPY if bus else 0.0


def told(s: ScriptSubject, nbytes: int, copies: int = 1) -> str:
    """Size and time of copies in words: `149.5 MiB, 12.4 ms at 12.6 GB/s`."""
    bus = s.device.bus_bytes_per_second
    if not bus:
        return format_bytes(nbytes)
    return f"{format_bytes(nbytes)}, {1000 * seconds(s, nbytes, copies):.3g} ms at {bus / 1e9:.3g} GB/s"


def saving(s: ScriptSubject, nbytes: int, copies: int = 1, peak: int = 0) -> Saving:
    """The seconds that avoiding these copies saves in each call, and `peak` bytes."""
    return Saving(max(0, peak), seconds(s, nbytes, copies))


def severity(nbytes: int) -> Severity:
    """WARNING from `MUCH` bytes for each call on, else INFO."""
    return Severity.WARNING if nbytes >= MUCH else Severity.INFO


def there(s: ScriptSubject, kind: Type) -> bool:
    """Whether values of this type are on the device."""
    return kind.kind.on_device or (s.settings.lift and lives_there(kind))

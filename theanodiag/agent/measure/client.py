"""Reads the counters of the library that is preloaded before libgpuarray, in the same process."""

import ctypes

from .driver import driver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .. import Live


class Look(object):
    """Figures at one moment, in bytes."""

    def __init__(self, live: int, high: int, reserved: "int | None", copied: "int | None") -> None:
        self.live = live
        self.high = high  # peak of live bytes since the last look
        self.reserved = reserved  # taken from the driver; None where it does not tell
        self.copied = copied  # from the host to the device since the start; None where nobody counts


class ClientMeter(object):
    """Live bytes of libgpuarray's clients, each buffer counted once however many views it has. Peaks between two looks are counted too."""

    between = True
    """Peaks between two looks are known."""

    def __init__(self, library: str, told: bool = True) -> None:
        self.client = ctypes.CDLL(library)
        self.since = self.client.client_since
        self.row = (ctypes.c_uint64 * 5)()
        self.reserved = driver(told)

    def look(self) -> Look:
        """The figures now, and the peak since the last look."""
        self.since(self.row)
        live, high, copied = self.row[0], self.row[1], self.row[2]
        return Look(int(live), int(high), self.reserved.now(int(live)), int(copied))

    def begin_call(self, own: "list[Live]", arguments: "Sequence[Live]" = ()) -> None:
        """Does nothing: libgpuarray's buffers are counted all the time."""

    def begin_node(self) -> int:
        """Resets the peak before a node runs; returns the peak since the last look."""
        self.since(self.row)
        return int(self.row[1])

    def end_node(self, own: "list[Live]") -> Look:
        """The figures after a node has run."""
        return self.look()

    def opened(self, context: "Live", first_block: int) -> None:
        """Notes that libgpuarray opened a device and preallocated `first_block` bytes."""
        self.reserved.opened(context, first_block)

    def totals(self) -> "dict[str, int | None]":
        """The peaks of live and of reserved bytes since the start, the context's bytes, and what the driver took beside them."""
        row = (ctypes.c_uint64 * 5)()
        self.client.virtual_client_counters(row)
        most = self.reserved.peak(int(row[1]))
        return {"peak": int(row[1]), "reserved_peak": most, "context": self.reserved.context, "beside": self.reserved.beside}

    def refused(self) -> "tuple[int, int]":
        """(number of refused requests so far, bytes of the last one)."""
        self.since(self.row)
        return int(self.row[3]), int(self.row[4])

"""Reads the counters of the library that stands before libgpuarray, in the same process."""

import ctypes

from .driver import driver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from . import Live


class Look(object):
    """What was seen at one moment."""

    def __init__(self, live: int, high: int, reserved: "int | None", copied: "int | None") -> None:
        self.live = live  # bytes
        self.high = high  # the highest since the last look
        self.reserved = reserved  # taken from the driver; None where only the driver knows
        self.copied = copied  # from the host to the device since the start; None where nobody counts


class ClientMeter(object):
    """Live bytes of libgpuarray's clients: each buffer once, however many views there are. Peaks are seen whenever they are."""

    between = True

    def __init__(self, library: str, told: bool = True) -> None:
        self.client = ctypes.CDLL(library)
        self.since = self.client.client_since
        self.row = (ctypes.c_uint64 * 5)()
        self.reserved = driver(told)

    def look(self) -> Look:
        """Now, and the highest since the last look."""
        self.since(self.row)
        live, high, copied = self.row[0], self.row[1], self.row[2]
        return Look(int(live), int(high), self.reserved.now(int(live)), int(copied))

    def begin_call(self, own: "list[Live]", arguments: "Sequence[Live]" = ()) -> None:
        """A function is about to run."""

    def begin_node(self) -> int:
        """A node is about to run: what was before it is not its own. The highest since the last look."""
        self.since(self.row)
        return int(self.row[1])

    def end_node(self, own: "list[Live]") -> Look:
        """A node has run."""
        return self.look()

    def opened(self, context: "Live", first_block: int) -> None:
        """libgpuarray opened a device, and took a block of so many bytes at once."""
        self.reserved.opened(context, first_block)

    def totals(self) -> "dict[str, int | None]":
        """Highest live bytes since the start, and the highest taken from the driver."""
        row = (ctypes.c_uint64 * 5)()
        self.client.virtual_client_counters(row)
        return {"peak": int(row[1]), "reserved_peak": self.reserved.peak(int(row[1])), "context": self.reserved.context}

    def refused(self) -> "tuple[int, int]":
        """How many requests were refused so far, and the size of the last one."""
        self.since(self.row)
        return int(self.row[3]), int(self.row[4])

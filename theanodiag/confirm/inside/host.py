"""Measures arrays on the host: walks the storage cells of all functions and the shared variables, and counts each buffer once."""

from .client import Look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from . import Live


def buffer_of(value: "Live") -> "tuple[int, int] | None":
    """Address and bytes of the memory that an array uses; None for what is no array (numpy's scalars are none)."""
    if not is_array(value):
        return None
    while is_array(getattr(value, "base", None)):
        value = value.base
    return int(value.__array_interface__["data"][0]), int(value.nbytes)


def is_array(value: "Live") -> bool:
    """Whether a value is an array of numpy."""
    return hasattr(type(value), "__array_interface__") and hasattr(type(value), "ctypes")


def total(cells: "Iterable[Live]") -> "dict[int, int]":
    """Address -> bytes of the buffers in storage cells."""
    found = {}  # type: dict[int, int]
    for cell in cells:
        buffer = None if cell[0] is None else buffer_of(cell[0])
        if buffer is not None and buffer[1] > found.get(buffer[0], 0):
            found[buffer[0]] = buffer[1]
    return found


class HostMeter(object):
    """What only the ends of nodes show is not known of a function whose nodes do not run one by one (`between`).

    Live bytes of host arrays; `everything` gives the storage cells of all functions and shared variables, constants apart."""

    between = False

    def __init__(self, everything: "Callable[[], list[Live]]") -> None:
        self.everything = everything
        self.elsewhere = {}  # type: dict[int, int]  # buffers that the running function's cells do not hold
        self.high = self.most = 0

    def look(self) -> Look:
        """Now, and the highest since the last look: nothing is made but by nodes."""
        live = sum(total(self.everything()).values())
        high, self.high = max(self.high, live), live
        self.most = max(self.most, high)
        return Look(live, high, None, None)

    def begin_call(self, own: "list[Live]") -> None:
        """A function with these cells is about to run: the others stay as they are."""
        cells = set(map(id, own))
        self.elsewhere = total(c for c in self.everything() if id(c) not in cells)

    def begin_node(self) -> int:
        """Nothing to do: between two nodes nothing is made."""
        return 0

    def end_node(self, own: "list[Live]") -> Look:
        """A node of the function with these cells has run."""
        found = total(own)
        live = sum(found.values()) + sum(n for address, n in self.elsewhere.items() if address not in found)
        self.high = max(self.high, live)
        return Look(live, live, None, None)

    def totals(self) -> "dict[str, int | None]":
        """The highest live bytes that were seen."""
        return {"peak": self.most}

    def refused(self) -> "tuple[int, int]":
        """The host refuses by an exception only."""
        return 0, 0

"""Measures arrays on the host: walks the storage cells of all functions and the shared variables, and counts each buffer once."""

from .client import Look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from . import Live

    Parts = dict[int, list[tuple[int, int, int]]]


def buffer_of(value: "Live", given: "Parts | None" = None) -> "tuple[int, int] | None":
    """Address and bytes of the memory that an array uses; None for what is no array (numpy's scalars are none).

    Of an array that the script cut an argument out of, the script holds the rest: `given` tells the part that the function was given.
    """
    if not is_array(value):
        return None
    root = root_of(value)
    for low, high, nbytes in (given or {}).get(address(root), ()):
        if low <= lowest(value) and highest(value) <= high:
            return low, nbytes
    return address(root), int(root.nbytes)


def root_of(value: "Live") -> "Live":
    """The array whose memory a view shows."""
    while is_array(getattr(value, "base", None)):
        value = value.base
    return value


def address(value: "Live") -> int:
    """Where the first element lies."""
    return int(value.__array_interface__["data"][0])


def lowest(value: "Live") -> int:
    """The lowest address of an array's elements: strides may go backwards."""
    return address(value) + int(sum(min(0, s * (n - 1)) for s, n in zip(value.strides, value.shape)))


def highest(value: "Live") -> int:
    """The address behind the highest of them."""
    return address(value) + int(sum(max(0, s * (n - 1)) for s, n in zip(value.strides, value.shape)) + value.itemsize)


def parts_of(arguments: "Iterable[Live]", others: "Iterable[Live]") -> "Parts":
    """Of arrays that only the script holds, the parts that are arguments: address of the whole -> (lowest, behind, bytes) of each."""
    held = set(address(cell[0]) for cell in others if is_array(cell[0]))
    found = {}  # type: Parts
    for cell in arguments:
        value = cell[0]
        root = root_of(value) if is_array(value) else value
        if root is not value and address(root) not in held:
            found.setdefault(address(root), []).append((lowest(value), highest(value), int(value.nbytes)))
    return found


def is_array(value: "Live") -> bool:
    """Whether a value is an array of numpy."""
    return hasattr(type(value), "__array_interface__") and hasattr(type(value), "ctypes")


def total(cells: "Iterable[Live]", given: "Parts | None" = None) -> "dict[int, int]":
    """Address -> bytes of the buffers in storage cells."""
    found = {}  # type: dict[int, int]
    for cell in cells:
        buffer = None if cell[0] is None else buffer_of(cell[0], given)
        if buffer is not None and buffer[1] > found.get(buffer[0], 0):
            found[buffer[0]] = buffer[1]
    return found


class HostMeter(object):
    """What only the ends of nodes show is not known of a function whose nodes do not run one by one (`between`).

    Live bytes of host arrays; `everything` gives the storage cells of all functions and shared variables, constants apart."""

    between = False

    def __init__(self, everything: "Callable[[], list[Live]]") -> None:
        self.everything = everything
        self.given = {}  # type: Parts
        self.elsewhere = {}  # type: dict[int, int]  # buffers that the running function's cells do not hold
        self.high = self.most = 0

    def look(self) -> Look:
        """Now, and the highest since the last look: nothing is made but by nodes."""
        live = sum(total(self.everything(), self.given).values())
        high, self.high = max(self.high, live), live
        self.most = max(self.most, high)
        return Look(live, high, None, None)

    def begin_call(self, own: "list[Live]", arguments: "Sequence[Live]" = ()) -> None:
        """A function with these cells, of which some hold what the script passed, is about to run: the others stay as they are."""
        cells, passed = set(map(id, own)), set(map(id, arguments))
        self.given = parts_of(arguments, (c for c in self.everything() if id(c) not in passed))
        self.elsewhere = total((c for c in self.everything() if id(c) not in cells), self.given)

    def begin_node(self) -> int:
        """Nothing to do: between two nodes nothing is made."""
        return 0

    def end_node(self, own: "list[Live]") -> Look:
        """A node of the function with these cells has run."""
        found = total(own, self.given)
        live = sum(found.values()) + sum(n for address, n in self.elsewhere.items() if address not in found)
        self.high = max(self.high, live)
        return Look(live, live, None, None)

    def totals(self) -> "dict[str, int | None]":
        """The highest live bytes that were seen."""
        return {"peak": self.most}

    def refused(self) -> "tuple[int, int]":
        """The host refuses by an exception only."""
        return 0, 0

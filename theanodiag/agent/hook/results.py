"""Device arrays that the script got from its functions: they occupy device memory for as long as the script holds them."""

import itertools
import weakref

from .call_limits import COLLECTED, SIGNATURES
from .garbage import SEARCHES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live
    from .program import Program

NUMBERS = itertools.count()
"""Counts the device arrays in the order in which the script gets them."""
WATCHED = {}  # type: dict[int, Live]
"""Number of a device array -> weak reference to it, whose callback runs when it is freed."""
HELD = {}  # type: dict[int, int]
"""`id()` of a device array -> its number."""


def watch(program: "Program", results: "Live") -> None:
    """Writes the event `result` for a recorded call that returns device arrays, and the event `release` when the script drops such an
    array.

    The arrays of a call that is not recorded get the numbers of the last recorded call, because in a loop each result replaces the previous
    one.
    """
    stream, rows = program.shapes.stream, []
    for position, value in enumerate(results):
        if position in program.handed and value is not None:
            number = program.handed[position]
            if program.recorded or number is None:
                program.earlier = number
                number = program.handed[position] = next(NUMBERS)
            hold(stream, value, number)
            rows.append([position, number])
    if rows and program.recorded:
        stream.emit("result", function=program.index, outputs=rows)


def to_record(program: "Program") -> int:
    """Returns how many calls to record of a function that returns device arrays: `COLLECTED` if the script still holds the array before the
    last, else `SIGNATURES`; 0 if the function returns none.
    """
    return (COLLECTED if program.earlier in WATCHED else SIGNATURES) if program.handed else 0


def keep(stream: "Live", value: "Live") -> "int | None":
    """Numbers and tracks a device array that the script now holds; returns the number, None for any other value."""
    if not is_on_device(value):
        return None
    number = next(NUMBERS)
    hold(stream, value, number)
    return number


def is_on_device(value: "Live") -> bool:
    """Returns whether a value is a device array."""
    return hasattr(type(value), "gpudata")


def number_of(value: "Live") -> "int | None":
    """Returns the number of a device array that the script holds; None for any other value."""
    number = HELD.get(id(value))
    reference = None if number is None else WATCHED.get(number)
    return number if reference is not None and reference() is value else None


def hold(stream: "Live", value: "Live", number: int) -> None:
    """Registers a device array under a number, with a callback for its deletion."""
    key = id(value)
    HELD[key] = number
    WATCHED[number] = weakref.ref(value, lambda _: released(stream, number, key))


def released(stream: "Live", number: int, key: int) -> None:
    """Writes the event `release` for a device array that the script dropped; `key` is its former `id()`."""
    WATCHED.pop(number, None)
    if HELD.get(key) == number:
        del HELD[key]
    SEARCHES.ended(stream, "release", result=number)


def adopted(stream: "Live", number: int) -> None:
    """Writes `release` for a device array that became the value of a shared variable: from then on the shared variable holds it."""
    if WATCHED.pop(number, None) is not None:
        stream.emit("release", result=number)

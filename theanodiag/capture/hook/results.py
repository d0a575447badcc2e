"""Device arrays that a script gets from its functions: they are the device's memory for as long as the script holds them."""

import itertools
import weakref

from .call_limits import COLLECTED, SIGNATURES
from .garbage import SEARCHES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import Live
    from .program import Program

NUMBERS = itertools.count()
WATCHED = {}  # type: dict[int, Live]  # a weak reference's callback lives as long as the reference does
HELD = {}  # type: dict[int, int]  # id of a device array -> its number


def watch(program: "Program", results: "Live") -> None:
    """Writes the event `result` for a recorded call that hands out device arrays, and `release` when the script drops one of them.

    What a call hands out that is not recorded stands for what the last recorded one did: a loop puts each result in place of the last one.
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
    """How many calls of a function are to be recorded because of the device arrays that it hands out: many, if the script still has the
    one before the last."""
    return (COLLECTED if program.earlier in WATCHED else SIGNATURES) if program.handed else 0


def keep(stream: "Live", value: "Live") -> "int | None":
    """The number of a device array that the script has from now on; None for any other value."""
    if not is_on_device(value):
        return None
    number = next(NUMBERS)
    hold(stream, value, number)
    return number


def is_on_device(value: "Live") -> bool:
    """Whether it is a device array."""
    return hasattr(type(value), "gpudata")


def number_of(value: "Live") -> "int | None":
    """The number of a device array that the script holds; None for any other value."""
    number = HELD.get(id(value))
    reference = None if number is None else WATCHED.get(number)
    return number if reference is not None and reference() is value else None


def hold(stream: "Live", value: "Live", number: int) -> None:
    """Waits for the end of a device array."""
    key = id(value)
    HELD[key] = number
    WATCHED[number] = weakref.ref(value, lambda _: released(stream, number, key))


def released(stream: "Live", number: int, key: int) -> None:
    """The script dropped a device array."""
    WATCHED.pop(number, None)
    if HELD.get(key) == number:
        del HELD[key]
    SEARCHES.ended(stream, "release", result=number)


def adopted(stream: "Live", number: int) -> None:
    """A device array became the value of a shared variable: it lives as long as that is its value."""
    if WATCHED.pop(number, None) is not None:
        stream.emit("release", result=number)

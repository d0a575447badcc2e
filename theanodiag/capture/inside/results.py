"""Device arrays that a script gets from its functions: they are the device's memory for as long as the script holds them."""

import itertools
import weakref

from .garbage import SEARCHES
from .outputs import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import Live
    from .program import Program

NUMBERS = itertools.count()
WATCHED = {}  # type: dict[int, Live]  # a weak reference's callback lives as long as the reference does


def watch(program: "Program", results: "Live") -> None:
    """Writes the event `result` for a call that hands out device arrays, and `release` when the script drops one of them."""
    stream, rows = program.shapes.stream, []
    for position, value in enumerate(results):
        variable = program.fgraph.outputs[position]
        if position not in program.updated and value is not None and kind_of(variable.type) == "gpu":
            number = next(NUMBERS)
            hold(stream, value, number)
            rows.append([position, number])
    if rows:
        stream.emit("result", function=program.index, outputs=rows)


def hold(stream: "Live", value: "Live", number: int) -> None:
    """Waits for the end of a device array."""
    WATCHED[number] = weakref.ref(value, lambda _: released(stream, number))


def released(stream: "Live", number: int) -> None:
    """The script dropped a device array."""
    WATCHED.pop(number, None)
    SEARCHES.ended(stream, "release", result=number)

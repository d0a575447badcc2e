"""Measures functions that a compiler (JAX, torch) compiles as a whole: only complete calls can be measured."""

import re
import time
import weakref

from . import meters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live

ROOTS = ("pytensor", "aesara")
"""Frameworks whose functions JAX or torch can compile."""
ASKED = re.compile(r"(?:allocat\w+|request\w*)\s+([\d.]+)\s*(bytes|[KMGT]i?B)?", re.IGNORECASE)
"""Matches the size of a refused request in a message of XLA or torch."""
UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


class Piece(object):
    """Used in place of one compiled function of the script; `run` computes it."""

    def __init__(self, instrument: "CompiledInstrument", run: "Callable[..., Live]") -> None:
        self.instrument = instrument
        self.run = run
        self.index = -1
        self.calls = 0
        self.risen = None  # type: int | None
        self.recorded = False  # whether the call that is about to run is one that the capture recorded

    def __call__(self, *args: "Live") -> "Live":
        """Computes the outputs, and measures if the call is recorded."""
        if not self.recorded:
            return self.plain(*args)
        self.recorded = False
        try:
            return self.measured(*args)
        except Exception as error:
            self.failed(error)
            raise

    def plain(self, *args: "Live") -> "Live":
        """Computes the outputs without measuring."""
        return self.run(*args)

    def measured(self, *args: "Live") -> "Live":
        """Computes the outputs and emits the measurements of the call as an event."""
        raise NotImplementedError

    def timed(self, run: "Callable[..., Live]", *args: "Live") -> "tuple[Live, float]":
        """Computes `run(*args)`. Returns the result and the seconds that it took, and sets `risen` to the growth of the process
        in bytes.
        """
        resident = meters.reset_peak()
        started = time.time()
        result = self.instrument.wait(run(*args))
        seconds = time.time() - started
        most = meters.resident()
        self.risen = None if resident is None or most is None else max(0, most - resident)
        return result, seconds

    def emit(self, args: "Live", outputs: "Live", seconds: float, **more: object) -> None:
        """Writes the event `piece` of a call."""
        self.instrument.emit(
            what="piece",
            function=self.index,
            call=self.calls,
            seconds=seconds,
            arguments=size_of(args),
            outputs=size_of(outputs),
            risen=self.risen,
            **more,
        )
        self.calls += 1

    def failed(self, error: Exception) -> None:
        """Writes the event `oom` if the error means that the device ran out of memory."""
        text = str(error).strip()
        if no_room(error):
            self.instrument.emit(
                what="oom", function=self.index, call=self.calls, node=None, op=None, asked=requested_bytes(text),
                live=self.instrument.in_use(), tensors=[], message=text.split("\n")[0][:500],
            )  # fmt: skip


class CompiledInstrument(object):
    """Base class of the instruments for compilers. `emit(**fields)` writes an event. A subclass names the linker and creates the pieces."""

    linker = ("", "")
    """(module below the framework's root, class) of the linker."""

    def __init__(self, emit: "Callable[..., None]", options: "dict[str, Live]", shared: "Callable[[], Live]") -> None:
        self.emit = emit
        self.options = options
        self.announced = {}  # type: dict[int, Piece | None]
        self.known = {}  # type: dict[int, Piece]

    def piece(self, linker: "Live", original: "Callable[..., Live]", function: "Live") -> Piece:
        """Creates the Piece that replaces the compiled function; `original(linker, function)` compiles it."""
        raise NotImplementedError

    def wait(self, outputs: "Live") -> "Live":
        """Waits until the outputs are computed. Returns the outputs."""
        return outputs

    def in_use(self) -> int:
        """Returns the bytes in use on the device now; 0 if they are not counted."""
        return 0

    def actions(self) -> "dict[str, Callable[[Live], None]]":
        """Returns a mapping: module name -> function to call after its import."""
        return dict((root + "." + self.linker[0], self.take_over) for root in ROOTS)

    def take_over(self, module: "Live") -> None:
        """Wraps `jit_compile` of the linker, so that each function of the script is replaced by a measuring `Piece`."""
        cls = getattr(module, self.linker[1])
        original = cls.jit_compile

        def jit_compile(linker: "Live", function: "Live") -> "Live":
            key = id(linker.fgraph)
            if key not in self.announced:
                return original(linker, function)
            piece = self.announced[key] = self.piece(linker, original, function)
            return piece

        cls.jit_compile = jit_compile

    def making(self, fgraph: "Live") -> None:
        """Stores the graph of the function that is about to be compiled."""
        self.announced[id(fgraph)] = None

    def made(self, index: int, function: "Live", vm: "Live", fgraph: "Live") -> None:
        """Registers the compiled function under its number `index`."""
        piece = self.announced.pop(id(fgraph), None)
        if piece is None:
            self.emit(what="note", note="function %d was not compiled by %s: it has no figures" % (index, self.linker[1]))
            return
        piece.index, key = index, id(vm)
        self.known[key] = piece
        weakref.finalize(vm, self.known.pop, key, None)

    def recorded(self, program: "Live", values: "Live") -> None:
        """Does nothing: a call is measured while it runs."""

    def entered(self, vm: "Live", recorded: bool) -> None:
        """Stores, before a call runs, whether the call is being recorded."""
        piece = self.known.get(id(vm))
        if piece is not None:
            piece.recorded = recorded

    def finish(self) -> None:
        """Called when the script has ended. Does nothing: each call has already emitted its measurements."""


def no_room(error: Exception) -> bool:
    """Returns whether an exception of XLA or torch means that the device ran out of memory."""
    return "RESOURCE_EXHAUSTED" in str(error) or type(error).__name__ == "OutOfMemoryError" or isinstance(error, MemoryError)


def size_of(values: "Live") -> int:
    """Returns the total bytes of the arrays among `values`; an array that occurs twice counts twice, as for the compiler."""
    return sum(int(getattr(value, "nbytes", 0)) for value in values)


def requested_bytes(text: str) -> "int | None":
    """Returns the size in bytes of the refused request in a message of XLA or torch; None if there is none."""
    match = ASKED.search(text)
    if match is None:
        return None
    return int(float(match.group(1).rstrip(".")) * UNITS[(match.group(2) or "")[:1].lower()])

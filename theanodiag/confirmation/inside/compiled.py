"""Around functions that a compiler makes in one piece (JAX, torch): there are no nodes to look at, only whole calls."""

import re
import time
import weakref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from . import Live

ROOTS = ("pytensor", "aesara")
ASKED = re.compile(r"(?:allocat\w+|request\w*)\s+([\d.]+)\s*(bytes|[KMGT]i?B)?", re.IGNORECASE)
UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


class Piece(object):
    """One compiled function; `run` computes it."""

    def __init__(self, instrument: "CompiledInstrument", run: "Callable[..., Live]") -> None:
        self.instrument = instrument
        self.run = run
        self.index = -1
        self.calls = 0
        self.recorded = False  # whether the call that is about to run is one that the capture recorded

    def __call__(self, *args: "Live") -> "Live":
        """Computes it, and tells what that took where the call is recorded."""
        if not self.recorded:
            return self.plain(*args)
        self.recorded = False
        try:
            return self.measured(*args)
        except Exception as error:
            self.failed(error)
            raise

    def plain(self, *args: "Live") -> "Live":
        """Computes it unwatched."""
        return self.run(*args)

    def measured(self, *args: "Live") -> "Live":
        """Computes it and emits what it took."""
        raise NotImplementedError

    def timed(self, run: "Callable[..., Live]", *args: "Live") -> "tuple[Live, float]":
        """What `run` gives, and the seconds until it is there."""
        started = time.time()
        result = self.instrument.wait(run(*args))
        return result, time.time() - started

    def emit(self, args: "Live", outputs: "Live", seconds: float, **more: object) -> None:
        """Writes the event of a call."""
        self.instrument.emit(
            what="piece", function=self.index, call=self.calls, seconds=seconds, arguments=size_of(args), outputs=size_of(outputs), **more
        )
        self.calls += 1

    def failed(self, error: Exception) -> None:
        """Says so where the device had no room."""
        text = str(error).strip()
        if no_room(error):
            self.instrument.emit(
                what="oom", function=self.index, call=self.calls, node=None, op=None, asked=asked_bytes(text),
                live=self.instrument.in_use(), tensors=[], message=text.split("\n")[0][:500],
            )  # fmt: skip


class CompiledInstrument(object):
    """`emit(**fields)` writes an event. A subclass names the linker and makes the pieces."""

    linker = ("", "")
    """Module below the framework's root, and class."""

    def __init__(self, emit: "Callable[..., None]", options: "dict[str, Live]", shared: "Callable[[], Live]") -> None:
        self.emit = emit
        self.options = options
        self.announced = {}  # type: dict[int, Piece | None]
        self.known = {}  # type: dict[int, Piece]

    def piece(self, linker: "Live", original: "Callable[..., Live]", function: "Live") -> Piece:
        """What stands for the compiled function; `original` compiles it."""
        raise NotImplementedError

    def wait(self, outputs: "Live") -> "Live":
        """The outputs, once they are computed."""
        return outputs

    def in_use(self) -> int:
        """Bytes in use on the device now."""
        return 0

    def actions(self) -> "dict[str, Callable[[Live], None]]":
        """What to do after each module was imported."""
        return dict((root + "." + self.linker[0], self.take_over) for root in ROOTS)

    def take_over(self, module: "Live") -> None:
        """Puts a piece around what the linker compiles for functions of the script."""
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
        """A function of the script is about to be compiled."""
        self.announced[id(fgraph)] = None

    def made(self, index: int, function: "Live", vm: "Live", fgraph: "Live") -> None:
        """It was compiled, and has the number `index`."""
        piece = self.announced.pop(id(fgraph), None)
        if piece is None:
            self.emit(what="note", note="function %d was not compiled by %s: it has no figures" % (index, self.linker[1]))
            return
        piece.index, key = index, id(vm)
        self.known[key] = piece
        weakref.finalize(vm, self.known.pop, key, None)

    def recorded(self, program: "Live", values: "Live") -> None:
        """A call is in the stream: nothing to do, it is measured while it runs."""

    def entered(self, vm: "Live", recorded: bool) -> None:
        """A call is about to compute; whether it is one that the capture recorded."""
        piece = self.known.get(id(vm))
        if piece is not None:
            piece.recorded = recorded

    def finish(self) -> None:
        """The script is over."""


def no_room(error: Exception) -> bool:
    """Whether the device had no room, in the words of XLA or torch."""
    return "RESOURCE_EXHAUSTED" in str(error) or type(error).__name__ == "OutOfMemoryError" or isinstance(error, MemoryError)


def size_of(values: "Live") -> int:
    """Bytes of the arrays among some values; an array that is there twice counts twice, as it does for the compiler."""
    return sum(int(getattr(value, "nbytes", 0)) for value in values)


def asked_bytes(text: str) -> "int | None":
    """The size of a request that was refused, out of the words of XLA or torch."""
    found = ASKED.search(text)
    if found is None:
        return None
    return int(float(found.group(1).rstrip(".")) * UNITS[(found.group(2) or "")[:1].lower()])

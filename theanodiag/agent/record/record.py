"""Records the results of calls as .npy files: an instrument for the hook.

Options: {"folder": output folder, "calls": recorded calls of each function, "seed": seed of `random` and `numpy.random`, or null, "draws":
null or {"folder": folder of the random draws, "keeps": true to write the draws there, false to read them}}.
"""

import functools
import os
import random
import sys
import time
import weakref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .. import Live

FUNCTIONS = ("compile.function_module", "compile.function.types", "compile.executor")
"""Modules that define `Function`: Theano; Theano-PyMC, Aesara and PyTensor 2; PyTensor 3."""
ROOTS = ("theano", "aesara", "pytensor")
MOST = 256 << 20
"""Maximum number of bytes of a recorded value; of a larger one only the shape is compared."""


class RecordedFunction(object):
    """A compiled function of the script, with the shared variables that it updates."""

    def __init__(self, index: int, function: "Live", reference: "Live") -> None:
        self.index, self.vm, self.calls = index, reference, 0
        inputs = function.maker.expanded_inputs
        self.states = [n for n, i in enumerate(inputs) if _is_state(i)]
        places = [n for n, i in enumerate(inputs) if getattr(i, "update", None) is not None]
        names = _unique(_name(inputs[n], n) for n in places)
        self.updated = [(name, function.input_storage[n], n) for name, n in zip(names, places)]


class RecordingInstrument(object):
    """The instrument that records the results of calls; `emit` writes an event."""

    lends = True

    def __init__(self, emit: "Callable[..., None]", options: "dict[str, Live]", shared: "Callable[[], Live]") -> None:
        self.emit, self.folder, self.calls, self.seed = emit, str(options["folder"]), int(options["calls"]), options.get("seed")
        self.known = {}  # type: dict[int, RecordedFunction]
        draws = options.get("draws")
        self.draws = Draws(str(draws["folder"]), bool(draws["keeps"])) if draws else None
        if self.seed is not None:
            random.seed(self.seed)

    def actions(self) -> "dict[str, Callable[[Live], None]]":
        """Returns a mapping: module name -> function to call after that module was imported."""
        table = dict((root + "." + name, self._watch) for root in ROOTS for name in FUNCTIONS)  # type: dict[str, Callable[[Live], None]]
        table["numpy"] = self._seeded
        if self.draws is not None:
            table.update(self.draws.actions())
        return table

    def _seeded(self, numpy: "Live") -> None:
        if self.seed is not None:
            numpy.random.seed(self.seed)

    def _watch(self, module: "Live") -> None:
        cls = getattr(module, "Function", None)
        if cls is not None and cls.__module__ == module.__name__:
            cls.__call__ = self._watched(cls.__call__)

    def making(self, fgraph: "Live") -> None:
        """Does nothing: graphs are left unchanged."""

    def made(self, index: int, function: "Live", vm: "Live", fgraph: "Live") -> None:
        """Registers a compiled function under the number `index`; the entry is removed when `vm` is freed."""
        key = id(vm)
        self.known[key] = RecordedFunction(index, function, weakref.ref(vm, lambda _: self.known.pop(key, None)))

    def entered(self, vm: "Live", recorded: bool) -> None:
        """Does nothing: a call is recorded when it returns."""

    def recorded(self, program: "Live", values: "Live") -> None:
        """Does nothing: a call is recorded when it returns."""

    def finish(self) -> None:
        """Emits how many random draws were replayed from the other run and how many were not."""
        if self.draws is not None:
            self.emit(what="draws", fed=self.draws.fed, own=self.draws.own)

    def _watched(self, original: "Live") -> "Live":
        @functools.wraps(original)
        def __call__(function: "Live", *args: object, **kwargs: object) -> "Live":
            known = self.known.get(id(function.vm if hasattr(function, "vm") else function.fn))
            started = time.time()
            result = original(function, *args, **kwargs)
            if known is not None and known.calls < self.calls:
                self._record(known, result, time.time() - started)
            return result

        return __call__

    def _record(self, known: RecordedFunction, result: "Live", seconds: float) -> None:
        values = list(result.values()) if isinstance(result, dict) else list(result) if isinstance(result, (list, tuple)) else [result]
        named = [("output %d" % n, value, None) for n, value in enumerate(values) if value is not None]  # type: list[Live]
        named += [(name + " after the update", container.storage[0], place) for name, container, place in known.updated]
        call, known.calls = known.calls, known.calls + 1
        rows = [self._written(known, call, n, name, value, place) for n, (name, value, place) in enumerate(named)]
        self.emit(what="values", function=known.index, call=call, seconds=seconds, values=[row for row in rows if row is not None])

    def _written(self, known: RecordedFunction, call: int, number: int, name: str, value: "Live", place: "int | None") -> "Live":
        """The row that describes a value: dtype, shape and the file that holds it. None for non-numeric values, such as the state of a
        generator.

        `place` is the position of the updated input, None for an output. Sparse matrices and arrays above `MOST` bytes get no file.
        """
        import numpy

        state = place in known.states
        if hasattr(value, "tocoo"):
            return {"name": name, "dtype": str(value.dtype), "shape": list(value.shape), "file": None, "place": place, "state": state}
        try:
            array = numpy.asarray(value)
        except Exception:
            return None
        if array.dtype.kind not in "biufc":
            return None
        file = "%d-%d-%d.npy" % (known.index, call, number) if array.nbytes <= MOST else None
        if file is not None:
            numpy.save(os.path.join(self.folder, file), array)
        return {"name": name, "dtype": str(array.dtype), "shape": list(array.shape), "file": file, "place": place, "state": state}


def _is_state(expanded: "Live") -> bool:
    """Whether an input is the integer array that holds the state of an MRG stream."""
    owner = getattr(getattr(expanded, "update", None), "owner", None)
    return owner is not None and "mrg_uniform" in type(owner.op).__name__


def _name(expanded: "Live", number: int) -> str:
    return str(getattr(expanded.variable, "name", None) or "shared variable %d" % number)


def _unique(names: "Iterable[str]") -> "list[str]":
    """The names in order; of those that are equal, the second is `W (2)` and so on: the comparison tells values apart by their names."""
    known = list(names)
    given = []  # type: list[str]
    for name in known:
        number, one = 1, name
        while one in given or (number > 1 and one in known):
            number += 1
            one = "%s (%d)" % (name, number)
        given.append(one)
    return given


Instrument = RecordingInstrument
"""The name under which the hook looks the class up."""


MRG = ("uniform", "binomial", "multinomial", "choice", "multinomial_wo_replacement", "normal", "truncated_normal")
"""Methods of multi-stream generators (MRG) that return a drawn variable."""
STREAMS = {
    "theano.tensor.shared_randomstreams": {"RandomStreams": ("gen",)},
    "theano.sandbox.rng_mrg": {"MRG_RandomStreams": MRG},
    "aesara.tensor.random.utils": {"RandomStream": ("gen",)},
    "aesara.sandbox.rng_mrg": {"MRG_RandomStream": MRG, "MRG_RandomStreams": MRG},
    "pytensor.tensor.random.utils": {"RandomStream": ("gen",)},
    "_theanodiag_compat.random.streams": {"RandomStreams": ("gen",)},
    "_theanodiag_compat.random.mrg": {"MRG_RandomStreams": MRG},
    "theanodiag.compat.random.streams": {"RandomStreams": ("gen",)},
    "theanodiag.compat.random.mrg": {"MRG_RandomStreams": MRG},
}  # type: dict[str, dict[str, tuple[str, ...]]]
"""Module -> class of random streams -> methods that return a drawn variable."""
ALL = 1 << 30
"""Maximum number of bytes of recorded draws."""


class Draws(object):
    """The random draws of one run. If `keeps` is true they are written to files, else they are replaced by the draws in the files of the
    other run.
    """

    def __init__(self, folder: str, keeps: bool) -> None:
        self.folder, self.keeps, self.left = folder, keeps, ALL
        self.count = 0  # number of variables that streams have returned
        self.depth = 0  # a method of a stream may call another
        self.times = {}  # type: dict[int, int]
        self.fed = self.own = 0
        self.peeking = False  # True while a value is computed a second time, which does not count
        self.op = None  # type: Live

    def actions(self) -> "dict[str, Callable[[Live], None]]":
        """Returns a mapping: module name -> function to call after that module was imported."""
        return dict((name, functools.partial(self._wrap, classes)) for name, classes in STREAMS.items())

    def _wrap(self, classes: "dict[str, tuple[str, ...]]", module: "Live") -> None:
        for name, methods in classes.items():
            cls = getattr(module, name, None)
            for method in methods if isinstance(cls, type) else ():
                if method in cls.__dict__:
                    setattr(cls, method, self._wrapped(cls.__dict__[method]))

    def _wrapped(self, original: "Live") -> "Live":
        @functools.wraps(original)
        def method(*args: object, **kwargs: object) -> "Live":
            self.depth += 1
            try:
                drawn = original(*args, **kwargs)
            finally:
                self.depth -= 1
            return drawn if self.depth else self.pass_through(drawn)

        return method

    def pass_through(self, drawn: "Live") -> "Live":
        """Wraps a drawn variable in our Op, which can replace its value; keeps the attributes `rng`, `update` and `name` that streams
        set.
        """
        number, self.count = self.count, self.count + 1
        through = self._op_of(drawn)(self, number)(drawn)
        for name in ("rng", "update"):
            if hasattr(drawn, name):
                setattr(through, name, getattr(drawn, name))
        through.name = drawn.name
        return through

    def _op_of(self, drawn: "Live") -> "Live":
        """The class of our Op, created when the framework has been imported."""
        if self.op is None:
            root = type(drawn.owner).__module__.split(".")[0]
            self.op = op_class(sys.modules[root + (".gof.op" if root == "theano" and root + ".gof.op" in sys.modules else ".graph.op")].Op)
        return self.op

    def value(self, number: int, drawn: "Live") -> "Live":
        """Returns the value of draw `number`: the draw itself, which is then written to a file, or the draw of the other run."""
        import numpy

        time = self.times.get(number, 0)
        if not self.peeking:
            self.times[number] = time + 1
        path = os.path.join(self.folder, "d%d-%d.npy" % (number, time))
        array = numpy.asarray(drawn)
        if self.keeps:
            if array.nbytes <= self.left and not os.path.exists(path):
                self.left -= array.nbytes
                numpy.save(path, array)
            return drawn
        kept = numpy.load(path, allow_pickle=False) if os.path.exists(path) else None
        if kept is None or kept.shape != array.shape:
            self.own += not self.peeking
            return drawn
        self.fed += not self.peeking
        return kept.astype(array.dtype)


def op_class(base: "Live") -> "Live":
    """Creates the class of an identity Op whose values pass through `Draws.value`."""

    class Drawn(base):  # type: ignore[misc]
        """The identity, except that the value may come from the other run."""

        __props__ = ("number",)

        def __init__(self, draws: Draws, number: int) -> None:
            self.draws, self.number = draws, number

        def make_node(self, drawn: "Live") -> "Live":
            """Returns the Apply node that reads `drawn`."""
            return type(drawn.owner)(self, [drawn], [drawn.type()])

        def perform(self, node: "Live", inputs: "Live", outputs: "Live", params: "Live" = None) -> None:
            """Computes the output with `Draws.value`."""
            outputs[0][0] = self.draws.value(self.number, inputs[0])

        def infer_shape(self, *args: "Live") -> "Live":
            """Shape rule of the Op: the output has the shape of the input."""
            return [args[-1][0]]

        def grad(self, inputs: "Live", gradients: "Live") -> "Live":
            """Returns the gradient of the identity: `gradients`, unchanged."""
            return gradients

        def L_op(self, inputs: "Live", outputs: "Live", gradients: "Live") -> "Live":  # noqa: N802
            """Returns the gradient of the identity: `gradients`, unchanged."""
            return gradients

        pullback = L_op

        def R_op(self, inputs: "Live", points: "Live") -> "Live":  # noqa: N802
            """Returns the forward derivative of the identity."""
            return points

        def pushforward(self, inputs: "Live", outputs: "Live", tangents: "Live") -> "Live":
            """Returns the forward derivative of the identity."""
            return tangents

        def do_constant_folding(self, *args: "Live") -> bool:
            """Always False: the value must be computed at each call."""
            return False

        def __str__(self) -> str:
            return "Drawn{%d}" % self.number

    return Drawn

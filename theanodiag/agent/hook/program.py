"""What the hook knows of one compiled function: its graph, a shape table for each set of arguments, and what was recorded."""

import json

from ..shapes.infer import LiveShapes
from .flags import linker_name
from .input_values import Counters, Invented, conditions, deciding, outline_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live
    from .stream import Stream


# Stand-in results of functions that are not computed: zeros of the right shape and dtype, which take physical memory only when read.


def kind_of(kind: "Live") -> str:
    """Returns the family of values that a Type has, from the names of its classes: `tensor`, `gpu`, `sparse`, `scalar`, `list` or
    `other`.
    """
    names = [c.__name__ for c in type(kind).__mro__]
    for name, family in FAMILIES:
        if name in names:
            return family
    return "other"


FAMILIES = (
    ("GpuArrayType", "gpu"),
    ("SparseType", "sparse"),
    ("SparseTensorType", "sparse"),
    ("TensorType", "tensor"),
    ("DenseTensorType", "tensor"),
    ("XTensorType", "tensor"),  # with named dimensions: its values are numpy arrays
    ("Scalar", "scalar"),
    ("ScalarType", "scalar"),
    ("TypedListType", "list"),
)
"""Class name of a Type -> family of its values; the first match counts."""


def fill(kind: "Live", shape: "tuple[int, ...]", value: "Live", like: "Live") -> "Live":
    """Returns a value of Type `kind`: `value` if known, else zeros of `shape`, else `like` (an input's value) if zeros of this Type are
    impossible.
    """
    family = kind_of(kind)
    if family == "tensor":
        return dense(kind, shape, value)
    if family == "scalar":
        import numpy

        return numpy.dtype(kind.dtype).type(0 if value is None else value)
    if family == "gpu":
        import pygpu.gpuarray

        return pygpu.gpuarray.zeros(shape, dtype=kind.dtype, context=kind.context)
    if family == "sparse":
        import scipy.sparse

        return getattr(scipy.sparse, kind.format + "_matrix")(shape, dtype=kind.dtype)
    return [] if family == "list" else like


def dense(kind: "Live", shape: "tuple[int, ...]", value: "Live") -> "Live":
    """Returns a numpy array of Type `kind`: `value` if it is known and has this shape, else zeros."""
    import numpy

    if value is not None:
        known = numpy.asarray(value, dtype=kind.dtype)
        if known.shape == shape:
            return known
    try:
        return numpy.zeros(shape, dtype=kind.dtype)
    except MemoryError:  # more than the system grants: a read-only view of a single zero
        return numpy.broadcast_to(numpy.zeros((), dtype=kind.dtype), shape)


def keeps(old: "Live", kind: "Live", shape: "tuple[int, ...] | None") -> bool:
    """Returns whether a dry update may leave the value `old` in place: it already has the new shape and dtype, or has no shape (a
    generator's state).
    """
    if kind_of(kind) not in ("tensor", "gpu", "sparse"):
        return True
    if shape is None:
        return old is not None
    return tuple(getattr(old, "shape", ())) == shape and str(getattr(old, "dtype", "")) == kind.dtype


KEYS = 4096
"""Maximum number of sets of arguments that are remembered for one function."""
SMALL = 4
"""Maximum length of a vector of integers whose values may decide a shape (arguments of reshape, alloc)."""


class CallShapes(object):
    """The shapes of a function's Variables for one set of arguments."""

    def __init__(self, signature: int, outputs: "list[Live]", new: bool) -> None:
        self.signature = signature  # number of the shape table
        self.outputs = outputs  # (shape or None, small known value or None) of each output
        self.new = new  # whether the table occurs for the first time


def describe(value: "Live") -> "Live":
    """Returns the properties of an argument that can determine shapes: its shape, and its value if it is a small integer array."""
    shape = getattr(value, "shape", None)
    small = small_integer(value)
    return (None if shape is None else tuple(shape), tuple(small) if isinstance(small, list) else small)


def small_integer(value: "Live") -> "Live":
    """Returns the value of an integer array of at most `SMALL` elements, as int or list; None for anything else."""
    if isinstance(value, int):
        return int(value)
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind not in "iub" or not kind or not hasattr(value, "tolist") or value.ndim > 1 or value.size > SMALL:
        return None
    return value.tolist()


def number(value: "Live") -> float:
    """Returns the float in a zero-dimensional array, which may be on a device and then has no `__float__`."""
    import numpy

    return float(numpy.asarray(value).reshape(()))


class Program(object):
    """One compiled function while the script runs. `observer` is called at each call; None for inner functions, which are not recorded."""

    def __init__(self, maker: "Live", shapes: "ShapeRecorder", observer: "Callable[[Program, CallShapes, Live], None] | None") -> None:
        self.fgraph = maker.fgraph
        self.linker = linker_name(maker.linker)
        self.name = ""
        self.allow_gc = getattr(maker.linker, "allow_gc", None)
        self.observer = observer
        self.index = -1
        self.recorded = False  # whether the last call was recorded
        targets = [i for i, spec in enumerate(maker.inputs) if spec.update is not None]
        first = len(self.fgraph.outputs) - len(targets)
        self.updates = [(first + k, position) for k, position in enumerate(targets)]  # (output, input)
        self.updated = dict(self.updates)
        handed = [i for i, v in enumerate(self.fgraph.outputs) if i not in self.updated and kind_of(v.type) == "gpu"]
        self.handed = dict.fromkeys(handed)  # type: dict[int, int | None]  # outputs that are device arrays -> number of the last one
        self.earlier = None  # type: int | None  # number of the device array before the last
        self.specs = list(maker.inputs)
        self.arguments = [i for i, spec in enumerate(maker.inputs) if not getattr(spec, "implicit", False)]
        self.shapes = shapes
        self.deciding = deciding(self.fgraph)
        self.counters = Counters()
        self.live = None  # type: Live  # LiveShapes, made at the first call
        self.skipped = set()  # type: set[str]  # subjects on which an event `skipped` was written
        self.walk = None  # type: Live  # the walk over its graph
        self.known = {}  # type: dict[Live, CallShapes]
        self.tables = {}  # type: dict[str, int]

    def ids(self) -> "dict[Live, int]":
        """Returns a mapping: Variable -> its id in the graph's JSON form; empty if the graph could not be read."""
        return self.walk.ids if self.walk is not None else {}

    def _key(self, values: "Live", believed: "tuple[int, ...]") -> "Live":
        """The part of the inputs that can determine shapes: the key under which inferred shapes are cached."""
        idle = self.counters.idle
        return tuple(describe(v) if i not in idle else () for i, v in enumerate(values)) + tuple((i, number(values[i])) for i in believed)

    def called(self, values: "Live", believed: "tuple[int, ...]") -> CallShapes:
        """Handles a call with the `values` of all inputs: infers the shapes, once for each kind of arguments, and calls the observer.

        The inputs at the positions `believed` select branches by their values.
        """
        key = self._key(values, believed)
        shapes = self.known.get(key)
        if shapes is None:
            self.counters.look(self, values, believed)
            key = self._key(values, believed)
            shapes = self.known.get(key) or self.shapes.learn(self, values, believed)
            if len(self.known) < KEYS:
                self.known[key] = shapes
        if self.observer is not None:
            self.observer(self, shapes, values)
        shapes.new = False
        return shapes


STAND_IN = 1
"""Length used for a dimension of unknown length in a dry call's result."""


class ShapeRecorder(object):
    """Infers the shapes of calls with the framework's own rules and writes the events `shapes`."""

    def __init__(self, stream: "Stream", invented: Invented) -> None:
        self.stream = stream
        self.invented = invented

    def learn(self, program: Program, values: "Live", believed: "tuple[int, ...]" = ()) -> CallShapes:
        """Infers the shapes that follow from the inputs' values. If that fails, it is reported once and the call continues without shapes.

        At the positions `believed`, a value that is not an integer decides a branch.
        """
        try:
            table, outputs = self.infer(program, values, believed)
        except Exception as error:
            self._tell(program, "shapes of %s" % program.name, "%s: %s" % (type(error).__name__, error))
            table, outputs = {}, [(None, None) for _ in program.fgraph.outputs]
        return self.number(program, table, outputs)

    def outline(self, program: Program, values: "Live", believed: "tuple[int, ...]") -> "Live":
        """Returns the shapes and branches that follow from the inputs' values, without recording them; None if the inference fails."""
        try:
            table = self.infer(program, values, believed)[0]
        except Exception:
            return None
        return outline_of(table), branches_of(program, table)

    def infer(self, program: Program, values: "Live", believed: "tuple[int, ...]") -> "tuple[dict[str, Live], list[Live]]":
        """Infers the shape table for these inputs, and (shape, known value or None) of each output."""
        if program.live is None:
            program.live = LiveShapes(program.walk)
        shapes = shapes_of(values)
        small = dict((i, v) for i, v in enumerate(values) if i in believed or small_integer(v) is not None)
        state = program.live.run(shapes, small)
        return program.live.as_table(state), [self._output(program, v, state) for v in program.fgraph.outputs]

    def next_values(self, program: Program, values: "Live", nodes: "set[int]") -> "dict[int, Live]":
        """Computes outputs with only the nodes at the positions `nodes`. Returns output position -> value; empty if the inference fails."""
        small = dict((i, v) for i, v in enumerate(values) if small_integer(v) is not None)
        try:
            state = program.live.run(shapes_of(values), small, nodes)
        except Exception:
            return {}
        return dict((i, self._value(v, state)) for i, v in enumerate(program.fgraph.outputs))

    @staticmethod
    def _value(variable: "Live", state: "Live") -> "Live":
        return None if variable in state.tainted else state.value(variable)

    def _output(self, program: Program, variable: "Live", state: "Live") -> "Live":
        shape = state.shapes.get(variable)
        if shape is None:
            return None, None
        if None in shape:
            reason = "what %s returns has length %d where it is not known (%s)" % (program.name, STAND_IN, state.why(variable))
            self._tell(program, "values of %s" % program.name, reason)
        return tuple(STAND_IN if n is None else int(n) for n in shape), self._value(variable, state)

    def _tell(self, program: Program, what: str, reason: str) -> None:
        if what not in program.skipped:
            program.skipped.add(what)
            self.stream.emit("skipped", what=what, reason=reason)

    def number(self, program: Program, table: "dict[str, Live]", outputs: "list[Live]") -> CallShapes:
        """Converts a shape table to CallShapes; a new table gets a number and is written. Tables are equal if their shapes and branches
        are.
        """
        key = json.dumps([branches_of(program, table)] + [table.get(k) for k in ("shapes", "unknown", "bounded", "inner")], sort_keys=True)
        known = program.tables.get(key)
        if known is None and program.index >= 0:
            number = program.tables[key] = len(program.tables)
            self.stream.emit("shapes", function=program.index, signature=number, table=table)
            return CallShapes(number, outputs, True)
        return CallShapes(known or 0, outputs, False)


def shapes_of(values: "Live") -> "dict[int, tuple[int, ...]]":
    """Returns a mapping: position -> shape, for those values that have a shape."""
    return dict((i, v.shape) for i, v in enumerate(values) if getattr(v, "shape", None) is not None)


def branches_of(program: Program, table: "dict[str, Live]") -> "list[Live]":
    """Returns for each lazy node whether its condition is true; None if unknown."""
    values = dict((str(k), v) for k, v in (table.get("values") or {}).items())
    return [truth_of(values.get(c)) for c in conditions_of(program)]


def conditions_of(program: Program) -> "list[str]":
    """Returns the ids of the conditions of lazy nodes, in the form of the keys of a shape table's values."""
    ids = program.ids()
    return sorted(str(ids[v]) for v in conditions(program.fgraph) if v in ids)


def truth_of(value: "Live") -> "Live":
    """Returns the value of a condition as bool; None if unknown."""
    return bool(value) if isinstance(value, (bool, int, float)) else value

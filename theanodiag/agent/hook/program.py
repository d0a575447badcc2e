"""What the hook knows of one compiled function: its graph, a shape table for each set of arguments, and what was recorded."""

from .flags import linker_name
from .input_values import Counters, deciding
from .outputs import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live
    from .shapes import ShapeRecorder

KEYS = 4096
"""How many sets of arguments are remembered for one function."""
SMALL = 4
"""The longest vector of integers whose values may decide a shape (arguments of reshape, alloc)."""


class CallShapes(object):
    """The shapes that follow from one set of arguments."""

    def __init__(self, signature: int, outputs: "list[Live]", new: bool) -> None:
        self.signature = signature  # number of the shape table
        self.outputs = outputs  # (shape or None, small known value or None) of each output
        self.new = new  # whether the table occurs for the first time


def describe(value: "Live") -> "Live":
    """What of an argument can determine shapes: (its shape, its value if it is a small integer array)."""
    shape = getattr(value, "shape", None)
    small = small_integer(value)
    return (None if shape is None else tuple(shape), tuple(small) if isinstance(small, list) else small)


def small_integer(value: "Live") -> "Live":
    """The value of an integer array of at most `SMALL` elements, as int or list; None for anything else."""
    if isinstance(value, int):
        return int(value)
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind not in "iub" or not kind or not hasattr(value, "tolist") or value.ndim > 1 or value.size > SMALL:
        return None
    return value.tolist()


def number(value: "Live") -> float:
    """The float in a zero-dimensional array, also of one on a device, which has no `__float__`."""
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
        """Variable -> its id in the graph's JSON; empty if the graph could not be read."""
        return self.walk.ids if self.walk is not None else {}

    def _key(self, values: "Live", believed: "tuple[int, ...]") -> "Live":
        """What of the inputs can determine shapes: the key under which inferred shapes are cached."""
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

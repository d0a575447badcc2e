"""Asks the framework's own `infer_shape` for a node's output shapes, and evaluates the small symbolic answer in Python."""

import importlib

from .dimensions import Bound, NoShape
from .state import has_shape
from .values import follow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live
    from .state import LiveState

MAX_WORK = 20000
"""Largest number of steps in evaluating one symbolic answer; real answers have a few dozen nodes."""


class Symbolic(object):
    """Calls `infer_shape` for the nodes of one graph."""

    def __init__(self, fgraph: "Live") -> None:
        self.fgraph = fgraph
        self.package = type(fgraph).__module__.split(".")[0]
        self._numbers = {}  # type: dict[int, Live]

    def infer(self, node: "Live", state: "LiveState") -> "list[tuple[Live, ...] | None]":
        """The shapes of the node's outputs, None for an output that is no array; raises NoShape where there is no `infer_shape`."""
        function = getattr(node.op, "infer_shape", None)
        if function is None:
            raise NoShape("no size rule for %s" % type(node.op).__name__)
        shapes = [self.dims(v, state) if has_shape(v.type) else None for v in node.inputs]
        with QuietMaking(self.package):
            answers = function(*(self.leading() + [node, shapes]))
            solved = [self.solve(answer, v, state) for v, answer in zip(node.outputs, answers)]
            if not any(isinstance(d, Bound) for v in node.inputs for d in state.shapes.get(v, ())):
                return solved
            # dimensions that are not monotone in a bound are taken at the bound, as our own rules do
            fixed = function(*(self.leading() + [node, [s and tuple(self.at_bound(d) for d in s) for s in self.known_shapes(node, state)]]))
        return [self.both(*row, state=state) for row in zip(node.outputs, solved, fixed)]

    @staticmethod
    def known_shapes(node: "Live", state: "LiveState") -> "list[tuple[Live, ...] | None]":
        """The shapes of the inputs, None for one that is no array."""
        return [state.shape(v) if has_shape(v.type) else None for v in node.inputs]

    def at_bound(self, dim: "int | None") -> "Live":
        """A symbolic integer scalar with the value of a Bound."""
        return self.number(None if dim is None else int(dim))

    def both(self, variable: "Live", dims: "tuple[Live, ...] | None", answer: "Live", state: "LiveState") -> "tuple[Live, ...] | None":
        """The dimensions solved from bounds; where those are unknown, Bounds of the value that `answer` has at the bound."""
        if dims is None:
            return None
        fixed = self.solve(answer, variable, state) or dims
        return tuple(d if d is not None else None if f is None else Bound(f) for d, f in zip(dims, fixed))

    def leading(self) -> "list[Live]":
        """Arguments that `infer_shape` takes before the node: the graph or none, as the framework's own Elemwise shows."""
        elemwise = importlib.import_module(self.package + ".tensor.elemwise").Elemwise
        return [self.fgraph] if elemwise.infer_shape.__code__.co_argcount == 4 else []

    def dims(self, variable: "Live", state: "LiveState") -> "tuple[Live, ...]":
        """A shape as symbolic constants, with a free scalar for each unknown dimension."""
        return tuple(self.bound(d, state) if isinstance(d, Bound) else self.number(d) for d in state.shape(variable))

    def bound(self, dim: "Bound", state: "LiveState") -> "Live":
        """A symbolic integer scalar of which only an upper bound is known."""
        import numpy

        made = importlib.import_module(self.package + ".tensor").lscalar()
        state.values[made] = numpy.asarray(int(dim), dtype="int64")
        state.tainted.add(made)
        return made

    def number(self, dim: "int | None") -> "Live":
        """A symbolic integer constant; a free scalar for None."""
        tensor = importlib.import_module(self.package + ".tensor")
        if dim is None:
            return tensor.lscalar()
        if dim not in self._numbers:
            import numpy

            self._numbers[int(dim)] = tensor.as_tensor_variable(numpy.asarray(int(dim), dtype="int64"))
        return self._numbers[dim]

    def solve(self, answer: "Live", variable: "Live", state: "LiveState") -> "tuple[Live, ...] | None":
        """The dimensions of a symbolic answer as integers, None for unknown ones."""
        if answer is None or not has_shape(variable.type):
            return None
        return tuple(number_of(d, state) for d in answer)


class QuietMaking(object):
    """Switches the flag `compute_test_value` off while symbolic answers are built, since they have no test values."""

    def __init__(self, package: str) -> None:
        self.config = importlib.import_module(package).config
        self.saved = "off"

    def __enter__(self) -> None:
        self.saved = getattr(self.config, "compute_test_value", "off")
        if self.saved != "off":
            self.config.compute_test_value = "off"

    def __exit__(self, *failure: object) -> None:
        if self.saved != "off":
            self.config.compute_test_value = self.saved


def number_of(dim: "Live", state: "LiveState") -> "Live":
    """A dimension of an answer as an integer: a number, or a symbolic scalar whose inputs are all known; else None."""
    if not hasattr(dim, "owner"):
        return int(dim)
    evaluate(dim, state)
    return state.dim(dim)


def evaluate(target: "Live", state: "LiveState") -> None:
    """Computes the value of a symbolic scalar from its leaves, without recursion; at most MAX_WORK steps."""
    pending, seen, work = [target], set(), 0
    while pending and work < MAX_WORK:
        work += 1
        variable = pending[-1]
        node = getattr(variable, "owner", None)
        if node is None or variable in seen or state.value(variable) is not None:
            pending.pop()
            seen.add(variable)
            continue
        missing = [] if type(node.op).__name__ in ("Shape", "Shape_i") else [v for v in node.inputs if v not in seen]
        missing = [v for v in missing if state.value(v) is None]
        if missing:
            pending.extend(missing)
            continue
        follow(node, state)
        pending.pop()
        seen.update(node.outputs)

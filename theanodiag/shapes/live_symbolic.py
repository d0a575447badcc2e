"""Asks the framework's own `infer_shape` for a node's output shapes and computes the small symbolic answer in Python.

Theano 1.0.5: `op.infer_shape(node, shapes)` (tensor/opt.py, ShapeFeature.on_import); Aesara and PyTensor up to 3.2:
`op.infer_shape(fgraph, node, shapes)` (tensor/rewriting/shape.py); later PyTensor again without the graph.
"""

import importlib

from .dimensions import Bound, NoShape
from .live_state import has_shape
from .live_values import follow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any as Live

    from .live_state import LiveState

MAX_WORK = 20000
"""Most nodes of a symbolic answer that are computed; real answers have some dozens."""


class Symbolic(object):
    """The `infer_shape` of one framework, for the nodes of one graph."""

    def __init__(self, fgraph: "Live") -> None:
        self.fgraph = fgraph
        self.package = type(fgraph).__module__.split(".")[0]
        self._numbers = {}  # type: dict[int, Live]

    def infer(self, node: "Live", state: "LiveState") -> "list[tuple[Live, ...] | None]":
        """The shapes of the node's outputs, None for an output that has none; raises NoShape."""
        function = getattr(node.op, "infer_shape", None)
        if function is None:
            raise NoShape("no size rule for %s" % type(node.op).__name__)
        shapes = [self.dims(v, state) if has_shape(v.type) else None for v in node.inputs]
        with QuietMaking(self.package):
            answers = function(*(self.leading() + [node, shapes]))
            solved = [self.solve(answer, v, state) for v, answer in zip(node.outputs, answers)]
            if not any(isinstance(d, Bound) for v in node.inputs for d in state.shapes.get(v, ())):
                return solved
            # what does not rise with a bound is taken at the bound, as rules of ours do
            fixed = function(*(self.leading() + [node, [s and tuple(self.at_bound(d) for d in s) for s in self.known_shapes(node, state)]]))
        return [self.both(*row, state=state) for row in zip(node.outputs, solved, fixed)]

    @staticmethod
    def known_shapes(node: "Live", state: "LiveState") -> "list[tuple[Live, ...] | None]":
        """The shapes of the inputs, None for what is no array."""
        return [state.shape(v) if has_shape(v.type) else None for v in node.inputs]

    def at_bound(self, dim: "int | None") -> "Live":
        """A symbolic integer scalar with the value that a bound has."""
        return self.number(None if dim is None else int(dim))

    def both(self, variable: "Live", dims: "tuple[Live, ...] | None", answer: "Live", state: "LiveState") -> "tuple[Live, ...] | None":
        """The dimensions as they follow, and, where they do not, as bounds."""
        if dims is None:
            return None
        fixed = self.solve(answer, variable, state) or dims
        return tuple(d if d is not None else None if f is None else Bound(f) for d, f in zip(dims, fixed))

    def leading(self) -> "list[Live]":
        """What `infer_shape` takes before the node: the graph, or nothing. The framework's own Elemwise shows it."""
        elemwise = importlib.import_module(self.package + ".tensor.elemwise").Elemwise
        return [self.fgraph] if elemwise.infer_shape.__code__.co_argcount == 4 else []

    def dims(self, variable: "Live", state: "LiveState") -> "tuple[Live, ...]":
        """A shape as symbolic constants, with a free scalar for an unknown dimension."""
        return tuple(self.bound(d, state) if isinstance(d, Bound) else self.number(d) for d in state.shape(variable))

    def bound(self, dim: "Bound", state: "LiveState") -> "Live":
        """A symbolic integer scalar of which only an upper bound is known."""
        import numpy

        made = importlib.import_module(self.package + ".tensor").lscalar()
        state.values[made] = numpy.asarray(int(dim), dtype="int64")
        state.tainted.add(made)
        return made

    def number(self, dim: "int | None") -> "Live":
        """A symbolic integer scalar."""
        tensor = importlib.import_module(self.package + ".tensor")
        if dim is None:
            return tensor.lscalar()
        if dim not in self._numbers:
            import numpy

            self._numbers[int(dim)] = tensor.as_tensor_variable(numpy.asarray(int(dim), dtype="int64"))
        return self._numbers[dim]

    def solve(self, answer: "Live", variable: "Live", state: "LiveState") -> "tuple[Live, ...] | None":
        """The dimensions in an answer as integers; unknown ones as None."""
        if answer is None or not has_shape(variable.type):
            return None
        return tuple(number_of(d, state) for d in answer)


class QuietMaking(object):
    """While symbolic answers are made, the user's wish to compute test values does not hold: they have none."""

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
    """A dimension as an integer: of a number, or of a symbolic scalar all of whose inputs are known."""
    if not hasattr(dim, "owner"):
        return int(dim)
    evaluate(dim, state)
    return state.dim(dim)


def evaluate(target: "Live", state: "LiveState") -> None:
    """Follows values through a symbolic answer from its leaves, without recursion."""
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

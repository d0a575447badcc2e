"""Shapes and small values of every Variable of a live graph, for given shapes of its inputs, without running the model.

Goes forward over the nodes, in the order of `Walk`. A shape comes from the static type, a rule of `rules` (the framework's answer,
faster), a rule of `rules_more` (Ops without `infer_shape`), or the framework's own `infer_shape`; what remains is unknown, with the
reason.
"""

from . import rules, rules_more
from .dimensions import Bound, NoShape
from .inner import through
from .state import LiveState, array_of, has_shape, is_a, static_dims
from .symbolic import Symbolic
from .values import follow, why_unvalued

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .. import Live
    from .rules import Rule, Shapes

SCHEMA = "theanodiag/shapes/v1"
"""Schema name in shape tables."""
MAX_REMEMBERED = 64
"""Number of different inputs for which the answers about one node are cached."""


class LiveShapes(object):
    """Infers the shapes of one live graph, for any number of sets of inputs. `walk` is a Walk of `walk/graph.py`.

    For an inner graph, `info` describes how its Scan uses it, and `position` is the position of the node that holds it.
    """

    def __init__(self, walk: "Live", info: "dict[str, Live] | None" = None, position: int = -1) -> None:
        self.walk = walk
        self.info = info or {}  # of an inner graph: how its Scan uses it
        self.position = position  # of an inner graph: the position of the node that holds it
        self.symbolic = Symbolic(walk.fgraph)
        self._inner = {}  # type: dict[int, LiveShapes | None]
        self._remembered = {}  # type: dict[int, dict[Live, Shapes]]

    def table(self, shapes: "Mapping[Live, Live]", values: "Mapping[Live, Live] | None" = None) -> "dict[str, Live]":
        """The shape table as JSON values, for inputs named by Variable or by position; inputs left out are unknown."""
        return self.as_table(self.run(shapes, values or {}))

    def run(self, shapes: "Mapping[Live, Live]", values: "Mapping[Live, Live]", only: "set[int] | None" = None) -> LiveState:
        """All shapes and values for these inputs; with `only`, those of the nodes at these positions."""
        import numpy

        state = LiveState()
        inputs = self.walk.fgraph.inputs
        for key, shape in shapes.items():
            state.shapes[inputs[key] if isinstance(key, int) else key] = tuple(shape)
        for key, value in values.items():
            array = array_of(value)
            if array is not None:
                state.values[inputs[key] if isinstance(key, int) else key] = array
        with numpy.errstate(all="ignore"):
            for position in range(len(self.walk.order)) if only is None else sorted(only):
                self._visit(position, self.walk.order[position], state)
        return state

    def inner(self, node: "Live") -> "LiveShapes | None":
        """The LiveShapes of a node's inner graph; None where it has none."""
        position = self.walk.positions[node]
        if position not in self._inner:
            walk = self.walk.inner(node)
            self._inner[position] = None if walk is None else LiveShapes(walk, self.walk.inner_info(node), position)
        return self._inner[position]

    def _visit(self, position: int, node: "Live", state: LiveState) -> None:
        fixed = [static_dims(v.type) if has_shape(v.type) else () for v in node.outputs]
        if any(None in dims for dims in fixed) or is_a(node.op, ("Scan", "OpFromGraph")):
            try:
                shapes = self._shapes(position, node, state)
            except NoShape as reason:
                shapes = [None for _ in node.outputs]
                state.reasons.update((v, str(reason)) for v in node.outputs)
        else:
            shapes = list(fixed)
        for variable, dims, shape in zip(node.outputs, fixed, shapes):
            if has_shape(variable.type):
                self._note(variable, dims, shape, state)
        follow(node, state)

    @staticmethod
    def _note(variable: "Live", fixed: "tuple[Live, ...]", shape: "tuple[Live, ...] | None", state: LiveState) -> None:
        """Records a shape; dimensions that the type fixes hold in any case."""
        if shape is None or len(shape) != len(fixed):
            shape = fixed
        state.shapes[variable] = tuple(b if a is None else a for a, b in zip(fixed, shape))
        if None in state.shapes[variable] and variable not in state.reasons:
            blame = [v for v in variable.owner.inputs if None in state.shapes.get(v, ())]
            state.reasons[variable] = state.why(blame[0]) if blame else why_unvalued(variable, state)

    def _shapes(self, position: int, node: "Live", state: LiveState) -> "Shapes":
        found = through(node, state, self)
        if found is not None:
            return found
        rule = rule_of(node.op, rules.BY_NAME)
        if rule is not None:
            return rule(node, state)
        return self._asked(position, node, state)

    def _asked(self, position: int, node: "Live", state: LiveState) -> "Shapes":
        """Shapes by a rule of `rules_more`, else by the framework's `infer_shape`, cached by what they depend on."""
        rule = rule_of(node.op, rules_more.BY_NAME)
        if rule is not None:
            try:
                return rule(node, state)  # not cached: it may read more than the inputs, such as their owners
            except LookupError:
                pass  # the rule does not cover this case
        key = tuple((state.shape(v), bytes_of(state.value(v))) if has_shape(v.type) else None for v in node.inputs)
        memory = self._remembered.setdefault(position, {})
        doubtful = any(isinstance(d, Bound) for entry in key if entry for d in entry[0]) or any(v in state.tainted for v in node.inputs)
        if key in memory and not doubtful:
            return memory[key]
        answer = self._answer(node, state)
        if not doubtful and len(memory) < MAX_REMEMBERED:
            memory[key] = answer
        return answer

    def _answer(self, node: "Live", state: LiveState) -> "Shapes":
        try:
            return self.symbolic.infer(node, state)
        except NoShape:
            raise
        except Exception as error:  # an Op's infer_shape may be anyone's code
            raise NoShape("infer_shape of %s failed: %s: %s" % (type(node.op).__name__, type(error).__name__, error))

    def as_table(self, state: LiveState) -> "dict[str, Live]":
        """The result of a run as JSON values."""
        shapes, unknown, bounded, values = {}, {}, [], {}
        for i, variable in enumerate(self.walk.variables):
            if not has_shape(variable.type):
                continue
            shape = state.shape(variable)
            shapes[str(i)] = [None if d is None else int(d) for d in shape]
            if None in shape:
                unknown[str(i)] = state.why(variable)
            if any(isinstance(d, Bound) for d in shape):
                bounded.append(i)
            value = None if variable in state.tainted else state.value(variable)
            if value is not None and bool((value == value).all()) and bool((abs(value) < float("inf")).all()):
                values[str(i)] = value.tolist()
        inner = dict((str(p), t) for p, t in state.inner.items())
        return {"schema": SCHEMA, "shapes": shapes, "values": values, "unknown": unknown, "bounded": bounded, "inner": inner}


def bytes_of(value: "Live") -> "Live":
    """A small value as a dictionary key."""
    return None if value is None else (value.tobytes(), value.shape)


_RULES = {}  # type: dict[tuple[type, int], Rule | None]


def rule_of(op: "Live", table: "dict[str, Rule]") -> "Rule | None":
    """The rule in `table` for an Op, by the names of its class and base classes, with or without `Gpu`; None where there is none."""
    key = (type(op), id(table))
    if key not in _RULES:
        names = [n for c in type(op).__mro__ for n in ([c.__name__, c.__name__[3:]] if c.__name__.startswith("Gpu") else [c.__name__])]
        _RULES[key] = next((table[n] for n in names if n in table), None)
    return _RULES[key]

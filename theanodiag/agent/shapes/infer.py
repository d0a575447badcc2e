"""Shapes and small values of every Variable of a live graph, for given shapes of its inputs, without running the model.

The nodes are visited in the order of `Walk`. A shape comes from the static type, a rule of `rules` (the framework's answer, but faster), a
rule of `missing_rules` (Ops without `infer_shape`), or the framework's own `infer_shape`; otherwise it is unknown, with a reason.
"""

import importlib

from . import frequent_ops, missing_rules
from .dimensions import Bound, NoShape, larger
from .state import LiveState, array_of, has_shape, is_a, static_dims
from .values import follow, why_unvalued

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .. import Live
    from .frequent_ops import Rule, Shapes
    from .state import LiveState

SCHEMA = "theanodiag/shapes/v1"
"""Name of the format of shape tables."""
MAX_REMEMBERED = 64
"""Maximum number of different inputs for which the answers about one node are cached."""


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
        """Returns the shape table as JSON values, for input shapes and values by Variable or by position; inputs left out are unknown."""
        return self.as_table(self.run(shapes, values or {}))

    def run(self, shapes: "Mapping[Live, Live]", values: "Mapping[Live, Live]", only: "set[int] | None" = None) -> LiveState:
        """Infers all shapes and values for these inputs; with `only`, only those of the nodes at these positions."""
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
        """Makes the LiveShapes of a node's inner graph; None if it has none."""
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
        """Records a shape; dimensions fixed by the type take precedence over unknown ones."""
        if shape is None or len(shape) != len(fixed):
            shape = fixed
        state.shapes[variable] = tuple(b if a is None else a for a, b in zip(fixed, shape))
        if None in state.shapes[variable] and variable not in state.reasons:
            blame = [v for v in variable.owner.inputs if None in state.shapes.get(v, ())]
            state.reasons[variable] = state.why(blame[0]) if blame else why_unvalued(variable, state)

    def _shapes(self, position: int, node: "Live", state: LiveState) -> "Shapes":
        shapes = through(node, state, self)
        if shapes is not None:
            return shapes
        rule = rule_of(node.op, frequent_ops.BY_NAME)
        if rule is not None:
            return rule(node, state)
        return self._by_rule_or_framework(position, node, state)

    def _by_rule_or_framework(self, position: int, node: "Live", state: LiveState) -> "Shapes":
        """Shapes by a rule of `missing_rules`, else by the framework's `infer_shape`, cached by what they depend on."""
        rule = rule_of(node.op, missing_rules.BY_NAME)
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
        """Converts the result of a run to a shape table of JSON values."""
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
    """Converts a small value to a key for a dictionary."""
    return None if value is None else (value.tobytes(), value.shape)


_RULES = {}  # type: dict[tuple[type, int], Rule | None]


def rule_of(op: "Live", table: "dict[str, Rule]") -> "Rule | None":
    """Finds the rule in `table` for an Op, by the names of its class and base classes, with or without the prefix `Gpu`; None if there is
    none.
    """
    key = (type(op), id(table))
    if key not in _RULES:
        names = [n for c in type(op).__mro__ for n in ([c.__name__, c.__name__[3:]] if c.__name__.startswith("Gpu") else [c.__name__])]
        _RULES[key] = next((table[n] for n in names if n in table), None)
    return _RULES[key]


def through(node: "Live", state: "LiveState", live: "LiveShapes") -> "Shapes | None":
    """Returns the shapes of the outputs of an Op with an inner graph, or of IfElse; None for every other Op."""
    if is_a(node.op, ("IfElse",)):
        return if_else(node, state)
    inside = live.inner(node)
    if inside is None:
        return None
    if is_a(node.op, ("Scan",)):
        return scan(node, state, inside)
    inner = inside.run(dict((i, state.shape(v)) for i, v in enumerate(node.inputs)), known_values(node.inputs, state))
    state.inner[live.walk.positions[node]] = inside.as_table(inner)
    for output, v in zip(node.outputs, inside.walk.fgraph.outputs):
        if inner.value(v) is not None and v not in inner.tainted:
            state.values[output] = inner.value(v)
    return [inner.shape(v) if has_shape(v.type) else None for v in inside.walk.fgraph.outputs[: len(node.outputs)]]


def known_values(variables: "list[Live]", state: "LiveState") -> "dict[int, Live]":
    """Returns the exactly known values of `variables`, by position."""
    return dict((i, state.value(v)) for i, v in enumerate(variables) if state.value(v) is not None and v not in state.tainted)


def scan(node: "Live", state: "LiveState", inside: "LiveShapes") -> "Shapes":
    """Returns the output shapes of Scan, inferred from one step: recurrent outputs have the shape of their buffers, others (steps kept,
    *shape of one step).
    """
    info = inside.info
    shapes, values = step_inputs(node, state, info)
    inner = inside.run(shapes, values)
    state.inner[inside.position] = inside.as_table(inner)
    return [while_bound(s, info) for s in outer_outputs(node, state, info, inner, without_written(inside))]


def without_written(inside: "LiveShapes") -> "list[Live]":
    """Returns the outputs of a Scan's inner graph without the outputs that mit-mot recurrences write in place, which come first.

    In a graph with updates, outputs written in place are updates of their inputs and come last. Only a graph that Numba runs has none of
    them.
    """
    outputs = inside.walk.returned_first()  # type: list[Live]
    if any(spec.update is not None for spec in inside.walk.specs):
        return outputs
    return outputs[n_written(inside.info) :]


def n_written(info: "dict[str, Live]") -> int:
    """Returns the number of outputs of a Scan's inner graph that mit-mot recurrences write in place."""
    return sum(bool(p) for p in info["mitmots_preallocated"] or ())


def step_inputs(node: "Live", state: "LiveState", info: "dict[str, Live]") -> "tuple[dict[int, Live], dict[int, Live]]":
    """Returns the shapes and values of a Scan's inner inputs: one step of each sequence and of each tap of a recurrence; other inputs
    unchanged.
    """
    outer = iter(node.inputs[1:])
    rows = [state.shape(next(outer))[1:] for _ in range(info["n_seqs"])]
    for taps in info["mit_mot_in_slices"] + info["mit_sot_in_slices"] + info["sit_sot_in_slices"]:
        rows.extend([state.shape(next(outer))[1:]] * len(taps))
    rows.extend(state.shape(next(outer)) for _ in range(info["n_shared_outs"]))
    for _ in range(info["n_nit_sot"]):
        next(outer)
    first, rest = len(rows), list(outer)
    rows.extend(state.shape(v) for v in rest)
    return dict(enumerate(rows)), dict((first + i, v) for i, v in known_values(rest, state).items())


def outer_outputs(node: "Live", state: "LiveState", info: "dict[str, Live]", inner: "LiveState", outputs: "list[Live]") -> "Shapes":
    """Returns the output shapes of a Scan: recurrences, outputs without recurrence, updates of shared variables."""
    n_buffers = info["n_mit_mot"] + info["n_mit_sot"] + info["n_sit_sot"]
    first = 1 + info["n_seqs"]
    shared = first + n_buffers
    shapes = [state.shape(v) for v in node.inputs[first:shared]]  # type: Shapes
    lengths = node.inputs[shared + info["n_shared_outs"] :]
    position = info["n_mit_mot_outs"] - n_written(info) + info["n_mit_sot"] + info["n_sit_sot"]
    for k in range(info["n_nit_sot"]):
        shapes.append((state.dim(lengths[k]),) + inner.shape(outputs[position + k]))
    for k in range(info["n_shared_outs"]):
        variable = node.inputs[shared + k]
        shapes.append(state.shape(variable) if has_shape(variable.type) else None)
    return shapes


def while_bound(shape: "Live", info: "dict[str, Live]") -> "Live":
    """Makes the first dimension of `shape` a Bound if a stopping condition may end the loop earlier."""
    if not info["as_while"] or not shape or shape[0] is None:
        return shape
    return (Bound(shape[0]),) + shape[1:]


def if_else(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shapes of IfElse: those of the selected branch, if the condition is known; else the larger of both, dimension by
    dimension.
    """
    n, condition = len(node.outputs), state.dim(node.inputs[0])
    then, other = node.inputs[1 : n + 1], node.inputs[n + 1 :]
    if condition is not None and not isinstance(condition, Bound):
        return [state.shape(v) if has_shape(v.type) else None for v in (then if condition else other)]
    return [larger_shape(state.shape(a), state.shape(b)) if has_shape(a.type) else None for a, b in zip(then, other)]


def larger_shape(a: "tuple[Live, ...]", b: "tuple[Live, ...]") -> "tuple[Live, ...]":
    """Returns the shape of a value that may have either of two shapes: the larger length in each dimension. Raises NoShape if the numbers
    of dimensions differ.
    """
    if len(a) != len(b):
        raise NoShape("IfElse between branches with different numbers of dimensions")
    return tuple(larger(x, y) for x, y in zip(a, b))


MAX_WORK = 20000
"""Maximum number of steps for evaluating one symbolic answer; real answers have a few dozen nodes."""


class Symbolic(object):
    """Calls the framework's `infer_shape` for the nodes of one graph."""

    def __init__(self, fgraph: "Live") -> None:
        self.fgraph = fgraph
        self.package = type(fgraph).__module__.split(".")[0]
        self._numbers = {}  # type: dict[int, Live]

    def infer(self, node: "Live", state: "LiveState") -> "list[tuple[Live, ...] | None]":
        """Returns the shapes of the node's outputs, None for an output that is not an array. Raises NoShape if the Op has no
        `infer_shape`.
        """
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
        """Returns the shapes of the inputs, None for one that is not an array."""
        return [state.shape(v) if has_shape(v.type) else None for v in node.inputs]

    def at_bound(self, dim: "int | None") -> "Live":
        """Returns a symbolic integer scalar with the value of a Bound, to compute the framework's answer at the bound."""
        return self.number(None if dim is None else int(dim))

    def both(self, variable: "Live", dims: "tuple[Live, ...] | None", answer: "Live", state: "LiveState") -> "tuple[Live, ...] | None":
        """Completes dimensions (`dims`) that were solved with unknown lengths: an unknown dimension becomes a Bound with the value that
        `answer` has at the bounds.
        """
        if dims is None:
            return None
        fixed = self.solve(answer, variable, state) or dims
        return tuple(d if d is not None else None if f is None else Bound(f) for d, f in zip(dims, fixed))

    def leading(self) -> "list[Live]":
        """Returns the arguments that `infer_shape` takes before the node: the graph, or none. The framework's own Elemwise shows which."""
        elemwise = importlib.import_module(self.package + ".tensor.elemwise").Elemwise
        return [self.fgraph] if elemwise.infer_shape.__code__.co_argcount == 4 else []

    def dims(self, variable: "Live", state: "LiveState") -> "tuple[Live, ...]":
        """Returns the shape of a Variable as symbolic constants, with a free scalar for each unknown dimension."""
        return tuple(self.bound(d, state) if isinstance(d, Bound) else self.number(d) for d in state.shape(variable))

    def bound(self, dim: "Bound", state: "LiveState") -> "Live":
        """Returns a symbolic integer scalar of which only an upper bound is known."""
        import numpy

        scalar = importlib.import_module(self.package + ".tensor").lscalar()
        state.values[scalar] = numpy.asarray(int(dim), dtype="int64")
        state.tainted.add(scalar)
        return scalar

    def number(self, dim: "int | None") -> "Live":
        """Returns a symbolic integer constant; a free scalar for None."""
        tensor = importlib.import_module(self.package + ".tensor")
        if dim is None:
            return tensor.lscalar()
        if dim not in self._numbers:
            import numpy

            self._numbers[int(dim)] = tensor.as_tensor_variable(numpy.asarray(int(dim), dtype="int64"))
        return self._numbers[dim]

    def solve(self, answer: "Live", variable: "Live", state: "LiveState") -> "tuple[Live, ...] | None":
        """Returns the dimensions of a symbolic answer as integers, None for unknown ones."""
        if answer is None or not has_shape(variable.type):
            return None
        return tuple(number_of(d, state) for d in answer)


class QuietMaking(object):
    """Context manager that switches off the flag `compute_test_value` while symbolic answers are built, since they have no test values."""

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
    """Returns a dimension of the framework's answer as an integer, from a number or from a symbolic scalar whose inputs are all known; None
    if it cannot be computed.
    """
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

"""Infers the shape of every Variable in one pass over a graph: exact, a bound, or Unknown with the reason. Small values, such as those of
shape arithmetic, are computed node by node, but never the model itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from math import prod
from typing import Union

from ..agent.shapes.dimensions import Bound, NoShape
from ..ir import Constant, FunctionGraph, Shape, ShapeTable, Type, Unknown, Variable
from ..ir.graph import TypeKind
from ..ir.shape import Dim, Value, is_impossible
from ..ops import OpSpec, composite, op_info, scalars
from ..ops.control import from_graph
from ..ops.creation import shape_entry_value, shape_value
from ..ops.elementwise import elemwise_value, program_of
from ..ops.node import MAX_ITEMS, KnownArray, Node, NoValue, State, ValueRule, is_small, sized

FAILURES: tuple[type[Exception], ...] = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""Exceptions that a rule may raise on an inconsistent graph. Tests do not rely on this: there `infer` is strict."""


def follow(node: Node, shapes: Sequence[Shape | Unknown], failures: tuple[type[Exception], ...] = FAILURES) -> None:
    """Computes the values of a node's outputs from known values, if possible, and records them; `shapes` holds the shapes of all
    Variables.
    """
    handler = handler_of(node.op.name)
    if handler is None:
        return
    apply = node.apply
    if apply.inputs and apply.inputs[0] not in node.state.values and handler not in _OF_SHAPES:
        return
    for v in apply.outputs:
        if isinstance(shapes[v], Unknown):
            return
    try:
        arrays = handler(node)
        doubtful = _doubtful(node)
        if doubtful and not _monotone(node):
            return
        for variable, array in zip(node.apply.outputs, arrays):
            _store(node.state, variable, array, doubtful)
    except (NoShape, NoValue):
        return
    except failures:
        return


def _store(state: State, variable: int, array: KnownArray, doubtful: bool) -> None:
    if not is_small(array.shape) or prod(array.shape) != len(array.items):  # a damaged text may give fewer elements
        return
    dtype = state.graph.variables[variable].type.dtype
    state.values[variable] = KnownArray(array.shape, tuple(scalars.cast(v, dtype) for v in array.items))
    if doubtful:
        state.tainted.add(variable)


def _doubtful(node: Node) -> bool:
    """Whether the node's value is computed from an upper bound."""
    if node.op.name in ("Shape", "Shape_i"):
        return any(isinstance(d, Bound) for d in node.shape(0))
    return any(v in node.state.tainted for v in node.apply.inputs)


def _monotone(node: Node) -> bool:
    scalar = node.params.get("scalar_op", node.op.name)
    negative = any(v < 0 for k in range(node.n_inputs) if (a := node.array(k)) is not None for v in a.items)
    if (negative or _has_negative(node, str(scalar))) and _multiplies(node, str(scalar)):
        return False  # a negative factor reverses the direction
    if scalar == "Composite":
        if node.op.inner is not None:
            return scalars.is_monotone(node.op.inner)
        return all(map(composite.is_monotone, program_of(node)))
    if node.op.name.endswith("Elemwise") or scalars.canonical(node.op.name):
        return scalars.canonical(str(scalar)) in scalars.MONOTONE
    return node.op.name not in ("ARange", "IfElse")


def _has_negative(node: Node, scalar: str) -> bool:
    """Whether a Composite contains a negative number."""
    if scalar != "Composite":
        return False
    return scalars.has_negative(node.op.inner) if node.op.inner is not None else any(map(composite.has_negative, program_of(node)))


def _multiplies(node: Node, scalar: str) -> bool:
    """Whether what a node computes contains a product."""
    if scalar != "Composite":
        return scalars.canonical(scalar) == "Mul"
    if node.op.inner is not None:
        return scalars.multiplies(node.op.inner)
    return any(map(composite.multiplies, program_of(node)))


_OF_SHAPES = (shape_value, shape_entry_value)
"""Handlers that read only the shape of the first input; all others need the value of an input."""


@lru_cache(maxsize=4096)
def handler_of(name: str) -> ValueRule | None:
    """Returns the rule for values of Ops of class `name`; None if values are not tracked through them."""
    return op_info(name).value or (elemwise_value if scalars.canonical(name) else None)


def array_of(value: Value) -> KnownArray | None:
    """Converts a value to a KnownArray; None if it has too many elements, or is ragged."""
    if not isinstance(value, tuple):
        return KnownArray((), (int(value) if isinstance(value, bool) else value,))
    rows = [array_of(v) for v in value]
    known = [r for r in rows if r is not None]
    if len(known) < len(rows) or len({r.shape for r in known}) > 1 or sum(len(r.items) for r in known) > MAX_ITEMS:
        return None
    return KnownArray((len(rows), *(known[0].shape if known else ())), tuple(v for r in known for v in r.items))


def value_of(array: KnownArray) -> Value:
    """Converts a KnownArray to nested tuples."""
    if not array.shape:
        return array.items[0]
    step = prod(array.shape[1:])
    rows = [KnownArray(array.shape[1:], array.items[k * step : (k + 1) * step]) for k in range(array.shape[0])]
    return tuple(value_of(r) for r in rows)


MaybeShape = Union[Shape, Unknown]
"""A shape, or Unknown with the reason."""


def infer(
    graph: FunctionGraph,
    inputs: Mapping[int, Shape],
    values: Mapping[int, Value] | None = None,
    entries: Callable[[str], OpSpec] = op_info,
    *,
    strict: bool = False,
) -> ShapeTable:
    """Returns the shapes of all Variables of `graph`, for inputs of these shapes; `inputs` may give those of any other Variable too, by id.

    `values` are known small values of inputs, or other values for Constants. A shape that no rule infers is Unknown, with the Op or
    input it depends on. A rule that fails with an exception other than NoShape gives Unknown too; with `strict`, for tests, the exception
    is raised.

    >>> from theanodiag.ir.builder import GraphBuilder, tensor
    >>> from theanodiag.ir import Op
    >>> b = GraphBuilder()
    >>> x, w = b.argument("x", tensor(None, None)), b.argument("w", tensor(None, 10))
    >>> y = b.apply(Op("Dot22", "Dot22"), [x, w], tensor(None, 10))
    >>> infer(b.build(y), {x: (128, 784)}).shape(y)
    (128, 10)
    """
    arrays = {v: a for v, value in (values or {}).items() if (a := array_of(value)) is not None}
    return _run(graph, inputs, arrays, _Inside(entries, strict))[1]


Walked = tuple[State, ShapeTable]
"""The state of inference and the shape table of a graph."""


class _Inside:
    """Infers the shapes of inner graphs; only once for the same graph with the same shapes and values, as many layers of a network share
    one.
    """

    def __init__(self, entries: Callable[[str], OpSpec], strict: bool) -> None:
        self.entries = entries
        self.failures: tuple[type[Exception], ...] = () if strict else FAILURES
        """Exceptions that a rule may raise beside NoShape."""
        self._known: dict[object, Walked] = {}

    def run(self, graph: FunctionGraph, shapes: Mapping[int, Shape], values: Mapping[int, KnownArray]) -> Walked:
        """Returns the state and shape table of `graph` for these shapes and values of its Variables."""
        exact = _INT.issuperset(map(type, chain.from_iterable(shapes.values())))
        key = (id(graph), tuple(shapes.items()), tuple(values.items())) if exact else None
        if key is None:
            return _run(graph, shapes, values, self)
        if key not in self._known:
            self._known[key] = _run(graph, shapes, values, self)
        return self._known[key]


def _run(graph: FunctionGraph, inputs: Mapping[int, Shape], values: Mapping[int, KnownArray], inside: _Inside) -> Walked:
    first = [_LATER if v.owner is not None else start(v, inputs) for v in graph.variables]
    state = State(graph, first, dict(values), run=inside.run)
    for variable in graph.variables:
        if not isinstance(variable, Constant) or variable.value is None or variable.id in values:
            continue
        if (array := array_of(variable.value)) is not None:
            state.values[variable.id] = array
    variables, known = graph.variables, state.shapes
    for apply in graph.applies:
        node = Node(apply, state)
        shapes = _outputs(node, inside.entries(apply.op.name), inside.failures)
        if apply.op.inner is not None:
            _look_inside(node, apply.op.inner)
        for v, shape in zip(apply.outputs, shapes):
            given = inputs.get(v)
            known[v] = given if given is not None else _merged(shape, variables[v].type)
        follow(node, known, inside.failures)
    return state, _table(state)


_LATER = Unknown("it is computed later")
_INT = frozenset({int})
_SCALARS = frozenset({TypeKind.SCALAR})


def start(variable: Variable, inputs: Mapping[int, Shape]) -> MaybeShape:
    """Returns the shape of an input or constant before inference: the given one, or the shape of its value, or that of its type."""
    given = inputs.get(variable.id)
    if given is not None:
        return given
    if isinstance(variable, Constant):
        return variable.shape
    return _merged(Unknown(f"the shape of {variable.name or 'an input without a name'} is not given"), variable.type)


def static(kind: Type) -> MaybeShape:
    """Returns the static shape of a type, for a computed Variable before inference."""
    return _merged(_LATER, kind)


def _merged(shape: MaybeShape, kind: Type) -> MaybeShape:
    """`shape`, with the dimensions that the type fixes in place of its own."""
    static = kind.shape
    if static and kind.is_open and not isinstance(shape, Unknown) and len(shape) == len(static):
        return shape  # fast path for nearly all Variables
    if not sized(kind):
        return shape
    if kind.kind is TypeKind.SCALAR:
        return ()
    if kind.kind is TypeKind.SPARSE and not static:  # Theano's and Aesara's sparse types have no shape
        return shape
    if isinstance(shape, Unknown):
        return tuple([shape if d is None else d for d in static])
    if len(shape) != len(static):
        other = Unknown("the rule and the printed type give different numbers of dimensions")
        return tuple([other if d is None else d for d in static])
    return shape if kind.is_open else tuple([dim if d is None else d for dim, d in zip(shape, static)])


def _outputs(node: Node, spec: OpSpec, failures: tuple[type[Exception], ...]) -> list[MaybeShape]:
    """Shapes of a node's outputs by the rule of its Op."""
    no_array: MaybeShape = _NO_ARRAY
    if not _makes_arrays(node):
        return [no_array] * node.n_outputs
    rule = spec.shape
    if rule is None and node.op.inner is not None and len(node.op.inner.inputs) <= node.n_inputs:
        rule = from_graph  # an Op derived from OpFromGraph
    if rule is None:
        return [no_array if spec.no_array else Unknown(f"no size rule for {node.op.name}")] * node.n_outputs
    try:
        shapes = [no_array if s is None else s for s in rule(node)]
    except NoShape as reason:
        return [Unknown(str(reason))] * node.n_outputs
    except failures:
        return [Unknown(f"the inputs of {node.op.name} do not match its shape rule")] * node.n_outputs
    lacking = node.n_outputs - len(shapes)
    if not lacking:
        return shapes
    return [*shapes[: node.n_outputs], *[Unknown(f"no size rule for this output of {node.op.name}")] * lacking]


_NO_ARRAY = Unknown("it is no array")


def _makes_arrays(node: Node) -> bool:
    """Whether any output is an array, not a scalar."""
    variables = node.state.graph.variables
    for v in node.apply.outputs:
        kind = variables[v].type
        if kind.has_shape and kind.kind is not TypeKind.SCALAR:
            return True
    return False


def _look_inside(node: Node, inner: FunctionGraph) -> None:
    """Infers the shapes in the inner graph of an Op made of others (OpFromGraph, fused loops), and the values of its outputs if its own
    rule gave none. An inner graph of scalars with unknown inputs is skipped.
    """
    if inner.kinds <= _SCALARS and node.state.values.keys().isdisjoint(node.apply.inputs):
        return
    made_of_others = len(inner.inputs) == node.n_inputs and not node.op.name.endswith("Scan")
    if made_of_others and node.apply.id not in node.state.inner:
        try:
            from_graph(node)
        except NoShape:
            return


def _table(state: State) -> ShapeTable:
    shapes: dict[int, MaybeShape] = {}
    bounded = []
    for variable, shape in zip(state.graph.variables, state.shapes):
        if not variable.type.has_shape:
            continue
        shapes[variable.id] = shape
        if isinstance(shape, Unknown):
            continue
        for d in shape:
            if type(d) is Unknown or (type(d) is int and 0 <= d <= _LONG):
                continue
            shapes[variable.id] = tuple(map(_plain, shape)) if not is_impossible(shape) else (_IMPOSSIBLE,) * len(shape)
            if any(isinstance(d, Bound) for d in shape):
                bounded.append(variable.id)
            break
        else:
            if len(shape) > _MANY and is_impossible(shape):
                shapes[variable.id] = (_IMPOSSIBLE,) * len(shape)
    return ShapeTable(shapes, {v: value_of(a) for v, a in state.values.items()}, state.inner, frozenset(bounded))


def _plain(dim: Dim) -> Dim:
    """A dimension as a plain int, not a Bound; Unknown for a negative one, which is impossible."""
    if isinstance(dim, Unknown):
        return dim
    return int(dim) if dim >= 0 else Unknown("the given shapes are incompatible: a dimension would be below 0")


_LONG = 1 << 40
"""Dimensions up to this length are accepted one by one; for longer ones the whole shape is checked for being possible."""
_MANY = 12
"""Number of dimensions above which the whole shape is checked for being possible."""
_IMPOSSIBLE = Unknown("the given shapes are incompatible: no array can be so large")

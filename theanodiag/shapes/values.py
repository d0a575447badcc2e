"""Tracks small values through a graph: shape arithmetic is evaluated node by node, but never the model itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from ..agent.shapes.dimensions import Bound, NoShape
from ..ir.shape import Shape, Unknown, Value
from ..ops import composite, op_info, scalars
from ..ops.creation import shape_entry_value, shape_value
from ..ops.elementwise import elemwise_value, program_of
from ..ops.node import KnownArray, Node, State
from ..ops.values import MAX_ITEMS, NoValue, ValueRule, is_small

FAILURES: tuple[type[Exception], ...] = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""Exceptions that a rule may raise on an inconsistent graph. Tests do not rely on this: there `infer` is strict."""


def follow(node: Node, shapes: Sequence[Shape | Unknown], failures: tuple[type[Exception], ...] = FAILURES) -> None:
    """Records the values of the node's outputs if they can be computed from known values; `shapes` holds the shapes of all Variables."""
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
    """Whether anything that the value is computed from is an upper bound."""
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
"""Handlers that read only the shape of the first input; all others need its value."""


@lru_cache(maxsize=4096)
def handler_of(name: str) -> ValueRule | None:
    """The rule for values of Ops of class `name`; None if values are not tracked through them."""
    return op_info(name).value or (elemwise_value if scalars.canonical(name) else None)


def array_of(value: Value) -> KnownArray | None:
    """A value of the graph as a KnownArray; None where it has too many elements, or is ragged."""
    if not isinstance(value, tuple):
        return KnownArray((), (int(value) if isinstance(value, bool) else value,))
    rows = [array_of(v) for v in value]
    known = [r for r in rows if r is not None]
    if len(known) < len(rows) or len({r.shape for r in known}) > 1 or sum(len(r.items) for r in known) > MAX_ITEMS:
        return None
    return KnownArray((len(rows), *(known[0].shape if known else ())), tuple(v for r in known for v in r.items))


def value_of(array: KnownArray) -> Value:
    """A KnownArray as nested tuples."""
    if not array.shape:
        return array.items[0]
    step = prod(array.shape[1:])
    rows = [KnownArray(array.shape[1:], array.items[k * step : (k + 1) * step]) for k in range(array.shape[0])]
    return tuple(value_of(r) for r in rows)

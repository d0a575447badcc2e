"""Follows small values through a graph: shape arithmetic, evaluated node by node, never the model itself."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import ceil, prod

from ..agent.shapes.dimensions import Bound, NoShape
from ..ir.shape import Shape, Unknown, Value
from ..ops import composite, scalars
from .indexing import Entry, Slice, entries
from .state import KnownArray, Node, Number, State

MAX_ITEMS = 64
"""Largest number of elements of a value that is followed."""


FAILURES: tuple[type[Exception], ...] = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""Exceptions that a rule may raise on a graph that makes no sense. No test relies on it: there `infer` is strict."""


class NoValue(Exception):
    """Raised where a value does not follow from known ones."""


def follow(node: Node, shapes: Sequence[Shape | Unknown], failures: tuple[type[Exception], ...] = FAILURES) -> None:
    """Records the values of the node's outputs where they follow from known ones; `shapes` are those of all Variables."""
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
        made = handler(node)
        doubtful = _doubtful(node)
        if doubtful and not _monotone(node):
            return
        for variable, array in zip(node.apply.outputs, made):
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
        return all(map(composite.is_monotone, _program(node)))
    if node.op.name.endswith("Elemwise") or scalars.canonical(node.op.name):
        return scalars.canonical(str(scalar)) in scalars.MONOTONE
    return node.op.name not in ("ARange", "IfElse")


def is_small(shape: tuple[int, ...]) -> bool:
    """Whether a value of this shape is followed: few elements, and no long dimension, even of an empty array."""
    return prod(shape) <= MAX_ITEMS and max(shape, default=0) <= MAX_ITEMS


def _has_negative(node: Node, scalar: str) -> bool:
    """Whether a Composite contains a negative number."""
    if scalar != "Composite":
        return False
    return scalars.has_negative(node.op.inner) if node.op.inner is not None else any(map(composite.has_negative, _program(node)))


def _multiplies(node: Node, scalar: str) -> bool:
    """Whether what a node computes contains a product."""
    if scalar != "Composite":
        return scalars.canonical(scalar) == "Mul"
    if node.op.inner is not None:
        return scalars.multiplies(node.op.inner)
    return any(map(composite.multiplies, _program(node)))


def needed(node: Node, *positions: int) -> list[KnownArray]:
    """The values of these inputs (default: all); raises NoValue where one is not known."""
    found = [node.array(i) for i in positions or range(node.n_inputs)]
    known = [f for f in found if f is not None]
    if len(known) < len(found):
        raise NoValue
    return known


def same(node: Node) -> list[KnownArray]:
    """The first input, unchanged."""
    return needed(node, 0)


def first_number(node: Node) -> list[KnownArray]:
    """The first element of the first input, as a scalar."""
    (array,) = needed(node, 0)
    return [KnownArray((), (only(array),))]


def only(array: KnownArray) -> Number:
    """The first element of an array; raises NoValue where it has none."""
    if not array.items:
        raise NoValue
    return array.items[0]


def shape_vector(node: Node) -> list[KnownArray]:
    """Shape: the input's whole shape."""
    dims = tuple(d for d in node.shape(0) if not isinstance(d, Unknown))
    if len(dims) < len(node.shape(0)):
        raise NoValue
    return [KnownArray((len(dims),), tuple(map(int, dims)))]


def shape_entry(node: Node) -> list[KnownArray]:
    """Shape_i: one dimension of the input."""
    axis = node.integer("i", 0) or 0
    dim = node.shape(0, least=max(axis + 1, -axis))[axis]
    if isinstance(dim, Unknown):
        raise NoValue
    return [KnownArray((), (int(dim),))]


def make_vector(node: Node) -> list[KnownArray]:
    """MakeVector: a vector of the scalar inputs."""
    items = tuple(only(a) for a in needed(node))
    return [KnownArray((len(items),), items)]


def elementwise(node: Node) -> list[KnownArray]:
    """Elemwise: applies the scalar Op to each element."""
    arrays = needed(node)
    shape = aligned([a.shape for a in arrays])
    if not is_small(shape) or not all(_fits(a.shape, shape) for a in arrays):
        raise NoValue
    entries_of = [[a.items[_offset(a.shape, at)] for a in arrays] for at in _positions(shape)]
    try:
        rows = [_results(node, values) for values in entries_of]
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:  # 0 // 0, the root of -1, an argument too few
        raise NoValue from error
    if any(len(row) < node.n_outputs for row in rows):
        raise NoValue
    return [KnownArray(shape, tuple(row[k] for row in rows)) for k in range(node.n_outputs)]


def _fits(shape: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """Whether an array of `shape` broadcasts to `whole`."""
    return all(d in (1, w) for d, w in zip(shape[::-1], whole[::-1]))


def _positions(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    return itertools.product(*map(range, shape))


def aligned(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape to which arrays of these shapes broadcast."""
    ndim = max(map(len, shapes), default=0)
    columns = zip(*((1,) * (ndim - len(s)) + s for s in shapes))
    return tuple(next((d for d in column if d != 1), 1) for column in columns)


def _offset(shape: tuple[int, ...], at: tuple[int, ...]) -> int:
    """Flat index of the element at `at` of the common shape, in an array of `shape` that is broadcast to it."""
    offset = 0
    for size, i in zip(shape, at[len(at) - len(shape) :]):
        offset = offset * size + (i if size != 1 else 0)
    return offset


def _results(node: Node, values: list[Number]) -> list[Number]:
    scalar = node.params.get("scalar_op", node.op.name)
    if scalar == "Composite" and node.op.inner is not None:
        try:
            return scalars.evaluate(node.op.inner, values)
        except LookupError:  # parts of the inner graph are not printed
            pass
    if scalar == "Composite":
        return [composite.evaluate(e, values) for e in _program(node)]
    name = scalars.canonical(str(scalar))
    if name is None:
        raise NoValue
    return [scalars.FUNCTIONS[name](*values)]


def _program(node: Node) -> tuple[composite.Expression, ...]:
    found = composite.program(node.op.text) or composite.program(str(node.params.get("scalar_text", "")))
    if found is None or len(found) != node.n_outputs:
        raise NoValue
    return found


def subtensor(node: Node) -> list[KnownArray]:
    """Subtensor of a small array."""
    (array,) = needed(node, 0)
    shape, places = _indexed(node, array.shape, 1)
    return [KnownArray(shape, tuple(array.items[p] for p in places))]


def set_subtensor(node: Node) -> list[KnownArray]:
    """IncSubtensor and SetSubtensor of a small array."""
    array, update = needed(node, 0, 1)
    shape, places = _indexed(node, array.shape, 2)
    if len(update.shape) > len(shape):
        raise NoValue
    if not _fits(update.shape, shape):
        raise NoValue
    items, replace = list(array.items), node.flag("set_instead_of_inc")
    for place, at in zip(places, _positions(shape)):
        value = update.items[_offset(update.shape, at)]
        items[place] = value if replace else items[place] + value
    return [KnownArray(array.shape, tuple(items))]


def _indexed(node: Node, shape: tuple[int, ...], first: int) -> tuple[tuple[int, ...], list[int]]:
    """Shape of what the indices (inputs from `first` on) select from an array of `shape`, and the flat indices of its elements."""
    index = [_plain(entry) for entry in entries(node, first)]
    if len(index) > len(shape) or any(not -n <= i < n if isinstance(i, int) else i.step == 0 for n, i in zip(shape, index)):
        raise NoValue
    taken = [range(n)[i] for n, i in zip(shape, index)] + [range(n) for n in shape[len(index) :]]
    made = tuple(len(t) for t in taken if isinstance(t, range))
    if not is_small(made):
        raise NoValue
    return made, [_offset(shape, at) for at in itertools.product(*((t,) if isinstance(t, int) else t for t in taken))]


def _plain(entry: Entry) -> int | slice:
    parts = list(entry) if isinstance(entry, Slice) else [entry]
    if any(isinstance(p, (Unknown, Bound)) for p in parts):
        raise NoValue
    numbers = [None if p is None or isinstance(p, Unknown) else int(p) for p in parts]
    return slice(*numbers) if isinstance(entry, Slice) else int(numbers[0] or 0)


def take(node: Node) -> list[KnownArray]:
    """AdvancedSubtensor1: elements of a small vector by number."""
    vector, rows = needed(node, 0, 1)
    if len(vector.shape) != 1 or not all(-len(vector.items) <= r < len(vector.items) for r in rows.items):
        raise NoValue
    return [KnownArray(rows.shape, tuple(vector.items[int(r)] for r in rows.items))]


def reshaped(node: Node) -> list[KnownArray]:
    """Reshape and DimShuffle that keep the order of the elements; the shape comes from the shape rule."""
    (array,) = needed(node, 0)
    if len([d for d in array.shape if d != 1]) > 1 and not node.op.name.endswith("Reshape"):
        raise NoValue
    shape = node.state.shapes[node.apply.outputs[0]]
    if isinstance(shape, Unknown) or any(isinstance(d, Unknown) for d in shape):
        raise NoValue
    return [KnownArray(tuple(int(d) for d in shape if not isinstance(d, Unknown)), array.items)]


def join(node: Node) -> list[KnownArray]:
    """Join of small arrays, along an axis that is a parameter (PyTensor 3) or the first input."""
    arrays, axis = needed(node), node.integer("axis")
    if axis is None and arrays:
        axis, arrays = int(only(arrays[0])), arrays[1:]
    first = arrays[0].shape if arrays else ()
    if axis is None or not -len(first) <= axis < len(first):
        raise NoValue
    axis %= len(first)
    before, after = first[:axis], first[axis + 1 :]
    if any(len(a.shape) != len(first) or (a.shape[:axis], a.shape[axis + 1 :]) != (before, after) for a in arrays):
        raise NoValue
    rows = [(a.items, prod(a.shape[axis:])) for a in arrays]
    items = tuple(v for k in range(prod(before)) for row, step in rows for v in row[k * step : (k + 1) * step])
    return [KnownArray((*before, sum(a.shape[axis] for a in arrays), *after), items)]


_REDUCTIONS: dict[str, Callable[[tuple[Number, ...]], Number]] = {
    "Add": sum, "Mul": prod, "Maximum": max, "Minimum": min, "AND": lambda v: int(all(v)), "OR": lambda v: int(any(v)),
}  # fmt: skip
_BY_CLASS = {"Sum": "Add", "Prod": "Mul", "Max": "Maximum", "Min": "Minimum", "All": "AND", "Any": "OR"}


def reduction(node: Node) -> list[KnownArray]:
    """Sum, Prod, Max, Min, All, Any of a small vector or a scalar."""
    (array,) = needed(node, 0)
    said = (node.params.get("scalar_op"), _BY_CLASS.get(node.op.name.replace("Gpu", "")))  # the former may be `<... object at 0x...>`
    name = next((found for s in said if (found := scalars.canonical(str(s)))), None)
    if len(array.shape) > 1 or name not in _REDUCTIONS or (node.integers("axis") == [] and array.shape):
        raise NoValue
    if not array.items and name in ("Maximum", "Minimum"):
        raise NoValue
    return [KnownArray((), (_REDUCTIONS[name](array.items),))]


def counted(start: Number, stop: Number, step: Number) -> int | None:
    """Number of elements of range(start, stop, step), also for floats; None where that is not finite."""
    try:
        return max(0, ceil((stop - start) / step))
    except (ArithmeticError, ValueError):  # step 0, infinity, NaN
        return None


def arange(node: Node) -> list[KnownArray]:
    """ARange with few elements."""
    start, stop, step = (only(a) for a in needed(node, 0, 1, 2))
    length = counted(start, stop, step)
    if length is None or length > MAX_ITEMS:
        raise NoValue
    return [KnownArray((length,), tuple(start + k * step for k in range(length)))]


def alloc(node: Node) -> list[KnownArray]:
    """Alloc with few elements of one value."""
    found = needed(node)
    shape = tuple(int(only(d)) for d in found[1:])
    if not found or not is_small(shape) or len(found[0].items) != 1 or min(shape, default=0) < 0:
        raise NoValue
    return [KnownArray(shape, found[0].items * prod(shape))]


def if_else(node: Node) -> list[KnownArray]:
    """IfElse: the values of the branch taken."""
    n = node.n_outputs
    taken = 1 if only(needed(node, 0)[0]) else 1 + n
    return needed(node, *range(taken, taken + n))


Handler = Callable[[Node], list[KnownArray]]
"""Computes the values of a node's outputs; raises NoValue where they do not follow."""
_HANDLERS: dict[str, Handler] = {
    "Shape": shape_vector, "Shape_i": shape_entry, "MakeVector": make_vector, "JAXShapeTuple": make_vector,
    "Elemwise": elementwise, "Composite": elementwise,
    "Subtensor": subtensor, "ScalarSubtensor": subtensor, "IncSubtensor": set_subtensor, "AdvancedSubtensor1": take, "DimShuffle": reshaped,
    "Reshape": reshaped, "Join": join, "ARange": arange, "Alloc": alloc, "BroadcastTo": alloc, "IfElse": if_else,
    "ScalarFromTensor": first_number, "TensorFromScalar": first_number,
    **dict.fromkeys(("CAReduce", "CAReduceDtype", "Sum", "Prod", "Max", "Min", "All", "Any"), reduction),
    **dict.fromkeys(("HostFromGpu", "FromHost", "ToGpu", "Contiguous", "Rebroadcast", "Unbroadcast", "SpecifyShape", "ViewOp", "DeepCopyOp",
                     "CheckAndRaise", "Assert", "OutputGuard", "Print", "TransferOp",
                     "TensorFromXTensor", "XTensorFromTensor", "Rename"), same),
}  # fmt: skip


_OF_SHAPES = (shape_vector, shape_entry)
"""Handlers that read only the shape of the first input; all others need its value."""


@lru_cache(maxsize=4096)
def handler_of(name: str) -> Handler | None:
    """The handler for Ops of class `name`; None where values are not followed."""
    for form in (name, name.removeprefix("Gpu")):
        if form in _HANDLERS:
            return _HANDLERS[form]
    return elementwise if scalars.canonical(name) else None


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

"""An upper bound of what XLA needs for one call, from the graph and its shapes alone, for calls about which its compiler was not asked.

Each result that is written to memory is live from the node that makes it to the last one that reads it, in the order of the graph
(`buffers`), beside the nodes' workspace. On a GPU results that are computed where they are read are never written (`fusion`); the CPU's
compiler often writes them, by rules of its own, so that there all of them count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...ir import Apply, Constant, FunctionGraph, Shape, ShapeTable, TypeKind, Unknown, nbytes, numel
from ...ir.scan import ScanInfo, scan_info
from ..profile import UnknownSize
from ..script import XlaFigures
from .buffers import is_upright, temporaries
from .card import XlaCard
from .conversion import LEAVES, NARROW, POINTER, GeneratorState, is_generator, used
from .fusion import never_written
from .products import PRODUCTS
from .products import scratch as product
from .scratch import scratch

OTHER_ORDER = 1.2
"""Factor on the live peak, since XLA runs nodes in an order of its own."""
FACTORED = ("Cholesky", "SolveTriangular", "CholeskySolve", "Solve")
"""Ops of a GPU's library for matrices, around which XLA's order differs more: what they give lies there by rows and by columns."""
OTHER_ORDER_FACTORED = 1.3
"""The factor for graphs with these Ops on a GPU; the gradient of a Gaussian process for an H200 needs 1.22."""
SMALL = 2048
"""Bytes added for flags, counters and keys of all kinds."""
WIDE = ("float64", "complex64", "complex128", "int64")
"""Dtypes with elements of 8 bytes or more."""


@dataclass(frozen=True)
class XlaBound:
    """The bound, and the Variables of unknown size, which it leaves out."""

    figures: XlaFigures
    """The bound, with backend `bound`."""
    unknown: tuple[UnknownSize, ...] = ()
    """Variables of unknown size: with any, the figures are no upper bound."""


@dataclass
class Sizes:
    """Sizes of the Variables of one graph as JAX has them."""

    graph: FunctionGraph
    shapes: ShapeTable
    narrow: Mapping[str, str]
    """64-bit dtype -> the dtype that JAX uses instead."""
    state: GeneratorState
    unknown: list[UnknownSize] = field(default_factory=list)
    """Variables that were asked for and whose size is not known."""
    in_loop: bool = False
    """Whether it is the graph of one step of a loop, or otherwise inside a node."""

    def __call__(self, variable: int) -> int:
        """Bytes of a Variable; 0 where it is no array, or of unknown size, which is noted."""
        of = self.graph.variables[variable].type
        if of.kind is TypeKind.RANDOM:
            return self.state.nbytes if is_generator(self.graph, variable) else 0
        found = bytes_of(self.shapes.shape(variable), self.dtype(variable)) if of.has_shape else 0
        if isinstance(found, Unknown):
            owner = self.graph.variables[variable].owner
            op = None if owner is None else self.graph.applies[owner].op.text
            self.unknown.append(UnknownSize(self.graph.variables[variable].name or op or f"Variable {variable}", op, found.reason))
            return 0
        return found

    def dtype(self, variable: int) -> str | None:
        """The dtype that JAX uses for a Variable."""
        dtype = self.graph.variables[variable].type.dtype
        return dtype and self.narrow.get(dtype, dtype)

    def inside(self, node: Apply) -> Sizes | None:
        """Sizes in one step of the node's inner graph; None where it has none or its shapes are not known."""
        inner, table = node.op.inner, self.shapes.inner.get(node.id)
        return None if inner is None or table is None else Sizes(inner, table, self.narrow, self.state, in_loop=True)


def bytes_of(shape: Shape | Unknown, dtype: str | None) -> int | Unknown:
    """Bytes of an array; 0 where `dtype` is None (no array); Unknown where the shape is."""
    return 0 if dtype is None else nbytes(shape, dtype)


def bound(graph: FunctionGraph, shapes: ShapeTable, float_x: object, card: XlaCard | None = None) -> XlaBound:
    """The bound for one call of `graph` on `card`, or on the CPU where that is None; `float_x` is the flag floatX."""
    narrow = {} if str(float_x) == "float64" else NARROW
    generators = sum(is_generator(graph, v) for v in graph.outputs)
    size = Sizes(graph, shapes, narrow, GeneratorState(8 if not narrow else 4, bool(generators)))
    arguments = tuple((k, size(i.variable)) for k, i in enumerate(graph.inputs) if used(graph, i.variable))
    results = tuple(size(v) for v in graph.outputs)
    pieces = len(results) + (LEAVES - 1) * generators
    table = POINTER * pieces if pieces > 1 else 0
    factored = card is not None and any(node.op.name in FACTORED for node in graph.applies)
    most = SMALL + int(_temporaries(size, card) * (OTHER_ORDER_FACTORED if factored else OTHER_ORDER))
    figures = XlaFigures(sum(n for _, n in arguments), sum(results) + table, most, "bound", None, arguments, results)
    return XlaBound(figures, tuple(dict.fromkeys(size.unknown)))


def _temporaries(size: Sizes, card: XlaCard | None) -> int:
    """Bytes of temporaries of one call, before any allowance."""
    graph = size.graph
    work = {node.id: _work(size, node, card) + _inner(size, node, card) for node in graph.applies}
    return temporaries(graph, size, work, never_written(graph, size) if card is not None else frozenset())


def _work(size: Sizes, node: Apply, card: XlaCard | None) -> int:
    """Workspace of a node in bytes, beside its results."""
    inputs, outputs = [size(v) for v in node.inputs], [size(v) for v in node.outputs]
    first = size.shapes.shape(node.inputs[0]) if node.inputs else ()
    found = scratch(node.op.name, node.op.text, first, inputs, outputs, on_gpu=card is not None)
    if node.op.name in PRODUCTS and len(node.inputs) >= 2:
        a, b = node.inputs[-2:]
        found += _product(size, a, b, outputs, card)
    return found


def _product(size: Sizes, a: int, b: int, outputs: list[int], card: XlaCard | None) -> int:
    """Workspace of a matrix product in bytes."""
    fused = _in_one_loop(size.graph, a, b)
    if card is not None:
        itemsize = 8 if size.dtype(a) in WIDE else 4
        return product(size.shapes.shape(a), size.shapes.shape(b), (size(a), size(b)), itemsize, card, fused=fused)
    ends = (numel(s[-1:]) for s in map(size.shapes.shape, (a, b)) if not isinstance(s, Unknown))
    of_a_vector = 1 in ends
    copied = size.in_loop or not fused or sum(outputs) <= 8
    return max(size(a), size(b)) if of_a_vector and copied else 0


def _in_one_loop(graph: FunctionGraph, a: int, b: int) -> bool:
    """Whether a product with a vector is one loop on a GPU: rows of the matrix are summed up, or both factors are arguments."""
    if any(isinstance(graph.variables[v], Constant) for v in (a, b)):
        return False  # XLA may store a constant the other way round
    rows = graph.variables[b].type.shape[-1:] == (1,) or graph.variables[b].type.ndim == 1
    return (rows and is_upright(graph, a)) or all(graph.variables[v].owner is None for v in (a, b))


def _inner(size: Sizes, node: Apply, card: XlaCard | None) -> int:
    """Bytes of one step of the node's inner graph (temporaries, new states, slices that it reads), and of a Scan's states of all steps."""
    inside = size.inside(node)
    if inside is None:
        return 0
    ins = [i.variable for i in inside.graph.inputs]
    info = scan_info(inside.graph.info)
    if info is None:
        return _temporaries(inside, card) + sum(map(inside, {*ins, *inside.graph.outputs}))
    stepped = {v for v, (_, is_step) in zip(ins, info.inner_inputs(len(node.inputs))) if is_step}
    step = _temporaries(inside, card) + sum(map(inside, {*stepped, *inside.graph.outputs}))
    return step + _traces(size, node, inside, info)


def _traces(size: Sizes, node: Apply, inside: Sizes, info: ScanInfo) -> int:
    """Bytes of the states of all steps of a Scan, however few of them it returns, and of copies of the buffers that it adds to.

    Source: PyTensor 3.3.7, link/jax/dispatch/scan.py: JAX stacks all steps, and the initial state is put before them afterwards.
    """
    steps = size.shapes.values.get(node.inputs[0])
    lengths = [s[0] for s in (size.shapes.shape(node.inputs[p]) for p in info.sequences) if not isinstance(s, Unknown) and s]
    count = steps if isinstance(steps, int) else next((n for n in lengths if isinstance(n, int)), 0)
    first = info.first_nit_sot() - len(info.mit_sot) - len(info.sit_sot)
    states = inside.graph.outputs[first : first + len(info.mit_sot) + len(info.sit_sot) + info.n_nit_sot]
    new = states[: len(states) - info.n_nit_sot]
    shorter = [v for v, result in zip(states[len(new) :], node.outputs[info.n_recurrences :]) if size(result) < count * inside(v)]
    buffers = sum(size(node.inputs[p]) for p in info.recurrences[: info.n_mit_mot])
    return buffers + count * sum(map(inside, (*new, *shorter)))

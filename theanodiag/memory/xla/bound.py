"""An upper bound of what XLA needs for one call, from the graph and its shapes alone, for calls about which its compiler was not asked.

The graph is first lowered to XLA's instructions (`lowering`); of these some are computed where they are read and never written
(`fusion`). Each value that is written is live from the node that makes it to the last one that reads it, in whatever order XLA runs them
(`buffers`), beside the nodes' workspace (`scratch`, `products`).
"""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Apply, FunctionGraph, ShapeTable, Unknown
from ...ir.scan import ScanInfo, scan_info
from ..profile import UnknownSize
from ..script import XlaFigures
from .buffers import temporaries
from .card import XlaCard
from .conversion import LEAVES, NARROW, POINTER, GeneratorState, is_generator, used
from .fusion import plan_on_cpu, plan_on_gpu
from .lowering import lowered
from .sizes import Sizes
from .workspace import beside, copies, workspace

ALLOWANCE = 1.1
"""Factor on the live peak: XLA leaves gaps between buffers, and decides by estimates of times what it writes on a GPU."""
OPAQUE = ("LazyIfElse", "OpFromGraph", "Scan")
"""Ops of which nothing is known without their inner graph."""
SMALL = 2048
"""Bytes added for flags, counters and keys of all kinds."""


@dataclass(frozen=True)
class XlaBound:
    """The bound, and the Variables of unknown size, which it leaves out."""

    figures: XlaFigures
    """The bound, with backend `bound`."""
    unknown: tuple[UnknownSize, ...] = ()
    """Variables of unknown size: with any, the figures are no upper bound."""


def bound(graph: FunctionGraph, shapes: ShapeTable, float_x: object, card: XlaCard | None = None) -> XlaBound:
    """The bound for one call of `graph` on `card`, or on the CPU where that is None; `float_x` is the flag floatX."""
    narrow = {} if str(float_x) == "float64" else NARROW
    generators = sum(is_generator(graph, v) for v in graph.outputs)
    size = Sizes(graph, shapes, narrow, GeneratorState(8 if not narrow else 4, bool(generators)))
    arguments = tuple((k, size(i.variable)) for k, i in enumerate(graph.inputs) if used(graph, i.variable))
    results = tuple(size(v) for v in graph.outputs)
    pieces = len(results) + (LEAVES - 1) * generators
    table = POINTER * pieces if pieces > 1 else 0
    most = SMALL + int(_temporaries(size, card) * ALLOWANCE)
    figures = XlaFigures(sum(n for _, n in arguments), sum(results) + table, most, "bound", None, arguments, results)
    return XlaBound(figures, tuple(dict.fromkeys(size.unknown)))


def _temporaries(size: Sizes, card: XlaCard | None) -> int:
    """Bytes of temporaries of one call, before any allowance."""
    graph, table = lowered(size.graph, size.shapes)
    size = Sizes(graph, table, size.narrow, size.state, size.unknown, size.in_loop)
    for node in graph.applies:
        if node.op.name in OPAQUE and node.id not in table.inner:
            size.unknown.append(UnknownSize(node.op.text, node.op.text, "what is in it was not recorded"))
    work = {node.id: workspace(size, node, card) + _inner(size, node, card) for node in graph.applies}
    early = [copy for node in graph.applies for copy in copies(size, node, card)]
    plan = plan_on_gpu(graph, size.count) if card is not None else plan_on_cpu(graph, size.count)
    return temporaries(graph, size, work, early, lambda node, v: beside(size, node, v, card), plan)


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

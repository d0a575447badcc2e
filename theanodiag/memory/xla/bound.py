"""An upper bound of the memory that XLA needs for one call, from the graph and its shapes alone; used if the compiler was not asked.

The graph is first lowered to XLA's instructions (`lowering`). Some of these are computed where their results are read, so that the results
are never written (`fusion`). Each value that is written is live from the node that computes it to the last one that reads it, in whatever
order XLA runs them (`buffers`), in addition to the nodes' workspace (`products`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...ir import Apply, Constant, FunctionGraph, Op, ShapeTable, Unknown, numel
from ...ir.scan import ScanInfo, scan_info
from ...ops import op_info
from ...ops.elementwise import HEAVY
from ...ops.randoms import FROM_NORMAL
from ...ops.spec import ScratchQuery
from ..profile import UnknownSize
from ..script import XlaFigures
from ..settings import XlaCard
from . import products
from .buffers import Copy, temporaries
from .fusion import SCATTERS, VIEWS, is_upright, plan_on_cpu, plan_on_gpu
from .lowering import lowered
from .products import PRODUCTS
from .sizes import LEAVES, NARROW, GeneratorState, Sizes, address_table, is_generator, used

WIDE = ("float64", "complex64", "complex128", "int64")
"""Dtypes with elements of 8 bytes or more."""
LONG_SUM = 20000
"""Length from which a GPU computes matrix-vector products by a fused sum, without storing the products, whatever the layout of the
matrix."""
SMALL_VECTOR = 16 * 1024
"""Maximum size in bytes of a vector whose product with a matrix is a single loop on the CPU (service/cpu/cpu_instruction_fusion.cc)."""
MERGED = 64 << 20
"""Maximum size in bytes of the factors of a product that is merged with others (`xla_gpu_dot_merger_threshold_mb`)."""


def workspace(size: Sizes, node: Apply, card: XlaCard | None) -> int:
    """Bytes of a node's workspace while it runs."""
    inputs = [size(v) for v in node.inputs]
    outputs = [size(v) if size.graph.clients[v] or v in size.graph.outputs else 0 for v in node.outputs]
    first = size.shapes.shape(node.inputs[0]) if node.inputs else ()
    terms = size.count(node.inputs[0]) // max(size.count(node.outputs[0]), 1) if node.inputs else 0
    nbytes = scratch(ScratchQuery(node.op, first, inputs, outputs, terms, card is not None))
    return nbytes if card is None or not _is_product(node) else nbytes + _on_gpu(size, node, card)


def copies(size: Sizes, node: Apply, card: XlaCard | None) -> Iterator[Copy]:
    """Yields the copies of a node's inputs that XLA makes for it, possibly long before it runs."""
    if card is None and _is_product(node):
        yield Copy(_copy_on_cpu(size, node), node.id, (max(node.inputs[-2:], key=size),))
    if card is not None and _is_product(node):
        yield from (Copy(size(v), node.id, (v,)) for v in _merged(size, node))
    if node.op.name in SCATTERS:
        yield Copy(_broadcast_update(size, node), node.id, node.inputs[1:2])


def beside(size: Sizes, node: Apply, variable: int, card: XlaCard | None) -> int:
    """Bytes held in addition to the value `variable` of a node until its last reader has run."""
    if card is not None and _is_product(node):
        a, b = node.inputs[-2:]
        sliced = size(variable) if next(_merged(size, node), None) is not None else 0
        return sliced + products.in_parts(size.shapes.shape(a), size.shapes.shape(b), _itemsize(size, a), card)
    return size(variable) * kept_beside(node.op, len(size.graph.clients[variable]), on_gpu=card is not None)


def _merged(size: Sizes, node: Apply) -> Iterator[int]:
    """Yields the factors of a product that XLA joins with those of other products with the same other factor, to compute all of them at
    once.

    Source: openxla/xla, service/dot_merger.cc: only products up to `MERGED` bytes. Each result is then sliced from the joined one.
    """
    factors = node.inputs[-2:]
    for side, shared in enumerate(factors):
        others = [size.graph.applies[n] for n, _ in size.graph.clients[shared] if n != node.id]
        if any(_is_product(n) and n.inputs[-2:][side] == shared for n in others) and sum(map(size, factors)) <= MERGED:
            yield factors[1 - side]


def _is_product(node: Apply) -> bool:
    return node.op.name in PRODUCTS and len(node.inputs) >= 2


def _itemsize(size: Sizes, variable: int) -> int:
    return 8 if size.dtype(variable) in WIDE else 4


def _on_gpu(size: Sizes, node: Apply, card: XlaCard) -> int:
    """Workspace of a matrix product on a GPU in bytes."""
    a, b = node.inputs[-2:]
    shapes = size.shapes.shape(a), size.shapes.shape(b)
    alike = _base(size.graph, a) == _base(size.graph, b)
    return products.scratch(*shapes, (size(a), size(b)), _itemsize(size, a), card, fused=_is_one_loop(size, a, b), alike=alike)


def _copy_on_cpu(size: Sizes, node: Apply) -> int:
    """Bytes of the factor that is copied for the CPU's library in a product of matrix and vector; 0 for other products."""
    a, b = node.inputs[-2:]
    of_a_vector = any(numel(s[-1:]) == 1 for s in map(size.shapes.shape, (a, b)) if not isinstance(s, Unknown))
    long = min(size(a), size(b)) >= SMALL_VECTOR and not _of_rows(size.graph, a, b)
    copied = size.in_loop or long or sum(map(size, node.outputs)) <= 8
    return (max(size(a), size(b)) if copied else min(size(a), size(b))) if of_a_vector else 0


def _of_rows(graph: FunctionGraph, a: int, b: int) -> bool:
    """Whether a product with a vector sums up the rows of a matrix, or both factors are arguments."""
    if any(isinstance(graph.variables[v], Constant) for v in (a, b)):
        return False  # XLA may store a constant the other way round
    rows = graph.variables[b].type.shape[-1:] == (1,) or graph.variables[b].type.ndim == 1
    return (rows and is_upright(graph, a)) or all(graph.variables[v].owner is None for v in (a, b))


def _is_one_loop(size: Sizes, a: int, b: int) -> bool:
    """Whether a product with a vector is one loop on a GPU."""
    if _of_rows(size.graph, a, b):
        return True
    shape = size.shapes.shape(a)
    length = shape[-1] if not isinstance(shape, Unknown) and shape else 0
    return isinstance(length, int) and length >= LONG_SUM and any(_is_argument(size.graph, v) for v in (a, b))


def _base(graph: FunctionGraph, variable: int) -> int:
    """The Variable at the start of a chain of views (reshapes and the like) that ends in `variable`."""
    owner = graph.variables[variable].owner
    return variable if owner is None or graph.applies[owner].op.name not in VIEWS else _base(graph, graph.applies[owner].inputs[0])


def _is_argument(graph: FunctionGraph, variable: int) -> bool:
    """Whether a Variable is an argument, or a view of one."""
    base = graph.variables[_base(graph, variable)]
    return base.owner is None and not isinstance(base, Constant)


def _broadcast_update(size: Sizes, node: Apply) -> int:
    """Bytes of the update of an indexed assignment, broadcast to all its positions; 0 if it has that size already."""
    target, update, *places = node.inputs
    shape = size.shapes.shape(target)
    if isinstance(shape, Unknown):
        return 0
    whole = size(target) * max((size.count(v) for v in places), default=0)
    for length in shape[: len(places)]:
        whole //= max(length, 1) if isinstance(length, int) else 1
    return whole if whole > size(update) else 0


ALLOWANCE = 1.1
"""Safety factor on the live peak: XLA leaves gaps between buffers, and on a GPU decides by estimated run times which values it stores."""
OPAQUE = ("LazyIfElse", "OpFromGraph", "Scan")
"""Ops about which nothing is known without their inner graph."""
SMALL = 2048
"""Bytes added for flags, counters and keys of all kinds."""


@dataclass(frozen=True)
class XlaBound:
    """The bound, and the Variables of unknown size that it leaves out."""

    figures: XlaFigures
    """The bound, with backend `bound`."""
    unknown: tuple[UnknownSize, ...] = ()
    """Variables of unknown size; if there are any, the figures are not an upper bound."""


def bound(graph: FunctionGraph, shapes: ShapeTable, float_x: object, card: XlaCard | None = None) -> XlaBound:
    """The bound for one call of `graph` on `card` (None: the CPU); `float_x` is the flag floatX."""
    narrow = {} if str(float_x) == "float64" else NARROW
    generators = sum(is_generator(graph, v) for v in graph.outputs)
    size = Sizes(graph, shapes, narrow, GeneratorState(8 if not narrow else 4, bool(generators)))
    arguments = tuple((k, size(i.variable)) for k, i in enumerate(graph.inputs) if used(graph, i.variable))
    results = tuple(size(v) for v in graph.outputs)
    pieces = len(results) + (LEAVES - 1) * generators
    most = SMALL + int(_temporaries(size, card) * ALLOWANCE)
    figures = XlaFigures(sum(n for _, n in arguments), sum(results) + address_table(pieces), most, "bound", None, arguments, results)
    return XlaBound(figures, tuple(dict.fromkeys(size.unknown)))


def _temporaries(size: Sizes, card: XlaCard | None) -> int:
    """Bytes of temporaries of one call, without the safety factor `ALLOWANCE`."""
    graph, table = lowered(size.graph, size.shapes)
    size = Sizes(graph, table, size.narrow, size.state, size.unknown, size.in_loop)
    for node in graph.applies:
        if node.op.name in OPAQUE and node.id not in table.inner:
            size.unknown.append(UnknownSize(node.op.text, node.op.text, "its inner graph was not recorded"))
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


def scratch(query: ScratchQuery) -> int:
    """Workspace of a node in bytes, in addition to its results."""
    rule = op_info(core(query.op)).scratch
    return 0 if rule is None or not query.inputs else rule(query)


def core(op: Op) -> str:
    """The class of the Op that a batched Op applies to each matrix, or the Op itself."""
    inside = op.text[len("Blockwise{") :] if op.name == "Blockwise" and op.text.startswith("Blockwise{") else op.name
    return re.split("[{,]", inside)[0]


def kept_beside(op: Op, readers: int, *, on_gpu: bool) -> int:
    """Number of further buffers, each the size of the result, that stay allocated until the result's last reader has run.

    Source: jax/_src/lax/linalg.py: if a matrix has no decomposition the result is NaN, and this choice is made where the result is read,
    from the values that the library returned. Random numbers are computed in the same way from earlier steps.
    """
    if op_info(core(op)).nan_without_result:
        if on_gpu and core(op) == "SolveTriangular":
            return 0
        return 1 if readers < 3 else 2
    if op.name.endswith("RV"):
        return 2 if op.name in FROM_NORMAL and not on_gpu else 0
    return int(op.name == "Elemwise" and any(word in op.text.lower() for word in HEAVY))

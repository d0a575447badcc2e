"""Which results XLA never stores because it fuses them into the loops that read them, and which nodes read each stored value.

The nodes are those of `bound.lowered`.

Source: openxla/xla: for the CPU service/cpu/cpu_instruction_fusion.cc, service/instruction_fusion.cc and
backends/cpu/transforms/library_rewriter.cc, of 2026 as in jaxlib 0.12; for GPUs backends/gpu/transforms/priority_fusion.cc, which decides
by an estimate of times: here a GPU computes in several loops only what is cheap, and what might be written counts as written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from ...ir import Apply, Constant, FunctionGraph
from ...ops.registry import by_name
from .sizes import ONLY_SHAPES

PRODUCTS = tuple(name for name, op in by_name().items() if op.product)
"""Ops that compute matrix products."""
LOOPS = (
    "Elemwise", "DimShuffle", "Alloc", "TensorFromScalar", "ScalarFromTensor", "Eye", "MakeVector", "SpecifyShape", "Assert",
    "CheckAndRaise", "Reshape", "Subtensor", "ARange", "Broadcast",
)  # fmt: skip
"""Elementwise and similar Ops, which XLA fuses into loops."""
REDUCTIONS = ("CAReduce", "Sum", "Max", "Min", "Prod", "All", "Any")
"""Reductions, into which a GPU loop fuses the computation of their input."""
VIEWS = ("DimShuffle", "SpecifyShape", "Assert", "CheckAndRaise", "TensorFromScalar", "ScalarFromTensor", "Reshape")
"""Ops whose result contains the elements of their first input, in the same order or another layout."""
GATHERS = ("AdvancedSubtensor", "AdvancedSubtensor1")
"""Gather Ops, which a GPU fuses into the only loop that reads them."""
SCATTERS = ("AdvancedIncSubtensor", "AdvancedIncSubtensor1")
"""Scatter Ops; on a GPU the values that only they read are fused into them."""
EXPENSIVE = (
    "Exp", "Expm1", "Log", "Log1p", "Log2", "Log10", "Tanh", "Erf", "Sqrt", "Sinh", "Cosh", "Arcsin", "Arccos", "Arctan", "Pow",
    "True_div", "Reciprocal", *(f"Term{n}" for n in range(9)),
)  # fmt: skip
"""Expensive scalar functions, which are not computed twice (`CpuInstructionFusion::IsExpensive`); `Term` is a term of a series
(`lowering`)."""
REDUCED = ("Sum", "Max", "Min", "CAReduce")
"""Reductions that the CPU's reduction library computes, together with the computation of their input."""
REDUCIBLE = (
    "Abs", "Ceil", "Cos", "Erf", "Exp", "Expm1", "Floor", "Log", "Log1p", "Neg", "Sign", "Sin", "Sqrt", "Tanh", "Add", "True_div",
    "Maximum", "Minimum", "Mul", "Pow", "Sub", "Sqr", "Broadcast",
)  # fmt: skip
"""Functions that this library computes if nothing else reads them (backends/cpu/ynn_support.cc)."""
FEW = 1 << 16
"""Size in bytes up to which no assumption is made about fusion: XLA may store such a value, in its own memory."""
LEAVES = 2
"""Maximum number of large values that a loop may read and still be duplicated into several loops on a GPU."""

Count = Callable[[int], int]
"""Gives the number of elements of a Variable."""


@dataclass(frozen=True)
class FusionPlan:
    """Which values are stored in memory, and which nodes read each of them."""

    unwritten: frozenset[int]
    """Ids of the Variables that are fused into their readers."""
    readers: Mapping[int, int]
    """Bit set of the nodes that store values computed from a Variable; bit `number of nodes` stands for an output that is a view."""
    joins_readers: bool = False
    """Whether several loops that read one value may be merged into one that stores a result for each, instead of the value."""


def plan_on_cpu(graph: FunctionGraph, count: Count) -> FusionPlan:
    """Decides what XLA fuses on a CPU. A loop is fused into each loop that reads it, unless it is expensive and would be computed twice, or
    reads more than it produces.

    A slice that is set is fused in the same way into the only loop that reads it (`CanBeLoopFused`).
    """
    results = frozenset(graph.outputs)

    def places(node: Apply, users: int) -> int:
        own = 1 << node.id
        alone = not users & (users - 1)
        if not (node.op.name in LOOPS or (alone and node.op.text.startswith("SetSubtensor"))) or _is_updated(graph, node):
            return own
        if not alone and count(node.outputs[0]) * 8 <= FEW and node.op.name != "Broadcast":
            return own
        fused = _taken_on_cpu(graph, node, users, count)
        whole = fused == users and users != 0
        if not whole and not _may_be_copied(graph, node, count):
            return own
        return fused if whole and not results & {*node.outputs} else fused | own

    return _plan(graph, places)


def plan_on_gpu(graph: FunctionGraph, count: Count) -> FusionPlan:
    """Decides what XLA fuses on a GPU. A loop is fused into its only reader, or, if it is cheap, into all readers; otherwise its value is
    stored.
    """
    results, cheap = frozenset(graph.outputs), _cheap(graph, count)

    def places(node: Apply, users: int) -> int:
        own = 1 << node.id
        if node.op.name not in (*LOOPS, *GATHERS) or _is_updated(graph, node) or results & {*node.outputs} or not users:
            return own
        if node.op.name != "Broadcast" and (count(node.outputs[0]) * 8 <= FEW or is_scaled(graph, node)):
            return own
        alone = not users & (users - 1)
        readers = (*LOOPS, *(SCATTERS if alone else ()))
        nodes = [graph.applies[n] for n in ones(users & ~(1 << len(graph.applies)))]
        taken = users < 1 << len(graph.applies) and all(n.op.name in readers or _reduces_rows(graph, n) or _joins(graph, n) for n in nodes)
        if any(_reduces_all(graph, n) for n in nodes) and node.op.name != "Broadcast":
            return own
        return users if node.op.name == "Broadcast" or (taken and (alone or node.id in cheap)) else own

    return _plan(graph, places, joins_readers=True)


def _plan(graph: FunctionGraph, places: Callable[[Apply, int], int], *, joins_readers: bool = False) -> FusionPlan:
    """The fusion plan. `places` gives, for a node, a bit set of the readers of its results that compute it themselves, and of the node
    itself if its results are written.
    """
    read: dict[int, int] = {}
    unwritten: set[int] = set()
    results, forever = frozenset(graph.outputs), 1 << len(graph.applies)
    for node in reversed(graph.applies):
        if node.op.name in ONLY_SHAPES:
            continue
        users = all_bits(read.get(v, 0) for v in node.outputs)
        if is_view(graph, node):
            bits = users | (forever if results & {*node.outputs} else 0)
        else:
            bits = places(node, users)
            if not bits >> node.id & 1:
                unwritten.update(node.outputs)
        for v in node.inputs:
            read[v] = read.get(v, 0) | bits
    return FusionPlan(frozenset(unwritten), read, joins_readers)


def reached(graph: FunctionGraph) -> dict[int, int]:
    """Returns for each value a bit set of the nodes that read it, directly or through fused loops."""
    read: dict[int, int] = {}
    for node in reversed(graph.applies):
        if node.op.name not in ONLY_SHAPES:
            bits = 1 << node.id | (all_bits(read.get(v, 0) for v in node.outputs) if node.op.name in LOOPS else 0)
            for v in node.inputs:
                read[v] = read.get(v, 0) | bits
    return read


def is_view(graph: FunctionGraph, node: Apply) -> bool:
    """Returns whether a node's result is the memory of its input with another shape, because the node transposes no dimensions or only
    products read the result.
    """
    if node.op.name not in VIEWS:
        return False
    return is_upright(graph, node.outputs[0]) or all(
        graph.applies[n].op.name in PRODUCTS for v in node.outputs for n, _ in graph.clients[v]
    )


def is_upright(graph: FunctionGraph, variable: int) -> bool:
    """Returns whether a Variable is not the result of a transposing DimShuffle."""
    owner = graph.variables[variable].owner
    order = () if owner is None else graph.applies[owner].op.params.get("new_order")
    kept = [d for d in order if isinstance(d, int)] if isinstance(order, (list, tuple)) else []
    return kept == sorted(kept)


def reduces_last(node: Apply, ndim: int) -> bool:
    """Returns whether a reduction over an input of `ndim` dimensions includes the last axis."""
    axes = node.op.params.get("axis", ())
    known = None if axes is None else [a for a in axes if isinstance(a, int)] if isinstance(axes, (list, tuple)) else [axes]
    return known is None or ndim - 1 in known or -1 in known


def is_scaled(graph: FunctionGraph, node: Apply) -> bool:
    """Returns whether a loop scales rows by their sums, as softmax does; a GPU computes this in a kernel of its own and stores
    the result.
    """
    return node.op.name == "Elemwise" and any(_is_broadcast(graph, v) and _is_sum(graph, v) for v in node.inputs)


def _is_sum(graph: FunctionGraph, variable: int) -> bool:
    """Whether a value is a sum of rows, or a function of one."""
    owner = graph.variables[variable].owner
    node = None if owner is None else graph.applies[owner]
    if node is None or node.op.name == "Sum":
        return node is not None and _reduces_rows(graph, node) and not _reduces_all(graph, node)
    alone = len(node.inputs) == 1 and node.op.name in (*VIEWS, "Broadcast", "Elemwise")
    return alone and _is_sum(graph, node.inputs[0])


def _joins(graph: FunctionGraph, node: Apply) -> bool:
    """Whether a node concatenates values only for an output: if nodes read the result, they may read the values instead."""
    return node.op.name == "Join" and not any(graph.clients[v] for v in node.outputs)


def _reduces_rows(graph: FunctionGraph, node: Apply) -> bool:
    """Whether a node reduces the last axes; a GPU then computes its input in the same loop and need not store it."""
    return node.op.name in REDUCTIONS and reduces_last(node, graph.variables[node.inputs[0]].type.ndim)


def _reduces_all(graph: FunctionGraph, node: Apply) -> bool:
    """Whether a node sums over all axes: a GPU does that in several steps, the first of which reads a value in another shape."""
    axes, ndim = node.op.params.get("axis"), graph.variables[node.inputs[0]].type.ndim if node.inputs else 0
    return node.op.name in REDUCTIONS and (axes is None or (isinstance(axes, (list, tuple)) and len(axes) == ndim))


def _is_updated(graph: FunctionGraph, node: Apply) -> bool:
    """Whether a node takes a slice of a Variable that another node updates in place: the slice must be written before."""
    clients = graph.clients[node.inputs[0]] if node.op.name == "Subtensor" else ()
    return any(graph.applies[n].op.name == "IncSubtensor" and position == 0 for n, position in clients)


def _taken_on_cpu(graph: FunctionGraph, node: Apply, users: int, count: Count) -> int:
    """Bit set of the loops in `users` into which the CPU's compiler fuses a node."""
    several = bool(users & (users - 1))
    if _is_expensive(graph, node) and (several or _is_repeated(graph, node.outputs[0], count)):
        return 0
    taken = 0
    for n in ones(users):
        reader = graph.applies[n] if n < len(graph.applies) else None
        if reader and (reader.op.name in LOOPS or (not several and _is_reduced_by(graph, node, reader, count))):
            taken |= 1 << n
    return taken


def _is_reduced_by(graph: FunctionGraph, node: Apply, reader: Apply, count: Count) -> bool:
    """Whether the reduction `reader` computes its input, `node`, itself."""
    known = reader.op.name in REDUCED and node.op.text in REDUCIBLE and not _chooses(graph, node) and count(node.outputs[0]) * 8 > FEW
    return known and reduces_last(reader, graph.variables[reader.inputs[0]].type.ndim)


def _chooses(graph: FunctionGraph, node: Apply) -> bool:
    """Whether a product with converted truth values becomes a selection (`AlgebraicSimplifier`), which no library computes."""
    owners = [graph.variables[v].owner for v in node.inputs] if node.op.text == "Mul" else []
    return any(n is not None and graph.applies[n].op.text.startswith("Cast") for n in owners)


def _is_repeated(graph: FunctionGraph, variable: int, count: Count) -> bool:
    """Whether a loop reads elements of a Variable several times."""
    for n, _ in graph.clients[variable]:
        node = graph.applies[n]
        if node.op.name in VIEWS:
            if _is_repeated(graph, node.outputs[0], count):
                return True
        elif node.op.name in LOOPS and count(node.outputs[0]) > count(variable):
            return True
    return False


def _may_be_copied(graph: FunctionGraph, node: Apply, count: Count) -> bool:
    """Whether a loop may be computed in some of its readers and written for the others: it reads no more elements than it produces."""
    most, inputs = count(node.outputs[0]), dict.fromkeys(node.inputs)
    long = [v for v in inputs if count(v) >= most and not _is_broadcast(graph, v)]
    return len(long) <= 1 or sum(map(count, inputs)) <= most


def _is_expensive(graph: FunctionGraph, node: Apply) -> bool:
    """Whether a loop has an expensive function, so that it is not computed twice. A division by a constant or a broadcast value does not
    count: it becomes a product (`AlgebraicSimplifier`).
    """
    by = node.inputs[1] if node.op.text == "True_div" and len(node.inputs) == 2 else None
    cheap = by is not None and (isinstance(graph.variables[by], Constant) or _is_broadcast(graph, by))
    return node.op.text in EXPENSIVE and not cheap


def _is_broadcast(graph: FunctionGraph, variable: int) -> bool:
    owner = graph.variables[variable].owner
    return owner is not None and graph.applies[owner].op.name == "Broadcast"


def _cheap(graph: FunctionGraph, count: Count) -> frozenset[int]:
    """Returns the Variables of loops without expensive functions that read few long values, including what they read through loops that are
    computed in them.
    """
    cheap: set[int] = set()
    leaves: dict[int, frozenset[int]] = {}
    costly: set[int] = set()
    for node in graph.applies:
        if node.op.name not in LOOPS:
            continue
        result = node.outputs[0]
        leaves[result] = frozenset(u for v in node.inputs for u in leaves.get(v, (v,)) if count(u) >= count(result))
        if node.op.text in EXPENSIVE or node.op.text.startswith("Composite") or any(v in costly for v in node.inputs):
            costly.add(result)
        elif len(leaves[result]) <= LEAVES:
            cheap.add(node.id)
    return frozenset(cheap)


def all_bits(of: Iterable[int]) -> int:
    """Returns the union of bit sets."""
    union = 0
    for bits in of:
        union |= bits
    return union


def ones(bits: int) -> Iterator[int]:
    """Yields the positions of the bits that are set, lowest first."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest

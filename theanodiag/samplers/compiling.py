"""Memory that numba and LLVM take and keep when functions are compiled for the first time. Pure.

PyTensor makes a function of each node, which numba compiles once for its Op and the types of its inputs, and one of the whole graph that
calls them (PyTensor 3.3.8, link/numba/dispatch/basic.py). Measured by the resident memory at the begin and end of each of numba's
`numba:compile` events, with an empty compile folder, on five models (PyMC 6.4.0, numba 0.68): all of a function by these
figures is 83 of 85 MiB, 121 of 117, 19 of 15, 88 of 71, 16 of 18; and of a sixth model, with `Split`, 168 of 180.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..ir import Apply, FunctionGraph
from ..units import MIB

NODE = MIB // 2
"""Bytes for each node of the function for the whole graph, which is compiled for each graph."""
SIZES = {
    "Scan": 30 * MIB, "FusedElemwise": 4 * MIB, "Elemwise": 2 * MIB, "Dot": 12 * MIB, "Gemm": 12 * MIB, "Gemv": 8 * MIB,
    "BatchedDot": 12 * MIB, "Blockwise": 8 * MIB, "RandomVariableWithCoreShape": 5 * MIB, "Reshape": 3 * MIB, "Join": 3 * MIB,
    "IncSubtensor": 3 * MIB, "AdvancedSubtensor": 3 * MIB, "AdvancedSubtensor1": 3 * MIB, "AdvancedIncSubtensor": 6 * MIB,
    "AdvancedIncSubtensor1": 4 * MIB, "SpecifyShape": 9 * MIB, "Alloc": 2 * MIB, "DimShuffle": 3 * MIB // 2, "Subtensor": 3 * MIB // 2,
    "Split": 7 * MIB, "MakeVector": 2 * MIB, "Shape_i": 2 * MIB, "ScalarizedElemwise": 2 * MIB, "ScalarizedJoin": 3 * MIB // 2,
}  # fmt: skip
"""Op -> bytes for compiling its own function; for a Scan in addition to the nodes of its loop."""
RANDOM, OTHER = 5 * MIB, MIB // 2
"""The same of an Op that draws random numbers, and of any other: most compute one number."""
STRIDED_DOT = 34 * MIB
"""The same of a Dot one of whose inputs is not contiguous: it handles all strides (34.2 MiB; with contiguous ones 10.1 to 16.2)."""
NOT_COMPILED = ("DeepCopyOp", "ViewOp")
"""Ops that take almost no memory to compile."""
REDUCTIONS = ("Sum", "Prod", "Max", "Min", "All", "Any", "CAReduce", "Argmax")
"""Reductions; over more than one axis they order the axes with numba's `argsort`, which is then compiled too."""
SORTING, TEXT = 38 * MIB, 24 * MIB
"""That order; and the texts of exceptions that have numbers in them: each is compiled once."""


def first_compiled(graphs: Iterable[FunctionGraph], done: set[object]) -> int:
    """Bytes that the first compilation of these functions takes and keeps.

    Args:
        graphs: One for each function.
        done: What the process has compiled before, by keys; these functions' are added.
    """
    total = 0
    for graph in graphs:
        for node in graph.applies:
            if node.op.name in NOT_COMPILED:
                continue
            total += NODE
            for key, size in _parts(node, graph):
                total += 0 if key in done else size
                done.add(key)
            if node.op.name == "Scan" and node.op.inner is not None:
                total += first_compiled([node.op.inner], done)
    return total


def _parts(node: Apply, graph: FunctionGraph) -> Iterator[tuple[object, int]]:
    """What numba compiles for a node: (key, bytes)."""
    name = node.op.name
    ranks = [len(graph.variables[i].type.shape or ()) for i in node.inputs]
    size = SIZES.get(name, RANDOM if name.endswith("RV") else OTHER)
    if name in REDUCTIONS and ranks and ranks[0] > 1:
        yield "order of axes", SORTING
        size = 5 * MIB
    if name == "Dot" and any(_strided(i, graph) for i in node.inputs):
        size = STRIDED_DOT
    if name == "SpecifyShape" or (name == "Alloc" and ranks and ranks[0] == 0):
        yield "texts of exceptions", TEXT
        size = max(size, 9 * MIB)
    if name == "Split":
        yield "texts of exceptions", TEXT
    yield _key(node, graph), size


def _key(node: Apply, graph: FunctionGraph) -> object:
    """What PyTensor and numba tell functions of nodes apart by."""
    types = tuple((graph.variables[i].type.dtype, len(graph.variables[i].type.shape or ()), _strided(i, graph)) for i in node.inputs)
    inner = node.op.inner
    within = () if inner is None else tuple((_key(n, inner), n.inputs) for n in inner.applies)
    return node.op.text, repr(node.op.params), types, within


def _strided(variable: int, graph: FunctionGraph) -> bool:
    """Whether numba compiles what reads the variable for any strides: a part of an array by Split, or a DimShuffle of one.

    Source: numba's `np.split` returns arrays of layout A; PyTensor 3.3.8, link/numba/dispatch/elemwise.py `_dimshuffle_out_layout`.
    """
    owner = graph.variables[variable].owner
    if owner is None:
        return False
    node = graph.applies[owner]
    return node.op.name == "Split" or (node.op.name == "DimShuffle" and _strided(node.inputs[0], graph))

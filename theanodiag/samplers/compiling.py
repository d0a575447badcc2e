"""Memory that numba and LLVM take and keep when functions are compiled for the first time. Pure.

PyTensor makes a function of each node, which numba compiles once for its Op and the types of its inputs, and one of the whole graph that
calls them (PyTensor 3.3.8, link/numba/dispatch/basic.py). Measured by the resident memory at the begin and end of each of numba's
`numba:compile` events, with an empty compile folder (PyMC 6.3.2 and 6.4.0, numba 0.68): by these figures the largest functions of seven
models are 84 of 85 MiB, 116 of 117, 76 of 71, 45 of 30, 39 of 37, 158 of 180, 177 of 211 and 265 of 244.

The two functions of nutpie 0.16.11, with what numba compiles around them, take what is counted for them and 13 MiB more at the median of
twelve models (-60 to 27; PyMC 6.4.0, numba 0.68.0). The nodes of a long function reuse what earlier ones needed: see `EARLY`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..ir import Apply, Constant, FunctionGraph
from ..ir.shape import nbytes
from ..units import MIB

NODE = MIB // 2
"""Bytes for each node of the function for the whole graph, which is compiled for each graph."""
EARLY, LESS = 40, 2 * MIB // 5
"""Of nutpie's functions, each node after this number takes less than NODE by these bytes (twelve models: then -19 to 31 MiB remain,
before -14 to 74; the two functions for 15 likelihoods have 138 and 61 nodes)."""
SIZES = {
    "Scan": 30 * MIB, "FusedElemwise": 3 * MIB, "Elemwise": 2 * MIB, "Dot": 12 * MIB, "Gemm": 12 * MIB, "Gemv": 8 * MIB,
    "BatchedDot": 12 * MIB, "Blockwise": 8 * MIB, "RandomVariableWithCoreShape": 5 * MIB, "Reshape": 3 * MIB, "Join": 3 * MIB,
    "IncSubtensor": 3 * MIB, "AdvancedSubtensor": 3 * MIB, "AdvancedSubtensor1": 3 * MIB, "AdvancedIncSubtensor": 6 * MIB,
    "AdvancedIncSubtensor1": 4 * MIB, "SpecifyShape": 9 * MIB, "Alloc": 2 * MIB, "DimShuffle": 3 * MIB // 2, "Subtensor": 3 * MIB // 2,
    "Split": 7 * MIB, "MakeVector": 2 * MIB, "Shape_i": 2 * MIB, "ScalarizedElemwise": 2 * MIB, "ScalarizedJoin": 3 * MIB // 2,
}  # fmt: skip
"""Op -> bytes for compiling its own function; for a Scan in addition to the nodes of its loop."""
LAPACK, LINEAR = 12 * MIB, (
    "Cholesky", "SolveTriangular", "Solve", "CholeskySolve", "TriangularInv", "MatrixInverse", "LU", "LUFactor", "QR", "SVD", "Eigh", "Eig",
    "Det", "SLogDet",
)  # fmt: skip
"""The same of an Op that calls LAPACK (Cholesky 10.3 MiB, SolveTriangular 7.7 and 16.5); and the Ops that do, of which the others are
assumed to be alike."""
RANDOM, OTHER = 5 * MIB, MIB // 2
"""Bytes for an Op that draws random numbers, and for any other Op: most compute one number."""
STRIDED_DOT = 34 * MIB
"""Bytes for a Dot one of whose inputs has layout A: it handles all strides (34.2 MiB; with contiguous ones 10.1 to 16.2)."""
NORMAL_VECTOR = 38 * MIB
"""The same of a draw from `pm.MvNormal`: an eigenvalue or singular value decomposition, and a product (37.7 MiB in a Gaussian copula)."""
FLOAT, INTEGER, MOST_FROZEN = 160, 14, 10**6
"""Bytes for each element of an array that is a constant of the graph, of floating-point numbers and of others, and the maximum size of such
an array: numba writes it into the code (numba 0.68, core/base.py `make_constant_array`), and LLVM keeps each number (160 000 to 480 000
bytes of random numbers: 146 to 165 for each; 800 000 bytes of integers below 99: 14). A larger array is read where it is."""
NOT_COMPILED = ("DeepCopyOp", "ViewOp")
"""Ops that take almost no memory to compile."""
REDUCTIONS = ("Sum", "Prod", "Max", "Min", "All", "Any", "CAReduce", "Argmax")
"""Reductions, also with `Scalar` before the name, where they give one number; over more than one axis they order the axes with numba's
`argsort`, which is then compiled too (`ScalarAll` of a matrix: 46.5 MiB)."""
SORTING, TEXT, FUSED = 38 * MIB, 24 * MIB, 6 * MIB
"""That order; the texts of exceptions that have numbers in them; and what all fused loops have in common: each is compiled once."""


def first_compiled(graphs: Iterable[FunctionGraph], done: set[object]) -> int:
    """Returns the bytes that the first compilation of these functions by numba takes and keeps.

    Args:
        graphs: One for each function.
        done: What the process has compiled before, by keys; these functions' are added.
    """
    total = 0
    for graph in graphs:
        total += _frozen(graph)
        for node in graph.applies:
            if node.op.name in NOT_COMPILED:
                continue
            total += NODE
            for key, size in _parts(node, graph):
                total += 0 if key in done else size
                done.add(key)
            if node.op.inner is not None and _has_functions_within(node.op.name):
                total += first_compiled([node.op.inner], done)
    return total


def _frozen(graph: FunctionGraph) -> int:
    """Bytes for the constants of a graph that numba writes into the code."""
    total = 0
    for variable in graph.variables:
        if not isinstance(variable, Constant) or variable.type.dtype is None:
            continue
        count, size = nbytes(variable.shape, "bool"), nbytes(variable.shape, variable.type.dtype)
        if isinstance(count, int) and isinstance(size, int) and size <= MOST_FROZEN:
            total += count * (FLOAT if variable.type.dtype.startswith("float") else INTEGER)
    return total


def of_nodes(graphs: Iterable[FunctionGraph]) -> int:
    """Returns the bytes that `first_compiled` counts for the nodes of these graphs. They are free once the functions are, after the call
    that compiled them, and the functions of later calls take them (mixtures of two, three and four components took 202, 28 and 3 MiB, of
    which the nodes would be 67, 66 and 66).
    """
    return sum(NODE * count for count in _counts(graphs))


def reused(graphs: Iterable[FunctionGraph]) -> int:
    """Returns the bytes that `first_compiled` counts too much for nutpie's functions, because they have many nodes."""
    return sum(LESS * max(0, count - EARLY) for count in _counts(graphs))


def _counts(graphs: Iterable[FunctionGraph]) -> Iterator[int]:
    return (sum(1 for node in graph.applies if node.op.name not in NOT_COMPILED) for graph in graphs)


def _parts(node: Apply, graph: FunctionGraph) -> Iterator[tuple[object, int]]:
    """Yields (key, bytes) of each function that numba compiles for a node."""
    name = node.op.name
    if name == "Blockwise":
        core = re.match(r"Blockwise\{(\w+)", node.op.text)
        if core is not None and core.group(1) in LINEAR:
            yield ("of each matrix", _key(node, graph)), LAPACK
    ranks = [len(graph.variables[i].type.shape or ()) for i in node.inputs]
    size = SIZES.get(name, LAPACK if name in LINEAR else RANDOM if name.endswith("RV") else OTHER)
    if name.replace("Scalar", "", 1) in REDUCTIONS and ranks and ranks[0] > 1:
        yield "order of axes", SORTING
        size = 5 * MIB
    if name == "Dot" and any(_layout(i, graph) == "A" for i in node.inputs):
        size = STRIDED_DOT
    if "MvNormalRV" in node.op.text:
        size = NORMAL_VECTOR
    if name == "SpecifyShape" or (name == "Alloc" and ranks and ranks[0] == 0):
        yield "texts of exceptions", TEXT
        size = max(size, SIZES["SpecifyShape"])
    if name == "FusedElemwise":
        yield "fused loops", FUSED
    if name == "Split":
        yield "texts of exceptions", TEXT
    yield _key(node, graph), size


def _key(node: Apply, graph: FunctionGraph) -> object:
    """Key of a node's compiled function: nodes with equal keys share one, as in PyTensor and numba.

    Of lengths it has only which are one: PyTensor 3.3.8, link/numba/dispatch/elemwise.py `input_bc_patterns` (mixtures of two, three and
    four components: 202, 28 and 3 MiB).
    """
    types = tuple((graph.variables[i].type.dtype, len(graph.variables[i].type.shape or ()), _layout(i, graph)) for i in node.inputs)
    inner = node.op.inner
    within = () if inner is None else tuple((_key(n, inner), n.inputs) for n in inner.applies)
    params = re.sub(r"shape=\([^)]*\)", lambda shape: re.sub(r"\b(?!1\b)\d+", "?", shape.group()), repr(node.op.params))
    return node.op.text, params, types, within


def _has_functions_within(name: str) -> bool:
    """Whether the nodes of an Op's inner graph are compiled as functions of their own, as for Scan and OpFromGraph. An elementwise Op's
    inner graph is compiled as one expression, whose size is in the Op's own.
    """
    return name == "Scan" or (name not in SIZES and not name.startswith(("Scalar", "Composite")))


def _layout(variable: int, graph: FunctionGraph) -> str:
    """The layout in numba's type of an array, by which it compiles what reads it: `C`, `F`, or `A` where strides may be any.

    Source: numba's `np.split` returns layout A; PyTensor 3.3.8, link/numba/dispatch/elemwise.py `_dimshuffle_out_layout`; LAPACK's results
    are in the order of Fortran. Layouts of inputs are not known: they are taken to be C.
    """
    owner = graph.variables[variable].owner
    if owner is None:
        return "C"
    node = graph.applies[owner]
    if node.op.name == "DimShuffle":
        within = _layout(node.inputs[0], graph)
        return {"C": "F", "F": "C"}.get(within, "A") if node.op.text.startswith("Transpose") else within
    return "A" if node.op.name == "Split" else "F" if node.op.name in LINEAR else "C"

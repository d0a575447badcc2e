"""Tells which linker runs a printed function: PyTensor's default changed from the CVM, which evaluates depth-first, to numba.

Source: PyTensor 3.0.7 compile/mode.py: the mode NUMBA leaves the rewrites of BLAS out, and with them Ops that only C code has;
tensor/rewriting/numba.py wraps Blockwise and random Ops (`[op]`).
"""

from __future__ import annotations

from ..ir import FunctionGraph
from ..ir.traverse import graphs
from .scope import Style

_OF_C = frozenset({"Dot22", "Dot22Scalar", "Gemm", "Gemv", "Ger", "CGemv", "CGer", "GpuDot22", "GpuGemm", "GpuGemv"})
_OF_NUMBA = frozenset({"BlockwiseWithCoreShape", "RandomVariableWithCoreShape", "FusedElemwise", "IndexedElemwise", "ScalarizedElemwise"})
_NEW = frozenset({"FusedElemwise", "ScalarizedElemwise", "ScalarizedJoin", "ScalarSubtensor", "LazyIfElse"})
_OLD = frozenset({"IndexedElemwise", "AdvancedSubtensor1", "AdvancedIncSubtensor1"})


def is_new(graph: FunctionGraph) -> bool | None:
    """Whether PyTensor is 3.3 or later; None where the text does not tell. Source: the classes in both, and `Join.__props__`."""
    found = None
    for inside, _ in graphs(graph):
        for node in inside.applies:
            name = node.op.name
            if name in _NEW or name in _OLD:
                return name in _NEW
            if name in ("Join", "Split"):
                found = "axis" in node.op.params
    return found


def linkers_of(graph: FunctionGraph, style: Style) -> tuple[str, ...]:
    """The linkers that may run `graph`, likeliest first."""
    if not style.capitals:
        return ("cvm",)
    names = graph.op_names
    if names & _OF_C:
        return ("cvm",)
    if names & _OF_NUMBA or any(node.op.name == "Dot" and _is_float(graph, node.outputs[0]) for node in graph.applies):
        return ("numba",)
    return ("numba", "cvm")


def _is_float(graph: FunctionGraph, variable: int) -> bool:
    """Whether a Variable is float or complex, so that the C linker would give its product to BLAS."""
    return (graph.variables[variable].type.dtype or "").startswith(("float", "complex"))

"""Adds outputs that a text does not show since nothing reads them: the Op computes them all the same, and they take memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import is_not

from ..ir import Apply, FunctionGraph, Type, Variable
from ..ir.scan import has_scan_layout
from .state import sized


def _of_classes(graph: FunctionGraph, node: Apply) -> list[Type] | None:
    """Types of negative log likelihoods, probabilities and classes. Source: Theano 1.0.5 tensor/nnet/nnet.py, gpuarray/nnet.py."""
    if len(node.inputs) != 3:
        return None
    x, y = graph.variables[node.inputs[0]].type, graph.variables[node.inputs[2]].type
    if not (sized(x) and sized(y)) or x.ndim != 2 or y.ndim != 1:
        return None
    rows = x.shape[:1]
    return [_like(x, x.dtype, rows), _like(x, x.dtype, x.shape), _like(x, y.dtype, rows)]


def _of_maximum(graph: FunctionGraph, node: Apply) -> list[Type] | None:
    """Types of the maximum and its position. Source: Theano 1.0.5 tensor/basic.py `MaxAndArgmax`."""
    x, axes = graph.variables[node.inputs[0]].type, node.op.params.get("axis")
    if not sized(x):
        return None
    gone = {a % x.ndim for a in axes if isinstance(a, int)} if isinstance(axes, list) and x.ndim else set(range(x.ndim))
    kept = tuple(d for i, d in enumerate(x.shape) if i not in gone)
    return [_like(x, x.dtype, kept), _like(x, "int64", kept)]


def _of_unique(graph: FunctionGraph, node: Apply) -> list[Type] | None:
    """Types of the unique elements, and of further outputs that are asked for. Source: Theano 1.0.5 tensor/extra_ops.py `Unique`."""
    x, params = graph.variables[node.inputs[0]].type, node.op.params
    if not sized(x):
        return None
    rows = (None,) if params.get("axis") is None else (None,) * x.ndim
    asked = [name for name in ("return_index", "return_inverse", "return_counts") if params.get(name) is True]
    return [_like(x, x.dtype, rows), *[_like(x, "int64", (None,))] * len(asked)]


def _of_split(graph: FunctionGraph, node: Apply) -> list[Type] | None:
    """Types of all parts. Source: Theano 1.0.5 tensor/basic.py `Split`."""
    x, n = graph.variables[node.inputs[0]].type, node.op.params.get("len_splits")
    return [_like(x, x.dtype, (None,) * x.ndim)] * n if sized(x) and isinstance(n, int) and 0 < n < 1000 else None


_AS_MATRIX, _AS_VECTOR = slice(None), slice(-1)
_PARTS: dict[str, tuple[tuple[slice, str | None], ...]] = {
    "SVD": ((_AS_MATRIX, None), (_AS_VECTOR, None), (_AS_MATRIX, None)), "QRFull": ((_AS_MATRIX, None),) * 2,
    "QR": ((_AS_MATRIX, None),) * 2, "Eigh": ((_AS_VECTOR, None), (_AS_MATRIX, None)), "SLogDet": ((slice(-2), None),) * 2,
    "LU": ((_AS_MATRIX, None),) * 3, "LUFactor": ((_AS_MATRIX, None), (_AS_VECTOR, "int32")), "Schur": ((_AS_MATRIX, None),) * 2,
}  # fmt: skip
"""For each output of a decomposition, which dimensions of the matrix it has, and its dtype where that differs."""
_FEWER = (("compute_uv", False), ("mode", "r"), ("permute_l", True), ("p_indices", True), ("mode", "raw"), ("pivoting", True))
"""Parameters with which a decomposition has fewer or other outputs."""


def _of_matrix(graph: FunctionGraph, node: Apply) -> list[Type] | None:
    """Types of the parts of a decomposition. Sources: Theano 1.0.5 tensor/nlinalg.py, PyTensor 3.3.7 tensor/linalg/decomposition."""
    x, params = graph.variables[node.inputs[0]].type, node.op.params
    if not sized(x) or x.ndim < 2 or any(params.get(k) == value for k, value in _FEWER):
        return None
    name = node.op.name.replace("GpuMagma", "")
    return [_like(x, dtype or x.dtype, (None,) * len(x.shape[cut])) for cut, dtype in _PARTS[name]]


def _of_elementwise(graph: FunctionGraph, node: Apply) -> list[Type] | None:
    """Types of all outputs of the scalar graph. PyTensor (3.3.7) keeps results that nothing reads in a Composite."""
    inner = node.op.inner
    if inner is None or len(inner.outputs) <= 1:
        return None
    kinds = [k for v in node.outputs if sized(k := graph.variables[v].type)]
    if not kinds or len(kinds) == len(inner.outputs):
        return None
    made = [inner.variables[v].type.dtype for v in inner.outputs]
    return [_like(kinds[0], dtype, kinds[0].shape) for dtype in made if dtype] if all(made) else None


def _like(kind: Type, dtype: str | None, shape: tuple[int | None, ...]) -> Type:
    text = f"{kind.text.partition('(')[0]}({dtype}, {len(shape)}D)"
    return Type(kind.kind, dtype, shape, text)


_OUTPUTS: dict[str, Callable[[FunctionGraph, Apply], list[Type] | None]] = {
    "Elemwise": _of_elementwise, "CrossentropySoftmaxArgmax1HotWithBias": _of_classes, "MaxAndArgmax": _of_maximum,
    "Unique": _of_unique, "Split": _of_split, "MagmaSVD": _of_matrix, "MagmaEigh": _of_matrix, "MagmaQR": _of_matrix,
    **dict.fromkeys(_PARTS, _of_matrix),
}  # fmt: skip
"""By class name, without `Gpu`: the function that gives the types of all outputs, or None where the inputs do not tell."""
_BY_THEMSELVES = frozenset(form for name in _OUTPUTS.keys() - {"Elemwise"} for form in (name, f"Gpu{name}"))
"""Ops whose outputs are known without an inner graph."""


def with_unprinted(graph: FunctionGraph) -> FunctionGraph:
    """`graph` (of a text) with the unprinted outputs of its Ops, and of those inside its Scans; ids of existing Variables stay."""
    if graph.op_names.isdisjoint(_BY_THEMSELVES) and not any(node.op.inner is not None for node in graph.applies):
        return graph
    variables, applies = list(graph.variables), list(graph.applies)
    for node in graph.applies:
        inner = node.op.inner
        if inner is not None and has_scan_layout(inner.info) and (made := with_unprinted(inner)) is not inner:
            applies[node.id] = dataclasses.replace(node, op=dataclasses.replace(node.op, inner=made))
            continue
        complete = _OUTPUTS.get(node.op.name.removeprefix("Gpu"))
        types = complete(graph, node) if complete is not None and node.inputs and not node.op.module else None
        outputs = list(node.outputs)
        if types is None or len(types) < len(outputs):
            continue
        if len(types) == len(outputs) and all(variables[v].type.is_printed for v in outputs):
            continue
        for kind in types[len(outputs) :]:
            outputs.append(len(variables))
            variables.append(Variable(len(variables), kind, owner=node.id))
        for v, kind in zip(outputs, types):
            variables[v] = variables[v] if variables[v].type.is_printed else dataclasses.replace(variables[v], type=kind)
        applies[node.id] = dataclasses.replace(node, outputs=tuple(outputs))
    changed = any(map(is_not, applies, graph.applies))
    return dataclasses.replace(graph, variables=tuple(variables), applies=tuple(applies)) if changed else graph

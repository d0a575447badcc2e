"""view_map and destroy_map of a printed Op: from the text where it has them, else from the Op's name and parameters.

Sources: the assignments to `view_map` and `destroy_map` in Theano 0.7 (sandbox/cuda), Theano 1.0.5 (tensor, gpuarray, ifelse) and
PyTensor 3.3.7 (tensor, conditional, raise_op).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..ir.traverse import BUFFERS
from .literals import index_map
from .op_params import Params

IndexMap = Mapping[int, tuple[int, ...]]
_FIRST: IndexMap = {0: (0,)}

VIEWS = frozenset({
    "Reshape", "Subtensor", "Rebroadcast", "Unbroadcast", "SpecifyShape", "Flatten", "Assert", "CheckAndRaise", "ViewOp", "OutputGuard",
    "Print", "ParamCheck", "CheckParameterValue", "Check", "GpuReshape", "GpuSubtensor", "GpuDimShuffle", "GpuFlatten", "GpuContiguous",
    "CpuContiguous", "SplitDims", "JoinDims", "BroadcastTo", "GradClip", "DisconnectedGrad", "ZeroGrad", "ConsiderConstant", "GradScale",
})  # fmt: skip
"""Output 0 is a view of input 0, always."""

_DESTROYED = {
    "GpuDnnConv": {0: (2,)}, "GpuDnnConvGradW": {0: (2,)}, "GpuDnnConvGradI": {0: (2,)}, "GpuDnnRNNGradInputs": {1: (2,)},
    "RandomFunction": {}, "SparseBlockGemv": _FIRST, "SparseBlockOuter": _FIRST,
}  # fmt: skip
"""What an `inplace` form overwrites, where that is not input 0."""

_OVERWRITES = {"overwrite_a": (0, 0), "overwrite_b": (0, 1), "overwrite_c": (0, 2)}
"""Parameter -> the output that is made over an input, and that input: of linear algebra."""
_OVER = {
    "LU": {"overwrite_a": (1, 0)}, "LUFactor": {"overwrite_a": (1, 0)}, "Eigh": {"overwrite_a": (1, 0), "overwrite_b": (1, 1)},
    "QZ": {"overwrite_a": (0, 0), "overwrite_b": (1, 1)}, "SolveLUFactorTridiagonal": {"overwrite_b": (0, 5)},
    "LUFactorTridiagonal": {"overwrite_dl": (0, 0), "overwrite_d": (1, 1), "overwrite_du": (2, 2)},
}  # fmt: skip
"""The same where an Op declares others. Source: PyTensor 3.0.7 and 3.3.7, tensor/linalg."""
_UNCHANGED = frozenset({"Scan", "IfElse", "DimShuffle", "InplaceDimShuffle", "GpuDimShuffle"})


class Maps(NamedTuple):
    """What outputs share with inputs."""

    view: IndexMap
    destroy: IndexMap


def printed_maps(texts: tuple[str, str]) -> Maps:
    """The maps that `print_destroy_map` and `print_view_map` show."""
    return Maps(index_map(texts[1]), index_map(texts[0]))


def derive_maps(name: str, params: Params, n_inputs: int, n_outputs: int) -> Maps:
    """The maps that the name and the parameters imply, within the inputs and outputs that the node has."""
    view, destroy = _view(name, params, n_outputs), _destroy(name, params)
    return Maps(_within(view, n_inputs, n_outputs), _within(destroy, n_inputs, n_outputs))


def scan_maps(params: Params, makers: Sequence[str | None], scalars: Sequence[bool], n_outputs: int) -> Maps:
    """What a Scan overwrites: the outputs that its text names, each over its own buffer.

    `makers` are the classes that make its inputs, `scalars` says which of them are scalars. The text does not say where the sequences
    end and the buffers begin: the buffers are the first run of inputs that are made as such, or what stands in front of the lengths of
    the outputs that have none (scalars, one an output).
    """
    which = params.get("inplace_outputs")
    first = next((i for i, name in enumerate(makers) if i and name in BUFFERS), len(makers))
    end = next((i for i in range(first, len(makers)) if makers[i] not in BUFFERS), len(makers))
    if first == len(makers):
        end = next((i for i in range(1, len(makers)) if scalars[i]), 0)
        lengths = next((i for i in range(end, len(makers)) if not scalars[i]), len(makers)) - end
        first = max(end - max(n_outputs - lengths, 0), 1)
    found = {out: (first + out,) for out in range(min(end - first, n_outputs))}
    if which == "all":
        return Maps({}, found)
    return Maps({}, {out: ins for out, ins in found.items() if out in which} if isinstance(which, list) else {})


def _within(table: IndexMap, n_inputs: int, n_outputs: int) -> IndexMap:
    return {out: ins for out, ins in table.items() if out < n_outputs and all(i < n_inputs for i in ins)}


def _view(name: str, params: Params, n_outputs: int) -> IndexMap:
    if name in VIEWS:
        return _FIRST
    if name == "DimShuffle":
        return _FIRST if params.get("inplace") else {}
    if name == "GpuSplit" or (name == "Split" and params.get("views") is True):
        return dict.fromkeys(range(n_outputs), (0,))
    if name == "ExtractDiag":
        return _FIRST if params.get("view") is True else {}
    if name == "IfElse":
        args = params.get("args")
        inplace = params.get("inplace") or (isinstance(args, list) and "inplace" in args)
        return {i: (i + 1,) for i in range(n_outputs)} if inplace else {}
    if name in ("Join", "GpuJoin"):
        at = params.get("view")
        return {0: (1 + at,)} if isinstance(at, int) and at >= 0 else {}
    return {}


def _destroy(name: str, params: Params) -> IndexMap:
    pattern = params.get("inplace_pattern")
    if isinstance(pattern, dict):
        return {int(out): (at,) for out, at in pattern.items() if isinstance(at, int)}
    if params.get("inplace") is True and name not in _UNCHANGED and name not in VIEWS:
        return _DESTROYED.get(name, _FIRST)
    if params.get("destructive") is True:
        return _FIRST
    return _overwritten(str(params.get("core_name", name)), params)


def _overwritten(name: str, params: Params) -> IndexMap:
    """What an Op of linear algebra overwrites; Theano's Solve, which writes `overwrite_A`, declares nothing (tensor/slinalg.py)."""
    if "overwrite_A" in params:
        return {}
    if name == "LU" and params.get("permute_l") is True:  # the permutation is no output then
        name = ""
    return {out: (at,) for key, (out, at) in _OVER.get(name, _OVERWRITES).items() if params.get(key) is True}

"""view_map and destroy_map of a printed Op: read from the text where printed, else derived from the Op's name and parameters.

Sources: the assignments to `view_map` and `destroy_map` in Theano 0.7 (sandbox/cuda), Theano 1.0.5 (tensor, gpuarray, ifelse) and PyTensor
3.3.7 (tensor, conditional, raise_op).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..ops import FIRST, IndexMap, op_info
from .literals import index_map
from .op_params import Params


class Maps(NamedTuple):
    """Which inputs each output views, and which it overwrites."""

    view: IndexMap
    """view_map: output -> inputs that it is a view of."""
    destroy: IndexMap
    """destroy_map: output -> inputs that it overwrites."""


def printed_maps(texts: tuple[str, str]) -> Maps:
    """The maps that `print_destroy_map` and `print_view_map` show; `texts` are (destroy_map, view_map)."""
    return Maps(index_map(texts[1]), index_map(texts[0]))


def derive_maps(name: str, params: Params, n_inputs: int, n_outputs: int) -> Maps:
    """The maps that name and parameters imply, limited to the inputs and outputs that the node has."""
    view, destroy = _view(name, params, n_outputs), _destroy(name, params)
    return Maps(_within(view, n_inputs, n_outputs), _within(destroy, n_inputs, n_outputs))


def scan_maps(params: Params, makers: Sequence[str | None], scalars: Sequence[bool], n_outputs: int) -> Maps:
    """The maps of a Scan: the outputs that its text names as in-place overwrite their buffers.

    `makers` are the class names of the Ops that make its inputs, `scalars` says which inputs are scalars. The text does not say where
    sequences end and buffers begin: the buffers are the first run of inputs made as such, or what stands before the lengths of outputs
    without a recurrence (one scalar each).
    """
    which = params.get("inplace_outputs")
    first = next((i for i, name in enumerate(makers) if i and name and op_info(name).fills_scan_buffer), len(makers))
    end = next((i for i in range(first, len(makers)) if not op_info(makers[i] or "").fills_scan_buffer), len(makers))
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
    if op_info(name).views_input:
        return FIRST
    if name == "DimShuffle":
        return FIRST if params.get("inplace") else {}
    if name == "GpuSplit" or (name == "Split" and params.get("views") is True):
        return dict.fromkeys(range(n_outputs), (0,))
    if name == "ExtractDiag":
        return FIRST if params.get("view") is True else {}
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
    if params.get("inplace") is True and not op_info(name).views_input and (overwritten := op_info(name).overwrites):
        return overwritten
    if params.get("destructive") is True:
        return FIRST
    return _overwritten(str(params.get("core_name", name)), params)


def _overwritten(name: str, params: Params) -> IndexMap:
    """What a linear-algebra Op overwrites. Theano's Solve prints `overwrite_A` but declares nothing (tensor/slinalg.py)."""
    if "overwrite_A" in params:
        return {}
    if name == "LU" and params.get("permute_l") is True:  # the permutation is then no output, and positions differ
        name = ""
    return {out: (at,) for key, (out, at) in op_info(name).overwrite_flags.items() if params.get(key) is True}

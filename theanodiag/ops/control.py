"""Loops, branches, Ops with inner graphs, and padding. A Scan's inner graph is inferred for one step.

Sources: Theano 1.0.5 ifelse.py, scan_module/scan_op.py, gpuarray/opt.py; PyTensor 3.3.7 ifelse.py, tensor/pad.py.
"""

from __future__ import annotations

from .dtypes import Dtypes, TypeQuery, as_input
from .parameters import Groups, Params, generic
from .spec import GpuLowering, OpSpec
from .work import Work


def if_else_memory(work: Work) -> None:
    """IfElse: each output is a view of the branch taken, where that is the first one and the op is in place, else a copy of it.

    Source: Theano 1.0.5, ifelse.py, `IfElse.make_thunk`.
    """
    half = len(work.node.outputs)
    taken = work.frame.takes_first[work.node.id]
    for output in range(half):
        if work.watches(output):
            value = work.input(1 + output + (0 if taken else half))
            if value is None or (taken and work.node.op.view_map):
                work.share(output, value)
            else:
                work.replace(output, value.shape)


def _branches_dtype(asked: TypeQuery) -> Dtypes:
    return [asked.at(1 + k) for k in range(asked.n_outputs)]


def _scan_parameters(found: Groups) -> Params:
    """`Scan{f, while_loop=False, inplace=all}`."""
    params = generic(found)
    names = params.pop("args", [])
    return {"name": names[0] if isinstance(names, list) and names else None, "as_while": params.get("while_loop", False),
            "inplace_outputs": params.get("inplace", "none")}  # fmt: skip


OPS = (
    OpSpec("IfElse", integer_input=0, overwrites={}, printed_as={"if": {}}, dtype=_branches_dtype, memory=if_else_memory,
        gpu=GpuLowering(under_same_rules=True, host_inputs=(0,))),
    OpSpec("Scan", integer_input=0, overwrites={}, printed_parameters=_scan_parameters,
        gpu=GpuLowering(under_same_rules=True, host_inputs=(0,))),
    OpSpec("LazyIfElse", integer_input=0, dtype=_branches_dtype),
    OpSpec("Pad", integers_from=1, dtype=as_input(0)),
)  # fmt: skip
"""The entries of this family."""

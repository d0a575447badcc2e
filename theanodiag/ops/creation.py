"""Ops that create, join, split, repeat or reshape arrays, and that ask for or fix their shapes.

Sources: Theano 1.0.5 tensor/basic.py, tensor/extra_ops.py, gpuarray/basic_ops.py; PyTensor 3.3.7 tensor/basic.py, tensor/shape.py.
"""

from __future__ import annotations

from .arrays import Array, reshaped
from .dtypes import INDEX, Dtypes, TypeQuery, always, as_input, widest
from .parameters import numbered
from .spec import GpuLowering, OpSpec, alike
from .work import Work, new_array


def alloc_memory(work: Work) -> None:
    """GpuAlloc, GpuAllocEmpty: the old value is filled again if it has the right shape."""
    work.reuse(0)


def reshape_memory(work: Work) -> None:
    """Reshape: a view where strides allow it, else a new copy; the old value is never reused."""
    source, shape = work.input(0), work.shape(0)
    view = reshaped(source, shape) if source is not None and shape is not None else None
    if view is not None or source is None:
        work.share(0, view)
    else:
        work.replace(0, shape)


def join_memory(work: Work) -> None:
    """GpuJoin: a new array; or, where all inputs but number `view` are empty, that input itself."""
    view = work.params.get("view", -1)
    if isinstance(view, int) and view != -1:
        arrays = [work.input(1 + k) for k in range(len(work.node.inputs) - 1)]
        others = arrays[:view] + arrays[view + 1 :]
        if all(a is not None and a.nbytes == 0 for a in others):
            work.share(0, arrays[view])
            return
    work.replace(0)


def split_memory(work: Work) -> None:
    """GpuSplit: views of the input, one after the other along the axis."""
    source = work.input(0)
    for output in range(len(work.node.outputs)):
        shape = work.shape(output)
        work.share(output, None if source is None or shape is None else source._replace(shape=shape))


def extract_diagonal_memory(work: Work) -> None:
    """GpuExtractDiag: a view, or a copy where the Op has no view_map."""
    source, shape = work.input(0), work.shape(0)
    if work.node.op.view_map and source is not None and shape is not None:
        stride = source.strides[0] + source.strides[1]
        work.share(0, Array(source.buffer, shape, (*source.strides[2:], stride), source.itemsize))
    else:
        work.replace(0)


def _arange_dtype(asked: TypeQuery) -> Dtypes:
    return [asked.param() or INDEX]


def _alloc_dtype(asked: TypeQuery) -> Dtypes:
    """Alloc of (value, lengths): whole numbers that are written alone may be of any size."""
    dtype = asked.at(0)
    return [INDEX if dtype in ("int8", "int16", "int32") else dtype]


def _join_dtype(asked: TypeQuery) -> Dtypes:
    """Behind the axis, where that is an input."""
    return [widest(asked.inputs if "axis" in asked.params else asked.inputs[1:])]


OPS = (
    OpSpec("ARange", input_ranks=(0, 0, 0), output_ranks=(1,), integers_from=0, dtype=_arange_dtype, gpu=GpuLowering(stays_on_host=True)),
    OpSpec("Alloc", scalars_from=1, integers_from=1, fills_scan_buffer=True, dtype=_alloc_dtype, gpu_memory=alloc_memory,
        gpu=GpuLowering("GpuAlloc", follows_clients=True, host_inputs_from=1)),
    OpSpec("AllocDiag", dtype=as_input(0), gpu_memory=new_array, gpu=GpuLowering("GpuAllocDiag")),
    OpSpec("ExtractDiag", dtype=as_input(0), gpu_memory=extract_diagonal_memory, gpu=GpuLowering("GpuExtractDiag")),
    OpSpec("AllocEmpty", may_lack_inputs=True, scalars_from=0, integers_from=0, fills_scan_buffer=True, gpu_memory=alloc_memory,
        gpu=GpuLowering("GpuAllocEmpty", follows_clients=True, host_inputs_from=0)),
    OpSpec("Bartlett", gpu=GpuLowering(stays_on_host=True)),
    OpSpec("BroadcastTo", integers_from=1, views_input=True, dtype=as_input(0)),
    OpSpec("Eye", scalars_from=0, integers_from=0, gpu_memory=new_array,
        gpu=GpuLowering("GpuEye", follows_clients=True, host_inputs_from=0)),
    OpSpec("Tri", scalars_from=0, integers_from=0, gpu_memory=new_array,
        gpu=GpuLowering("GpuTri", follows_clients=True, host_inputs_from=0)),
    OpSpec("MakeVector", may_lack_inputs=True, output_ranks=(1,), scalars_from=0, integer_arithmetic=True, dtype=_arange_dtype,
        gpu=GpuLowering(stays_on_host=True)),
    OpSpec("ScalarFromTensor", scalars_from=0, integer_arithmetic=True, dtype=as_input(0), gpu=GpuLowering(stays_on_host=True)),
    OpSpec("Shape", output_ranks=(1,), dtype=always(INDEX), gpu=GpuLowering(under_same_rules=True, stays_on_host=True)),
    OpSpec("Shape_i", output_ranks=(0,), dtype=always(INDEX), printed_parameters=numbered("i"), gpu=GpuLowering(stays_on_host=True)),
    OpSpec("SpecifyShape", integers_from=1, integer_arithmetic=True, views_input=True, on_either_side=True, dtype=as_input(0),
        gpu=GpuLowering(under_same_rules=True, host_inputs_from=1)),
    OpSpec("TensorFromScalar", integer_arithmetic=True, dtype=as_input(0), gpu=GpuLowering(stays_on_host=True)),
    OpSpec("Flatten", integer_arithmetic=True, views_input=True, dtype=as_input(0), printed_parameters=numbered("outdim")),
    OpSpec("Join", integer_arithmetic=True, dtype=_join_dtype, gpu_memory=join_memory, gpu=GpuLowering("GpuJoin", host_inputs=(0,))),
    *alike("Repeat RepeatOp Tile", integers_from=1, dtype=as_input(0)),
    OpSpec("Reshape", integers_from=1, integer_arithmetic=True, rearranges=True, views_input=True, dtype=as_input(0),
        memory=reshape_memory, gpu_memory=reshape_memory, printed_parameters=numbered("ndim"),
        gpu=GpuLowering("GpuReshape", host_inputs_from=1)),
    OpSpec("Split", integers_from=1, dtype=as_input(0), gpu_memory=split_memory, printed_parameters=numbered("len_splits"),
        gpu=GpuLowering("GpuSplit", host_inputs_from=1)),
    *alike("JoinDims SplitDims", views_input=True, dtype=as_input(0)),
    OpSpec("AllocDiag2", dtype=as_input(0)),
    *alike("JAXShapeTuple Size", dtype=always(INDEX)),
)  # fmt: skip
"""The entries of this family."""

"""Elementwise Ops, dimension shuffles and reductions.

Sources: Theano 1.0.5 tensor/elemwise.py, tensor/basic.py, gpuarray/elemwise.py, gpuarray/c_code/dimshuffle.c; Aesara 2.9.4 and
PyTensor 3.3.7 tensor/elemwise.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isqrt

from ..ir import itemsize
from .arrays import Array, size_of
from .composite import expression_dtype, program
from .dtypes import INDEX, Dtypes, TypeQuery, always, as_input, first_and
from .parameters import Groups, Params, generic
from .scalars import PRINTED, TRUTH, scalar_dtype
from .scratch import ScratchQuery
from .spec import GpuLowering, OpSpec, alike
from .work import Work, alias, in_c


def dim_shuffle_memory(work: Work) -> None:
    """DimShuffle: a view with permuted strides, or a copy where the Op has no view_map."""
    source, order = work.input(0), work.params.get("new_order")
    if source is None or not isinstance(order, (list, tuple)):
        alias(work, 0, 0)
        return
    axes = [k if isinstance(k, int) and k >= 0 else None for k in order]
    if any(k is not None and k >= len(source.shape) for k in axes):  # a damaged text
        alias(work, 0, 0)
        return
    shape = tuple(1 if k is None else source.shape[k] for k in axes)
    strides = tuple(source.itemsize if k is None else source.strides[k] for k in axes)
    if work.node.op.view_map:
        work.share(0, Array(source.buffer, shape, strides, source.itemsize))
    else:
        work.replace(0, shape)


HOST_WORD = 8
"""Bytes of a `size_t`."""


@in_c
def elemwise_memory(work: Work) -> None:
    """GpuElemwise: an in-place output is the input itself; others reuse the old value if it fits and is in C order."""
    for output in range(len(work.node.outputs)):
        sources = work.node.op.destroy_map.get(output)
        if sources:
            work.share(output, work.input(sources[0]))
        elif work.watches(output):
            work.reuse(output, contiguous=True)


@in_c
def reduction_memory(work: Work) -> None:
    """GpuCAReduceCuda: reuses the old value if it has the right shape."""
    work.reuse(0)


@in_c
def reduce_cpy_memory(work: Work) -> None:
    """GpuCAReduceCPY: the output, and an accumulator where its dtype differs; a new copy where nothing is reduced."""
    source = work.input(0)
    redux = work.params.get("redux") or work.params.get("axis", True)
    if source is not None and (not source.shape or redux == []):
        work.replace(0)
        return
    work.reuse(0)
    dtype, shape = work.params.get("acc_dtype"), work.shape(0)
    own = work.frame.program.graph.variables[work.node.outputs[0]].type.dtype
    if isinstance(dtype, str) and dtype != own and shape is not None:
        work.give(work.temporary(size_of(shape) * itemsize(dtype), "accumulator"))


@in_c
def max_and_argmax_memory(work: Work) -> None:
    """GpuMaxAndArgmax: both outputs, and five small buffers with strides and sizes for the kernel."""
    for output in range(len(work.node.outputs)):
        work.reuse(output, contiguous=True)
    source, result = work.input(0), work.current(0)
    if source is None or result is None or not source.shape:
        return
    n, m = len(source.shape), len(result.shape)
    words = (n, n, min(m, 3), m, m)
    work.give(*[work.temporary(HOST_WORD * count, "strides and sizes for the kernel") for count in words])


_WORD = re.compile(r"\w+")


def elemwise_dtype(asked: TypeQuery) -> Dtypes:
    """The scalar Op, or each result of a Composite that is printed in one line."""
    text = str(asked.params.get("scalar_text") or asked.params.get("scalar_op") or asked.name)
    results = program(text, any_op=True) if text.startswith("Composite{") else None
    if results is not None:
        return [expression_dtype(e, asked.inputs, asked.floatX) for e in results]
    word = _WORD.match(text)
    cast = text.partition("{")[2].rstrip("}")
    return [scalar_dtype(word[0] if word else text, asked.inputs, asked.floatX, cast)]


def reduction_dtype(asked: TypeQuery) -> Dtypes:
    """Source: Theano 1.0.5 tensor/elemwise.py `CAReduceDtype._output_dtype`."""
    said, dtype = asked.param(), asked.at(0)
    if said or dtype is None:
        return [said]
    if str(asked.params.get("scalar_op", "Add")) in ("Maximum", "Minimum", "ScalarMaximum", "ScalarMinimum", "AND", "OR", "XOR"):
        return [dtype]
    return ["uint64" if dtype.startswith("uint") else INDEX if dtype.startswith(("int", "bool")) else dtype]


HEAVY = ("gammaln", "psi", "trigamma", "gammainc", "betainc", "erfinv", "erfcx")
"""Scalar functions with too much code to be fused with others: their results are written to memory."""
LONG = 1024
"""Number of terms up to which a GPU reduces in one step."""
VERY_LONG = 1 << 26
"""Number of terms from which on each of two axes is cut."""


def _elemwise_scratch(asked: ScratchQuery) -> int:
    """Functions that are not fused with others: what they compute step by step."""
    return 3 * sum(asked.outputs) * sum(asked.op.text.lower().count(word) for word in HEAVY)


def _reduction_scratch(asked: ScratchQuery) -> int:
    """Reductions: on a GPU long ones are cut into about as many parts as each part has terms; on the CPU into parts of 32.

    Source: openxla/xla, service/gpu/transforms/tree_reduction_rewriter.cc, service/cpu/cpu_compiler.cc.
    """
    terms, result = asked.terms, max(sum(asked.outputs), 1)
    if not asked.on_gpu:
        return (-(-terms // 32) + -(-terms // 1024)) * result if terms > 32 else 0
    return result * (isqrt(terms) + 2) * (2 if terms > VERY_LONG else 1) if terms > LONG else 0


def _argmax_scratch(asked: ScratchQuery) -> int:
    """Positions of maxima: as much as the results."""
    return sum(asked.outputs)


_NAME = re.compile(r"[A-Za-z_]\w*")


def _elemwise_parameters(found: Groups) -> Params:
    """`{add,no_inplace}`, `{Mul}[(0, 1)]`, `{Composite{...}}[(0, 0), (1, 2)]<gpuarray>`."""
    body = found[0][1] if found else ""
    pattern: dict[str, object] = {}
    for ending in (",no_inplace", ",inplace"):
        if body.endswith(ending):
            body = body[: -len(ending)]
            pattern = {"0": 0} if ending == ",inplace" else {}
            break
    for opening, pairs in found[1:]:
        if opening == "[":
            pattern = {out: int(i) for out, i in re.findall(r"\((\d{1,6}), ?(\d{1,6})\)", pairs)}
    word = _NAME.match(body)
    scalar = word[0] if word else body
    return {"scalar_op": PRINTED.get(scalar.lower(), scalar), "scalar_text": body, "inplace_pattern": pattern}


def _dim_shuffle_parameters(found: Groups) -> Params:
    """`{x,0}`, `{order=[x,0]}`, `{axis=0}`, `{axes=[1, 0]}`; `{}` where all dimensions are dropped."""
    params = generic(found)
    order = params.pop("order", None) or params.pop("args", None) or ([] if found == [("{", "")] else None)
    return {**params, "new_order": order} if order is not None else params


def _reduction_parameters(found: Groups) -> Params:
    """`{axis=[0], acc_dtype=float64}`, `{maximum}{0, 1}`, `{pre=sqr,red=add}{1}`, `{axes=None}`."""
    params = generic(found)
    args = params.pop("args", [])
    words = [a for a in args if isinstance(a, str)] if isinstance(args, list) else []
    numbers = [a for a in args if isinstance(a, int)] if isinstance(args, list) else []
    scalar = str(params.pop("red", words[0] if words else ""))
    if scalar:
        params["scalar_op"] = PRINTED.get(scalar.lower(), scalar)
    axis = params.get("axis", numbers or None)
    params["axis"] = [axis] if isinstance(axis, int) else axis
    return params


def printed_order(text: str, params: Mapping[str, object], ndim: int) -> list[object] | None:
    """The `new_order` of a DimShuffle printed under a descriptive name, for an input of `ndim` dimensions; None for other names.

    Source: PyTensor 3.0.7 tensor/elemwise.py `DimShuffle.__str__`.
    """
    name, axis = text.partition("{")[0], params.get("axis")
    axes = [axis] if isinstance(axis, int) else [a for a in axis if isinstance(a, int)] if isinstance(axis, list) else []
    if name == "MatrixTranspose" and ndim >= 2:
        return [*range(ndim - 2), ndim - 1, ndim - 2]
    if name == "Transpose" and sorted(axes) == list(range(ndim)):
        return list(axes)
    if name in ("Squeeze", "DropDims"):
        return [d for d in range(ndim) if d not in {a % ndim for a in axes}] if ndim else []
    if name == "ExpandDims":
        new, old = {a % (ndim + len(axes)) for a in axes}, iter(range(ndim))
        return ["x" if d in new else next(old, "x") for d in range(ndim + len(axes))]
    return None


OPS = (
    OpSpec("DimShuffle", integer_arithmetic=True, rearranges=True, overwrites={},
        printed_as={"InplaceDimShuffle": {"inplace": True}, "ExpandDims": {"inplace": True},
        "Squeeze": {"inplace": True}, "DropDims": {"inplace": True}, "Transpose": {"inplace": True},
        "MatrixTranspose": {"inplace": True, "is_matrix_transpose": True}}, dtype=as_input(0), memory=dim_shuffle_memory,
        printed_parameters=_dim_shuffle_parameters, gpu=GpuLowering("GpuDimShuffle")),
    OpSpec("Elemwise", integer_arithmetic=True, dtype=elemwise_dtype, gpu_memory=elemwise_memory, scratch=_elemwise_scratch,
        printed_parameters=_elemwise_parameters, gpu=GpuLowering("GpuElemwise")),
    OpSpec("GpuDimShuffle", integer_arithmetic=True, rearranges=True, views_input=True, overwrites={},
        printed_as={"InplaceGpuDimShuffle": {"inplace": True}}, dtype=as_input(0), memory=dim_shuffle_memory,
        printed_parameters=_dim_shuffle_parameters),
    *alike("All Any", reduces=True, dtype=always(TRUTH), scratch=_reduction_scratch, printed_parameters=_reduction_parameters),
    OpSpec("CAReduceCPY", reduces=True, dtype=reduction_dtype, gpu_memory=reduce_cpy_memory, printed_parameters=_reduction_parameters),
    OpSpec("CAReduceCuda", reduces=True, dtype=reduction_dtype, gpu_memory=reduction_memory, printed_parameters=_reduction_parameters),
    OpSpec("Mean", reduces=True, printed_as={"Mean": {}}),
    OpSpec("Argmax", reduces=True, dtype=always(INDEX), scratch=_argmax_scratch, printed_parameters=_reduction_parameters,
        gpu=GpuLowering(needs_cudnn=True)),
    OpSpec("CAReduce", reduces=True, printed_as={"Reduce": {}}, dtype=reduction_dtype, scratch=_reduction_scratch,
        printed_parameters=_reduction_parameters, gpu=GpuLowering("GpuCAReduceCuda")),
    OpSpec("CAReduceDtype", reduces=True, dtype=reduction_dtype, printed_parameters=_reduction_parameters,
        gpu=GpuLowering("GpuCAReduceCuda")),
    *alike("Max Min", reduces=True, dtype=as_input(0), scratch=_reduction_scratch, printed_parameters=_reduction_parameters,
        gpu=GpuLowering("GpuCAReduceCuda")),
    *alike("Prod Sum", reduces=True, dtype=reduction_dtype, scratch=_reduction_scratch, printed_parameters=_reduction_parameters,
        gpu=GpuLowering("GpuCAReduceCuda")),
    OpSpec("MaxAndArgmax", n_outputs=2, reduces=True, dtype=first_and(INDEX), gpu_memory=max_and_argmax_memory, scratch=_argmax_scratch,
        printed_parameters=_reduction_parameters),
    OpSpec("NonZeroCAReduce", gpu=GpuLowering("GpuCAReduceCuda")),
    *alike("Composite Switch Maximum Minimum", integer_arithmetic=True),
    *alike("InplaceDimShuffle InplaceGpuDimShuffle", rearranges=True, overwrites={}),
    OpSpec("Argmin", scratch=_argmax_scratch),
    OpSpec("NonZeroDimsCAReduce", dtype=as_input(0)),
    OpSpec("ProdWithoutZeros", dtype=reduction_dtype, printed_parameters=_reduction_parameters),
    *alike("Reduce ReduceDtype", printed_parameters=_reduction_parameters),
)  # fmt: skip
"""The entries of this family."""

"""Elementwise Ops, dimension shuffles and reductions.

Sources: Theano 1.0.5 tensor/elemwise.py, tensor/basic.py, gpuarray/elemwise.py, gpuarray/c_code/dimshuffle.c; Aesara 2.9.4 and
PyTensor 3.3.7 tensor/elemwise.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import isqrt, prod

from ..agent.shapes.dimensions import (
    NoShape,
    joint,
)
from ..ir import Apply, FunctionGraph, Shape, Type, Unknown, itemsize
from ..ir.shape import Dim
from . import composite, scalars
from .arrays import Array
from .composite import expression_dtype, program
from .control import numbered
from .dtypes import INDEX, Dtypes, TypeQuery, always, as_input, first_and
from .memory_effects import Work, alias, in_c
from .node import (
    KnownArray,
    Node,
    NoValue,
    Shapes,
    aligned,
    fits,
    is_small,
    needed,
    offset_of,
    positions,
    reshaped_value,
    sized,
    typed_like,
)
from .parameters import Groups, Params, generic
from .scalars import ARITY, PRINTED, TRUTH, Number, canonical, scalar_dtype
from .spec import OUT, Equal, GpuLowering, OpSpec, Run, ScratchQuery, alike, out_rank, rank_of

_ARGUMENT = re.compile(r"\bi(\d{1,4})\b")
_INT = frozenset({int})


def elemwise(node: Node) -> Shapes:
    """Returns the output shapes of Elemwise: the inputs' shapes broadcast together; dimensions that a type fixes at 1 do not count."""
    shapes = [node.state.shapes[v] for v in node.apply.inputs]
    if len(shapes) < _least_inputs(node):
        raise NoShape(f"{node.op.name} has fewer inputs in this graph than its shape rule needs")
    first = shapes[0] if shapes else ()
    if shapes and not isinstance(first, Unknown) and shapes.count(first) == len(shapes) and _INT.issuperset(map(type, first)):
        return [first] * node.n_outputs  # fast path for nearly all nodes
    known = [s for s in shapes if not isinstance(s, Unknown)]
    ndim = node.out_ndim()
    if ndim is None:
        if len(known) < len(shapes):
            raise NoShape(next(s.reason for s in shapes if isinstance(s, Unknown)))
        ndim = max((len(s) for s in known), default=0)
    kinds = [node.type(i) for i in range(len(shapes))]
    rows = [(s, k.shape if sized(k) else ()) for s, k in zip(shapes, kinds)]
    dims = tuple(joint(_column(rows, ndim - axis)) for axis in range(ndim))
    return [dims] * node.n_outputs


def _least_inputs(node: Node) -> int:
    """Number of inputs that the scalar Op reads at least, since a cut text may show fewer."""
    inner = node.op.inner
    if inner is not None and inner.inputs:
        return max(numbered(inner, k) for k in range(len(inner.inputs))) + 1
    return _read_by(node.op.text, str(node.params.get("scalar_op", "")))


@lru_cache(maxsize=4096)
def _read_by(text: str, scalar: str) -> int:
    start = text.find("Composite{")
    if start >= 0:
        return max((int(n) for n in _ARGUMENT.findall(text, start)), default=0) + 1
    return ARITY.get(canonical(scalar) or "", 1)


def _column(rows: Sequence[tuple[Shape | Unknown, Sequence[int | None]]], place: int) -> list[Dim]:
    """The inputs' dimensions at `place`, counted from the right, without those fixed at 1; `rows` are shapes and static shapes."""
    column: list[Dim] = []
    for shape, static in rows:
        if isinstance(shape, Unknown):
            column.append(shape)
        elif place <= len(shape) and not (place <= len(static) and static[-place] == 1):
            column.append(shape[-place])
    return column


def dim_shuffle(node: Node) -> Shapes:
    """Returns the output shape of DimShuffle, which permutes, drops and adds dimensions."""
    shape = node.shape(0)
    return [tuple(shape[d] if isinstance(d, int) else 1 for d in order_of(node, len(shape)))]


def order_of(node: Node, ndim: int) -> list[object]:
    """Returns for each dimension of a DimShuffle's result the number of the input dimension that it is; a non-integer marks a new
    dimension. The input has `ndim` dimensions.
    """
    order = node.params.get("new_order")
    if not isinstance(order, list):
        order = _order_by_name(node, ndim)
    if any(isinstance(d, int) and d >= ndim for d in order):
        raise NoShape(f"{node.op.name} names a dimension that its input does not have")
    return order


def _order_by_name(node: Node, ndim: int) -> list[object]:
    """The order that PyTensor's names for a DimShuffle say: ExpandDims, DropDims, Squeeze, Transpose, MatrixTranspose."""
    text, axes = node.op.text, node.integers("axis")
    if node.flag("is_matrix_transpose") or text.startswith("MatrixTranspose"):
        return [*range(ndim - 2), ndim - 1, ndim - 2]
    if text.startswith("Transpose"):
        return [*(range(ndim)[::-1] if axes is None else axes)]
    if axes is None:
        raise NoShape(f"the parameters of {node.op.name} are not known")
    if text.startswith("ExpandDims"):
        return _expanded(axes, ndim)
    dropped = {a % ndim for a in axes if ndim}
    return [d for d in range(ndim) if d not in dropped]


def _expanded(axes: Sequence[int], ndim: int) -> list[object]:
    out_ndim = ndim + len(axes)
    new, old = {a % out_ndim for a in axes}, iter(range(ndim))
    if len(new) < len(axes):
        raise NoShape("an axis is named twice")
    return ["x" if d in new else next(old) for d in range(out_ndim)]


def axes_of(node: Node, ndim: int) -> set[int]:
    """Returns the axes over which a node reduces an input of `ndim` dimensions; all axes if its parameters name none."""
    mask = node.integers("reduce_mask")  # GpuCAReduceCuda: Theano 1.0.5 gpuarray/elemwise.py
    axes = node.integers("axis")
    if node.op.name == "GpuCAReduce" and mask is None and axes is not None and len(axes) == ndim:
        mask = axes  # Theano 0.9 sandbox/cuda/elemwise.py prints the mask in braces
    if mask is not None:
        return {i for i, m in enumerate(mask) if m}
    return set(range(ndim)) if axes is None else {a % ndim for a in axes if ndim}


def reduction(node: Node) -> Shapes:
    """Returns the output shape of a reduction: the input's shape without the reduced axes."""
    shape = node.shape(0)
    axes = axes_of(node, len(shape))
    return [tuple(d for i, d in enumerate(shape) if i not in axes)] * node.n_outputs


def dim_shuffle_memory(work: Work) -> None:
    """Memory of DimShuffle: a view with permuted strides, or a copy if the Op has no view_map."""
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
    """Memory of GpuElemwise. An in-place output is the input itself; other outputs reuse the array of the last call if it has the right
    shape and is in C order.
    """
    for output in range(len(work.node.outputs)):
        sources = work.node.op.destroy_map.get(output)
        if sources:
            work.share(output, work.input(sources[0]))
        elif work.watches(output):
            work.reuse(output, contiguous=True)


@in_c
def reduction_memory(work: Work) -> None:
    """Memory of GpuCAReduceCuda. If the array of the last call has the right shape, it is reused."""
    work.reuse(0)


@in_c
def reduce_cpy_memory(work: Work) -> None:
    """Memory of GpuCAReduceCPY: the output, and an accumulator if its dtype differs; a new copy if no axis is reduced."""
    source = work.input(0)
    redux = work.params.get("redux") or work.params.get("axis", True)
    if source is not None and (not source.shape or redux == []):
        work.replace(0)
        return
    work.reuse(0)
    dtype, shape = work.params.get("acc_dtype"), work.shape(0)
    own = work.frame.program.graph.variables[work.node.outputs[0]].type.dtype
    if isinstance(dtype, str) and dtype != own and shape is not None:
        work.give(work.temporary(prod(shape) * itemsize(dtype), "accumulator"))


@in_c
def max_and_argmax_memory(work: Work) -> None:
    """Memory of GpuMaxAndArgmax: both outputs, and five small buffers with strides and sizes for the kernel."""
    for output in range(len(work.node.outputs)):
        work.reuse(output, contiguous=True)
    source, result = work.input(0), work.current(0)
    if source is None or result is None or not source.shape:
        return
    n, m = len(source.shape), len(result.shape)
    words = (n, n, min(m, 3), m, m)
    work.give(*[work.temporary(HOST_WORD * count, "strides and sizes for the kernel") for count in words])


_WORD = re.compile(r"\w+")


def elemwise_dtype(query: TypeQuery) -> Dtypes:
    """Returns the dtypes of Elemwise: of the scalar Op, or of each result of a Composite that is printed in one line."""
    text = str(query.params.get("scalar_text") or query.params.get("scalar_op") or query.name)
    results = program(text, any_op=True) if text.startswith("Composite{") else None
    if results is not None:
        return [expression_dtype(e, query.inputs, query.floatX) for e in results]
    word = _WORD.match(text)
    cast = text.partition("{")[2].rstrip("}")
    return [scalar_dtype(word[0] if word else text, query.inputs, query.floatX, cast)]


def reduction_dtype(query: TypeQuery) -> Dtypes:
    """Returns the dtype of a reduction's result. Source: Theano 1.0.5 tensor/elemwise.py `CAReduceDtype._output_dtype`."""
    printed, dtype = query.param(), query.at(0)
    if printed or dtype is None:
        return [printed]
    if str(query.params.get("scalar_op", "Add")) in ("Maximum", "Minimum", "ScalarMaximum", "ScalarMinimum", "AND", "OR", "XOR"):
        return [dtype]
    return ["uint64" if dtype.startswith("uint") else INDEX if dtype.startswith(("int", "bool")) else dtype]


HEAVY = ("gammaln", "psi", "trigamma", "gammainc", "betainc", "erfinv", "erfcx")
"""Scalar functions with too much code to be fused with others: their results are written to memory."""
LONG = 1024
"""Maximum number of terms that a GPU reduces in one step."""
VERY_LONG = 1 << 26
"""Number of terms from which a reduction is split along each of two axes."""


def _elemwise_scratch(query: ScratchQuery) -> int:
    """Workspace of functions that XLA does not fuse, from what they compute step by step."""
    return 3 * sum(query.outputs) * sum(query.op.text.lower().count(word) for word in HEAVY)


def _reduction_scratch(query: ScratchQuery) -> int:
    """Reductions: on a GPU long ones are cut into about as many parts as each part has terms; on the CPU into parts of 32.

    Source: openxla/xla, service/gpu/transforms/tree_reduction_rewriter.cc, service/cpu/cpu_compiler.cc.
    """
    terms, result = query.terms, max(sum(query.outputs), 1)
    if not query.on_gpu:
        return (-(-terms // 32) + -(-terms // 1024)) * result if terms > 32 else 0
    return result * (isqrt(terms) + 2) * (2 if terms > VERY_LONG else 1) if terms > LONG else 0


def _argmax_scratch(query: ScratchQuery) -> int:
    """Positions of maxima: as much as the results."""
    return sum(query.outputs)


_NAME = re.compile(r"[A-Za-z_]\w*")


def _elemwise_parameters(groups: Groups) -> Params:
    """`{add,no_inplace}`, `{Mul}[(0, 1)]`, `{Composite{...}}[(0, 0), (1, 2)]<gpuarray>`."""
    body = groups[0][1] if groups else ""
    pattern: dict[str, object] = {}
    for ending in (",no_inplace", ",inplace"):
        if body.endswith(ending):
            body = body[: -len(ending)]
            pattern = {"0": 0} if ending == ",inplace" else {}
            break
    for opening, pairs in groups[1:]:
        if opening == "[":
            pattern = {out: int(i) for out, i in re.findall(r"\((\d{1,6}), ?(\d{1,6})\)", pairs)}
    word = _NAME.match(body)
    scalar = word[0] if word else body
    return {"scalar_op": PRINTED.get(scalar.lower(), scalar), "scalar_text": body, "inplace_pattern": pattern}


def _dim_shuffle_parameters(groups: Groups) -> Params:
    """`{x,0}`, `{order=[x,0]}`, `{axis=0}`, `{axes=[1, 0]}`; `{}` where all dimensions are dropped."""
    params = generic(groups)
    order = params.pop("order", None) or params.pop("args", None) or ([] if groups == [("{", "")] else None)
    return {**params, "new_order": order} if order is not None else params


def _reduction_parameters(groups: Groups) -> Params:
    """`{axis=[0], acc_dtype=float64}`, `{maximum}{0, 1}`, `{pre=sqr,red=add}{1}`, `{axes=None}`."""
    params = generic(groups)
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
    """Returns the `new_order` of a DimShuffle that is printed under a descriptive name, for an input of `ndim` dimensions; None for other
    names.

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


def elemwise_value(node: Node) -> list[KnownArray]:
    """Returns the values of Elemwise: the scalar Op applied to each element."""
    arrays = needed(node)
    if any(a.shape for a in arrays):
        shape = aligned([a.shape for a in arrays])
        if not is_small(shape) or not all(fits(a.shape, shape) for a in arrays):
            raise NoValue
        entries_of = [[a.items[offset_of(a.shape, at)] for a in arrays] for at in positions(shape)]
    else:  # nearly all: lengths and indices
        shape, entries_of = (), [[a.items[0] for a in arrays]]
    try:
        rows = [_scalar_results(node, values) for values in entries_of]
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:  # 0 // 0, the root of -1, an argument too few
        raise NoValue from error
    if any(len(row) < node.n_outputs for row in rows):
        raise NoValue
    return [KnownArray(shape, tuple(row[k] for row in rows)) for k in range(node.n_outputs)]


def _scalar_results(node: Node, values: list[Number]) -> list[Number]:
    scalar = node.params.get("scalar_op", node.op.name)
    if scalar == "Composite" and node.op.inner is not None:
        try:
            return scalars.evaluate(node.op.inner, values)
        except LookupError:  # parts of the inner graph are not printed
            pass
    if scalar == "Composite":
        return list(composite.results(_program_text(node), *values))
    name = scalars.canonical(str(scalar))
    if name is None:
        raise NoValue
    return [scalars.FUNCTIONS[name](*values)]


def program_of(node: Node) -> tuple[composite.Expression, ...]:
    """Parses the text of a Composite node to the expressions of its outputs; raises NoValue if it cannot be parsed."""
    return composite.program(_program_text(node)) or ()


def _program_text(node: Node) -> str:
    """The text that describes the outputs of a Composite; raises NoValue where there is none that can be parsed."""
    for text in (node.op.text, str(node.params.get("scalar_text", ""))):
        expressions = composite.program(text)
        if expressions:
            if len(expressions) == node.n_outputs:
                return text
            break
    raise NoValue


_REDUCTIONS: dict[str, Callable[[tuple[Number, ...]], Number]] = {
    "Add": sum, "Mul": prod, "Maximum": max, "Minimum": min, "AND": lambda v: int(all(v)), "OR": lambda v: int(any(v)),
}  # fmt: skip
_BY_CLASS = {"Sum": "Add", "Prod": "Mul", "Max": "Maximum", "Min": "Minimum", "All": "AND", "Any": "OR"}


def _reduction_value(node: Node) -> list[KnownArray]:
    """Sum, Prod, Max, Min, All, Any of a small vector or a scalar."""
    (array,) = needed(node, 0)
    names = (node.params.get("scalar_op"), _BY_CLASS.get(node.op.name.replace("Gpu", "")))  # the former may be `<... object at 0x...>`
    name = next((canonical for s in names if (canonical := scalars.canonical(str(s)))), None)
    if len(array.shape) > 1 or name not in _REDUCTIONS or (node.integers("axis") == [] and array.shape):
        raise NoValue
    if not array.items and name in ("Maximum", "Minimum"):
        raise NoValue
    return [KnownArray((), (_REDUCTIONS[name](array.items),))]


def _elemwise_agrees(node: Node) -> Equal:
    """Elemwise: all operands and results agree, dimension by dimension."""
    rank, variables, apply = out_rank(node), node.state.graph.variables, node.apply
    if not rank:
        return ()
    rows: list[Run] = [(OUT, 0, OUT - k, 0, rank) for k in range(1, len(apply.outputs))]
    rows += [(i, 0, OUT, 0, rank) for i, v in enumerate(apply.inputs) if variables[v].type.ndim == rank]
    return rows


def _dim_shuffle_agrees(node: Node) -> Equal:
    order = order_of(node, rank_of(node, 0))
    return [(0, d, OUT, k, 1) for k, d in enumerate(order) if isinstance(d, int)]


def _reduction_agrees(node: Node) -> Equal:
    rank = rank_of(node, 0)
    gone = axes_of(node, rank)
    kept = [k for k in range(rank) if k not in gone]
    return [(0, d, OUT, k, 1) for k, d in enumerate(kept)] if kept and len(kept) == out_rank(node) else ()


def _max_and_argmax_outputs(graph: FunctionGraph, node: Apply) -> list[Type] | None:
    """Types of the maximum and its position. Source: Theano 1.0.5 tensor/basic.py `MaxAndArgmax`."""
    x, axes = graph.variables[node.inputs[0]].type, node.op.params.get("axis")
    if not sized(x):
        return None
    gone = {a % x.ndim for a in axes if isinstance(a, int)} if isinstance(axes, list) and x.ndim else set(range(x.ndim))
    kept = tuple(d for i, d in enumerate(x.shape) if i not in gone)
    return [typed_like(x, x.dtype, kept), typed_like(x, "int64", kept)]


def _elemwise_outputs(graph: FunctionGraph, node: Apply) -> list[Type] | None:
    """Types of all outputs of the scalar graph. PyTensor (3.3.7) keeps results that nothing reads in a Composite."""
    inner = node.op.inner
    if inner is None or len(inner.outputs) <= 1:
        return None
    kinds = [k for v in node.outputs if sized(k := graph.variables[v].type)]
    if not kinds or len(kinds) == len(inner.outputs):
        return None
    dtypes = [inner.variables[v].type.dtype for v in inner.outputs]
    return [typed_like(kinds[0], dtype, kinds[0].shape) for dtype in dtypes if dtype] if all(dtypes) else None


OPS = (
    OpSpec("DimShuffle", integer_arithmetic=True, rearranges=True, overwrites={},
        printed_as={"InplaceDimShuffle": {"inplace": True}, "ExpandDims": {"inplace": True},
        "Squeeze": {"inplace": True}, "DropDims": {"inplace": True}, "Transpose": {"inplace": True},
        "MatrixTranspose": {"inplace": True, "is_matrix_transpose": True}}, shape=dim_shuffle, value=reshaped_value,
        agrees=_dim_shuffle_agrees, dtype=as_input(0), memory=dim_shuffle_memory, printed_parameters=_dim_shuffle_parameters,
        gpu=GpuLowering("GpuDimShuffle")),
    OpSpec("Elemwise", integer_arithmetic=True, shape=elemwise, value=elemwise_value, agrees=_elemwise_agrees,
        all_outputs=_elemwise_outputs, dtype=elemwise_dtype, gpu_memory=elemwise_memory, xla_scratch=_elemwise_scratch,
        printed_parameters=_elemwise_parameters, gpu=GpuLowering("GpuElemwise")),
    OpSpec("GpuDimShuffle", integer_arithmetic=True, rearranges=True, views_input=True, overwrites={},
        printed_as={"InplaceGpuDimShuffle": {"inplace": True}}, shape=dim_shuffle, value=reshaped_value, agrees=_dim_shuffle_agrees,
        dtype=as_input(0), memory=dim_shuffle_memory, printed_parameters=_dim_shuffle_parameters),
    *alike("All Any", reduces=True, shape=reduction, value=_reduction_value, agrees=_reduction_agrees, dtype=always(TRUTH),
        xla_scratch=_reduction_scratch, printed_parameters=_reduction_parameters),
    OpSpec("CAReduceCPY", reduces=True, shape=reduction, agrees=_reduction_agrees, dtype=reduction_dtype, gpu_memory=reduce_cpy_memory,
        printed_parameters=_reduction_parameters),
    OpSpec("CAReduceCuda", reduces=True, shape=reduction, agrees=_reduction_agrees, dtype=reduction_dtype, gpu_memory=reduction_memory,
        printed_parameters=_reduction_parameters),
    OpSpec("Mean", reduces=True, printed_as={"Mean": {}}, shape=reduction, agrees=_reduction_agrees),
    OpSpec("Argmax", reduces=True, shape=reduction, agrees=_reduction_agrees, dtype=always(INDEX), xla_scratch=_argmax_scratch,
        printed_parameters=_reduction_parameters, gpu=GpuLowering(needs_cudnn=True)),
    OpSpec("CAReduce", reduces=True, printed_as={"Reduce": {}}, shape=reduction, value=_reduction_value, agrees=_reduction_agrees,
        dtype=reduction_dtype, xla_scratch=_reduction_scratch, printed_parameters=_reduction_parameters,
        gpu=GpuLowering("GpuCAReduceCuda")),
    OpSpec("CAReduceDtype", reduces=True, shape=reduction, value=_reduction_value, agrees=_reduction_agrees, dtype=reduction_dtype,
        printed_parameters=_reduction_parameters, gpu=GpuLowering("GpuCAReduceCuda")),
    *alike("Max Min", reduces=True, shape=reduction, value=_reduction_value, agrees=_reduction_agrees, dtype=as_input(0),
        xla_scratch=_reduction_scratch, printed_parameters=_reduction_parameters, gpu=GpuLowering("GpuCAReduceCuda")),
    *alike("Prod Sum", reduces=True, shape=reduction, value=_reduction_value, agrees=_reduction_agrees, dtype=reduction_dtype,
        xla_scratch=_reduction_scratch, printed_parameters=_reduction_parameters, gpu=GpuLowering("GpuCAReduceCuda")),
    OpSpec("MaxAndArgmax", n_outputs=2, reduces=True, shape=reduction, agrees=_reduction_agrees, all_outputs=_max_and_argmax_outputs,
        dtype=first_and(INDEX), gpu_memory=max_and_argmax_memory, xla_scratch=_argmax_scratch, printed_parameters=_reduction_parameters),
    OpSpec("NonZeroCAReduce", shape=reduction, agrees=_reduction_agrees, gpu=GpuLowering("GpuCAReduceCuda")),
    OpSpec("Composite", integer_arithmetic=True, value=elemwise_value),
    *alike("Switch Maximum Minimum", integer_arithmetic=True),
    *alike("InplaceDimShuffle InplaceGpuDimShuffle", rearranges=True, overwrites={}),
    OpSpec("Argmin", xla_scratch=_argmax_scratch),
    *alike("DnnReduction FixedOpCAReduce MaxAndMinCAReduce", shape=reduction, agrees=_reduction_agrees),
    OpSpec("NonZeroDimsCAReduce", shape=reduction, agrees=_reduction_agrees, dtype=as_input(0)),
    OpSpec("ProdWithoutZeros", shape=reduction, agrees=_reduction_agrees, dtype=reduction_dtype,
        printed_parameters=_reduction_parameters),
    *alike("Reduce ReduceDtype", printed_parameters=_reduction_parameters),
)  # fmt: skip
"""The catalogue entries of this family of Ops."""

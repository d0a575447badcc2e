"""Memory effects of transfers, copies, views, joins, and Ops that create arrays.

Source: Theano 1.0.5, gpuarray/basic_ops.py, gpuarray/elemwise.py (`GpuDimShuffle`), gpuarray/type.py (C code of ViewOp, DeepCopyOp),
gpuarray/c_code/dimshuffle.c.
"""

from __future__ import annotations

from ...ir import ShapeTable, Unknown, itemsize
from ..heap import Buffer
from ..storage import Array, reshaped, size_of
from .base import Rule, Work, alias, by_maps, in_c


def gpu_from_host(work: Work) -> None:
    """GpuFromHost: reuses the old value if it fits and is in C order."""
    work.reuse(0, contiguous=True)


def host_from_gpu(work: Work) -> None:
    """HostFromGpu: a strided array is copied on the device before it is read."""
    source = work.input(0)
    if source is not None and not source.one_segment:
        work.release(work.copied(source, "copy in C order"))
    if work.watches(0):
        work.reuse(0)


def gpu_to_gpu(work: Work) -> None:
    """GpuToGpu: always a new array."""
    work.replace(0)


def gpu_alloc(work: Work) -> None:
    """GpuAlloc, GpuAllocEmpty: the old value is filled again if it has the right shape."""
    work.reuse(0)


def gpu_contiguous(work: Work) -> None:
    """GpuContiguous: the input itself if it is in C order, else a copy, which reuses the old value if that fits."""
    source = work.input(0)
    if source is None or source.contiguous:
        work.share(0, source)
    else:
        work.reuse(0, contiguous=True, shape=source.shape)


def reshape(work: Work) -> None:
    """Reshape: a view where strides allow it, else a new copy; the old value is never reused."""
    source, shape = work.input(0), work.shape(0)
    view = reshaped(source, shape) if source is not None and shape is not None else None
    if view is not None or source is None:
        work.share(0, view)
    else:
        work.replace(0, shape)


def dimshuffle(work: Work) -> None:
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


def copy_always(work: Work) -> None:
    """DeepCopyOp: always a new copy."""
    source = work.input(0)
    work.replace(0, source.shape if source is not None else None)


def join(work: Work) -> None:
    """GpuJoin: a new array; or, where all inputs but number `view` are empty, that input itself."""
    view = work.params.get("view", -1)
    if isinstance(view, int) and view != -1:
        arrays = [work.input(1 + k) for k in range(len(work.node.inputs) - 1)]
        others = arrays[:view] + arrays[view + 1 :]
        if all(a is not None and a.nbytes == 0 for a in others):
            work.share(0, arrays[view])
            return
    work.replace(0)


def split(work: Work) -> None:
    """GpuSplit: views of the input, one after the other along the axis."""
    source = work.input(0)
    for output in range(len(work.node.outputs)):
        shape = work.shape(output)
        work.share(output, None if source is None or shape is None else source._replace(shape=shape))


def new_array(work: Work) -> None:
    """Ops that always create a new array."""
    work.replace(0)


_BASIC_RULES = {
    "GpuFromHost": gpu_from_host,
    "HostFromGpu": host_from_gpu,
    "GpuToGpu": gpu_to_gpu,
    "GpuAlloc": gpu_alloc,
    "GpuAllocEmpty": gpu_alloc,
    "GpuContiguous": gpu_contiguous,
    "GpuReshape": reshape,
    "GpuDimShuffle": dimshuffle,
    "DeepCopyOp": copy_always,
    "GpuJoin": join,
    "GpuSplit": split,
    "GpuEye": new_array,
    "GpuTri": new_array,
    "Reshape": reshape,
    "DimShuffle": dimshuffle,
}
"""Memory rule by class name of the Op."""


HOST_WORD = 8
"""Bytes of a `size_t`."""


def elemwise(work: Work) -> None:
    """GpuElemwise: an in-place output is the input itself; others reuse the old value if it fits and is in C order."""
    for output in range(len(work.node.outputs)):
        sources = work.node.op.destroy_map.get(output)
        if sources:
            work.share(output, work.input(sources[0]))
        elif work.watches(output):
            work.reuse(output, contiguous=True)


def reduce_cuda(work: Work) -> None:
    """GpuCAReduceCuda: reuses the old value if it has the right shape."""
    work.reuse(0)


def reduce_cpy(work: Work) -> None:
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


def max_and_argmax(work: Work) -> None:
    """GpuMaxAndArgmax: both outputs, and five small buffers with strides and sizes for the kernel."""
    for output in range(len(work.node.outputs)):
        work.reuse(output, contiguous=True)
    source, result = work.input(0), work.current(0)
    if source is None or result is None or not source.shape:
        return
    n, m = len(source.shape), len(result.shape)
    words = (n, n, min(m, 3), m, m)
    work.give(*[work.temporary(HOST_WORD * count, "strides and sizes for the kernel") for count in words])


_ELEMENTWISE_RULES = in_c(
    {
        "GpuElemwise": elemwise,
        "GpuCAReduceCuda": reduce_cuda,
        "GpuCAReduceCPY": reduce_cpy,
        "GpuMaxAndArgmax": max_and_argmax,
        **dict.fromkeys(("GpuCrossentropySoftmaxArgmax1HotWithBias", "GpuTopKOp", "GpuDnnBatchNorm", "GpuDnnBatchNormGrad"), by_maps),
    }
)
"""Memory rule by class name of the Op."""


MAX_THREADS = 1024
"""Threads of a block: `maxlsize0` of the context, 1024 on every CUDA device since compute capability 2.0."""


def cumulative(work: Work) -> None:
    """GpuCumOp: the output, then the sums of blocks along the axis, which are summed in blocks again until one is left."""
    work.reuse(0)
    shape, axis = work.shape(0), work.params.get("axis")
    if shape is None or not isinstance(axis, int) or not -len(shape) <= axis < len(shape):
        return
    length, beside = shape[axis], size_of(shape) // max(shape[axis], 1)
    taken: list[Buffer] = []
    while length > 1:
        even = length - length % 2
        block = (min(even, 2 * MAX_THREADS) + 1) // 2
        length = -(-even // (2 * block))
        taken.append(work.temporary(length * beside * work.size_out(0), "sums of blocks"))
    work.give(*reversed(taken))


_CUMULATIVE_RULES = in_c({"GpuCumOp": cumulative})
"""Memory rule by class name of the Op."""


def mrg_uniform(work: Work) -> None:
    """GPUA_mrg_uniform: allocates the sample first, then the state; the outputs are (state, sample)."""
    if work.watches(1):
        work.reuse(1)
    state = work.input(0)
    if state is not None and work.node.op.destroy_map:
        work.share(0, state)
    elif state is not None:
        work.replace(0, state.shape)


def choice_from_uniform(work: Work) -> None:
    """GPUAChoiceFromUniform: copies the probabilities where it draws without replacement."""
    source = work.input(0)
    copy = None if source is None or work.params.get("replace") else work.copied(source, "copy of the probabilities")
    work.reuse(0)
    work.release(copy)


_RANDOMS_RULES = in_c(
    {
        "GPUA_mrg_uniform": mrg_uniform,
        "GPUAChoiceFromUniform": choice_from_uniform,
        "GPUAMultinomialWOReplacementFromUniform": choice_from_uniform,
    }
)
"""Memory rule by class name of the Op."""


KIND = "opfromgraph"
"""The `kind` in the `info` of the inner graph of an OpFromGraph."""


def if_else(work: Work) -> None:
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


def op_from_graph(work: Work) -> None:
    """Runs the inner function of an OpFromGraph; where its graph is unknown, only allocates the outputs.

    All nodes of one Op object share the inner function. Source: Theano 1.0.5, compile/builders.py, `OpFromGraph.prepare_node`, `perform`;
    compile/function_module.py, `Function.__call__`. Aesara 2.9.4 and PyTensor 3.0.7 return the inner results as they are, where Theano
    copies them (`info["copies"]`).
    """
    inner = work.frame.frames.get(work.node.id)
    if inner is None or inner.program.graph.info.get("kind") != KIND:
        by_maps(work)
        return
    graph = inner.program.graph
    arguments = [i.variable for i in graph.inputs]
    for position, variable in enumerate(arguments):
        if inner.program.watches(variable):
            inner.put(variable, work.input(position))
    inner.runner(inner, work.frame.table.inner.get(work.node.id, ShapeTable({})))
    for output, variable in enumerate(graph.outputs[: len(work.node.outputs)]):
        result = inner.value(variable)
        if work.watches(output) and (graph.info.get("copies") or result is None):
            work.assign(output, work.fresh(output))
        elif work.watches(output):
            work.share(output, result)
    inner.empty((*arguments, *(graph.outputs if inner.allow_gc else ())))


_CONTROL_RULES = {"IfElse": if_else, "OpFromGraph": op_from_graph}
"""Memory rule by class name of the Op."""


WITHOUT_WORKSPACE = frozenset({"none"})
"""cuDNN algorithms that need no workspace."""


def dnn_conv(work: Work) -> None:
    """cuDNN convolutions: the output; the workspace is unknown unless the algorithm needs none."""
    by_maps(work)
    algorithm = work.params.get("algo")
    if algorithm not in WITHOUT_WORKSPACE:
        work.frame.note_unknown(work.node.outputs[0], Unknown(f"the workspace of cuDNN's algorithm {algorithm!r} is not known"))


def with_workspace(library: str) -> Rule:
    """The rule of Ops whose `library` takes a workspace of unknown size."""

    def rule(work: Work) -> None:
        by_maps(work)
        work.frame.note_unknown(work.node.outputs[0], Unknown(f"the workspace of {library} is not known"))

    return rule


LIBRARIES: dict[str, Rule] = {
    **dict.fromkeys(("GpuDnnConv", "GpuDnnConvGradW", "GpuDnnConvGradI"), dnn_conv),
    **dict.fromkeys(("GpuDnnRNNOp", "GpuDnnRNNGradInputs", "GpuDnnRNNGradWeights"), with_workspace("cuDNN's recurrent nets")),
    **dict.fromkeys(("GpuCusolverSolve", "GpuCublasTriangularSolve", "GpuCholesky"), with_workspace("cuSOLVER")),
    **dict.fromkeys(("GpuMagmaSVD", "GpuMagmaMatrixInverse", "GpuMagmaCholesky", "GpuMagmaQR", "GpuMagmaEigh"), with_workspace("MAGMA")),
    **dict.fromkeys(("CuRFFTOp", "CuIRFFTOp"), with_workspace("cuFFT")),
    "GpuConnectionistTemporalClassification": with_workspace("warp-ctc"),
}
"""Memory rule by class name of the Op."""


RULES = {**_BASIC_RULES, **_ELEMENTWISE_RULES, **_CUMULATIVE_RULES, **_RANDOMS_RULES, **_CONTROL_RULES, **LIBRARIES}
"""Memory rule by class name of the Op."""

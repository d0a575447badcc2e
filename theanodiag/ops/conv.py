"""Convolutions of all generations, and pooling.

By im2col, a matrix with the columns of one image is live while the Op runs. Over PyTensor these Ops are the compat layer's, which copies
patches block by block. Theano's old 3-D convolutions (until 0.9) have arrays of (batch, rows, columns, time, channels).
Sources: Theano 1.0.5 tensor/nnet/{conv,corr,corr3d,abstract_conv}.py, tensor/signal/pool.py, gpuarray/blas.py (`BaseGpuCorrMM`,
`BaseGpuCorr3dMM`), gpuarray/dnn.py, gpuarray/c_code/corr_gemm.c, corr3d_gemm.c; Theano 0.9.0 tensor/nnet/Conv3D.py, ConvTransp3D.py,
ConvGrad3D.py, conv3d2d.py.
"""

from __future__ import annotations

from typing import cast

from ..ir import Unknown
from .arrays import size_of
from .dtypes import as_input
from .parameters import Groups, Params, generic, literal
from .scratch import ScratchQuery
from .spec import GpuLowering, OpSpec, alike
from .work import Work, by_maps, in_c

ExactShape = tuple[int, ...]
"""An exact shape."""
BLOCK_BYTES = 4 << 20
"""About how many bytes of patches the compat layer copies at a time (compat/ops/conv/kernels.py)."""


def columns(work: Work, images: ExactShape | None, filters: ExactShape | None, maps: ExactShape | None) -> None:
    """Allocates the output, then the columns of one image: channels × filter size × positions in a map. Arguments are exact shapes."""
    work.reuse(0)
    if images is None or filters is None or maps is None:
        return
    if "compat" in work.node.op.module:
        steps, dilations = (cast("list[int]", work.params.get(name) or [1, 1, 1]) for name in ("subsample", "filter_dilation"))
        nbytes = block(images, filters, maps, steps, dilations, work.size_out(0))
        work.give(work.temporary(nbytes, "patches of a block of images"))
        return
    dims = len(images) - 2
    count = images[1] * size_of(filters[-dims:]) * size_of(maps[2:])
    work.give(work.temporary(count * work.size_out(0), "columns of one image"))


def block(images: ExactShape, filters: ExactShape, maps: ExactShape, steps: list[int], dilations: list[int], size: int) -> int:
    """Bytes that the compat layer has beside the output: as many images, or rows of one, as fit BLOCK_BYTES, their patches and their maps.

    `size` is that of an element, in bytes.
    """
    kernel = filters[2 - len(images) :]
    row = images[1] * size_of(kernel) * size_of(maps[3:]) * size
    rows = maps[2] if row * maps[2] <= BLOCK_BYTES else max(1, BLOCK_BYTES // row)
    count = min(images[0], max(1, BLOCK_BYTES // max(1, row * rows)))
    padded = tuple((n - 1) * step + (k - 1) * dilation + 1 for n, step, k, dilation in zip(maps[2:], steps, kernel, dilations))
    return count * (images[1] * size_of(padded) * size + row * rows + maps[1] * rows * size_of(maps[3:]) * size)


@in_c
def forward_memory(work: Work) -> None:
    """Convolution (CorrMM): feature maps from images and filters."""
    columns(work, work.shape_in(0), work.shape_in(1), work.shape(0))


@in_c
def weights_memory(work: Work) -> None:
    """Gradient with respect to the filters, from images and gradients of the feature maps."""
    columns(work, work.shape_in(0), work.shape(0), work.shape_in(1))


@in_c
def inputs_memory(work: Work) -> None:
    """Gradient with respect to the images, from filters and gradients of the feature maps."""
    columns(work, work.shape(0), work.shape_in(0), work.shape_in(1))


@in_c
def any_form_memory(work: Work) -> None:
    """Convolution where it is not known which of three forms the GPU optimiser chooses: allocates for the one that needs most.

    Without strides, a `full` convolution becomes a gradient with respect to the images; one of many images with small maps becomes a
    gradient with respect to the filters, on transposed copies of both operands.
    Source: Theano 1.0.5, gpuarray/opt.py, `local_abstractconv_gemm`.
    """
    images, filters, maps = work.shape_in(0), work.shape_in(1), work.shape(0)
    work.reuse(0)
    if images is None or filters is None or maps is None:
        return
    area, places = size_of(filters[-2:]), size_of(maps[2:])
    counts = [images[1] * area * places]
    if work.params.get("border_mode") == "full":
        counts.append(filters[0] * area * size_of(images[2:]))
    if work.params.get("border_mode") != "half" and images[0] * area > images[1] * places:
        counts.append(images[0] * area * places + size_of(images) + size_of(filters))
    work.give(work.temporary(max(counts) * work.size_out(0), "columns of one image"))


WITHOUT_WORKSPACE = frozenset({"none"})
"""cuDNN algorithms that need no workspace."""


def dnn_conv_memory(work: Work) -> None:
    """cuDNN convolutions: the output; the workspace is unknown unless the algorithm needs none."""
    by_maps(work)
    algorithm = work.params.get("algo")
    if algorithm not in WITHOUT_WORKSPACE:
        work.frame.note_unknown(work.node.outputs[0], Unknown(f"the workspace of cuDNN's algorithm {algorithm!r} is not known"))


def _convolution_scratch(asked: ScratchQuery) -> int:
    """Convolutions: both operands in the library's layout, and the result before it is turned back."""
    return 2 * sum(asked.inputs) + 2 * sum(asked.outputs)


def _corr_parameters(found: Groups) -> Params:
    """`{valid, (1, 1), (1, 1), 1 False}`."""
    args = generic(found).get("args", [])
    keys = ("border_mode", "subsample", "filter_dilation", "num_groups", "unshared")
    rows = [[literal(w) for w in a.split()] if isinstance(a, str) else [a] for a in args] if isinstance(args, list) else []
    return dict(zip(keys, [v for row in rows for v in row]))


OPS = (
    OpSpec("AbstractConv2d", scratch=_convolution_scratch, gpu=GpuLowering("LiftedCorrMM", contiguous_inputs=2)),
    OpSpec("ConvOp", gpu=GpuLowering("LiftedCorrMM", contiguous_inputs=2)),
    OpSpec("AbstractConv2d_gradInputs", gpu=GpuLowering("GpuCorrMM_gradInputs", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("AbstractConv2d_gradWeights", gpu=GpuLowering("GpuCorrMM_gradWeights", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("AbstractConv3d", scratch=_convolution_scratch, gpu=GpuLowering("GpuCorr3dMM", contiguous_inputs=2)),
    OpSpec("AbstractConv3d_gradInputs", gpu=GpuLowering("GpuCorr3dMM_gradInputs", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("AbstractConv3d_gradWeights", gpu=GpuLowering("GpuCorr3dMM_gradWeights", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("Corr3dMM", input_ranks=(5, 5), output_ranks=(5,), gpu_memory=forward_memory, printed_parameters=_corr_parameters,
        gpu=GpuLowering("GpuCorr3dMM", contiguous_inputs=2)),
    OpSpec("Corr3dMM_gradInputs", gpu_memory=inputs_memory, printed_parameters=_corr_parameters,
        gpu=GpuLowering("GpuCorr3dMM_gradInputs", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("Corr3dMM_gradWeights", gpu_memory=weights_memory, printed_parameters=_corr_parameters,
        gpu=GpuLowering("GpuCorr3dMM_gradWeights", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("CorrMM_gradInputs", memory=inputs_memory, gpu_memory=inputs_memory, printed_parameters=_corr_parameters,
        gpu=GpuLowering("GpuCorrMM_gradInputs", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("CorrMM_gradWeights", memory=weights_memory, gpu_memory=weights_memory, printed_parameters=_corr_parameters,
        gpu=GpuLowering("GpuCorrMM_gradWeights", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("CorrMM", input_ranks=(4, 4), output_ranks=(4,), memory=forward_memory, gpu_memory=forward_memory,
        printed_parameters=_corr_parameters, gpu=GpuLowering("LiftedCorrMM", contiguous_inputs=2)),
    *alike("DnnConv DnnConvGradI DnnConvGradW", overwrites={0: (2,)}, gpu_memory=dnn_conv_memory),
    OpSpec("AveragePoolGrad", gpu=GpuLowering(host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("DownsampleFactorMaxGradGrad", gpu=GpuLowering(host_inputs_from=3)),
    OpSpec("MaxPoolGrad", gpu=GpuLowering(host_inputs_from=3, contiguous_inputs=3)),
    OpSpec("Pool", integers_from=1, dtype=as_input(0), gpu=GpuLowering(under_same_rules=True, host_inputs_from=1, contiguous_inputs=1)),
    *alike("Convolve1d Convolve2d", scratch=_convolution_scratch),
    OpSpec("DownsampleFactorMax", dtype=as_input(0)),
    OpSpec("LiftedCorrMM", memory=any_form_memory),
)  # fmt: skip
"""The entries of this family."""

"""Memory effects of convolutions by im2col: a matrix with the columns of one image is live while the Op runs.

Source: Theano 1.0.5, gpuarray/blas.py (`BaseGpuCorrMM`, `BaseGpuCorr3dMM`), gpuarray/c_code/corr_gemm.c (`corrMM`),
gpuarray/c_code/corr3d_gemm.c (`corr3dMM`). Over PyTensor these Ops are the compat layer's, which copies patches block by block.
"""

from __future__ import annotations

from typing import cast

from ..storage import size_of
from .base import Work, in_c

Shape = tuple[int, ...]
"""An exact shape."""
BLOCK_BYTES = 4 << 20
"""About how many bytes of patches the compat layer copies at a time (compat/ops/conv/kernels.py)."""


def columns(work: Work, images: Shape | None, filters: Shape | None, maps: Shape | None) -> None:
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


def block(images: Shape, filters: Shape, maps: Shape, steps: list[int], dilations: list[int], size: int) -> int:
    """Bytes that the compat layer has beside the output: as many images, or rows of one, as fit BLOCK_BYTES, their patches and their maps.

    `size` is that of an element, in bytes.
    """
    kernel = filters[2 - len(images) :]
    row = images[1] * size_of(kernel) * size_of(maps[3:]) * size
    rows = maps[2] if row * maps[2] <= BLOCK_BYTES else max(1, BLOCK_BYTES // row)
    count = min(images[0], max(1, BLOCK_BYTES // max(1, row * rows)))
    padded = tuple((n - 1) * step + (k - 1) * dilation + 1 for n, step, k, dilation in zip(maps[2:], steps, kernel, dilations))
    return count * (images[1] * size_of(padded) * size + row * rows + maps[1] * rows * size_of(maps[3:]) * size)


def forward(work: Work) -> None:
    """Convolution (CorrMM): feature maps from images and filters."""
    columns(work, work.shape_in(0), work.shape_in(1), work.shape(0))


def weights(work: Work) -> None:
    """Gradient with respect to the filters, from images and gradients of the feature maps."""
    columns(work, work.shape_in(0), work.shape(0), work.shape_in(1))


def inputs(work: Work) -> None:
    """Gradient with respect to the images, from filters and gradients of the feature maps."""
    columns(work, work.shape(0), work.shape_in(0), work.shape_in(1))


def any_form(work: Work) -> None:
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


RULES = in_c(
    {
        "LiftedCorrMM": any_form,
        "CorrMM": forward,
        "CorrMM_gradWeights": weights,
        "CorrMM_gradInputs": inputs,
        "GpuCorrMM": forward,
        "GpuCorrMM_gradWeights": weights,
        "GpuCorrMM_gradInputs": inputs,
        "GpuCorr3dMM": forward,
        "GpuCorr3dMM_gradWeights": weights,
        "GpuCorr3dMM_gradInputs": inputs,
    }
)
"""Memory rule by class name of the Op."""

"""Convolutions of all generations, and pooling.

By im2col, a matrix with the columns of one image is live while the Op runs. Over PyTensor these Ops are the compat layer's, which copies
patches block by block. Theano's old 3-D convolutions (until 0.9) have arrays of (batch, rows, columns, time, channels).
Sources: Theano 1.0.5 tensor/nnet/{conv,corr,corr3d,abstract_conv}.py, tensor/signal/pool.py, gpuarray/blas.py (`BaseGpuCorrMM`,
`BaseGpuCorr3dMM`), gpuarray/dnn.py, gpuarray/c_code/corr_gemm.c, corr3d_gemm.c; Theano 0.9.0 tensor/nnet/Conv3D.py, ConvTransp3D.py,
ConvGrad3D.py, conv3d2d.py.
"""

from __future__ import annotations

import re
from math import prod
from typing import cast

from ..agent.shapes.dimensions import (
    NoShape,
    Window,
    lift,
)
from ..ir import Shape, Unknown
from ..ir.shape import Dim
from .dtypes import as_input
from .memory_effects import Work, by_maps, in_c
from .node import Like, Node, Shapes
from .parameters import Groups, Params, generic, literal
from .spec import GpuLowering, OpSpec, ScratchQuery, alike

Pad = tuple[int, int]
"""Number of padded elements before and behind one dimension."""
_NOT_TOLD = Unknown("the size of the kernel cannot be inferred from that of the image in this border mode")


def windows(node: Node, n: int) -> list[Window]:
    """Returns one Window (border mode, stride, dilation) for each of the `n` spatial dimensions of a convolution. Raises NoShape if a
    parameter is unknown.
    """
    steps = node.integers("subsample") or [1] * n
    dilations = node.integers("filter_dilation") or [1] * n
    modes = _modes(node.params.get("border_mode"), n)
    if modes is None or len(steps) != n or len(dilations) != n:
        raise NoShape(f"the parameters of {node.op.name} are not known")
    return [Window(m, s, d) for m, s, d in zip(modes, steps, dilations)]


def _modes(mode: object, n: int) -> list[str | Pad] | None:
    if mode in ("valid", "half", "full"):
        return [str(mode)] * n
    if isinstance(mode, int):
        return [(mode, mode)] * n
    pads = [_pad(m) for m in mode] if isinstance(mode, list) and len(mode) == n else [None]
    known: list[str | Pad] = [p for p in pads if p is not None]
    return known if len(known) == len(pads) else None


def _pad(given: object) -> Pad | None:
    """Padding before and behind one dimension, from one number for both or a list of two."""
    both = given if isinstance(given, list) else [given, given]
    numbers = [p for p in both if isinstance(p, int)]
    return (numbers[0], numbers[1]) if len(numbers) == len(both) == 2 else None


def forward(node: Node) -> Shapes:
    """Returns the output shape of a convolution of images (batch, channels, ...) with kernels (filters, channels, ...): (batch, filters,
    ...).
    """
    image = node.shape(0)
    n = _n_spatial(image)
    kernel = node.shape(1, least=n + 1)
    return [(image[0], kernel[0], *[w.output(i, k) for w, i, k in zip(windows(node, n), image[-n:], kernel[-n:])])]


def _n_spatial(shape: Shape) -> int:
    if len(shape) < 3:
        raise NoShape("a convolution of something with fewer than three dimensions")
    return len(shape) - 2


def given_lengths(node: Node, n: int) -> list[Dim] | None:
    """Returns the spatial lengths that a gradient node gets as further inputs, in a vector or one by one; None if it gets none."""
    if node.n_inputs == 3 and node.maybe(2) != ():
        return node.numbers(2)
    return [node.number(i) for i in range(2, 2 + n)] if node.n_inputs >= 2 + n else None


def weights(node: Node) -> Shapes:
    """Returns the output shape of the gradient with respect to the kernels: (output channels, image channels / groups, ...)."""
    image = node.shape(0)
    n, groups = _n_spatial(image), node.integer("num_groups", 1) or 1
    top = node.shape(1, least=n + 1)
    sizes = given_lengths(node, n) or [
        w.kernel(i, t) if w.tells_kernel() else _NOT_TOLD for w, i, t in zip(windows(node, n), image[-n:], top[-n:])
    ]
    channels = lift(lambda c: c // groups, image[1])
    between = top[2:] if node.flag("unshared") else ()
    return [(top[1], *between, channels, *sizes)]


def inputs(node: Node) -> Shapes:
    """Returns the output shape of the gradient with respect to the images: (batch, kernel channels * groups, ...)."""
    top = node.shape(1)
    n, groups = _n_spatial(top), node.integer("num_groups", 1) or 1
    kernel = node.shape(0, least=n + 1)
    sizes = given_lengths(node, n) or [w.image(k, t) for w, k, t in zip(windows(node, n), kernel[-n:], top[-n:])]
    return [(top[0], lift(lambda c: c * groups, kernel[-n - 1]), *sizes)]


_WORD = re.compile(r"out_mode\W+(valid|full)")
_STEP = re.compile(r"\b(dx|dy)\W{1,4}(\d{1,6})")


def conv_op(node: Node) -> Shapes:
    """Returns the output shape of ConvOp, Theano's oldest convolution; its parameters are in its text, such as `('dx', 2)`."""
    image, kernel = node.shape(0), node.shape(1)
    steps = dict(_STEP.findall(node.op.text))
    word = _WORD.search(node.op.text)
    mode = node.params.get("out_mode") or (word and word[1])
    if mode not in ("valid", "full") or len(image) != 4 or len(kernel) != 4:
        raise NoShape("the parameters of ConvOp are not known")
    dims = []
    for name, i, k in zip(("dx", "dy"), image[2:], kernel[2:]):
        step = node.integer(name) or int(steps.get(name, 1))
        dims.append(Window(str(mode), step, 1).output(i, k))
    return [(image[0], kernel[0], *dims)]


def convolve(node: Node) -> Shapes:
    """Returns the output shape of Convolve1d and Convolve2d of (image, kernel, full): n + k - 1 elements if `full`, else max(n, k) - min(n,
    k) + 1.

    Source: PyTensor 3.3.7 tensor/signal/conv.py.
    """
    image, kernel, full = node.shape(0), node.shape(1), node.number(2)
    if isinstance(full, Unknown):
        raise NoShape(full.reason)
    if full:
        return [tuple(lift(lambda n, k: n + k - 1, *row) for row in zip(image, kernel))]
    return [tuple(lift(lambda n, k: max(n, k) - min(n, k) + 1, *row) for row in zip(image, kernel))]


def _cut(size: int, window: int, step: int, pad: int) -> int:
    """Number of windows that lie entirely in the padded image."""
    return max(0, (size + 2 * pad - window) // step + 1)


def _covering(size: int, window: int, step: int, pad: int) -> int:
    """Number of windows that cover the padded image together."""
    size += 2 * pad
    return (size - 1) // step + 1 if step >= window else max(0, (size - 1 - window + step) // step) + 1


def pool(node: Node) -> Shapes:
    """Returns the output shape of Pool of (image, window, stride, padding): the last dimensions become numbers of windows."""
    window = _numbers(node, 1, ("ds",))
    step, pad = _numbers(node, 2, ("st", "stride")) or window, _numbers(node, 3, ("padding", "pad"))
    if window is None or step is None:
        raise NoShape(f"the window of {node.op.name} is not known")
    return [_pooled(node, window, step, pad or [0] * len(window))]


def _pooled(node: Node, window: list[Dim], step: list[Dim], pad: list[Dim]) -> tuple[Dim, ...]:
    shape, n = node.shape(0), len(window)
    if len(shape) < n or len(step) != n or len(pad) != n:
        raise NoShape(f"{node.op.name} over more dimensions than there are")
    form = _cut if _ignores_border(node) else _covering
    dims = [lift(form, d, w, s, p) if s != 0 else Unknown("a stride of 0") for d, w, s, p in zip(shape[-n:], window, step, pad)]
    return (*shape[: len(shape) - n], *dims)


def _ignores_border(node: Node) -> bool:
    args = node.params.get("args")
    if isinstance(args, list) and True in args:
        return True
    return "Dnn" in node.op.name or node.flag("ignore_border")


def _numbers(node: Node, position: int, names: tuple[str, ...]) -> list[Dim] | None:
    """The window, stride or padding: from input `position`; in old graphs from the parameters `names`."""
    if node.n_inputs > position:
        return node.numbers(position)
    numbers: list[int] | None = next((v for n in names if (v := node.integers(n)) is not None), None)
    args = node.params.get("args")
    if numbers is None and position == 1 and isinstance(args, list) and args and isinstance(args[0], list):
        numbers = [int(a) for a in args[0] if isinstance(a, int)]
    return None if numbers is None else list(numbers)


def pool_again(node: Node) -> Shapes:
    """Returns the output shape of MaxPoolRop of (image, tangent, window, stride, padding): that of the pooled image."""
    window, step, pad = node.numbers(2), node.numbers(3), node.numbers(4)
    if window is None or step is None or pad is None:
        raise NoShape(f"the window of {node.op.name} is not known")
    return [_pooled(node, window, step, pad)]


def _three(node: Node, position: int) -> list[Dim]:
    """The values of a vector of at least three integers."""
    values = node.known(position)
    if len(values) < 3:
        raise NoShape(node.reason(position))
    return values


def _five(node: Node, position: int) -> tuple[Dim, ...]:
    shape = node.shape(position)
    if len(shape) != 5:
        raise NoShape(f"{node.op.name} of an input without five dimensions")
    return shape


def conv3d(node: Node) -> Shapes:
    """Returns the output shape of Conv3D of (image, filters, bias, strides)."""
    film, filters, steps = _five(node, 0), _five(node, 1), _three(node, 3)
    dims = [lift(lambda n, k, s: (n - k) // s + 1, *row) for row in zip(film[1:4], filters[1:4], steps)]
    return [(film[0], *dims, filters[0])]


def conv3d_transposed(node: Node) -> Shapes:
    """Returns the output shape of ConvTransp3D of (filters, bias, strides, output, size): that of the smallest image with this output if
    there is no `size`.
    """
    filters, steps, output = _five(node, 0), _three(node, 2), _five(node, 3)
    size = node.numbers(4) if node.n_inputs > 4 else None
    if size is None or len(size) != 3 or size[0] == -1:
        size = [lift(lambda n, k, s: (n - 1) * s + k, *row) for row in zip(output[1:4], filters[1:4], steps)]
    return [(output[0], *size, filters[4])]


def conv3d_of_filters(node: Node) -> Shapes:
    """Returns the output shape of ConvGrad3D of (image, strides, shape of the filters, gradient): that of the filters."""
    return [tuple(node.known(2, 5))]


ExactShape = tuple[int, ...]
"""A shape whose dimensions are all known."""
BLOCK_BYTES = 4 << 20
"""Approximate number of bytes of patches that the compat layer copies at a time (compat/ops/conv/kernels.py)."""


def columns(work: Work, images: ExactShape | None, filters: ExactShape | None, maps: ExactShape | None) -> None:
    """Allocates the output, then the columns of one image: channels × filter size × positions in a feature map. Arguments are exact
    shapes.
    """
    work.reuse(0)
    if images is None or filters is None or maps is None:
        return
    if "compat" in work.node.op.module:
        steps, dilations = (cast("list[int]", work.params.get(name) or [1, 1, 1]) for name in ("subsample", "filter_dilation"))
        nbytes = block(images, filters, maps, steps, dilations, work.size_out())
        work.give(work.temporary(nbytes, "patches of a block of images"))
        return
    dims = len(images) - 2
    count = images[1] * prod(filters[-dims:]) * prod(maps[2:])
    work.give(work.temporary(count * work.size_out(), "columns of one image"))


def block(images: ExactShape, filters: ExactShape, maps: ExactShape, steps: list[int], dilations: list[int], size: int) -> int:
    """Returns the bytes that the compat layer holds in addition to the output: as many images (or rows of one image) as fit in BLOCK_BYTES,
    with their patches and maps.

    `size` is the number of bytes of an element.
    """
    kernel = filters[2 - len(images) :]
    row = images[1] * prod(kernel) * prod(maps[3:]) * size
    rows = maps[2] if row * maps[2] <= BLOCK_BYTES else max(1, BLOCK_BYTES // row)
    count = min(images[0], max(1, BLOCK_BYTES // max(1, row * rows)))
    padded = tuple((n - 1) * step + (k - 1) * dilation + 1 for n, step, k, dilation in zip(maps[2:], steps, kernel, dilations))
    return count * (images[1] * prod(padded) * size + row * rows + maps[1] * rows * prod(maps[3:]) * size)


@in_c
def forward_memory(work: Work) -> None:
    """Memory of a convolution (CorrMM), which computes feature maps from images and filters."""
    columns(work, work.shape_in(0), work.shape_in(1), work.shape(0))


@in_c
def weights_memory(work: Work) -> None:
    """Memory of the gradient with respect to the filters, from images and gradients of the feature maps."""
    columns(work, work.shape_in(0), work.shape(0), work.shape_in(1))


@in_c
def inputs_memory(work: Work) -> None:
    """Memory of the gradient with respect to the images, from filters and gradients of the feature maps."""
    columns(work, work.shape(0), work.shape_in(0), work.shape_in(1))


@in_c
def any_form_memory(work: Work) -> None:
    """Memory of a convolution for which the GPU optimizer may choose one of three forms: the memory of the form that needs most.

    Without strides, a `full` convolution becomes a gradient with respect to the images; one of many images with small maps becomes a
    gradient with respect to the filters, on transposed copies of both operands. Source: Theano 1.0.5, gpuarray/opt.py,
    `local_abstractconv_gemm`.
    """
    images, filters, maps = work.shape_in(0), work.shape_in(1), work.shape(0)
    work.reuse(0)
    if images is None or filters is None or maps is None:
        return
    area, places = prod(filters[-2:]), prod(maps[2:])
    counts = [images[1] * area * places]
    if work.params.get("border_mode") == "full":
        counts.append(filters[0] * area * prod(images[2:]))
    if work.params.get("border_mode") != "half" and images[0] * area > images[1] * places:
        counts.append(images[0] * area * places + prod(images) + prod(filters))
    work.give(work.temporary(max(counts) * work.size_out(), "columns of one image"))


WITHOUT_WORKSPACE = frozenset({"none"})
"""cuDNN algorithms that need no workspace."""


def dnn_conv_memory(work: Work) -> None:
    """Memory of cuDNN convolutions: the output; the workspace is unknown unless the algorithm needs none."""
    by_maps(work)
    algorithm = work.params.get("algo")
    if algorithm not in WITHOUT_WORKSPACE:
        work.frame.note_unknown(work.node.outputs[0], Unknown(f"the workspace of cuDNN's algorithm {algorithm!r} is not known"))


def _convolution_scratch(query: ScratchQuery) -> int:
    """Convolutions: both operands in the library's layout, and the result before it is turned back."""
    return 2 * sum(query.inputs) + 2 * sum(query.outputs)


def _corr_parameters(groups: Groups) -> Params:
    """`{valid, (1, 1), (1, 1), 1 False}`."""
    args = generic(groups).get("args", [])
    keys = ("border_mode", "subsample", "filter_dilation", "num_groups", "unshared")
    rows = [[literal(w) for w in a.split()] if isinstance(a, str) else [a] for a in args] if isinstance(args, list) else []
    return dict(zip(keys, [v for row in rows for v in row]))


OPS = (
    OpSpec("AbstractConv2d", shape=forward, xla_scratch=_convolution_scratch, gpu=GpuLowering("LiftedCorrMM", contiguous_inputs=2)),
    OpSpec("ConvOp", shape=conv_op, gpu=GpuLowering("LiftedCorrMM", contiguous_inputs=2)),
    OpSpec("AbstractConv2d_gradInputs", shape=inputs, gpu=GpuLowering("GpuCorrMM_gradInputs", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("AbstractConv2d_gradWeights", shape=weights,
        gpu=GpuLowering("GpuCorrMM_gradWeights", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("AbstractConv3d", shape=forward, xla_scratch=_convolution_scratch, gpu=GpuLowering("GpuCorr3dMM", contiguous_inputs=2)),
    OpSpec("AbstractConv3d_gradInputs", shape=inputs, gpu=GpuLowering("GpuCorr3dMM_gradInputs", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("AbstractConv3d_gradWeights", shape=weights,
        gpu=GpuLowering("GpuCorr3dMM_gradWeights", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("Corr3dMM", input_ranks=(5, 5), output_ranks=(5,), shape=forward, gpu_memory=forward_memory,
        printed_parameters=_corr_parameters, gpu=GpuLowering("GpuCorr3dMM", contiguous_inputs=2)),
    OpSpec("Corr3dMM_gradInputs", shape=inputs, gpu_memory=inputs_memory, printed_parameters=_corr_parameters,
        gpu=GpuLowering("GpuCorr3dMM_gradInputs", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("Corr3dMM_gradWeights", shape=weights, gpu_memory=weights_memory, printed_parameters=_corr_parameters,
        gpu=GpuLowering("GpuCorr3dMM_gradWeights", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("CorrMM_gradInputs", shape=inputs, memory=inputs_memory, gpu_memory=inputs_memory, printed_parameters=_corr_parameters,
        gpu=GpuLowering("GpuCorrMM_gradInputs", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("CorrMM_gradWeights", shape=weights, memory=weights_memory, gpu_memory=weights_memory, printed_parameters=_corr_parameters,
        gpu=GpuLowering("GpuCorrMM_gradWeights", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("CorrMM", input_ranks=(4, 4), output_ranks=(4,), shape=forward, memory=forward_memory, gpu_memory=forward_memory,
        printed_parameters=_corr_parameters, gpu=GpuLowering("LiftedCorrMM", contiguous_inputs=2)),
    *alike("DnnConv DnnConvGradI DnnConvGradW", overwrites={0: (2,)}, shape=Like(2), gpu_memory=dnn_conv_memory),
    OpSpec("AveragePoolGrad", shape=Like(0), gpu=GpuLowering(host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("DownsampleFactorMaxGradGrad", shape=Like(1), gpu=GpuLowering(host_inputs_from=3)),
    OpSpec("MaxPoolGrad", shape=Like(0), gpu=GpuLowering(host_inputs_from=3, contiguous_inputs=3)),
    OpSpec("Pool", integers_from=1, shape=pool, dtype=as_input(0),
        gpu=GpuLowering(under_same_rules=True, host_inputs_from=1, contiguous_inputs=1)),
    OpSpec("AbstractConv", shape=forward),
    *alike("AbstractConv_gradInputs Corr3dMMGradInputs CorrMMGradInputs", shape=inputs),
    *alike("AbstractConv_gradWeights Corr3dMMGradWeights CorrMMGradWeights", shape=weights),
    OpSpec("Conv", shape=conv_op),
    OpSpec("Conv3D", shape=conv3d),
    OpSpec("ConvGrad3D", shape=conv3d_of_filters),
    OpSpec("ConvTransp3D", shape=conv3d_transposed),
    *alike("Convolve1d Convolve2d", shape=convolve, xla_scratch=_convolution_scratch),
    OpSpec("DnnPool", shape=pool),
    *alike("DnnPoolGrad DownsampleAvgGrad DownsampleFactorMaxGrad PoolGrad", shape=Like(0)),
    OpSpec("DownsampleFactorMax", shape=pool, dtype=as_input(0)),
    OpSpec("LiftedCorrMM", memory=any_form_memory),
    OpSpec("MaxPoolGradGrad", shape=Like(1)),
    OpSpec("MaxPoolRop", shape=pool_again),
)  # fmt: skip
"""The catalogue entries of this family of Ops."""

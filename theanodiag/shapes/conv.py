"""Shape rules of all generations of convolutions. From Theano 1.0.5 tensor/nnet/{conv,corr,corr3d,abstract_conv}.py, gpuarray/dnn.py."""

from __future__ import annotations

import re

from ..agent.shapes.dimensions import NoShape, Window, lift
from ..ir.shape import Dim, Shape, Unknown
from .registry import Rule, Shapes, like
from .state import Node

Pad = tuple[int, int]
"""Padding before and behind one dimension."""
_NOT_TOLD = Unknown("a kernel's size does not follow from its image's under this border mode")


def windows(node: Node, n: int) -> list[Window]:
    """One Window (border mode, stride, dilation) for each of the `n` spatial dimensions; raises NoShape where a parameter is unknown."""
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
    """Convolution of images (batch, channels, ...) with kernels (filters, channels, ...): (batch, filters, ...)."""
    image = node.shape(0)
    n = _n_spatial(image)
    kernel = node.shape(1, least=n + 1)
    return [(image[0], kernel[0], *[w.output(i, k) for w, i, k in zip(windows(node, n), image[-n:], kernel[-n:])])]


def _n_spatial(shape: Shape) -> int:
    if len(shape) < 3:
        raise NoShape("a convolution of something with fewer than three dimensions")
    return len(shape) - 2


def given(node: Node, n: int) -> list[Dim] | None:
    """The spatial sizes that a gradient gets as further inputs, in a vector or one by one; None where there are none."""
    if node.n_inputs == 3 and node.maybe(2) != ():
        return node.numbers(2)
    return [node.number(i) for i in range(2, 2 + n)] if node.n_inputs >= 2 + n else None


def weights(node: Node) -> Shapes:
    """Gradient with respect to the kernels: (output channels, image channels / groups, ...)."""
    image = node.shape(0)
    n, groups = _n_spatial(image), node.integer("num_groups", 1) or 1
    top = node.shape(1, least=n + 1)
    sizes = given(node, n) or [w.kernel(i, t) if w.tells_kernel() else _NOT_TOLD for w, i, t in zip(windows(node, n), image[-n:], top[-n:])]
    channels = lift(lambda c: c // groups, image[1])
    between = top[2:] if node.flag("unshared") else ()
    return [(top[1], *between, channels, *sizes)]


def inputs(node: Node) -> Shapes:
    """Gradient with respect to the images: (batch, kernel channels * groups, ...)."""
    top = node.shape(1)
    n, groups = _n_spatial(top), node.integer("num_groups", 1) or 1
    kernel = node.shape(0, least=n + 1)
    sizes = given(node, n) or [w.image(k, t) for w, k, t in zip(windows(node, n), kernel[-n:], top[-n:])]
    return [(top[0], lift(lambda c: c * groups, kernel[-n - 1]), *sizes)]


_WORD = re.compile(r"out_mode\W+(valid|full)")
_STEP = re.compile(r"\b(dx|dy)\W{1,4}(\d{1,6})")


def conv_op(node: Node) -> Shapes:
    """ConvOp, Theano's oldest convolution, whose parameters are in its text as `('dx', 2)`."""
    image, kernel = node.shape(0), node.shape(1)
    said = dict(_STEP.findall(node.op.text))
    word = _WORD.search(node.op.text)
    mode = node.params.get("out_mode") or (word and word[1])
    if mode not in ("valid", "full") or len(image) != 4 or len(kernel) != 4:
        raise NoShape("the parameters of ConvOp are not known")
    dims = []
    for name, i, k in zip(("dx", "dy"), image[2:], kernel[2:]):
        step = node.integer(name) or int(said.get(name, 1))
        dims.append(Window(str(mode), step, 1).output(i, k))
    return [(image[0], kernel[0], *dims)]


def convolve(node: Node) -> Shapes:
    """Convolve1d and Convolve2d of (image, kernel, full): n + k - 1 elements where `full`, else max(n, k) - min(n, k) + 1.

    Source: PyTensor 3.3.7 tensor/signal/conv.py.
    """
    image, kernel, full = node.shape(0), node.shape(1), node.number(2)
    if isinstance(full, Unknown):
        raise NoShape(full.reason)
    if full:
        return [tuple(lift(lambda n, k: n + k - 1, *row) for row in zip(image, kernel))]
    return [tuple(lift(lambda n, k: max(n, k) - min(n, k) + 1, *row) for row in zip(image, kernel))]


_CONV_RULES: dict[str, Rule] = {"ConvOp": conv_op, "Conv": conv_op, "Convolve1d": convolve, "Convolve2d": convolve}
"""Shape rule by class name of the Op, without `Gpu`."""
for _dims, _abstract in (("CorrMM", "AbstractConv2d"), ("Corr3dMM", "AbstractConv3d"), ("Corr3dMM", "AbstractConv")):
    _CONV_RULES.update({_dims: forward, _abstract: forward})
    _CONV_RULES.update({f"{_dims}_gradWeights": weights, f"{_abstract}_gradWeights": weights})
    _CONV_RULES.update({f"{_dims}_gradInputs": inputs, f"{_abstract}_gradInputs": inputs})
_CONV_RULES.update(dict.fromkeys(("DnnConv", "DnnConvGradW", "DnnConvGradI"), like(2)))  # the output is written into the third input
_CONV_RULES.update({"Corr3dMMGradWeights": weights, "Corr3dMMGradInputs": inputs, "CorrMMGradWeights": weights, "CorrMMGradInputs": inputs})


def _cut(size: int, window: int, step: int, pad: int) -> int:
    """Number of windows that lie entirely in the padded image."""
    return max(0, (size + 2 * pad - window) // step + 1)


def _covering(size: int, window: int, step: int, pad: int) -> int:
    """Number of windows that cover the padded image together."""
    size += 2 * pad
    return (size - 1) // step + 1 if step >= window else max(0, (size - 1 - window + step) // step) + 1


def pool(node: Node) -> Shapes:
    """Pool of (image, window, stride, padding): the last dimensions become numbers of windows."""
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
    made = [lift(form, d, w, s, p) if s != 0 else Unknown("a stride of 0") for d, w, s, p in zip(shape[-n:], window, step, pad)]
    return (*shape[: len(shape) - n], *made)


def _ignores_border(node: Node) -> bool:
    args = node.params.get("args")
    if isinstance(args, list) and True in args:
        return True
    return "Dnn" in node.op.name or node.flag("ignore_border")


def _numbers(node: Node, position: int, names: tuple[str, ...]) -> list[Dim] | None:
    """The window, stride or padding: from input `position`; in old graphs from the parameters `names`."""
    if node.n_inputs > position:
        return node.numbers(position)
    found: list[int] | None = next((v for n in names if (v := node.integers(n)) is not None), None)
    args = node.params.get("args")
    if found is None and position == 1 and isinstance(args, list) and args and isinstance(args[0], list):
        found = [int(a) for a in args[0] if isinstance(a, int)]
    return None if found is None else list(found)


def pool_again(node: Node) -> Shapes:
    """MaxPoolRop of (image, tangent, window, stride, padding): the shape of the pooled image."""
    window, step, pad = node.numbers(2), node.numbers(3), node.numbers(4)
    if window is None or step is None or pad is None:
        raise NoShape(f"the window of {node.op.name} is not known")
    return [_pooled(node, window, step, pad)]


_GRADIENTS = ("MaxPoolGrad", "AveragePoolGrad", "PoolGrad", "DownsampleFactorMaxGrad", "DnnPoolGrad", "DownsampleAvgGrad")
_POOL_RULES: dict[str, Rule] = {
    **dict.fromkeys(("Pool", "DownsampleFactorMax", "DnnPool"), pool),
    **dict.fromkeys(_GRADIENTS, like(0)),
    **dict.fromkeys(("DownsampleFactorMaxGradGrad", "MaxPoolGradGrad"), like(1)),
    "MaxPoolRop": pool_again,
}
"""Shape rule by class name of the Op, without `Gpu`."""


RULES: dict[str, Rule] = {**_CONV_RULES, **_POOL_RULES}
"""Shape rule by class name of the Op."""

"""Shape rules of pooling of every generation.

Sources: Theano 1.0.5 tensor/signal/pool.py `Pool.out_shape`, gpuarray/dnn.py; 0.7 downsample.py.
"""

from __future__ import annotations

from ..ir.shape import Dim, Unknown
from .dimensions import NoShape, lift
from .registry import Rule, Shapes, like
from .state import Node


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
RULES: dict[str, Rule] = {
    **dict.fromkeys(("Pool", "DownsampleFactorMax", "DnnPool"), pool),
    **dict.fromkeys(_GRADIENTS, like(0)),
    **dict.fromkeys(("DownsampleFactorMaxGradGrad", "MaxPoolGradGrad"), like(1)),
    "MaxPoolRop": pool_again,
}
"""Shape rule by class name of the Op, without `Gpu`."""

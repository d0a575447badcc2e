"""Serves `theano.sandbox.cuda.dnn` without cuDNN: a script finds none, and one that does not ask gets the same numbers elsewhere."""

from typing import Any, Sequence

from ....ops.conv.functions import conv2d
from ....ops.pool import pool_2d


def dnn_available() -> bool:
    """Always False: there is no GPU."""
    return False


dnn_available.msg = "PyTensor has no CUDA back-end"  # type: ignore[attr-defined]


def version() -> int:
    """Raises RuntimeError: there is no cuDNN."""
    raise RuntimeError("cuDNN is not available: PyTensor has no CUDA back-end")


def dnn_conv(
    img: Any, kerns: Any, border_mode: Any = "valid", subsample: Any = (1, 1), conv_mode: str = "conv", *hints: Any, **named_hints: Any
) -> Any:
    """conv2d with cuDNN's argument names; `conv_mode` "cross" leaves filters unflipped; other hints have no effect."""
    if conv_mode not in ("conv", "cross"):
        raise ValueError("conv_mode is {!r}; it is 'conv' or 'cross'".format(conv_mode))
    return conv2d(img, kerns, border_mode=border_mode, subsample=subsample, filter_flip=conv_mode == "conv")


def dnn_pool(img: Any, ws: Sequence[int], stride: Any = (1, 1), mode: str = "max", pad: Any = (0, 0)) -> Any:
    """pool_2d with cuDNN's argument names: `stride` is 1 unless given, an incomplete border is left out, "average" counts padding."""
    return pool_2d(img, ws=ws, ignore_border=True, stride=stride, pad=pad, mode="average_inc_pad" if mode == "average" else mode)

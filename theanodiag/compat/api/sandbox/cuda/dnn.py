"""Serves `theano.sandbox.cuda.dnn` without cuDNN: a script finds none, and one that does not ask gets the same numbers elsewhere."""

from typing import Any

from ....ops.conv import cudnn
from ....ops.conv.cudnn import GpuDnnConv as GpuDnnConv
from ....ops.conv.cudnn import GpuDnnConvDesc as GpuDnnConvDesc
from ....ops.conv.cudnn import GpuDnnConvGradI as GpuDnnConvGradI
from ....ops.conv.cudnn import GpuDnnConvGradW as GpuDnnConvGradW
from ....ops.conv.cudnn import dnn_batch_normalization_test as dnn_batch_normalization_test
from ....ops.conv.cudnn import dnn_batch_normalization_train as dnn_batch_normalization_train
from ....ops.conv.cudnn import dnn_conv3d as dnn_conv3d
from ....ops.conv.cudnn import dnn_pool as dnn_pool


def dnn_available() -> bool:
    """Always False: there is no GPU."""
    return False


dnn_available.msg = "PyTensor has no CUDA back-end"  # type: ignore[attr-defined]


def version() -> int:
    """Raises RuntimeError: there is no cuDNN."""
    raise RuntimeError("cuDNN is not available: PyTensor has no CUDA back-end")


def dnn_conv(
    img: Any, kerns: Any, border_mode: Any = "valid", subsample: Any = (1, 1), conv_mode: str = "conv", *hints: Any, **named: Any
) -> Any:
    """conv2d with cuDNN's argument names; `conv_mode` "cross" leaves filters unflipped; hints for its algorithms have no effect."""
    return cudnn.dnn_conv(img, kerns, border_mode, subsample, conv_mode=conv_mode)

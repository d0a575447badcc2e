"""Serves `theano.gpuarray.dnn` without cuDNN: a script finds none, and one that does not ask gets the same numbers elsewhere."""

from ...ops.conv.cudnn import GpuDnnConv as GpuDnnConv
from ...ops.conv.cudnn import GpuDnnConvDesc as GpuDnnConvDesc
from ...ops.conv.cudnn import GpuDnnConvGradI as GpuDnnConvGradI
from ...ops.conv.cudnn import GpuDnnConvGradW as GpuDnnConvGradW
from ...ops.conv.cudnn import dnn_batch_normalization_test as dnn_batch_normalization_test
from ...ops.conv.cudnn import dnn_batch_normalization_train as dnn_batch_normalization_train
from ...ops.conv.cudnn import dnn_conv as dnn_conv
from ...ops.conv.cudnn import dnn_conv3d as dnn_conv3d
from ...ops.conv.cudnn import dnn_gradinput as dnn_gradinput
from ...ops.conv.cudnn import dnn_gradweight as dnn_gradweight
from ...ops.conv.cudnn import dnn_pool as dnn_pool

dnn_gradinput3d, dnn_gradweight3d = dnn_gradinput, dnn_gradweight


def dnn_available() -> bool:
    """Always False: there is no GPU."""
    return False


def dnn_present() -> bool:
    """Always False: there is no GPU."""
    return False


for _asked in (dnn_available, dnn_present):
    _asked.avail, _asked.msg = False, "PyTensor has no CUDA back-end"  # type: ignore[attr-defined]


def version() -> int:
    """Raises RuntimeError: there is no cuDNN."""
    raise RuntimeError("cuDNN is not available: PyTensor has no CUDA back-end")

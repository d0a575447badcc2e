"""Serves `theano.gpuarray` without a GPU: a script that asks for one finds none and goes on with the CPU."""

from typing import Any

from .basic_ops import as_gpuarray_variable as as_gpuarray_variable
from .basic_ops import gpu_contiguous as gpu_contiguous
from .basic_ops import host_from_gpu as host_from_gpu
from .type import GpuArrayConstant as GpuArrayConstant
from .type import GpuArraySharedVariable as GpuArraySharedVariable
from .type import GpuArrayType as GpuArrayType
from .type import GpuArrayVariable as GpuArrayVariable

pygpu_activated = False
cuda_available = False


def use(device: str, *args: Any, **kwargs: Any) -> None:
    """Raises RuntimeError: PyTensor has no pygpu back-end."""
    raise RuntimeError("theano.gpuarray.use({!r}): PyTensor has no pygpu back-end; a GPU is reached through mode='JAX'".format(device))

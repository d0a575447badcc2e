"""Serves `theano.sandbox.cuda.basic_ops` without a GPU: transfers give the variable itself, and allocations are the host's."""

from typing import Any

from pytensor.tensor.basic import AllocEmpty

from ...gpuarray.basic_ops import HostFromGpu as HostFromGpu
from ...gpuarray.basic_ops import as_gpuarray_variable as as_cuda_ndarray_variable
from ...gpuarray.basic_ops import gpu_contiguous as gpu_contiguous
from ...gpuarray.basic_ops import host_from_gpu as host_from_gpu

gpu_from_host = as_cuda_ndarray_variable


def gpu_alloc_empty(*shape: Any) -> Any:
    """A float32 array of this shape, of which no element is set."""
    return AllocEmpty("float32")(*shape)

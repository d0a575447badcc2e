"""Serves `theano.sandbox.cuda` without a GPU: a script that asks for one finds none and goes on with the CPU."""

from typing import Any

from pytensor.graph.op import Op

from .basic_ops import HostFromGpu as HostFromGpu
from .basic_ops import as_cuda_ndarray_variable as as_cuda_ndarray_variable
from .basic_ops import gpu_contiguous as gpu_contiguous
from .basic_ops import gpu_from_host as gpu_from_host
from .basic_ops import host_from_gpu as host_from_gpu

cuda_available = False
cuda_enabled = False
cuda_initialization_error_message = "PyTensor has no CUDA back-end; a GPU is reached through mode='JAX'"


class GpuOp(Op):
    """Base class of CUDA Ops, so that files which define such Ops beside others can be imported."""

    def make_thunk(self, node: Any, *args: Any, **kwargs: Any) -> Any:
        """Raises NotImplementedError: such an Op has code for a GPU only."""
        raise NotImplementedError("{} is an Op for CUDA: {}".format(type(self).__name__, cuda_initialization_error_message))


class CudaNdarrayType:
    """Placeholder for `isinstance` checks: no type is an instance."""


class CudaNdarrayVariable:
    """Placeholder for `isinstance` checks: no Variable is an instance."""


class CudaNdarraySharedVariable:
    """Placeholder for `isinstance` checks: no shared variable is an instance."""


def use(device: str, *args: Any, **kwargs: Any) -> None:
    """Does nothing for "cpu"; RuntimeError for any other device."""
    if str(device) != "cpu":
        raise RuntimeError("theano.sandbox.cuda.use({!r}): {}".format(device, cuda_initialization_error_message))


def register_opt(*tags: str, **kwargs: Any) -> Any:
    """Decorator that returns a rewrite as it is: it was for graphs on a GPU, and there are none."""
    return lambda rewrite: rewrite


def cuda_available_dnn() -> bool:
    """Always False: there is no cuDNN."""
    return False

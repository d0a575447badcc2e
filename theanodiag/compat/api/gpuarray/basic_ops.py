"""Serves `theano.gpuarray.basic_ops` without a GPU: transfers give the variable itself, and allocations are the host's."""

from typing import Any, Optional

from pytensor.tensor.basic import AllocEmpty, as_tensor_variable


def as_gpuarray_variable(x: Any, context_name: Optional[str] = None) -> Any:
    """`x` as a Variable of the host."""
    return as_tensor_variable(x)


def infer_context_name(*vars: Any) -> None:
    """None: there is no context."""
    return None


def gpu_contiguous(x: Any) -> Any:
    """`x` as a Variable of the host."""
    return as_tensor_variable(x)


def host_from_gpu(x: Any) -> Any:
    """`x` as a Variable of the host."""
    return as_tensor_variable(x)


class HostFromGpu:
    """A transfer from the GPU: called, it gives the Variable itself; no Op is an instance."""

    def __call__(self, x: Any) -> Any:
        """`x` as a Variable of the host."""
        return as_tensor_variable(x)


class GpuFromHost:
    """A transfer to the GPU: called, it gives the Variable itself; no Op is an instance."""

    def __init__(self, context_name: Optional[str] = None) -> None:
        pass

    def __call__(self, x: Any) -> Any:
        """`x` as a Variable of the host."""
        return as_tensor_variable(x)


class GpuAllocEmpty(AllocEmpty):
    """AllocEmpty in the host's memory."""

    def __init__(self, dtype: str, context_name: Optional[str] = None) -> None:
        super().__init__(dtype)

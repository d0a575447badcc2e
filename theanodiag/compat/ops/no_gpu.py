"""The names of `theano.gpuarray` and `theano.sandbox.cuda` without a GPU: a script that checks for a GPU finds none and continues.

Transfers return the variable itself, allocations are in host memory, and no object is an instance of the classes.
"""

from typing import Any, Optional

from pytensor.graph.op import Op
from pytensor.tensor.basic import AllocEmpty, as_tensor_variable

cuda_initialization_error_message = "PyTensor has no CUDA back-end; a GPU is reached through mode='JAX'"


def as_gpuarray_variable(x: Any, context_name: Optional[str] = None) -> Any:
    """Returns `x` as a Variable in host memory."""
    return as_tensor_variable(x)


def infer_context_name(*vars: Any) -> None:
    """Always None: there is no context."""
    return None


def gpu_contiguous(x: Any) -> Any:
    """Returns `x` as a Variable in host memory."""
    return as_tensor_variable(x)


def host_from_gpu(x: Any) -> Any:
    """Returns `x` as a Variable in host memory."""
    return as_tensor_variable(x)


class HostFromGpu:
    """A transfer from the GPU: calling it returns the Variable itself; no Op is an instance."""

    def __call__(self, x: Any) -> Any:
        """`x` as a Variable in host memory."""
        return as_tensor_variable(x)


class GpuFromHost:
    """A transfer to the GPU: calling it returns the Variable itself; no Op is an instance."""

    def __init__(self, context_name: Optional[str] = None) -> None:
        pass

    def __call__(self, x: Any) -> Any:
        """`x` as a Variable in host memory."""
        return as_tensor_variable(x)


class GpuAllocEmpty(AllocEmpty):
    """AllocEmpty in host memory."""

    def __init__(self, dtype: str, context_name: Optional[str] = None) -> None:
        super().__init__(dtype)


def gpu_alloc_empty(*shape: Any) -> Any:
    """Returns an uninitialised float32 array of this shape."""
    return AllocEmpty("float32")(*shape)


class GpuArrayType:
    """Placeholder for `isinstance` checks: no type is an instance."""


class GpuArrayVariable:
    """Placeholder for `isinstance` checks: no Variable is an instance."""


class GpuArrayConstant:
    """Placeholder for `isinstance` checks: no constant is an instance."""


class GpuArraySharedVariable:
    """Placeholder for `isinstance` checks: no shared variable is an instance."""


class ContextNotDefined(ValueError):
    """An exception type for `except` clauses; never raised."""


class GpuSubtensor:
    """Placeholder for Theano's Op of this name."""


class GpuIncSubtensor:
    """Placeholder for Theano's Op of this name."""


class GpuAdvancedSubtensor1:
    """Placeholder for Theano's Op of this name."""


class GpuAdvancedSubtensor:
    """Placeholder for Theano's Op of this name."""


class GpuAdvancedIncSubtensor1:
    """Placeholder for Theano's Op of this name."""


class GpuAdvancedIncSubtensor:
    """Placeholder for Theano's Op of this name."""


def use_gpuarray(device: str, *args: Any, **kwargs: Any) -> None:
    """Raises RuntimeError: PyTensor has no pygpu back-end."""
    raise RuntimeError("theano.gpuarray.use({!r}): PyTensor has no pygpu back-end; a GPU is reached through mode='JAX'".format(device))


class GpuOp(Op):
    """Base class of CUDA Ops: lets files be imported that define such Ops besides other things."""

    def make_thunk(self, node: Any, *args: Any, **kwargs: Any) -> Any:
        """Raises NotImplementedError: such an Op has only GPU code."""
        raise NotImplementedError("{} is an Op for CUDA: {}".format(type(self).__name__, cuda_initialization_error_message))


class CudaNdarrayType:
    """Placeholder for `isinstance` checks: no type is an instance."""


class CudaNdarrayVariable:
    """Placeholder for `isinstance` checks: no Variable is an instance."""


class CudaNdarraySharedVariable:
    """Placeholder for `isinstance` checks: no shared variable is an instance."""


def use_cuda(device: str, *args: Any, **kwargs: Any) -> None:
    """Does nothing for "cpu". Raises RuntimeError for any other device."""
    if str(device) != "cpu":
        raise RuntimeError("theano.sandbox.cuda.use({!r}): {}".format(device, cuda_initialization_error_message))


def register_opt(*tags: str, **kwargs: Any) -> Any:
    """Returns a decorator that returns the rewrite unchanged: it would apply only to graphs on a GPU."""
    return lambda rewrite: rewrite


def cuda_available_dnn() -> bool:
    """Always False: there is no cuDNN."""
    return False


def set_gpu_context() -> None:
    """Does nothing: there is no GPU context."""

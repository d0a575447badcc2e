"""What scripts import from `theano.gpuarray` and `theano.sandbox.cuda`, without a GPU: one that asks for it finds none and goes on.

Transfers give the variable itself, allocations are the host's, and no object is an instance of the classes.
"""

from typing import Any, Optional

from pytensor.graph.op import Op
from pytensor.tensor.basic import AllocEmpty, as_tensor_variable

cuda_initialization_error_message = "PyTensor has no CUDA back-end; a GPU is reached through mode='JAX'"


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


def gpu_alloc_empty(*shape: Any) -> Any:
    """A float32 array of this shape, of which no element is set."""
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
    """Raised by no function here: for `except` clauses."""


class GpuSubtensor:
    """Placeholder for Theano's Op."""


class GpuIncSubtensor:
    """Placeholder for Theano's Op."""


class GpuAdvancedSubtensor1:
    """Placeholder for Theano's Op."""


class GpuAdvancedSubtensor:
    """Placeholder for Theano's Op."""


class GpuAdvancedIncSubtensor1:
    """Placeholder for Theano's Op."""


class GpuAdvancedIncSubtensor:
    """Placeholder for Theano's Op."""


def use_gpuarray(device: str, *args: Any, **kwargs: Any) -> None:
    """Raises RuntimeError: PyTensor has no pygpu back-end."""
    raise RuntimeError("theano.gpuarray.use({!r}): PyTensor has no pygpu back-end; a GPU is reached through mode='JAX'".format(device))


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


def use_cuda(device: str, *args: Any, **kwargs: Any) -> None:
    """Does nothing for "cpu"; RuntimeError for any other device."""
    if str(device) != "cpu":
        raise RuntimeError("theano.sandbox.cuda.use({!r}): {}".format(device, cuda_initialization_error_message))


def register_opt(*tags: str, **kwargs: Any) -> Any:
    """Decorator that returns a rewrite as it is: it was for graphs on a GPU, and there are none."""
    return lambda rewrite: rewrite


def cuda_available_dnn() -> bool:
    """Always False: there is no cuDNN."""
    return False


def set_gpu_context() -> None:
    """Does nothing: there is no GPU context."""

"""`theano.sandbox.cuda`, where there is no GPU: a script that asks finds none and goes on with the CPU."""

from typing import Any

from pytensor.graph.op import Op

cuda_available = False
cuda_enabled = False
cuda_initialization_error_message = "PyTensor has no CUDA back-end; a GPU is reached through mode='JAX'"


class GpuOp(Op):
    """What Ops for CUDA derived from: files that define some beside others can be imported."""

    def make_thunk(self, node: Any, *args: Any, **kwargs: Any) -> Any:
        """Raises NotImplementedError: such an Op has code for a GPU only."""
        raise NotImplementedError("{} is an Op for CUDA: {}".format(type(self).__name__, cuda_initialization_error_message))


class CudaNdarrayType:
    """No variable has this type."""


class CudaNdarrayVariable:
    """No variable is of this class."""


class CudaNdarraySharedVariable:
    """No shared variable is of this class."""


def use(device: str, *args: Any, **kwargs: Any) -> None:
    """Ignored for the CPU; there is no CUDA back-end in PyTensor."""
    if str(device) != "cpu":
        raise RuntimeError("theano.sandbox.cuda.use({!r}): {}".format(device, cuda_initialization_error_message))


def cuda_available_dnn() -> bool:
    """No cuDNN."""
    return False

"""`theano.gpuarray`, where there is no GPU: a script that asks finds none and goes on with the CPU."""

from typing import Any

pygpu_activated = False
cuda_available = False


class GpuArrayType:
    """No variable has this type."""


class GpuArrayVariable:
    """No variable is of this class."""


class GpuArrayConstant:
    """No constant is of this class."""


class GpuArraySharedVariable:
    """No shared variable is of this class."""


def use(device: str, *args: Any, **kwargs: Any) -> None:
    """There is no GPU back-end in PyTensor."""
    raise RuntimeError("theano.gpuarray.use({!r}): PyTensor has no pygpu back-end; a GPU is reached through mode='JAX'".format(device))

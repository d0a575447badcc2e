"""Serves `theano.gpuarray` without a GPU: a script that asks for one finds none and goes on with the CPU."""

from typing import Any

pygpu_activated = False
cuda_available = False


class GpuArrayType:
    """Placeholder for `isinstance` checks: no type is an instance."""


class GpuArrayVariable:
    """Placeholder for `isinstance` checks: no Variable is an instance."""


class GpuArrayConstant:
    """Placeholder for `isinstance` checks: no constant is an instance."""


class GpuArraySharedVariable:
    """Placeholder for `isinstance` checks: no shared variable is an instance."""


def use(device: str, *args: Any, **kwargs: Any) -> None:
    """Raises RuntimeError: PyTensor has no pygpu back-end."""
    raise RuntimeError("theano.gpuarray.use({!r}): PyTensor has no pygpu back-end; a GPU is reached through mode='JAX'".format(device))

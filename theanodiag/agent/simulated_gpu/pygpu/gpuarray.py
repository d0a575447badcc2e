"""The public names of the extension module `pygpu.gpuarray` 0.7.6."""

from .arrays import GpuArray, array, asarray, ascontiguousarray, asfortranarray, empty, may_share_memory, zeros
from .context import (
    GpuArrayException,
    GpuContext,
    UnsupportedException,
    count_devices,
    count_platforms,
    get_default_context,
    init,
    set_default_context,
)
from .memory import SIZE, SSIZE, dtype_to_ctype, dtype_to_typecode
from .version import ABI, API

__all__ = [
    "SIZE", "SSIZE", "GpuArray", "GpuArrayException", "GpuContext", "GpuKernel", "UnsupportedException", "abi_version", "api_version",
    "array", "asarray", "ascontiguousarray", "asfortranarray", "count_devices", "count_platforms", "dtype_to_ctype", "dtype_to_typecode",
    "empty", "get_default_context", "init", "may_share_memory", "set_default_context", "zeros",
]  # fmt: skip


class GpuKernel(object):
    """A compiled kernel. The constructor always raises UnsupportedException."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise UnsupportedException("no kernel is compiled without a device")


def api_version() -> "tuple[int, int]":
    """The API version of libgpuarray as (major, minor)."""
    return API


def abi_version() -> "tuple[int, int]":
    """The ABI version of libgpuarray as (major, minor)."""
    return ABI

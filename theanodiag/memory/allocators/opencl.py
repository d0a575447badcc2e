"""libgpuarray on OpenCL: there is no cache.

Source: libgpuarray 0.7.6, src/gpuarray_buffer_opencl.c, `cl_alloc`: a buffer for each request, of one byte at least.
"""

from __future__ import annotations

from .base import BlockSource
from .direct import DirectAllocator


class OpenClAllocator(DirectAllocator):
    """A buffer of the driver for each request."""

    def __init__(self, driver: BlockSource) -> None:
        super().__init__(driver, minimum=1)

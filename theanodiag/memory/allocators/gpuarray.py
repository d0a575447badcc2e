"""libgpuarray's allocation cache on CUDA.

Source: libgpuarray 0.7.6, src/gpuarray_buffer_cuda.c (`cuda_alloc`, `find_best`, `allocate`, `extract`, `cuda_free`) and
src/private_cuda.h (`BLOCK_SIZE`, `FRAG_SIZE`).
"""

from __future__ import annotations

from .base import BlockSource
from .pool import BestFitPool

BLOCK_BYTES = 4 << 20
"""The smallest block that is asked of the driver."""
FRAGMENT_BYTES = 64


class GpuArrayAllocator(BestFitPool):
    """The cache, address by address; blocks count against `max_cache_bytes` for ever."""

    def __init__(self, driver: BlockSource, max_cache_bytes: int | None = None) -> None:
        super().__init__(driver, FRAGMENT_BYTES, BLOCK_BYTES, max_cache_bytes)

"""The pool of the CUDA back-end that Theano 1.0 removed (`lib.cnmem`).

Source: Theano 0.8.2, theano/sandbox/cuda/cnmem.cpp (`Manager::allocate`, `reserve`, `CNMEM_GRANULARITY`) and cuda_ndarray.cu
(`initCnmem`): one pool at the start; a request that does not fit in it takes a block of just its own size.
"""

from __future__ import annotations

from .base import BlockSource
from .pool import Pool

GRANULE_BYTES = 512


class CnmemAllocator(Pool):
    """A pool that begins with one block of `reserve` bytes and grows by what is asked."""

    def __init__(self, driver: BlockSource, reserve: int) -> None:
        super().__init__(driver, GRANULE_BYTES, GRANULE_BYTES)
        grant = self.allocate(reserve) if reserve else None
        if grant:
            self.release(grant.address)

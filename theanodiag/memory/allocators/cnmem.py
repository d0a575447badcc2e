"""The pool of the CUDA back-end that Theano 1.0 removed (`lib.cnmem`).

Source: Theano 0.9.0, theano/sandbox/cuda/cnmem.cpp (`Manager::allocate`, `findBestBlockUnsafe`, `extractBlockUnsafe`,
`releaseBlockUnsafe`, `CNMEM_GRANULARITY`) and cuda_ndarray.cu (`initCnmem`, `device_malloc`): one pool at the start; a request that
does not fit in it takes a block of just its own size; a request for nothing gets nothing.
"""

from __future__ import annotations

from .base import BlockSource, Grant
from .pool import BestFitPool

GRANULE_BYTES = 512


class CnmemAllocator(BestFitPool):
    """A pool that begins with one block of `reserve` bytes and grows by what is asked."""

    def __init__(self, driver: BlockSource, reserve: int) -> None:
        super().__init__(driver, GRANULE_BYTES, GRANULE_BYTES)
        self._nowhere = 0
        """Addresses of requests for nothing are negative, and none twice."""
        grant = self.allocate(reserve) if reserve else None
        if grant:
            self.release(grant.address)

    def allocate(self, nbytes: int) -> Grant | None:
        """The smallest free piece that fits, else a new block; nothing for nothing."""
        if nbytes:
            return super().allocate(nbytes)
        self._nowhere -= 1
        return Grant(self._nowhere, 0)

    def release(self, address: int) -> None:
        """The piece at `address` is free again, one with its free neighbours."""
        if address >= 0:
            super().release(address)

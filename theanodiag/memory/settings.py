"""The settings on which a simulation depends: the allocator and its rules, garbage collection, the device's size."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from .profile import Origin


class AllocatorKind(enum.Enum):
    """Which allocator serves the requests."""

    GPUARRAY = "gpuarray"
    """libgpuarray's allocation cache on CUDA."""
    OPENCL = "opencl"
    """libgpuarray on OpenCL: no cache."""
    CNMEM = "cnmem"
    """The pool of the CUDA back-end that Theano 1.0 removed (`lib.cnmem`)."""
    XLA = "xla"
    """XLA's: one pool on a GPU (BFC), malloc on the host."""
    DIRECT = "direct"
    """Every request goes to the driver (or to malloc, on the host) as it is."""


class AddressPolicy(enum.Enum):
    """Where the driver puts a new block: an input of the simulation, since no documentation fixes it."""

    UP = "up"
    """Each block above all earlier ones."""
    DOWN = "down"
    FIRST_FIT = "first-fit"


@dataclass(frozen=True)
class MemorySettings:
    """Inputs of the simulation beside the script itself."""

    allocator: AllocatorKind = AllocatorKind.GPUARRAY
    preallocate: float = 0.0
    """`gpuarray.preallocate`: < 0 no cache, 0 < p <= 1 a fraction, > 1 MB."""
    max_cache_bytes: int | None = None
    """Limit of the cache (`gpuarray.max_cache_size`... of the context); None for no limit."""
    cnmem: float = 0.0
    """`lib.cnmem`."""
    allow_gc: bool = True
    scan_allow_gc: bool = False
    xla_preallocate: bool = True
    """Whether XLA takes its share at the start (`XLA_PYTHON_CLIENT_PREALLOCATE`)."""
    xla_workspace: int = 0
    """What XLA gives to cuBLAS for products of matrices, where it does not compile them itself; in bytes."""
    xla_pool: bool = True
    """Whether XLA serves its arrays out of a pool, or the driver does (`XLA_PYTHON_CLIENT_ALLOCATOR`)."""
    total_bytes: int | None = None
    """Size of the device; None: the host, or unlimited."""
    free_bytes: int | None = None
    """Free once the context exists; None: total_bytes less the context."""
    address_policy: AddressPolicy = AddressPolicy.UP
    detailed: bool = True
    """Whether the timeline and what is live at the peak are wanted beside the figures."""
    lift: bool = False
    """Put the tensors of a CPU graph where the GPU optimiser would put them (the figures are then bounded, or estimates)."""
    hypothetical: bool = False
    """Whether no release of the framework has the GPU back-end that is simulated (Aesara, PyTensor): figures of a lifted graph are then
    estimates. Its rewrites are not Theano's, so that nothing says which of the two graphs needs more."""

    @property
    def lifted_origin(self) -> Origin:
        """What figures of a lifted graph are."""
        return Origin.ESTIMATE if self.hypothetical else Origin.BOUNDED

"""Settings of a simulation: the allocator and its options, garbage collection, the size of the device."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from ..devices.xla_target import ASSUMED, CAPABILITIES, CHIPS
from .profile import Origin

COMPILES_PRODUCTS = (8, 0)
"""From this compute capability on, XLA compiles matrix products itself; for older GPUs it calls cuBLAS."""
CUBLAS = 4 << 20
"""Bytes of workspace that XLA gives to cuBLAS (service/gpu, `GemmRewriter`)."""


@dataclass(frozen=True)
class XlaCard:
    """A GPU as XLA's compiler sees it."""

    cores: int
    """Number of the GPU's multiprocessors."""
    capability: tuple[int, int]
    """The GPU's CUDA compute capability."""

    @classmethod
    def of(cls, chip: str = ASSUMED) -> XlaCard:
        """Returns the GPU model named `chip`, a key of `CHIPS`."""
        return cls(CHIPS[chip].cores, CAPABILITIES[chip])

    @property
    def cublas(self) -> int:
        """Returns the bytes of workspace for cuBLAS while a matrix product runs; 0 if XLA compiles products itself."""
        return 0 if self.capability >= COMPILES_PRODUCTS else CUBLAS


class AllocatorKind(enum.Enum):
    """The allocator that serves the requests."""

    GPUARRAY = "gpuarray"
    """libgpuarray's allocation cache on CUDA."""
    OPENCL = "opencl"
    """libgpuarray on OpenCL: no cache."""
    CNMEM = "cnmem"
    """The pool of the CUDA back-end that Theano 1.0 removed (`lib.cnmem`)."""
    XLA = "xla"
    """XLA's: one pool on a GPU (best fit with coalescing), malloc on the host."""
    DIRECT = "direct"
    """No allocator: every request goes to the driver (on the host: malloc)."""


class AddressPolicy(enum.Enum):
    """How the driver chooses the address of a new block. It is an input of the simulation, because no documentation describes it."""

    UP = "up"
    """Each new block lies above all earlier ones."""
    DOWN = "down"
    """Each new block lies below all earlier ones."""
    FIRST_FIT = "first-fit"
    """Each block in the lowest gap that is large enough."""


@dataclass(frozen=True)
class MemorySettings:
    """Inputs of the simulation in addition to the script itself."""

    allocator: AllocatorKind = AllocatorKind.GPUARRAY
    """The allocator that serves the requests."""
    preallocate: float = 0.0
    """`gpuarray.preallocate`: < 0 no cache, 0 < p <= 1 a fraction of the device, > 1 MB."""
    cnmem: float = 0.0
    """`lib.cnmem`: 0 reserves nothing, 0 < p <= 1 a fraction of the device, > 1 MB."""
    allow_gc: bool = True
    """Flag `allow_gc`, for functions that do not set their own."""
    scan_allow_gc: bool = False
    """Value of the framework's flag `scan.allow_gc`."""
    xla_preallocate: bool = True
    """Whether XLA reserves its share at the start (`XLA_PYTHON_CLIENT_PREALLOCATE`)."""
    xla_card: XlaCard = field(default_factory=XlaCard.of)
    """The GPU for which XLA compiles."""
    xla_pool: bool = True
    """Whether XLA allocates from a pool; else each request goes to the driver (`XLA_PYTHON_CLIENT_ALLOCATOR`)."""
    total_bytes: int | None = None
    """Bytes of the device; None: the host, or unlimited."""
    free_bytes: int | None = None
    """Bytes free once the context exists; None: no limit but `total_bytes`."""
    address_policy: AddressPolicy = AddressPolicy.UP
    """Where the driver places new blocks."""
    detailed: bool = True
    """Whether to compute the state after each step and what is live at the peak, beside the figures."""
    lift: bool = False
    """Whether to place the tensors of a host graph on the device as the GPU optimizer would; the figures are then bounded, or estimates."""
    hypothetical: bool = False
    """Whether no release of the framework has the simulated GPU back-end (Aesara, PyTensor); figures of a lifted graph are then
    estimates.

    The framework's rewrites are not Theano's, so neither graph is known to need more.
    """

    @property
    def limit_bytes(self) -> int | None:
        """Bytes that the driver can give; None: the host, or unlimited."""
        return self.total_bytes if self.free_bytes is None else self.free_bytes

    @property
    def lifted_origin(self) -> Origin:
        """Returns the origin of figures of a lifted graph: ESTIMATE if `hypothetical` is true, else BOUNDED."""
        return Origin.ESTIMATE if self.hypothetical else Origin.BOUNDED
